"""scikit-learn's own check list, for the default instance of every public estimator."""

import inspect

import pytest
from sklearn.base import BaseEstimator, is_regressor
from sklearn.utils.estimator_checks import parametrize_with_checks

import sightline

ESTIMATORS = [
    noun
    for noun in (getattr(sightline, name) for name in sightline.__all__)
    if inspect.isclass(noun) and issubclass(noun, BaseEstimator)
]


def test_estimators_are_found():
    assert {"C45Classifier", "BaggedTreesClassifier", "BoostedTreesClassifier"} <= {
        e.__name__ for e in ESTIMATORS
    }


def expected_failures(estimator):
    """The default ensemble of regressors is scikit-learn's forest. It draws rows, whatever they weigh."""
    if is_regressor(estimator):
        reason = "RandomForestRegressor draws rows with equal probability, then weighs them"
        return {"check_sample_weight_equivalence_on_dense_data": reason}
    return {}


# scikit-learn's own cast of infinite labels, on the way to its own error.
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
@parametrize_with_checks([estimator() for estimator in ESTIMATORS], expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
