"""Models of other libraries, with rows whose columns may not be theirs."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
import xgboost
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline

import sightline as sl
from sightline.cli._app import BAD_INPUT, run


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
def test_a_column_that_the_model_needs(refused, tmp_path, verb):
    model, path = model_and_rows(tmp_path, ["age", "size"], "age", "{row}")
    arguments = {
        "distill": ["--model", model, "-t", "y", "--out", tmp_path / "out"],
        "report": [model, "-t", "y", "--out", tmp_path / "page.html"],
        "certify": [model, model],
        "explain": [model],
    }[verb]
    refused(
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
        (
            None,
            "a,b",
            "{row},1",
            "the table has 2 columns besides the target, but the model needs 1. It does not store their "
            "names, so the file must hold exactly these columns, in the order of training.",
        ),
    ],
)
def test_columns_that_the_model_needs_are_counted(refused, tmp_path, names, columns, cells, words):
    model, path = model_and_rows(tmp_path, names, columns, cells)
    arguments = ["report", model, "-d", path, "-t", "y", "--out", tmp_path / "page.html"]
    refused(arguments, f"{path}: {words}")


def test_columns_that_the_model_does_not_use_are_dropped(tmp_path, capsys):
    model, path = model_and_rows(tmp_path, ["age"], "id,age", "a{row},{row}")
    note = "Dropped column 'id': the model does not use it."
    common = ["-d", path, "-t", "y", "--out"]
    assert run([str(word) for word in ["report", model, *common, tmp_path / "page.html"]]) == 0
    assert capsys.readouterr().out.splitlines()[0] == note
    assert run([str(word) for word in ["distill", "--model", model, *common, tmp_path / "out"]]) == 0
    assert note in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("verb", ["distill", "report", "certify", "explain", "merge"])
def test_columns_that_are_taken_by_position_are_named(tmp_path, capsys, verb):
    rows = [[float(row), float(-row)] for row in range(60)]
    model, path = tmp_path / "model.json", tmp_path / "rows.csv"
    answers = ["no" if row < 30 else "yes" for row in range(60)]
    sl.BaggedTreesClassifier(n_trees=2, random_state=0).fit(rows, answers).to_json(model)
    if verb == "report":
        sl.C45Classifier().fit(rows, answers).to_json(model)
    frame = pd.DataFrame(rows, columns=["size", "age"])
    is_measured = verb in ("distill", "report")
    (frame.assign(y=answers) if is_measured else frame).to_csv(path, index=False)
    arguments = {
        "distill": ["--model", model, "-t", "y", "--out", tmp_path / "out"],
        "report": [model, "-t", "y", "--out", tmp_path / "page.html"],
        "certify": [model, model],
        "explain": [model, "--row", "0"],
        "merge": [model, "--out", tmp_path / "merged.json"],
    }[verb]
    assert run([str(word) for word in [verb, *arguments, "-d", path]]) == 0
    note = (
        "The model does not store column names, so the columns of the file are taken in their order: "
        "'size' and 'age'. If the training rows had another order, the predictions are wrong."
    )
    assert note in "".join(capsys.readouterr()).splitlines()


def test_flags_are_shown_without_a_type(capsys):
    for arguments in (["--help"], ["distill", "--help"], ["certify", "--help"]):
        assert run(arguments) == 0
        printed = capsys.readouterr().out
        assert "bool" not in printed.lower()
        assert "--help" in printed


def test_certify_names_the_classes_of_a_model_that_knows_numbers(refused, tmp_path, capsys):
    rows = [[float(row)] for row in range(60)]
    named, plain = tmp_path / "named.json", tmp_path / "plain.json"
    sl.C45Classifier().fit(rows, ["no" if row < 30 else "yes" for row in range(60)]).to_json(named)
    sl.C45Classifier().fit(rows, [int(row >= 30) for row in range(60)]).to_json(plain)
    refused(
        ["certify", named, plain],
        f"{plain}: its classes are 0 and 1, but the classes of {named} are 'no' and 'yes'. "
        "Rename them with --classes, in this order.",
    )
    assert run(["certify", str(named), str(plain), "--classes", "no,yes"]) == 0
    assert capsys.readouterr().out.startswith("Equivalent: proved for every row")


@pytest.mark.parametrize("verb", ["report", "explain"])
def test_an_ensemble_without_a_class_of_the_model_is_refused(refused, tmp_path, capsys, verb):
    model, path = model_and_rows(tmp_path, ["age"], "age", "{row}")
    plain = tmp_path / "plain.json"
    X = sl.Table.from_any([[float(row)] for row in range(60)], feature_names=["age"])
    sl.C45Classifier().fit(X, [int(row >= 30) for row in range(60)]).to_json(plain)
    more = {"report": ["-t", "y", "--out", tmp_path / "page.html"], "explain": ["--row", "0"]}[verb]
    arguments = [verb, model, "--ensemble", plain, "-d", path, *more]
    refused(
        arguments,
        f"{plain}: its classes are 0 and 1, but the classes of {model} are 'no' and 'yes'. "
        "Rename them with --classes, in this order.",
    )
    assert run([str(word) for word in [*arguments, "--classes", "no,yes"]]) == 0
    capsys.readouterr()


def test_models_of_other_libraries_are_shown_and_explained(tmp_path, capsys):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    for name in ("boosted.json", "boosted.ubj"):
        xgboost.XGBClassifier(n_estimators=3, max_depth=2).fit(X, X[:, 0] > 0).save_model(tmp_path / name)
        assert run(["show", str(tmp_path / name)]) == 0
        assert capsys.readouterr().out.startswith("Ensemble of 3 trees that predicts 0 or 1\n")
        assert run(["explain", str(tmp_path / name), "x0=1", "x1=0"]) == 0
        assert capsys.readouterr().out.startswith("Predicted 1 with probability ")


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


class TestColumnsThatAPipelineIgnores:
    """They name the rows and hold dates, as extracts of a database do."""

    @pytest.fixture(scope="class")
    @classmethod
    def extract(cls, tmp_path_factory):
        folder = tmp_path_factory.mktemp("extract")
        numbers = np.random.default_rng(0).integers(0, 50, (120, 2)).astype(float)
        X = pd.DataFrame(
            {
                "loan": [f"L{n:04}" for n in range(120)],
                "opened": [str(day.date()) for day in pd.date_range("2024-01-01", periods=120)],
                **dict(zip(["debt", "age"], numbers.T, strict=True)),
            }
        )
        y = np.where(X["debt"] > X["age"], "yes", "no")
        forest = RandomForestClassifier(3, max_depth=3, random_state=0)
        pipeline = make_pipeline(make_column_transformer(("passthrough", ["debt", "age"])), forest).fit(X, y)
        (folder / "pipeline.pkl").write_bytes(pickle.dumps(pipeline))
        X.assign(y=y).to_csv(folder / "rows.csv", index=False)
        given = ["-d", str(folder / "rows.csv"), "-t", "y", "-m", str(folder / "pipeline.pkl")]
        out = str(folder / "out")
        assert run(["distill", *given, "--allow-pickle", "--max-leaves", "3", "--quiet", "--out", out]) == 0
        return folder

    def test_are_dropped_and_name_the_rows(self, extract, tmp_path, capsys):
        given = ["-d", str(extract / "rows.csv"), "-t", "y", "-m", str(extract / "pipeline.pkl")]
        assert run(["distill", *given, "--allow-pickle", "--out", str(tmp_path / "out")]) == 0
        printed = capsys.readouterr().out
        assert "2 numeric and 0 nominal columns" in printed
        assert "Dropped column 'loan': the model does not use it." in printed
        assert "holds dates, read as" not in printed
        assert "2 of 2 columns" in printed
        assert (tmp_path / "out" / "held_out.csv").read_text().startswith("row,loan\n")
        assert "tests 2 of 2 features" in (tmp_path / "out" / "tree.txt").read_text()

    def test_are_not_missing_cells_of_the_card(self, extract):
        page = (extract / "out" / "report.html").read_text()
        assert '["Columns","2 numeric, 0 nominal"],["Missing cells","0 of 60"]' in page
        assert '["Rows covered","those without missing values"]' in page

    @pytest.mark.parametrize("naming", [[], ["--id", "loan"]])
    def test_need_not_be_in_the_row_that_changes(self, extract, naming, capsys):
        arguments = ["-d", str(extract / "rows.csv"), "--row", "7", "--what-if", "--fixed", "age", *naming]
        assert run(["explain", str(extract / "out" / "model.json"), *arguments]) == 0
        assert "1. Change debt from" in " ".join(capsys.readouterr().out.split())

    def test_do_not_keep_rows_from_a_proof(self, extract, capsys):
        models = [str(extract / "out" / "model.json"), str(extract / "out" / "model.json")]
        assert run(["certify", *models, "-d", str(extract / "rows.csv"), "--no-missing", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["proved_share"] == 1.0
        models[1] = str(extract / "out" / "ensemble.json")
        assert run(["certify", *models, "-d", str(extract / "rows.csv"), "--no-missing"]) == 1
        printed = capsys.readouterr().out
        assert "Row: debt = " in printed
        assert "loan" not in printed


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


def test_advice_for_python_says_how_to_come_back(refused, tmp_path):
    cells = np.arange(60) % 2
    frame = pd.DataFrame({"city": pd.Categorical(np.array(["Köln", "Rom"])[cells])})
    path = tmp_path / "model.json"
    xgboost.XGBClassifier(n_estimators=1, enable_categorical=True, n_jobs=1).fit(frame, cells).save_model(
        path
    )
    # As the last version does that stores them wrongly.
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": [3, 2, 0]}))
    refused(
        ["show", path],
        f"{path}: the 2 categories of 'city' are not all ASCII, and XGBoost up to version 3.2 stores those "
        "wrongly. Pass them in the order of the training frame: sl.load(model, categories={'city': [...]}). "
        "Do this in Python and save the result with to_json(); this command reads that file.",
    )
