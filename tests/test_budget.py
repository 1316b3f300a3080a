"""Time limits count from the call, and the clock is read between small pieces of work."""

import itertools

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from sightline import budget
from sightline.budget import Deadline
from sightline.learn.setgen import _evaluation

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 4)).round(2)
Y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
FOREST = RandomForestClassifier(5, max_depth=4, random_state=0).fit(X, Y)


@pytest.fixture
def ticks(monkeypatch):
    """A clock that advances one second whenever it is read."""
    seconds = itertools.count()
    monkeypatch.setattr(budget, "clock", lambda: float(next(seconds)))


@pytest.mark.usefixtures("ticks")
def test_a_deadline_is_that_of_its_clock():
    deadline = Deadline(2.5)
    assert deadline.seconds_left == 1.5
    assert not deadline.has_passed
    assert deadline.has_passed
    assert not Deadline(None).has_passed


SEARCHES = {
    "merge": lambda limit: sl.merge(FOREST, max_seconds=limit).complete,
    "merge to a graph": lambda limit: sl.merge(FOREST, to="graph", X=X, max_seconds=limit).complete,
    "certify": lambda limit: sl.certify(FOREST, FOREST, X, max_seconds=limit).equivalent,
    "ISM": lambda limit: sl.ISMClassifier(FOREST, stop="safe", max_seconds=limit).fit(X).complete_,
}


@pytest.mark.usefixtures("ticks")
@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_what_comes_before_a_search_counts(search):
    """One second passes until the kernel begins; too long for the first limit, not for the second."""
    assert not search(0.5)
    assert search(1000.0)


def evaluated(monkeypatch, **parameters):
    """Return the number of feature sets in each call of the kernel."""
    sizes = []
    evaluate = _evaluation.Evaluator.evaluate

    def counted(self, sets, abandonment=None):
        sizes.append(len(sets))
        return evaluate(self, sets, abandonment)

    monkeypatch.setattr(_evaluation.Evaluator, "evaluate", counted)
    search = sl.SetGenClassifier(search="genetic", random_state=0, progress=False, **parameters).fit(X, Y)
    return search, sizes


@pytest.mark.usefixtures("ticks")
def test_a_search_of_feature_sets_reads_the_clock_after_every_set(monkeypatch):
    search, sizes = evaluated(monkeypatch, max_seconds=3.5)
    assert (search.stopped_, search.complete_) == ("seconds", False)
    assert sizes == [1, 1, 1, 1]


def test_without_a_limit_batches_are_whole(monkeypatch):
    search, sizes = evaluated(monkeypatch, evaluations=40)
    assert search.complete_
    assert max(sizes) > 1


@pytest.mark.usefixtures("ticks")
def test_limits_do_not_change_the_course_of_a_search(monkeypatch):
    limited, _ = evaluated(monkeypatch, evaluations=40, max_seconds=1e9)
    free, _ = evaluated(monkeypatch, evaluations=40)
    assert limited.history_ == free.history_
    assert limited.tree_.to_json() == free.tree_.to_json()
