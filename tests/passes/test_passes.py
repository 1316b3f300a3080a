"""Sample, fit, count: every estimator takes rows in parts, and what it counts is exact."""

import itertools
import json
import math
import re
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.dataset as ds
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import sightline as sl
from sightline.exceptions import DataError
from sightline.passes._exact_sums import exact_sums, rounded


def people(n_rows=1500, seed=1, missing=False):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.normal(size=(n_rows, 4)), columns=list("abcd"))
    frame["job"] = random.choice(["cook", "baker", "none"], n_rows)
    score = frame["a"] + np.abs(frame["b"]) + (frame["job"] == "cook") + random.normal(0, 0.3, n_rows)
    frame["paid"] = np.where(score > 1, "yes", "no")
    frame["sum"] = score
    if missing:
        frame.loc[::3, "a"] = np.nan
        frame.loc[::5, "job"] = None
    return frame


def cut(frame, n_parts):
    edges = np.linspace(0, len(frame), n_parts + 1).astype(int)
    return [frame.iloc[low:high] for low, high in itertools.pairwise(edges)]


@pytest.fixture(scope="module")
def forest():
    frame = people(400, seed=9)
    return RandomForestClassifier(20, random_state=0).fit(frame[list("abcd")], frame["paid"])


def of_classes(frame):
    return frame[[*"abcd", "paid"]]


# Sums


def test_sums_are_exact_and_rounded_once():
    random = np.random.default_rng(0)
    values = random.normal(size=3000) * 10.0 ** random.integers(-200, 200, 3000)
    values[:3] = [0.0, 5e-324, -1.7976931348623157e308]
    group = random.integers(0, 7, 3000)
    expected = [float(sum(map(Fraction, values[group == one].tolist()))) for one in range(7)]
    assert rounded(exact_sums(group, values, 7)).tolist() == expected
    halves = exact_sums(group[:1000], values[:1000], 7) + exact_sums(group[1000:], values[1000:], 7)
    assert rounded(halves).tolist() == expected
    assert rounded(exact_sums(np.zeros(3, int), np.array([0.1, 0.2, 0.3]), 1))[0] == math.fsum(
        [0.1, 0.2, 0.3]
    )


# One mechanism for every estimator


ESTIMATORS = [
    lambda forest: sl.DistilledTreeClassifier(forest, max_leaves=6, random_state=0),
    lambda forest: sl.ISMClassifier(forest, variant="d", max_leaves=6),
    lambda forest: sl.RuleSetClassifier(forest, max_rules=6, random_state=0),
    lambda forest: sl.MetaKNNClassifier(forest, random_state=0),
    lambda _: sl.C45Classifier(max_leaves=6),
]


@pytest.mark.parametrize("make", ESTIMATORS)
def test_the_model_is_that_of_the_rows_in_memory_if_all_are_in_the_sample(make, forest):
    frame = of_classes(people(300)).astype({"paid": "category"})
    in_memory = make(forest).fit(frame[list("abcd")], frame["paid"])
    in_parts = make(forest).fit(sl.Rows(cut(frame, 4), "paid"))
    assert in_parts.to_json() == in_memory.to_json()
    assert (in_parts.tally_.n_sampled, in_parts.tally_.n_judged) == (300, 0)
    assert in_parts.tally_.fidelity is None


@pytest.mark.parametrize("make", ESTIMATORS)
def test_the_model_and_the_counts_do_not_depend_on_the_parts(make, forest):
    frame = of_classes(people(700))
    found = [make(forest).fit(sl.Rows(cut(frame, n), "paid", sample_size=250, seed=5)) for n in (1, 6)]
    assert found[0].to_json() == found[1].to_json()
    for name, counts in found[0].tally_.counts.items():
        assert (counts == found[1].tally_.counts[name]).all(), name
    assert found[0].tally_.n_judged == 450


def test_every_library_gives_the_same_tree(tmp_path, forest):
    frame = of_classes(people(400))
    for index, part in enumerate(cut(frame, 3)):
        part.to_parquet(tmp_path / f"{index}.parquet", index=False)
    pattern = str(tmp_path / "*.parquet")
    expected = sl.DistilledTreeClassifier(forest, max_leaves=5, random_state=0)
    expected.fit(frame[list("abcd")], frame["paid"])
    sources = [
        pattern,
        ds.dataset(tmp_path),
        pl.scan_parquet(pattern),
        duckdb.sql(f"SELECT * FROM '{pattern}'"),
    ]
    for source in sources:
        tree = sl.DistilledTreeClassifier(forest, max_leaves=5, random_state=0).fit(sl.Rows(source, "paid"))
        assert tree.to_json() == expected.to_json()


# What is counted


def test_nodes_hold_the_counts_of_all_rows(forest):
    frame = of_classes(people())
    tree = sl.DistilledTreeClassifier(forest, max_leaves=6, random_state=0).fit(
        sl.Rows(cut(frame, 3), "paid", sample_size=300)
    )
    X, codes = frame[list("abcd")], (frame["paid"] == "yes").to_numpy().astype(np.int32)
    expected = tree.tree_.with_labels(X, codes)
    assert (tree.tree_.core.counts == expected.core.counts).all()
    assert (tree.tree_.core.weight == expected.core.weight).all()
    assert tree.tree_.core.weight[0] == 1500


@pytest.mark.parametrize("weights", [None, "w"])
def test_rows_with_missing_values_count_in_parts(weights):
    frame = people(missing=True).drop(columns="sum")
    frame["w"] = np.random.default_rng(0).uniform(0.1, 3, len(frame))
    rows = [
        sl.Rows(cut(frame, n), "paid", weights, drop=[] if weights else ["w"], sample_size=600)
        for n in (1, 7)
    ]
    trees = [sl.C45Classifier(max_leaves=9).fit(one).tree_ for one in rows]
    assert trees[0].to_json() == trees[1].to_json()
    X, codes = frame.drop(columns=["paid", "w"]), (frame["paid"] == "yes").to_numpy().astype(np.int32)
    amount = None if weights is None else frame["w"].to_numpy()
    expected = trees[0].with_labels(X, codes, amount)
    assert trees[0].core.counts == pytest.approx(expected.core.counts, rel=1e-9)
    assert not np.all(trees[0].core.counts == np.floor(trees[0].core.counts))


def test_sums_of_weights_are_not_called_numbers_of_rows(forest):
    frame = people(600)
    numbers = RandomForestRegressor(10, max_depth=5, random_state=0).fit(frame[list("abcd")], frame["sum"])
    makes = {
        "paid": lambda: sl.DistilledTreeClassifier(forest, max_leaves=3, random_state=0),
        "sum": lambda: sl.DistilledTreeRegressor(numbers, max_leaves=3, random_state=0),
    }
    X, heavy = frame[list("abcd")], frame["a"].to_numpy() > 0
    for (target, make), weights in itertools.product(
        makes.items(), (np.where(heavy, 5.5, 0.5), np.full(600, 2.0), heavy * 1.0)
    ):
        rows = sl.Rows(X.assign(y=frame[target], w=weights), "y", "w", sample_size=100)
        assert rows.drawn().weights is None  # the sample does not show that rows have weights
        tree, in_memory = make().fit(rows), make().fit(X, frame[target], weights)
        total, is_weighted = f"{weights.sum():,.0f}", weights.max() > 1
        for one in (tree, in_memory):
            said = f"training rows of weight {total}\n" if is_weighted else f"{total} training rows\n"
            assert said in one.to_text(), (target, weights[:5])
            letter = one.explain(X.iloc[0]).to_letter()
            assert bool(re.search(r"\d earlier cases", letter)) == (not is_weighted)
            assert ("weighted_rows" in one.to_json()) == is_weighted
        remarks = [remark for remark in tree.training_remarks_ if "Nodes show sums of weights" in remark]
        assert len(remarks) == is_weighted


def test_numbers_are_counted_in_the_nodes_of_a_regression():
    frame = people(900)
    model = RandomForestRegressor(10, max_depth=5, random_state=0).fit(frame[list("abcd")], frame["sum"])
    parts = [
        sl.DistilledTreeRegressor(model, max_leaves=6, random_state=0).fit(
            sl.Rows(cut(frame, n), "sum", drop=["job", "paid"], sample_size=300)
        )
        for n in (1, 5)
    ]
    tree, tally = parts[0].tree_, parts[0].tally_
    assert tree.to_json() == parts[1].tree_.to_json()
    X = frame[list("abcd")]
    expected = tree.with_numbers(X, frame["sum"].to_numpy())
    assert tree.numbers.mean == pytest.approx(expected.numbers.mean, rel=1e-9)
    assert tree.numbers.deviation == pytest.approx(expected.numbers.deviation, rel=1e-6)
    chosen = sl.Rows(frame, "sum", drop=["job", "paid"], sample_size=300).drawn().positions
    judged = np.setdiff1d(np.arange(900), chosen)
    errors = sl.measure(parts[0], X.iloc[judged], frame["sum"].iloc[judged])
    assert tally.fidelity == pytest.approx(errors.fidelity.value, rel=1e-9)
    assert tally.accuracy == pytest.approx(errors.model.value, rel=1e-9)
    assert tally.mean_difference == pytest.approx(errors.fidelity.mae.value, rel=1e-9)


def test_measures_are_about_the_rows_outside_the_sample(forest):
    frame = of_classes(people())
    rows = sl.Rows(cut(frame, 4), "paid", sample_size=500)
    tree = sl.DistilledTreeClassifier(forest, max_leaves=6, random_state=0).fit(rows)
    judged = np.setdiff1d(np.arange(1500), rows.drawn().positions)
    X, y = frame[list("abcd")].iloc[judged], frame["paid"].iloc[judged]
    found, tally = sl.measure(tree, X, y), tree.tally_
    assert (tally.n_sampled, tally.n_judged) == (500, 1000)
    assert tally.fidelity.value == found.fidelity.overall.value
    assert tally.accuracy.value == found.model.accuracy.value
    assert tally.ensemble_accuracy.value == found.ensemble.accuracy.value
    assert tally.majority.value == found.fidelity.majority.value
    assert {label: share.value for label, share in tally.fidelity_by_class.items()} == {
        label: share.value for label, share in found.fidelity.by_class.items()
    }
    assert tally.confusion.sum() == 1000
    differs = tree.predict(X) != forest.predict(X)
    leaf = tree.apply(X)
    expected = [[np.sum(leaf == node), np.sum(differs[leaf == node])] for node in range(tree.tree_.n_nodes)]
    assert tally.leaf_rows.tolist() == expected
    bins = tally.calibration("yes", "ensemble")
    assert bins[:, 0].sum() == 1000
    high = forest.predict_proba(X)[:, 1] >= 0.95
    assert bins[19].tolist() == [high.sum(), (y[high] == "yes").sum()]
    assert repr(tally).startswith("<Tally: model chosen on 500 rows, judged on 1,000 others: fidelity 9")


def test_weights_that_all_rows_have_are_named(forest):
    """Only the remark on a sample named them."""
    frame = of_classes(people()).assign(w=np.random.default_rng(0).uniform(0.5, 1.5, 1500))
    rows = sl.Rows(frame, target="paid", weights="w")
    tree = sl.DistilledTreeClassifier(forest, max_leaves=6, random_state=0).fit(rows)
    assert tree.remarks_[0].startswith("Training rows are weighted by w (total 1")


def test_measures_count_rows_that_were_set_aside_by_their_weights(forest):
    frame = of_classes(people())
    frame["w"] = np.where(frame["a"] > 0, 5.5, 0.5) * np.random.default_rng(0).uniform(0.5, 1.5, 1500)
    frame.loc[::10, "w"] = 0.0
    options = {"target": "paid", "weights": "w", "sample_size": 300}
    trees = [
        sl.DistilledTreeClassifier(forest, max_leaves=6, random_state=0).fit(
            sl.Rows(cut(frame, n), **options)
        )
        for n in (1, 7)
    ]
    tree, rows = trees[0], sl.Rows(frame, **options)
    tally, again = (one.tally_ for one in trees)
    assert {name: counts.tolist() for name, counts in tally.counts.items()} == {
        name: counts.tolist() for name, counts in again.counts.items()
    }
    judged = rows.judges.among(0, 1500, rows.drawn(), frame["w"].to_numpy())
    X, y, w = (frame.loc[judged, names] for names in (list("abcd"), "paid", "w"))
    found = sl.measure(tree, X, y, sample_weight=w)
    assert (tally.n_rows, tally.n_sampled, tally.n_judged) == (1500, 300, 675)
    assert tally.n_effective == pytest.approx(w.sum() ** 2 / (w**2).sum())
    for share, expected in (
        (tally.fidelity, found.fidelity.overall),
        (tally.accuracy, found.model.accuracy),
        (tally.ensemble_accuracy, found.ensemble.accuracy),
        (tally.majority, found.fidelity.majority),
        *((tally.fidelity_by_class[label], share) for label, share in found.fidelity.by_class.items()),
    ):
        assert share.to_json() == pytest.approx(expected.to_json(), rel=1e-9)
    assert tally.confusion == pytest.approx(pd.crosstab(y, tree.predict(X), w, aggfunc="sum").to_numpy())
    theirs = forest.predict(X)
    assert tally.agreement == pytest.approx(
        pd.crosstab(theirs, tree.predict(X), w.to_numpy(), aggfunc="sum").to_numpy()
    )
    leaf, differs = tree.apply(X), tree.predict(X) != theirs
    assert tally.leaf_rows == pytest.approx(
        np.array([[w[leaf == node].sum(), w[(leaf == node) & differs].sum()] for node in range(11)])
    )
    high = forest.predict_proba(X)[:, 1] >= 0.95
    assert tally.calibration("yes", "ensemble")[19] == pytest.approx(
        [w[high].sum(), w[high & (y == "yes")].sum()]
    )
    assert tally.to_json()["weights"] == {"effective_rows": tally.n_effective}
    # Weights whose squares are no doubles.
    for unit in (2.0**-900, 2.0**900):
        rows = sl.Rows(frame.assign(w=frame["w"] * unit), **options)
        fitted = sl.DistilledTreeClassifier(forest, max_leaves=6, random_state=0).fit(rows)
        assert fitted.tally_.to_json() == tally.to_json()
    assert repr(tally).startswith(
        "<Tally: model chosen on 300 rows, judged on 675 others by weight: fidelity "
    )


def test_errors_of_numbers_count_by_weight():
    frame = people(900)[[*"abcd", "sum"]]
    frame["w"] = np.where(frame["a"] > 0, 7.0, 0.25)
    model = RandomForestRegressor(10, max_depth=5, random_state=0).fit(frame[list("abcd")], frame["sum"])
    rows = sl.Rows(cut(frame, 3), "sum", "w", sample_size=300)
    tree = sl.DistilledTreeRegressor(model, max_leaves=6, random_state=0).fit(rows)
    judged = frame[rows.judges.among(0, 900, rows.drawn(), frame["w"].to_numpy())]
    errors = sl.measure(tree, judged[list("abcd")], judged["sum"], sample_weight=judged["w"])
    assert tree.tally_.fidelity == pytest.approx(errors.fidelity.value, rel=1e-9)
    assert tree.tally_.accuracy == pytest.approx(errors.model.value, rel=1e-9)
    assert tree.tally_.mean_difference == pytest.approx(errors.fidelity.mae.value, rel=1e-9)


def test_rows_of_weight_0_do_not_judge(forest):
    frame = of_classes(people(400)).assign(w=1.5)
    frame.loc[:59, "w"] = 0.0
    for size, judged, sampled in ((1000, 0, 340), (300, 40, 300)):
        rows = sl.Rows(frame, "paid", "w", sample_size=size)
        tally = sl.DistilledTreeClassifier(forest, max_leaves=4, random_state=0).fit(rows).tally_
        assert (tally.n_rows, tally.n_sampled, tally.n_judged) == (400, sampled, judged)
        assert (tally.fidelity is None) == (judged == 0)
    rows = sl.Rows(frame, "paid", "w")
    assert repr(sl.C45Classifier(max_leaves=4).fit(rows).tally_) == (
        "<Tally: model chosen on 340 rows; no other row is left to judge it.>"
    )


def test_many_classes_with_weights_take_little_memory():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"x": np.arange(1200) // 10 + random.uniform(0, 0.5, 1200)})
    frame["y"], frame["w"] = (
        [f"class {code:03}" for code in np.arange(1200) // 10],
        random.uniform(1, 3, 1200),
    )
    rows = sl.Rows(cut(frame, 2), "y", "w", sample_size=900)
    tree = sl.C45Classifier().fit(rows)
    judged = frame[rows.judges.among(0, 1200, rows.drawn(), frame["w"].to_numpy())]
    expected = sl.measure(tree.tree_, judged[["x"]], judged["y"], sample_weight=judged["w"]).model.accuracy
    assert tree.tally_.accuracy.to_json() == pytest.approx(expected.to_json(), rel=1e-9)
    assert tree.tally_.confusion is None
    assert sum(counts.nbytes for counts in tree.tally_.counts.values()) < 20e6


def test_rules_hold_the_coverage_of_all_rows(forest):
    frame = of_classes(people())
    rules = sl.RuleSetClassifier(forest, max_rules=5, random_state=0).fit(
        sl.Rows(cut(frame, 3), "paid", sample_size=300)
    )
    first = rules.rules_.rules[0]
    holds = np.ones(1500, dtype=bool)
    for condition in first.conditions:
        holds &= (frame[condition.feature] > condition.low) & (frame[condition.feature] <= condition.high)
    assert first.coverage == holds.sum()
    assert first.precision == pytest.approx((frame["paid"][holds] == first.label).mean())


def test_an_ensemble_that_was_learned_is_not_compared_with_itself():
    rows = sl.Rows(of_classes(people(300)), "paid", sample_size=200)
    tally = sl.BaggedTreesClassifier(n_trees=3, random_state=0).fit(rows).tally_
    assert tally.fidelity is None
    assert tally.accuracy.n_rows == 100


def test_without_target_the_ensemble_labels_the_rows(forest):
    frame = people(600)[list("abcd")]
    tree = sl.DistilledTreeClassifier(forest, max_leaves=4, random_state=0).fit(
        sl.Rows(frame, sample_size=200)
    )
    assert tree.tree_.label_source == "ensemble"
    assert tree.tree_.core.counts[0].tolist() == [
        (forest.predict(frame) == "no").sum(),
        (forest.predict(frame) == "yes").sum(),
    ]
    assert tree.tally_.accuracy is None


def test_a_forest_of_spark_is_distilled_with_the_rows_that_spark_wrote(tmp_path):
    stored = Path(__file__).parents[1] / "data" / "spark"
    content = json.loads((stored / "forest.json").read_text())
    frame = pd.DataFrame(content["rows"], columns=["a", "b", "c"]).astype({"a": float})
    # As Spark writes them: parts with long names, and an empty file that says that all went well.
    for index, part in enumerate(cut(frame, 3)):
        part.to_parquet(tmp_path / f"part-0000{index}-c000.snappy.parquet", index=False)
    (tmp_path / "_SUCCESS").touch()
    forest = sl.load(stored / "forest")
    rows = sl.Rows(tmp_path, sample_size=len(frame) - 5)
    tree = sl.DistilledTreeClassifier(forest, max_leaves=4, random_state=0).fit(
        rows.selected(forest.feature_names)
    )
    assert (tree.tally_.n_rows, tree.tally_.n_judged) == (len(frame), 5)
    labels, counts = np.unique(content["prediction"], return_counts=True)
    assert tree.classes_.tolist() == labels.tolist()
    assert tree.tree_.core.counts[0].tolist() == counts.tolist()


# Checkpoints


def test_a_rerun_continues_after_the_finished_parts(tmp_path, forest, monkeypatch):
    frame = of_classes(people())
    for index, part in enumerate(cut(frame, 4)):
        part.to_parquet(tmp_path / f"part-{index}.parquet", index=False)
    pattern, kept = str(tmp_path / "*.parquet"), tmp_path / "kept"
    estimator = sl.DistilledTreeClassifier(forest, max_leaves=5, random_state=0)
    expected = estimator.fit(sl.Rows(pattern, "paid", sample_size=300)).to_json()

    class Interrupted(BaseException):
        pass

    from sightline.passes._count import Count

    whole, counted = Count.__call__, []

    def count(self, part, index):
        if len(counted) == 2 and index == 2:
            raise Interrupted
        counted.append(index)
        return whole(self, part, index)

    monkeypatch.setattr(Count, "__call__", count)
    with pytest.raises(Interrupted):
        estimator.fit(sl.Rows(pattern, "paid", sample_size=300, checkpoint=kept))
    counted.append("again")
    rows = sl.Rows(pattern, "paid", sample_size=300, checkpoint=kept)
    assert estimator.fit(rows).to_json() == expected
    assert counted == [0, 1, "again", 2, 3]
    # A part that changed is counted again.
    cut(frame, 4)[1].to_parquet(tmp_path / "part-1.parquet", index=False, compression="gzip")
    counted.clear()
    assert estimator.fit(sl.Rows(pattern, "paid", sample_size=300, checkpoint=kept)).to_json() == expected
    assert counted == [1]


# Mistakes


def test_targets_and_weights_are_columns(forest):
    rows = sl.Rows(of_classes(people(50)), "paid")
    with pytest.raises(DataError, match=r"^The target of rows in parts is one of their columns\."):
        sl.C45Classifier().fit(rows, [1] * 50)
    with pytest.raises(DataError, match=r"^The weights of rows in parts are a column too\."):
        sl.C45Classifier().fit(rows, None, [1] * 50)
    with pytest.raises(DataError, match=r"^A LazyFrame holds no rows yet\. Pass sl\.Rows\(X, target=…\)"):
        sl.C45Classifier().fit(pl.LazyFrame({"a": [1]}), [1])
    with pytest.raises(DataError, match=r"^The target 'paid' holds classes, not numbers\.$"):
        sl.DistilledTreeRegressor().fit(rows)
    with pytest.raises(DataError, match=r"^'X_unlabeled' cannot be combined with rows in parts"):
        sl.ISMClassifier(forest).fit(rows, X_unlabeled=[[1]])


def test_a_model_for_other_columns_is_refused(forest):
    frame = of_classes(people(100)).rename(columns={"a": "z"})
    with pytest.raises(DataError, match=r"^X has no column 'a', which the ensemble expects\.$"):
        sl.DistilledTreeClassifier(forest).fit(sl.Rows(frame, "paid"))


def test_cases_are_not_judged_by_the_ensemble_that_predicts_for_them():
    frame = people(500)[[*"abcd", "sum"]]
    model = RandomForestRegressor(10, max_depth=5, random_state=0).fit(frame[list("abcd")], frame["sum"])
    rows = sl.Rows(cut(frame, 2), "sum", sample_size=200)
    explained = sl.MetaKNNRegressor(model, random_state=0).fit(rows)
    assert explained.tally_.fidelity is None
    assert repr(explained.tally_) == (
        f"<Tally: model chosen on 200 rows, judged on 300 others: R² {explained.tally_.accuracy:.3f}.>"
    )
    averaged = sl.MetaKNNRegressor(model, predict_with="meta", random_state=0).fit(rows)
    judged = np.setdiff1d(np.arange(500), rows.drawn().positions)
    X = frame[list("abcd")].iloc[judged]
    expected = sl.measure(averaged, X, frame["sum"].iloc[judged], ensemble=model)
    assert averaged.tally_.fidelity == pytest.approx(expected.fidelity.value, rel=1e-9)
    assert averaged.tally_.fidelity < 0.99
