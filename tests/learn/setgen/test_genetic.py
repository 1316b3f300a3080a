import json

import numpy as np
import pytest

from sightline import GeneticSearch, _core
from sightline.learn.setgen._archive import Archive, key_of
from sightline.learn.setgen._evaluation import Evaluation
from sightline.learn.setgen._genetic import Genetic
from sightline.learn.setgen._screening import Screening

VALUES = np.array([0.4, 0.3, -0.1, 0.2, -0.3, 0.1, -0.2])


def worth(members):
    fitness = 1.0 + float(np.dot(members, np.resize(VALUES, len(members))))
    return Evaluation(2, fitness, 1.0, 1.0, fitness)


def genetic(preset="default", n_features=7, genome_size=7, **given):
    settings = GeneticSearch(population=12, **given).completed(preset)
    kind = {"one_point": settings.crossover == "one_point", "bits": settings.genome == "bits"}
    breeder = _core.SetGenBreeder(n_features, genome_size, 3, 0.1, 0.1, 0.5, [1.0, 1.0, 1.0], **kind)
    return Genetic(breeder, genome_size, settings, Archive(n_features, 2))


def answer(strategy, batch):
    """Tell the fitness of the sets and archive it, as a search does."""
    answers = [worth(members) for members in batch.sets]
    archive = strategy._archive
    for members, evaluation in zip(batch.sets, answers, strict=True):
        if key_of(members) not in archive:
            archive.add(key_of(members), evaluation)
    strategy.tell(answers)
    return answers


def run(strategy, n_steps):
    best = 0.0
    for _ in range(n_steps):
        answers = answer(strategy, strategy.ask())
        best = max(best, *(evaluation.fitness for evaluation in answers))
    return best


@pytest.mark.parametrize("preset", ["paper", "default"])
def test_the_best_set_is_found(preset):
    assert run(genetic(preset), 400) == pytest.approx(2.0)


@pytest.mark.parametrize("preset", ["paper", "default"])
@pytest.mark.parametrize("kind", [{"genome": "bits"}, {"genome": "bits", "crossover": "one_point"}])
def test_a_bit_stays_at_its_feature(preset, kind):
    strategy = genetic(preset, **kind)
    assert run(strategy, 400) == pytest.approx(2.0)
    genomes = np.array(strategy.state()["genomes"])
    assert np.all((genomes == -1) | (genomes == np.arange(7)))


def test_one_point_crossover_takes_the_end_of_the_second_parent():
    parents = np.array([[0, 1, 2, 3, 4, 5], [-1] * 6], dtype=np.int32)
    breeder = _core.SetGenBreeder(6, 6, 3, 0.1, 0.1, 0.5, [1.0, 0.0, 0.0], one_point=True, bits=True)
    children = breeder.breed(0, 200, parents, np.ones(2))
    # Entries of the first parent, then those of the second: at most one change along a child.
    changes = np.diff(children >= 0, axis=1).sum(axis=1)
    assert set(changes.tolist()) == {0, 1}
    assert len({int(np.argmax(child == -1)) for child in children if child[0] == 0 and child[-1] == -1}) == 5


def test_the_papers_population_begins_at_random_and_full():
    strategy = genetic("paper")
    assert len(strategy.ask().sets) == 12
    assert strategy.ask().below is None
    run(strategy, 1)
    assert len(strategy.state()["genomes"]) == 12
    assert len(strategy.ask().sets) == 1
    assert strategy.ask().below == min(strategy.state()["fitness"])


def test_a_child_must_be_better_than_the_oldest_of_the_worst():
    strategy = genetic("paper")
    strategy.ask()
    strategy.tell([Evaluation(2, 0.5, 1.0, 1.0, 0.5)] * 12)
    before = strategy.state()
    strategy.ask()
    strategy.tell([Evaluation(2, 0.5, 1.0, 1.0, 0.5)])
    assert strategy.state()["genomes"] == before["genomes"]
    strategy.ask()
    strategy.tell([Evaluation(2, 0.6, 1.0, 1.0, 0.6)])
    assert strategy.state()["fitness"] == [0.6] + [0.5] * 11
    assert strategy.state()["born"][0] == 12


def test_the_path_of_forward_selection_is_in_the_first_population():
    strategy = genetic("default", seeding_width=1, screening=1)
    while strategy.state()["seeding"] is not None:
        run(strategy, 1)
    sets = [sorted(set(genome) - {-1}) for genome in strategy.state()["genomes"]]
    assert sets == [[], [0], [0, 1], [0, 1, 3], [0, 1, 3, 5]]


def test_the_path_ends_where_the_genome_is_full():
    strategy = genetic("default", genome_size=2, seeding_width=1)
    while strategy.state()["seeding"] is not None:
        run(strategy, 1)
    assert [sorted(set(genome) - {-1}) for genome in strategy.state()["genomes"]] == [[], [0], [0, 1]]


def test_no_set_is_twice_in_the_population():
    strategy = genetic("default", restart_after="never")
    run(strategy, 60)
    genomes = np.array(strategy.state()["genomes"])
    assert len({key_of(members) for members in strategy._sets_of(genomes)}) == len(genomes) == 12


def test_few_features_cannot_fill_a_population_of_different_sets():
    breeder = _core.SetGenBreeder(2, 2, 3, 0.1, 0.1, 0.5, [1.0, 1.0, 1.0])
    settings = GeneticSearch(population=12, seeding="random").completed("default")
    strategy = Genetic(breeder, 2, settings, Archive(2, 2))
    for _ in range(40):
        strategy.tell([Evaluation(2, 0.5, 1.0, 1.0, float(m.sum())) for m in strategy.ask().sets])
    assert len(strategy.state()["genomes"]) == 4
    assert len(strategy.ask().sets) == strategy._settings.batch_size


@pytest.mark.parametrize("preset", ["paper", "default"])
def test_a_restored_search_goes_on_as_it_would_have(preset):
    first = genetic(preset)
    for _ in range(30):
        second = genetic(preset)
        for key, evaluation in first._archive.items():
            second._archive.add(key, evaluation)
        second.restore(json.loads(json.dumps(first.state())))
        batch = first.ask()
        assert (second.ask().sets == batch.sets).all()
        assert second.ask().below == batch.below
        answer(second, batch)
        answer(first, batch)
        assert second.state() == first.state()


def test_screened_children_are_new_and_the_best_of_their_litter():
    strategy = genetic("default", 12, 12, seeding="random", batch_size=3, screening=5, restart_after="never")
    run(strategy, 4)
    before = strategy.state()["n_children"]
    litter = strategy._breeder.breed(before, 15, strategy._genomes, strategy._likelihood())
    sets = strategy._sets_of(litter)
    chosen = Screening(strategy._archive, 0.1).best_of_each(sets, 5)
    assert (strategy.ask().sets == sets[chosen]).all()
    run(strategy, 1)
    assert strategy.state()["n_children"] == before + 15


def test_screening_wants_to_know_how_bad_the_bad_are():
    strategy = genetic("default", screening=2)
    run(strategy, 20)
    assert strategy._is_full
    assert strategy.ask().below is None


def test_the_neighbors_of_the_best_are_tried_once():
    strategy = genetic("default", polish_after=1, restart_after="never", seeding="random")
    run(strategy, 20)
    state = strategy.state()
    best = sorted(set(state["genomes"][int(np.argmax(state["fitness"]))]) - {-1})
    assert best == [0, 1, 3, 5]
    assert len(strategy._neighbors_of_best()) == 7
    for members in strategy._sets_of(strategy._neighbors_of_best()):
        assert len(set(np.flatnonzero(members)) ^ set(best)) == 1
    assert key_of(strategy._sets_of(np.array([best + [-1] * 3]))[0]).hex() in state["polished"]


def test_a_full_genome_has_no_room_for_more():
    strategy = genetic("default", genome_size=2, seeding="random")
    strategy.restore({**strategy.state(), "genomes": [[0, 1]], "fitness": [1.0], "born": [0]})
    assert strategy._neighbors_of_best().tolist() == [[-1, 1], [0, -1]]
    strategy.restore({**strategy.state(), "genomes": [[1, 1]]})
    assert [1, 0] in strategy._neighbors_of_best().tolist()


def test_a_population_that_stands_still_begins_again():
    strategy = genetic("default", restart_after=5, polish_after="never", seeding="random")
    for _ in range(9):
        strategy.ask()
        strategy.tell([Evaluation(2, 0.5, 1.0, 1.0, 0.5)] * 8)
    state = strategy.state()
    assert state["first_child"] > 0
    assert len(state["genomes"]) < 12


def test_asking_changes_nothing():
    strategy = genetic("paper")
    run(strategy, 5)
    before = strategy.state()
    assert (strategy.ask().sets == strategy.ask().sets).all()
    assert strategy.state() == before
