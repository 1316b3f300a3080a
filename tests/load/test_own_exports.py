"""What our own exports write reads back as the same function."""

import random

import numpy as np
import pandas as pd
import pytest
from export.boundary_rows import boundary_rows
from strategies import node_list, random_node, random_schema, tree_of

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
