"""Models of many classes answer like models of a few, and do not need memory for every class of every node.

Trees leave out zeros where that pays, which it never does with a few classes. So the oracle of a model
is the same model with its few classes spread over hundreds.
"""

from __future__ import annotations

import pickle
import sys
from textwrap import dedent

import numpy as np
import pytest
from absent import IS_SANITIZED, NO_LINUX, SANITIZED

import sightline as sl
from benchmarks._memory import added_bytes
from sightline import _core
from sightline.distill import n_learned_trees
from sightline.distill._class_limit import check_class_numbers
from sightline.exceptions import DataError
from sightline.model._ensemble import recombined

N_CLASSES = 400
PLACES = np.array([3, 40, 41, 250, 399])
"""Where the classes of the small model are among those of the wide one."""


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).round(1)
    y = (np.digitize(X[:, 0] + X[:, 1] * X[:, 2], [-1.5, -0.4, 0.4, 1.5]) + rng.integers(0, 2, 300)) % 5
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


@pytest.fixture(scope="module")
def bagged(rows: tuple[np.ndarray, np.ndarray]) -> sl.Ensemble:
    return sl.BaggedTreesClassifier(n_trees=7, random_state=0).fit(*rows).ensemble_


def spread(numbers: np.ndarray) -> np.ndarray:
    wide = np.zeros((*numbers.shape[:-1], N_CLASSES))
    wide[..., PLACES] = numbers
    return wide


def widened(ensemble: sl.Ensemble, votes: bool = False) -> sl.Ensemble:
    trees = [tree.with_output(spread(np.asarray(tree.output))) for tree in ensemble.core.trees]
    core = _core.Ensemble(
        trees=trees,
        n_scores=N_CLASSES,
        votes=votes,
        tree_weight=ensemble.core.tree_weight,
        vote_against=[0.0] * len(trees) if votes else [],
        tree_score=[-1] * len(trees),
        base=[0.0] * N_CLASSES,
        single_precision=[False] * N_CLASSES,
        tie_tolerance=ensemble.core.tie_tolerance,
        base_last=[False] * N_CLASSES,
    )
    return ensemble.replaced(core=core, classes=np.arange(N_CLASSES))


class TestEnsemble:
    def test_outputs_come_back_in_full(self, bagged: sl.Ensemble) -> None:
        for narrow, wide in zip(bagged.core.trees, widened(bagged).core.trees, strict=True):
            assert wide.output.shape == (narrow.n_nodes, N_CLASSES)
            assert not wide.output.flags.writeable
            assert np.array_equal(wide.output, spread(np.asarray(narrow.output)))

    @pytest.mark.parametrize("complete", [True, False])
    def test_scores_are_those_of_the_few_classes(
        self, bagged: sl.Ensemble, rows: tuple[np.ndarray, np.ndarray], complete: bool
    ) -> None:
        X = np.nan_to_num(rows[0]) if complete else rows[0]
        wide = widened(bagged)
        assert np.array_equal(wide.scores(X), spread(bagged.scores(X)))
        assert np.array_equal(wide.predict(X), PLACES[np.searchsorted(bagged.classes_, bagged.predict(X))])
        assert np.array_equal(wide.answers(X)[1], spread(bagged.answers(X)[1]))

    def test_votes_are_those_of_the_few_classes(
        self, bagged: sl.Ensemble, rows: tuple[np.ndarray, np.ndarray]
    ) -> None:
        narrow = bagged.replaced(
            core=_core.Ensemble(
                trees=bagged.core.trees,
                n_scores=5,
                votes=True,
                tree_weight=[1.0] * 7,
                vote_against=[0.0] * 7,
                tree_score=[-1] * 7,
                base=[0.0] * 5,
                single_precision=[False] * 5,
                tie_tolerance=1e-6,
                base_last=[False] * 5,
            )
        )
        assert np.array_equal(widened(narrow, votes=True).scores(rows[0]), spread(narrow.scores(rows[0])))

    def test_recombined_trees_keep_their_outputs(self, bagged: sl.Ensemble) -> None:
        wide = widened(bagged).core
        again = recombined(wide, [tree.with_output(np.ascontiguousarray(tree.output)) for tree in wide.trees])
        for first, second in zip(wide.trees, again.trees, strict=True):
            assert np.array_equal(first.output, second.output)

    def test_tree_of_many_classes_survives_a_copy(self, bagged: sl.Ensemble) -> None:
        tree = widened(bagged).trees[0]
        assert np.array_equal(pickle.loads(pickle.dumps(tree)).core.output, tree.core.output)


class TestDistilledTree:
    @pytest.mark.parametrize("objective", ["labels", "both", "probabilities"])
    def test_tree_is_that_of_the_few_classes(
        self, bagged: sl.Ensemble, rows: tuple[np.ndarray, np.ndarray], objective: str
    ) -> None:
        def distilled(ensemble: sl.Ensemble) -> _core.Tree:
            learner = sl.DistilledTreeClassifier(
                ensemble, max_leaves=12, augment=0, objective=objective, random_state=0
            )
            return learner.fit(rows[0]).tree_.core

        few, many = distilled(bagged), distilled(widened(bagged))
        for name in ("test", "feature", "threshold", "share", "weight"):
            assert np.array_equal(getattr(few, name), getattr(many, name))
        assert np.array_equal(many.output, spread(np.asarray(few.output)))
        assert np.array_equal(many.counts, spread(np.asarray(few.counts)))

    def test_rows_are_asked_in_blocks_if_there_are_many_answers(
        self, bagged: sl.Ensemble, rows: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def distilled() -> str:
            return sl.DistilledTreeClassifier(bagged, max_leaves=8, random_state=0).fit(*rows).tree_.to_text()

        whole = distilled()
        monkeypatch.setattr("sightline.distill._teacher._MAX_KEPT", 10)
        monkeypatch.setattr("sightline.model._rows._MAX_NUMBERS", 10)
        assert distilled() == whole


class TestC45:
    def test_tree_is_that_of_the_few_classes(self, rows: tuple[np.ndarray, np.ndarray]) -> None:
        X, y = rows
        table = sl.Table.from_any(X)
        few = sl.learn.Growth(table, sl.Labels(y.astype(np.int32), np.arange(5)), sl.C45Classifier()).tree()
        labels = sl.Labels(PLACES[y].astype(np.int32), np.arange(N_CLASSES))
        many = sl.learn.Growth(table, labels, sl.C45Classifier()).tree()
        for name in ("test", "feature", "threshold", "share", "weight"):
            assert np.array_equal(getattr(few.core, name), getattr(many.core, name))
        assert np.array_equal(many.core.counts, spread(np.asarray(few.core.counts)))
        assert np.array_equal(many.core.output, spread(np.asarray(few.core.output)))

    def test_smoothed_leaves_have_every_class(self, rows: tuple[np.ndarray, np.ndarray]) -> None:
        labels = sl.Labels(PLACES[rows[1]].astype(np.int32), np.arange(N_CLASSES))
        tree = sl.learn.Growth(sl.Table.from_any(rows[0]), labels, sl.C45Classifier(laplace=True)).tree()
        assert (tree.core.output > 0).all()
        assert np.allclose(tree.core.output.sum(axis=1), 1)


def test_out_of_bag_votes_are_counted_in_blocks(
    rows: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = sl.BaggedTreesClassifier(n_trees=5, random_state=0).fit(*rows)
    monkeypatch.setattr("sightline.model._rows._MAX_NUMBERS", 10)
    parts = sl.BaggedTreesClassifier(n_trees=5, random_state=0).fit(*rows)
    assert np.array_equal(whole.oob_votes_, parts.oob_votes_)
    assert np.array_equal(whole.oob_decision_function_, parts.oob_decision_function_, equal_nan=True)
    assert whole.oob_score_ == parts.oob_score_


SETUP = dedent("""
    import sys
    import numpy as np
    import sightline as sl
    learner, n_classes = eval(sys.argv[1]), int(sys.argv[2])
    rng = np.random.default_rng(0)
    y = np.arange(10_000) % n_classes
    X = 2 * rng.normal(size=(n_classes, 5))[y] + rng.normal(size=(len(y), 5))
    learner.fit(X[:20], y[:20] % 2)  # loads all modules
""")


def added_megabytes(learner: str, n_classes: int) -> float:
    """Memory that a fit and a prediction of 10,000 rows add to a process of their own."""
    return added_bytes(SETUP, "learner.fit(X, y).predict(X)", learner, str(n_classes)) / 2**20


@pytest.mark.skipif(sys.platform != "linux", reason=NO_LINUX)
@pytest.mark.skipif(IS_SANITIZED, reason=SANITIZED)
@pytest.mark.parametrize(
    ("learner", "most"),
    [
        ("sl.C45Classifier()", 60),
        pytest.param("sl.BaggedTreesClassifier(n_trees=4, random_state=0)", 90, marks=pytest.mark.thorough),
        pytest.param(
            "sl.DistilledTreeClassifier(sl.C45Classifier(), max_leaves=40, augment=0, random_state=0)",
            200,
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_memory_does_not_grow_with_classes_times_nodes(learner: str, most: int) -> None:
    # In full, the counts and outputs of a tree of 5,000 nodes are 40 MB, and twice that while it grows.
    assert added_megabytes(learner, 500) < most


@pytest.mark.parametrize("distiller", [sl.ISMClassifier, sl.RuleSetClassifier])
def test_distillers_that_store_every_class_refuse_a_thousand_of_them_before_learning(distiller: type) -> None:
    y = np.arange(100_000) % 1_000
    with pytest.raises(DataError) as refusal:
        distiller().fit(y[:, None] / 7, y)
    assert str(refusal.value) == (
        f"{distiller.__name__} stores every class of every row and node: 100,000 rows with 1,000 classes are "
        "too many. Use DistilledTreeClassifier, or fewer rows and smaller trees."
    )
    with pytest.raises(DataError, match="300,000 nodes with 1,000 classes are too many"):
        check_class_numbers(distiller(), 10, 1_000, 300_000)
    check_class_numbers(distiller(), 10_000_000, 200)


def test_hundreds_of_classes_get_the_learners_own_number_of_trees() -> None:
    few, many = (sl.Labels.from_any(np.arange(n_classes)) for n_classes in (200, 201))
    tree = sl.DistilledTreeClassifier()
    assert n_learned_trees(tree, few) == 200
    assert n_learned_trees(tree, many) is None
    assert n_learned_trees(sl.ISMClassifier(), few) is None
