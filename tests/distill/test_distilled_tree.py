import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
from unweighted import documented, unweighted

import sightline as sl
from sightline.table import Column, Feature, Table


@pytest.fixture(scope="module")
def forest_and_rows():
    X, y = make_classification(1_500, 8, n_informative=5, random_state=1)
    return RandomForestClassifier(20, random_state=0).fit(X[:500], y[:500]), X[:500], y[:500], X[500:]


def distilled(forest, X, y=None, **options):
    return sl.DistilledTreeClassifier(forest, random_state=0, **options).fit(X, y)


def fidelity(model, forest, X):
    return (model.predict(X) == forest.predict(X)).mean()


def nominal_table(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    number = np.where(rng.random(n_rows) < 0.1, np.nan, rng.normal(size=n_rows).round(2))
    colour = np.where(rng.random(n_rows) < 0.1, -1, rng.integers(5, size=n_rows)).astype(np.int32)
    table = Table([Column(Feature("number"), number), Column(Feature("colour", tuple("abcdef")), colour)])
    warm = np.isin(colour, (1, 3))
    return table, np.where(warm ^ (np.nan_to_num(number, nan=1.0) > 0), "yes", "no")


@pytest.mark.parametrize("n_leaves", [1, 2, 5, 16])
def test_the_tree_keeps_to_its_size_and_beats_a_tree_on_the_same_labels(forest_and_rows, n_leaves):
    forest, X, _, held_out = forest_and_rows
    # Means over other artificial rows: one draw of them decides about half a point.
    models = [sl.DistilledTreeClassifier(forest, n_leaves, random_state=seed).fit(X) for seed in range(3)]
    assert max(model.size_["leaves"] for model in models) <= n_leaves
    surrogate = DecisionTreeClassifier(max_leaf_nodes=max(n_leaves, 2), random_state=0)
    surrogate.fit(X, forest.predict(X))
    if n_leaves > 1:
        ours = np.mean([fidelity(model, forest, held_out) for model in models])
        assert ours >= fidelity(surrogate, forest, held_out)


def test_labels_do_not_steer_the_tree_but_are_counted(forest_and_rows):
    forest, X, y, held_out = forest_and_rows
    silent, told = distilled(forest, X, max_leaves=6), distilled(forest, X, y, max_leaves=6)
    assert (silent.predict_proba(held_out) == told.predict_proba(held_out)).all()
    assert told.tree_.core.counts[0].tolist() == np.bincount(y).tolist()
    assert silent.tree_.core.counts[0].tolist() == np.bincount(forest.predict(X)).tolist()
    assert told.tree_.core.weight[0] == len(X)


def test_probabilities_of_leaves_are_the_forests_means(forest_and_rows):
    forest, X, _, _ = forest_and_rows
    model = distilled(forest, X, max_leaves=6, augment=0)
    leaves = model.tree_.apply(X)
    for leaf in np.unique(leaves):
        mean = forest.predict_proba(X[leaves == leaf]).mean(axis=0)
        output = model.tree_.core.output[leaf]
        agree = mean.argmax() == output.argmax()
        assert np.allclose(mean, output, atol=1e-5) or not agree


@pytest.mark.parametrize("refine", [False, True])
def test_threads_do_not_change_a_byte(forest_and_rows, refine):
    forest, X, y, _ = forest_and_rows
    one, three = (
        distilled(forest, X, y, max_leaves=7, refine=refine, n_jobs=n_jobs).to_json() for n_jobs in (1, 3)
    )
    assert one == three


def test_every_refinement_is_at_least_as_faithful_to_the_rows_it_sees(forest_and_rows):
    forest, X, _, _ = forest_and_rows
    losses = [
        (distilled(forest, X, max_leaves=8, augment=0, refine=refine).predict(X) != forest.predict(X)).sum()
        for refine in (False, True)
    ]
    assert losses[0] >= losses[1]


def test_weights_count_rows():
    table, labels = nominal_table()
    weights = np.arange(300) % 3
    repeated = np.repeat(np.arange(300), weights)
    model = sl.DistilledTreeClassifier(max_leaves=6, random_state=0)
    weighted = unweighted(model.fit(table, labels, sample_weight=weights))
    assert weighted == documented(model.fit(table[repeated], labels[repeated]))


@pytest.mark.parametrize("seed", range(4))
def test_categories_and_missing_values_are_answered_as_the_ensemble_does(seed):
    table, labels = nominal_table(seed=seed)
    model = sl.DistilledTreeClassifier(max_leaves=8, random_state=0).fit(table, labels)
    held_out, _ = nominal_table(2_000, seed + 100)
    assert (model.predict(held_out) == model.ensemble_.predict(held_out)).mean() > 0.93
    assert "colour" in model.to_text()


def test_each_test_sends_missing_values_one_way_where_there_were_some():
    table, labels = nominal_table()
    tree = sl.DistilledTreeClassifier(max_leaves=8, random_state=0).fit(table, labels).tree_
    shares = tree.core.share.reshape(-1, 2)
    assert set(shares[0].tolist()) == {0.0, 1.0}
    assert np.allclose(shares.sum(axis=1), 1)


def test_thresholds_are_between_observed_values_that_the_ensemble_tells_apart(forest_and_rows):
    forest, X, _, _ = forest_and_rows
    tree = distilled(forest, X, max_leaves=20).tree_
    ensemble = sl.load(forest)
    for node in np.flatnonzero(tree.core.test == 1):
        values = np.sort(X[:, tree.core.feature[node]])
        index = np.searchsorted(values, tree.core.threshold[node], side="right")
        low, high = values[index - 1], values[index]
        assert low <= tree.core.threshold[node] < high
        thresholds = np.concatenate(
            [t.core.threshold[t.core.feature == tree.core.feature[node]] for t in ensemble.trees]
        )
        assert ((thresholds >= low) & (thresholds < high)).any()


def test_many_categories_share_a_bin():
    n_rows, n_values = 900, 300
    rng = np.random.default_rng(0)
    codes = rng.integers(n_values, size=n_rows).astype(np.int32)
    table = Table([Column(Feature("id", tuple(f"v{i}" for i in range(n_values))), codes)])
    model = sl.DistilledTreeClassifier(max_leaves=4, random_state=0).fit(table, codes % 7 == 0)
    assert model.predict(table).dtype == bool


def test_a_tree_without_a_size_chooses_one():
    X, y = load_breast_cancer(return_X_y=True)
    model = sl.DistilledTreeClassifier(random_state=0).fit(X, y)
    surrogate = sl.C45Classifier(binary_splits=True).fit(X, model.ensemble_.predict(X))
    assert 2 <= model.size_["leaves"] <= 3 * surrogate.size_["leaves"]


def test_one_class_gives_one_leaf():
    model = sl.DistilledTreeClassifier(random_state=0).fit([[1.0], [2.0]], ["a", "a"])
    assert model.size_["leaves"] == 1
    assert model.predict([[5.0]]).tolist() == ["a"]


def test_margins_teach_as_well():
    X, y = make_classification(600, 6, n_informative=4, n_classes=3, random_state=0)
    boosted = HistGradientBoostingClassifier(max_iter=20, random_state=0).fit(X, y)
    assert fidelity(distilled(boosted, X, max_leaves=24), boosted, X) > 0.85


def test_pickles_are_small_and_take_other_sizes(forest_and_rows):
    forest, X, y, _ = forest_and_rows
    model = distilled(forest, X, y, max_leaves=7)
    again = pickle.loads(pickle.dumps(model))
    assert again.to_json() == model.to_json()
    assert again.resized(3).to_json() == model.resized(3).to_json()


def test_the_explanation_names_path_votes_and_agreement(forest_and_rows):
    forest, X, y, held_out = forest_and_rows
    model = distilled(forest, X, y, max_leaves=4)
    agrees = model.predict(held_out) == forest.predict(held_out)
    for row, verdict in ((agrees.argmax(), "agrees"), (agrees.argmin(), "disagrees")):
        lines = str(model.explain(held_out[row].tolist())).splitlines()
        assert lines[0].startswith(f"Predicted {model.predict(held_out[[row]])[0]}")
        assert lines[1].startswith("Because x")
        label = forest.predict(held_out[[row]])[0]
        # This row comes before the path: "a different class" and then "agrees" read like a contradiction.
        told = {"agrees": "For this row, the ensemble agrees", "disagrees": "The ensemble disagrees"}[verdict]
        assert lines[2].startswith(f"{told}: it predicted {label} with probability ")
        about_path = ["For some other possible rows on this path, the ensemble predicts another class."]
        assert lines[4:] == (about_path if verdict == "agrees" else [])
        assert lines[3].startswith("Of 20 trees, ")


def test_explanations_tell_the_ensembles_probability_and_whose_labels_were_counted():
    X, y = [[1.0], [2.0], [3.0], [4.0]] * 5, ["no", "no", "yes", "yes"] * 5
    told = sl.DistilledTreeClassifier(random_state=0).fit(X, y)
    lines = str(told.explain([1.0])).splitlines()
    assert [*lines[:2], lines[-1]] == [
        'Predicted no with probability 100%. 10 training rows took this path; 100% of them were "no".',
        "Because x0 <= 2 (yours: 1).",
        "The ensemble provably predicts the same for every row without missing values that takes this path.",
    ]
    assert told.to_text().splitlines()[1] == (
        "Predicts no or yes; summarizes another model; percentages refer to 20 training rows"
    )
    silent = sl.DistilledTreeClassifier(told.ensemble_, random_state=0).fit(X)
    assert (
        str(silent.explain([1.0]))
        .splitlines()[0]
        .endswith('took this path; the ensemble labels 100% of them "no".')
    )
    assert silent.to_text().splitlines()[1].endswith("percentages refer to its labels for 20 training rows")


def test_a_loaded_summary_is_its_tree(forest_and_rows):
    forest, X, _, held_out = forest_and_rows
    model = distilled(forest, X, max_leaves=4)
    loaded = sl.load(model)
    assert loaded.n_trees == 1
    assert (loaded.predict(held_out) == model.predict(held_out)).all()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"augment": -1},
            "The 'augment' parameter of DistilledTreeClassifier must be a str among {'auto'} or an int in "
            "the range [0, inf). Got -1 instead.",
        ),
        (
            {"refine": "hard"},
            "The 'refine' parameter of DistilledTreeClassifier must be an instance of 'bool' or an instance "
            "of 'numpy.bool'. Got 'hard' instead.",
        ),
        (
            {"max_leaves": 0},
            "The 'max_leaves' parameter of DistilledTreeClassifier must be an int in the range [1, inf) or "
            "None. Got 0 instead.",
        ),
    ],
)
def test_parameters_out_of_range(options, text):
    with pytest.raises(sl.ParameterError) as caught:
        sl.DistilledTreeClassifier(**options).fit([[1.0], [2.0]], [0, 1])
    assert str(caught.value) == text


def test_columns_of_thousands_of_values_are_distilled_as_faithfully_as_by_an_ordinary_tree():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2_000, 8_000)
    x = rng.normal(size=len(codes))
    y = 2 * rng.normal(size=2_000)[codes] + x + rng.normal(size=len(codes)) > 0
    names = tuple(f"v{i}" for i in range(2_000))
    X = Table([Column(Feature("code", names), codes.astype(np.int32)), Column(Feature("x"), x)])
    rows, unseen = np.arange(4_000), np.arange(4_000, 8_000)
    tree = sl.DistilledTreeClassifier(random_state=0).fit(X[rows], y[rows])
    taught = tree.ensemble_.predict(X)
    ordinary = sl.C45Classifier(binary_splits=True).fit(X[rows], taught[rows])
    fidelity = (tree.predict(X[unseen]) == taught[unseen]).mean()
    assert fidelity > 0.85
    assert fidelity >= (ordinary.predict(X[unseen]) == taught[unseen]).mean() - 0.01


def test_a_proof_of_a_path_says_which_missing_values_it_covers():
    """Trees that vote alike on known values may not where one is missing, so "every row" would be wrong."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = np.where(X[:, 0] > 0, "yes", "no")
    X[rng.random((400, 3)) < 0.15] = np.nan
    tree = sl.DistilledTreeClassifier(max_leaves=2, random_state=0).fit(X, y)
    known, partly_known = [2.0, 0.0, 0.0], [2.0, np.nan, 0.0]
    said = [str(tree.explain(row)) for row in (known, partly_known)]
    assert "same for every row without missing values that takes this path." in said[0]
    assert "same for every row that takes this path and has missing values only in x1." in said[1]
