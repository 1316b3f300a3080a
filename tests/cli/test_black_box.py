"""The command takes pickled classifiers that have no trees."""

import json
import pickle

import pandas as pd
import pytest
from cases import thorough_after
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

import sightline as sl
from sightline.cli._app import run
from sightline.cli._demo import _csv


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "loans.csv"
    path.write_text(_csv(sl.make_loans(240)))
    return path


@pytest.fixture(scope="module")
def rows(data):
    frame = pd.read_csv(data)
    return frame.drop(columns="default"), frame["default"]


def network(rows, y):
    """A pipeline as people fit it: to the frame that pandas reads, by the types of its columns."""
    is_number = make_column_selector(dtype_include="number")
    is_text = make_column_selector(dtype_exclude="number")
    encode = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), is_number),
        (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()), is_text),
    )
    return make_pipeline(encode, SVC()).fit(rows, y)


def stored(folder, model):
    path = folder / "model.pkl"
    path.write_bytes(pickle.dumps(model))
    return path


def test_distill_asks_a_pickled_model_and_does_not_store_it(data, rows, tmp_path, capsys):
    model = network(*rows)
    arguments = ["--data", str(data), "--target", "default", "--out", str(tmp_path / "out")]
    arguments += ["--model", str(stored(tmp_path, model)), "--allow-pickle"]
    assert run(["distill", *arguments]) == 0
    printed = capsys.readouterr()
    assert printed.err.startswith("Warning: --allow-pickle runs any code")
    assert "accuracy  the black box (Pipeline ending in SVC) " in printed.out
    assert "proved" not in printed.out
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"report.html", "model.json", "tree.txt", "tree.svg", "metrics.json", "held_out.csv"}
    metrics = json.loads((tmp_path / "out" / "metrics.json").read_text())
    assert metrics["black_box"] == "Pipeline ending in SVC"
    # Measured on the same rows as those that the model gets from pandas.
    tree = sl.read_model(tmp_path / "out" / "model.json")
    agreement = (tree.predict(rows[0]) == model.predict(rows[0])).mean()
    assert agreement == pytest.approx(metrics["fidelity"]["share"], abs=0.1)


@pytest.mark.parametrize("shape", thorough_after(1, ["rules", "stumps", "cases"]))
def test_every_shape_but_exact_ones_takes_a_black_box(data, rows, tmp_path, capsys, shape):
    arguments = ["--data", str(data), "--target", "default", "--out", str(tmp_path / "out"), "--json"]
    arguments += ["--model", str(stored(tmp_path, network(*rows))), "--allow-pickle", "--to", shape]
    assert run(["distill", *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["fidelity"]["share"] > 0.6


@pytest.mark.parametrize("method", ["merged", "ism"])
def test_methods_that_need_trees_say_so(data, rows, tmp_path, capsys, method):
    arguments = ["--data", str(data), "--target", "default", "--out", str(tmp_path / "out")]
    arguments += ["--model", str(stored(tmp_path, network(*rows))), "--allow-pickle", "--method", method]
    assert run(["distill", *arguments]) == 2
    assert "trees" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.thorough
def test_classes_of_a_black_box_are_named(data, rows, tmp_path, capsys):
    X, y = rows
    names = sorted(y.unique())
    codes = y.map({name: code for code, name in enumerate(names)})
    arguments = ["--data", str(data), "--target", "default", "--out", str(tmp_path / "out")]
    arguments += ["--model", str(stored(tmp_path, network(X, codes))), "--allow-pickle"]
    assert run(["distill", *arguments]) == 2
    assert "Rename them with --classes, in this order." in capsys.readouterr().err
    assert run(["distill", *arguments, "--classes", ",".join(map(str, names)), "--quiet"]) == 0


def test_report_measures_a_stored_tree_against_a_pickled_model(data, rows, tmp_path, capsys):
    model = network(*rows)
    tree = sl.DistilledTreeClassifier(model, max_leaves=4, augment=500, random_state=0).fit(*rows)
    tree.to_json(tmp_path / "tree.json")
    arguments = [str(tmp_path / "tree.json"), "--data", str(data), "--target", "default"]
    arguments += ["--ensemble", str(stored(tmp_path, model)), "--out", str(tmp_path / "page.html")]
    assert run(["report", *arguments]) == 2
    assert "--allow-pickle" in capsys.readouterr().err
    assert run(["report", *arguments, "--allow-pickle"]) == 0
    assert "the same label as the black box (Pipeline ending in SVC)" in capsys.readouterr().out


def test_regressors_need_numbers(data, rows, tmp_path, capsys):
    X = rows[0].select_dtypes("number").fillna(0)
    arguments = ["--data", str(data), "--target", "default", "--out", str(tmp_path / "out")]
    arguments += ["--model", str(stored(tmp_path, SVR().fit(X, X.iloc[:, 0]))), "--allow-pickle"]
    assert run(["distill", *arguments]) == 2
    assert "the target 'default' holds text such as 'no', not numbers." in capsys.readouterr().err


def test_explain_asks_a_pickled_model_for_its_opinion(data, rows, tmp_path, capsys):
    model = network(*rows)
    tree = sl.DistilledTreeClassifier(model, max_leaves=4, augment=500, random_state=0).fit(*rows)
    tree.to_json(tmp_path / "tree.json")
    arguments = [str(tmp_path / "tree.json"), "--data", str(data), "--row", "3"]
    arguments += ["--ensemble", str(stored(tmp_path, model)), "--allow-pickle"]
    assert run(["explain", *arguments]) == 0
    assert f"agrees: it predicts {model.predict(rows[0][3:4])[0]}" in capsys.readouterr().out
