"""What cannot be followed is refused in one sentence that names the step."""

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    SplineTransformer,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from sightline.exceptions import DataError, UnsupportedModelError
from sightline.learn import C45Classifier
from sightline.load import UnfittedModelError, load
from sightline.load.pipeline import FromNumbers
from sightline.load.pipeline._change_points import find_steps
from sightline.load.pipeline._ordered_doubles import double_of, rank_of

HEAD = "Cannot load the pipeline over its original columns: step "
TAIL = ". Use sl.BlackBox(pipeline) to distill the pipeline as a whole."
MIXES = " makes a column from several columns, and no test of one original column equals a test of it"
RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(60, 3)), columns=["a", "b", "c"])
Y = np.where(X["a"] > 0, "yes", "no")


class Doubling(StandardScaler):
    """Overrides transform."""

    def transform(self, X, copy=None):
        return 2 * super().transform(X, copy)


class Renamed(StandardScaler):
    """Transforms as its base does."""


class Newer(StandardScaler):
    """Has a parameter that is not known."""

    def __init__(self, *, copy=True, with_mean=True, with_std=True, power=2):
        super().__init__(copy=copy, with_mean=with_mean, with_std=with_std)
        self.power = power


def forest():
    return RandomForestClassifier(3, max_depth=3, random_state=0)


def refused(*steps, **names):
    pipeline = Pipeline(list(names.items())) if names else make_pipeline(*steps)
    with pytest.raises(UnsupportedModelError) as caught:
        load(pipeline.fit(X, Y))
    return str(caught.value)


@pytest.mark.parametrize(
    "step", [PCA(2), PolynomialFeatures(2), Normalizer(), KNNImputer()], ids=lambda step: type(step).__name__
)
def test_steps_that_mix_columns(step):
    name = type(step).__name__
    assert refused(mix=step, model=forest()) == f"{HEAD}'mix' ({name}){MIXES}{TAIL}"


def test_the_way_to_a_nested_step_is_named():
    inner = make_pipeline(SimpleImputer(), PCA(1))
    prepare = make_column_transformer((inner, ["a", "b"]), ("passthrough", ["c"]))
    assert (
        refused(prepare=prepare, model=forest()) == f"{HEAD}'prepare' > 'pipeline' > 'pca' (PCA){MIXES}{TAIL}"
    )


def test_unknown_transformer():
    assert refused(curve=SplineTransformer(), model=forest()) == (
        f"{HEAD}'curve' (SplineTransformer) is not supported{TAIL}"
    )


def test_subclass_with_its_own_transform():
    assert refused(scale=Doubling(), model=forest()) == f"{HEAD}'scale' (Doubling) is not supported{TAIL}"


def test_subclass_that_transforms_as_its_base():
    pipeline = make_pipeline(Renamed(), forest()).fit(X, Y)
    np.testing.assert_array_equal(load(pipeline).predict_proba(X), pipeline.predict_proba(X))


@pytest.mark.parametrize(
    ("cells", "kind"),
    [("datetime64[ns]", "datetime64"), ("timedelta64[s]", "timedelta64"), (object, "datetime")],
)
def test_categories_that_are_times(cells, kind):
    days = np.repeat(np.arange(6), 10)
    times = days.astype("timedelta64[D]") if kind == "timedelta64" else days.astype("datetime64[D]")
    column = pd.Series(times).astype("datetime64[s]" if cells is object else cells)
    if cells is object:
        column = pd.Series([time.to_pydatetime() for time in column], dtype=object)
    rows = X.assign(day=column)
    steps = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["day"]), remainder="passthrough"
    )
    with pytest.raises(UnsupportedModelError, match=rf"Column 'day' has the category '.*' of type {kind}"):
        load(make_pipeline(steps, forest()).fit(rows, Y))


def test_unknown_parameter():
    assert refused(scale=Newer(), model=forest()) == (
        f"{HEAD}'scale' (Newer) has the unknown parameter 'power'{TAIL}"
    )


def test_values_that_become_missing_for_trees_that_spread_them():
    """Logarithms of negative numbers are NaN, which C4.5 follows along several branches."""
    step = FunctionTransformer(np.log1p)
    far = np.where(X["a"].abs() > 0.7, "yes", "no")
    model = make_pipeline(step, C45Classifier()).fit(X.abs(), far)
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value).endswith(
        " missing, and the model's trees follow several branches for missing values."
    )


def test_unknown_function():
    step = FunctionTransformer(np.sin)
    assert refused(wave=step, model=forest()) == (
        f"{HEAD}'wave' (FunctionTransformer) calls 'sin', which is not one of numpy's supported functions of "
        f"one number{TAIL}"
    )


def test_unknown_keyword_of_a_function():
    step = FunctionTransformer(np.cbrt, kw_args={"where": True})
    assert refused(root=step, model=forest()) == (
        f"{HEAD}'root' (FunctionTransformer) has the keyword 'where' in kw_args, which is not supported{TAIL}"
    )


@pytest.mark.parametrize("function", [np.asarray, np.array])
@pytest.mark.parametrize("dtype", ["int64", "bool", np.uint8, "longdouble"])
def test_conversions_that_are_not_monotone(function, dtype):
    """Whole numbers wrap around, a boolean is true on both sides of 0."""
    step = FunctionTransformer(function, kw_args={"dtype": dtype})
    assert refused(cast=step, model=forest()) == (
        f"{HEAD}'cast' (FunctionTransformer) converts numbers to {np.dtype(dtype).name}. Supported: "
        f"float16, float32 or float64{TAIL}"
    )


@pytest.mark.parametrize("dtype", ["float16", "float32", float])
def test_conversions_between_floats(dtype):
    step = FunctionTransformer(np.asarray, kw_args={"dtype": dtype})
    pipeline = make_pipeline(step, forest()).fit(X, Y)
    rows = pd.DataFrame(RNG.normal(size=(2000, 3)) * 1000, columns=["a", "b", "c"])
    for some in (rows, rows.round(2) / 1000):
        np.testing.assert_array_equal(load(pipeline).predict_proba(some), pipeline.predict_proba(some))


def test_model_that_is_not_made_of_trees():
    message = refused(StandardScaler(), LogisticRegression())
    assert message.startswith(
        "Cannot load a model of type sklearn.linear_model._logistic.LogisticRegression."
    )


def test_pipeline_without_a_model():
    with pytest.raises(UnsupportedModelError) as caught:
        load(Pipeline([("scale", StandardScaler()), ("idle", "passthrough")]).fit(X))
    assert str(caught.value) == "Cannot load a Pipeline whose last step is not a model."


def test_unfitted_pipeline():
    with pytest.raises(UnfittedModelError) as caught:
        load(make_pipeline(StandardScaler(), forest()))
    assert str(caught.value) == (
        "Step 'randomforestclassifier' (RandomForestClassifier) of the pipeline is not fitted. "
        "Call 'fit' on the pipeline before you load it."
    )


def test_steps_that_are_not_fitted():
    pipeline = make_pipeline(StandardScaler(), forest()).fit(X, Y)
    pipeline.steps[0] = ("standardscaler", StandardScaler())
    with pytest.raises(UnfittedModelError) as caught:
        load(pipeline)
    assert str(caught.value) == (
        "Step 'standardscaler' (StandardScaler) of the pipeline is not fitted. "
        "Call 'fit' on the pipeline before you load it."
    )


def test_part_that_is_not_fitted():
    steps = make_column_transformer((StandardScaler(), ["a"]), remainder="passthrough")
    pipeline = make_pipeline(steps, forest()).fit(X, Y)
    pipeline[0].transformers_[0] = ("standardscaler", StandardScaler(), ["a"])
    with pytest.raises(
        UnfittedModelError, match=r"^Step 'columntransformer' > 'standardscaler' \(StandardScaler\)"
    ):
        load(pipeline)


def test_model_of_other_columns():
    pipeline = make_pipeline(StandardScaler(), forest()).fit(X, Y)
    pipeline.steps[1] = ("model", forest().fit(X[["a"]].to_numpy(), Y))
    with pytest.raises(UnsupportedModelError) as caught:
        load(pipeline)
    assert str(caught.value) == "The steps of the pipeline make 3 columns, but its model has 1."


def test_values_that_the_pipeline_refuses():
    frame = pd.DataFrame({"color": ["red", "blue"] * 10})
    pipeline = make_pipeline(OneHotEncoder(), DecisionTreeClassifier()).fit(frame, frame["color"] == "red")
    ensemble = load(pipeline)
    with pytest.raises(DataError) as caught:
        ensemble.predict(pd.DataFrame({"color": ["red", "green"]}))
    assert str(caught.value) == (
        "Column 'color' holds 'green' at row 1, which Ensemble does not know and refuses. "
        "Remove the row, or make the value missing."
    )


def test_columns_that_the_pipeline_does_not_know():
    ensemble = load(make_pipeline(StandardScaler(), forest()).fit(X, Y))
    with pytest.raises(DataError, match="X has the column 'd', which Ensemble was not trained on"):
        ensemble.predict(X.assign(d=1.0))
    with pytest.raises(DataError, match="X has no column 'b', which Ensemble expects"):
        ensemble.predict(X[["a", "c"]])


def test_dropped_columns_may_hold_anything_or_be_absent():
    prepare = make_column_transformer((StandardScaler(), ["a", "b"]))
    pipeline = make_pipeline(prepare, forest()).fit(X, Y)
    ensemble = load(pipeline)
    expected = pipeline.predict_proba(X)
    for rows in (X, X[["b", "a"]], X.assign(c="text"), X.assign(c=None)):
        np.testing.assert_array_equal(ensemble.predict_proba(rows), expected)


def wobbling(by, is_exact):
    """Return a column whose every other number is rounded up by some ranks."""

    def function(x):
        rank = rank_of(x)
        return double_of(rank + np.where(rank % 2 == 0, 0, by))

    return FromNumbers.elementwise(0, function, is_exact=is_exact, name="a")


@pytest.mark.parametrize("by", [1, 5, 31, 301])
def test_function_that_is_rounded_out_of_order(by):
    column = wobbling(by, is_exact=False)
    steps = find_steps([column], np.zeros(1, dtype=np.intp), lambda _, value: value <= 1.5)
    numbers = double_of(rank_of(np.array([1.5]))[0] + np.arange(-1000, 1000))
    n_bounds = np.searchsorted(steps.bound, numbers)
    expected = column.evaluate({0: numbers})[:, 0] <= 1.5
    np.testing.assert_array_equal((n_bounds % 2 == 0) == steps.first[0], expected)


@pytest.mark.parametrize(("by", "is_exact"), [(5000, False), (5, True)])
def test_function_that_is_not_monotone_where_it_should_be(by, is_exact):
    with pytest.raises(UnsupportedModelError) as caught:
        find_steps([wobbling(by, is_exact)], np.zeros(1, dtype=np.intp), lambda _, value: value <= 1.5)
    assert str(caught.value) == (
        "Cannot load the pipeline over its original columns: its transformation of column 'a' is not "
        f"monotone, because of rounding{TAIL}"
    )


def test_selector_of_other_columns():
    pipeline = make_pipeline(SelectKBest(k=2), forest()).fit(X, Y)
    pipeline[0].scores_ = pipeline[0].scores_[:2]
    with pytest.raises(UnsupportedModelError) as caught:
        load(pipeline)
    assert "chooses from 2 columns but gets 3" in str(caught.value)


def test_steps_in_front_of_a_model_that_does_not_count_its_columns():
    rows = lightgbm.Dataset(X.to_numpy(), Y == "yes", free_raw_data=False)
    booster = lightgbm.train({"objective": "binary", "verbose": -1, "num_threads": 1}, rows, 2)
    with pytest.raises(UnfittedModelError) as caught:
        load(Pipeline([("scale", StandardScaler()), ("model", booster)]))
    assert str(caught.value) == (
        "Step 'scale' (StandardScaler) of the pipeline is not fitted. "
        "Call 'fit' on the pipeline before you load it."
    )


def test_encoder_of_other_columns():
    pipeline = make_pipeline(OrdinalEncoder(), forest()).fit(X, Y)
    pipeline[0].categories_ = [*pipeline[0].categories_, np.arange(3.0)]
    with pytest.raises(UnsupportedModelError) as caught:
        load(pipeline)
    assert "encodes 4 columns but gets 3" in str(caught.value)
