"""Counterfactuals against all cells of the space, their limits, and what they say."""

from __future__ import annotations

import itertools
import math
import pickle
import random
import re

import numpy as np
import pandas as pd
import pytest
from cases import each
from counterfactual_reference import nearest_after, nearest_by_brute_force
from show.hand_trees import leaf as hand_leaf
from show.hand_trees import plant, threshold
from sklearn.tree import DecisionTreeClassifier
from strategies import (
    GRID,
    DrawnEnsemble,
    at_most,
    leaf,
    node_list,
    random_combination,
    random_ensemble,
    random_rule_set,
    random_schema,
    random_table,
    random_tree_over,
    schema_of,
)

import sightline as sl
from sightline.exceptions import ParameterError
from sightline.judge import _counterfactual_search
from sightline.judge._allowed_changes import Limits
from sightline.judge._counterfactual import Change
from sightline.judge._plausible import PlausibleRows
from sightline.model import Link
from sightline.table import Column, Feature, Table, table_of_row

NO_LIMITS = {"fixed": (), "monotone": None, "ranges": None, "missing": False}
SHARES = [(1.0, 0.0), (0.0, 1.0), (0.5, 0.5)]


def random_limits(rng, schema):
    """Limits of every kind, or none at all."""
    if rng.random() < 0.6:
        return {"fixed": (), "monotone": None, "ranges": None, "missing": rng.random() < 0.5}
    numeric = [f.name for f in schema.features if not f.is_nominal]
    nominal = [f for f in schema.features if f.is_nominal]
    ranges = {
        name: rng.choice([(None, 1.0), (0, None), (-1.0, 1.5)]) for name in numeric if rng.random() < 0.2
    }
    ranges |= {f.name: [rng.choice(f.categories)] for f in nominal if rng.random() < 0.2}
    return {
        "fixed": [name for name in schema.names if rng.random() < 0.15],
        "monotone": {name: rng.choice([-1, 1]) for name in numeric if rng.random() < 0.2},
        "ranges": ranges,
        "missing": rng.choice([False, True, [schema.names[0]]]),
    }


def check_against_brute_force(rng, models, wanted_of, near=None):
    """Every distance of the result is the one that all cells together say."""
    schema = models[0].schema
    row = random_table(rng, schema, 1)
    within = random_table(rng, schema, 4) if near is not None or rng.random() < 0.3 else None
    limits = random_limits(rng, schema)
    columns = Limits(**limits).of_columns(models, row, within)
    to, wanted = wanted_of(rng, models, row)
    nearest = nearest_by_brute_force(models, wanted, columns, PlausibleRows.of(within, near, columns))
    assert nearest is not None, "too many cells"
    kind, n = rng.choice(["columns", "columns", "total"]), rng.choice([1, 3])
    found = sl.counterfactuals(
        models[0],
        row,
        to=to,
        ensemble=models[1] if len(models) > 1 else None,
        within=within,
        near=near,
        n=n,
        distance=kind,
        readable=False,
        max_seconds=100,
        **limits,
    )
    # Equally near rows may change other columns: what may follow depends on the ones that were found.
    known = []
    for counterfactual in found:
        expected = nearest_after(nearest, known, columns_first=kind == "columns")
        distance = counterfactual.distance
        assert (distance.columns if kind == "columns" else 0, distance.total) == pytest.approx(expected)
        known.append(frozenset(schema.names.index(change.column) for change in counterfactual.changes))
    assert len(found) == n or nearest_after(nearest, known, columns_first=kind == "columns") is None
    assert found.complete or len(found) == n
    assert all(c.proved and c.gap == 0 for c in found)
    assert found.impossible is not bool(nearest)
    for counterfactual in found:
        assert {change.column for change in counterfactual.changes}.isdisjoint(limits["fixed"])
    return len(found)


def any_label(rng, models, row):
    """One label of the first model, or None: any but the present one."""
    classes = [model.classes_.tolist() for model in models]
    common = [label for label in classes[0] if all(label in other for other in classes)]
    to = rng.choice([None, *common])
    present = models[0].predict(row)[0]
    wanted = [lambda answers: answers != present if to is None else answers == to] * len(models)
    return to, wanted


def any_range(rng, models, row):
    """A range of numbers above, below or around some number."""
    number = float(rng.randint(-5, 5))
    low, high = rng.choice([(None, number), (number, None), (number, number + 1)])
    least, most = -math.inf if low is None else low, math.inf if high is None else high
    return (low, high), [lambda answers: (answers >= least) & (answers <= most)] * len(models)


@each(seed=range(240))
def test_ensembles_agree_with_brute_force(seed):
    rng = random.Random(seed)
    n_classes = rng.choice([None, 2, 2, 3])
    check_against_brute_force(rng, [random_ensemble(rng, n_classes=n_classes).model()], any_label)


def xor_like(rng, schema, n_trees):
    """Votes that hang on several columns at once, so that one change is rarely enough."""
    roots = []
    for _ in range(n_trees):
        first, second = rng.sample(range(len(schema)), 2)
        leaves = [leaf(float(rng.randint(-3, 3))) for _ in range(4)]
        inner = [at_most(second, rng.choice(GRID), *leaves[i : i + 2], rng.choice(SHARES)) for i in (0, 2)]
        roots.append(at_most(first, rng.choice(GRID), *inner, rng.choice(SHARES)))
    parts = {"tree_weight": [1.0] * n_trees, "tree_score": [0] * n_trees, "base": [rng.choice([-4.0, 0.0])]}
    return DrawnEnsemble(schema, roots, 1, **parts).model()


@each(seed=range(80))
def test_several_changes_agree_with_brute_force(seed):
    rng = random.Random(3000 + seed)
    check_against_brute_force(rng, [xor_like(rng, schema_of([0] * 4), rng.randint(3, 8))], any_label)


def rugged(rng, n_columns, n_trees):
    """Sums of deep trees, of which bounds say little until many columns are known."""
    schema = schema_of([0] * n_columns)
    roots = [random_tree_over(rng, schema, GRID, depth=7) for _ in range(n_trees)]
    for node in (node for root in roots for node in node_list(root)):
        node.output = [float(rng.randint(-3, 3))]
    parts = {"tree_weight": [1.0] * n_trees, "tree_score": [0] * n_trees, "base": [0.0]}
    return DrawnEnsemble(schema, roots, 1, **parts).model().replaced(classes=None, link=Link("identity"))


@pytest.mark.parametrize("kind", ["columns", "total"])
@each(seed=[3, 5])
def test_searches_that_stop_say_what_they_know(seed, kind, monkeypatch):
    rng = random.Random(seed)
    model = rugged(rng, 4, 150)
    row = random_table(rng, model.schema, 1, missing=0.0)
    cells = itertools.product((*GRID, 1e10), repeat=4)
    least = float(np.sort(model.predict(list(cells)))[-12])
    columns = Limits(**NO_LIMITS).of_columns([model], row, None)
    plausible = PlausibleRows.of(None, None, columns)
    nearest = nearest_by_brute_force([model], [lambda answers: answers >= least], columns, plausible)
    wanted = {"to": (least, None), "n": 3, "distance": kind, "readable": False, "max_seconds": 100}
    known = []
    for counterfactual in sl.counterfactuals(model, row, **wanted):
        expected = nearest_after(nearest, known, columns_first=kind == "columns")
        distance = counterfactual.distance
        assert (distance.columns if kind == "columns" else 0, distance.total) == pytest.approx(expected)
        known.append(frozenset(model.schema.names.index(change.column) for change in counterfactual.changes))
    first = nearest_after(nearest, [], columns_first=kind == "columns")
    for n_boxes in (1, 5, 50, 150, 300, 450, 600):
        monkeypatch.setattr(_counterfactual_search, "_MAX_BOXES", n_boxes)
        found = sl.counterfactuals(model, row, **wanted)
        assert found.n_boxes <= n_boxes + 1
        for counterfactual in found:
            assert model.predict([list(counterfactual.row.values())])[0] >= least
        if len(found):
            distance = found[0].distance
            total = (distance.columns if kind == "columns" else 0, distance.total)
            assert total == pytest.approx(first) if found[0].proved else total >= first


@each(seed=range(50))
def test_regressors_agree_with_brute_force(seed):
    rng = random.Random(4000 + seed)
    ensemble = xor_like(rng, schema_of([0] * 3), rng.randint(2, 6)).replaced(
        classes=None, link=Link("identity")
    )
    other = sl.merge(ensemble)
    models = rng.choice([[ensemble], [other], [other, ensemble]])
    check_against_brute_force(rng, models, any_range)


@each(seed=range(80))
def test_two_models_agree_with_brute_force(seed):
    """Both have to give the wanted label: rules and ensembles, merged trees and their ensembles."""
    rng = random.Random(1000 + seed)
    schema = random_schema(rng)
    ensemble = random_ensemble(rng, max_trees=3, schema=schema).model()
    other = random_rule_set(rng, schema, max_rules=5) if rng.random() < 0.5 else sl.merge(ensemble)
    models = [other, ensemble] if rng.random() < 0.5 else [other]
    check_against_brute_force(rng, models, any_label)


@each(seed=range(50))
def test_combined_and_calibrated_models_agree_with_brute_force(seed):
    rng = random.Random(2000 + seed)
    check_against_brute_force(rng, [random_combination(rng, max_trees=2)], any_label)


@each(seed=range(80))
def test_rows_near_to_others_agree_with_brute_force(seed):
    rng = random.Random(5000 + seed)
    schema = schema_of(rng.choice([[0, 0], [0, 0, 2], [0, 3]]))
    ensemble = random_ensemble(rng, max_trees=3, schema=schema, n_classes=2).model()
    check_against_brute_force(rng, [ensemble], any_label, near=rng.choice([0.0, 0.5, 2.0]))


def test_changes_read_as_the_explanation_does(tmp_path):
    """Units were dropped: "rate from 11.2 to 10.5"."""
    path = tmp_path / "loans.csv"
    lines = [f"{9 + i / 10:.1f}%,{'yes' if i > 15 else 'no'}" for i in range(30)]
    path.write_text("\n".join(["rate,default", *lines]))
    table = sl.read_table(path, "default")
    tree = sl.C45Classifier().fit(table.X, table.y).tree_
    row = table.X[20:21]
    assert "rate > 10.5% (yours: 11%)" in str(tree.explain(row))
    found = sl.counterfactuals(tree, row, within=table.X)
    ((column, before, after),) = found[0].changes
    assert (column, before) == ("rate", 11.0)
    assert f"Change rate from 11% to {after:g}%: the prediction becomes no." in str(found)
    assert f"<td>{after:g}%</td>" in found._repr_html_()


def test_new_times_keep_what_a_clock_does_not_show():
    assert str(Change("start", 12.25, 12.3, ":")) == "start from 12:15 to 12:18"
    assert str(Change("start", 12.25, 12.30001, ":")) == "start from 12:15 to 12.30001"
    assert pickle.loads(pickle.dumps(Change("rate", 1, 2.5, "%"))).unit == "%"


def test_the_written_number_gets_the_promised_label():
    """Between 91.7 and 91.70000076, both models grant; the letter wrote 91.7, which the tree refuses."""
    X = pd.DataFrame({"score": np.arange(80, 100, 0.2).round(1)})
    Z = pd.DataFrame({"score": np.arange(80, 100, 0.1).round(1)})
    model = DecisionTreeClassifier().fit(X, np.where(X.score < 91.7, "granted", "refused"))
    tree = sl.C45Classifier(min_leaf=2).fit(Z, np.where(Z.score > 91.7, "granted", "refused"))
    for readable in (True, False):
        found = sl.counterfactuals(tree, X.iloc[20], ensemble=model, within=X, readable=readable)
        texts = [str(found), tree.explain(X.iloc[20]).to_letter("$changes", changes=found)]
        written = [re.search(r"(?:to|score:) (91[.0-9]+\d)", text)[1] for text in texts]
        assert len(set(written)) == 1
        row = pd.DataFrame({"score": [float(written[0])]})
        assert tree.predict(row).tolist() == model.predict(row).tolist() == ["granted"]


def test_an_ensemble_that_predicts_the_label_already_does_not_become_it():
    X = pd.DataFrame({"score": np.arange(0, 100.0), "z": 0.0})
    tree, ensemble = (
        DecisionTreeClassifier(max_depth=1).fit(X, np.where(X.score > bound, "granted", "refused"))
        for bound in (60, 40)
    )
    found = sl.counterfactuals(tree, X.iloc[50], ensemble=ensemble, within=X)
    assert "becomes granted; the ensemble predicts granted before and after. Proved" in found[0].text
    assert (found[0].ensemble_before, found[0].to_dict()["ensemble_before"]) == ("granted", "granted")
    found = sl.counterfactuals(tree, X.iloc[30], ensemble=ensemble, within=X)
    assert "becomes granted, and so does the ensemble's. Proved" in found[0].text
    assert found[0].ensemble_before == "refused"


@pytest.mark.parametrize(
    ("step", "after"), [(86_400, "16 days"), (3_600, "15 days 6:00:00"), (60, "15 days 5:47:00")]
)
def test_durations_change_by_whole_days_hours_or_minutes(step, after):
    """They changed by tens and hundreds of seconds, to 1300000."""
    seconds = 14 * 86_400.0 + step * np.arange(2000)
    X = Table([Column(Feature("waited", kind="duration"), seconds)])
    root = threshold(0, 1316800.0, hand_leaf(9, 1), hand_leaf(1, 9))
    tree = plant(root, [X.schema.features[0]], ["a", "b"])
    found = sl.counterfactuals(tree, X[0], within=X)
    assert found[0].changes[0].after == after
    assert tree.predict(pd.DataFrame([found[0].row])).tolist() == ["b"]


def test_times_change_by_parts_of_a_second_if_thresholds_have_them():
    """They counted as whole within a millionth, which is half an hour."""
    cuts = 1_700_000_000.25, 1_700_000_000.75
    root = threshold(0, cuts[0], hand_leaf(9, 1), threshold(0, cuts[1], hand_leaf(1, 9), hand_leaf(9, 1)))
    tree = plant(root, [Feature("at", kind="datetime")], ["a", "b"])
    found = sl.counterfactuals(tree, {"at": pd.Timestamp("2023-11-14 22:00")}, n=1)
    assert not found.impossible
    assert tree.predict(pd.DataFrame([found[0].row])).tolist() == ["b"]


def written_by_microseconds(kind, thresholds, row):
    """A column with labels that alternate at some thresholds, in seconds, and its counterfactuals."""
    roots = [hand_leaf(9, 1) if k % 2 else hand_leaf(1, 9) for k in range(len(thresholds) + 1)]
    root = roots[-1]
    for cut, below in zip(thresholds[::-1], roots[-2::-1], strict=True):
        root = threshold(0, cut, below, root)
    feature = Feature("at", kind=kind)
    tree = plant(root, [feature], ["a", "b"])
    return tree, sl.counterfactuals(tree, Table([Column(feature, np.array([row]))])[0], readable=False)


@pytest.mark.parametrize("kind", ["duration", "datetime", "datetime UTC"])
@pytest.mark.parametrize(("row", "step"), [(0, 1), (2000, 0)])
def test_times_and_durations_change_by_whole_microseconds(kind, row, step):
    """The next double beyond the threshold was written as the threshold itself."""
    for micro in (1001, 1_003_000, 42_268_000):
        start = 0 if kind == "duration" else 1_700_000_000 * 10**6
        tree, found = written_by_microseconds(kind, [(start + micro) / 1e6], (start + row * 50_000) / 1e6)
        assert found[0].proved
        new = table_of_row(found[0].row, tree.schema, "it").aligned(tree.schema, "it").columns[0].values[0]
        assert new == (start + micro + step) / 1e6
        assert tree.predict(pd.DataFrame([found[0].row])).tolist() == [found[0].prediction]
        assert found[0].row["at"] == found[0].changes[0].after


def test_no_time_lies_between_two_thresholds_within_a_microsecond():
    tree, found = written_by_microseconds("duration", [1.0000002, 1.0000004], 0.5)
    assert (len(found), found.complete, found.impossible) == (0, False, False)
    assert found.bound.total > 0
    tree, _ = written_by_microseconds("duration", [1.0000002, 1.0000004, 3.0], 0.5)
    known = Table([Column(tree.schema.features[0], np.array([0.5, 1.0, 2.0, 4.0]))])
    found = sl.counterfactuals(tree, known[0], within=known, readable=False)
    assert [(one.row["at"], one.proved) for one in found] == [("0:00:04", False)]
    assert tree.predict(pd.DataFrame([found[0].row])).tolist() == [found[0].prediction]


@pytest.mark.parametrize(
    ("name", "values", "text"),
    [
        (
            "n",
            [None, "x", 1.5, np.array([1, 2]), 0, True],
            "The 'n' parameter of counterfactuals must be a whole ",
        ),
        (
            "max_changes",
            ["x", 1.5, 0],
            "The 'max_changes' parameter of counterfactuals must be a whole number from 1",
        ),
        (
            "max_seconds",
            [None, "x", np.array([1, 2]), 0],
            "The 'max_seconds' parameter of counterfactuals must be ",
        ),
        (
            "near",
            ["x", [], -1],
            "The 'near' parameter of counterfactuals must be a finite number, 0 or larger. Got",
        ),
        ("fixed", [None, 1], "fixed must be a list of columns"),
        ("monotone", ["x", 1, np.array([1, 2])], "monotone must be a dictionary, such as {'age': 1}. Got "),
        (
            "ranges",
            ["x", 1, np.array([1, 2])],
            "ranges must be a dictionary, such as {'age': (18, 65)}. Got ",
        ),
        (
            "distance",
            ["x", None, []],
            "The 'distance' parameter of counterfactuals must be 'columns' or 'total'.",
        ),
    ],
)
def test_wrong_parameters_are_refused(name, values, text):
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
    tree = sl.C45Classifier().fit(X, y)
    for value in values:
        with pytest.raises(ParameterError, match=f"^{re.escape(text)}"):
            sl.counterfactuals(tree, X[0], within=X, **{name: value})
