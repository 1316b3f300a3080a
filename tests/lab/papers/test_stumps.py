import numpy as np
import pytest
from lab.trials import small_set

from sightline.lab._data_set import LoadedSet
from sightline.lab._learner import Trial
from sightline.lab._protocol import FoldId, Protocol
from sightline.lab._results import Results
from sightline.lab._runner import Plan, run
from sightline.lab._store import ResultStore
from sightline.lab.papers import stumps
from sightline.lab.papers._stump_baselines import AveragedTreeClassifier
from sightline.lab.papers._stump_example import example_figures, example_table
from sightline.lab.papers.stumps import EXPERIMENT, GROWN, OURS, PRUNED, SIZES, TREE
from sightline.learn import StumpEnsembleClassifier
from sightline.table import Labels


def trial(repeat=0):
    return Trial(small_set(), Protocol(2, 3), FoldId(repeat, 0))


def fitted(one, **options):
    return StumpEnsembleClassifier(**options).fit(one.X_train, one.y_train)


@pytest.fixture(scope="module")
def results():
    """Two domains: one on which C4.5 makes no error, and the one whose errors the paper prints."""
    easy, hard = small_set("I0", 3), small_set("G4", 1)
    codes = (easy.X.columns[0].values > 0).astype(np.int32)
    easy = LoadedSet("I0", easy.X, Labels(codes, np.array(["rest", "yes"])))
    hard = LoadedSet("G4", hard.X, Labels(hard.y.codes, np.array(["rest", "tableware"])))
    plan = Plan([easy, hard], EXPERIMENT.learners, Protocol(2, 3))
    with ResultStore() as store:
        run(plan, store)
        return Results(plan, store)


def test_the_worst_depth_is_the_papers():
    model = fitted(trial(), max_depth=2)
    assert stumps.stump_notes(model, trial()) == {
        "stumps": len(model.stumps_),
        "worst_depth": 2 * len(model.stumps_),
    }


def test_sizes_are_those_of_the_trees_and_graphs():
    model = fitted(trial())
    notes = stumps.size_notes(model, trial())
    assert notes["stacked"] == model.stacked_size_
    assert notes["possible"] == model.to_tree("possible").n_nodes
    assert notes["equal"] == model.to_tree("equal").n_nodes
    assert notes["graph"] == model.to_graph().n_nodes <= notes["graph, usage order"]


def test_what_is_beyond_the_budget_is_not_noted(monkeypatch):
    model = fitted(trial(), prune=False)
    monkeypatch.setattr(stumps, "MAX_TREE", 3)
    notes = stumps.size_notes(model, trial())
    assert "equal" not in notes
    assert "graph" in notes


def test_sizes_are_measured_in_the_first_cross_validation_only():
    assert set(stumps.size_notes(fitted(trial()), trial(repeat=1))) == {"stumps", "worst_depth"}


def test_errors_are_relative_to_the_mean_of_c45(results):
    base = (1 - results.fold_numbers("G4", TREE, "accuracy")).mean()
    ours = 1 - results.fold_numbers("G4", OURS, "accuracy")
    expected = [ours[:3].mean() / base, ours[3:].mean() / base]
    assert stumps.relative_errors(results, "G4", OURS) == pytest.approx(expected)
    assert stumps.relative_errors(results, "G4", TREE).mean() == pytest.approx(1)


def test_tables(results):
    table = stumps.error_table(results)
    easy, hard, means, lower, _ = table.rows
    assert easy[0] == "I0 (iris: yes)"
    assert hard[0] == "G4 (glass: tableware)"
    assert hard[1].paper == 1.4
    places = {name: table.columns.index(name) for name in (GROWN, PRUNED, OURS)}
    assert hard[places[GROWN]].paper == hard[places[PRUNED]].paper == pytest.approx(3.7 / 1.4)
    assert hard[places[OURS]].paper is None
    if results.mean("I0", TREE, "error") == 0:
        # There is no ratio to an error of 0: cells show percentages, which no mean includes.
        assert easy[places[OURS]].endswith("%")
        assert means[places[OURS]] == pytest.approx(hard[places[OURS]].ours)
        assert lower[places[OURS]].endswith(" of 1")
    sizes = stumps.size_table(results, OURS)
    assert sizes.columns[4:] == SIZES[1:]
    assert len(stumps.find(results).tables) == 4 + len(stumps.SIZED)


def test_what_the_paper_prints_is_told(results):
    assert "1.4% for C4.5 and 3.7% for the ensembles" in stumps.remarks(results)[0]


def test_the_example_shrinks_step_by_step():
    data = small_set("G2", 1)
    table = example_table(data, stumps.READING)
    sizes = [int(row[1]) for row in table.rows[2:]]
    assert sizes == sorted(sizes, reverse=True)
    names = [drawing.name for drawing in example_figures(data, stumps.READING)]
    assert names == ["example_tree", "example_stumps", "example_simplified", "example_graph"]


def test_the_average_over_prunings_by_hand():
    # One test, two pure leaves of two rows. Under a uniform prior, a node with 2 and 2 rows has probability
    # 2! 2! / 5! = 1/30, a leaf with 2 and 0 has 2! / 3! = 1/3. So the root ends the tree with probability
    # (1/30) / (1/30 + 1/9) = 3/13, and a leaf says 3/13 * 1/2 + 10/13 * 3/4.
    X, y = [[0.0], [0.0], [1.0], [1.0]], ["no", "no", "yes", "yes"]
    tree = AveragedTreeClassifier(prune=False, min_leaf=1, mdl_correction=False).fit(X, y)
    expected = 3 / 13 / 2 + 10 / 13 * 3 / 4
    np.testing.assert_allclose(tree.predict_proba([[0.0]])[0], [expected, 1 - expected])


def test_over_pruning_stops_at_the_tolerance():
    random = np.random.RandomState(0)
    X = random.rand(80, 5)
    y = (X[:, 0] + X[:, 1] + 0.3 * random.rand(80) > 1.1).astype(int)
    sizes = [
        len(StumpEnsembleClassifier(tolerance=tolerance).fit(X, y).stumps_)
        for tolerance in (0.0, 0.2, 1.0, 1e9)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[2]
    assert sizes[3] == 1
