"""``sightline distill``: what it takes, prints and writes."""

import json
import os
import pickle
import re

import lightgbm
import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from sightline.cli._app import BAD_INPUT, run

FILES = {"report.html", "model.json", "ensemble.json", "tree.txt", "tree.svg", "metrics.json", "held_out.csv"}


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


@pytest.mark.usefixtures("all_sizes")
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


def test_stumps_say_which_large_categories_they_leave_out_or_branch_at(tmp_path, capfd):
    rng = np.random.default_rng(0)
    path, out = tmp_path / "rows.csv", str(tmp_path / "out")
    for helps, start in (
        (False, "The stumps do not test 'code'"),
        (True, "The stumps test 'code', with a branch"),
    ):
        code, age = np.arange(4000) % 105, rng.uniform(18, 90, size=4000)
        y = np.where(code % 3 == 0 if helps else age + rng.normal(size=4000) > 60, "yes", "no")
        X = pd.DataFrame({"code": [f"c{one}" for one in code], "age": age})
        X.assign(y=y).to_csv(path, index=False)
        assert run(["distill", "-d", str(path), "-t", "y", "--to", "stumps", "--out", out]) == 0
        printed = capfd.readouterr()
        assert f"note      {start}" in printed.out
        assert "DataWarning" not in printed.err
        assert start in (tmp_path / "out" / "stumps.txt").read_text()


def test_the_rows_show_which_columns_of_a_lightgbm_file_have_categories(tmp_path, capsys):
    rng = np.random.default_rng(0)
    sex, flag = rng.choice(["female", "male"], 200), rng.integers(0, 2, 200)
    X = pd.DataFrame({"sex": pd.Categorical(sex), "flag": flag})
    path, model = tmp_path / "rows.csv", tmp_path / "boosted.txt"
    y = (X.sex == "male").astype(int) ^ flag
    X.assign(y=y).to_csv(path, index=False)
    boosted = lightgbm.LGBMClassifier(n_estimators=8, verbose=-1, n_jobs=1, min_data_per_group=5)
    boosted.fit(X, y).booster_.save_model(model)
    out, merged, page = tmp_path / "out", tmp_path / "merged.json", tmp_path / "page.html"
    assert run(["distill", "-d", str(path), "-t", "y", "--model", str(model), "--out", str(out)]) == 0
    assert (sl.read_model(out / "ensemble.json").predict(X) == boosted.predict(X)).all()
    for arguments in (
        ["merge", str(model), "--data", str(path), "--out", str(merged)],
        ["certify", str(merged), str(model), "--data", str(path)],
        ["explain", str(model), "--data", str(path)],
        ["report", str(merged), "--ensemble", str(model), "-d", str(path), "-t", "y", "--out", str(page)],
    ):
        assert run(arguments) == 0
    assert run(["show", str(model)]) == 2
    assert "'female' and 'male' fit the columns 'sex' and 'flag'" in " ".join(capsys.readouterr().err.split())


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
        "Column 'x' only numbers the rows. If that carries no information, drop it with --drop x.",
    ]


def test_classes_of_a_model_are_named(refused, tmp_path, capsys):
    """Models of XGBoost know 0 and 1, where the rows have words."""
    rows = [[float(row)] for row in range(60)]
    model, path = tmp_path / "model.json", tmp_path / "rows.csv"
    sl.C45Classifier().fit(rows, [int(row > 30) for row in range(60)]).to_json(model)
    path.write_text("x0,y\n" + "".join(f"{row},{'well' if row <= 30 else 'ill'}\n" for row in range(60)))
    arguments = ["distill", "-d", path, "-t", "y", "--model", model, "--out", tmp_path / "out"]
    refused(
        arguments,
        f"{path}: the model has no class 'ill'. Its classes are 0 and 1. "
        "Rename them with --classes, in this order.",
    )
    refused(
        [*arguments, "--classes", "well"],
        f"{model}: --classes must give 2 different names, for 0, 1 in this order. Got 'well' instead.",
    )
    refused(
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


@pytest.mark.parametrize(("shape", "noun"), [("tree", "tree"), ("rules", "rule set")])
def test_labels_that_are_all_equal_are_not_called_faithful(tmp_path, capsys, shape, noun):
    """With 1% positives, a model that never finds one was faithful, and proved on every covered row."""
    cells = np.random.default_rng(1).random((1200, 2))
    if shape == "tree":
        cells[::97, 0] = 0.8 + cells[::97, 0] / 5
    rows = [f"{x:.3f},{z:.3f},{'N' if i % 97 else 'Y'}" for i, (x, z) in enumerate(cells)]
    (tmp_path / "rows.csv").write_text("\n".join(["x,z,defaulted", *rows]))
    arguments = ["--data", str(tmp_path / "rows.csv"), "--target", "defaulted", "--to", shape]
    assert run(["distill", *arguments, "--trees", "20", "--out", str(tmp_path / "out")]) == 0
    lines = [re.split(r"(?<=\S)\s+", line, maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    first, *others = lines[1:]
    assert first[0] == "warning"
    assert first[1].startswith(
        f"Neither the 20 trees nor this {noun} predicts defaulted = Y for any of the 300 rows, "
        "so their labels say nothing. Distill again with a threshold (--threshold 0.0"
    )
    assert first[1].endswith("), or with costs (--cost).")
    found = dict(one for one in others if len(one) == 2)
    if shape == "rules":
        assert found["size"].startswith("1 rule, 0 conditions, ")
    assert found["fidelity"] == "both predict N for all 300 held-out rows"
    assert found["proved"] == "equal to the ensemble on every possible row without missing values"


def test_rules_that_differ_somewhere_do_not_seem_to_differ_everywhere(tmp_path, capsys):
    cells = np.random.default_rng(0).random((300, 2))
    rows = [f"{x:.3f},{z:.3f},{'Y' if x + z > 1 else 'N'}" for x, z in cells]
    (tmp_path / "rows.csv").write_text("\n".join(["x,z,label", *rows]))
    arguments = ["--data", str(tmp_path / "rows.csv"), "--to", "rules", "--max-rules", "2", "--trees", "5"]
    assert run(["distill", *arguments, "-t", "label", "--out", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^proved +not equal to the ensemble on some possible row$", out, re.MULTILINE)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "On some possible row, it gives another label." in page


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


def test_unwritable_folder(refused, loans, tmp_path):
    (tmp_path / "file").write_text("")
    out = tmp_path / "file" / "out"
    refused(
        ["distill", "--data", loans, "--target", "default", "--out", out],
        f"{out}: {tmp_path / 'file'} is a file, not a folder. Choose another --out.",
    )
    page = tmp_path / "absent" / "page.html"
    refused(
        ["report", "model.json", "--data", loans, "--target", "default", "--out", page],
        f"{page}: the folder {tmp_path / 'absent'} does not exist. Create it first.",
    )
    refused(
        ["show", "model.json", "--svg", tmp_path],
        f"{tmp_path}: this is a folder, not a file. Choose another name.",
    )
    if os.name != "posix" or os.geteuid() == 0:  # who may write everywhere
        return
    (tmp_path / "locked").mkdir(mode=0o500)
    refused(
        ["demo", "--out", tmp_path / "locked" / "out"],
        f"{tmp_path / 'locked' / 'out'}: no permission to write to {tmp_path / 'locked'}. "
        "Choose another --out.",
    )
