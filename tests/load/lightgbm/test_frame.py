"""Which columns of a LightGBM model were categories of a frame, and how they are compared."""

import itertools
import json

import lightgbm as lgb
import numpy as np
import pandas as pd
import pytest
from cases import each
from sklearn.ensemble import VotingClassifier

from sightline import DistilledTreeClassifier, Ensemble, Table, certify, counterfactuals, merge
from sightline.exceptions import DataError, ModelFormatError, UnsupportedModelError
from sightline.load import CategoriesNeededError, load
from sightline.load.lightgbm._frame import ColumnRange, _assignments, frame_categories

SMALL = {"n_estimators": 5, "min_child_samples": 4, "verbose": -1, "n_jobs": 1}
CODED = {"min_data_per_group": 5, "cat_smooth": 1, "max_cat_to_onehot": 1}
STARS = np.random.default_rng(0).integers(0, 5, 500)
N = 500


def forms(model, tmp_path):
    """Return the model, its Booster, its text and its dump."""
    text, dump = tmp_path / "text", tmp_path / "dump"
    model.booster_.save_model(text)
    dump.write_text(json.dumps(model.booster_.dump_model()))
    return model, model.booster_, text, dump


def assert_follows(model, frames, tmp_path, **options):
    for form, frame in itertools.product(forms(model, tmp_path), frames):
        expected = model.predict(frame, raw_score=True)
        np.testing.assert_array_equal(load(form, **options).scores(frame)[:, 0], expected)


@pytest.mark.parametrize(
    "values", [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], list("edbca"), [0.5, 2.5, 1.5, 9.0, 8.0]], ids=str
)
@pytest.mark.parametrize("missing", [{}, {"use_missing": False}, {"zero_as_missing": True}], ids=str)
def test_ordered_categories_are_compared_by_their_codes(values, missing, tmp_path):
    def frame(stars, holes=False):
        column = pd.Categorical.from_codes(np.where(holes, -1, stars), values, ordered=True)
        return pd.DataFrame({"x": np.linspace(-1, 1, len(stars)), "stars": column})

    holes = np.arange(N) % 7 == 0
    model = lgb.LGBMClassifier(**SMALL, **missing).fit(frame(STARS, holes), (STARS >= 3) ^ holes)
    assert_follows(model, [frame(STARS), frame(STARS, holes)], tmp_path)


def test_categories_that_are_left_out_are_compared_by_their_codes(tmp_path):
    frame = pd.DataFrame({"v": pd.Categorical(np.array(list("zyxwv"))[STARS]), "w": np.arange(N) % 3})
    model = lgb.LGBMClassifier(**SMALL, **CODED).fit(frame, STARS > 2, categorical_feature=["w"])
    shuffled = frame.assign(v=frame["v"].cat.reorder_categories(list("vxzyw")))
    assert_follows(model, [frame, shuffled], tmp_path, categories={"v": list("vwxyz")})


def test_an_unseen_category_is_missing(tmp_path):
    frame = pd.DataFrame({"v": pd.Categorical(STARS * 10, ordered=True)})
    model = lgb.LGBMClassifier(**SMALL).fit(frame, STARS > 2)
    assert_follows(model, [pd.DataFrame({"v": pd.Categorical(STARS * 10 + 10)})], tmp_path)


def test_lists_that_fit_several_columns_are_refused(tmp_path):
    v, w = np.random.default_rng(1).integers(0, 4, (2, N))
    frame = pd.DataFrame({"v": pd.Categorical(v * 10 + 10), "w": w})
    model = lgb.LGBMClassifier(**SMALL, **CODED).fit(frame, (v < 2) ^ (w % 2 == 0), categorical_feature=["w"])
    for form in forms(model, tmp_path):
        with pytest.raises(UnsupportedModelError) as caught:
            load(form)
        assert str(caught.value).endswith(
            ": the frame had 1 column of categories, but LightGBM does not store which. The categories 10, "
            "20, 30 and 40 fit the columns 'v' and 'w'. Pass the training frame: "
            "sl.load(model, categories=X), or all columns of categories: "
            "sl.load(model, categories={name: values, ...})."
        )
    for categories in ({"v": [10, 20, 30, 40]}, frame):
        assert_follows(model, [frame], tmp_path, categories=categories)
    with pytest.raises(UnsupportedModelError, match="no columns among those given match them"):
        load(model, categories={"v": [1, 2, 3, 4]})


def test_flags_cast_doubt_on_pairs(tmp_path):
    """A flag may have been an ordered pair of strings, next to a number that was declared a category."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "flag": rng.integers(0, 2, N).astype(bool),
            "sex": pd.Categorical(rng.choice(["female", "male"], N)),
            "size": rng.integers(0, 9, N),
            "constant": 1.0,
            "stars": pd.Categorical(STARS),
        }
    )
    model = lgb.LGBMClassifier(**SMALL, **CODED).fit(frame, (STARS == 2) ^ (frame["sex"] == "male"))
    for form in forms(model, tmp_path):
        with pytest.raises(UnsupportedModelError, match="male' fit the columns 'flag', 'sex' and 'constant'"):
            load(form)
    for categories in (frame, {"sex": ["male", "female"], "stars": range(5)}):
        assert_follows(model, [frame], tmp_path, categories=categories)


def other_than_usual():
    """Return a model whose categorical column is a number, and whose frame has categories elsewhere."""
    v, w = np.random.default_rng(1).integers(0, 2, (2, N))
    frame = pd.DataFrame({"v": pd.Categorical(np.array(["a", "b"])[v]), "w": w})
    return lgb.LGBMClassifier(**SMALL, **CODED).fit(frame, v ^ w, categorical_feature=["w"]), frame


def test_categories_may_be_elsewhere_than_in_the_categorical_columns(tmp_path):
    """The list was given to 'w', so that exported code compared its numbers with 'a' and 'b'."""
    model, frame = other_than_usual()
    for form in forms(model, tmp_path):
        with pytest.raises(UnsupportedModelError, match="'a' and 'b' fit the columns 'v' and 'w'"):
            load(form)
    assert_follows(model, [frame], tmp_path, categories=frame)
    assert [f.is_nominal for f in load(model, categories=frame).schema.features] == [True, True]
    with pytest.raises(DataError, match="Column 'v' holds numbers"):
        load(model, categories=frame).predict(frame.assign(v=0))


def test_rows_with_other_columns_of_categories_are_refused():
    """The caller names the wrong column. Rows of categories elsewhere show that this was wrong."""
    model, frame = other_than_usual()
    wrong = load(model, categories={"w": ["a", "b"]})
    with pytest.raises(DataError, match="Column 'v' holds text such as 'a', but Ensemble expects numbers"):
        wrong.predict(frame)
    with pytest.raises(DataError, match="Column 'v' holds categories, but Ensemble expects numbers"):
        wrong.predict(frame.assign(v=pd.Categorical(frame["v"].cat.codes * 10 + 10)))


def test_rows_show_which_columns_have_categories():
    model, frame = other_than_usual()
    rows = Table.from_any(frame.assign(v=frame["v"].astype(str)))
    tree = DistilledTreeClassifier(ensemble=model, random_state=0).fit(rows)
    np.testing.assert_array_equal(tree.ensemble_.predict(frame), model.predict(frame))
    assert isinstance(tree.ensemble_, Ensemble)
    assert certify(merge(model, X=frame), model).equivalent
    assert certify(model, model, frame).equivalent
    found = counterfactuals(model, frame.iloc[[0]], within=frame)
    assert len(found)
    with pytest.raises(UnsupportedModelError, match="fit the columns 'v' and 'w'"):
        merge(model)
    few = load(model, categories={"v": ["b", "unseen"]})
    np.testing.assert_array_equal(few.predict(frame), model.predict(frame))


def test_a_wrapped_model_asks_the_same(tmp_path):
    model, frame = other_than_usual()
    vote = VotingClassifier([("one", model)]).fit(frame, model.predict(frame))
    vote.estimators_ = [model]
    with pytest.raises(CategoriesNeededError, match=r"^VotingClassifier: .*'a' and 'b' fit the columns"):
        load(vote)
    np.testing.assert_array_equal(load(vote, categories=frame).predict(frame), vote.predict(frame))


def test_a_column_of_fractions_is_no_column_of_categories(tmp_path):
    """The range of 'share' is that of the codes, but its thresholds are not between whole numbers."""
    share = np.linspace(0, 2, N)
    frame = pd.DataFrame({"share": share, "v": pd.Categorical(np.array(list("abc"))[STARS % 3])})
    model = lgb.LGBMClassifier(**SMALL, **CODED).fit(frame, (share > 0.7) ^ (STARS % 3 == 1))
    assert_follows(model, [frame], tmp_path)
    halves = frame.assign(share=np.arange(N) % 3)
    model.fit(halves, (halves["share"] > 1) ^ (STARS % 3 == 1))
    with pytest.raises(CategoriesNeededError, match="fit the columns 'share' and 'v'"):
        load(model)


def test_a_pair_of_numbers_is_asked_about():
    """Rows of numbers would not show that the pair was given to the wrong column."""
    v, w = np.random.default_rng(1).integers(0, 2, (2, N))
    frame = pd.DataFrame({"v": pd.Categorical(v * 10 + 10), "w": w})
    model = lgb.LGBMClassifier(**SMALL, **CODED).fit(frame, v ^ w, categorical_feature=["w"])
    with pytest.raises(UnsupportedModelError, match="The categories 10 and 20 fit the columns 'v' and 'w'"):
        load(model)
    expected = model.predict(frame)
    np.testing.assert_array_equal(load(model, categories=frame).predict(frame.astype(int)), expected)
    codes = frame.assign(v=pd.Categorical(v))
    model.fit(codes, v ^ w, categorical_feature=["w"])
    with pytest.raises(UnsupportedModelError, match="The categories 0 and 1 fit the columns 'v' and 'w'"):
        load(model)
    own = load(model, categories=codes)
    np.testing.assert_array_equal(own.predict(codes.astype(int)), model.predict(codes))


@pytest.mark.parametrize("n_categories", [5, 20])
def test_numbers_of_which_training_lacks_the_last_are_asked_about(n_categories):
    """With 20 categories, fewer than half of the codes occur. The list was given to 'w'."""
    v, w = np.random.default_rng(1).integers(0, 4, (2, N))
    column = pd.Categorical(v * 10 + 10, categories=np.arange(10, 10 * n_categories + 10, 10))
    frame = pd.DataFrame({"v": column, "w": w})
    model = lgb.LGBMClassifier(**SMALL, **CODED)
    model.fit(frame, (v < 2) ^ (w % 2 == 0), categorical_feature=["w"])
    with pytest.raises(UnsupportedModelError, match=r"10, 20, 30.* fit the columns 'v' and 'w'"):
        load(model)
    expected = model.predict(frame)
    np.testing.assert_array_equal(load(model, categories=frame).predict(frame.astype(int)), expected)


@each(seed=range(40))
def test_assignments_are_those_of_a_search(seed):
    rng = np.random.default_rng(seed)
    fits = rng.random((rng.integers(1, 4), rng.integers(1, 7))) < 0.5
    found = [
        list(columns)
        for columns in itertools.combinations(range(fits.shape[1]), len(fits))
        if all(fits[row, column] for row, column in enumerate(columns))
    ]
    assert _assignments(fits) == (found if len(found) < 2 else [found[0], found[-1]])


def test_unused_columns_fit_any_list():
    columns = [ColumnRange(np.nan, np.nan), ColumnRange(-1.5, 2.0)]
    whole = np.zeros(2, dtype=bool)
    assert frame_categories([["a", "b"]], ["u", "n"], columns, whole, {}, "f") == [("a", "b"), None]


@pytest.mark.parametrize(
    ("kind", "objective", "sentence"),
    [
        (
            lgb.LGBMClassifier,
            "regression",
            "LGBMClassifier: its objective 'regression' is for numbers, but the estimator predicts classes, "
            "which is not supported. Load its Booster instead: sl.load(model.booster_).",
        ),
        (
            lgb.LGBMRegressor,
            "binary",
            "LGBMRegressor: its objective 'binary' is for classes, but the estimator predicts numbers, "
            "which is not supported. Load its Booster instead: sl.load(model.booster_).",
        ),
    ],
)
def test_an_objective_of_another_kind_is_refused(kind, objective, sentence):
    model = kind(objective=objective, **SMALL).fit(STARS[:, np.newaxis], STARS > 2)
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value) == sentence


def test_early_stopping_within_a_prediction_is_refused():
    model = lgb.LGBMClassifier(pred_early_stop=True, **SMALL).fit(STARS[:, np.newaxis], STARS > 2)
    with pytest.raises(UnsupportedModelError, match="stops early within each prediction"):
        load(model)


@pytest.mark.parametrize("which", [2, 3], ids=["text", "dump"])
def test_unknown_versions_are_refused(which, tmp_path):
    model = lgb.LGBMClassifier(**SMALL).fit(STARS[:, np.newaxis], STARS > 2)
    path = forms(model, tmp_path)[which]
    path.write_text(path.read_text().replace("v4", "v9", 1))
    with pytest.raises(UnsupportedModelError) as caught:
        load(path)
    assert str(caught.value) == f"{path}: is a LightGBM model of version 'v9'. Supported: v2, v3, v4."


def test_sizes_that_do_not_fit_are_refused(tmp_path):
    model = lgb.LGBMClassifier(**SMALL).fit(STARS[:, np.newaxis], STARS > 2)
    path = forms(model, tmp_path)[2]
    lines = path.read_text().split("\n")
    place = next(k for k, line in enumerate(lines) if line.startswith("tree_sizes="))
    sizes = lines[place].split("=")[1].split()
    lines[place] = "tree_sizes=" + " ".join(["7", *sizes[1:]])
    path.write_text("\n".join(lines))
    with pytest.raises(ModelFormatError, match=f"'tree_sizes' gives tree 0 7 bytes, but it has {sizes[0]}."):
        load(path)
    path.write_text("\n".join(lines[:place] + lines[place + 1 :]))
    assert load(path).n_trees == 5
