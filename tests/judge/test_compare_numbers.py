"""A comparison of methods that predict numbers."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.tree import DecisionTreeRegressor

import sightline as sl
from sightline.exceptions import DataError, ParameterError
from sightline.judge._methods import BASELINES, TEACHER, built_in_methods
from sightline.table import Numbers

METHODS = ["scikit-learn tree", "distilled tree, 16 leaves"]


@pytest.fixture(scope="module")
def flats():
    rng = np.random.default_rng(0)
    town = rng.choice(["Bonn", "Ulm"], 120)
    size = rng.uniform(20, 120, 120)
    rent = 4 * size + 60 * (town == "Bonn") + rng.normal(0, 15, 120)
    return pd.DataFrame({"size": size, "town": town}), rent


@pytest.fixture(scope="module")
def forest():
    return RandomForestRegressor(8, random_state=0)


@pytest.fixture(scope="module")
def comparison(flats):
    return sl.compare(*flats, methods=METHODS, n_folds=3)


def test_methods_and_texts(comparison):
    assert [result.name for result in comparison.results] == ["scikit-learn tree", TEACHER, METHODS[1]]
    text = str(comparison)
    assert "the data: 120 rows, 2 columns, numbers; 3-fold cross-validation" in text
    assert text.splitlines()[2].split()[:6] == ["method", "R²", "MAE", "vs", "tree", "vs"]
    assert comparison[TEACHER].fidelity == 1
    assert comparison[TEACHER].description == "a random forest of 100 trees"
    page = comparison.to_html().replace("class=", "")
    for word in ("accuracy", "label", "class"):
        assert word not in text
        assert word not in page


def test_no_method_is_best_if_all_are_worse_than_the_mean():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200)})
    y = pd.Series(rng.gamma(0.3, 1000, 200), name="cost")
    found = sl.compare(X, y, methods=["scikit-learn tree"], n_folds=3, random_state=0)
    assert found.best.score < 0
    (sentence,) = found.sentences()
    assert re.fullmatch(
        f"No method beats always predicting the mean in R². The one that comes closest is {found.best.name}: "
        r"R² -[\d.]+ on unseen rows, [\d.,]+ off on average. Always the mean would be [\d.,]+ off.",
        sentence,
    )
    assert "dashed" not in found.words.caption(["20 rules"])
    assert found.words.caption(["20 rules"]) == (
        "R² on unseen rows. No method is simpler or better than 20 rules."
    )


def test_numbers_are_those_of_scikit_learn(flats, forest):
    """By hand, over the same folds."""
    X, y = flats
    numeric = X[["size"]].to_numpy()
    extra = {"mine": DecisionTreeRegressor(max_leaf_nodes=4, random_state=0)}
    found = sl.compare(numeric, y, methods=[], extra=extra, ensemble=forest, n_folds=3)["mine"]
    random = np.random.RandomState(0)
    order = np.lexsort((random.permutation(120), np.zeros(120)))
    folds = np.empty(120, dtype=int)
    folds[order] = np.arange(120) % 3
    scores, errors = [], []
    for fold in range(3):
        train, test = folds != fold, folds == fold
        predicted = extra["mine"].fit(numeric[train], y[train]).predict(numeric[test])
        scores.append(r2_score(y[test], predicted))
        errors.append(mean_absolute_error(y[test], predicted))
    assert found.r2 == found.score == pytest.approx(np.mean(scores))
    assert found.deviation == pytest.approx(np.std(scores, ddof=1))
    assert found.mae == pytest.approx(np.mean(errors))
    assert found.accuracy is None


def test_every_method_for_numbers_works(flats, forest):
    comparison = sl.compare(*flats, ensemble=_encoded(forest), n_folds=2)
    assert {result.name for result in comparison.results} == {
        TEACHER,
        *(method.name for method in built_in_methods("numbers")),
    }
    assert comparison[BASELINES["numbers"]].against_baseline is None
    assert all(np.isfinite(result.score) for result in comparison.results)
    assert "accuracy" not in comparison.to_dict()[0]


def _encoded(forest):
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    encoder = make_column_transformer((OneHotEncoder(), ["town"]), remainder="passthrough")
    return make_pipeline(encoder, forest)


def test_given_ensemble_is_used_as_it_is(flats, forest):
    X, y = flats[0][["size"]], flats[1]
    fitted = sl.load(forest.fit(X, y))
    comparison = sl.compare(X, y, methods=METHODS[1:], ensemble=fitted, n_folds=2)
    assert comparison[TEACHER].description == "the given 8 trees"
    assert comparison[TEACHER].tests == fitted.size_["nodes"] - fitted.size_["leaves"]


def test_results_are_found_again(flats, forest, tmp_path):
    arguments = {
        "methods": METHODS,
        "ensemble": _encoded(forest),
        "n_folds": 2,
        "results": tmp_path / "r.sqlite",
    }
    first = sl.compare(*flats, **arguments)
    again = sl.compare(*flats, **arguments)
    assert again.to_dict() == first.to_dict()


@pytest.mark.parametrize(
    ("y", "options", "expected"),
    [
        ([1, 2, 3] * 10, {}, "classes"),
        ([1, 2, 3] * 10, {"task": "numbers"}, "numbers"),
        ([1.5, 2.0, 3.0] * 10, {}, "numbers"),
        ([1.0, 2.0, 3.0] * 10, {}, "classes"),
        (Numbers.from_any([1, 2, 3] * 10), {}, "numbers"),
        ([1, 2, 3] * 10, {"ensemble": RandomForestRegressor(2, random_state=0)}, "numbers"),
    ],
)
def test_what_the_target_is(y, options, expected):
    X = np.arange(30.0)[:, None] % 7
    found = sl.compare(X, y, methods=[], n_folds=2, **options)
    assert (found.results[0].accuracy is None) == (expected == "numbers")


def test_refusals(flats):
    X, y = flats
    with pytest.raises(
        DataError, match=re.escape("All 120 rows have the same number. There is nothing to compare.")
    ):
        sl.compare(X, np.full(120, 2.5))
    with pytest.raises(DataError, match=re.escape("X has 120 rows, but y has 119 numbers.")):
        sl.compare(X, y[:119])
    with pytest.raises(DataError, match=re.escape("Input y contains NaN, first at row 3")):
        sl.compare(X, np.where(np.arange(120) == 3, np.nan, y))
    with pytest.raises(
        ParameterError, match=re.escape("must be 'auto', 'classes' or 'numbers'. Got 'both' instead.")
    ):
        sl.compare(X, y, task="both")
    few = np.array([0.5] * 119 + [1.5])
    with pytest.raises(
        DataError, match=re.escape("The numbers of a fold are all the same, so that it has no R².")
    ):
        sl.compare(X, few, methods=METHODS[:1], n_folds=2)
