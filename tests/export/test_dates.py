"""Models of dates elsewhere: SQL over real DATE and TIMESTAMP columns, and numbers in programs."""

import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pandas as pd
import pytest

import sightline as sl
from sightline.exceptions import UnsupportedModelError


@pytest.fixture(scope="module")
def rows():
    drawn = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "opened": pd.Timestamp("2016-01-01") + pd.to_timedelta(drawn.integers(0, 1500, 300), "D"),
            "seen": pd.Timestamp("2019-01-01") + pd.to_timedelta(drawn.integers(0, 10**7, 300), "s"),
            "stamped": pd.Timestamp("2019-01-01", tz="UTC")
            + pd.to_timedelta(drawn.integers(0, 10**7, 300), "s"),
            "income": drawn.integers(0, 100, 300).astype(float),
        }
    )
    late = (
        (X["opened"] >= "2018-03-01").astype(int)
        + (X["seen"].dt.day_of_year > 60)
        + (X["stamped"].dt.day_of_year > 60)
    )
    X.loc[::17, "opened"] = None
    return X, np.where(late >= 2, "yes", "no")


@pytest.fixture(scope="module")
def models(rows):
    X, y = rows
    tree = sl.DistilledTreeClassifier(max_leaves=12, random_state=0).fit(X, y)
    rules = sl.RuleSetClassifier(max_rules=8, random_state=0).fit(X, y)
    assert {"opened", "seen", "stamped"} <= {
        tree.tree_.schema.names[f] for f in tree.tree_.core.used_features
    }
    return [tree.tree_, rules.rules_]


@pytest.mark.parametrize("index", [0, 1])
def test_duckdb(models, rows, index):
    X, _ = rows
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'America/New_York'")
    connection.execute(
        "CREATE TABLE data AS SELECT CAST(opened AS DATE) AS opened, seen, stamped, income FROM X"
    )
    statement = models[index].export("sql", dialect="duckdb")
    got = [row[0] for row in connection.execute(f"SELECT prediction FROM ({statement})").fetchall()]
    assert got == models[index].predict(X).tolist()


@pytest.mark.parametrize("index", [0, 1])
def test_sqlite(models, rows, index):
    X, _ = rows
    text = X.assign(
        opened=X["opened"].dt.strftime("%Y-%m-%d"),
        seen=X["seen"].dt.strftime("%Y-%m-%dT%H:%M:%S"),
        stamped=X["stamped"].dt.tz_convert("Asia/Tokyo").map(lambda moment: moment.isoformat(" ")),
    )
    with closing(sqlite3.connect(":memory:")) as connection:
        text.to_sql("data", connection, index=False)
        got = [row[-1] for row in connection.execute(models[index].export("sql", dialect="sqlite"))]
        assert got == models[index].predict(X).tolist()


@pytest.mark.parametrize("last", ["12:00:00", "12:00:00.000001", "12:00:00.0005", "23:59:59.9996"])
@pytest.mark.parametrize("zone", ["", "Z", " Z", "+09:00", " -03:30"])
def test_sqlite_compares_microseconds(last, zone):
    """SQLite itself rounds times to the millisecond."""
    cut = pd.Timestamp(f"2024-05-01 {last}")
    X = pd.DataFrame({"at": cut + pd.to_timedelta(range(-600, 600, 50), unit="us")})
    tree = sl.C45Classifier().fit(X, np.where(X["at"] <= cut, "early", "late")).tree_
    assert tree.core.threshold[0] == cut.value // 1000 / 1e6
    X = pd.DataFrame({"at": [*X["at"], *(cut + pd.to_timedelta([-1, 1, 999_999], unit="us"))]})
    shown = X["at"] + pd.Timedelta(f"{zone.strip()}:00" if ":" in zone else "0h")
    texts = [
        shown.dt.strftime("%Y-%m-%dT%H:%M:%S.%f"),
        shown.dt.strftime("%Y-%m-%d %H:%M:%S.%f") + "789",
        shown.dt.strftime("%Y-%m-%d %H:%M:%S.%f").str.rstrip("0").str.rstrip("."),
    ]
    with closing(sqlite3.connect(":memory:")) as connection:
        for name, text in enumerate(texts):
            (text + zone).to_frame("at").to_sql(f"t{name}", connection, index=False)
            statement = tree.export("sql", dialect="sqlite", table=f"t{name}")
            assert [row[-1] for row in connection.execute(statement)] == tree.predict(X).tolist()


@pytest.mark.parametrize("index", [0, 1])
def test_sqlite_gives_no_prediction_for_what_is_no_date(models, rows, index):
    X, _ = rows
    text = X[:4].astype({"seen": str, "stamped": str})
    text["opened"] = [None, "01.03.2018", 17591, "17591"]
    julian = text.assign(opened=2458178.5)
    with closing(sqlite3.connect(":memory:")) as connection:
        pd.concat([text, julian]).to_sql("data", connection, index=False)
        got = [row[-1] for row in connection.execute(models[index].export("sql", dialect="sqlite"))]
    expected = models[index].predict(X[:4].assign(opened=pd.NaT)).tolist()
    march = models[index].predict(X[:4].assign(opened=pd.Timestamp("2018-03-01"))).tolist()
    assert got == [expected[0], None, None, None, *march]


def test_literals_of_dialects(models):
    for dialect, literals in {
        "ansi": ["DATE '2018-", "TIMESTAMP '2019-"],
        "postgresql": ["DATE '2018-", "TIMESTAMP '2019-", "+00:00'"],
        "bigquery": ["DATE '2018-", "DATETIME '2019-", "TIMESTAMP '2019-"],
        "snowflake": ["DATE '2018-", "TIMESTAMP '2019-", "+00:00'::TIMESTAMP_TZ"],
        "sqlserver": ["CAST('2018-", "AS DATE)", "AS DATETIME2)", "AS DATETIMEOFFSET)"],
    }.items():
        text = models[0].export("sql", dialect=dialect)
        assert all(literal in text for literal in literals), (dialect, text)


def test_programs_say_what_the_numbers_are(models, rows):
    X, _ = rows
    for kind in ("python", "c", "javascript"):
        text = models[0].export(kind)
        names = models[0].feature_names
        assert f"Feature '{names[0]}' (index 0) is a number of days since 1970-01-01." in text
        assert f"Feature '{names[2]}' (index 2) is a number of seconds since 1970-01-01 00:00 UTC." in text
    scope = {}
    exec(models[0].export("python"), scope)
    table = sl.Table.from_any(X)
    predicted = [
        scope["predict"]([column.values[row] for column in table.columns]) for row in range(0, 300, 7)
    ]
    assert predicted == models[0].predict(X).tolist()[::7]


def test_stored_models_keep_dates(models, rows, tmp_path):
    X, _ = rows
    for model in models:
        model.to_json(tmp_path / "model.json")
        again = sl.read_model(tmp_path / "model.json")
        assert again.to_text() == model.to_text()
        assert again.predict(X).tolist() == model.predict(X).tolist()


def test_lines_over_dates_are_refused(rows):
    X, _ = rows
    days = (X["seen"] - pd.Timestamp("2019-01-01")).dt.days.to_numpy(float)
    model = sl.DistilledTreeRegressor(max_leaves=3, leaf="linear", random_state=0).fit(
        X[["seen", "income"]], days
    )
    with pytest.raises(
        UnsupportedModelError, match='cannot compute with the dates of column "seen" in a line'
    ):
        model.export("sql")


def test_durations_are_intervals_or_seconds():
    """A column of intervals was compared with a number, which DuckDB refuses."""
    X = pd.DataFrame({"waited": pd.to_timedelta([*range(0, 720, 7), None], unit="h")})
    y = np.where(X["waited"] > pd.Timedelta("15D"), "late", "early")
    models = [
        sl.DistilledTreeClassifier(max_leaves=3, random_state=0).fit(X, y).tree_,
        sl.RuleSetClassifier(random_state=0).fit(X, y).rules_,
    ]
    connection = duckdb.connect()
    connection.execute("CREATE TABLE data AS SELECT * FROM X")
    assert connection.execute("SELECT typeof(waited) FROM data LIMIT 1").fetchone() == ("INTERVAL",)
    for model in models:
        statement = model.export("sql", dialect="duckdb")
        got = [row[0] for row in connection.execute(f"SELECT prediction FROM ({statement})").fetchall()]
        assert got == model.predict(X).tolist()
        assert 'EXTRACT(EPOCH FROM "waited")' in model.export("sql", dialect="postgresql")
        assert "EPOCH" not in model.export("sql", dialect="snowflake")
        with closing(sqlite3.connect(":memory:")) as seconds:
            X.assign(waited=X["waited"].dt.total_seconds()).to_sql("data", seconds, index=False)
            got = [row[-1] for row in seconds.execute(model.export("sql", dialect="sqlite"))]
        assert got == model.predict(X).tolist()
