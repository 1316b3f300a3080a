import subprocess
import sys

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.neighbors import KNeighborsClassifier
from source_tests import assert_same_answers

from sightline.exceptions import ParameterError, UnsupportedModelError
from sightline.load import Importer, _registry, load, register


def test_unknown_type_is_named():
    with pytest.raises(UnsupportedModelError) as caught:
        load(KNeighborsClassifier())
    assert str(caught.value) == (
        "Cannot load a model of type sklearn.neighbors._classification.KNeighborsClassifier. "
        "Supported: tree models of CatBoost, LightGBM, scikit-learn, sightline, XGBoost. "
        "sl.BlackBox(model) can still be distilled."
    )


@pytest.mark.parametrize("model", [None, 3, b"model"], ids=repr)
def test_what_is_no_model(model):
    with pytest.raises(UnsupportedModelError, match=r"^Cannot load a model of type builtins"):
        load(model)


def test_a_class_is_not_a_fitted_model():
    with pytest.raises(UnsupportedModelError) as caught:
        load(RandomForestClassifier)
    assert str(caught.value) == (
        "RandomForestClassifier is a class. Pass a fitted model: RandomForestClassifier(…).fit(X, y)."
    )


class RenamedForest(RandomForestClassifier):
    def fit(self, X, y):
        return super().fit(X, y)


class ContraryForest(RandomForestClassifier):
    def predict(self, X):
        return self.classes_[::-1][super().predict(X)]


def test_subclass_that_predicts_alike_is_read(problem):
    model = RenamedForest(3, max_depth=4, random_state=0).fit(problem.X, problem.labels([0, 1]))
    assert_same_answers(model, problem.rows)


def test_subclass_that_predicts_otherwise_is_declined(problem):
    model = ContraryForest(3, random_state=0).fit(problem.X, problem.labels([0, 1]))
    with pytest.raises(
        UnsupportedModelError, match=r"Cannot load a model of type .*ContraryForest\. Supported: "
    ):
        load(model)


def test_object_with_its_own_predict_is_declined(problem):
    model = RandomForestClassifier(3, random_state=0).fit(problem.X, problem.labels([0, 1]))
    model.predict = lambda X: np.zeros(len(X))
    with pytest.raises(UnsupportedModelError, match=r"the object has its own 'predict', so its trees do not"):
        load(model)


def test_registered_importers_are_asked_in_order(monkeypatch):
    monkeypatch.setattr(_registry, "_IMPORTERS", [])

    class Everything(Importer):
        library, class_names = "builtins", frozenset({"int"})

        def read(self, model):
            return ("first", model)

    class Later(Everything):
        def read(self, model):
            return ("second", model)

    register(Everything)
    register(Later)
    assert load(3) == ("first", 3)


def test_importing_brings_no_optional_library():
    check = (
        "import sys, sightline.load;"
        "sys.exit(any(name in sys.modules for name in ('xgboost', 'lightgbm', 'catboost', 'treelite')))"
    )
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


@pytest.mark.parametrize(
    ("categories", "sentence"),
    [
        (
            ["a", "b"],
            "The 'categories' parameter of load must be a dict from features to lists of values, or a "
            "table. Got ['a', 'b'] instead.",
        ),
        ({"c": "ab"}, "The 'categories' parameter of load must hold lists. Got 'ab' for 'c' instead."),
        ({"c": 5}, "The 'categories' parameter of load must hold lists. Got 5 for 'c' instead."),
    ],
)
def test_categories_that_are_no_lists(categories, sentence):
    with pytest.raises(ParameterError) as caught:
        load(RandomForestClassifier(), categories=categories)
    assert str(caught.value) == sentence


def test_an_importer_that_reads_nothing_is_refused():
    class Empty(Importer):
        library = "builtins"
        class_names = frozenset({"list"})

    with pytest.raises(ParameterError, match=r"^Empty must define read or read_with\.$"):
        register(Empty)


def test_read_needs_no_options(problem):
    model = FrozenEstimator(RandomForestClassifier(2, random_state=0).fit(problem.X, problem.labels([0, 1])))
    found = _registry.find_importer(model).read(model).predict(problem.rows)
    np.testing.assert_array_equal(found, load(model).predict(problem.rows))
