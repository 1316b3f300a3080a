"""Prediction of loaded ensembles against their own libraries, one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import lightgbm
import numpy as np
import xgboost
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from benchmarks._ratio import Ratio, side_by_side

N_LEARNED = 20_000


def ratios(large: bool) -> Iterator[Ratio]:  # noqa: ARG001 - the forest is large already
    X, y = make_classification(100_000, 20, n_informative=10, random_state=0)
    rows = X[:N_LEARNED], y[:N_LEARNED]
    forest = RandomForestClassifier(100, random_state=0, n_jobs=-1).fit(*rows).set_params(n_jobs=1)
    yield prediction(forest, X, forest.predict, "100 full trees", bound=1 / 5)
    boosted = lightgbm.LGBMClassifier(n_jobs=1, verbose=-1).fit(*rows)
    yield prediction(boosted, X, boosted.booster_.predict, "100 trees of 31 leaves", bound=1)
    boosted = xgboost.XGBClassifier(n_jobs=1).fit(*rows)
    yield prediction(boosted, X, boosted.predict, "100 trees of depth 6", bound=1)


def prediction(
    model: Any, X: np.ndarray, predict: Callable[[np.ndarray], object], trees: str, bound: float
) -> Ratio:
    ensemble = sl.load(model)
    if not (ensemble.predict(X) == model.predict(X)).all():
        raise AssertionError("the loaded ensemble predicts other labels")
    ours, peer = side_by_side(lambda: ensemble.predict(X), lambda: predict(X))
    return Ratio(f"predict 100,000 rows, {trees}", ours, peer, type(model).__name__, bound)
