"""What all estimators share: methods of the model, parameter constraints."""

import inspect

import pytest
from sklearn.base import BaseEstimator

import sightline as sl

ESTIMATORS = [
    noun
    for noun in (getattr(sl, name) for name in sl.__all__)
    if inspect.isclass(noun) and issubclass(noun, BaseEstimator)
]
X, Y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]


@pytest.mark.parametrize("method", ["to_text", "plot", "export"])
def test_methods_have_the_signature_and_docstring_of_the_model(method):
    for estimator, model in ((sl.C45Classifier, sl.Tree), (sl.RuleSetClassifier, sl.RuleSet)):
        own, models = getattr(estimator, method), getattr(model, method)
        assert inspect.signature(own) == inspect.signature(models)
        assert inspect.getdoc(own) == inspect.getdoc(models)


def test_a_method_of_its_own_stays():
    assert list(inspect.signature(sl.MetaKNNClassifier.explain).parameters) == [
        "self",
        "rows",
        "n",
        "include_itself",
        "ids",
    ]
    assert "ensemble predicts" in inspect.getdoc(sl.ISMClassifier.explain)


def test_options_reach_the_model():
    fitted = sl.C45Classifier().fit(X, Y)
    assert fitted.to_text(style="weka") == fitted.tree_.to_text(style="weka") != fitted.to_text()


def test_weights_must_be_numbers():
    with pytest.raises(sl.DataError, match=r"^sample_weight must hold one number per row\.$"):
        sl.C45Classifier().fit(X, Y, sample_weight=["much"] * 4)


def test_notebooks_show_the_diagram_of_scikit_learn_before_fit():
    assert "C45Classifier" in sl.C45Classifier()._repr_html_inner()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: estimator.__name__)
def test_shared_parameters_have_the_same_constraints_everywhere(estimator):
    parameters = inspect.signature(estimator).parameters
    if "n_jobs" in parameters:
        with pytest.raises(sl.ParameterError, match=r"^The 'n_jobs' parameter of \w+ must be an instance of"):
            estimator(n_jobs="all").fit(X, Y)
    if "categorical_features" in parameters:
        with pytest.raises(sl.ParameterError, match=r"^The 'categorical_features' parameter of \w+ must be"):
            estimator(categorical_features=1.5).fit(X, Y)
