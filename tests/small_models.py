"""Small models of every library, and rows on their tests."""

from __future__ import annotations

import numpy as np
from boosted_tests import rows_at_tests
from catboost import CatBoostClassifier
from library_versions import has
from lightgbm import LGBMClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

from sightline.load import load

STUMP = DecisionTreeClassifier(max_depth=1)

MODELS = {
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "forest": RandomForestClassifier(5, max_depth=3, random_state=0),
    "extra trees": ExtraTreesClassifier(4, max_depth=3, random_state=0),
    "bagging": BaggingClassifier(STUMP, n_estimators=5, max_features=0.7, random_state=0),
    "adaboost": AdaBoostClassifier(STUMP, n_estimators=4, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=3, max_depth=2, random_state=0),
    "histogram": HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=4, random_state=0),
    "xgboost": XGBClassifier(n_estimators=3, max_depth=2, n_jobs=1),
    "lightgbm": LGBMClassifier(n_estimators=3, num_leaves=4, min_child_samples=5, verbose=-1, n_jobs=1),
    "averaged lightgbm": LGBMClassifier(
        n_estimators=3,
        num_leaves=4,
        boosting_type="rf",
        subsample=0.7,
        subsample_freq=1,
        min_child_samples=5,
        verbose=-1,
        n_jobs=1,
        random_state=0,
    ),
    "catboost": CatBoostClassifier(
        iterations=3, depth=2, verbose=0, allow_writing_files=False, thread_count=1, random_seed=0
    ),
}
TWO_CLASS_MODELS = {
    **MODELS,
    "exponential": GradientBoostingClassifier(
        n_estimators=3, max_depth=2, loss="exponential", random_state=0
    ),
}


def assert_same_answers(model, X, *, exact=True, probabilities=True, rtol=1e-12):
    """Compare a loaded model with the library: labels, and probabilities bit by bit.

    CatBoost has an exp of its own: with three classes the last bits differ (``exact=False``).
    """
    ensemble = load(model)
    rng = np.random.default_rng(0)
    rows = np.concatenate([X, rng.normal(scale=2, size=X.shape)])
    rows = np.concatenate([rows, rows_at_tests(ensemble, rows)])
    rows = rows[np.isfinite(rows).all(axis=1)]
    labels = np.ravel(model.predict(rows))
    np.testing.assert_array_equal(ensemble.predict(rows), labels)
    np.testing.assert_array_equal(ensemble.classes_, model.classes_)
    assert ensemble.classes_.dtype == model.classes_.dtype
    if probabilities:
        expected = _probabilities(model, rows)
        if exact:
            np.testing.assert_array_equal(ensemble.predict_proba(rows), expected)
        else:
            np.testing.assert_allclose(ensemble.predict_proba(rows), expected, rtol=rtol, atol=1e-14)
    return ensemble


def _probabilities(model, rows):
    """Before 1.7, OneVsRestClassifier divides 0 by 0 where no class has a probability; newer ones keep 0."""
    if not isinstance(model, OneVsRestClassifier) or has("scikit-learn", "1.7"):
        return model.predict_proba(rows)
    with np.errstate(invalid="ignore"):
        found = model.predict_proba(rows)
    return np.where(np.isnan(found).all(axis=1, keepdims=True), 0.0, found)
