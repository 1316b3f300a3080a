"""The verbs of the command: what they write, print and answer, and how they refuse bad input."""

import hashlib
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import time

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline

import sightline as sl
from sightline.cli._app import BAD_INPUT, app, run
from sightline.cli._demo import _csv

FILES = {"report.html", "model.json", "ensemble.json", "tree.txt", "tree.svg", "metrics.json", "held_out.csv"}


@pytest.fixture(scope="module")
def loans(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "loans.csv"
    path.write_text(_csv(sl.make_loans(240)))
    return path


@pytest.fixture(scope="module")
def folder(loans, tmp_path_factory):
    """What distill writes."""
    out = tmp_path_factory.mktemp("made") / "deep" / "out"
    arguments = ["--data", str(loans), "--target", "default", "--trees", "5", "--max-leaves", "5"]
    assert run(["distill", *arguments, "--out", str(out), "--quiet"]) == 0
    return out


def refused(capsys, arguments, text):
    """The command ends with exit code 2 and exactly one line, and leaves nothing behind."""
    assert run([str(argument) for argument in arguments]) == BAD_INPUT
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [f"sightline: {text}"]


# ---------------------------------------------------------------- distill


def test_distill_needs_nothing_but_rows_and_target(loans, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["distill", "--data", str(loans), "--target", "default"]) == 0
    printed = capsys.readouterr()
    assert {path.name for path in (tmp_path / "loans-report").iterdir()} == FILES
    patterns = [
        r"loans: 180 training rows, 60 held out; 6 numeric and 4 nominal columns, 2 classes\.",
        r"accuracy  the 200 trees [\d.]+%, this tree [\d.]+%, an ordinary tree of \d+ leaves [\d.]+%, "
        r"always no [\d.]+%",
        r"AUC       the 200 trees [\d.]+, this tree [\d.]+, an ordinary tree of \d+ leaves [\d.]+, "
        r"always no 0\.500",
        r"fidelity  [\d.]+% of 60 held-out rows \(95% interval [\d.]+% to [\d.]+%\), always no [\d.]+%",
        r"size      \d+ leaves, depth \d+, \d+ of 10 columns",
        r"proved    \d+ of \d+ leaves, [\d.]+% of the held-out rows",
        r"report    loans-report/report.html",
    ]
    lines = printed.out.splitlines()
    assert len(lines) == len(patterns)
    for pattern, line in zip(patterns, lines, strict=True):
        assert re.fullmatch(pattern, line), line
    assert printed.err == ""


def test_distill_writes_models_that_are_read_again(folder, loans):
    tree, ensemble = sl.read_model(folder / "model.json"), sl.read_model(folder / "ensemble.json")
    metrics = json.loads((folder / "metrics.json").read_text())
    assert tree.n_leaves == metrics["size"]["leaves"] <= 5
    assert ensemble.n_trees == 5
    assert metrics["fidelity"]["rows"] == metrics["rows"] == 60
    assert (folder / "tree.txt").read_text() == tree.to_text()


def test_same_seed_same_bytes(folder, loans, tmp_path):
    arguments = [
        "--data",
        str(loans),
        "--target",
        "default",
        "--trees",
        "5",
        "--max-leaves",
        "5",
        "--jobs",
        "1",
    ]
    assert run(["distill", *arguments, "--out", str(tmp_path), "--quiet"]) == 0
    for name in FILES - {"report.html"}:
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes(), name


def test_distill_takes_an_ensemble(folder, loans, tmp_path, capsys):
    arguments = ["--data", str(loans), "--target", "default", "--model", str(folder / "ensemble.json")]
    assert run(["distill", *arguments, "--method", "ism", "--out", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["folder"] == str(tmp_path)
    assert (tmp_path / "ensemble.json").read_bytes() == (folder / "ensemble.json").read_bytes()


def test_distill_takes_models_of_other_libraries(tmp_path, capsys):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3)).round(4)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    path, forest = tmp_path / "rows.csv", tmp_path / "forest.pkl"
    np.savetxt(path, np.column_stack([X, y]), "%.4f,%.4f,%.4f,%d", header="a,b,c,y", comments="")
    forest.write_bytes(pickle.dumps(RandomForestClassifier(5, random_state=0).fit(X, y)))
    arguments = [
        "distill",
        "-d",
        str(path),
        "-t",
        "y",
        "--model",
        str(forest),
        "--out",
        str(tmp_path / "out"),
    ]
    assert run(arguments) == BAD_INPUT
    assert "pickle" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert run([*arguments, "--allow-pickle"]) == 0
    assert "the 5 trees" in capsys.readouterr().out


NOUNS = {"graph": "graph", "rules": "rule set", "stumps": "vote", "cases": "case base"}


@pytest.mark.parametrize("shape", NOUNS)
def test_distill_to_other_shapes(folder, loans, tmp_path, capsys, shape):
    small = tmp_path / "small.json"
    table = sl.read_table(loans, "default")
    stumps = sl.C45Classifier(max_depth=1, binary_splits=True)
    sl.BaggedTreesClassifier(stumps, n_trees=3, random_state=0).fit(table.X, table.y).to_json(small)
    arguments = ["--data", str(loans), "--target", "default", "--model", str(small), "--to", shape]
    assert run(["distill", *arguments, "--out", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr().out
    assert f"this {NOUNS[shape]} " in printed
    drawings = {"graph.svg"} if shape == "graph" else set()
    expected = FILES - {"tree.txt", "tree.svg"} | {f"{shape}.txt"} | drawings
    assert {path.name for path in (tmp_path / "out").iterdir()} == expected
    again = ["--data", str(loans), "--target", "default", "--out", str(tmp_path / "again.html"), "--quiet"]
    assert run(["report", str(tmp_path / "out" / "model.json"), *again]) == 0


def test_distill_takes_a_file_of_xgboost(tmp_path, capsys):
    """Its JSON as it saves it, without names; the labels are those of the rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)).round(4)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    path, model = tmp_path / "rows.csv", tmp_path / "boosted.json"
    np.savetxt(path, np.column_stack([X, y]), "%.4f,%.4f,%.4f,%d", header="a,b,c,y", comments="")
    boosted = xgboost.XGBClassifier(n_estimators=8, max_depth=2).fit(X, y)
    boosted.save_model(model)
    arguments = ["-d", str(path), "-t", "y", "--model", str(model), "--out", str(tmp_path / "out"), "--json"]
    assert run(["distill", *arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    ensemble = sl.read_model(tmp_path / "out" / "ensemble.json")
    assert (ensemble.predict(X) == boosted.predict(X)).all()
    assert found["fidelity"]["rows"] == 50
    assert found["fidelity"]["share"] > 0.8


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_a_file_of_lightgbm_fits_rows_with_blanks_in_names_in_any_order(tmp_path, capsys):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"tail length": rng.normal(size=200).round(4), "age": rng.normal(size=200).round(4)})
    y = (X["tail length"] > X.age / 2).astype(int)
    path, model, out = tmp_path / "rows.csv", tmp_path / "boosted.txt", tmp_path / "out"
    X[["age", "tail length"]].assign(y=y).to_csv(path, index=False)
    boosted = lightgbm.LGBMClassifier(n_estimators=8, num_leaves=4, verbose=-1, n_jobs=1).fit(X, y)
    boosted.booster_.save_model(model)
    for shape in ("tree", "stumps"):
        arguments = ["-d", str(path), "-t", "y", "--model", str(model), "--out", str(out), "--to", shape]
        assert run(["distill", *arguments, "--max-stumps", "1"]) == 0
        found = sl.read_model(out / "model.json")
        assert "tail length" in found.feature_names
    certified = ["certify", str(out / "ensemble.json"), str(model), "--data", str(path)]
    assert run([*certified, "--max-seconds", "60"]) == 0
    assert run(["explain", str(model), "--data", str(path), "--row", "0"]) == 0
    assert "tail_length (yours: 0.1257)" in capsys.readouterr().out


def test_identifiers_and_unlabeled_rows_are_dropped(tmp_path, capsys):
    path = tmp_path / "rows.csv"
    lines = [f"r{row:03},{row % 7},{'yes' if row % 7 > 3 else 'no'}" for row in range(60)]
    path.write_text("\n".join(["id,x,y", *lines, "r999,1,"]) + "\n")
    assert run(["distill", "-d", str(path), "-t", "y", "-o", str(tmp_path / "out"), "--trees", "3"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[1:3] == [
        "Dropped 1 row without a label.",
        "Dropped column 'id': every row has a different value.",
    ]


def test_suspicious_columns_are_reported(tmp_path, capsys):
    path = tmp_path / "rows.csv"
    lines = [f'"{row},5",2024-03-{row % 28 + 1:02},{row},{"yes" if row > 30 else "no"}' for row in range(60)]
    path.write_text("\n".join(["price,day,x,y", *lines]) + "\n")
    assert run(["distill", "-d", str(path), "-t", "y", "-o", str(tmp_path / "out"), "--trees", "3"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[1:4] == [
        "Dates: 'day' from 2024-03-01 to 2024-03-28.",
        "Column 'price' alone determines the target in every row. If it is known only after the outcome, "
        "drop it with --drop price.",
        "Column 'x' counts the rows. If it means nothing, drop it with --drop x.",
    ]


def test_classes_of_a_model_are_named(tmp_path, capsys):
    """Models of XGBoost know 0 and 1, where the rows have words."""
    rows = [[float(row)] for row in range(60)]
    model, path = tmp_path / "model.json", tmp_path / "rows.csv"
    sl.C45Classifier().fit(rows, [int(row > 30) for row in range(60)]).to_json(model)
    path.write_text("x0,y\n" + "".join(f"{row},{'well' if row <= 30 else 'ill'}\n" for row in range(60)))
    arguments = ["distill", "-d", path, "-t", "y", "--model", model, "--out", tmp_path / "out"]
    refused(
        capsys,
        arguments,
        f"{path}: the model has no class 'ill'. Its classes are 0 and 1. "
        "Name them in this order with --classes.",
    )
    refused(
        capsys,
        [*arguments, "--classes", "well"],
        f"{model}: --classes must give 2 different names, for 0, 1 in this order. Got 'well' instead.",
    )
    refused(
        capsys,
        [*arguments, "--classes", "well,ill", "--positive", "sick"],
        f"{model}: --positive must be one of the classes 'well' and 'ill'. Got 'sick' instead.",
    )
    assert run([*map(str, arguments), "--classes", "well,ill", "--positive", "ill"]) == 0
    assert "fidelity  100.0% of 15 held-out rows" in capsys.readouterr().out
    assert sl.read_model(tmp_path / "out" / "ensemble.json").positive == "ill"
    merged = tmp_path / "merged.json"
    names = ["--classes", "well,ill"]
    assert run(["merge", str(model), "--out", str(merged), *names]) == 0
    assert sl.read_model(merged).classes_.tolist() == ["well", "ill"]


def test_class_names_in_the_wrong_order_are_suspected(tmp_path, capsys):
    rows = [[float(row)] for row in range(60)]
    model, path = tmp_path / "model.json", tmp_path / "rows.csv"
    sl.C45Classifier().fit(rows, [int(row > 30) for row in range(60)]).to_json(model)
    path.write_text("x0,y\n" + "".join(f"{row},{'well' if row <= 30 else 'ill'}\n" for row in range(60)))
    arguments = ["distill", "-d", path, "-t", "y", "--model", model, "--out", tmp_path / "out", "--classes"]
    note = (
        "note      the ensemble is less accurate than always guessing the most frequent class: "
        "its class names may be swapped (--classes well,ill would give 100.0%)"
    )
    assert run([*map(str, arguments), "ill,well"]) == 0
    assert note in capsys.readouterr().out.splitlines()
    assert run([*map(str, arguments), "well,ill"]) == 0
    assert "swapped" not in capsys.readouterr().out


def model_and_rows(folder, names, columns, cells):
    """Store a tree that learnt from the numbers of 60 rows, and write rows with other cells beside it."""
    rows = [[float(row)] * (1 if names is None else len(names)) for row in range(60)]
    answers = ["no" if row < 30 else "yes" for row in range(60)]
    model, path = folder / "model.json", folder / "rows.csv"
    X = rows if names is None else sl.Table.from_any(rows, feature_names=names)
    sl.C45Classifier().fit(X, answers).to_json(model)
    lines = [f"{cells.format(row=row)},{answer}\n" for row, answer in enumerate(answers)]
    path.write_text(f"{columns},y\n" + "".join(lines))
    return model, path


@pytest.mark.parametrize("verb", ["distill", "report", "certify", "explain"])
def test_a_column_that_the_model_needs(tmp_path, capsys, verb):
    model, path = model_and_rows(tmp_path, ["age", "size"], "age", "{row}")
    arguments = {
        "distill": ["--model", model, "-t", "y", "--out", tmp_path / "out"],
        "report": [model, "-t", "y", "--out", tmp_path / "page.html"],
        "certify": [model, model],
        "explain": [model],
    }[verb]
    refused(
        capsys,
        [verb, *arguments, "-d", path],
        f"{path}: the model needs the column 'size', which is missing.",
    )


@pytest.mark.parametrize(
    ("names", "columns", "cells", "words"),
    [
        (
            ["age", "f0", "f1"],
            "age",
            "{row}",
            "the model needs the columns 'f0' and 'f1', which are missing.",
        ),
        (
            ["age", "f0", "f1", "f2"],
            "age",
            "{row}",
            "the model needs the columns 'f0', 'f1' and 'f2', which are missing.",
        ),
        (None, "a,b", "{row},1", "the table has 2 columns besides the target, but the model needs 1."),
    ],
)
def test_columns_that_the_model_needs_are_counted(tmp_path, capsys, names, columns, cells, words):
    model, path = model_and_rows(tmp_path, names, columns, cells)
    arguments = ["report", model, "-d", path, "-t", "y", "--out", tmp_path / "page.html"]
    refused(capsys, arguments, f"{path}: {words}")


def test_columns_that_the_model_does_not_use_are_dropped(tmp_path, capsys):
    model, path = model_and_rows(tmp_path, ["age"], "id,age", "a{row},{row}")
    note = "Dropped column 'id': the model does not use it."
    common = ["-d", path, "-t", "y", "--out"]
    assert run([str(word) for word in ["report", model, *common, tmp_path / "page.html"]]) == 0
    assert capsys.readouterr().out.splitlines()[0] == note
    assert run([str(word) for word in ["distill", "--model", model, *common, tmp_path / "out"]]) == 0
    assert note in capsys.readouterr().out.splitlines()


def test_flags_are_shown_without_a_type(capsys):
    for arguments in (["--help"], ["distill", "--help"], ["certify", "--help"]):
        assert run(arguments) == 0
        printed = capsys.readouterr().out
        assert "bool" not in printed.lower()
        assert "--help" in printed


def test_certify_names_the_classes_of_a_model_that_knows_numbers(tmp_path, capsys):
    rows = [[float(row)] for row in range(60)]
    named, plain = tmp_path / "named.json", tmp_path / "plain.json"
    sl.C45Classifier().fit(rows, ["no" if row < 30 else "yes" for row in range(60)]).to_json(named)
    sl.C45Classifier().fit(rows, [int(row >= 30) for row in range(60)]).to_json(plain)
    refused(
        capsys,
        ["certify", named, plain],
        f"{plain}: its classes are 0 and 1, but those of {named} are 'no' and 'yes'. "
        "Name them in this order with --classes.",
    )
    assert run(["certify", str(named), str(plain), "--classes", "no,yes"]) == 0
    assert capsys.readouterr().out.startswith("Equivalent: proved for every row")


def test_models_of_other_libraries_are_shown_and_explained(tmp_path, capsys):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    for name in ("boosted.json", "boosted.ubj"):
        xgboost.XGBClassifier(n_estimators=3, max_depth=2).fit(X, X[:, 0] > 0).save_model(tmp_path / name)
        assert run(["show", str(tmp_path / name)]) == 0
        assert capsys.readouterr().out.startswith("Ensemble of 3 trees that predicts 0 or 1\n")
        assert run(["explain", str(tmp_path / name), "x0=1", "x1=0"]) == 0
        assert capsys.readouterr().out.startswith("Predicted 1 with probability ")


# ---------------------------------------------------------------- the other verbs


def test_report_of_a_stored_model(folder, loans, tmp_path, capsys):
    out = tmp_path / "page.html"
    arguments = [str(folder / "model.json"), "--data", str(loans), "--target", "default", "--out", str(out)]
    assert run(["report", *arguments, "--ensemble", str(folder / "ensemble.json")]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("This tree of ")
    assert printed.endswith(f"Wrote {out}.\n")
    assert out.read_text().startswith("<!doctype html>")


def test_explain_by_values_and_by_row(folder, loans, capsys):
    model = str(folder / "model.json")
    assert run(["explain", model, "amount=1500", "checking account=overdrawn"]) == 0
    assert capsys.readouterr().out.startswith("Predicted ")
    arguments = ["--data", str(loans), "--row", "3", "--ensemble", str(folder / "ensemble.json"), "--json"]
    assert run(["explain", model, *arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["row"] == sl.read_table(loans, "default").X[3]
    assert any("The ensemble" in line for line in found["explanation"])


def test_certify_answers_by_its_exit_code(folder, capsys):
    model, ensemble = str(folder / "model.json"), str(folder / "ensemble.json")
    assert run(["certify", model, model]) == 0
    assert capsys.readouterr().out.startswith("Equivalent: proved for every row, missing values included.\n")
    assert run(["certify", model, ensemble, "--no-missing"]) == 1
    assert capsys.readouterr().out.startswith("Not equivalent: the labels differ.\n")
    assert run(["certify", model, ensemble, "--no-missing", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["equivalent"] is False


def test_certify_counts_rows(folder, loans, capsys):
    model, ensemble = str(folder / "model.json"), str(folder / "ensemble.json")
    assert run(["certify", model, ensemble, "--data", str(loans)]) == 1
    assert "% of the given rows reach proved leaves." in capsys.readouterr().out


def test_merge_and_show(folder, tmp_path, capsys):
    small = tmp_path / "small.json"
    X = np.random.default_rng(0).normal(size=(80, 3))
    sl.BaggedTreesClassifier(n_trees=3, random_state=0).fit(X, X[:, 0] > 0).to_json(small)
    out = tmp_path / "merged.json"
    assert run(["merge", str(small), "--no-missing", "--to", "graph", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    lines = [
        r"Merged 3 trees into one graph of \d+ nodes\.",
        r"Proved: it gives the ensemble's label for every row without missing values\.",
        re.escape(f"Wrote {out}."),
    ]
    assert re.fullmatch("\n".join(lines) + "\n", printed)
    assert run(["certify", str(out), str(small), "--no-missing", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    drawing = tmp_path / "merged.svg"
    assert run(["show", str(out), "--svg", str(drawing)]) == 0
    assert capsys.readouterr().out == sl.read_model(out).to_text()
    assert drawing.read_text().startswith("<svg ")


def test_merge_searches_for_the_smallest_tree(tmp_path, capsys):
    small, out, rows = (str(tmp_path / name) for name in ("small.json", "merged.json", "rows.csv"))
    X = np.random.default_rng(0).normal(size=(80, 3))
    sl.BaggedTreesClassifier(n_trees=3, random_state=0).fit(X, X[:, 0] > 0).to_json(small)
    np.savetxt(rows, X, delimiter=",", header="x0,x1,x2", comments="")
    smallest = ["merge", small, "--no-missing", "--out", out, "--effort", "smallest"]
    assert run(smallest) == 0
    assert "Proved: no equal tree with these tests has fewer leaves.\n" in capsys.readouterr().out
    assert run([*smallest, "--data", rows, "--weigh", "rows", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["complete"], told["optimal"]) == (True, True)
    assert told["lower_bound"] == told["cost"]
    assert run(["certify", out, small, "--no-missing", "--quiet"]) == 0
    assert run([*smallest, "--weigh", "rows"]) == 2


def test_demo_writes_its_data_too(tmp_path, capsys):
    assert run(["demo", "--out", str(tmp_path / "demo")]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("loans (synthetic): 1,500 training rows, 500 held out; ")
    assert "One loan: age " in printed
    assert {path.name for path in (tmp_path / "demo").iterdir()} == FILES | {"loans.csv"}
    again = sl.read_table(tmp_path / "demo" / "loans.csv", "default")
    assert again.X[5] == sl.make_loans().X[5]


# ---------------------------------------------------------------- bad input


def test_missing_file(capsys, tmp_path):
    arguments = ["distill", "--data", "absent.csv", "--target", "y", "--out", tmp_path / "out"]
    refused(capsys, arguments, "absent.csv: there is no such file.")
    assert not (tmp_path / "out").exists()


def test_wrong_target(capsys, loans, tmp_path):
    refused(
        capsys,
        ["distill", "--data", loans, "--target", "nothing", "--out", tmp_path / "out"],
        f"{loans}: there is no column 'nothing'. The columns are 'age', 'income', 'years employed', "
        "'amount', 'duration', 'other loans', 'purpose', 'housing', 'checking account', 'guarantor' and 1 "
        "more.",
    )
    assert not (tmp_path / "out").exists()


def test_target_of_one_label_and_too_few_rows(capsys, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n" + "".join(f"{row},a\n" for row in range(30)))
    refused(
        capsys,
        ["distill", "--data", path, "--target", "y"],
        f"{path}: every row has the label 'a'. There is nothing to learn.",
    )
    path.write_text("x,y\n1,a\n2,b\n3,a\n")
    refused(
        capsys,
        ["distill", "--data", path, "--target", "y"],
        f"{path}: 3 rows are too few. At least 20 are needed.",
    )


def test_unknown_options_and_values(capsys, loans):
    assert run(["distill", "--data", str(loans), "--target", "default", "--method", "magic"]) == BAD_INPUT
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("sightline: Invalid value for '--method': ")
    assert "'magic' is not one of 'distilled', 'ism'" in line
    assert line.endswith(" See sightline distill --help.")
    refused(
        capsys,
        ["distill", "--data", loans, "--target", "default", "--to", "graph", "--method", "ism"],
        "--method ism does not work with --to graph. Choose from: merged.",
    )
    refused(
        capsys, ["distill", "--target", "y"], "Missing option '--data' / '-d'. See sightline distill --help."
    )
    refused(capsys, ["fly"], "No such command 'fly'. See sightline --help.")
    refused(
        capsys,
        ["distill", "--data", loans, "--target", "default", "--test-share", "2"],
        "--test-share must lie between 0 and 1. Got 2.0 instead.",
    )


def test_unwritable_folder(capsys, loans, tmp_path):
    (tmp_path / "file").write_text("")
    out = tmp_path / "file" / "out"
    refused(
        capsys,
        ["distill", "--data", loans, "--target", "default", "--out", out],
        f"{out}: {tmp_path / 'file'} is a file, not a folder. Choose another --out.",
    )
    page = tmp_path / "absent" / "page.html"
    refused(
        capsys,
        ["report", "model.json", "--data", loans, "--target", "default", "--out", page],
        f"{page}: the folder {tmp_path / 'absent'} does not exist. Create it first.",
    )
    refused(
        capsys,
        ["show", "model.json", "--svg", tmp_path],
        f"{tmp_path}: this is a folder, not a file. Choose another name.",
    )
    if os.geteuid() == 0:
        return
    (tmp_path / "locked").mkdir(mode=0o500)
    refused(
        capsys,
        ["demo", "--out", tmp_path / "locked" / "out"],
        f"{tmp_path / 'locked' / 'out'}: no permission to write to {tmp_path / 'locked'}. "
        "Choose another --out.",
    )


def test_rows_to_explain_are_checked(capsys, folder, loans):
    model = folder / "model.json"
    refused(
        capsys, ["explain", model], "Give the row either as name=value arguments or with --data and --row."
    )
    refused(capsys, ["explain", model, "age"], "'age' is not of the form name=value.")
    advice = "Column 'age' is numeric. Write a number such as 1234.5. Got '1.500,50' instead."
    refused(capsys, ["explain", model, "age=1.500,50"], advice)
    refused(
        capsys,
        ["explain", model, "wealth=1"],
        "The model has no column 'wealth'. Its columns are 'age', 'income', 'years employed', 'amount', "
        "'duration', 'other loans', 'purpose', 'housing', 'checking account' and 'guarantor'.",
    )
    refused(
        capsys,
        ["explain", model, "--data", loans, "--row", "240"],
        f"{loans}: there is no row 240. The last row is 239.",
    )


# ---------------------------------------------------------------- the command as a whole


def test_every_verb_has_help_with_examples(capsys):
    verbs = [command.callback.__name__ for command in app.registered_commands]
    assert len(verbs) == 10
    assert verbs[:7] == ["demo", "distill", "report", "explain", "certify", "merge", "show"]
    for verb in verbs:
        assert run([verb, "--help"]) == 0
        printed = capsys.readouterr().out
        assert "For example:" in printed
        assert f"sightline {verb}" in printed


def test_names_cannot_control_the_terminal(capsys, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("\x1b[31mred,y\n" + "".join(f"{row},{'ab'[row > 20]}\n" for row in range(40)))
    assert run(["distill", "-d", str(path), "-t", "y", "--out", str(tmp_path / "out"), "--trees", "2"]) == 0
    assert run(["show", str(tmp_path / "out" / "model.json")]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_module_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "sightline", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"sightline {sl.__version__}\n"


def test_a_closed_pipe_exits_with_its_own_code(tmp_path):
    random = np.random.RandomState(0)
    path = tmp_path / "tree.json"
    path.write_text(
        sl.C45Classifier(prune=False).fit(random.rand(200, 3), random.randint(2, size=200)).to_json()
    )
    command = [sys.executable, "-m", "sightline", "show", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=30) == 141


def test_interrupted_within_a_second_and_nothing_is_written(tmp_path):
    """While the ensemble of a long job is learnt."""
    path = tmp_path / "rows.csv"
    rng = np.random.default_rng(0)
    cells = np.column_stack([rng.normal(size=(20_000, 10)).round(6), rng.integers(0, 4, 20_000)])
    header = ",".join([*(f"x{index}" for index in range(10)), "y"])
    np.savetxt(path, cells, delimiter=",", header=header, comments="", fmt=["%.6f"] * 10 + ["%d"])
    program = "from sightline.cli import main; print('ready', flush=True); main()"
    command = [sys.executable, "-c", program, "distill", "-d", str(path), "-t", "y", "--trees", "2000"]
    command += ["--out", str(tmp_path / "out")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(2)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    sent = time.perf_counter()
    _, printed = process.communicate(timeout=30)
    assert process.returncode == 130
    # A second; twice that where other work keeps the machine busy.
    assert time.perf_counter() - sent < 2.0
    assert printed == "sightline: interrupted\n"
    assert not (tmp_path / "out").exists()


def test_a_column_that_a_pipeline_ignores_may_be_absent(tmp_path, capsys):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 3)).round(3), columns=["a", "b", "c"])
    y = np.where(X["a"] > X["b"], "yes", "no")
    forest = RandomForestClassifier(3, max_depth=3, random_state=0)
    pipeline = make_pipeline(make_column_transformer(("passthrough", ["a", "b"])), forest).fit(X, y)
    model, rows, out = tmp_path / "pipeline.pkl", tmp_path / "rows.csv", tmp_path / "out"
    model.write_bytes(pickle.dumps(pipeline))
    X[["a", "b"]].assign(y=y).to_csv(rows, index=False)
    arguments = ["--data", str(rows), "--target", "y", "--model", str(model), "--allow-pickle"]
    assert run(["distill", *arguments, "--out", str(out)]) == 0
    assert "a " in (out / "tree.txt").read_text()
    arguments = ["--data", str(rows), "--ensemble", str(model), "--allow-pickle", "--row", "1"]
    assert run(["explain", str(out / "model.json"), *arguments]) == 0
    capsys.readouterr()


@pytest.mark.parametrize("verb", ["show", "explain", "merge", "certify", "report", "distill"])
def test_every_verb_opens_pickles_with_permission(verb, folder, loans, tmp_path, capsys):
    table = sl.read_table(loans, "default")
    forest = RandomForestClassifier(1, max_depth=2, random_state=0)
    rows = np.column_stack([c.values for c in table.columns if not c.feature.is_nominal])
    names = [c.name for c in table.columns if not c.feature.is_nominal]
    forest.fit(pd.DataFrame(rows, columns=names).fillna(0), table.y.classes_[table.y.codes])
    path = tmp_path / "forest.pkl"
    path.write_bytes(pickle.dumps(forest))
    labeled = ["--data", str(loans), "--target", "default"]
    arguments = {
        "show": [str(path)],
        "explain": [str(path), f"{names[0]}=1"],
        "merge": [str(path), "--out", str(tmp_path / "merged.json")],
        "certify": [str(path), str(path)],
        "report": [
            str(folder / "model.json"),
            *labeled,
            "--ensemble",
            str(path),
            "--out",
            str(tmp_path / "r"),
        ],
        "distill": [*labeled, "--model", str(path), "--out", str(tmp_path / "out")],
    }[verb]
    assert run([verb, *arguments]) == BAD_INPUT
    assert "--allow-pickle" in capsys.readouterr().err
    run([verb, *arguments, "--allow-pickle"])
    found = capsys.readouterr().err
    assert f"Warning: --allow-pickle runs any code in {path}. Use it only for files that you trust." in found
    assert "model.json. Use it only" not in found
    assert "No such option" not in found
    assert "is a pickle" not in found


def test_out_keeps_files_that_sightline_did_not_write(loans, tmp_path, capsys):
    (tmp_path / "metrics.json").write_text("mine")
    arguments = [
        "distill",
        "--data",
        str(loans),
        "--target",
        "default",
        "--trees",
        "3",
        "--out",
        str(tmp_path),
    ]
    assert run([*arguments, "--quiet"]) == 2
    assert capsys.readouterr().err == (
        f"sightline: {tmp_path}: metrics.json exists already, and sightline did not write this folder. "
        "Choose another --out, or replace it with --force.\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["metrics.json"]
    assert run([*arguments, "--quiet", "--force"]) == 0
    # Now it is a folder of the command, which replaces it without being asked.
    assert run([*arguments, "--quiet", "--rows", "ids"]) == 0
    assert "This page names" in (tmp_path / "report.html").read_text()
    # But not a file in it that it has never written.
    capsys.readouterr()
    (tmp_path / "stumps.txt").write_text("mine")
    assert run([*arguments, "--quiet", "--to", "stumps"]) == 2
    assert (
        f"{tmp_path}: stumps.txt exists already, and sightline did not write it." in capsys.readouterr().err
    )
    assert (tmp_path / "stumps.txt").read_text() == "mine"


def test_pages_replace_only_pages(folder, loans, tmp_path, capsys):
    page = tmp_path / "page.html"
    page.write_text("<!doctype html><p>mine")
    data = ["--data", str(loans), "--target", "default", "--out", str(page), "--quiet"]
    report = ["report", str(folder / "model.json"), *data]
    for arguments in (report, ["compare", *data]):
        assert run(arguments) == 2
        assert capsys.readouterr().err == (
            f"sightline: {page}: this file exists already, and sightline did not write it. "
            "Choose another --out, or replace it with --force.\n"
        )
    assert run([*report, "--force"]) == run(report) == 0
    assert "mine" not in page.read_text()


def test_page_of_the_command_names_its_files_and_carries_rows_only_when_asked(folder, loans, tmp_path):
    page = (folder / "report.html").read_text()
    assert '"cells":null' in page
    assert hashlib.sha256(loans.read_bytes()).hexdigest() in page
    assert hashlib.sha256((folder / "model.json").read_bytes()).hexdigest() in page
    out = tmp_path / "with.html"
    arguments = ["--data", str(loans), "--target", "default", "--out", str(out), "--quiet"]
    assert run(["report", str(folder / "model.json"), *arguments, "--rows", "7"]) == 0
    assert "This page contains 7 rows of the data" in out.read_text()


def test_unknown_rows_are_refused(folder, loans, tmp_path, capsys):
    arguments = ["--data", str(loans), "--target", "default", "--out", str(tmp_path / "page.html")]
    assert run(["report", str(folder / "model.json"), *arguments, "--rows", "some"]) == 2
    assert "--rows must be none, sample, ids or a number of rows. Got 'some'." in capsys.readouterr().err
