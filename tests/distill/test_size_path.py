from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError

import sightline as sl

X, Y = make_classification(700, 6, n_informative=4, random_state=0)
FOREST = RandomForestClassifier(10, random_state=0).fit(X[:300], Y[:300])
METHODS = [sl.DistilledTreeClassifier, sl.CMMClassifier, sl.ISMClassifier]


@pytest.mark.parametrize("method", METHODS)
def test_another_size_is_what_fitting_with_it_gives(method):
    model = method(FOREST, max_leaves=20, random_state=0).fit(X[:300], Y[:300])
    before = model.to_json()
    for n_leaves in (1, 3, 9):
        fitted = method(FOREST, max_leaves=n_leaves, random_state=0).fit(X[:300], Y[:300])
        assert model.resized(n_leaves).to_json() == fitted.to_json()
    assert model.to_json() == before
    assert model.max_leaves == 20


def test_sizes_of_growth_alone_are_nested():
    model = sl.DistilledTreeClassifier(FOREST, refine=False, random_state=0).fit(X[:300])
    leaves = [model.resized(n).tree_.apply(X) for n in (3, 5, 9, 17)]
    for coarse, fine in pairwise(leaves):
        # Rows that share a leaf of the larger tree share one of the smaller.
        pairs = set(zip(fine.tolist(), coarse.tolist(), strict=True))
        assert len(pairs) == len(set(fine.tolist()))


@pytest.mark.parametrize("method", METHODS)
def test_the_curve_measures_the_resized_trees(method):
    model = method(FOREST, random_state=0).fit(X[:300], Y[:300])
    curve = model.fidelity_curve(X[300:], Y[300:], sizes=[2, 8, 4])
    ensemble_labels = FOREST.predict(X[300:])
    for i, n_leaves in enumerate(curve.sizes):
        answers = model.resized(int(n_leaves)).predict(X[300:])
        assert curve.fidelity[i] == (answers == ensemble_labels).mean()
        assert curve.accuracy[i] == (answers == Y[300:]).mean()
    assert curve.ensemble_accuracy == (ensemble_labels == Y[300:]).mean()
    assert curve.n_rows == 400
    assert (np.diff(curve.sizes) > 0).all()


def test_without_labels_there_is_no_accuracy():
    model = sl.DistilledTreeClassifier(FOREST, random_state=0).fit(X[:300])
    curve = model.fidelity_curve(X[300:])
    assert curve.accuracy is None
    assert curve.ensemble_accuracy is None
    assert curve.sizes[0] == 2


@pytest.mark.parametrize("size", [0, 2.5, True, "8"])
def test_sizes_that_are_none(size):
    model = sl.CMMClassifier(FOREST, random_state=0).fit(X[:300])
    with pytest.raises(sl.ParameterError) as caught:
        model.resized(size)
    assert str(caught.value) == (
        f"The number of leaves of CMMClassifier must be an int of at least 1. Got {size!r} instead."
    )


def test_a_curve_needs_a_size():
    model = sl.CMMClassifier(FOREST, random_state=0).fit(X[:300])
    with pytest.raises(sl.ParameterError) as caught:
        model.fidelity_curve(X, sizes=[])
    assert str(caught.value) == "The 'sizes' parameter of CMMClassifier.fidelity_curve must not be empty."


def test_only_a_fitted_model_has_other_sizes():
    with pytest.raises(NotFittedError):
        sl.DistilledTreeClassifier().resized(3)
