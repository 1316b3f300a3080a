import numpy as np
import pytest
from setgen_reference import Stream, breed, random_entry

from sightline import _core

RATES = (0.3, 0.4, 0.5)


def breeder(n_features=6, genome_size=8, seed=7, rates=RATES, operators=(1, 1, 1)):
    return _core.SetGenBreeder(n_features, genome_size, seed, *rates, [float(o) for o in operators])


def test_children_equal_the_slow_reference():
    random = np.random.RandomState(0)
    genomes = random.randint(-1, 6, size=(9, 8)).astype(np.int32)
    genomes[3] = -1
    likelihood = random.rand(9)
    children = breeder(operators=(1, 2, 0.5)).breed(1000, 300, genomes, likelihood)
    for index, child in enumerate(children.tolist()):
        assert child == breed(1000 + index, genomes, likelihood, 6, 7, *RATES, (1, 2, 0.5))


def test_random_genomes_equal_the_slow_reference():
    genomes = breeder().fill(5, 20)
    for index, genome in enumerate(genomes.tolist()):
        stream = Stream(7, 5 + index)
        assert genome == [random_entry(stream, 6, 0.5) for _ in range(8)]


def test_a_child_does_not_depend_on_its_batch():
    genomes = breeder().fill(0, 10)
    together = breeder().breed(50, 30, genomes, np.ones(10))
    apart = np.vstack([breeder().breed(50 + i, 1, genomes, np.ones(10)) for i in range(30)])
    assert (together == apart).all()


def test_delete_removes_every_occurrence_of_one_feature():
    genomes = np.array([[0, 1, 0, 2, -1, 0, 1, -1]], dtype=np.int32)
    children = breeder(operators=(0, 0, 1)).breed(0, 200, genomes, np.ones(1))
    gone = {frozenset({0, 1, 2} - set(child)) for child in children.tolist()}
    assert gone == {frozenset({0}), frozenset({1}), frozenset({2})}


def test_delete_leaves_an_empty_genome_empty():
    blank = np.full((1, 8), -1, dtype=np.int32)
    assert (breeder(operators=(0, 0, 1)).breed(0, 5, blank, np.ones(1)) == -1).all()


def test_what_is_unlikely_never_becomes_a_parent():
    genomes = np.array([[0] * 8, [1] * 8], dtype=np.int32)
    children = breeder(rates=(0.0, 0.0, 0.5), operators=(1, 1, 0)).breed(
        0, 100, genomes, np.array([0.0, 1.0])
    )
    assert (children == 1).all()


def test_shares_of_the_rates():
    filled = breeder(n_features=4, genome_size=1000).fill(0, 20)
    assert np.mean(filled == -1) == pytest.approx(0.5, abs=0.02)
    assert [np.mean(filled == f) for f in range(4)] == pytest.approx([0.125] * 4, abs=0.01)
    parent = np.zeros((1, 1000), dtype=np.int32)
    mutants = breeder(n_features=4, genome_size=1000, rates=(0.1, 0.1, 1.0), operators=(0, 1, 0)).breed(
        0, 20, parent, np.ones(1)
    )
    assert np.mean(mutants == -1) == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize(
    ("genomes", "likelihood", "message"),
    [
        (np.zeros((2, 3), np.int32), np.ones(2), "the genomes have a different length"),
        (np.zeros((2, 8), np.int32), np.ones(3), "one likelihood per genome is required"),
    ],
)
def test_broken_populations_are_refused(genomes, likelihood, message):
    with pytest.raises(ValueError, match=message):
        breeder().breed(0, 1, genomes, likelihood)
