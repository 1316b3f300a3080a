import json

import numpy as np

from sightline.learn.setgen._climb import Climb
from sightline.learn.setgen._evaluation import Evaluation


def worth(members, values):
    """Each feature has a value; one that is lacking costs nothing."""
    fitness = float(np.dot(members, values))
    return Evaluation(2, fitness, 1.0 + members.sum(), 1.0, fitness)


def climbed(climb, values):
    while (batch := climb.ask()) is not None:
        climb.tell([worth(members, values) for members in batch.sets])
    return climb.path


def test_a_climb_removes_as_well():
    climb = Climb(np.array([[True, True, False]]))
    path = climbed(climb, np.array([-1.0, 0.5, 0.1]))
    assert [np.flatnonzero(members).tolist() for members in path] == [[0, 1], [1], [1, 2]]


def test_a_climb_starts_empty_and_then_at_random():
    climb = Climb.from_random_starts(20, restarts=3, seed=1)
    path = climbed(climb, np.where(np.arange(20) < 4, 1.0, -1.0))
    assert not path[0].any()
    assert sum(np.flatnonzero(members).tolist() == [0, 1, 2, 3] for members in path) == 3


def test_only_better_neighbors_need_to_be_known():
    climb = Climb.from_random_starts(2, restarts=1, seed=0)
    assert climb.ask().below is None
    climb.tell([Evaluation(2, 0.4, 1.0, 1.0, 0.4)])
    assert climb.ask().below == 0.4


def test_a_restored_climb_goes_on_as_it_would_have():
    values = np.random.RandomState(0).normal(size=9)
    first, n_steps = Climb.from_random_starts(9, 4, seed=3), 0
    while (batch := first.ask()) is not None:
        second = Climb.from_random_starts(9, 4, seed=3)
        second.restore(json.loads(json.dumps(first.state())))
        assert (second.ask().sets == batch.sets).all()
        assert second.ask().below == batch.below
        first.tell([worth(members, values) for members in batch.sets])
        n_steps += 1
    assert n_steps > 10
