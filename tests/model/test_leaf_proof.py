import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from sightline.model import LEAF, Status, leaf_agreement


def steps_to(tree, leaf):
    parent = {
        int(child): (node, branch)
        for node in range(tree.n_nodes)
        for branch, child in enumerate(tree.children(node))
    }
    steps = []
    while leaf:
        steps.append(parent[leaf])
        leaf = steps[-1][0]
    return steps[::-1]


@pytest.mark.parametrize("missing", [True, False])
def test_leaves_are_judged_as_certify_does(missing):
    X, y = load_iris(return_X_y=True)
    forest = sl.load(RandomForestClassifier(6, max_depth=3, random_state=0).fit(X, y))
    tree = sl.ISMClassifier(forest, max_leaves=5).fit(X).tree_
    status = sl.certify(tree, forest, missing=missing).leaf_status
    names = tuple(tree.feature_names) if missing else ()
    for leaf in np.flatnonzero(tree.core.test == LEAF).tolist():
        found = leaf_agreement(tree, forest, steps_to(tree, leaf), names)
        assert found is status[leaf]


def test_a_leaf_that_no_row_reaches_is_proved():
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    tree = sl.C45Classifier().fit(X, y).tree_
    wrong = sl.Ensemble.average([sl.C45Classifier().fit(X, [1, 1, 0, 0]).tree_])
    assert leaf_agreement(tree, wrong, [(0, 0)]) is Status.REFUTED
    assert leaf_agreement(tree, wrong, [(0, 0), (0, 1)]) is Status.PROVED
