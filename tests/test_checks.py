"""scikit-learn's own check list, for an instance of every public estimator."""

import inspect
from functools import partial

import pytest
from library_versions import has
from sklearn.base import BaseEstimator, is_regressor
from sklearn.ensemble import RandomForestRegressor
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
    result = {}
    if is_regressor(estimator):
        reason = "RandomForestRegressor draws rows with equal probability, then weighs them"
        result["check_sample_weight_equivalence_on_dense_data"] = reason
    if not has("scikit-learn", "1.7"):
        reason = "scikit-learn passes sparse data also to estimators that say they take none"
        result["check_sample_weight_equivalence_on_sparse_data"] = reason
    return result


def quick(estimator):
    """Return the default instance, or one that learns faster where that takes long."""
    # Artificial rows take most of the time of the trees and graphs that are distilled with them.
    options = {"augment": 200} if hasattr(estimator(), "augment") else {}
    if is_regressor(estimator()):
        return estimator(RandomForestRegressor(10, random_state=0), **options)
    if estimator is sightline.DistilledGraphClassifier:
        return estimator(refine=False, **options)
    if estimator is sightline.SetGenClassifier:
        return estimator(evaluations=30)
    return estimator(**options)


checks_of = partial(parametrize_with_checks, expected_failed_checks=expected_failures)
# scikit-learn's own cast of infinite labels, on the way to its own error.
pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")


@pytest.fixture(autouse=True)
def _array_api(monkeypatch):
    """Let scikit-learn check arrays of the array API, too. Those of numpy need nothing else."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


@checks_of([quick(estimator) for estimator in ESTIMATORS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.thorough
@checks_of([estimator() for estimator in ESTIMATORS if str(estimator()) != str(quick(estimator))])
def test_scikit_learn_checks_of_slow_defaults(estimator, check):
    check(estimator)
