"""Meta k-NN: descriptions of cases without having seen them, votes of the nearest, selection."""

import numpy as np
import pytest
from cases import each
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator

import sightline as sl
from sightline import _core
from sightline.model import member_views

X, Y = make_classification(90, 5, n_informative=3, n_redundant=0, random_state=0)
KNN = sl.SubspaceKNNClassifier(n_members=6, k=3, random_state=0).fit(X, Y)


def nearest_slowly(views, row, k, left_out=None):
    """All distances, sorted; ties to the first case."""
    squared = ((views.reshape(len(views), -1) - row.ravel()) ** 2).sum(axis=1)
    order = [int(i) for i in np.argsort(squared, kind="stable") if i != left_out]
    return order[:k]


def loo_votes(meta, left_out):
    base = meta.cases_
    near = nearest_slowly(base.views, base.views[left_out], base.k_meta, left_out)
    return np.bincount(base.labels.codes[near], minlength=len(base.classes_))


@pytest.fixture(scope="module")
def meta():
    return sl.MetaKNNClassifier(KNN, k_meta=5, predict_with="meta").fit(X, Y)


def test_the_nearest_views_are_those_of_a_full_scan():
    """Blocks of cases are given up early; ties, classes and the row's own case count as in a full scan."""
    random = np.random.RandomState(0)
    views = random.randint(0, 4, (333, 45)).astype(np.float32) / 3
    views[200:260] = views[:60]
    rows, own_class = np.ascontiguousarray(views[::9]), random.randint(0, 2, 37).astype(np.int32)
    own, codes = np.arange(0, 333, 9, dtype=np.int32), random.randint(0, 2, 333).astype(np.int32)
    sums = np.zeros((37, 333), dtype=np.float32)
    for column in range(45):  # in this order, so that sums round the same way
        difference = views[None, :, column] - rows[:, column, None]
        sums += difference * difference
    kernel = _core.CaseViews(views.ravel(), codes, 2)
    for itself, of_class in ((None, None), (own, None), (None, own_class), (own, own_class)):
        expected = sums.copy()
        if itself is not None:
            expected[np.arange(37), own] = np.inf
        if of_class is not None:
            expected[codes[None, :] != of_class[:, None]] = np.inf
        order = np.argsort(expected, axis=1, kind="stable")[:, :12]
        found, squared = kernel.nearest(rows.ravel(), 12, itself, of_class, 2)
        assert (found == order).all()
        assert (squared == np.take_along_axis(expected, order, axis=1)).all()


def test_the_nearest_case_of_another_class_is_that_of_a_full_scan():
    random = np.random.RandomState(1)
    X, codes = random.randint(0, 9, (333, 5)).astype(float), random.randint(0, 3, 333).astype(np.int32)
    kernel = _core.SubspaceKNNCases(sl.Table.from_any(X).native(), codes, 3)
    rows, own_class = sl.Table.from_any(X[:50] + 0.25), random.randint(0, 3, 50).astype(np.int32)
    everyone = np.tile(np.arange(333, dtype=np.int32), 50)
    distances = kernel.distances(rows.native(), everyone, 1).copy()
    distances[codes[None, :] == own_class[:, None]] = np.inf
    found, apart = kernel.nearest_other(rows.native(), own_class, 2)
    assert (found == distances.argmin(axis=1)).all()
    assert (apart == distances.min(axis=1)).all()


def test_descriptions_are_left_out_predictions(meta):
    np.testing.assert_array_equal(meta.cases_.views, member_views(KNN.ensemble_, None).views)
    assert meta.cases_.origin == "leave-one-out"


def test_neighbours_and_votes_are_those_of_the_slow_way(meta):
    rows = X[:20] + 0.05
    found, distances = meta.cases_.neighbours(rows)
    views = member_views(KNN.ensemble_, sl.Table.from_any(rows)).views
    for index, view in enumerate(views):
        near = nearest_slowly(meta.cases_.views, view, 5)
        assert found[index].tolist() == near
        share = np.bincount(Y[near], minlength=2) / 5
        np.testing.assert_allclose(meta.predict_proba(rows[[index]])[0], share)
    assert (np.diff(distances, axis=1) >= 0).all()


def test_fidelity_and_errors_leave_the_case_out(meta):
    ensemble_labels = KNN.ensemble_.answers(None)[0]
    voted = np.array([loo_votes(meta, i).argmax() for i in range(len(X))])
    assert meta.fidelity_ == np.mean(voted == ensemble_labels)
    assert meta.meta_error_ == np.mean(voted != Y)
    assert meta.ensemble_error_ == np.mean(ensemble_labels != Y)


def test_a_leak_would_be_noticed(meta):
    """Members that have seen a case repeat its label, so that the fidelity would be trivial."""
    leaking = member_views(KNN.ensemble_, sl.Table.from_any(X)).views
    assert ((leaking[:, :, 0] > 0.5) == Y[:, None]).mean() == 1
    honest = ((meta.cases_.views[:, :, 0] > 0.5) == Y[:, None]).mean()
    assert honest == pytest.approx(1 - KNN.member_loo_error_, abs=0.02)
    assert honest < 0.95


def test_number_of_voters_is_chosen_by_leave_one_out():
    meta = sl.MetaKNNClassifier(KNN).fit(X, Y)
    errors = [sl.MetaKNNClassifier(KNN, k_meta=k).fit(X, Y).meta_error_ for k in range(1, 26)]
    assert meta.meta_error_ == min(errors)
    assert meta.k_meta_ == int(np.argmin(errors)) + 1


def test_two_ways_to_predict():
    by_ensemble = sl.MetaKNNClassifier(KNN).fit(X, Y)
    np.testing.assert_array_equal(by_ensemble.predict_proba(X), KNN.predict_proba(X))
    by_cases = sl.MetaKNNClassifier(KNN, k_meta=1, predict_with="meta").fit(X, Y)
    assert set(by_cases.predict_proba(X).ravel()) == {0.0, 1.0}


def wrong_slowly(views, codes, k, weighted):
    """Return how many cases the k nearest others misjudge; ties between classes go to the most frequent."""
    wrong = 0
    by_frequency = np.argsort(-np.bincount(codes, minlength=3), kind="stable")
    for row in range(len(views)):
        near = nearest_slowly(views, views[row], k, row)
        apart = np.sqrt(((views[near] - views[row]) ** 2).reshape(len(near), -1).sum(axis=1))
        votes = np.zeros(3)
        for case, distance in zip(near, apart, strict=True):
            votes[codes[case]] += 1 / max(distance, 1e-9) if weighted else 1
        wrong += max(by_frequency, key=lambda label: votes[label]) != codes[row]
    return wrong


@pytest.mark.parametrize(("k", "weighted"), [(3, True), (3, False), (20, True)])
@each(seed=range(6))
def test_the_kernel_drops_the_members_that_a_slow_selection_drops(seed, k, weighted):
    rng = np.random.default_rng(seed)
    codes = rng.integers(3, size=40).astype(np.int32)
    signal = np.eye(3)[codes][:, None, :] * [[0.5]] * rng.integers(0, 2, size=(40, 5, 1))
    views = (signal + rng.integers(0, 8, size=(40, 5, 3)) / 16).astype(np.float32)
    stay = list(range(5))
    now = wrong_slowly(views, codes, k, weighted)
    for member in reversed(range(5)):
        others = [other for other in stay if other != member]
        if others and (without := wrong_slowly(views[:, others], codes, k, weighted)) <= now:
            stay, now = others, without
    assert _core.CaseViews(views.ravel(), codes, 3).select(k, 3, weighted, 1) == stay


def test_of_members_that_are_all_alike_the_first_stays():
    codes = (np.arange(30) % 3).astype(np.int32)
    views = np.repeat(np.eye(3, dtype=np.float32)[codes][:, None, :], 4, axis=1)
    assert _core.CaseViews(views.ravel(), codes, 3).select(3, 3, True, 1) == [0]


def test_members_are_dropped_while_errors_stay():
    every = sl.MetaKNNClassifier(KNN, k_meta=5).fit(X, Y)
    some = sl.MetaKNNClassifier(KNN, k_meta=5, select_members=True).fit(X, Y)
    assert some.meta_error_ <= every.meta_error_
    assert 0 < len(some.cases_.members) < 6
    # The slow way: from the last member to the first, gone if it is not missed.
    stay = list(range(6))
    views = every.cases_.views
    now = every.meta_error_

    def error(members):
        own = views[:, members].astype(np.float64)
        wrong = 0
        for i in range(len(X)):
            near = nearest_slowly(own, own[i], 5, i)
            wrong += np.bincount(Y[near], minlength=2).argmax() != Y[i]
        return wrong / len(X)

    for member in reversed(range(6)):
        fewer = [m for m in stay if m != member]
        if fewer and error(fewer) <= now:
            stay, now = fewer, error(fewer)
    assert some.cases_.members == stay
    np.testing.assert_array_equal(some.predict(X), KNN.predict(X))


def test_fitted_ensemble_of_other_rows_is_not_called_left_out():
    meta = sl.MetaKNNClassifier(KNN).fit(X[:50] + 0.01, Y[:50])
    assert meta.cases_.origin == "seen"
    assert "an ensemble that may have seen them" in str(meta.explain(X[0]))


def test_frozen_and_unfitted_ensembles():
    frozen = sl.MetaKNNClassifier(FrozenEstimator(KNN)).fit(X, Y)
    assert frozen.cases_.ensemble is KNN.ensemble_
    fresh = sl.MetaKNNClassifier(clone(KNN)).fit(X, Y)
    np.testing.assert_array_equal(fresh.cases_.views, frozen.cases_.views)


# ---------------------------------------------------------------- trees as members


def test_forest_describes_by_trees_that_have_not_seen_the_case():
    forest = RandomForestClassifier(30, random_state=0).fit(X, Y)
    base = sl.MetaKNNClassifier(forest).fit(X, Y).cases_
    assert base.origin == "out-of-bag"
    shares = np.array([tree.predict_proba(X)[:, 1] for tree in forest.estimators_])
    samples = forest.estimators_samples_  # drawn again whenever it is asked for
    for t, drawn in enumerate(samples):
        out_of_bag = np.setdiff1d(np.arange(len(X)), drawn)
        np.testing.assert_allclose(base.views[out_of_bag, t, 0], shares[t, out_of_bag], atol=1e-6)
        seen = np.unique(drawn)
        # The mean of the others replaces it: the tree learned its own rows by heart.
        others = [np.setdiff1d(np.arange(30), [s for s in range(30) if i in samples[s]]) for i in seen[:3]]
        for i, trees in zip(seen[:3], others, strict=True):
            assert base.views[i, t, 0] == pytest.approx(shares[trees, i].mean(), abs=1e-6)


def test_boosting_is_fitted_again_without_the_case():
    boosted = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(X, Y)
    meta = sl.MetaKNNClassifier(boosted).fit(X, Y)
    assert meta.cases_.origin == "cross-fitted"
    assert meta.ensemble_error_ > 1 - boosted.score(X, Y)
    np.testing.assert_array_equal(meta.predict(X), boosted.predict(X))
    assert "each described by an ensemble fitted without it" in str(meta.explain(X[0]))


def test_loaded_ensembles_cannot_be_fitted_again():
    loaded = sl.load(GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, Y))
    assert sl.MetaKNNClassifier(loaded).fit(X, Y).cases_.origin == "seen"


def test_many_classes_and_bagged_c45():
    many_X, many_y = make_classification(120, 6, n_informative=5, n_redundant=0, n_classes=3, random_state=0)
    bagged = sl.BaggedTreesClassifier(n_trees=10, random_state=0)
    meta = sl.MetaKNNClassifier(bagged, predict_with="meta").fit(many_X, many_y)
    assert meta.cases_.origin == "out-of-bag"
    assert meta.cases_.views.shape == (120, 10, 3)
    assert meta.cases_.weighted
    assert meta.score(many_X, many_y) > 0.7


def test_result_does_not_depend_on_threads():
    models = {
        sl.MetaKNNClassifier(RandomForestClassifier(5, random_state=0), n_jobs=n, random_state=0)
        .fit(X, Y)
        .to_json()
        for n in (1, 2)
    }
    assert len(models) == 1


def test_fidelity_of_large_tables_is_measured_on_a_sample():
    meta = sl.MetaKNNClassifier(KNN, max_judged_rows=30, select_members=True, random_state=0).fit(X, Y)
    assert meta.cases_.judgement.n_cases == 30
    assert meta.cases_.cases.n_rows == 90


def test_cases_need_outcomes():
    forest = RandomForestClassifier(3, random_state=0).fit(X, Y)
    with pytest.raises(sl.DataError) as error:
        sl.MetaKNNClassifier(forest).fit(X, None)
    assert str(error.value) == (
        "MetaKNNClassifier requires y to be passed, but the target y is None: cases without labels "
        "cannot explain anything."
    )


def test_labels_that_the_ensemble_does_not_know():
    with pytest.raises(sl.DataError) as error:
        sl.MetaKNNClassifier(KNN).fit(X, Y + 1)
    assert str(error.value).startswith("y has the label 2 (first at row ")
    assert str(error.value).endswith("), which the ensemble does not know. Its classes are 0 and 1.")


def test_single_class_and_single_case():
    one = sl.MetaKNNClassifier(sl.SubspaceKNNClassifier(n_members=2)).fit([[1.0], [2.0]], ["a", "a"])
    assert one.predict([[5.0]]).tolist() == ["a"]
    assert one.explanations([[5.0]])[0].contrast is None
    alone = sl.MetaKNNClassifier(sl.SubspaceKNNClassifier(n_members=2)).fit([[1.0]], ["a"])
    assert alone.fidelity_ == 1
    assert alone.predict([[5.0]]).tolist() == ["a"]
