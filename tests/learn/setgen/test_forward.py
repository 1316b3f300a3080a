import itertools
import json

import numpy as np
import pytest

from sightline.learn.setgen._archive import Archive, key_of
from sightline.learn.setgen._evaluation import Evaluation
from sightline.learn.setgen._forward import Forward
from sightline.learn.setgen._screening import Screening


def worth(members, fitness_of):
    fitness = float(fitness_of(members))
    return Evaluation(2, fitness, 1.0 + members.sum(), 1.0, fitness)


def path_of(forward, fitness_of):
    while (batch := forward.ask()) is not None:
        forward.tell([worth(members, fitness_of) for members in batch.sets])
    return [np.flatnonzero(members).tolist() for members in forward.path]


def test_the_best_feature_is_taken_each_time():
    values = np.array([0.2, -0.1, 0.5, 0.0])
    assert path_of(Forward(4), lambda members: members @ values) == [[], [2], [0, 2]]


def test_nothing_is_taken_away():
    forward = Forward(3)
    for _ in range(2):
        forward.tell([worth(members, np.sum) for members in forward.ask().sets])
    assert all(members[0] for members in forward.ask().sets)


def pair_or_third(members):
    """Features 0 and 1 are worth most, but only together; feature 2 is worth a little alone."""
    return 1.0 if members[:2].all() else 0.3 * members[2] + 0.1 * members[0]


def test_a_wider_selection_finds_a_pair():
    assert [0, 1] not in path_of(Forward(4), pair_or_third)
    assert [0, 1] in path_of(Forward(4, width=2), pair_or_third)


@pytest.mark.parametrize("width", [1, 2, 5, 100])
@pytest.mark.parametrize("seed", range(4))
def test_a_slow_selection_finds_the_same(width, seed):
    """All that was seen is sorted anew after each level."""
    random = np.random.RandomState(seed)
    fitness = {members: round(random.rand(), 1) for members in itertools.product([0, 1], repeat=5)}
    seen, extended = [(0,) * 5], []
    while True:
        best = sorted(seen, key=lambda members: (-fitness[members], sum(members), seen.index(members)))
        new = [members for members in best[:width] if members not in extended]
        if not new:
            break
        extended += new
        for members, index in itertools.product(new, range(5)):
            more = (*members[:index], 1, *members[index + 1 :])
            if more not in seen:
                seen.append(more)
    found = path_of(Forward(5, width), lambda members: fitness[tuple(members.astype(int))])
    assert found == [np.flatnonzero(members).tolist() for members in extended]


def test_the_largest_set_is_not_extended():
    assert path_of(Forward(4, largest=2), np.sum) == [[], [0], [0, 1]]


def test_only_what_could_be_extended_need_be_known():
    forward = Forward(2)
    assert forward.ask().below is None
    forward.tell([Evaluation(2, 0.4, 1.0, 1.0, 0.4)])
    assert forward.ask().below == 0.4
    forward = Forward(2, width=2)
    forward.tell([Evaluation(2, 0.4, 1.0, 1.0, 0.4)])
    assert forward.ask().below is None


def test_a_restored_selection_goes_on_as_it_would_have():
    values = np.random.RandomState(0).normal(size=9)
    first, n_steps = Forward(9, width=3), 0
    while (batch := first.ask()) is not None:
        second = Forward(9, width=3)
        second.restore(json.loads(json.dumps(first.state())))
        assert (second.ask().sets == batch.sets).all()
        assert second.ask().below == batch.below
        first.tell([worth(members, lambda members: members @ values) for members in batch.sets])
        n_steps += 1
    assert n_steps > 3


def test_a_screened_selection_asks_for_as_many_sets_as_there_are_features():
    archive = Archive(9, 2)
    strategy = Forward(9, width=4, screening=Screening(archive, 0.1))
    values = np.array([0.4, 0.3, -0.1, 0.2, -0.3, 0.1, -0.2, 0.25, 0.15])
    n_asked = []
    while (batch := strategy.ask()) is not None:
        answers = [Evaluation(2, 0.5, 1.0, 1.0, 1.0 + float(members @ values)) for members in batch.sets]
        n_asked.append(len(answers))
        for members, evaluation in zip(batch.sets, answers, strict=True):
            archive.add(key_of(members), evaluation)
        strategy.tell(answers)
    assert strategy.is_at_end
    assert n_asked[:3] == [1, 9, 9]
    assert max(n_asked) == 9
    assert np.flatnonzero(strategy._members(strategy._best[0])).tolist() == [0, 1, 3, 5, 7, 8]
