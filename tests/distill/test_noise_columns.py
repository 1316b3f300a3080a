"""Dates, identifiers and large categories stay out of the tree if they predict nothing, and in if they do."""

import numpy as np
import pandas as pd
import pytest
from cases import thorough_after
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import sightline as sl
from sightline.table import group_categories

NOISE = ["noise_date", "noise_id", "noise_category"]


def with_noise(X, seed=9):
    drawn, n_rows = np.random.default_rng(seed), len(X)
    return X.assign(
        noise_date=pd.Timestamp("2019-01-01") + pd.to_timedelta(drawn.integers(0, 600, n_rows), "D"),
        noise_id=7 * drawn.permutation(n_rows) + 100_000,
        noise_category=[f"v{value}" for value in drawn.integers(0, 5000, n_rows)],
    )


def columns_of(model):
    return {model.tree_.schema.names[int(feature)] for feature in model.tree_.core.used_features}


def loans():
    table = sl.make_loans(1200)
    return table.to_pandas().drop(columns=table.target_name), np.asarray(table.y)


def sums():
    drawn = np.random.default_rng(1)
    X = pd.DataFrame(drawn.normal(size=(1200, 6)), columns=list("abcdef"))
    score = 2 * X["a"] - X["b"] * X["c"] + (X["d"] > 0.5)
    return X, np.where(drawn.random(1200) < 1 / (1 + np.exp(-score)), "yes", "no")


def parity():
    drawn = np.random.default_rng(2)
    X = pd.DataFrame(drawn.uniform(size=(1500, 5)), columns=list("abcde"))
    return X, np.where((X["a"] > 0.5) ^ (X["b"] > 0.3) ^ (drawn.random(1500) < 0.1), "yes", "no")


def categories():
    drawn = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "region": drawn.choice(list("ABCDEFGH"), 1500),
            "plan": drawn.choice(["s", "m", "l"], 1500),
            "age": drawn.integers(18, 90, 1500).astype(float),
        }
    )
    score = 3 * X["region"].isin(["A", "C"]) + 2 * (X["plan"] == "l") + 2 * (X["age"] > 50) - 3
    return X, np.where(drawn.random(1500) < 1 / (1 + np.exp(-score)), "yes", "no")


def rare_class():
    drawn = np.random.default_rng(4)
    X = pd.DataFrame(drawn.normal(size=(2000, 8)), columns=list("abcdefgh"))
    score = 2 * X["a"] + X["b"] - 3.5
    return X, np.where(drawn.random(2000) < 1 / (1 + np.exp(-score)), "yes", "no")


@pytest.mark.parametrize("rows", thorough_after(2, [loans, rare_class, sums, parity, categories]))
def test_noise_does_not_enter_the_tree(rows):
    X, y = rows()
    model = sl.DistilledTreeClassifier(max_leaves=16, random_state=0).fit(with_noise(X), y)
    assert not columns_of(model) & set(NOISE)
    assert columns_of(model)
    remark = next(remark for remark in model.remarks_ if "does not test" in remark)
    assert remark.startswith("The tree does not test 'noise_date' and 'noise_id'")
    assert remark.endswith("To allow one, pass prefer=['noise_date'] (--prefer noise_date).")


@pytest.mark.parametrize(
    "name",
    thorough_after(
        1, ["autos.arff", "adult.arff.gz", "bank-marketing.arff.gz", "abalone.arff", "anneal.ORIG.arff"]
    ),
)
def test_noise_does_not_enter_the_tree_of_real_rows(name, shared):
    table = sl.read_table(shared / "datasets" / name)
    if not isinstance(table.y, sl.Labels):
        table = table.with_target(sl.Labels.from_any(np.where(table.y > np.median(table.y), "high", "low")))
    table = table[np.random.default_rng(0).permutation(table.n_rows)[:1500]]
    X = with_noise(table.X.to_pandas())
    model = sl.DistilledTreeClassifier(max_leaves=16, random_state=0).fit(X, table.y)
    assert not columns_of(model) & set(NOISE)


def test_a_given_ensemble_that_uses_noise():
    X, y = sums()
    noisy = with_noise(X).assign(noise_date=np.arange(1200) * 37 % 1201)
    encoder = make_column_transformer(
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), ["noise_category"]),
        remainder="passthrough",
    )
    forest = make_pipeline(encoder, RandomForestClassifier(20, random_state=0)).fit(noisy, y)
    model = sl.DistilledTreeClassifier(forest, max_leaves=16, random_state=0).fit(noisy, y)
    assert not columns_of(model) & set(NOISE)


def test_numbers():
    X, _ = sums()
    y = 3 * X["a"] + X["b"] + np.random.default_rng(0).normal(size=len(X))
    model = sl.DistilledTreeRegressor(max_leaves=16, random_state=0).fit(with_noise(X), y)
    assert not columns_of(model) & set(NOISE)


@pytest.fixture(scope="module")
def policy():
    """Rows whose class depends on a date, and on a category of 150 values."""
    drawn = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "opened": pd.Timestamp("2019-01-01") + pd.to_timedelta(drawn.integers(0, 600, 4500), "D"),
            "branch": [f"b{value}" for value in drawn.integers(0, 150, 4500)],
        }
    )
    is_late = (X["opened"] >= "2019-06-01") & (X["branch"].str.len() < 4) & (drawn.random(4500) < 0.9)
    return X, np.where(is_late, "late", "early")


def test_columns_that_help_are_tested(policy):
    X, y = policy
    model = sl.DistilledTreeClassifier(max_leaves=4, random_state=0).fit(X, y)
    assert columns_of(model) == {"opened", "branch"}
    assert "opened before 2019-06-01" in model.to_text() or "opened before 2019-05-31" in model.to_text()
    assert not model.remarks_


def test_of_columns_that_say_the_same_one_is_tested(policy):
    X, y = policy
    dates = {f"copy{days}": X["opened"] + pd.Timedelta(days=days) for days in range(1, 6)}
    model = sl.DistilledTreeClassifier(max_leaves=4, random_state=0).fit(X.assign(**dates)[:1500], y[:1500])
    assert columns_of(model) & {"opened", *dates}


def test_prefer_and_only_allow_a_column():
    X, y = sums()
    noisy = with_noise(X)[["a", *NOISE]]
    model = sl.DistilledTreeClassifier(max_leaves=32, prefer=["noise_date"], random_state=0).fit(noisy, y)
    assert "noise_date" in columns_of(model)
    only = sl.DistilledTreeClassifier(max_leaves=4, only=["noise_id"], random_state=0).fit(noisy, y)
    assert columns_of(only) <= {"noise_id"}


def test_the_rule_of_grouping():
    rows = [f"v{row % 30}" for row in range(900)] + [f"w{row}" for row in range(100)] + [None]
    table = group_categories(sl.Table.from_any([[row] for row in rows], feature_names=["a"]))
    feature = table.schema.features[0]
    assert set(feature.categories) == {*(f"v{value}" for value in range(30)), "other"}
    assert feature.categories[-1] == "other"
    assert table["a"].to_list()[900:] == ["other"] * 100 + [None]
    unseen = sl.Table.from_any([["new"], ["v3"]], feature_names=["a"]).aligned(table.schema)
    assert unseen["a"].to_list() == ["other", "v3"]
    small = sl.Table.from_any([[f"v{row}"] for row in range(100)])
    assert group_categories(small) is small


def test_a_name_that_is_taken():
    rows = [[f"w{row}"] for row in range(200)] + [["other"]] * 20
    assert group_categories(sl.Table.from_any(rows)).schema.features[0].categories == ("other", "(other)")
