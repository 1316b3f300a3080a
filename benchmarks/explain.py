"""Explanations of many rows against the prediction of the same rows."""

from __future__ import annotations

from collections.abc import Iterator

from sklearn.datasets import make_classification

import sightline as sl
from benchmarks._ratio import Ratio, cpu_seconds


def ratios(large: bool) -> Iterator[Ratio]:
    """A tree of 16 leaves and 20 rules; every column of the frame is made, reasons in words included."""
    X, y = make_classification(1_000_000 if large else 100_000, 20, n_informative=10, random_state=0)
    bagged = sl.BaggedTreesClassifier(random_state=0).fit(X[:5_000], y[:5_000])
    models = {
        "a tree of 16 leaves": sl.DistilledTreeClassifier(bagged, max_leaves=16, random_state=0)
        .fit(X[:5_000], y[:5_000])
        .tree_,
        "20 rules": sl.RuleSetClassifier(bagged, max_rules=20, random_state=0)
        .fit(X[:5_000], y[:5_000])
        .rules_,
    }
    for name, model in models.items():
        predicting = cpu_seconds(lambda model=model: model.predict(X))
        explaining = cpu_seconds(lambda model=model: model.explain(X).to_frame())
        yield Ratio(
            f"explain {len(X):,} rows by {name}",
            explaining,
            5 * predicting + len(X) / 100_000,
            "5 times their prediction, plus 1 s per 100,000 rows",
            bound=1.0,
        )
