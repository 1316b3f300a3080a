"""What the page says about bagging's gain, on small data sets with quick learners of the same names."""

import pytest
from lab.trials import small_set

from sightline import BaggedTreesClassifier, C45Classifier
from sightline.lab._learner import Learner
from sightline.lab._protocol import Protocol
from sightline.lab._results import Results
from sightline.lab._runner import Plan, run
from sightline.lab._store import ResultStore
from sightline.lab.claims._bagging_gain import ENSEMBLE, TREE, TREES, gains, set_table, share_of_gain

ROWS = {"tiny": 40, "small": 60, "large": 220}


@pytest.fixture(scope="module")
def results():
    learners = [
        Learner(TREE, C45Classifier()),
        Learner(ENSEMBLE, BaggedTreesClassifier(n_trees=9)),
        *(Learner(name, C45Classifier(min_leaf=index + 3)) for index, name in enumerate(TREES.values())),
    ]
    sets = [small_set(name, seed, n_rows) for seed, (name, n_rows) in enumerate(ROWS.items())]
    plan = Plan(sets, learners, Protocol(1, 3))
    with ResultStore() as store:
        run(plan, store, show_progress=False)
        return Results(plan, store)


def test_every_data_set_has_its_rows_and_accuracies(results):
    table = set_table(results)
    assert [row[:2] for row in table.rows] == list(ROWS.items())
    assert [row[2] for row in table.rows] == pytest.approx(100 * results.means(TREE, "accuracy"))
    assert all(len(row) == len(table.columns) for row in table.rows)


def test_the_note_has_the_part_of_small_sets_in_the_variance(results):
    share, error = share_of_gain(results, TREES[1])
    whole = gains(results, ENSEMBLE)
    deviations = gains(results, TREES[1]) - share / 100 * whole
    variance = (error / 100 * whole.mean()) ** 2
    small = (deviations[:2] ** 2).sum() / (2 * 3)
    part = f"These 2 data sets account for {100 * small / variance:.0f}% of the variance"
    assert part in set_table(results).note


def test_one_data_set_has_no_variance(results):
    assert "variance" not in set_table(results.on(["tiny"])).note
