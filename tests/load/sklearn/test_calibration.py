import numpy as np
import pytest
from library_versions import INTERPOLATES_EXACTLY, since
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, GradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from small_models import MODELS, TWO_CLASS_MODELS, assert_same_answers

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load import UnfittedModelError, load

pytestmark = pytest.mark.parametrize("problem", [0, 1], indirect=True)

scales_temperature = since("scikit-learn", "1.8")
METHODS = ["sigmoid", "isotonic", pytest.param("temperature", marks=scales_temperature)]


def calibrated(model, problem, labels, **options):
    fitted = clone(model).fit(problem.X, labels)
    return CalibratedClassifierCV(FrozenEstimator(fitted), **options).fit(problem.X, labels)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", TWO_CLASS_MODELS)
def test_two_classes(problem, name, method):
    labels = problem.labels([0, 1] if name == "xgboost" else ["no", "yes"])
    model = calibrated(TWO_CLASS_MODELS[name], problem, labels, method=method)
    if (name, method) == ("xgboost", "temperature"):
        with pytest.raises(UnsupportedModelError) as caught:
            load(model)
        assert str(caught.value) == (
            "CalibratedClassifierCV: temperature scaling of probabilities in single precision, as XGBoost "
            "gives them. sl.BlackBox takes any model."
        )
        return
    assert_same_answers(model, problem.X)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", MODELS)
def test_three_classes(problem, name, method):
    labels = problem.labels([0, 1, 2] if name == "xgboost" else [7, 1, 4])
    model = calibrated(MODELS[name], problem, labels, method=method)
    if method == "temperature" and (name == "xgboost" or hasattr(model.estimator, "decision_function")):
        with pytest.raises(UnsupportedModelError, match=r"^CalibratedClassifierCV: temperature scaling of"):
            load(model)
        return
    if (name, method) == ("xgboost", "isotonic") and not INTERPOLATES_EXACTLY:
        assert_same_answers(model, problem.X, exact=False, rtol=1e-6)
    else:
        assert_same_answers(model, problem.X, exact=name != "catboost")


@scales_temperature
def test_the_refused_temperature_says_why(problem):
    model = calibrated(MODELS["boosting"], problem, problem.labels([0, 1, 2]), method="temperature")
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value) == (
        "CalibratedClassifierCV: temperature scaling of several decision values. scikit-learn checks all "
        "rows of a call to decide whether they are probabilities. sl.BlackBox takes any model."
    )


@pytest.mark.parametrize("options", [{"cv": 3}, {"cv": 2, "ensemble": False}])
@pytest.mark.parametrize("name", ["forest", "histogram", "xgboost", "lightgbm"])
def test_folds_and_one_model_for_all(problem, name, options):
    for values in ([0, 1], [0, 1, 2]):
        labels = problem.labels(values)
        model = CalibratedClassifierCV(clone(MODELS[name]), method="isotonic", **options)
        is_exact = name != "xgboost" or INTERPOLATES_EXACTLY
        ensemble = assert_same_answers(model.fit(problem.X, labels), problem.X, exact=is_exact, rtol=1e-6)
        assert ensemble.link.kind == (
            "mixture" if options == {"cv": 3} else load(model.calibrated_classifiers_[0].estimator).link.kind
        )


@scales_temperature
@pytest.mark.parametrize("options", [{"cv": 2}, {"cv": 2, "ensemble": False}])
@pytest.mark.parametrize(
    ("name", "values"),
    [("forest", ["no", "yes"]), ("histogram", ["yes", "no"]), ("forest", ["no", "yes", "maybe"])],
)
def test_the_temperature_of_labels_that_are_text(problem, name, values, options):
    model = CalibratedClassifierCV(clone(MODELS[name]), method="temperature", **options)
    assert_same_answers(model.fit(problem.X, problem.labels(values)), problem.X)


def test_nothing_but_zeros_becomes_uniform(problem):
    labels = problem.labels([0, 1, 2])
    model = calibrated(MODELS["tree"], problem, labels, method="isotonic")
    for calibrator in model.calibrated_classifiers_[0].calibrators:
        calibrator.y_thresholds_ = np.zeros_like(calibrator.y_thresholds_)
        calibrator._build_f(calibrator.X_thresholds_, calibrator.y_thresholds_)
    ensemble = assert_same_answers(model, problem.X)
    assert (ensemble.predict_proba(problem.X) == 1 / 3).all()


def test_refusals(problem):
    with pytest.raises(UnfittedModelError, match="This CalibratedClassifierCV is not fitted"):
        load(CalibratedClassifierCV(MODELS["forest"]))
    model = CalibratedClassifierCV(LogisticRegression(), cv=2).fit(problem.X, problem.labels([0, 1]))
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value).startswith("CalibratedClassifierCV: LogisticRegression of fold 0: Cannot load a")
    model = calibrated(MODELS["forest"], problem, problem.labels([0, 1]))
    model.calibrated_classifiers_[0].method = "spline"
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value) == (
        "CalibratedClassifierCV: the method 'spline' is unknown. "
        "Supported: sigmoid, isotonic and temperature."
    )


def test_damaged_calibrations(problem):
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    y = problem.labels([0, 1])
    model = CalibratedClassifierCV(tree, cv=2).fit(problem.X, y)
    model.calibrated_classifiers_[0].calibrators[0].a_ = np.nan
    with pytest.raises(ModelFormatError, match=r"CalibratedClassifierCV: .* a number is not finite"):
        load(model)
    model = CalibratedClassifierCV(tree, cv=2).fit(problem.X, y)
    model.calibrated_classifiers_[0].estimator.classes_ = np.array([5, 7])
    with pytest.raises(
        ModelFormatError, match="CalibratedClassifierCV: a calibrated model has different classes"
    ):
        load(model)


def test_a_model_whose_decision_function_cannot_be_followed(problem):
    """One member of the bag does not know the third class."""
    boosted = GradientBoostingClassifier(n_estimators=2, random_state=0)
    y = problem.labels([0, 1, 2])
    bag = BaggingClassifier(boosted, n_estimators=2, random_state=0).fit(problem.X, y)
    model = CalibratedClassifierCV(FrozenEstimator(bag)).fit(problem.X, y)
    bag.estimators_[0] = clone(boosted).fit(problem.X, problem.labels([0, 1]))
    with pytest.raises(ModelFormatError) as caught:
        load(model)
    assert str(caught.value) == "CalibratedClassifierCV: a model has no decision function."
