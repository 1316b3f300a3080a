"""C4.5 against scikit-learn's decision tree: time and memory of a fit, one thread."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

import sightline as sl
from benchmarks._memory import added_bytes
from benchmarks._ratio import Ratio, cpu_seconds

PEER = "DecisionTreeClassifier(criterion='entropy')"
LETTER = Path(__file__).resolve().parents[2] / "shared" / "datasets" / "letter.arff"


def ratios(large: bool) -> Iterator[Ratio]:
    if LETTER.exists():
        table = sl.read_table(LETTER)
        X = np.column_stack([column.values for column in table.X.columns])
        yield fit_ratio("C4.5 fit, letter", X, table.y.codes, repeats=5)
    yield fit_ratio("C4.5 fit, 100,000 x 20", *rows(100_000), repeats=1)
    yield memory_ratio(1_000_000)
    if large:
        yield fit_ratio("C4.5 fit, 1,000,000 x 20", *rows(1_000_000), repeats=1)


def rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(n, 20, n_informative=10, random_state=0)


def fit_ratio(job: str, X: np.ndarray, y: np.ndarray, repeats: int) -> Ratio:
    ours = cpu_seconds(lambda: sl.C45Classifier(binary_splits=True).fit(X, y), repeats)
    peer = cpu_seconds(lambda: DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y), repeats)
    return Ratio(job, ours, peer, PEER, bound=1.0)


def memory_ratio(n: int) -> Ratio:
    """Peak memory of a process that holds the rows and fits, over the size of the rows.

    It runs in a separate process, so that generating the rows and earlier benchmarks do not count.
    """
    X, y = rows(n)
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/X.npy", X)
        np.save(f"{folder}/y.npy", y)
        setup = "import sys, numpy as np, sightline as sl\nlearner = sl.C45Classifier(binary_splits=True)"
        job = "X, y = np.load(sys.argv[1] + '/X.npy'), np.load(sys.argv[1] + '/y.npy')\nlearner.fit(X, y)"
        added = added_bytes(setup, job, folder)
    return Ratio(
        f"C4.5 fit, {n:,} x 20, peak",
        added / 1e6,
        X.nbytes / 1e6,
        "the rows alone",
        bound=2.5,
        unit="MB",
    )
