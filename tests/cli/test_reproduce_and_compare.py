"""The two verbs that judge, as a person meets them."""

import errno
import json

import lightgbm
import numpy as np
import pytest

import sightline as sl
from sightline.cli._app import run
from sightline.lab import EXPERIMENTS

ARFF = "@relation fruit\n@attribute size numeric\n@attribute kind {apple, plum}\n@data\n"


@pytest.fixture
def fruit(tmp_path):
    path = tmp_path / "iris.arff"
    path.write_text(ARFF + "".join(f"{size}, {'apple' if size > 20 else 'plum'}\n" for size in range(40)))
    return path


def sightline(*arguments):
    return run([*map(str, arguments)])


def test_compare(fruit, tmp_path, capsys):
    page = tmp_path / "page.html"
    options = ("--folds", 3, "--methods", "C4.5 tree; CMM tree", "--out", page)
    assert sightline("compare", "--data", fruit, *options) == 0
    assert "fruit: 40 rows, 1 column, 2 classes; 3-fold cross-validation" in capsys.readouterr().out
    assert page.read_text().startswith("<!doctype html>")


def test_compare_takes_the_options_of_trees(fruit, capsys):
    options = ("--methods", "C4.5 tree; distilled tree, 16 leaves", "--folds", 2)
    assert sightline("compare", "--data", fruit, *options, "--max-depth", 1, "--class-weight", "plum=2") == 0
    assert sightline("compare", "--data", fruit, *options, "--threshold", 0.2) == 2
    assert "compare cannot set 'threshold'" in capsys.readouterr().err


def test_compare_leaves_out_rows_without_a_label(tmp_path, capsys):
    path = tmp_path / "rows.csv"
    rows = [f"{value},{'high' if value > 20 else 'low'}" for value in range(40)]
    path.write_text("\n".join(["size,kind", *rows, "3,"]))
    options = ("--target", "kind", "--folds", 3, "--methods", "C4.5 tree")
    assert sightline("compare", "--data", path, *options) == 0
    shown = capsys.readouterr().out
    assert "rows: 40 rows, 1 column, 2 classes; 3-fold cross-validation" in shown
    assert "Dropped 1 row without a label." in shown


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "name the column to predict with --target."),
        (("--target", "one"), "every row has the label 'a'. There is nothing to learn."),
    ],
)
def test_compare_needs_a_target(options, sentence, tmp_path, capsys):
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["number,one", *(f"{value},a" for value in range(120))]))
    assert sightline("compare", "--data", path, *options) == 2
    assert capsys.readouterr().err == f"sightline: {path}: {sentence}\n"


def test_a_page_without_room_does_not_cost_the_table(fruit, tmp_path, monkeypatch, capsys):
    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    page = tmp_path / "page.html"
    options = ("--folds", 3, "--methods", "C4.5 tree", "--out", page)
    assert sightline("compare", "--data", fruit, *options) == 2
    shown = capsys.readouterr()
    assert "Most accurate: " in shown.out
    assert shown.err == f"sightline: {page}: cannot be written (No space left on device).\n"


def test_reproduce(fruit, tmp_path, capsys):
    out = tmp_path / "out"
    options = ("--data-dir", tmp_path, "--out", out, "--sets", "iris", "--quick")
    assert sightline("reproduce", "ism", *options) == 0
    assert str(out / "ism.md") in capsys.readouterr().out
    assert sightline("reproduce", "ism", *options, "--tables-only", "--quiet") == 0
    assert capsys.readouterr().out == ""
    assert sightline("reproduce", "ism", *options, "--tables-only", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["experiment"] == "ism"
    assert str(out / "ism.md") in found["files"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ("reproduce", "ism", "--data-dir", "{folder}", "--out", "{folder}/out", "--sets", "iris,none"),
            "The experiment 'ism' has no data set 'none'. Choose from: anneal.ORIG, ",
        ),
        (
            ("reproduce", "stumps", "--data-dir", "{folder}", "--out", "{folder}/out", "--sets", "G4"),
            "There is no data set 'G4' in '{folder}': found neither glass.arff nor glass.arff.gz.",
        ),
        (
            ("reproduce", "ism", "--data-dir", "{folder}", "--out", "{folder}/out", "--sets", "glass"),
            "There is no data set 'glass' in '{folder}': found neither glass.arff nor glass.arff.gz.",
        ),
        (
            (
                *("reproduce", "ism", "--data-dir", "{folder}", "--out", "{folder}", "--sets", "iris"),
                *("--quick", "--results", "{folder}/iris.arff"),
            ),
            "{folder}/iris.arff is not a results file. Name another one, or move it away.",
        ),
        (
            ("compare", "--data", "{folder}/iris.arff", "--jobs", "0"),
            "--jobs must be a number of processes, or -1 for all processors. Got 0.",
        ),
        (("compare", "--data", "{folder}/none.arff"), "{folder}/none.arff"),
    ],
)
def test_bad_input_is_one_line(fruit, tmp_path, capsys, arguments, line):
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    code = sightline(*(each.format(folder=tmp_path) for each in arguments))
    shown = capsys.readouterr()
    assert (code, shown.out) == (2, "")
    assert shown.err.startswith(f"sightline: {line.format(folder=tmp_path)}")
    assert shown.err.count("\n") == 1
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_help_names_every_experiment(capsys):
    """Written out there, since the list is part of what takes long to load."""
    assert run(["reproduce", "--help"]) == 0
    *others, last = EXPERIMENTS
    printed = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert f"Which experiment: {', '.join(others)} or {last}." in printed


def test_compare_with_a_model_of_numbers(tmp_path, capsys):
    path, model = tmp_path / "rows.csv", tmp_path / "model.txt"
    path.write_text(
        "\n".join(
            ["size,age,price", *(f"{row % 40},{row % 3},{row % 40 / 2 + row % 3}" for row in range(90))]
        )
    )
    table = sl.read_table(path, "price")
    booster = lightgbm.LGBMRegressor(n_estimators=5, min_child_samples=5, verbose=-1)
    booster.fit(table.X.to_pandas(), np.asarray(table.y)).booster_.save_model(model)
    options = ("--target", "price", "--model", model, "--folds", 2, "--methods", "distilled tree, 16 leaves")
    assert sightline("compare", "--data", path, *options) == 0
    printed = capsys.readouterr().out
    assert "rows: 90 rows, 2 columns, numbers; 2-fold cross-validation" in printed
    assert "The model was not retrained: it looks better than it is on its own training rows." in printed
