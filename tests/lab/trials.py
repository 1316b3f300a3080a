"""Small experiments for the tests of the runner; in a module of its own, so that workers find them."""

import time
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from sightline import BaggedTreesClassifier, C45Classifier, ISMClassifier
from sightline.lab._data_set import LoadedSet
from sightline.lab._learner import Learner
from sightline.lab._protocol import Protocol
from sightline.lab._runner import Plan
from sightline.table import Labels, Table


def small_set(name="small", seed=0, n_rows=40):
    random = np.random.RandomState(seed)
    X = random.normal(size=(n_rows, 3)).round(2)
    noise = random.uniform(size=n_rows) < 0.1
    y = np.where((X[:, 0] > 0) ^ noise, "yes", "no")
    return LoadedSet(name, Table.from_any(X, feature_names=["a", "b", "c"]), Labels.from_any(y))


LEARNERS = (
    Learner("tree", C45Classifier(binary_splits=True)),
    Learner("bagging", BaggedTreesClassifier(n_trees=5)),
    Learner("ism", ISMClassifier(), teacher="bagging"),
)


def small_plan(n_repeats=1, learners=LEARNERS, **options):
    protocol = Protocol(n_repeats, 3, n_uniform=20, **options)
    return Plan([small_set("one", 0), small_set("two", 1)], learners, protocol)


class Slow(ClassifierMixin, BaseEstimator):
    """Predicts the first class after a delay, and counts its fits in a folder."""

    def __init__(self, folder=".", seconds=0.0, fails=False):
        self.folder = folder
        self.seconds = seconds
        self.fails = fails

    def fit(self, X, y):
        if self.fails:
            raise RuntimeError("no idea")
        time.sleep(self.seconds)
        Path(self.folder, f"{time.perf_counter_ns()}").touch()
        self.classes_ = y.classes_
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], X.n_rows)


if __name__ == "__main__":
    import sys

    from sightline.lab._runner import run
    from sightline.lab._store import ResultStore

    # Run by the test that kills it: python trials.py <results> <folder>. The module is imported by its own
    # name, with which the test's learners are hashed.
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from lab import trials

    slow = Learner("slow", trials.Slow(sys.argv[2], 0.1))
    with ResultStore(sys.argv[1]) as store:
        run(trials.small_plan(3, (*trials.LEARNERS, slow)), store)
