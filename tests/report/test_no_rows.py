"""A page carries no rows of the data unless it is asked for: every cell is searched in it."""

import functools
import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import sightline as sl
from sightline.report._page import _script
from sightline.report._shown_rows import ShownRows

N_ROWS = 400
N_RARE = 30


@pytest.fixture(scope="module")
def people():
    """Rows whose cells can be found: long numbers, rare towns, and one person far from all others."""
    random = np.random.default_rng(0)
    income = random.uniform(20_000, 90_000, N_ROWS) + random.uniform(size=N_ROWS)
    income[7] = 987_654_321.125
    towns = [f"Town{index}" for index in range(N_RARE)]
    city = np.array(["Springfield", "Shelbyville"], dtype=object)[random.integers(0, 2, N_ROWS)]
    city[100 : 100 + N_RARE] = towns
    age = random.integers(18, 80, N_ROWS).astype(float)
    age[9] = 117
    frame = pd.DataFrame({"income": income, "city": pd.Categorical(city), "age": age})
    y = np.where((income > 55_000) ^ (age > 50) ^ (city == "Springfield"), "yes", "no")
    return frame, y, towns


def summary_of(report):
    return json.loads(re.search(r'id="data">(.*?)</script>', report.to_html(), re.DOTALL)[1])


def numbers_in(content):
    if isinstance(content, dict):
        content = list(content.values())
    if isinstance(content, list):
        for entry in content:
            yield from numbers_in(entry)
    elif isinstance(content, float):
        yield content


@pytest.fixture(scope="module")
def made(people):
    """Return a function that makes a model of each kind, once: it learned from the first half."""
    frame, y, _ = people
    return functools.cache(functools.partial(learned, frame=frame, y=y))


def learned(kind, frame, y):
    X, target = frame[:200], y[:200]
    if kind == "tree":
        return sl.DistilledTreeClassifier(max_leaves=8, random_state=0).fit(X, target)
    if kind == "graph":
        return sl.merge(sl.BaggedTreesClassifier(n_trees=2, random_state=0).fit(X, target), to="graph")
    if kind == "rules":
        return sl.RuleSetClassifier(max_rules=8, random_state=0).fit(X, target)
    if kind == "stumps":
        return sl.StumpEnsembleClassifier(max_size=3).fit(X, target)
    return sl.MetaKNNClassifier(random_state=0).fit(X, target)


@pytest.mark.parametrize("kind", ["tree", "graph", "rules", "stumps", "cases"])
def test_page_without_rows_has_no_cell_of_any(people, made, kind):
    frame, y, towns = people
    model = made(kind)
    unseen = pd.concat([frame[200:], frame[:20]])
    labels = np.concatenate([y[200:], y[:20]])
    report = sl.report(model, unseen, labels)
    summary, page = summary_of(report), report.to_html()
    assert summary["rows"]["number"] == []
    assert not summary["rows"]["cells"]
    assert summary["notice"] == ""
    # Thresholds belong to the model; those of C4.5 are values of training rows.
    of_model = set(numbers_in(summary["models"]))
    seen = set(numbers_in(summary)) - of_model
    assert not seen & set(unseen["income"])
    assert not seen & {117.0}
    assert "987654321" not in page
    words = json.dumps(summary["models"])
    assert not [town for town in towns if town in page and town not in words]


def test_regression_shows_no_target_of_a_single_row():
    random = np.random.default_rng(1)
    X = random.uniform(size=(300, 3))
    y = 100 * X[:, 0] + random.uniform(size=300)
    y[250] = 54_321.678
    tree = sl.DistilledTreeRegressor(
        RandomForestRegressor(10, random_state=0).fit(X[:200], y[:200]), max_leaves=6, random_state=0
    ).fit(X[:200])
    report = sl.report(tree, X[200:], y[200:])
    summary = summary_of(report)
    values = set(numbers_in({**summary, "models": []}))
    assert not values & set(y[200:].tolist())
    assert not values & set(X[200:].ravel().tolist())
    assert "54321" not in report.to_html().replace(",", "")


def test_credit_page_has_no_cell_of_a_row(shared):
    """Numbers that the page shows outside of its model are shared by many rows, or are no cells at all."""
    table = sl.read_table(shared / "datasets" / "credit-g.arff", target="class")
    tree = sl.DistilledTreeClassifier(max_leaves=16, random_state=0).fit(table[:700].X, table[:700].y)
    unseen = table[700:]
    report = sl.report(tree, unseen.X, unseen.y, sizes=(4, 8))
    summary = summary_of(report)
    assert not summary["rows"]["cells"]
    assert "This page carries no rows of the data." in " ".join(summary["parts"][-1]["limits"])
    assert len(summary["columns"]) > 4
    columns = {column.name: column for column in unseen.columns}
    for column in summary["columns"]:
        cells = columns[column["name"]]
        if column["values"] is None:
            for end in ("low", "middle", "high"):
                n_alike = int((cells.values == column[end]).sum())
                assert n_alike == 0 or n_alike >= 5 or column[end] in numbers_of_models(summary), column
            assert (cells.values <= column["low"]).sum() >= 5 or column["low"] < cells.values.min()
            assert (cells.values >= column["high"]).sum() >= 5 or column["high"] > cells.values.max()
        else:
            counts = np.bincount(cells.values, minlength=len(column["values"]))
            words = json.dumps(summary["models"])
            assert all(
                name is None or n >= 5 or name in words
                for name, n in zip(column["values"], counts, strict=True)
            )

    charts = next(part for part in summary["parts"] if part["kind"] == "effects")["charts"]
    assert len(charts) > 4
    for chart in charts:
        cells = columns[chart["name"]]
        if chart["categories"] is None:
            low, high = map(float, chart["ends"])
            assert (cells.values <= low).sum() >= 5 or low < cells.values.min()
            assert (cells.values >= high).sum() >= 5 or high > cells.values.max()
        else:
            named = [cells.feature.categories.index(name) for name in chart["categories"]]
            assert all((cells.values == code).sum() >= 5 for code in named)


def numbers_of_models(summary):
    return {turn[1] for model in summary["models"] for turn in model["turns"]}


def test_page_with_rows_says_so(people, made):
    frame, y, _ = people
    model = made("tree")
    report = sl.report(model, frame[200:], y[200:], rows=30, sizes=(4,))
    summary = summary_of(report)
    assert len(summary["rows"]["cells"]) == 30
    assert summary["notice"] in report.to_html().split("<main", 1)[0]
    assert summary["notice"] == (
        "This page contains 30 rows of the data, with their values. Share it like the data itself."
    )
    towns = next(column for column in summary["columns"] if column["name"] == "city")["values"]
    assert None not in towns


def test_ids_name_rows_that_differ_and_nothing_else(people, made):
    frame, y, _ = people
    report = sl.report(made("tree"), frame[200:], y[200:], rows="ids", sizes=(4,))
    rows = summary_of(report)["rows"]
    evidence = report.evidence
    assert rows["number"] == np.flatnonzero(~evidence.agrees)[: len(rows["number"])].tolist()
    assert rows["cells"] is rows["label"] is None
    assert summary_of(report)["notice"].startswith(f"This page names {len(rows['number'])} rows of the data")


def test_bad_choice_of_rows_is_refused():
    for rows in ("all", -1, 2.5, True):
        with pytest.raises(ValueError, match=r"The 'rows' parameter of report must be None, 'sample', 'ids'"):
            ShownRows.of(rows)


def test_script_of_the_page_holds_no_data():
    assert "Springfield" not in _script()


def test_all_values_that_the_model_has_never_seen_have_a_name():
    names = np.array(["own", "rent", "with parents"])[np.arange(60) % 3]
    X = pd.DataFrame({"home": names, "age": np.arange(60.0)})
    encode = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    forest = RandomForestClassifier(3, max_depth=3, random_state=0)
    filled = make_pipeline(SimpleImputer(strategy="constant", fill_value="rent"), encode)
    prepare = make_column_transformer((filled, ["home"]), ("passthrough", ["age"]))
    y = np.where((names == "rent") ^ (X["age"] > 30), "yes", "no")
    tree = sl.DistilledTreeClassifier(make_pipeline(prepare, forest).fit(X, y), random_state=0).fit(X, y)
    rows = pd.concat([X[X["home"] != "with parents"], X[X["home"] == "with parents"].head(2)])
    page = sl.report(tree, rows, sizes=(), max_seconds=0.1)
    home = next(column for column in summary_of(page)["columns"] if column["name"] == "home")
    assert home["values"][-1] == "any other"
