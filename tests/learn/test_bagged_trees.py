import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from strategies import schema_of

import sightline as sl
from sightline.learn import Growth
from sightline.table import Column, Labels, Table


@pytest.fixture(scope="module")
def data():
    """Numbers, a nominal column, missing values, three classes of strings."""
    rng = np.random.default_rng(7)
    schema = schema_of([0, 0, 3])
    n = 240
    columns = [rng.normal(size=n).round(1), rng.normal(size=n), rng.integers(0, 3, n).astype(np.int32)]
    signal = columns[0] + columns[2] + rng.normal(scale=0.4, size=n)
    columns[0][rng.random(n) < 0.1] = np.nan
    columns[2][rng.random(n) < 0.1] = -1
    table = Table([Column(f, values) for f, values in zip(schema.features, columns, strict=True)])
    return table, Labels.from_any(np.array(["low", "mid", "top"])[np.digitize(signal, [0.0, 1.2])])


def test_same_seed_same_bytes_whatever_the_number_of_jobs(data):
    strings = [
        sl.BaggedTreesClassifier(n_trees=8, n_jobs=n_jobs, random_state=3).fit(*data).to_json()
        for n_jobs in (None, 1, 2, 4, -1)
    ]
    assert len(set(strings)) == 1


def test_other_seed_other_trees(data):
    strings = {sl.BaggedTreesClassifier(n_trees=3, random_state=seed).fit(*data).to_json() for seed in (0, 1)}
    assert len(strings) == 2


def test_random_state_may_be_a_generator_that_moves_on(data):
    generator = np.random.RandomState(0)
    learner = sl.BaggedTreesClassifier(n_trees=3, random_state=generator)
    first, second = learner.fit(*data).to_json(), learner.fit(*data).to_json()
    assert first != second
    assert first == sl.BaggedTreesClassifier(n_trees=3, random_state=0).fit(*data).to_json()


def test_bags_are_bootstrap_samples(data):
    learner = sl.BaggedTreesClassifier(n_trees=200, random_state=0).fit(*data)
    counts = learner.bag_counts_
    assert counts.shape == (200, 240)
    assert (counts.sum(axis=1) == 240).all()
    assert (counts > 0).mean() == pytest.approx(1 - np.exp(-1), abs=0.005)


def test_even_bags_have_three_quarters_of_the_rows():
    X = np.arange(4000.0)[:, None]
    bagged = sl.BaggedTreesClassifier(n_trees=10, bags="even", random_state=0).fit(X, X[:, 0] > 2000)
    assert (bagged.bag_counts_.sum(axis=1) == 4000).all()
    assert (bagged.bag_counts_ > 0).mean() == pytest.approx(0.75, abs=0.01)
    # Neighbors by content are drawn independently of each other: a stretch of rows is not drawn evenly.
    stretches = bagged.bag_counts_.reshape(10, 40, 100).sum(axis=2)
    assert stretches.std() > 4


def test_trees_are_those_of_their_bags(data):
    table, labels = data
    learner = sl.BaggedTreesClassifier(n_trees=4, random_state=1).fit(table, labels)
    for tree, counts in zip(learner.ensemble_.trees, learner.bag_counts_, strict=True):
        rows = np.repeat(np.arange(240), counts)
        alone = sl.C45Classifier(binary_splits=True).fit(table[rows], labels[rows]).tree_
        assert tree.to_json() == alone.to_json()


def test_base_gives_the_parameters_of_the_trees(data):
    table, labels = data
    base = sl.C45Classifier(max_depth=2, prune=False)
    learner = sl.BaggedTreesClassifier(base, n_trees=3, random_state=1).fit(table, labels)
    assert learner.size_["depth"] <= 2
    rows = np.repeat(np.arange(240), learner.bag_counts_[2]).astype(np.uint32)
    alone = Growth(table.with_completeness(), labels, base, bag=rows).tree()
    assert learner.ensemble_.trees[2].to_json() == alone.to_json()
    assert not hasattr(base, "tree_")


def test_probabilities_are_the_average_of_the_members(data):
    table, labels = data
    learner = sl.BaggedTreesClassifier(n_trees=7, random_state=2).fit(table, labels)
    members = [tree.predict_proba(table) for tree in learner.ensemble_.trees]
    total = np.zeros_like(members[0])
    for member in members:
        total += member
    np.testing.assert_array_equal(learner.predict_proba(table), total / 7)
    np.testing.assert_array_equal(learner.predict(table), labels.classes_[total.argmax(axis=1)])


def test_out_of_bag_leaves_the_drawn_rows_out(data):
    table, labels = data
    learner = sl.BaggedTreesClassifier(n_trees=5, random_state=4).fit(table, labels)
    trees, counts = learner.ensemble_.trees, learner.bag_counts_
    n_right = n_judged = 0
    for row in range(table.n_rows):
        judges = [tree for tree, drawn in zip(trees, counts[:, row], strict=True) if drawn == 0]
        answers = [judge.predict_proba(table[[row]])[0] for judge in judges]
        votes = [judge.classes_.tolist().index(judge.predict(table[[row]])[0]) for judge in judges]
        assert learner.oob_votes_[row].tolist() == [votes.count(c) for c in range(3)]
        if not judges:
            assert np.isnan(learner.oob_decision_function_[row]).all()
            continue
        np.testing.assert_allclose(learner.oob_decision_function_[row], np.mean(answers, axis=0), rtol=1e-14)
        n_judged += 1
        n_right += int(np.sum(answers, axis=0).argmax() == labels.codes[row])
    assert 0 < n_judged < table.n_rows
    assert learner.oob_score_ == n_right / n_judged


def test_one_row_has_no_out_of_bag_score():
    learner = sl.BaggedTreesClassifier(n_trees=3, random_state=0).fit([[1.0]], ["a"])
    assert np.isnan(learner.oob_score_)
    assert np.isnan(learner.oob_decision_function_).all()
    assert learner.predict([[2.0]]).tolist() == ["a"]


def test_order_of_rows_does_not_matter(data):
    table, labels = data
    order = np.random.default_rng(0).permutation(table.n_rows)
    first = sl.BaggedTreesClassifier(n_trees=5, random_state=0).fit(table, labels)
    second = sl.BaggedTreesClassifier(n_trees=5, random_state=0).fit(table[order], labels[order])
    np.testing.assert_allclose(first.predict_proba(table), second.predict_proba(table), atol=1e-12)
    np.testing.assert_array_equal(first.bag_counts_.sum(axis=0)[order], second.bag_counts_.sum(axis=0))


def test_weights_equal_repetition(data):
    table, labels = data
    weights = np.random.default_rng(1).integers(0, 3, table.n_rows)
    rows = np.repeat(np.arange(table.n_rows), weights)
    weighted = sl.BaggedTreesClassifier(n_trees=4, random_state=0).fit(table, labels, weights)
    repeated = sl.BaggedTreesClassifier(n_trees=4, random_state=0).fit(table[rows], labels[rows])
    np.testing.assert_allclose(weighted.predict_proba(table), repeated.predict_proba(table), atol=1e-12)


def test_rows_without_weight_are_never_drawn(data):
    table, labels = data
    weights = np.arange(table.n_rows) % 2
    learner = sl.BaggedTreesClassifier(n_trees=5, random_state=0).fit(table, labels, weights)
    assert not learner.bag_counts_[:, ::2].any()


def test_row_that_outweighs_all_others_is_counted_right():
    """A row may be drawn more often than 16 bits can count."""
    weights = np.ones(20)
    weights[0] = 65536 * 4
    X, y = np.arange(20.0)[:, None], [0] * 10 + [1] * 10
    learner = sl.BaggedTreesClassifier(n_trees=3, random_state=0).fit(X, y, weights)
    assert (learner.bag_counts_[:, 0] > 65536).all()
    assert (learner.bag_counts_.sum(axis=1) == 65536 * 4 + 19).all()


def test_weights_that_would_make_enormous_bags_are_refused():
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    with pytest.raises(sl.DataError) as error:
        sl.BaggedTreesClassifier(random_state=0).fit(X, y, [1e12] * 4)
    assert str(error.value) == (
        "The sample weights sum to 4e+12. Bags of that many rows are too large. Scale the weights down."
    )
    small = sl.BaggedTreesClassifier(n_trees=3, random_state=0).fit(X, y, [1e-12] * 4)
    assert (small.bag_counts_.sum(axis=1) == 4).all()


def test_scikit_learn_takes_it(data):
    table, labels = data
    scores = cross_val_score(sl.BaggedTreesClassifier(n_trees=5, random_state=0), table, labels, cv=3)
    assert scores.mean() > 0.6
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    pipeline = make_pipeline(StandardScaler(), sl.BaggedTreesClassifier(n_trees=5, random_state=0))
    assert pipeline.fit(X, y).score(X, y) > 0.9
    search = GridSearchCV(
        sl.BaggedTreesClassifier(sl.C45Classifier(), random_state=0),
        {"n_trees": [1, 5], "base__max_depth": [1, None]},
        cv=2,
    ).fit(X, y)
    assert search.best_params_["base__max_depth"] is None


def test_pickle_and_clone(data):
    table, labels = data
    learner = sl.BaggedTreesClassifier(n_trees=3, random_state=0).fit(table, labels)
    again = pickle.loads(pickle.dumps(learner))
    assert again.to_json() == learner.to_json()
    assert again.oob_score_ == learner.oob_score_
    assert clone(learner).fit(table, labels).to_json() == learner.to_json()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (
            {"n_trees": 0},
            "The 'n_trees' parameter of BaggedTreesClassifier must be an int in the range [1, inf). "
            "Got 0 instead.",
        ),
        (
            {"base": "tree"},
            "The 'base' parameter of BaggedTreesClassifier must be an instance of "
            "'sightline.learn._c45.C45Classifier' or None. Got 'tree' instead.",
        ),
        (
            {"n_jobs": 1.5},
            "The 'n_jobs' parameter of BaggedTreesClassifier must be an instance of 'int' or None. "
            "Got 1.5 instead.",
        ),
        (
            {"base": sl.C45Classifier(confidence=2)},
            "The 'confidence' parameter of C45Classifier must be a float in the range (0.0, 1.0). "
            "Got 2 instead.",
        ),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, sentence):
    with pytest.raises(sl.ParameterError) as error:
        sl.BaggedTreesClassifier(**parameters).fit([[1.0], [2.0]], [0, 1])
    assert str(error.value) == sentence


def test_parameters_of_a_base_that_is_not_there():
    with pytest.raises(sl.ParameterError) as error:
        sl.BaggedTreesClassifier().set_params(base__min_leaf=3)
    assert str(error.value) == (
        "'base__min_leaf' sets a parameter of 'base', but 'base' of BaggedTreesClassifier is None: "
        "set 'base' to an object that has 'min_leaf' first."
    )
    given = sl.BaggedTreesClassifier().set_params(base=sl.C45Classifier(), base__min_leaf=3)
    assert given.base.min_leaf == 3


def test_a_tree_answers_as_scikit_learns_does():
    X, y = [[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0]], [0, 0, 1, 1]
    tree = sl.C45Classifier().fit(X, y)
    assert (tree.get_depth(), tree.get_n_leaves()) == (1, 2)
    assert tree.apply(X).tolist() == [1, 1, 2, 2]
    assert tree.feature_importances_.tolist() == [1.0, 0.0]
