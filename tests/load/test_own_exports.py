"""What our own exports write reads back as the same function."""

import random

import numpy as np
import pandas as pd
import pytest
from export.boundary_rows import boundary_rows
from export.hostile_trees import hostile_rows_of, hostile_tree_of_numbers
from strategies import node_list, random_node, random_schema, tree_of

import sightline as sl
from sightline.load import load
from sightline.model import THRESHOLD

KINDS = ["onnx", "pmml"]


def whole_tree(seed):
    """Return a random tree that sends rows with missing values one way, and rows at its thresholds."""
    rng = random.Random(seed)
    schema = random_schema(rng)
    root = random_node(rng, schema, rng.randint(2, 3), 5)
    for node in node_list(root):
        if node.children:
            best = node.shares.index(max(node.shares))
            node.shares = [float(branch == best) for branch in range(len(node.children))]
    tests = [(node.feature, node.threshold) for node in node_list(root) if node.test == THRESHOLD]
    return tree_of(root, schema), boundary_rows(rng, schema, tests)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(12))
def test_trees(kind, seed, tmp_path):
    tree, rows = whole_tree(seed)
    path = tmp_path / f"tree.{kind}"
    tree.export(kind, path)
    ensemble = load(path)
    frame = pd.DataFrame(rows, columns=tree.feature_names, dtype=object)
    used = frame[[name for name in tree.feature_names if name in ensemble.feature_names]]
    if used.empty:
        assert ensemble.n_nodes == 1  # a PMML document only lists the columns that are tested
        return
    assert ensemble.predict(used).tolist() == tree.predict(frame).tolist()
    if kind != "pmml" or "ScoreDistribution" in path.read_text():
        np.testing.assert_array_equal(ensemble.predict_proba(used), tree.predict_proba(frame))


@pytest.mark.parametrize("kind", [*KINDS, "json"])
@pytest.mark.parametrize(
    ("seed", "unseen"), [(0, "missing"), (2, "missing"), (3, "last"), (5, "last"), (21, "last")]
)
def test_trees_of_numbers(kind, seed, unseen, tmp_path):
    rng = random.Random(seed)
    hostile = hostile_tree_of_numbers(rng, has_lines=False, is_whole=True, unseen=unseen)
    tree, rows = hostile.tree(), hostile_rows_of(rng, hostile)
    path = tmp_path / f"tree.{kind}"
    tree.export(kind, path)
    if kind == "pmml" and unseen == "last":
        with pytest.raises(sl.UnsupportedModelError, match="is categorical without declared values"):
            load(path)
        return
    ensemble = load(path)
    frame = pd.DataFrame(rows, columns=tree.feature_names, dtype=object)
    used = frame[[name for name in tree.feature_names if name in ensemble.feature_names]]
    assert ensemble.predict(used).tolist() == [hostile.answer(row) for row in rows]


@pytest.mark.parametrize("kind", [*KINDS, "json"])
def test_lines_are_never_dropped(kind, tmp_path):
    tree = hostile_tree_of_numbers(random.Random(0), has_lines=True, is_whole=True).tree()
    path = tmp_path / f"tree.{kind}"
    tree.export(kind, path)
    with pytest.raises(sl.UnsupportedModelError):
        load(path)
    with pytest.raises(sl.UnsupportedModelError, match="An ensemble needs leaves"):
        load(tree)
    with pytest.raises(sl.UnsupportedModelError, match="An ensemble needs leaves"):
        sl.Ensemble.average([tree])
    if kind == "json":
        assert sl.read_model(path).to_json() == tree.to_json()
