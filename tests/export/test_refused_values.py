"""Exports of models that refuse a category they do not know, as a pipeline's encoder does."""

from __future__ import annotations

import ctypes
import math
from contextlib import closing

import duckdb
import jpmml_evaluator as jpmml
import numpy as np
import onnxruntime
import pandas as pd
import pytest
from export.elsewhere import RUNNERS, _asked, _fill, in_c, in_jpmml, in_node, in_onnxruntime, in_python
from java_machine import jpmml_backend
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import sightline as sl

KNOWN = [["car", "n"], ["house", "s"], ["art", "e"], ["car", "s"]]
UNKNOWN = ["boat", "n"]


@pytest.fixture(scope="module", params=["classes", "numbers", "rules"])
def model(request):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"purpose": rng.choice(["car", "house", "art"], 200), "region": rng.choice([*"nse"], 200)}
    )
    is_yes = (frame["purpose"] == "car") ^ (frame["region"] == "s")
    y = np.where(is_yes, "yes", "no") if request.param != "numbers" else is_yes + 0.1
    tree = DecisionTreeRegressor if request.param == "numbers" else DecisionTreeClassifier
    pipeline = make_pipeline(OneHotEncoder(), tree(random_state=0)).fit(frame, y)
    if request.param == "rules":
        found = (
            sl.RuleSetClassifier(ensemble=pipeline, pc=1.0, fallback=None, random_state=0).fit(frame).rules_
        )
    else:
        found = sl.load(pipeline).trees[0]
    assert {feature.unseen for feature in found.schema.features} == {"refuse"}
    return found


@pytest.mark.parametrize("run", RUNNERS)
def test_known_values(run, model, tmp_path):
    if isinstance(model, sl.RuleSet) and run is in_onnxruntime:
        return
    frame = pd.DataFrame(KNOWN, columns=["purpose", "region"])
    assert run(model, KNOWN, tmp_path)[0] == model.predict(frame).tolist()


def test_programs_raise(model, tmp_path):
    sentence = '"purpose" holds "boat", which the model does not know and refuses.'
    with pytest.raises(AssertionError, match=sentence.replace('"', "'")):
        in_python(model, [UNKNOWN], tmp_path)
    with pytest.raises(AssertionError, match=f"RangeError: {sentence}"):
        in_node(model, [UNKNOWN], tmp_path)


def test_c_answers_with_a_number_that_is_no_answer(model, tmp_path):
    in_c(model, KNOWN, tmp_path)
    library = ctypes.CDLL(str(max(tmp_path.glob("*.so"))))
    library.decide_code.restype = ctypes.c_double
    row = (ctypes.c_double * 2)(library.decide_code(0, b"boat"), library.decide_code(1, b"n"))
    assert list(row) == [-1.0, 1.0]
    if model.classes_ is None:
        library.decide.restype = ctypes.c_double
        assert math.isnan(library.decide(row))
    else:
        assert library.decide(row, None) == -1


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_sql_answers_null(dialect, model):
    import sqlite3

    with closing(sqlite3.connect(":memory:") if dialect == "sqlite" else duckdb.connect()) as connection:
        _fill(connection, model, [*KNOWN, UNKNOWN], dialect, {"number": "REAL", "text": "TEXT"})
        found = _asked(lambda text: connection.execute(text).fetchall(), model, dialect, {})[0]
        frame = pd.DataFrame(KNOWN, columns=["purpose", "region"])
        assert found == [*model.predict(frame).tolist(), None]


def test_onnx_fails(model, tmp_path):
    if isinstance(model, sl.RuleSet):
        return
    with pytest.raises(
        onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument, match="out of data bounds"
    ):
        in_onnxruntime(model, [UNKNOWN], tmp_path)


def test_pmml_fails(model, tmp_path):
    in_jpmml(model, KNOWN, tmp_path)
    evaluator = jpmml.make_evaluator(str(tmp_path / "exported.pmml"), backend=jpmml_backend())
    answers = evaluator.evaluateAll(pd.DataFrame([UNKNOWN], columns=["purpose", "region"]))
    assert "InvalidResult" in answers["errors"][0] or "boat" in answers["errors"][0]


@pytest.mark.parametrize("kind", ["onnx", "json"])
def test_exports_that_read_back_refuse_too(kind, model, tmp_path):
    if isinstance(model, sl.RuleSet) and kind == "onnx":
        return
    path = tmp_path / f"model.{kind}"
    model.export(kind, path)
    again = sl.load(path) if kind == "onnx" else sl.read_model(path)
    frame = pd.DataFrame(KNOWN, columns=["purpose", "region"])
    assert again.predict(frame).tolist() == model.predict(frame).tolist()
    with pytest.raises(sl.DataError, match=r"'boat' at row 0, which .* does not know and refuses"):
        again.predict(pd.DataFrame([UNKNOWN], columns=["purpose", "region"]))
