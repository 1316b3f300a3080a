import pickle

import numpy as np
import pytest
from setgen_reference import small_table
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import sightline as sl
from sightline.exceptions import DataError, ParameterError
from sightline.learn import HillClimbing
from sightline.learn.setgen._report import effort_in_words, exchange_in_words
from sightline.learn.setgen._searches import SEARCHES

X, Y = small_table(80, seed=2)


@pytest.fixture(scope="module")
def fitted():
    return sl.SetGenClassifier(random_state=0, folds=5).fit(X, Y)


def test_the_tree_tests_only_the_chosen_features(fitted):
    used = {fitted.tree_.feature_names[feature] for feature in fitted.tree_.core.used_features}
    assert used <= set(fitted.features_)
    assert fitted.tree_.schema == X.schema


def test_the_tree_is_that_of_c45_on_the_chosen_columns(fitted):
    columns = [column for column in X.columns if column.name in fitted.features_]
    alone = sl.C45Classifier(confidence=fitted.confidence_).fit(sl.Table(columns), Y)
    assert fitted.to_text(style="weka") == alone.to_text(style="weka")
    plain = sl.C45Classifier(confidence=fitted.confidence_).fit(X, Y)
    assert fitted.plain_tree_.to_json() == plain.tree_.to_json()


@pytest.mark.parametrize(
    ("parameters", "is_release_8"),
    [({}, True), ({"preset": "paper"}, False), ({"preset": "paper", "base": sl.C45Classifier()}, True)],
)
def test_the_preset_decides_about_the_c45_unless_one_is_given(parameters, is_release_8):
    random = np.random.RandomState(0)
    rows, labels = random.rand(60, 3), random.randint(2, size=60)
    own = sl.SetGenClassifier(**parameters, evaluations=5, confidences=(0.25,), folds=3).fit(rows, labels)
    trees = [
        sl.C45Classifier(mdl_correction=is_release).fit(rows, labels).to_text()
        for is_release in (False, True)
    ]
    assert trees[0] != trees[1]
    assert own.plain_tree_.to_text() == trees[is_release_8]


def test_every_point_of_the_front_can_be_picked(fitted):
    for point in fitted.front_:
        size = point.tree.size_
        picked = fitted.select(max_features=size["features"], max_nodes=size["nodes"])
        assert picked.chosen_.accuracy >= point.accuracy
        assert picked.size_["features"] <= size["features"]
        assert picked.predict(X).shape == (80,)


def test_selecting_leaves_the_first_as_it_was(fitted):
    before = fitted.to_json()
    small = fitted.select(max_leaves=1)
    assert small.size_["nodes"] == 1
    assert fitted.to_json() == before
    assert fitted.select().chosen_.accuracy == max(point.accuracy for point in fitted.front_)


def test_it_answers_as_any_single_tree_does(fitted):
    tree = fitted.tree_
    assert (fitted.get_depth(), fitted.get_n_leaves()) == (tree.depth, tree.n_leaves)
    assert fitted.apply(X).tolist() == tree.apply(X).tolist()
    importances = dict(zip(tree.feature_names, fitted.feature_importances_, strict=True))
    assert sum(importances.values()) == pytest.approx(1)
    assert {name for name, share in importances.items() if share > 0} <= set(fitted.features_)
    small = fitted.select(max_leaves=1)
    assert (small.get_depth(), small.get_n_leaves()) == (0, 1)


def test_nothing_that_small(fitted):
    with pytest.raises(ParameterError) as error:
        fitted.select(max_leaves=0, max_features=2)
    assert str(error.value) == (
        "No tree on the front fits max_features=2 and max_leaves=0. The minimum is 0 features and 1 leaf."
    )


def test_survival_counts_sets(fitted):
    assert set(fitted.survival_) == set(X.names)
    assert all(0 <= share <= 1 for share in fitted.survival_.values())
    assert fitted.n_survivors_ <= 32


def test_the_report_says_what_a_reader_wants(fitted):
    text = fitted.report()
    for words in (
        fitted.exchange_rate_,
        "is optimistic: it is the best of",
        "sets on the same folds.",
        f"The {len(fitted.front_)} best trade-offs:",
        "nothing was left to try",
        "fittest sets that contain a feature: ",
    ):
        assert words in text


def test_the_report_of_another_point_marks_it_and_what_its_tree_tests():
    random = np.random.RandomState(1)
    rows = sl.Table.from_any(random.rand(60, 3), feature_names=["a", "b", "c"])
    small = sl.SetGenClassifier(random_state=0, folds=3).fit(rows, random.randint(2, size=60))
    small = small.select(max_leaves=1)
    lines = small.report().splitlines()
    assert lines.count("> selected") == (small.chosen_ is not small.front_.chosen)
    allowed, tested = lines[2].split()[-2:]
    assert (int(allowed), int(tested)) == (len(small.features_), 0)
    assert f"Features: {', '.join(small.features_)}; tested: none." in lines or allowed == "0"


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        (
            (1, 1, "exhausted"),
            "The search tried 1 feature set. It ended because nothing was left to try.",
        ),
        (
            (410, 5000, "evaluations"),
            "The search tried 410 feature sets (5,000 requests). It ended because the budget was used up.",
        ),
    ],
)
def test_effort_in_words(numbers, words):
    assert effort_in_words(*numbers) == words


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"resume": True}, "resume=True needs a file to resume from: pass checkpoint=PATH."),
        ({"checkpoint": "."}, "checkpoint must be a file in an existing folder, got '.'."),
        ({"checkpoint": "no/x"}, "checkpoint must be a file in an existing folder, got 'no/x'."),
    ],
)
def test_a_checkpoint_must_be_possible(parameters, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError) as error:
        sl.SetGenClassifier(**parameters).fit(X, Y)
    assert str(error.value) == words
    assert not any(tmp_path.iterdir())


def test_limits_are_whole_numbers(fitted):
    with pytest.raises(ParameterError, match=r"^max_leaves must be an int, got '2'\.$"):
        fitted.select(max_leaves="2")


def test_exchange_rates_in_words():
    assert exchange_in_words(0.75, 0.5, 60, 2871) == (
        "One more feature must add 0.28 points of accuracy. One more node must add 0.0058 points."
    )
    assert exchange_in_words(0.0, 0.5, 60, 2871) == "Accuracy has no weight: the smallest tree wins."


def test_comparison_with_the_plain_tree():
    comparison = sl.SetGenClassifier(random_state=0, folds=3, evaluations=20).compare(
        X, Y, folds=4, random_state=0
    )
    assert comparison.n_trials == 4
    assert comparison.chosen["features"].mean() <= comparison.plain["features"].mean()
    assert "4 trials, paired t-tests at level 0.05, errors on held-out rows." in comparison.to_text()


def test_clone_and_pickle(fitted):
    assert clone(fitted).get_params() == fitted.get_params()
    again = pickle.loads(pickle.dumps(fitted))
    assert again.to_json() == fitted.to_json()
    assert again.report() == fitted.report()


def test_it_stands_in_a_pipeline():
    pipeline = make_pipeline(sl.SetGenClassifier(random_state=0, evaluations=10, folds=3)).fit(
        X, np.asarray(Y)
    )
    assert pipeline.score(X, np.asarray(Y)) > 0.5


def test_one_feature():
    estimator = sl.SetGenClassifier(random_state=0).fit(sl.Table(X.columns[:1]), Y)
    assert estimator.stopped_ == "exhausted"
    assert estimator.features_ in ([], ["signal"])


def test_fewer_rows_than_folds_leave_out_one_at_a_time():
    estimator = sl.SetGenClassifier(random_state=0, folds=10).fit(X[:7], Y[:7])
    assert estimator.n_folds_ == 7


def test_a_class_rarer_than_the_folds():
    labels = np.asarray(Y).astype(object)
    labels[3] = "once"
    estimator = sl.SetGenClassifier(random_state=0, evaluations=10).fit(X, labels)
    assert "once" in estimator.classes_


def test_one_class():
    estimator = sl.SetGenClassifier(random_state=0).fit(X, ["same"] * 80)
    assert estimator.features_ == []
    assert set(estimator.predict(X)) == {"same"}


def test_one_row():
    with pytest.raises(DataError) as error:
        sl.SetGenClassifier().fit(X[:1], Y[:1])
    assert str(error.value) == "SetGenClassifier needs two rows or more, but X has n_samples = 1."


@pytest.mark.parametrize(
    ("name", "value", "must"),
    [
        ("folds", 1, "an int in the range [2, inf)"),
        ("preset", "fast", "a str among {'default', 'paper'}"),
        ("confidences", (0.5, 1.0), "numbers between 0 and 1, at least one"),
        ("confidences", (), "numbers between 0 and 1, at least one"),
    ],
)
def test_parameters_out_of_range(name, value, must):
    with pytest.raises(ParameterError) as error:
        sl.SetGenClassifier(**{name: value}).fit(X, Y)
    text = str(error.value).replace("{'paper', 'default'}", "{'default', 'paper'}")
    assert text == f"The {name!r} parameter of SetGenClassifier must be {must}. Got {value!r} instead."


@pytest.mark.parametrize(
    ("name", "value", "must"),
    [
        ("genome_size", 0, "an int in the range [1, inf) or None"),
        ("mutation_rate", 1.5, "a float in the range [0.0, 1.0] or None"),
        ("crossover_rate", -0.1, "a float in the range [0.0, 1.0] or None"),
        ("population", 0, "an int in the range [1, inf) or None"),
        ("patience", 0, "an int in the range [1, inf), a str among {'never'} or None"),
        ("operator_weights", (0, 0, 0), "three numbers, none negative and not all 0"),
        ("operator_weights", (1, 1), "three numbers, none negative and not all 0"),
    ],
)
def test_search_parameters_out_of_range(name, value, must):
    with pytest.raises(ParameterError) as error:
        sl.SetGenClassifier(search=sl.GeneticSearch(**{name: value})).fit(X, Y)
    assert str(error.value) == (
        f"The {name!r} parameter of GeneticSearch must be {must}. Got {value!r} instead."
    )


def test_search_parameters_are_set_through_the_estimator():
    estimator = sl.SetGenClassifier(search=sl.GeneticSearch(population=9))
    copy = clone(estimator).set_params(search__population=12, search__patience="never")
    assert repr(copy.search) == "GeneticSearch(patience='never', population=12)"
    assert copy.get_params()["search__population"] == 12
    assert estimator.search.population == 9
    grid = GridSearchCV(
        sl.SetGenClassifier(search=sl.GeneticSearch(), evaluations=5, folds=3, random_state=0),
        {"search__population": [3, 5]},
        cv=2,
    ).fit(X, np.asarray(Y))
    assert grid.best_estimator_.search.population in (3, 5)


def test_a_search_that_is_a_word_has_no_parameters_to_set():
    with pytest.raises(ParameterError) as error:
        sl.SetGenClassifier().set_params(search__population=12)
    assert str(error.value) == (
        "'search__population' sets a parameter of 'search', but 'search' of SetGenClassifier is 'genetic': "
        "set 'search' to an object that has 'population' first."
    )


def test_an_unknown_parameter_of_a_search():
    with pytest.raises(ParameterError) as error:
        sl.SetGenClassifier(search=HillClimbing()).set_params(search__population=12)
    assert str(error.value) == (
        "HillClimbing has no parameter 'population'; choose from: abandon, count, patience, restarts."
    )


@pytest.mark.parametrize("search", [search() for search in SEARCHES.values()], ids=lambda one: one.name)
def test_a_word_stands_for_the_default_search_object(search):
    parameters = {"random_state": 0, "folds": 3, "evaluations": 15}
    by_word = sl.SetGenClassifier(search=search.name, **parameters).fit(X, Y)
    assert by_word.report() == sl.SetGenClassifier(search=search, **parameters).fit(X, Y).report()


def test_small_genomes_hold_few_features():
    search = sl.GeneticSearch(genome_size=1, patience=50)
    estimator = sl.SetGenClassifier(random_state=0, search=search, folds=3).fit(X, Y)
    assert all(len(point.features) <= 1 for point in estimator.front_ if point is not estimator.front_.plain)


def test_extreme_rates():
    for rates in ({"mutation_rate": 0.0, "crossover_rate": 0.0}, {"mutation_rate": 1.0, "blank_rate": 1.0}):
        search = sl.GeneticSearch(patience=60, **rates)
        assert sl.SetGenClassifier(random_state=0, folds=3, evaluations=20, search=search).fit(X, Y)
