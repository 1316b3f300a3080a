"""Every classifier refuses a target of numbers, at once and with the name of a regressor."""

import inspect
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.base import ClassifierMixin
from sklearn.ensemble import RandomForestClassifier

import sightline as sl

CLASSIFIERS = [
    noun
    for noun in (getattr(sl, name) for name in sl.__all__)
    if inspect.isclass(noun) and issubclass(noun, ClassifierMixin)
]
N_ROWS = 20_000
X = np.random.default_rng(0).normal(size=(N_ROWS, 3))

NUMBERS = {
    "whole numbers": (np.arange(N_ROWS) % 3842, "y has 3,842 different values in 20,000 rows"),
    "whole numbers as floats": ((np.arange(N_ROWS) % 3842).astype(float), "y has 3,842 different values"),
    "a series": (pd.Series(np.arange(N_ROWS) % 3842), "y has 3,842 different values"),
    "a list": ((np.arange(N_ROWS) % 3842).tolist(), "y has 3,842 different values"),
    "fractions": (X[:, 0], "Unknown label type: continuous"),
    "a few fractions": (np.arange(N_ROWS) % 5 + 0.25, "Unknown label type: continuous"),
    "a list of fractions": (X[:, 0].tolist(), "Unknown label type: continuous"),
}


@pytest.mark.parametrize("case", NUMBERS)
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda classifier: classifier.__name__)
def test_a_target_of_numbers_is_refused_at_once_by_the_name_of_a_regressor(classifier, case):
    y, text = NUMBERS[case]
    start = time.process_time()
    with pytest.raises(sl.DataError) as caught:
        classifier().fit(X, y)
    assert time.process_time() - start < 0.5
    assert str(caught.value).startswith(text)
    assert "To predict numbers use a regressor, such as DistilledTreeRegressor" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_fitted_ensemble_does_not_open_the_door():
    forest = RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, X[:, 0] > 0)
    for classifier in (sl.DistilledTreeClassifier, sl.ISMClassifier, sl.CMMClassifier, sl.RuleSetClassifier):
        with pytest.raises(sl.DataError, match="use a regressor, such as DistilledTreeRegressor"):
            classifier(forest).fit(X, np.arange(N_ROWS))


def test_names_of_rows_are_refused_as_such():
    with pytest.raises(sl.DataError, match=r"looks like a row ID\. Choose another target\."):
        sl.C45Classifier().fit(X, [f"row {row}" for row in range(N_ROWS)])


def test_only_the_values_that_occur_count():
    town = pd.Categorical(["Ulm", "Bonn"] * 50, categories=["Ulm", "Bonn", *map(str, range(500))])
    assert len(sl.C45Classifier().fit(X[:100], town).classes_) == 502


def test_many_classes_with_enough_rows_each_are_classes():
    few_leaves = sl.C45Classifier(max_leaves=2)
    assert len(few_leaves.fit(X, np.arange(N_ROWS) % 1000).classes_) == 1000
    assert len(few_leaves.fit(X[:200], np.arange(200)).classes_) == 200
