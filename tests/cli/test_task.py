"""Classes or numbers: how the command finds out, what it says, and what it does with numbers."""

import json
import pickle

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import sightline as sl
from sightline.cli._app import BAD_INPUT, run
from sightline.cli._data import read_split
from sightline.cli._options import ColumnOptions, TaskName

FILES = {"report.html", "model.json", "ensemble.json", "tree.txt", "tree.svg", "metrics.json", "held_out.csv"}


@pytest.fixture(scope="module")
def rows():
    """Rents that grow with the size of a flat, from a seed."""
    rng = np.random.default_rng(0)
    size, floor = rng.uniform(20, 120, 160).round(1), rng.integers(0, 9, 160)
    town = rng.choice(["Bonn", "Essen", "Ulm"], 160)
    rent = (4 * size + 60 * (town == "Bonn") + 5 * floor + rng.normal(0, 20, 160)).round(2)
    return pd.DataFrame({"size": size, "floor": floor, "town": town, "rent": rent})


@pytest.fixture(scope="module")
def data(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "flats.csv"
    rows.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def forest(rows, tmp_path_factory):
    """A pickled pipeline with a regressor."""
    encoder = make_column_transformer((OneHotEncoder(), ["town"]), remainder="passthrough")
    model = make_pipeline(encoder, RandomForestRegressor(10, random_state=0))
    path = tmp_path_factory.mktemp("model") / "forest.pkl"
    path.write_bytes(pickle.dumps(model.fit(rows.drop(columns="rent"), rows["rent"])))
    return path


def distill(*arguments):
    return run(["distill", *map(str, arguments)])


def refusal(capsys, *arguments):
    assert distill(*arguments) == BAD_INPUT
    return capsys.readouterr().err


def written(path, target):
    """Write 60 rows with this target."""
    path.write_text("x,z,y\n" + "".join(f"{row % 7}.5,{row},{value}\n" for row, value in enumerate(target)))
    return path


def test_regression_from_rows_alone(data, tmp_path, capsys):
    out = tmp_path / "out"
    assert distill("-d", data, "-t", "rent", "--trees", 10, "--max-leaves", 6, "--out", out) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("flats: 120 training rows, 40 held out; 2 numeric and 1 nominal column, ")
    assert printed[1].startswith("'rent' holds fractions such as ")
    assert printed[1].endswith(", so this is a regression.")
    assert [line.split()[0] for line in printed[2:]] == [
        "R²",
        "MAE",
        "RMSE",
        "fidelity",
        "size",
        "proved",
        "report",
    ]
    for line in printed[2:5]:
        assert [part in line for part in ("the 10 trees", "this tree", "an ordinary tree", "always the mean")]
    assert {path.name for path in out.iterdir()} == FILES
    assert sl.read_model(out / "model.json").classes_ is None
    metrics = json.loads((out / "metrics.json").read_text())
    assert metrics["task"] == "numbers"
    assert metrics["fidelity"]["rows"] == metrics["errors"]["rows"] == 40
    assert metrics["mean_errors"]["r2"]["value"] == 0
    assert metrics["errors"]["mae"]["value"] < metrics["mean_errors"]["mae"]["value"]
    assert "accuracy" not in metrics
    assert len(metrics["curve"]["r2"]) == len(metrics["curve"]["sizes"])


def test_pickled_pipeline_with_a_regressor(data, forest, tmp_path, capsys):
    out = tmp_path / "out"
    model = ("--model", forest, "--allow-pickle")
    assert distill("-d", data, "-t", "rent", *model, "--max-leaves", 6, "--out", out) == 0
    printed = capsys.readouterr().out
    assert "The model predicts numbers, so this is a regression." in printed
    assert "note      on rows that the ensemble was trained on, its errors look too small" in printed
    arguments = [str(out / "model.json"), "-d", str(data), "-t", "rent", "-e", str(forest), "--allow-pickle"]
    assert run(["report", *arguments, "--out", str(tmp_path / "page.html")]) == 0
    assert " leaves follows the 10 trees with R² " in capsys.readouterr().out


def test_lightgbm_text_file(rows, data, tmp_path, capsys):
    numeric = rows[["size", "floor"]]
    booster = lightgbm.LGBMRegressor(n_estimators=8, verbose=-1).fit(numeric, rows["rent"]).booster_
    booster.save_model(tmp_path / "rent.txt")
    out = tmp_path / "out"
    assert distill("-d", data, "-t", "rent", "-m", tmp_path / "rent.txt", "--out", out) == 0
    assert "Dropped column 'town': the model does not use it." in capsys.readouterr().out
    tree = sl.read_model(out / "model.json")
    assert run(["explain", str(out / "model.json"), "size=50", "floor=2"]) == 0
    number = tree.predict(pd.DataFrame({"size": [50.0], "floor": [2.0]}))[0]
    assert f"{number:.4g}"[:4] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("target", "task", "sentence"),
    [
        ([row % 2 for row in range(60)], "2 classes", None),
        (["a", "b", "c"] * 20, "3 classes", None),
        (
            [row * 7 % 12 for row in range(60)],
            "12 classes",
            "'y' holds 12 different whole numbers in 60 rows, so they are treated as classes. Pass --task "
            "numbers for "
            "a regression.",
        ),
        (
            [row * 7 % 29 for row in range(60)],
            "numbers from 0 to 28",
            "'y' holds 29 different whole numbers in 60 rows, so this is a regression. Pass --task classes "
            "to treat "
            "them as classes.",
        ),
        (
            [f'"{12_000 + 117 * row * row:,}"' for row in range(60)],
            "numbers from 12000 to 419277",
            "'y' holds 60 different whole numbers in 60 rows, so this is a regression. Pass --task classes "
            "to treat "
            "them as classes.",
        ),
        (
            [row % 3 / 2 for row in range(60)],
            "numbers from 0 to 1",
            "'y' holds fractions such as 0.5, so this is",
        ),
    ],
)
def test_auto_decides_and_says_how(target, task, sentence, tmp_path):
    rows = read_split(written(tmp_path / "rows.csv", target), "y", 0.25, 0)
    assert rows.text().endswith(f", {task}.")
    said = [note for note in rows.notes if "--task" in note or "regression" in note]
    assert [note.startswith(sentence) for note in said] == [True] if sentence else said == []


@pytest.mark.parametrize(
    ("target", "task", "expected"),
    [
        ([row * 7 % 12 for row in range(60)], "numbers", "numbers from 0 to 11."),
        ([1, 2] * 30, "classes", "2 classes."),
    ],
)
def test_task_overrides_and_needs_no_sentence(target, task, expected, tmp_path):
    options = ColumnOptions(task=TaskName(task))
    rows = read_split(written(tmp_path / "rows.csv", target), "y", 0.25, 0, columns=options)
    assert rows.text().endswith(expected)
    assert not any("--task" in note for note in rows.notes)


@pytest.mark.parametrize(
    ("target", "task", "sentence"),
    [
        (
            [f"{row}.25" for row in range(60)],
            "classes",
            "the target 'y' holds fractions such as 0.25, not classes. Choose another column, or bin its "
            "values first.",
        ),
        (["a", "b"] * 30, "numbers", "the target 'y' holds text such as 'a', not numbers."),
        (["2.5"] * 60, "auto", "every row has the number 2.5. There is nothing to learn."),
        (["7"] * 60, "numbers", "every row has the number 7. There is nothing to learn."),
        (["7"] * 60, "auto", "every row has the label 7. There is nothing to learn."),
        (
            ["DE", "NA"] * 30,
            "auto",
            "every row has the label 'DE', or none (30 rows). There is nothing to learn. Empty cells, NA "
            "and NULL count as missing: if one of them is a class, put it in quotes.",
        ),
        ([""] * 60, "numbers", "the target 'y' is missing in every row."),
        (
            ["1.5"] * 59 + ["inf"],
            "auto",
            "line 61: column 'y' contains infinity or a number too large for a double.",
        ),
    ],
)
def test_targets_that_do_not_fit(target, task, sentence, tmp_path, capsys):
    path = written(tmp_path / "rows.csv", target)
    out = tmp_path / "out"
    assert (
        refusal(capsys, "-d", path, "-t", "y", "--task", task, "--out", out)
        == f"sightline: {path}: {sentence}\n"
    )
    assert not out.exists()


def test_rows_without_a_number_are_dropped(tmp_path):
    rows = read_split(
        written(tmp_path / "rows.csv", [*(row / 4 for row in range(50)), *[""] * 10]), "y", 0.25, 0
    )
    assert "Dropped 10 rows without a number in the target." in rows.notes


def test_model_and_task_must_fit(data, forest, tmp_path, capsys):
    model = ("--model", forest, "--allow-pickle")
    warned = f"Warning: --allow-pickle runs any code in {forest}. Use it only for files that you trust.\n"
    assert refusal(capsys, "-d", data, "-t", "rent", *model, "--task", "classes") == (
        f"{warned}sightline: --task is classes, but the model predicts numbers. Leave --task out.\n"
    )
    assert refusal(capsys, "-d", data, "-t", "town", *model) == (
        f"{warned}sightline: {data}: the target 'town' holds text such as 'Bonn', not numbers.\n"
    )
    for option, noun in (("--classes", "names classes"), ("--positive", "names a class")):
        assert refusal(capsys, "-d", data, "-t", "rent", *model, option, "a,b") == (
            f"{warned}sightline: {forest}: {option} {noun}, but this model predicts numbers.\n"
        )


@pytest.mark.parametrize(
    ("shape", "noun", "size"),
    [("rules", "rule set", "8 rules, "), ("cases", "case base", "case base of 120 cases, ")],
)
def test_rules_and_cases_of_numbers(data, tmp_path, capsys, shape, noun, size):
    out = tmp_path / "out"
    arguments = ["-d", data, "-t", "rent", "--trees", 10, "--to", shape, "--max-rules", 8, "--out", out]
    assert distill(*arguments) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()[2:]}
    assert list(lines) == ["R²", "MAE", "RMSE", "fidelity", "size", "report"]
    assert f"this {noun} " in lines["R²"]
    assert lines["size"].startswith(f"size      {size}")
    assert {path.name for path in out.iterdir()} == FILES - {"tree.txt", "tree.svg"} | {f"{shape}.txt"}
    assert sl.read_model(out / "model.json").classes_ is None
    metrics = json.loads((out / "metrics.json").read_text())
    assert metrics["proof"] is None
    assert metrics["errors"]["mae"]["value"] < metrics["mean_errors"]["mae"]["value"]
    again = [str(out / "model.json"), "-d", str(data), "-t", "rent", "-e", str(out / "ensemble.json")]
    assert run(["report", *again, "--out", str(tmp_path / "again.html")]) == 0
    assert f"This {noun} of " in capsys.readouterr().out


def test_shapes_that_need_classes_are_refused_by_name(data, tmp_path, capsys):
    assert refusal(capsys, "-d", data, "-t", "rent", "--to", "stumps", "--out", tmp_path / "out").startswith(
        "sightline: --to stumps --method voting predicts only classes, but the target holds numbers. "
        "For numbers use --to tree --method distilled"
    )
    assert not (tmp_path / "out").exists()


def test_target_in_another_unit_is_dropped(rows, tmp_path):
    path = tmp_path / "flats.csv"
    rows.assign(cents=100 * rows["rent"], rank=rows["rent"] ** 3).to_csv(path, index=False)
    notes = "\n".join(read_split(path, "rent", 0.25, 0).notes)
    assert "Dropped column 'cents': it repeats the target, in a different unit." in notes
    assert "Column 'rank' alone determines the target in every row." in notes
