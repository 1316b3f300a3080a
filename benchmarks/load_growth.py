"""Loading objects: pipelines against their bare model, and growth with trees, leaves and categories."""

from __future__ import annotations

from collections.abc import Iterator

import catboost
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import sightline as sl
from benchmarks._ratio import Ratio, cpu_seconds

N_ROWS = 20_000
TIMES = 4
GROWTH_BOUND = 1.5 * TIMES
"""Four times the size may take four times as long, and half as much again for noise."""


def ratios(large: bool) -> Iterator[Ratio]:
    n_trees = 100 if large else 20
    yield scaled_pipeline()
    yield growth("trees", forest(n_trees // TIMES, 1_000), forest(n_trees, 1_000))
    yield growth("leaves", forest(n_trees, 1_000 // TIMES), forest(n_trees, 1_000))
    yield growth("CatBoost's categories", with_ctrs(n_trees, 250), with_ctrs(n_trees, 250 * TIMES))


def scaled_pipeline() -> Ratio:
    """Compare a forest behind one-hot and scaled columns with the same forest alone.

    `benchmarks.load` has one-hot columns alone. At this size on purpose: asking the steps what they do costs
    the same for a small forest.
    """
    rng = np.random.default_rng(0)
    words = {f"word {k}": rng.choice(list("abcdefghijkl"), N_ROWS) for k in range(5)}
    numbers = {f"number {k}": rng.normal(size=N_ROWS) for k in range(5)}
    steps = make_column_transformer((OneHotEncoder(), list(words)), (StandardScaler(), list(numbers)))
    model = make_pipeline(steps, RandomForestClassifier(100, max_leaf_nodes=1_000, random_state=0))
    model.fit(pd.DataFrame({**words, **numbers}), rng.random(N_ROWS) < 0.5)
    return Ratio(
        "load a pipeline over 60 one-hot and 5 scaled columns, 100 trees x 1,000 leaves",
        cpu_seconds(lambda: sl.load(model)),
        cpu_seconds(lambda: sl.load(model[-1])),
        "the bare forest",
        bound=10,
    )


def forest(n_trees: int, n_leaves: int) -> RandomForestClassifier:
    rng = np.random.default_rng(0)
    model = RandomForestClassifier(n_trees, max_leaf_nodes=n_leaves, random_state=0)
    return model.fit(rng.normal(size=(N_ROWS, 10)), rng.random(N_ROWS) < 0.5)


def with_ctrs(n_trees: int, n_categories: int) -> catboost.CatBoostClassifier:
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"c": np.arange(N_ROWS) % n_categories, "x": rng.normal(size=N_ROWS)})
    model = catboost.CatBoostClassifier(
        iterations=n_trees, cat_features=["c"], verbose=0, thread_count=1, allow_writing_files=False
    )
    return model.fit(rows, rng.random(N_ROWS) < 0.4 + 0.2 * (rows["c"] % 7 < 3))


def growth(what: str, smaller: object, larger: object) -> Ratio:
    return Ratio(
        f"load {TIMES} times as many {what}",
        cpu_seconds(lambda: sl.load(larger)),
        cpu_seconds(lambda: sl.load(smaller)),
        "the smaller model",
        bound=GROWTH_BOUND,
    )
