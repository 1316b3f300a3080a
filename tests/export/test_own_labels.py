"""Exports of trees whose labels follow a threshold, not the largest probability."""

import numpy as np
import pytest
from export.elsewhere import RUNNERS
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from sightline.exceptions import UnsupportedModelError


@pytest.fixture(scope="module")
def cautious():
    """A tree that gives the rare class from a tenth on, and rows with missing values."""
    X, y = make_classification(1500, 6, weights=[0.95], flip_y=0.02, random_state=0)
    forest = RandomForestClassifier(30, min_samples_leaf=4, random_state=0).fit(X[:900], y[:900])
    options = {"threshold": 0.1, "objective": "both", "random_state": 0}
    tree = sl.DistilledTreeClassifier(forest, max_leaves=8, **options).fit(X[:900], y[:900]).tree_
    rows = np.where(np.random.default_rng(0).random((200, 6)) < 0.1, np.nan, X[900:1100])
    assert (tree.predict(rows) != tree.predict_proba(rows).argmax(axis=1)).any()
    return tree, rows


@pytest.mark.parametrize("run", RUNNERS)
def test_labels_and_probabilities_are_those_of_the_tree(run, cautious, tmp_path):
    tree, rows = cautious
    plain = [[None if np.isnan(value) else value for value in row] for row in rows.tolist()]
    labels, probabilities = run(tree, plain, tmp_path)
    assert [int(label) for label in labels] == tree.predict(rows).tolist()
    if probabilities is not None:
        assert np.array_equal(np.array(probabilities, dtype=float), tree.predict_proba(rows))


def test_trees_of_scikit_learn_have_no_labels_of_their_own(cautious):
    with pytest.raises(UnsupportedModelError, match="predict the most probable class"):
        cautious[0].export("sklearn")


def test_files_that_split_missing_values_are_refused(cautious, tmp_path):
    tree, _ = cautious
    text = tree.to_json()
    begin = text.index('"share"')
    path = tmp_path / "tree.json"
    path.write_text(text[:begin] + text[begin:].replace("1.0", "0.5", 1))
    with pytest.raises(sl.exceptions.ModelFormatError):
        sl.read_model(path)
