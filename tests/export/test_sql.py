"""Dialects that no database here speaks: parsed by an independent parser, and run after translation."""

from __future__ import annotations

import math
import random
import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot
from cases import thorough_after
from export.drawn_trees import drawn, expected
from export.elsewhere import in_duckdb, in_sqlite
from export.hostile_names import HOSTILE, hostile_tree
from export.large_trees import broad_tree, deep_chain
from sklearn.datasets import make_blobs
from sklearn.ensemble import RandomForestClassifier
from strategies import at_most, core_tree, leaf, random_rule_set, tree_of

import sightline as sl
from sightline.export._sql_dialect import _DIALECTS, Dialect
from sightline.model import SUBSET
from sightline.show._example import credit_tree
from sightline.table import Feature, Schema

PARSERS = {
    "ansi": "",
    "sqlite": "sqlite",
    "postgresql": "postgres",
    "duckdb": "duckdb",
    "bigquery": "bigquery",
    "snowflake": "snowflake",
    "sqlserver": "tsql",
}


def parsed(text: str, dialect: str):
    statements = sqlglot.parse(text, read=PARSERS[dialect])
    assert len(statements) == 1
    return statements[0]


def test_every_dialect_has_a_parser():
    assert set(PARSERS) == set(_DIALECTS)


@pytest.mark.parametrize("dialect", PARSERS)
def test_statements_are_of_the_dialect(dialect):
    root, schema, _ = drawn(2, is_whole=True)
    for model, options in (
        (tree_of(root, schema), {"probabilities": True}),
        (credit_tree(), {"probabilities": True}),
        (credit_tree(), {"missing": "largest", "table": ("main", "loans")}),
        (random_rule_set(random.Random(1)), {"probabilities": True}),
    ):
        statement = parsed(model.export("sql", dialect=dialect, **options), dialect)
        assert isinstance(statement, sqlglot.exp.Select)


@pytest.mark.parametrize("dialect", PARSERS)
def test_names_and_labels_are_read_back(dialect):
    statement = parsed(hostile_tree().export("sql", dialect=dialect), dialect)
    columns = {column.name for column in statement.find_all(sqlglot.exp.Column)}
    # The parser reads a point within quotes as one between names in BigQuery, where columns cannot have any.
    odd = {name for name in HOSTILE if "." in name} if dialect == "bigquery" else set()
    assert {name for name in columns if name not in odd} >= {*HOSTILE, "category of 'it'"} - odd
    assert len(columns) == len(HOSTILE) + 1
    kinds = (sqlglot.exp.Literal, sqlglot.exp.National)
    strings = {literal.name for literal in statement.find_all(*kinds) if not literal.is_number}
    # SQL Server's backslash before a line's end is outside of one text and the line's end in the next.
    broken = {name for name in HOSTILE if "\\\n" in name}
    wanted = {f"{name}!" for name in HOSTILE} | {f"{name}?" for name in HOSTILE} | set(HOSTILE[1:])
    if dialect == "sqlserver":
        wanted = {text for text in wanted if not any(text.startswith(name) for name in broken)}
    numbers = {"0.1"}
    assert wanted <= strings | numbers | set(HOSTILE[:1])


@pytest.mark.parametrize("dialect", [name for name in PARSERS if name not in ("duckdb", "sqlite")])
@pytest.mark.parametrize("seed", range(3))
def test_other_dialects_run_after_translation(dialect, seed):
    root, schema, rows = drawn(seed + (100 if seed else 0), is_whole=seed == 0)
    text = tree_of(root, schema).export("sql", dialect=dialect)
    text = text.replace(Dialect.named(dialect).collate or "\0", "")
    translated = sqlglot.transpile(text, read=PARSERS[dialect], write="duckdb")[0]
    connection = duckdb.connect()
    types = ["VARCHAR" if feature.is_nominal else "DOUBLE" for feature in schema.features]
    columns = ", ".join(f'"{name}" {kind}' for name, kind in zip(schema.names, types, strict=True))
    connection.execute(f"CREATE TABLE data (row_number INTEGER, {columns})")
    placeholders = ", ".join("?" * (len(types) + 1))
    connection.executemany(
        f"INSERT INTO data VALUES ({placeholders})", [[number, *row] for number, row in enumerate(rows)]
    )
    found = [row[-1] for row in sorted(connection.execute(translated).fetchall())]
    assert found == expected(root, schema, rows)[0]


@pytest.fixture(scope="module")
def many_classes():
    """Forty rules for thirty classes, on columns that are named as in SQLite's table of JSON."""
    X, y = make_blobs(600, 4, centers=30, random_state=0)
    frame = pd.DataFrame(X, columns=["value", "key", "type", "id"])
    forest = RandomForestClassifier(3, max_depth=6, random_state=0).fit(frame, y)
    rules = sl.RuleSetClassifier(forest, random_state=0).fit(frame, y).rules_
    return rules.selected(np.argsort(-rules.core.weight)[:40]), frame[:60]


@pytest.mark.parametrize("dialect", thorough_after(1, PARSERS))
def test_probabilities_of_rules_do_not_repeat_all_votes_per_class(many_classes, dialect):
    rules, _ = many_classes
    text = rules.export("sql", dialect=dialect, probabilities=True)
    assert len(rules.classes_) == 30
    assert len(text) < 3 * len(rules.export("sql", dialect=dialect)) < 300_000
    assert isinstance(parsed(text, dialect), sqlglot.exp.Select)


@pytest.mark.parametrize("run", [in_sqlite, in_duckdb])
def test_probabilities_of_many_classes(many_classes, run, tmp_path):
    rules, frame = many_classes
    found, shares = run(rules, frame.to_numpy().tolist(), tmp_path)
    assert found == rules.predict(frame).tolist()
    np.testing.assert_allclose(shares, rules.predict_proba(frame), rtol=1e-12, atol=1e-17)


# The parser does not know that DuckDB writes BigQuery's arrays of structs in another way.
@pytest.mark.parametrize("dialect", thorough_after(1, ["ansi", "postgresql", "snowflake", "sqlserver"]))
def test_probabilities_of_rules_run_after_translation(many_classes, dialect):
    rules, frame = many_classes
    text = rules.export("sql", dialect=dialect, probabilities=True)
    # SQL Server's word for the same join, which the parser translates into something else.
    text = text.replace("CROSS APPLY", "CROSS JOIN LATERAL")
    translated = sqlglot.transpile(text, read=PARSERS[dialect], write="duckdb")[0]
    connection = duckdb.connect()
    connection.register("data", frame.assign(zz=range(len(frame))))
    answers = sorted(connection.execute(translated).fetchall(), key=lambda row: row[4])
    assert [row[5] for row in answers] == rules.predict(frame).tolist()
    np.testing.assert_allclose([row[6:] for row in answers], rules.predict_proba(frame), rtol=1e-12)


def test_nan_is_missing_in_duckdb():
    for shares, labels in (([1.0, 0.0], ["yes"] * 2), ([0.0, 1.0], ["no"] * 2), ([0.25, 0.75], ["no"] * 2)):
        schema = Schema((Feature("x"),))
        root = at_most(0, 0.5, leaf(0.0, 1.0), leaf(1.0, 0.0), shares=shares)
        import numpy as np

        tree = sl.Tree(core_tree(root, schema), schema, np.array(["no", "yes"]))
        connection = duckdb.connect()
        connection.execute("CREATE TABLE data AS SELECT 'NaN'::DOUBLE AS x UNION ALL SELECT NULL")
        assert [
            row[-1] for row in connection.execute(tree.export("sql", dialect="duckdb")).fetchall()
        ] == labels


def test_expression_alone():
    text = credit_tree().export("sql", missing="largest", table=None)
    assert text.startswith("CASE\n")
    assert parsed(f"SELECT {text}", "ansi")


def test_numbers_are_read_exactly_by_sqlite():
    rng = random.Random(0)
    with closing(sqlite3.connect(":memory:")) as connection:
        write = Dialect.named("sqlite").number
        numbers = [rng.uniform(-1, 1) * 10.0 ** rng.randint(-320, 308) for _ in range(500)]
        numbers += [float(f"{rng.randrange(10**6)}e-{rng.randint(0, 8)}") for _ in range(2000)]
        numbers += [5e-324, -5e-324, 1.7976931348623157e308, 2.0**53 + 2, 1e22, 0.0, -0.1, 1e15, 123456.7891]
        for number in numbers:
            assert connection.execute(f"SELECT {write(number)}").fetchone()[0] == number


def test_unknown_columns_are_errors_in_sqlite():
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE data (other REAL)")
        with pytest.raises(sqlite3.OperationalError, match="no such column: "):
            connection.execute(credit_tree().export("sql", dialect="sqlite"))


def test_nesting_stays_within_what_databases_allow(tmp_path):
    for tree, most in ((deep_chain(1000), 2), (broad_tree(11), 12)):
        text = tree.export("sql", missing="largest")
        assert max(len(line) - len(line.lstrip()) for line in text.splitlines()) // 2 <= most + 1
    text = broad_tree(12).export("sql", missing="largest", dialect="sqlserver")
    assert max(len(line) - len(line.lstrip()) for line in text.splitlines()) // 2 <= 10
    rows = [[0.1, 0.2, 0.3], [0.7, None, 0.5], [None, None, None], [0.95, 0.4, 0.8]]
    tree = broad_tree(12)
    # What SQL Server gets, read by a database that is here.
    text = tree.export("sql", missing="largest", dialect="sqlserver")
    translated = sqlglot.transpile(text, read="tsql", write="sqlite")[0].replace("N'", "'")
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE data (x REAL, y REAL, z REAL)")
        connection.executemany("INSERT INTO data VALUES (?, ?, ?)", rows)
        assert [row[-1] for row in connection.execute(translated)] == in_sqlite(
            tree, rows, tmp_path, missing="largest"
        )[0]


def predicted(model, declared, values, **options):
    """What SQLite answers about a column x0 that was declared in some way."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE data (x0 {declared})")
        connection.executemany("INSERT INTO data VALUES (?)", [(value,) for value in values])
        return [row[1] for row in connection.execute(model.export("sql", dialect="sqlite", **options))]


def models_of_x(threshold):
    """A tree and the rules that ask the same of x0: missing values go up, where the model can express it."""
    schema = Schema((Feature("x0"),))
    root = at_most(0, threshold, leaf(1.0, 0.0), leaf(0.0, 1.0), shares=(0.0, 1.0))
    tree = sl.Tree(core_tree(root, schema), schema, np.array(["low", "high"]))
    return tree, sl.RuleSetClassifier(random_state=0).fit(
        [[threshold], [threshold + 1]] * 9, ["low", "high"] * 9
    )


@pytest.mark.parametrize("declared", ["REAL", "INTEGER", "NUMERIC", "TEXT", "BLOB", ""])
def test_numbers_in_sqlite_are_numbers_whatever_the_column_is(declared):
    tree, rules = models_of_x(10.0)
    values = [9, 9.5, 10, 10.5, 100, -5, 1e300, -1e300, math.inf, -math.inf, 2**53 + 1, -(2**62), 0.0]
    strings = ["9", "9.5", "10", "10.5", "100", "-5", "1e300", "-1e300", "1e1", "10.0", "0009", " 9 ", "-0"]
    for model in (tree, rules):
        # A column of type TEXT turns numbers into strings, and infinite ones into words.
        kept = [v for v in values if math.isfinite(v)] if declared == "TEXT" else values
        # Rows of ours are finite: the largest number stands for infinity.
        expected = [model.predict([[number]])[0] for number in np.clip(kept, -1e308, 1e308)]
        assert predicted(model, declared, kept) == expected
        assert predicted(model, declared, strings) == [model.predict([[float(t)]])[0] for t in strings]


@pytest.mark.parametrize("declared", ["REAL", "INTEGER", "NUMERIC", "TEXT", "BLOB", ""])
def test_what_is_no_number_gets_no_answer_in_sqlite(declared):
    values = ["abc", "", "NA", "9 apples", "0x9", "1,5", "Infinity", b"9", b""]
    for model in models_of_x(10.0):
        for options in ({}, {"probabilities": True}):
            assert predicted(model, declared, values, **options) == [None] * len(values)


@pytest.mark.parametrize("declared", ["REAL", "NUMERIC", "TEXT", "BLOB", ""])
def test_categories_that_are_numbers_in_sqlite(declared):
    X = pd.DataFrame({"x0": pd.Categorical([0, 1, 2.5, 1] * 20)})
    tree = sl.C45Classifier().fit(X, ["low", "one", "high", "one"] * 20).tree_
    values = [1, 1.0, 2.5, 0, "1", "1.0", "2.50", " 1", "0", None, "abc", "", "1 apple", 7]
    meant = [1, 1, 2.5, 0, 1, 1, 2.5, 1, 0, None, None, None, None, None]
    expected = tree.predict(pd.DataFrame({"x0": pd.Categorical(meant, X["x0"].cat.categories)})).tolist()
    assert len(set(expected)) == 3
    assert predicted(tree, declared, values) == expected


@pytest.mark.parametrize("declared", ["BOOLEAN", "NUMERIC", "TEXT", "BLOB", ""])
def test_booleans_in_sqlite(declared):
    """pandas writes True to CSV files, and SQLite imports text."""
    X = pd.DataFrame({"x0": [True, False, None, True] * 20})
    tree = sl.C45Classifier().fit(X, ["yes", "no", "yes", "yes"] * 20).tree_
    meant = {True: [1, 1.0, "1", "True", "true", "TRUE", "t"], False: [0, 0.0, "0", "False", "f"]}
    for value, cells in meant.items():
        expected = tree.predict(pd.DataFrame({"x0": [value]})).tolist() * len(cells)
        assert predicted(tree, declared, cells) == expected
    assert predicted(tree, declared, ["abc", "", "yes"]) == [None] * 3
    assert predicted(tree, declared, [None, 2]) == tree.predict(pd.DataFrame({"x0": [None, 2]})).tolist()


@pytest.mark.parametrize("declared", ["REAL", "TEXT", "BLOB"])
def test_null_stays_missing_in_sqlite(declared):
    for model in models_of_x(10.0):
        assert predicted(model, declared, [None]) == [model.predict([[math.nan]])[0]]


@pytest.mark.parametrize("threshold", [2.0**53, 0.1, 5e-324, -1e-300, 1e308])
def test_borders_are_exact_in_sqlite(threshold):
    values = [threshold, np.nextafter(threshold, math.inf), np.nextafter(threshold, -math.inf)]
    tree, _ = models_of_x(threshold)
    for declared in ("REAL", ""):
        assert predicted(tree, declared, map(float, values)) == tree.predict([[v] for v in values]).tolist()


def test_duckdb_refuses_to_compare_texts_with_numbers():
    for model in models_of_x(10.0):
        connection = duckdb.connect()
        connection.execute("CREATE TABLE data (x0 VARCHAR)")
        connection.execute("INSERT INTO data VALUES ('9')")
        with pytest.raises(duckdb.Error, match="Cannot compare values of type VARCHAR"):
            connection.execute(model.export("sql", dialect="duckdb"))


def error_of(model, **options):
    with pytest.raises(sl.SightlineError) as error:
        model.export("sql", **options)
    return str(error.value)


@pytest.mark.parametrize("run", [in_sqlite, in_duckdb])
def test_hundreds_of_categories_are_listed_a_few_times_only(run, tmp_path):
    """Unknown categories count as missing, so all must be listed; but once, not at every test."""
    rng = np.random.default_rng(0)
    shops = [f"shop {index}" for index in range(300)]
    shop, size = rng.integers(300, size=1500), rng.normal(size=1500).round(2)
    label = np.where(rng.normal(size=300)[shop] + size > 0, "yes", "no")
    rows = [[shops[s] if r > 0.05 else None, x] for s, x, r in zip(shop, size, rng.random(1500), strict=True)]
    table = sl.Table.from_any(rows, feature_names=["shop", "size"])
    tree = sl.C45Classifier(binary_splits=True, max_leaves=8).fit(table, label).tree_
    asked = [*rows[:300], ["another", 0.5], ["another", None], [None, None], ["shop 1", None]]
    labels, probabilities = run(tree, asked, tmp_path)
    told = sl.Table.from_any(asked, feature_names=["shop", "size"])
    assert labels == tree.predict(told).tolist()
    np.testing.assert_allclose(probabilities, tree.predict_proba(told), rtol=1e-12)
    text = tree.export("sql", dialect="sqlite")
    listed = [text.count(f"'{name}'") for name in shops]
    n_tests = sum(tree.core.test == SUBSET)
    assert n_tests >= 3
    assert np.mean(listed) < 6


@pytest.mark.parametrize("probabilities", [False, True])
def test_rows_keep_their_order_in_duckdb(probabilities):
    """DuckDB turns subqueries into joins: from about 100,000 rows on, these change the order."""
    n_rows = 300_000
    connection = duckdb.connect()
    connection.execute(
        f"CREATE TABLE data AS SELECT range AS id, CASE WHEN range % 3 > 0 THEN range % 5 END::DOUBLE AS x0, "
        f"(range % 7)::DOUBLE AS x1 FROM range({n_rows})"
    )
    X = np.random.default_rng(0).integers(0, 7, (200, 2)).astype(float)
    X[::9, 0] = np.nan
    y = (X[:, 0] > 2) ^ (X[:, 1] > 3)
    tree = sl.C45Classifier().fit(X, y).tree_
    rules = sl.RuleSetClassifier(sl.BaggedTreesClassifier(n_trees=3, random_state=0)).fit(X, y).rules_
    for model in (tree, rules):
        query = model.export("sql", dialect="duckdb", probabilities=probabilities)
        result = connection.execute(query)
        names = [entry[0] for entry in result.description]
        assert names[:4] == ["id", "x0", "x1", "prediction"]
        assert not any(name.startswith("sl_") for name in names)
        assert (result.fetchnumpy()["id"] == np.arange(n_rows)).all()


def test_other_names_of_dialects():
    tree = credit_tree()
    for alias, name in (
        ("postgres", "postgresql"),
        ("sqlite3", "sqlite"),
        ("mssql", "sqlserver"),
        ("tsql", "sqlserver"),
    ):
        assert tree.export("sql", dialect=alias) == tree.export("sql", dialect=name)


def test_errors():
    assert error_of(credit_tree(), dialect="oracle") == (
        "There is no SQL dialect 'oracle'. Choose from: ansi, sqlite, postgresql, duckdb, bigquery, "
        "snowflake, sqlserver."
    )
    assert error_of(credit_tree(), column="age") == (
        "The model has a feature 'age'. Pass another name for the prediction as 'column'."
    )
    assert error_of(credit_tree(), table=None, probabilities=True) == (
        "Without a table there is only one expression. Pass a table, or leave out probabilities."
    )
    assert error_of(deep_chain(500, shared=True)) == (
        "SQL can split rows with missing values in trees of at most 400 leaves and levels; this tree has 501 "
        "leaves and 500 levels. Export with missing='largest': such rows then follow the branch with the "
        "largest share."
    )
    schema = Schema((Feature("a"), Feature("A")))
    root = at_most(0, 0.5, leaf(1.0), at_most(1, 0.5, leaf(2.0), leaf(3.0)))
    tree = sl.Tree(core_tree(root, schema), schema, None)
    assert error_of(tree, dialect="duckdb") == (
        "DuckDB ignores case, so the columns 'a' and 'A' have the same name. Rename one."
    )
    assert error_of(tree, probabilities=True) == (
        "This model is a regression: it has no class probabilities."
    )
