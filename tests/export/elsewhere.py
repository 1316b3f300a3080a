"""Runs exported models where they are meant to run: every function gives (labels, probabilities).

Rows are lists of plain values; None is a missing value. Probabilities are None where the export
has none.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import math
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import duckdb
import jpmml_evaluator as jpmml
import numpy as np
import onnxruntime
import pandas as pd
import pytest
from absent import NO_COMPILER, NO_JAVA, NO_NODE
from java_machine import jpmml_backend

Answers = tuple[list, list | None]

_numbers = itertools.count()

_PYTHON_DRIVER = """
import json, sys
space = {"__name__": "exported"}
exec(compile(open(sys.argv[1], encoding="ascii").read(), "exported", "exec"), space)
rows = json.load(open(sys.argv[2]))
predict = space["predict"]
shares = [predict(row, True) for row in rows] if "CLASSES" in space else None
print(json.dumps([[predict(row) for row in rows], shares]))
"""

_NODE_DRIVER = """
const { predict, CLASSES } = require(process.argv[2]);
const rows = JSON.parse(require("fs").readFileSync(process.argv[3])).map((row) =>
  row.map((value) => (value === "Infinity" ? Infinity : value === "-Infinity" ? -Infinity : value)));
const both = [rows.map((row) => predict(row)), CLASSES ? rows.map((row) => predict(row, true)) : null];
console.log(JSON.stringify(both));
"""


def in_python(model, rows, folder: Path, **options) -> Answers:
    """An isolated interpreter without site-packages."""
    model.export("python", folder / "exported.py", **options)
    (folder / "rows.json").write_text(json.dumps(rows))
    command = [sys.executable, "-I", "-S", "-c", _PYTHON_DRIVER, folder / "exported.py", folder / "rows.json"]
    return tuple(json.loads(_output(command, folder)))


def in_node(model, rows, folder: Path, **options) -> Answers:
    if not shutil.which("node"):
        pytest.skip(NO_NODE)
    model.export("javascript", folder / "exported.js", **options)
    plain = [[str(v).replace("inf", "Infinity") if _is_infinite(v) else v for v in row] for row in rows]
    (folder / "rows.json").write_text(json.dumps(plain, allow_nan=False))
    (folder / "driver.js").write_text(_NODE_DRIVER)
    command = ["node", folder / "driver.js", folder / "exported.js", folder / "rows.json"]
    # JavaScript writes whole numbers up to 1e21 with all their digits, which Python would read as integers.
    read = float if model.classes_ is None else int
    return tuple(json.loads(_output(command, folder), parse_int=read))


def in_c(model, rows, folder: Path, flags=("-O1",), **options) -> Answers:
    """Compiled without a warning, and called from here."""
    if not shutil.which("gcc"):
        pytest.skip(NO_COMPILER)
    model.export("c", folder / "exported.c", name="decide", **options)
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC", *flags]
    # A library of a name that was loaded before would not be loaded again.
    binary = folder / f"exported{next(_numbers)}.so"
    _output(["gcc", *flags, folder / "exported.c", "-o", binary, "-lm"], folder)
    library = ctypes.CDLL(str(binary))
    library.decide_code.restype = ctypes.c_double
    n_features = len(model.feature_names)
    features = (ctypes.c_char_p * n_features).in_dll(library, "decide_features")
    assert [text.decode("utf-8", "surrogatepass") for text in features] == model.feature_names
    classes = model.classes_
    if classes is None:
        library.decide.restype = ctypes.c_double
        return [library.decide(_c_row(library, model, row)) for row in rows], None
    strings = [
        text.decode("utf-8", "surrogatepass")
        for text in (ctypes.c_char_p * len(classes)).in_dll(library, "decide_classes")
    ]
    assert strings == [str(label) for label in classes.tolist()]
    labels, probabilities = [], []
    for row in rows:
        shares = (ctypes.c_double * len(classes))()
        labels.append(classes.tolist()[library.decide(_c_row(library, model, row), shares)])
        probabilities.append(list(shares))
    return labels, probabilities


def in_sqlite(model, rows, folder: Path, **options) -> Answers:
    with closing(sqlite3.connect(":memory:")) as connection:
        _fill(connection, model, rows, "sqlite", {"number": "REAL", "text": "TEXT"})
        return _asked(connection.execute, model, "sqlite", options)


def in_duckdb(model, rows, folder: Path, **options) -> Answers:
    connection = duckdb.connect()
    _fill(connection, model, rows, "duckdb", {"number": "DOUBLE", "text": "VARCHAR"})
    return _asked(lambda text: connection.execute(text).fetchall(), model, "duckdb", options)


def in_onnxruntime(model, rows, folder: Path, **options) -> Answers:
    from sightline.export._onnx import input_names

    session = onnxruntime.InferenceSession(model.export("onnx", folder / "exported.onnx", **options))
    features = model.schema.features
    columns = [
        np.array(
            [[_onnx_value(row[index], feature)] for row in rows],
            dtype=object if feature.is_nominal else float,
        )
        for index, feature in enumerate(features)
    ]
    if any(feature.is_nominal for feature in features):
        given = dict(zip(input_names(model.schema), columns, strict=True))
    else:
        given = {"X": np.concatenate(columns, axis=1)}
    answers = session.run(None, given)
    if model.classes_ is None:
        return answers[0][:, 0].tolist(), None
    return answers[0].tolist(), answers[1].tolist()


def in_jpmml(model, rows, folder: Path, **options) -> Answers:
    """The reference implementation in Java."""
    if not shutil.which("java"):
        pytest.skip(NO_JAVA)
    model.export("pmml", folder / "exported.pmml", **options)
    evaluator = jpmml.make_evaluator(str(folder / "exported.pmml"), backend=jpmml_backend())
    frame = pd.DataFrame(rows, columns=model.feature_names, dtype=object)
    answers = evaluator.evaluateAll(frame)
    shares = [name for name in answers.columns if name.startswith("probability_")]
    return answers["prediction"].tolist(), answers[shares].to_numpy().tolist() if shares else None


RUNNERS = [in_python, in_node, in_c, in_sqlite, in_duckdb, in_onnxruntime, in_jpmml]


def _output(command, folder) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, check=False, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _is_infinite(value) -> bool:
    return isinstance(value, float) and math.isinf(value)


def _c_row(library, model, row):
    values = [
        library.decide_code(index, str(value).encode("utf-8", "surrogatepass"))
        if feature.is_nominal and value is not None
        else math.nan
        if value is None
        else value
        for index, (value, feature) in enumerate(zip(row, model.schema.features, strict=True))
    ]
    return (ctypes.c_double * len(values))(*values)


def _onnx_value(value, feature):
    if feature.is_nominal:
        nothing = "" if feature.has_other else "\x00 no category"
        return nothing if value is None else value
    return np.nan if value is None else value


def _fill(connection, model, rows, dialect, types) -> None:
    from sightline.export._sql_dialect import Dialect

    quoted = Dialect.named(dialect).identifier
    columns = [
        f"{quoted(feature.name)} {types['text' if feature.is_nominal else 'number']}"
        for feature in model.schema.features
    ]
    connection.execute(f"CREATE TABLE data (row_number INTEGER, {', '.join(columns)})")
    placeholders = ", ".join("?" * (len(columns) + 1))
    numbered = [[number, *row] for number, row in enumerate(rows)]
    connection.executemany(f"INSERT INTO data VALUES ({placeholders})", numbered)


def _asked(execute, model, dialect, options) -> Answers:
    classes = model.classes_
    text = model.export("sql", **{"dialect": dialect, "probabilities": classes is not None, **options})
    answers = sorted(execute(text.rstrip()), key=lambda row: row[0])
    first = 1 + len(model.feature_names)
    labels = [row[first] for row in answers]
    return labels, None if classes is None else [list(row[first + 1 :]) for row in answers]
