"""Files of exchange formats as ``--model``."""

import json
from pathlib import Path

import pandas as pd
import pytest
import treelite
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from sightline.cli._app import run


@pytest.fixture
def rows():
    return pd.DataFrame(
        {"x0": [float(row) for row in range(60)], "x1": [float(row % 7) for row in range(60)]}
    )


def write_model(kind, rows, path):
    answers = [int(row > 30) for row in range(60)]
    if kind == "treelite":
        forest = RandomForestClassifier(3, random_state=0).fit(rows.to_numpy(), answers)
        treelite.sklearn.import_model(forest).serialize(str(path))
    else:
        sl.C45Classifier().fit(rows, answers).tree_.export(kind, path)


@pytest.mark.parametrize("kind", ["onnx", "pmml", "treelite"])
def test_distill(kind, rows, tmp_path, capsys):
    model, table = tmp_path / "model", tmp_path / "rows.csv"
    write_model(kind, rows, model)
    used = rows[["x0"]] if kind == "pmml" else rows  # PMML only lists what is tested
    used.assign(y=[int(row > 30) for row in range(60)]).to_csv(table, index=False)
    words = ["distill", "-d", table, "-t", "y", "--model", model, "--out", tmp_path / "out", "--quiet"]
    assert run([*map(str, words)]) == 0
    assert (tmp_path / "out" / "model.json").exists(), capsys.readouterr().err


def test_a_folder_of_spark(tmp_path):
    folder = Path(__file__).parents[1] / "data" / "spark"
    rows = json.loads((folder / "forest.json").read_text())
    table, out = tmp_path / "rows.csv", tmp_path / "out"
    frame = pd.DataFrame(rows["rows"], columns=["a", "b", "c"])
    frame.assign(y=[int(label) for label in rows["prediction"]]).to_csv(table, index=False)
    words = ["distill", "-d", table, "-t", "y", "--model", folder / "forest", "--out", out, "--quiet"]
    assert run([*map(str, words)]) == 0
