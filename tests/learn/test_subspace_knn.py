"""Subspace k-NN against the slow reference, and what it says about bad input."""

import random

import numpy as np
import pytest
from learn import subspace_reference as reference
from sklearn.datasets import load_iris, make_classification
from strategies import random_labels, random_schema, random_table

import sightline as sl
from sightline import _core
from sightline.model import NeighbourEnsemble


class Problem:
    """Small random cases, rows and masks, with ties and missing values."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.schema = random_schema(rng, 5)
        self.cases = random_table(rng, self.schema, rng.randint(1, 12))
        self.rows = random_table(rng, self.schema, 4)
        self.n_classes = rng.randint(1, 3)
        self.labels = random_labels(rng, self.cases.n_rows, self.n_classes)
        self.masks = np.array([[rng.random() < 0.5 for _ in self.schema.features] for _ in range(3)])
        self.masks[~self.masks.any(axis=1), 0] = True
        self.k = rng.randint(1, 4)
        self.nominal = [feature.is_nominal for feature in self.schema.features]
        self.scaled = reference.scaled(self.cases, self.cases)

    def core(self):
        return _core.SubspaceKNNCases(self.cases.native(), self.labels.codes, self.n_classes)

    def shares(self, row, mask, left_out=None):
        return reference.shares(
            row, self.scaled, self.labels.codes, self.n_classes, mask, self.nominal, self.k, left_out
        )


@pytest.fixture(params=range(40))
def problem(request):
    return Problem(request.param)


def flat(masks):
    return masks.astype(np.uint8).ravel()


def test_member_shares_are_those_of_the_reference(problem):
    ensemble = NeighbourEnsemble(problem.cases, problem.labels, problem.masks, problem.k)
    rows = reference.scaled(problem.rows, problem.cases)
    expected = [[problem.shares(row, mask) for mask in problem.masks] for row in rows]
    np.testing.assert_array_equal(ensemble.member_shares(problem.rows), expected)


def test_leave_one_out_shares_are_those_of_the_reference(problem):
    ensemble = NeighbourEnsemble(problem.cases, problem.labels, problem.masks, problem.k)
    expected = [
        [problem.shares(row, mask, left_out=i) for mask in problem.masks]
        for i, row in enumerate(problem.scaled)
    ]
    np.testing.assert_array_equal(ensemble.member_shares(None), expected)


@pytest.mark.parametrize("with_ambiguity", [False, True])
def test_search_is_that_of_the_reference(problem, with_ambiguity):
    found = problem.core().search(flat(problem.masks), problem.k, with_ambiguity, 0.05, 4, 2)
    masks, shares = reference.search(
        problem.scaled,
        problem.labels.codes,
        problem.n_classes,
        problem.masks,
        problem.nominal,
        problem.k,
        with_ambiguity,
        0.05,
        4,
    )
    np.testing.assert_array_equal(found.masks, masks)
    np.testing.assert_array_equal(found.shares.reshape(shares.shape), shares)


@pytest.mark.thorough
def test_search_over_more_rows_than_groups_is_that_of_the_reference():
    X, y = make_classification(150, 4, n_informative=3, n_redundant=0, random_state=0)
    table, labels = sl.Table.from_any(np.round(X)), sl.Labels.from_any(y)
    masks = np.array([[True, False, False, True], [False, True, True, False]])
    found = _core.SubspaceKNNCases(table.native(), labels.codes, 2).search(flat(masks), 3, True, 0.05, 2, 1)
    scaled = reference.scaled(table, table)
    expected, shares = reference.search(scaled, labels.codes, 2, masks, [False] * 4, 3, True, 0.05, 2)
    np.testing.assert_array_equal(found.masks, expected)
    np.testing.assert_array_equal(found.shares.reshape(shares.shape), shares)


@pytest.mark.parametrize("k", [16, 17, 64, 65])
@pytest.mark.parametrize("nominal", [True, False], ids=["categories", "numbers"])
def test_searches_for_many_neighbors_are_those_of_the_reference(k, nominal):
    """Up to 16 neighbors, up to 64 and beyond, the limit of their distances is found in different ways."""
    rng = random.Random(k)
    rows = [[rng.choice("abcdef") if nominal else rng.random() for _ in range(2)] for _ in range(80)]
    table, labels = sl.Table.from_any(rows), sl.Labels.from_any([rng.randrange(2) for _ in rows])
    masks = np.array([[True, False]])
    found = _core.SubspaceKNNCases(table.native(), labels.codes, 2).search(flat(masks), k, False, 0.05, 2, 1)
    scaled = reference.scaled(table, table)
    expected, shares = reference.search(
        scaled, labels.codes, 2, masks, [nominal] * 2, k, with_ambiguity=False, threshold=0.05, max_passes=2
    )
    np.testing.assert_array_equal(found.masks, expected)
    np.testing.assert_array_equal(found.shares.reshape(shares.shape), shares)


# ---------------------------------------------------------------- leave-one-out is real


def lonely():
    """Every case is nearest to itself, and its neighbors have other classes: honest votes go wrong."""
    X = np.arange(20.0)[:, None]
    return sl.Table.from_any(X), sl.Labels.from_any(np.arange(20) % 2)


def test_no_case_votes_for_itself():
    table, labels = lonely()
    ensemble = NeighbourEnsemble(table, labels, np.ones((1, 1), dtype=bool), k=1)
    left_out = ensemble.winners(ensemble.member_shares(None)[:, 0])
    assert (left_out != labels.codes).all()
    # A leak would be noticed: with themselves among the cases all are right.
    leaking = ensemble.winners(ensemble.member_shares(table)[:, 0])
    assert (leaking == labels.codes).all()


def test_leaving_out_is_predicting_without_the_case():
    X, y = make_classification(60, 5, random_state=1)
    ends = np.array([X.min(axis=0), X.max(axis=0)])  # kept in all folds, so that ranges stay the same
    X, y = np.vstack([ends, X]), np.concatenate([[0, 1], y])
    masks = np.array([[True, True, False, True, False], [False, True, True, True, True]])
    labels = sl.Labels.from_any(y)
    together = NeighbourEnsemble(sl.Table.from_any(X), labels, masks, k=3).member_shares(None)
    for left_out in range(2, 20):
        others = np.delete(np.arange(len(X)), left_out)
        without = NeighbourEnsemble(sl.Table.from_any(X[others]), labels[others], masks, k=3)
        np.testing.assert_array_equal(without.member_shares(X[[left_out]])[0], together[left_out])


def test_search_does_not_count_the_case_itself():
    """With one neighbor a leaking search would find no error and stop; this one sees errors and climbs."""
    table, labels = lonely()
    knn = sl.SubspaceKNNClassifier(n_members=1, k=1, search="hc", random_state=0).fit(table, labels)
    assert knn.loo_error_ == knn.member_loo_error_ == 1.0


# ---------------------------------------------------------------- the estimator


X, Y = make_classification(120, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, random_state=0)


@pytest.mark.parametrize("search", ["ambhc", "hc", "random"])
def test_searches_are_honest_about_themselves(search):
    knn = sl.SubspaceKNNClassifier(n_members=5, search=search, random_state=0).fit(X, Y)
    shares = knn.ensemble_.member_shares(None)
    assert knn.loo_error_ == np.mean(knn.ensemble_.answers(None)[0] != Y)
    assert knn.member_loo_error_ == pytest.approx(np.mean(knn.ensemble_.winners(shares) != Y[:, None]))
    assert knn.n_search_rows_ == 120


def test_hill_climbing_lowers_the_members_error_and_ambiguity_keeps_them_apart():
    fits = {
        search: sl.SubspaceKNNClassifier(search=search, random_state=0).fit(X, Y)
        for search in ("random", "hc", "ambhc")
    }
    assert fits["hc"].member_loo_error_ < fits["random"].member_loo_error_
    assert fits["ambhc"].ambiguity_ > fits["hc"].ambiguity_
    assert fits["hc"].is_settled_


def test_result_does_not_depend_on_threads():
    strings = {
        sl.SubspaceKNNClassifier(n_members=4, random_state=0, n_jobs=n).fit(X, Y).to_json() for n in (1, 2, 3)
    }
    assert len(strings) == 1


def test_large_tables_are_searched_on_a_sample_and_predicted_from_all():
    knn = sl.SubspaceKNNClassifier(n_members=3, max_search_rows=50, random_state=0).fit(X, Y)
    assert knn.n_search_rows_ == 50
    assert knn.ensemble_.cases.n_rows == 120
    assert "on a sample of 50 cases; predictions use all cases" in knn.to_text()


def test_nominal_and_missing_values_and_many_classes():
    rows = [["a", 1.0], ["a", None], [None, 2.0], ["b", 9.0], ["b", None], ["c", 8.0]] * 3
    knn = sl.SubspaceKNNClassifier(n_members=3, k=2, random_state=0).fit(rows, list("uuvwwx") * 3)
    assert knn.predict([["a", 1.0], ["b", 9.0]]).tolist() == ["u", "w"]
    # A category that no case has, and a row of nothing, are as far from all cases as can be.
    for row in (["new", 1.0], [None, None]):
        np.testing.assert_allclose(knn.predict_proba([row]).sum(axis=1), 1)


def test_more_neighbors_than_cases_are_all_others():
    knn = sl.SubspaceKNNClassifier(n_members=2, k=50, random_state=0).fit([[0.0], [1.0], [2.0]], [0, 0, 1])
    few = sl.SubspaceKNNClassifier(n_members=2, k=3, random_state=0).fit([[0.0], [1.0], [2.0]], [0, 0, 1])
    np.testing.assert_array_equal(knn.predict_proba([[1.5]]), few.predict_proba([[1.5]]))


def test_fewer_rows_than_members_constant_features_and_one_class():
    knn = sl.SubspaceKNNClassifier(random_state=0).fit([[1.0, 5.0], [1.0, 5.0]], ["only", "only"])
    assert knn.predict([[7.0, 5.0]]).tolist() == ["only"]
    assert knn.loo_error_ == 0
    one = sl.SubspaceKNNClassifier(random_state=0).fit([[1.0]], [3])
    assert one.predict([[2.0]]).tolist() == [3]


def test_columns_of_nothing_but_missing_values():
    table = sl.Table.from_any([[np.nan, 0.0], [np.nan, 1.0], [np.nan, 9.0]])
    knn = NeighbourEnsemble(table, sl.Labels.from_any([0, 0, 1]), np.array([[True, False], [True, True]]), 1)
    # All are as far away as can be in the first column: the first case is the nearest.
    assert (knn.member_shares([[np.nan, 8.0]]) / 2**30).tolist() == [[[1, 0], [0, 1]]]


def test_numbers_of_any_size_are_scaled():
    huge = np.array([[-1.7e308], [-1.6e308], [1.6e308], [1.7e308]])
    knn = sl.SubspaceKNNClassifier(n_members=1, k=1, random_state=0).fit(huge, [0, 0, 1, 1])
    assert knn.predict([[-1.0e308], [1.0e308]]).tolist() == [0, 1]


def test_infinite_values_are_refused():
    message = (
        r"^Input X contains infinity or a value too large for dtype\('float64'\), "
        r"first in column 'x0' at row 1\.$"
    )
    with pytest.raises(sl.DataError, match=message):
        sl.SubspaceKNNClassifier().fit([[0.0], [np.inf]], [0, 1])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"k": 0},
            "The 'k' parameter of SubspaceKNNClassifier must be an int in the range [1, inf). Got 0 instead.",
        ),
        (
            {"search": "best"},
            "The 'search' parameter of SubspaceKNNClassifier must be a str among {'ambhc', 'hc', 'random'}. "
            "Got 'best' instead.",
        ),
        (
            {"max_search_rows": 1},
            "The 'max_search_rows' parameter of SubspaceKNNClassifier must be an int in the range "
            "[2, 50000]. Got 1 instead.",
        ),
    ],
)
def test_parameters_out_of_range(parameters, message):
    with pytest.raises(sl.ParameterError) as error:
        sl.SubspaceKNNClassifier(**parameters).fit(X, Y)
    assert sorted(str(error.value)) == sorted(message)


def test_an_ensemble_of_neighbors_cannot_be_loaded_as_trees():
    knn = sl.SubspaceKNNClassifier(n_members=2, random_state=0).fit(X, Y)
    with pytest.raises(sl.UnsupportedModelError) as error:
        sl.load(knn)
    assert str(error.value) == (
        "Cannot load a fitted sightline.learn._subspace_knn.SubspaceKNNClassifier: "
        "it holds neither an ensemble nor a tree."
    )


def test_masks_are_checked():
    table, labels = lonely()
    with pytest.raises(sl.ParameterError) as error:
        NeighbourEnsemble(table, labels, np.zeros((1, 1), dtype=bool), 1)
    assert str(error.value) == (
        "The masks must hold one row per member and one column for each of the 1 features, and every member "
        "must use one."
    )


def test_members_vote_or_are_averaged_with_their_weights():
    cases, labels = sl.Table.from_any([[0.0], [1.0]]), sl.Labels.from_any(["no", "yes"])
    # Two members lean to "no", the third is sure of "yes".
    shares = np.array([[[6, 4], [6, 4], [0, 10]]], dtype=np.int32)
    masks = np.ones((3, 1), dtype=bool)

    def label(**options):
        ensemble = NeighbourEnsemble(cases, labels, masks, 1, **options)
        return str(ensemble.classes_[ensemble.winners(ensemble.combined(shares))[0]])

    assert label() == label(combine="mean") == "yes"
    assert label(combine="vote") == "no"
    assert label(combine="vote", member_weights=[1, 1, 3]) == "yes"
    assert label(member_weights=[1, 1, 0]) == "no"


def test_weights_are_stored_and_come_from_left_out_rows(tmp_path):
    X, y = load_iris(return_X_y=True)
    options = {"n_members": 5, "search": "random", "random_state": 0}
    weighted = sl.SubspaceKNNClassifier(**options, combine="vote", member_weights="accuracy").fit(X, y)
    ensemble = weighted.ensemble_
    is_right = ensemble.winners(ensemble.member_shares(None)) == ensemble.labels.codes[:, None]
    np.testing.assert_allclose(ensemble.member_weights, (is_right.sum(axis=0) + 1) / 152)
    weighted.to_json(tmp_path / "members.json")
    again = sl.read_model(tmp_path / "members.json")
    np.testing.assert_array_equal(again.predict(X), weighted.predict(X))
    assert (again.combine, again.member_weights.tolist()) == ("vote", ensemble.member_weights.tolist())
    # Without a choice the file is as it was.
    assert "combine" not in sl.SubspaceKNNClassifier(**options).fit(X, y).to_json()
