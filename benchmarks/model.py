"""Prediction of a loaded forest against scikit-learn's own, one thread."""

from __future__ import annotations

from collections.abc import Iterator

from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from benchmarks._ratio import Ratio, cpu_seconds


def ratios(large: bool) -> Iterator[Ratio]:  # noqa: ARG001 - the forest is large already
    X, y = make_classification(100_000, 20, n_informative=10, random_state=0)
    forest = RandomForestClassifier(100, random_state=0, n_jobs=-1).fit(X[:20_000], y[:20_000])
    forest.n_jobs = 1
    ensemble = sl.load(forest)
    if not (ensemble.predict(X) == forest.predict(X)).all():
        raise AssertionError("the loaded forest predicts other labels")
    ours = cpu_seconds(lambda: ensemble.predict(X))
    peer = cpu_seconds(lambda: forest.predict(X))
    yield Ratio("predict 100,000 rows, 100 full trees", ours, peer, "RandomForestClassifier", bound=0.5)
