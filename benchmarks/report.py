"""Reports of a tree with 2,000 leaves and of 1,000 rules: time against training, and size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import sightline as sl
from benchmarks._ratio import Ratio, cpu_seconds

MAX_MEGABYTES = 2.0
"""The specification's limit for a page; tests/browser measure how long it takes to open."""


def ratios(large: bool) -> Iterator[Ratio]:  # noqa: ARG001
    rng = np.random.default_rng(0)
    X = rng.normal(size=(28_000, 8))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > rng.normal(scale=0.5, size=len(X))).astype(int)
    train, held_out = slice(0, 24_000), slice(24_000, None)
    tree = sl.C45Classifier(prune=False, mdl_correction=False, collapse=False, max_leaves=2_000)
    yield from _ratios(tree, (X[train], y[train]), (X[held_out], y[held_out]), "leaves")
    few = slice(0, 1_500)
    rules = sl.RuleSetClassifier(pc=0.7, wr=0.2, random_state=0)
    yield from _ratios(rules, (X[few], y[few]), (X[held_out], y[held_out]), "rules")


def _ratios(estimator, train, held_out, noun: str) -> Iterator[Ratio]:
    learning = cpu_seconds(lambda: estimator.fit(*train), repeats=1)
    count = estimator.size_[noun]
    written = [sl.report(estimator, *held_out, sizes=(), max_seconds=1)]
    seconds = cpu_seconds(
        lambda: sl.report(estimator, *held_out, sizes=(), max_seconds=1).to_html(), repeats=2
    )
    yield Ratio(f"report of {count:,} {noun}", seconds, learning, "training it", bound=5.0)
    size = len(written[0].to_html().encode()) / 1e6
    yield Ratio(f"report of {count:,} {noun}: size", size, MAX_MEGABYTES, "the limit", bound=1.0, unit="MB")
