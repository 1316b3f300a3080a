import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import at_most, core_tree, leaf, one_of, schema_of

import sightline as sl
from sightline import _core
from sightline.distill import ArtificialRows, resolve_teacher
from sightline.model import LEAF, combined
from sightline.table import Column, Feature, Table


def mixed_table(n_rows=50, seed=0):
    rng = np.random.default_rng(seed)
    number = np.where(rng.random(n_rows) < 0.1, np.nan, rng.normal(size=n_rows).round(1))
    colour = np.where(rng.random(n_rows) < 0.1, -1, rng.integers(3, size=n_rows)).astype(np.int32)
    columns = [
        Column(Feature("number"), number),
        Column(Feature("colour", ("red", "green", "blue", "never")), colour),
        Column(Feature("constant"), np.full(n_rows, 7.0)),
    ]
    labels = np.where((np.nan_to_num(number) > 0) ^ (colour == 1), "yes", "no")
    return Table(columns), labels


def teacher_of(table, labels, weights=None):
    return resolve_teacher(sl.CMMClassifier(random_state=0), table, labels, weights)


def cells(table):
    return [column.values.tolist() for column in table.columns]


@pytest.fixture
def teacher():
    return teacher_of(*mixed_table())


def test_swapped_cells_come_from_their_own_columns(teacher):
    rows = ArtificialRows(teacher, 1).swapped(2_000, 0.2)
    assert rows.schema == teacher.table.schema
    for made, seen in zip(rows.columns, teacher.table.columns, strict=True):
        assert set(made.values[~made.is_missing]) <= set(seen.values)
        assert made.is_missing.mean() == pytest.approx(seen.is_missing.mean(), abs=0.05)


def test_without_replacement_rows_are_copies(teacher):
    rows = ArtificialRows(teacher, 1).swapped(300, 0.0)
    seen = {tuple(row.values()) for row in (teacher.table[i] for i in range(teacher.table.n_rows))}
    assert {tuple(row.values()) for row in (rows[i] for i in range(rows.n_rows))} <= seen


@pytest.mark.parametrize("replace", [0.2, 1.0])
def test_the_share_of_replaced_cells_is_the_probability(replace):
    n_rows = 1_000
    table = Table.from_any(np.arange(2.0 * n_rows).reshape(n_rows, 2))
    rows = ArtificialRows(teacher_of(table, np.arange(n_rows) % 2), 1).swapped(20_000, replace)
    first, second = (column.values for column in rows.columns)
    from_two_rows = (second != first + 1).mean()
    assert from_two_rows == pytest.approx(1 - (1 - replace) ** 2, abs=0.015)


def test_jittered_numbers_are_observed_ones_about_as_far_away_as_the_noise_says():
    values = np.linspace(-3, 3, 2_001)
    table = Table.from_any(values[:, None])
    rows = ArtificialRows(teacher_of(table, values > 0), 1).jittered(20_000, 0.2, 0.2)
    made = rows["x0"].values
    assert set(made) <= set(values)
    # Jitter adds its variance, as far as the range of the values allows.
    assert made.std() == pytest.approx(values.std() * np.sqrt(1.04), rel=0.03)


def test_jitter_keeps_missing_numbers_and_constants(teacher):
    rows = ArtificialRows(teacher, 1).jittered(4_000, 0.2, 0.2)
    assert np.isnan(rows["number"].values).mean() == pytest.approx(
        np.isnan(teacher.table["number"].values).mean(), abs=0.03
    )
    assert set(rows["constant"].values) == {7.0}
    assert set(rows["colour"].values) == {-1, 0, 1, 2}


@pytest.mark.parametrize("kind", ["jittered", "swapped", "cmm_rows"])
def test_threads_do_not_change_the_rows(teacher, kind):
    def made(n_threads):
        near = ArtificialRows(teacher, 5, n_threads)
        options = {"jittered": (0.2, 0.2), "swapped": (0.2,), "cmm_rows": ()}[kind]
        return cells(getattr(near, kind)(1_500, *options))

    assert repr(made(1)) == repr(made(4))


@pytest.mark.parametrize("kind", ["jittered", "swapped", "cmm_rows"])
def test_weights_count_rows_and_order_means_nothing(kind):
    table, labels = mixed_table()
    weights = np.arange(50) % 3
    repeated = np.repeat(np.arange(50), weights)
    order = np.random.default_rng(0).permutation(len(repeated))
    options = {"jittered": (0.2, 0.2), "swapped": (0.2,), "cmm_rows": ()}[kind]
    weighted, plain = (
        getattr(ArtificialRows(teacher, 3), kind)(500, *options)
        for teacher in (
            teacher_of(table, labels, weights),
            teacher_of(table[repeated[order]], labels[repeated[order]]),
        )
    )
    assert repr(cells(weighted)) == repr(cells(plain))


@given(seed=st.integers(0, 1000))
def test_rows_of_leaves_reach_leaves_with_training_rows(seed):
    teacher = teacher_of(*mixed_table(seed=seed))
    rows = ArtificialRows(teacher, seed).cmm_rows(200)
    observed = teacher.table["number"].values
    made = rows["number"].values
    assert np.nanmin(made) >= np.nanmin(observed)
    assert np.nanmax(made) <= np.nanmax(observed)
    for index, tree in enumerate(teacher.ensemble.trees):
        # The trees take turns.
        own = rows[np.arange(index, 200, teacher.ensemble.n_trees)]
        if any(column.is_missing.any() for column in own.columns):
            known = np.flatnonzero(~np.any([column.is_missing for column in own.columns], axis=0))
            own = own[known]
        if own.n_rows:
            assert (tree.core.weight[tree.apply(own)] > 0).all()


def test_leaves_are_drawn_by_their_weight_and_filled_evenly():
    # One test, 30 rows below it and 10 above.
    X = np.concatenate([np.linspace(0, 1, 30), np.linspace(3, 4, 10)])[:, None]
    tree = sl.C45Classifier().fit(X, X[:, 0] > 2)
    teacher = resolve_teacher(sl.CMMClassifier(tree), X, None)
    made = ArtificialRows(teacher, 0).cmm_rows(20_000)["x0"].values
    threshold = tree.tree_.core.threshold[0]
    below = made <= threshold
    assert below.mean() == pytest.approx(0.75, abs=0.01)
    assert made[below].mean() == pytest.approx((0 + threshold) / 2, abs=0.02)
    assert made[~below].mean() == pytest.approx((threshold + 4) / 2, abs=0.05)


@pytest.mark.parametrize(("quota", "rounded"), [("floor", np.floor), ("nearest", np.rint)])
def test_leaves_get_their_quota_of_rows(quota, rounded):
    X = np.arange(30.0)[:, None]
    trees = sl.BaggedTreesClassifier(n_trees=3, random_state=0).fit(X, X[:, 0] // 10)
    made = ArtificialRows(resolve_teacher(sl.CMMClassifier(trees), X, None), 0).cmm_rows(100, quota)
    first = 0
    for tree in trees.ensemble_.trees:
        weight = np.where(tree.core.test == LEAF, tree.core.weight, 0)
        expected = rounded(weight / weight.sum() * 100 / 3).astype(int)
        own = made[np.arange(first, first + expected.sum())]
        assert np.bincount(tree.apply(own), minlength=len(expected)).tolist() == expected.tolist()
        first += expected.sum()
    assert made.n_rows == first


def test_a_leaf_beyond_everything_observed_still_gets_rows_of_its_own():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    tree = sl.C45Classifier(min_leaf=1).fit(X, [0, 0, 1, 1])
    narrow = resolve_teacher(sl.CMMClassifier(tree), [[0.0], [0.5]], None)
    made = ArtificialRows(narrow, 0).cmm_rows(1_000)
    assert (tree.predict(made) == 1).mean() == pytest.approx(0.5, abs=0.05)


def test_no_rows_are_an_empty_table(teacher):
    assert ArtificialRows(teacher, 0).swapped(0, 0.2).n_rows == 0


def test_native_source_refuses_what_does_not_fit():
    table = Table.from_any([[1.0], [2.0]])
    with pytest.raises(ValueError, match="the order must name every row"):
        _core.RowSource(table.native(), np.zeros(1, dtype=np.uint32))
    with pytest.raises(ValueError, match="names a row that does not exist"):
        _core.RowSource(table.native(), np.array([0, 2], dtype=np.uint32))


@pytest.mark.parametrize("draw", ["jittered", "swapped"])
def test_blocks_without_needless_numbers_hold_the_rows_of_one_call(teacher, draw):
    made = ArtificialRows(teacher, 1)
    how = (0.2, 0.2) if draw == "jittered" else (0.2,)
    whole = getattr(made, draw)(300, *how)
    needed = np.array([0, 1, 1], dtype=np.uint8)
    for first, n_rows in ((0, 100), (100, 200)):
        block = getattr(made, draw)(n_rows, *how, first_row=first, needed=needed)
        assert cells(block)[1:] == cells(whole[first : first + n_rows])[1:]
        assert cells(block)[0] == [0.0] * n_rows


def test_one_mark_per_column_says_whether_it_is_needed(teacher):
    with pytest.raises(ValueError, match="one mark per column"):
        ArtificialRows(teacher, 1).swapped(3, 0.2, needed=np.ones(2, dtype=np.uint8))


def test_a_value_that_most_rows_share_mostly_stays():
    values = np.where(np.arange(2_000) % 10 < 8, 0.0, np.linspace(0, 1, 2_000))
    table = Table.from_any(np.column_stack([values, np.arange(2_000.0)]))
    made = ArtificialRows(teacher_of(table, np.arange(2_000) % 2), 1).jittered(20_000, 0.2, 0.2)["x0"].values
    # 80% of the zeros stay, and half of the rest move below 0, where nothing but 0 was observed.
    assert (made == 0).mean() == pytest.approx(0.9 * (values == 0).mean(), abs=0.02)


def test_leaves_of_trees_without_weights_count_the_same():
    schema = schema_of([0])
    table = Table([Column(schema.features[0], np.linspace(0, 1, 20))])

    def made(weight):
        root = at_most(0, 0.25, leaf(1, 0, weight=weight), leaf(0, 1, weight=weight))
        source = _core.RowSource(table.native(), np.arange(20, dtype=np.uint32))
        return source.cmm_rows(combined([core_tree(root, schema)]), 2000, 0).cells(0)

    np.testing.assert_array_equal(made(0.0), made(1.0))
    assert (made(0.0) <= 0.25).mean() == pytest.approx(0.5, abs=0.05)


def test_rows_of_weight_zero_are_as_if_they_were_not_there():
    table, _ = mixed_table()
    weights = np.where(np.arange(50) % 3 == 0, 0.0, 1.0)
    used = np.flatnonzero(weights)

    def made(rows, weights):
        source = _core.RowSource(rows.native(), np.arange(rows.n_rows, dtype=np.uint32), weights)
        drawn = source.jittered(300, 0.3, 0.2, 0)
        return [drawn.cells(index).tolist() for index in range(3)]

    assert repr(made(table, weights)) == repr(made(table[used], np.ones(len(used))))


def test_a_leaf_that_only_missing_values_reach_gets_missing_values():
    schema = schema_of([2, 0])
    columns = [np.array([0, 1, -1], dtype=np.int32), np.full(3, np.nan)]
    table = Table([Column(feature, own) for feature, own in zip(schema.features, columns, strict=True)])
    # No value is in the empty set, so that branch 0 is of missing values; f1 was never observed.
    root = one_of(
        0, [], leaf(1, 0), at_most(1, 2.5, leaf(0.5, 0.5, weight=0.0), leaf(0, 1)), shares=[1.0, 0.0]
    )
    source = _core.RowSource(table.native(), np.arange(3, dtype=np.uint32))
    made = source.cmm_rows(combined([core_tree(root, schema)]), 1000, 0)
    category, number = made.cells(0), made.cells(1)
    assert (category == -1).mean() == pytest.approx(0.5, abs=0.05)
    # The leaf of known values lies above 2.5, next to which nothing observed says where.
    assert (number[category >= 0] == np.nextafter(2.5, 3)).all()
    assert np.isnan(number[category < 0]).all()
