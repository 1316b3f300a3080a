"""Growing, alternating and pruning of small trees, against brute force."""

import numpy as np
import pytest
from cases import each
from distill.distilled_tree_reference import (
    MISSING,
    best_loss_at,
    every_split,
    leaf_of,
    loss_as_leaf,
    loss_at,
    path_to,
    reached,
    row_losses,
)
from distill.small_cases import OBJECTIVES, Case
from hypothesis import given
from hypothesis import strategies as st
from show import hand_trees

import sightline as sl
from sightline import _core
from sightline.table import Column, Feature, Table

LOOSE = 1e-5
"""The kernel rounds losses to multiples of 2^-24."""


SEEDS = range(25)


def each_objective(test):
    return pytest.mark.parametrize("objective", OBJECTIVES)(each(8, seed=SEEDS)(test))


def approx(value):
    return pytest.approx(value, rel=LOOSE, abs=LOOSE)


@each_objective
def test_one_pass_over_a_stump_finds_the_best_of_all_tests(seed, objective):
    case = Case(seed, objective=objective)
    stump = case.grown(2)
    if stump.n_leaves < 2:
        assert case.min_leaf, "nothing to split"
        return
    nodes = stump.nodes()
    before = case.loss(stump)
    expected = best_loss_at(nodes, case, 0)
    loss, changed = stump.alternate_once(case.rows)
    assert loss == approx(expected) if case.tries_every_test else loss >= expected - LOOSE
    if changed:
        assert loss < before or stump.n_leaves == 1
    else:
        assert loss == approx(before)


@each_objective
def test_passes_never_lose_and_end_where_no_test_of_any_node_is_better(seed, objective):
    case = Case(seed, objective=objective)
    tree = case.grown(8, mixed=bool(seed % 2))
    before, changed = case.loss(tree) * (1 + LOOSE) + LOOSE, True
    for _ in range(50):
        loss, changed = tree.alternate_once(case.rows)
        assert loss <= before
        assert case.loss(tree) <= loss * (1 + LOOSE) + LOOSE
        before = loss
        if not changed:
            break
    assert not changed
    nodes = tree.nodes()
    assert tree.loss(case.rows) == loss
    assert case.loss(tree) == approx(loss)
    for node, (feature, *_) in enumerate(nodes):
        if feature < 0:
            continue
        best, now = best_loss_at(nodes, case, node), loss_at(nodes, case, node)
        if not case.min_leaf:
            assert best == approx(now)
        elif case.tries_every_test:
            # The test itself may have too few rows on a side, since those above it changed.
            assert now <= best + LOOSE


@each_objective
@pytest.mark.parametrize("n_leaves", [1, 2, 3, 5])
def test_pruning_reaches_its_size_and_keeps_free_changes_free(seed, n_leaves, objective):
    case = Case(seed, objective=objective)
    tree = case.grown(12)
    before, n_before = case.loss(tree), tree.n_leaves
    tree.prune_to(case.rows, n_leaves)
    assert tree.n_leaves <= n_leaves
    if n_before <= n_leaves:
        assert case.loss(tree) == before


@each_objective
def test_pruning_by_one_leaf_takes_the_cheapest_change(seed, objective):
    case = Case(seed, objective=objective)
    tree = case.grown(6)
    nodes = tree.nodes()
    if tree.n_leaves < 2:
        assert case.min_leaf, "nothing to prune"
        return
    rises = [rise for node in range(len(nodes)) for rise in rises_at(case, nodes, node)]
    before = case.loss(tree)
    n_leaves = tree.n_leaves
    tree.prune_to(case.rows, n_leaves - 1)
    assert case.loss(tree) <= before + min(rises) + LOOSE


def rises_at(case, nodes, node):
    """Loss that each change of a node adds."""
    feature, _, yes, no, *_ = nodes[node]
    if feature < 0:
        return
    rows = np.flatnonzero(reached(nodes, case.codes, node))
    now = loss_at(nodes, case, node)
    yield loss_as_leaf(case, rows) - now
    for child in (yes, no):
        yield row_losses(nodes, case, rows, child).sum() - now


@each_objective
def test_every_leaf_of_the_finished_tree_has_its_rows_and_their_best_value(seed, objective):
    case = Case(seed, objective=objective)
    small = _core.distill_tree(case.rows, 6, search_rounds=2)
    nodes = small.nodes()
    for node, (feature, *_) in enumerate(nodes):
        rows = np.flatnonzero(reached(nodes, case.codes, node))
        if feature < 0 and len(nodes) > 1:
            assert len(rows) > 0
            assert case.weights[rows][case.observed[rows] >= 0].sum() >= case.min_leaf
            assert row_losses(nodes, case, rows).sum() == approx(loss_as_leaf(case, rows))


@each(seed=SEEDS)
def test_growth_is_nested_and_each_split_gains_most(seed):
    case = Case(seed)
    large = case.grown(9)
    for n_leaves in range(1, large.n_leaves):
        small = case.grown(n_leaves)
        assert small.n_leaves == n_leaves
        nodes, more = small.nodes(), large.nodes()
        # Every path of the small tree is the beginning of one of the large tree.
        pairs = [(0, 0)]
        while pairs:
            a, b = pairs.pop()
            if nodes[a][0] >= 0:
                assert nodes[a][:2] == more[b][:2]
                pairs += [(nodes[a][2], more[b][2]), (nodes[a][3], more[b][3])]


@each(seed=SEEDS)
def test_the_first_split_has_the_least_gini_impurity_of_two_classes(seed):
    case = Case(seed, n_classes=2)
    stump = case.grown(2)
    assert stump.n_leaves == 2, "nothing to split"

    def score(rows):
        mass = (case.weights[rows, None] * case.probabilities[rows]).sum(axis=0)
        return (mass**2).sum() / max(case.weights[rows].sum(), 1e-300)

    def of_split(index, to_yes):
        goes_yes = np.isin(case.codes[:, index], list(to_yes))
        return score(goes_yes) + score(~goes_yes) if goes_yes.any() and not goes_yes.all() else -1

    best = max(
        of_split(index, to_yes)
        for index in range(len(case.table.columns))
        for to_yes in every_split(case.table, case.bins, index)
    )
    feature, to_yes, *_ = stump.nodes()[0]
    assert of_split(feature, to_yes) == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize("objective", ["numbers", "numbers with support", "absolute numbers"])
@each(seed=SEEDS)
def test_a_finished_tree_of_numbers_answers_with_the_mean_of_the_ensemble(seed, objective):
    case = Case(seed, objective=objective)
    small = _core.distill_tree(case.rows, 6)
    tree = sl.Tree(small.tree(case.rows), case.table.schema, None)
    nodes = small.nodes()
    leaves = np.array([leaf_of(nodes, row) for row in case.codes])
    predicted = tree.predict(case.table)
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        if case.absolute:
            expected = case.center + case.scale * nodes[leaf][5][0]
        else:
            expected = np.average(case.answers[rows, 0], weights=case.weights[rows])
        assert predicted[rows] == pytest.approx(expected, rel=1e-12)
    assert tree.core.weight[0] == case.weights[case.observed >= 0].sum()


@each(seed=SEEDS)
def test_the_finished_tree_answers_as_the_small_one(seed):
    case = Case(seed)
    small = _core.distill_tree(case.rows, 6)
    tree = sl.Tree(small.tree(case.rows), case.table.schema, case.ensemble.classes_)
    nodes = small.nodes()
    expected = np.array([nodes[leaf_of(nodes, row)][4] for row in case.codes])
    assert (tree.predict(case.table) == expected).all()
    assert np.allclose(tree.predict_proba(case.table).sum(axis=1), 1)
    root = tree.core.counts[0]
    assert np.allclose(root, np.bincount(case.truth, case.weights, minlength=3))
    assert tree.core.weight[0] == case.weights.sum()


@each_objective
def test_refinement_and_search_never_lose_against_growth(seed, objective):
    case = Case(seed, n_rows=80, objective=objective)
    for n_leaves in (2, 4, 7):
        grown, refined, searched = (
            _core.distill_tree(case.rows, n_leaves, refine=refine, search_rounds=rounds)
            for refine, rounds in ((False, 0), (True, 0), (True, 4))
        )
        assert refined.n_leaves <= n_leaves
        assert searched.loss(case.rows) <= refined.loss(case.rows)
        assert searched.n_leaves <= n_leaves
        assert grown.n_leaves <= n_leaves


@given(seed=st.integers(0, 10_000), n_leaves=st.integers(1, 12), objective=st.sampled_from(list(OBJECTIVES)))
def test_threads_and_the_order_of_rows_leave_no_trace(seed, n_leaves, objective):
    case = Case(seed, objective=objective)
    shuffled = case.native(np.random.default_rng(seed).permutation(case.table.n_rows))
    first = _core.distill_tree(case.rows, n_leaves, n_threads=1).nodes()
    assert first == _core.distill_tree(shuffled, n_leaves, n_threads=3).nodes()


@each(seed=SEEDS)
def test_a_tree_keeps_within_its_limits(seed):
    free = Case(seed, n_rows=80, objective="labels and probabilities")
    n_columns = len(free.table.columns)
    for limits in (
        {"max_depth": 2},
        {"max_columns": 1},
        {"max_columns": 1, "group": [0] * n_columns},
        {"banned": [1] + [0] * (n_columns - 1)},
        {"max_columns": 2, "max_depth": 3, "min_leaf": 4.0},
    ):
        free.limits = _core.Limits(**limits)
        rows = free.native(np.arange(free.table.n_rows))
        nodes = _core.distill_tree(rows, 8, search_rounds=4).nodes()
        tested = {feature for feature, *_ in nodes if feature >= 0}
        groups = {limits.get("group", range(n_columns))[feature] for feature in tested}
        assert len(groups) <= limits.get("max_columns", n_columns)
        assert max(len(path_to(nodes, node)) for node in range(len(nodes))) <= limits.get("max_depth", 99)
        assert not any(limits["banned"][feature] for feature in tested) if "banned" in limits else True


@each(seed=SEEDS)
def test_limits_that_bind_nothing_change_nothing(seed):
    case = Case(seed)
    n_columns = len(case.table.columns)
    expected = _core.distill_tree(case.rows, 6, search_rounds=2).nodes()
    case.limits = _core.Limits(max_depth=99, max_columns=n_columns, preferred=[1] * n_columns)
    case.has_costs = True
    assert _core.distill_tree(case.native(np.arange(40)), 6, search_rounds=2).nodes() == expected


def test_a_preferred_column_wins_among_equals_and_loses_against_a_much_better_one():
    rng = np.random.default_rng(0)
    signal = rng.random(400)
    nearly = np.where(rng.random(400) < 0.005, rng.random(400), signal)
    worse = np.where(rng.random(400) < 0.4, rng.random(400), signal)
    label = (signal > 0.5).astype(np.int32)
    answers = np.eye(2)[label].ravel()

    def tested(preferred, *columns):
        table = Table.from_any(np.column_stack(columns))
        limits = _core.Limits(preferred=preferred)
        rows = _core.DistillationRows(_core.Bins(table.native()), 2, limits=limits)
        rows.add(table.native(), label, answers, np.ones(400), label)
        return _core.distill_tree(rows, 2).nodes()[0][0]

    assert tested([0, 0], signal, nearly) == 0
    assert tested([0, 1], signal, nearly) == 1
    assert tested([0, 1], signal, worse) == 0


def rows_elsewhere(case, nodes, node):
    """Return the rows that do not pass through a node."""
    return np.flatnonzero(~reached(nodes, case.codes, node))


def lowest_test(nodes):
    """Return a test below the root, of which both branches lead to leaves, or None."""
    for node, (feature, _, yes, no, *_) in enumerate(nodes):
        if node > 0 and feature >= 0 and nodes[yes][0] < 0 and nodes[no][0] < 0:
            return node
    return None


@pytest.mark.parametrize("objective", ["labels", "numbers"])
@each(seed=SEEDS)
def test_a_node_without_rows_keeps_the_label_or_number_that_it_had(seed, objective):
    case = Case(seed, objective=objective, with_missing=False)
    small = case.grown(6)
    nodes = small.nodes()
    empty = lowest_test(nodes)
    rows = case.native(rows_elsewhere(case, nodes, empty))
    tree = small.tree(rows)
    _, to_yes, yes, no, *_ = nodes[empty]
    assert tree.weight[[empty, yes, no]].tolist() == [0, 0, 0]
    branch = tree.branch_begin[empty]
    # Missing values take the branch that the test names, since no row shows which.
    assert tree.share[branch : branch + 2].tolist() == ([1.0, 0.0] if MISSING in to_yes else [0.0, 1.0])
    for node in (yes, no):
        *_, label, value = nodes[node]
        expected = [case.center + case.scale * value[0]] if objective == "numbers" else np.eye(3)[label]
        assert tree.output[node].tolist() == pytest.approx(list(expected))


@each_objective
def test_tests_to_which_no_row_comes_are_pruned_for_free(seed, objective):
    case = Case(seed, objective=objective)
    tree = case.grown(6)
    empty = lowest_test(tree.nodes())
    if empty is None:
        assert case.min_leaf, "there is no test below the root"
        return
    rows = case.native(rows_elsewhere(case, tree.nodes(), empty))
    before, n_leaves = tree.loss(rows), tree.n_leaves
    tree.prune_to(rows, n_leaves - 1)
    assert tree.n_leaves < n_leaves
    assert tree.loss(rows) <= before + LOOSE


@each_objective
def test_rows_of_weight_zero_are_as_if_they_were_not_there(seed, objective):
    case = Case(seed, objective=objective)
    used = np.flatnonzero(np.arange(40) % 4)
    expected = _core.distill_tree(case.native(used), 6).nodes()
    case.weights[::4] = 0.0
    assert _core.distill_tree(case.native(np.arange(40)), 6).nodes() == expected


@pytest.mark.parametrize("n_leaves", [4, 8])
@each(seed=range(4))
def test_a_tree_of_many_columns_tests_as_few_as_it_may(seed, n_leaves):
    """The best test of a node is remembered where columns are many, unless it depends on other nodes."""
    rng = np.random.default_rng(seed)
    table = Table.from_any(rng.integers(4, size=(120, 20)).astype(float))
    X = np.column_stack([column.values for column in table.columns])
    labels = ((X[:, :5] > 1).sum(axis=1) > 2).astype(np.int32)

    def distilled(max_columns):
        limits = _core.Limits(max_columns=max_columns)
        rows = _core.DistillationRows(_core.Bins(table.native()), 2, limits=limits)
        rows.add(table.native(), labels, np.eye(2)[labels].ravel(), np.ones(120), labels)
        tree = _core.distill_tree(rows, n_leaves)
        return {feature for feature, *_ in tree.nodes() if feature >= 0}, tree.loss(rows)

    columns, losses = zip(*(distilled(n) for n in (1, 2, 20)), strict=True)
    assert len(columns[0]) == 1
    assert len(columns[1]) == 2
    assert len(columns[2]) > 2
    assert losses[2] < losses[1] < losses[0]
    expected = min(
        sum(min(np.bincount(labels[X[:, f] == v], minlength=2)) for v in range(4)) for f in range(20)
    )
    assert losses[0] == expected


def test_a_column_of_one_value_is_tested_for_missing_values():
    codes = np.where(np.arange(20) < 8, -1, 0).astype(np.int32)
    columns = _core.Columns([codes], [1], 20)
    labels = (codes < 0).astype(np.int32)
    rows = _core.DistillationRows(_core.Bins(columns), 2)
    rows.add(columns, labels, np.eye(2)[labels].ravel(), np.ones(20), labels)
    tree = _core.distill_tree(rows, 2)
    assert tree.n_leaves == 2
    assert tree.loss(rows) == 0


def test_cuts_are_short_numbers_between_neighbouring_values():
    X = np.array([[0.1234567], [0.2345678], [5.0], [6.0], [1e9], [1e9 + 1]])
    y = [0, 1, 0, 1, 0, 1]
    ensemble = sl.load(sl.C45Classifier(prune=False, min_leaf=1, mdl_correction=False).fit(X, y))
    cuts = _core.Bins(Table.from_any(X).native(), ensemble.core).cuts(0)
    values = np.sort(X[:, 0])
    for cut in cuts:
        below = values[values <= cut].max()
        above = values[values > cut].min()
        assert below <= cut < above
        assert len(repr(cut)) <= 12
    assert len(cuts) > 0


def test_cuts_between_seconds_are_whole_days_hours_or_minutes():
    """A limit of 15 days read "15 days 1:06:40": 1,300,000 seconds are a round number, but no round time."""
    day, hour = 86_400.0, 3_600.0
    values = np.array(
        [0.0, 6 * hour, 14 * day, 16 * day, 40 * day + 7, 40 * day + 9, 60 * day, 60 * day + 0.5]
    )
    y = [0, 1, 0, 1, 0, 1, 0, 1]
    ensemble = sl.load(
        sl.C45Classifier(prune=False, min_leaf=1, mdl_correction=False).fit(values[:, None], y)
    )
    rows = Table.from_any(values[:, None]).native()
    for bins in (_core.Bins(rows, times=[0]), _core.Bins(rows, ensemble.core, times=[0])):
        cuts = bins.cuts(0)
        for cut, below, above in zip(cuts, values, values[1:], strict=False):
            assert below <= cut < above
    assert _core.Bins(rows, times=[0]).cuts(0)[:3] == [3 * hour, 7 * day, 15 * day]
    assert _core.Bins(rows, times=[0]).cuts(0)[4] == 40 * day + 8


def test_what_lightgbm_takes_for_zero_stays_exact():
    """The cut 1e-35 read so in every text, and was not quite the ensemble's."""
    zero = float(np.float32(1e-35))
    for bound in (zero, -zero, float(np.nextafter(-zero, -np.inf))):
        root = hand_trees.threshold(0, bound, hand_trees.leaf(9, 1), hand_trees.leaf(1, 9))
        tree = hand_trees.plant(root, [Feature("x")], ["a", "b"])
        ensemble = sl.Ensemble.average([tree])
        rows = Table.from_any([[-1.0], [0.0], [1.0]]).native()
        assert _core.Bins(rows, ensemble.core).cuts(0) == [bound]


def test_columns_without_rows_have_no_cuts():
    """Values of a column with more than 255 were ordered by answers of no row: a write out of bounds."""
    many = Feature("code", categories=tuple(range(300)))
    table = Table([Column(many, np.zeros(0, dtype=np.int32)), Column(Feature("x"), np.zeros(0))])
    assert _core.Bins(table.native()).cuts(1) == []
