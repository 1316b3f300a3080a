"""The runner against scikit-learn's cross-validation of the same learners; stability against all pairs."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold, cross_val_score

import sightline as sl
from benchmarks._ratio import Ratio, cpu_seconds
from benchmarks.c45 import LETTER
from sightline.lab import Learner, LoadedSet, Plan, Protocol, ResultStore, run
from sightline.measure import stability

SECONDS_TO_COMPARE = 60.0
N_PROCESSORS = 2


def ratios(large: bool) -> Iterator[Ratio]:
    yield runner_ratio()
    yield stability_ratio()
    credit = LETTER.parent / "credit-g.arff"
    if large and credit.exists():
        table = sl.read_table(credit)
        ours = cpu_seconds(lambda: sl.compare(table, show_progress=False), repeats=1) / N_PROCESSORS
        peer = "a minute on two processors"
        yield Ratio("compare, credit-g", ours, SECONDS_TO_COMPARE, peer, bound=1.0, unit="s")


def runner_ratio() -> Ratio:
    """What a result costs beyond its fit: folds, predictions, measures, hashes, one commit per fold."""
    X, y = make_classification(1_000, 10, random_state=0)
    data = LoadedSet("made", sl.Table.from_any(X), sl.Labels.from_any(y))
    learners = [Learner("tree", sl.C45Classifier()), Learner("bagging", sl.BaggedTreesClassifier())]

    def ours() -> None:
        with tempfile.TemporaryDirectory() as folder, ResultStore(Path(folder) / "results.sqlite") as store:
            run(Plan([data], learners, Protocol(1, 10)), store, show_progress=False)

    def peer() -> None:
        for learner in learners:
            cross_val_score(learner.estimator, X, y, cv=StratifiedKFold(10))

    ours()  # the code is hashed once per process
    return Ratio(
        "run 20 cells into a file", cpu_seconds(ours), cpu_seconds(peer), "cross_val_score", bound=1.5
    )


def stability_ratio() -> Ratio:
    answers = np.random.RandomState(0).randint(0, 5, size=(50, 1000))

    def pairs() -> float:
        agreeing = [(answers[k] == answers[other]).mean() for k in range(len(answers)) for other in range(k)]
        return float(np.mean(agreeing))

    if not np.isclose(stability(answers), pairs()):
        raise AssertionError("stability differs from the mean over all pairs")
    ours, peer = cpu_seconds(lambda: stability(answers)), cpu_seconds(pairs)
    return Ratio("stability of 50 models", ours, peer, "every pair in numpy", bound=0.5)
