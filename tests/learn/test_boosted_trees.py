import pickle
import re

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sightline as sl
from sightline.table import Labels, Table


@pytest.fixture(scope="module", params=[2, 4])
def data(request):
    rng = np.random.default_rng(11)
    X = rng.normal(size=(200, 3)).round(1)
    X[rng.random(X.shape) < 0.05] = np.nan
    signal = np.nansum(X[:, :2], axis=1) + rng.normal(scale=0.3, size=200)
    y = np.digitize(signal, np.linspace(-1, 1, request.param + 1)[1:-1])
    return X, y


def boost_slowly(X, y, base, n_trees, algorithm, weights=None):
    """AdaBoost with loops: trees, votes and errors."""
    n, n_classes = len(y), len(set(y))
    weights = [1.0] * n if weights is None else list(weights)
    total = sum(weights)
    chance = 0.5 if algorithm == "m1" else 1 - 1 / n_classes
    trees, votes, errors = [], [], []
    while len(trees) < n_trees:
        learner = sl.C45Classifier(**base.get_params()).fit(X, y, np.array(weights))
        wrong = [guess != label for guess, label in zip(learner.predict(X), y, strict=True)]
        error = sum(w for w, is_wrong in zip(weights, wrong, strict=True) if is_wrong) / total
        if error == 0 or error >= chance:
            if not trees:
                return [learner], [1.0], [error]
            break
        vote = np.log((1 - error) / error)
        if algorithm == "samme":
            vote += np.log(n_classes - 1)
        trees.append(learner)
        votes.append(vote)
        errors.append(error)
        weights = [w * np.exp(vote) if is_wrong else w for w, is_wrong in zip(weights, wrong, strict=True)]
        scale = total / sum(weights)
        weights = [w * scale for w in weights]
    return trees, votes, errors


@pytest.mark.parametrize("algorithm", ["m1", "samme"])
@pytest.mark.parametrize("max_depth", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_trees_and_votes_are_those_of_the_loop(data, algorithm, max_depth, weighted):
    X, y = data
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float) if weighted else None
    base = sl.C45Classifier(max_depth=max_depth)
    learner = sl.BoostedTreesClassifier(base, n_trees=6, algorithm=algorithm).fit(X, y, weights)
    trees, votes, errors = boost_slowly(X, y, base, 6, algorithm, weights)
    ensemble = learner.ensemble_
    assert ensemble.n_trees == len(trees)
    np.testing.assert_allclose(ensemble.core.tree_weight, votes, rtol=1e-9)
    np.testing.assert_allclose(learner.tree_errors_, errors, rtol=1e-9)
    for mine, slow in zip(ensemble.trees, trees, strict=True):
        np.testing.assert_array_equal(mine.core.feature, slow.tree_.core.feature)
        np.testing.assert_array_equal(mine.core.threshold, slow.tree_.core.threshold)
    # Every tree gives its vote to the class it predicts.
    expected = np.zeros((len(y), len(learner.classes_)))
    for slow, vote in zip(trees, votes, strict=True):
        expected[np.arange(len(y)), slow.predict(X)] += vote
    np.testing.assert_allclose(learner.predict_proba(X), expected / sum(votes), rtol=1e-9)
    assert learner.predict(X).tolist() == expected.argmax(axis=1).tolist()


def test_auto_is_samme(data):
    X, y = data
    auto = sl.BoostedTreesClassifier(sl.C45Classifier(max_depth=1), n_trees=4).fit(X, y)
    samme = sl.BoostedTreesClassifier(sl.C45Classifier(max_depth=1), n_trees=4, algorithm="samme").fit(X, y)
    assert auto.to_json() == samme.to_json()


def test_both_algorithms_agree_for_two_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    strings = {
        sl.BoostedTreesClassifier(sl.C45Classifier(max_depth=2), 5, algorithm=a).fit(X, y).to_json()
        for a in ("m1", "samme")
    }
    assert len(strings) == 1


def test_perfect_first_tree_is_the_whole_ensemble():
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]
    learner = sl.BoostedTreesClassifier().fit(X, y)
    assert learner.ensemble_.n_trees == 1
    assert learner.tree_errors_.tolist() == [0.0]
    assert learner.predict_proba(X).tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]


def test_perfect_later_tree_ends_the_boosting_unused():
    """A stump errs on one row, whose weight then makes the next stump perfect on the rest."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2))
    y = ((X[:, 0] > 0) & (X[:, 1] > 0)).astype(int)
    base = sl.C45Classifier(max_depth=3, min_leaf=1)
    learner = sl.BoostedTreesClassifier(base, n_trees=50).fit(X, y)
    _, votes, errors = boost_slowly(X, y, base, 50, "samme")
    assert learner.ensemble_.n_trees == len(votes) < 50
    assert learner.tree_errors_.tolist() == pytest.approx(errors)


def test_first_tree_no_better_than_chance_is_kept_alone():
    X, y = [[1.0]] * 4, [0, 1, 0, 1]
    learner = sl.BoostedTreesClassifier().fit(X, y)
    assert learner.ensemble_.n_trees == 1
    assert learner.tree_errors_.tolist() == [0.5]
    assert learner.predict(X).tolist() == [0] * 4


def test_m1_stops_where_samme_goes_on():
    """Three classes and stumps: an error between 1/2 and 2/3 is worth something to SAMME only."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 1))
    y = rng.integers(0, 3, 300)
    y[X[:, 0] > 1] = 2
    base = sl.C45Classifier(max_depth=1, prune=False, collapse=False)
    m1 = sl.BoostedTreesClassifier(base, n_trees=5, algorithm="m1").fit(X, y)
    samme = sl.BoostedTreesClassifier(base, n_trees=5, algorithm="samme").fit(X, y)
    assert m1.ensemble_.n_trees == 1
    assert 0.5 < m1.tree_errors_[0] < 2 / 3
    assert samme.ensemble_.n_trees > 1


def test_single_class():
    learner = sl.BoostedTreesClassifier().fit([[1.0], [2.0]], ["only", "only"])
    assert learner.predict([[3.0]]).tolist() == ["only"]
    assert learner.predict_proba([[3.0]]).tolist() == [[1.0]]


def test_declared_classes_that_never_occur_are_kept():
    labels = Labels(np.array([0, 2, 0, 2, 2, 0], dtype=np.int32), np.array(list("abc")))
    learner = sl.BoostedTreesClassifier(n_trees=3).fit(Table.from_any(np.arange(6.0)[:, None]), labels)
    assert learner.predict_proba([[1.0]]).shape == (1, 3)


def test_order_of_rows_and_jobs_do_not_matter(data):
    X, y = data
    order = np.random.default_rng(2).permutation(len(y))
    base = sl.C45Classifier(max_depth=2)
    first = sl.BoostedTreesClassifier(base, n_trees=5).fit(X, y)
    second = sl.BoostedTreesClassifier(base, n_trees=5, n_jobs=2).fit(X[order], y[order])
    np.testing.assert_allclose(first.predict_proba(X), second.predict_proba(X), atol=1e-9)
    again = sl.BoostedTreesClassifier(base, n_trees=5, random_state=9).fit(X, y)
    assert again.to_json() == first.to_json()


def test_weights_equal_repetition(data):
    X, y = data
    weights = np.random.default_rng(1).integers(1, 3, len(y))
    base = sl.C45Classifier(max_depth=2)
    weighted = sl.BoostedTreesClassifier(base, n_trees=4).fit(X, y, weights)
    repeated = sl.BoostedTreesClassifier(base, n_trees=4).fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-9)


def test_scale_of_very_unequal_weights_does_not_break_it():
    X, y = np.arange(8.0)[:, None], [0, 1, 0, 1, 0, 1, 0, 1]
    for odd in (1e-12, 1e-100, 1e-300, 1e-310):
        learner = sl.BoostedTreesClassifier(n_trees=20).fit(X, y, [odd, 1, 1, 1e12, 1, 1e100, 1, odd])
        assert np.isfinite(learner.predict_proba(X)).all()
    # The heavy row makes the first tree a leaf; three rows of weight 1 are wrong.
    X = [[1.0]] * 3 + [[2.0]] * 4
    learner = sl.BoostedTreesClassifier().fit(X, [0, 0, 0, 1, 1, 1, 0], [1, 1, 1e100, 1, 1, 1, 1])
    np.testing.assert_allclose(learner.ensemble_.core.tree_weight[0], np.log(1e100 / 3))


def test_scikit_learn_takes_it(data):
    X, y = data
    base = sl.C45Classifier(max_depth=2)
    assert cross_val_score(sl.BoostedTreesClassifier(base, n_trees=5), X, y, cv=3).mean() > 0.5
    pipeline = make_pipeline(StandardScaler(), sl.BoostedTreesClassifier(base, n_trees=5))
    assert pipeline.fit(X, y).score(X, y) > 0.6
    search = GridSearchCV(
        sl.BoostedTreesClassifier(base), {"n_trees": [1, 5], "base__max_depth": [1, 3]}, cv=2
    )
    assert search.fit(X, y).best_params_["base__max_depth"] == 3


def test_pickle(data):
    learner = sl.BoostedTreesClassifier(n_trees=3).fit(*data)
    again = pickle.loads(pickle.dumps(learner))
    assert again.to_json() == learner.to_json()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (
            {"n_trees": 0},
            "The 'n_trees' parameter of BoostedTreesClassifier must be an int in the range [1, inf). "
            "Got 0 instead.",
        ),
        (
            {"algorithm": "SAMME.R"},
            "The 'algorithm' parameter of BoostedTreesClassifier must be a str among "
            "{'auto', 'm1', 'samme'}. Got 'SAMME.R' instead.",
        ),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, sentence):
    with pytest.raises(sl.ParameterError) as error:
        sl.BoostedTreesClassifier(**parameters).fit([[1.0], [2.0]], [0, 1])
    # scikit-learn lists the names in the order of a set.
    listed = re.sub(
        r"{(.*)}", lambda names: "{" + ", ".join(sorted(names[1].split(", "))) + "}", str(error.value)
    )
    assert listed == sentence
