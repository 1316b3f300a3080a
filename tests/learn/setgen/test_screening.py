import numpy as np
import pytest

from sightline import _core
from sightline.learn.setgen import _screening
from sightline.learn.setgen._archive import Archive, key_of
from sightline.learn.setgen._evaluation import Evaluation
from sightline.learn.setgen._screening import Screening


def random_sets(n_sets, n_features, seed=0):
    random = np.random.RandomState(seed)
    return random.rand(n_sets, n_features) < random.rand(n_sets, 1)


def likeness(first, second):
    """Share of the features in either set that are in both."""
    return 1.0 if not (first | second).any() else (first & second).sum() / (first | second).sum()


def slow_forecast(known, fitness, sets, noise):
    kernel = np.array([[likeness(a, b) for b in known] for a in known]) + noise * np.eye(len(known))
    weights = np.linalg.solve(kernel, fitness - fitness.mean())
    return fitness.mean() + np.array([[likeness(a, b) for b in known] for a in sets]) @ weights


def archive_of(sets, fitness):
    archive = Archive(sets.shape[1], 2)
    for members, value in zip(sets, fitness, strict=True):
        archive.add(key_of(members), Evaluation(2, value, 1.0, 1.0, value))
    return archive


@pytest.mark.parametrize("n_features", [1, 5, 63, 64, 65, 130])
@pytest.mark.parametrize("noise", [0.01, 0.1, 2.0])
def test_forecasts_equal_the_slow_reference(n_features, noise):
    known, sets = random_sets(60, n_features), random_sets(30, n_features, seed=1)
    known[0] = sets[0] = False
    fitness = np.random.RandomState(2).rand(60)
    forecast = _core.SetGenForecast(n_features, noise)
    forecast.learn(known, fitness)
    assert forecast.forecast(sets) == pytest.approx(slow_forecast(known, fitness, sets, noise), abs=1e-9)


def test_a_set_on_its_own_promises_what_its_likes_are_worth():
    forecast = _core.SetGenForecast(3, 0.5)
    forecast.learn(np.array([[True, False, False], [False, True, True]]), np.array([1.0, 0.0]))
    # Like the first by 1, 1/2, 0 and 0; of the deviation from the mean, noise hides a third.
    sets = np.array([[1, 0, 0], [0, 1, 1], [0, 0, 0]], dtype=bool)
    assert forecast.forecast(sets) == pytest.approx([0.5 + 0.5 / 1.5, 0.5 - 0.5 / 1.5, 0.5])


def test_learning_piece_by_piece_gives_the_same_bytes():
    known, sets, fitness = random_sets(50, 9), random_sets(20, 9, seed=1), np.random.RandomState(2).rand(50)
    together, apart = _core.SetGenForecast(9, 0.1), _core.SetGenForecast(9, 0.1)
    together.learn(known, fitness)
    for index in range(50):
        apart.learn(known[index : index + 1], fitness[index : index + 1])
        apart.forecast(sets[:3])
    assert together.forecast(sets).tobytes() == apart.forecast(sets).tobytes()


def test_a_forecast_does_not_depend_on_its_batch():
    forecast = _core.SetGenForecast(9, 0.1)
    forecast.learn(random_sets(50, 9), np.random.RandomState(2).rand(50))
    sets = random_sets(20, 9, seed=1)
    apart = [forecast.forecast(sets[index : index + 1])[0] for index in range(20)]
    assert forecast.forecast(sets).tolist() == apart


def test_nothing_known_promises_nothing():
    assert _core.SetGenForecast(4, 0.1).forecast(random_sets(3, 4)).tolist() == [0, 0, 0]


def test_forecasts_refuse_what_does_not_fit():
    with pytest.raises(ValueError, match="positive noise are required"):
        _core.SetGenForecast(4, 0.0)
    forecast = _core.SetGenForecast(4, 0.1)
    with pytest.raises(ValueError, match="one column per feature"):
        forecast.forecast(random_sets(3, 5))
    with pytest.raises(ValueError, match="one fitness per set"):
        forecast.learn(random_sets(3, 4), np.zeros(2))


def test_the_best_are_new_and_different():
    known = random_sets(30, 6)
    archive = archive_of(known, np.random.RandomState(1).rand(30))
    sets = np.vstack([known[:5], random_sets(40, 6, seed=3)])
    indices = Screening(archive, 0.1).best(sets, 7)
    forecasts = slow_forecast(*_learned(archive), sets, 0.1)
    keys = [key_of(sets[index]) for index in indices]
    assert len(set(keys)) == 7
    assert not any(key in archive for key in keys)
    left = [index for index in range(45) if key_of(sets[index]) not in {*keys, *dict(archive.items())}]
    assert forecasts[indices].min() >= forecasts[left].max()
    assert (np.diff(forecasts[indices]) <= 0).all()


def test_the_best_of_each_group():
    known = random_sets(30, 8)
    archive = archive_of(known, np.random.RandomState(1).rand(30))
    sets = random_sets(24, 8, seed=3)
    sets[:4] = known[:4]
    indices = Screening(archive, 0.1).best_of_each(sets, 4)
    forecasts = slow_forecast(*_learned(archive), sets, 0.1)
    assert [index // 4 for index in indices] == list(range(6))
    assert indices[0] == 0  # all of the first group are known
    for index in indices[1:]:
        group = [
            p for p in range(index - index % 4, index - index % 4 + 4) if _is_first_new(sets, p, archive)
        ]
        assert forecasts[index] == max(forecasts[group])


def test_a_restored_archive_gives_the_same_choice(monkeypatch):
    monkeypatch.setattr(_screening, "WINDOW", 20)
    sets = np.unique(random_sets(200, 12), axis=0)[:100]
    fitness = np.random.RandomState(1).rand(100)
    children = random_sets(40, 12, seed=4)
    grown = archive_of(sets[:1], fitness[:1])
    first = Screening(grown, 0.1)
    for n in range(2, 101):
        grown.add(key_of(sets[n - 1]), Evaluation(2, 0.5, 1.0, 1.0, fitness[n - 1]))
        first.best(children, 3)
        if n % 9 == 0:
            restored = Screening(grown, 0.1)
            assert restored.best(children, 3) == first.best(children, 3)
            assert 20 <= restored._end - restored._first < 40 or len(grown) < 20


def _learned(archive):
    keys, evaluations = zip(*archive.items(), strict=True)
    return np.array([archive.members(key) for key in keys]), np.array([e.fitness for e in evaluations])


def _is_first_new(sets, index, archive):
    keys = [key_of(members) for members in sets[: index + 1]]
    return keys[-1] not in archive and keys[-1] not in keys[:-1]
