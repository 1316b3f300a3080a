"""Further passes that move thresholds and prune: against brute force, and the same for any parts."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import sightline as sl
from sightline.exceptions import DataError, ParameterError
from sightline.model import LEAF
from sightline.passes._refine import Refinement

COLUMNS = list("abc")


def people(n_rows=900, seed=1):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.normal(size=(n_rows, 3)), columns=COLUMNS)
    frame["job"] = pd.Categorical(random.choice(["cook", "baker", "none"], n_rows))
    frame["sum"] = frame["a"] + np.abs(frame["b"]) + (frame["job"] == "cook") + random.normal(0, 0.3, n_rows)
    frame["paid"] = np.where(frame["sum"] > 1, "yes", "no")
    frame["w"] = random.uniform(0.2, 3, n_rows)
    return frame


@pytest.fixture(scope="module")
def forest():
    frame = people(300, seed=9)
    return RandomForestClassifier(10, max_depth=6, random_state=0).fit(frame[COLUMNS], frame["paid"])


def cut(frame, n_parts):
    edges = np.linspace(0, len(frame), n_parts + 1).astype(int)
    return [frame.iloc[low:high] for low, high in itertools.pairwise(edges)]


def rows_of(frame, n_parts=1, **options):
    return sl.Rows(cut(frame[[*COLUMNS, "paid"]], n_parts), "paid", sample_size=80, **options)


# Brute force


def slow_loss(refinement, tree, table, answers):
    """The loss of a tree: row by row, from its own leaf and output."""
    total = 0.0
    for row, leaf in enumerate(tree.apply(table)):
        wrong = int(np.argmax(tree.core.output[leaf])) != answers[0][row]
        distance = ((answers[1][row] - tree.node_probabilities[leaf]) ** 2).sum()
        total += refinement.loss.label * wrong + refinement.loss.target * distance
    return total


def changes_of(refinement, node):
    """Everything that may happen to a node: nothing, to become a leaf, or another threshold."""
    tree = refinement.tree
    yield tree
    if tree.core.test[node] != LEAF:
        yield tree.with_leaves([node])
    for threshold in refinement.candidates.get(node, ()):
        thresholds = np.array(tree.core.threshold)
        thresholds[node] = threshold
        yield tree.with_thresholds(thresholds)


def test_the_best_changes_are_those_of_brute_force(forest):
    frame = people(250)
    fitted = sl.DistilledTreeClassifier(forest, max_leaves=5, augment=0, random_state=0)
    fitted.fit(frame[COLUMNS].iloc[:60], frame["paid"].iloc[:60])
    table = sl.Table.from_any(frame[COLUMNS])
    answers = fitted.ensemble_.answers(table)
    refinement = fitted._refinement()
    cuts = [cuts[::4] for cuts in refinement.cuts]
    refinement = Refinement(refinement.tree, cuts, refinement.loss)
    before = slow_loss(refinement, refinement.tree, table, answers)
    gain = {
        node: max(
            before - slow_loss(refinement, changed, table, answers)
            for changed in changes_of(refinement, node)
        )
        for node in range(refinement.tree.n_nodes)
    }

    def best_below(node):
        children = refinement.tree.children(node).tolist()
        return max(gain[node], sum(best_below(child) for child in children))

    improved = refinement.improved(refinement.counts(table, answers, None))
    after = slow_loss(refinement, improved, table, answers)
    assert before - after == pytest.approx(best_below(0), abs=1e-9)
    assert before - after > 1


def test_nothing_changes_once_no_change_helps(forest):
    frame = people(300)
    fitted = sl.DistilledTreeClassifier(forest, max_leaves=6, random_state=0)
    fitted.fit(frame[COLUMNS].iloc[:60], frame["paid"].iloc[:60])
    table = sl.Table.from_any(frame[COLUMNS])
    answers, refinement = fitted.ensemble_.answers(table), fitted._refinement()
    losses = []
    for _ in range(30):
        counts = refinement.counts(table, answers, None)
        losses.append(slow_loss(refinement, refinement.tree, table, answers))
        improved = refinement.improved(counts)
        if improved is refinement.tree:
            break
        refinement = replace(refinement, tree=improved)
    assert improved is refinement.tree
    assert losses == sorted(losses, reverse=True)
    assert len(losses) > 2


def test_leaves_keep_enough_rows(forest):
    frame = people(600)
    fitted = sl.DistilledTreeClassifier(forest, max_leaves=8, min_leaf=0.08, augment=0, random_state=0)
    fitted.fit(frame[COLUMNS].iloc[:150], frame["paid"].iloc[:150])
    table = sl.Table.from_any(frame[COLUMNS])
    answers, refinement = fitted.ensemble_.answers(table), fitted._refinement()

    def support(tree):
        return np.bincount(tree.apply(table), minlength=tree.n_nodes)[tree.core.test == LEAF].min()

    improved = refinement.improved(refinement.counts(table, answers, None))
    assert improved is not refinement.tree
    assert support(improved) >= min(support(refinement.tree), 0.08 * 600)


# Over rows in parts


@pytest.mark.parametrize("weights", [None, "w"])
def test_the_refined_tree_does_not_depend_on_the_parts(forest, weights):
    frame = people()
    frame.loc[::9, "a"] = np.nan
    names = [*COLUMNS, "paid", *([weights] if weights else [])]
    found = []
    for n_parts in (1, 7):
        rows = sl.Rows(cut(frame[names], n_parts), "paid", weights, sample_size=80, seed=2, refine_passes=3)
        tree = sl.DistilledTreeClassifier(forest, max_leaves=8, random_state=0).fit(rows)
        counts = {name: counts.tolist() for name, counts in tree.tally_.counts.items()}
        found.append((tree.to_json(), counts))
    assert found[0] == found[1]
    unrefined = sl.Rows(frame[names], "paid", weights, sample_size=80, seed=2)
    tree = sl.DistilledTreeClassifier(forest, max_leaves=8, random_state=0).fit(unrefined)
    assert tree.to_json() != found[0][0]


def test_weighted_rows_that_refine_do_not_judge(forest):
    frame = people()
    weights = frame["w"].to_numpy()
    rows = sl.Rows(cut(frame[[*COLUMNS, "paid", "w"]], 3), "paid", "w", sample_size=80, refine_passes=2)
    tree = sl.DistilledTreeClassifier(forest, max_leaves=8, random_state=0).fit(rows)
    judged = rows.judges.among(0, 900, rows.drawn(), weights)
    n_positive, n_judged = int((weights > 0).sum()), int(judged.sum())
    assert n_judged == (900 - 80) // 2
    assert (tree.tally_.n_sampled, tree.tally_.n_judged) == (n_positive - n_judged, n_judged)
    found = sl.measure(tree, frame[COLUMNS][judged], frame["paid"][judged], sample_weight=weights[judged])
    assert tree.tally_.fidelity.to_json() == pytest.approx(found.fidelity.overall.to_json(), rel=1e-9)


def test_rows_that_refine_do_not_judge(forest):
    frame = people()
    rows = rows_of(frame, 3, refine_passes=2)
    tree = sl.DistilledTreeClassifier(forest, max_leaves=8, random_state=0).fit(rows)
    judged = np.flatnonzero(rows.judges.among(0, 900, rows.drawn()))
    assert 350 < len(judged) < 470
    assert not set(judged) & set(rows.drawn().positions)
    assert (tree.tally_.n_sampled, tree.tally_.n_judged) == (900 - len(judged), len(judged))
    X, y = frame[COLUMNS].iloc[judged], frame["paid"].iloc[judged]
    assert tree.tally_.fidelity.value == sl.measure(tree, X, y).fidelity.overall.value
    page = sl.report(tree, rows, sizes=())
    assert page.metrics["rows"] == len(judged)


def test_numbers_are_refined_too():
    frame = people()
    model = RandomForestRegressor(10, max_depth=6, random_state=0).fit(
        frame[COLUMNS][:300], frame["sum"][:300]
    )
    gaps = []
    for passes in (0, 3):
        rows = sl.Rows(frame[[*COLUMNS, "sum"]], "sum", sample_size=80, refine_passes=passes)
        tree = sl.DistilledTreeRegressor(model, max_leaves=8, random_state=0).fit(rows)
        gaps.append(tree.predict(frame[COLUMNS]) - model.predict(frame[COLUMNS]))
    refining = ~rows.judges.among(0, 900, rows.drawn())
    before, after = ((gap[refining] ** 2).sum() for gap in gaps)
    assert after < before


def test_a_checkpoint_keeps_refining_passes(forest, tmp_path):
    frame = people()[[*COLUMNS, "paid"]]
    for index, part in enumerate(cut(frame, 2)):
        part.to_parquet(tmp_path / f"{index}.parquet", index=False)
    found = []
    for _ in range(2):
        rows = sl.Rows(
            str(tmp_path / "*.parquet"), "paid", sample_size=80, refine_passes=1, checkpoint=tmp_path / "kept"
        )
        found.append(sl.DistilledTreeClassifier(forest, max_leaves=6, random_state=0).fit(rows).to_json())
    assert found[0] == found[1]
    assert len(list((tmp_path / "kept").iterdir())) == 6


def test_what_cannot_be_refined_is_refused(forest):
    frame = people(200)
    with pytest.raises(DataError, match=r"^refine_passes works for distilled trees, not for C45Classifier\."):
        sl.C45Classifier().fit(rows_of(frame, refine_passes=1))
    tree = sl.DistilledTreeClassifier(forest, max_leaves=4, monotone={"a": 1})
    with pytest.raises(ParameterError, match=r"^refine_passes does not work with monotone, cost_matrix or"):
        tree.fit(rows_of(frame, refine_passes=1))
    with pytest.raises(ParameterError, match=r"^The 'refine_passes' parameter of Rows must be an int of at"):
        rows_of(frame, refine_passes=-1)


def test_a_tree_keeps_its_outputs_where_it_is_cut(forest):
    frame = people(300)
    tree = sl.DistilledTreeClassifier(forest, max_leaves=6, random_state=0)
    tree = tree.fit(frame[COLUMNS], frame["paid"]).tree_
    node = int(tree.children(0)[np.argmax(tree.core.test[tree.children(0)])])
    made = tree.with_leaves([node])
    assert made.size_["leaves"] < tree.size_["leaves"]
    outputs = tree.outputs(frame[COLUMNS])
    below = tree.core.passing(sl.Table.from_any(frame[COLUMNS]).native())[:, 0]
    assert (made.outputs(frame[COLUMNS]) != outputs).any(axis=1).sum() <= below[node]
    assert made.core.weight[0] == tree.core.weight[0]
