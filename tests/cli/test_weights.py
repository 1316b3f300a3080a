"""A column with the weights of the rows: ``--weight``."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import sightline as sl
from sightline.cli._app import BAD_INPUT, run

N_ROWS = 240
RNG = np.random.default_rng(0)
POLICIES = pd.DataFrame(
    {
        "start": pd.date_range("2019-01-01", periods=N_ROWS).strftime("%Y-%m-%d"),
        "age": RNG.integers(18, 80, N_ROWS),
        "power": RNG.integers(3, 12, N_ROWS),
        "region": RNG.choice(["north", "south"], N_ROWS),
        "exposure": RNG.uniform(0.02, 1, N_ROWS).round(3),
    }
)
POLICIES["claim"] = np.where(POLICIES.age + 4 * POLICIES.power > 78, "yes", "no")
POLICIES["cost"] = POLICIES.age * POLICIES.power + RNG.normal(0, 9, N_ROWS).round(2)
SMALL = ["--trees", "3", "--max-leaves", "4", "--jobs", "1"]


@pytest.fixture
def policies(tmp_path):
    path = tmp_path / "policies.csv"
    POLICIES.to_csv(path, index=False)
    return path


def distill(path, *options):
    return run(["distill", "-d", str(path), *options, "-o", str(path.parent / "out"), *SMALL])


def leaves_of(path, target, *options):
    """Return the weights of the leaves of a tree of up to 40 leaves that was learned from power and age."""
    out = path.parent / "many"
    used = ["--trees", "3", "--jobs", "1", "--max-leaves", "40", "--drop", "start", "--drop", "region"]
    other = "claim" if target == "cost" else "cost"
    arguments = ["-d", str(path), "-t", target, "--drop", other, "-o", str(out), *used, *options]
    assert run(["distill", *arguments]) == 0
    core = sl.read_model(out / "model.json").core
    return core.weight[core.test == 0]


@pytest.mark.parametrize("target", ["claim", "cost"])
def test_a_leaf_has_five_training_rows_by_default(policies, target):
    least = leaves_of(policies, target, "--drop", "exposure").min()
    assert least >= 5
    assert target == "claim" or leaves_of(policies, target, "--drop", "exposure", "--min-leaf", "1").min() < 5


@pytest.mark.parametrize("target", ["claim", "cost"])
def test_a_leaf_has_five_rows_of_average_weight_by_default(policies, target):
    scaled = POLICIES.assign(exposure=POLICIES.exposure / 20)
    scaled.to_csv(policies, index=False)
    weights = leaves_of(policies, target, "--weight", "exposure")
    assert weights.sum() < 5
    assert len(weights) > 2
    assert weights.min() >= 5 / 180 * weights.sum() * 0.999


@pytest.mark.parametrize(("target", "other"), [("claim", "cost"), ("cost", "claim")])
def test_weights_are_no_feature_and_weigh_training_and_measures(policies, capsys, target, other):
    assert distill(policies, "-t", target, "--drop", other, "--drop", "start", "--weight", "exposure") == 0
    out = capsys.readouterr().out
    assert "180 training rows, 60 held out, weighted by exposure; " in out
    assert "Dropped column 'exposure'" not in out
    model = sl.read_model(policies.parent / "out" / "model.json")
    assert "exposure" not in model.feature_names
    metrics = json.loads((policies.parent / "out" / "metrics.json").read_text())
    held_out = POLICIES.iloc[pd.read_csv(policies.parent / "out" / "held_out.csv")["row"]]
    trained = POLICIES.exposure.sum() - held_out.exposure.sum()
    assert f"Training rows are weighted by exposure (total {trained:.6g})." in " ".join(metrics["remarks"])
    ensemble = sl.read_model(policies.parent / "out" / "ensemble.json")
    rows = held_out[model.feature_names]
    found = sl.measure(model, rows, held_out[target], ensemble, sample_weight=held_out.exposure)
    assert metrics["fidelity"] == found.fidelity.to_json()
    assert metrics["weights"] == found.to_dict()["weights"]
    assert metrics["weights"]["name"] == "exposure"
    assert "weighted by exposure" in (policies.parent / "out" / "report.html").read_text()


def test_report_weighs_its_rows(policies, capsys):
    assert (
        distill(policies, "-t", "claim", "--drop", "cost", "--drop", "start", "--weight", "exposure", "-q")
        == 0
    )
    model = policies.parent / "out" / "model.json"
    arguments = [
        "report",
        str(model),
        "-d",
        str(policies),
        "-t",
        "claim",
        "-o",
        str(policies.parent / "r.html"),
    ]
    assert run([*arguments, "--weight", "exposure", "--json"]) == 0
    metrics = json.loads(capsys.readouterr().out)
    tree = sl.read_model(model)
    rows = POLICIES[tree.feature_names]
    found = sl.measure(tree, rows, POLICIES.claim, sample_weight=POLICIES.exposure)
    assert metrics["measures"]["model"] == json.loads(json.dumps(found.to_dict()["model"]))
    assert run([*arguments, "--weight", "age"]) == BAD_INPUT
    assert "the model uses the weight column 'age' as a feature." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("column", "cells", "message"),
    [
        (
            "exposure",
            {3: -1.0},
            "the weight column 'exposure' is negative in row 3. Weights must be 0 or more.",
        ),
        (
            "exposure",
            {5: np.nan},
            "the weight column 'exposure' is missing in row 5. Weights must be 0 or more.",
        ),
        ("exposure", dict.fromkeys(range(N_ROWS), 0.0), "the weight column 'exposure' is 0 in every row."),
        ("region", {}, "the weight column 'region' holds text such as "),
        ("start", {}, "the weight column 'start' holds dates such as '2019-01-01'. Weights must be numbers."),
        ("claim", {}, "'claim' cannot be both the target and the weight column."),
        ("weight", {}, "there is no weight column 'weight'. The columns are "),
    ],
)
def test_bad_weights_are_refused(policies, capsys, column, cells, message):
    rows = POLICIES.copy()
    for row, cell in cells.items():
        rows.loc[row, column] = cell
    rows.to_csv(policies, index=False)
    assert distill(policies, "-t", "claim", "--drop", "cost", "--weight", column) == BAD_INPUT
    assert message in capsys.readouterr().err


def test_methods_that_cannot_learn_from_weighted_rows_are_refused(policies, capsys):
    for shape, name in (("cases", "MetaKNNClassifier"), ("stumps", "StumpEnsembleClassifier")):
        assert distill(policies, "-t", "claim", "--weight", "exposure", "--to", shape) == BAD_INPUT
        assert f"--weight does not work with --to {shape}: {name} cannot" in capsys.readouterr().err


def test_dates_of_dropped_columns_are_not_explained(policies, capsys):
    assert distill(policies, "-t", "claim", "--drop", "cost", "--drop", "start") == 0
    assert "Dates:" not in capsys.readouterr().out
    assert distill(policies, "-t", "claim", "--drop", "cost", "--keep", "start") == 0
    assert "Dates: 'start' from 2019-01-01 to 2019-08-28." in capsys.readouterr().out


def test_names_of_measures_are_in_one_column_with_their_baselines(policies, capsys):
    rows = POLICIES.assign(claim=np.where(POLICIES.age > 72, "yes", "no"))
    rows.to_csv(policies, index=False)
    assert distill(policies, "-t", "claim", "--drop", "cost") == 0
    lines = capsys.readouterr().out.splitlines()
    named = {line[:17].strip(): line[18:] for line in lines if line[17:18] == " "}
    assert {"recall of yes", "average precision", "balanced accuracy", "fidelity", "size", "report"} <= set(
        named
    )
    assert named["balanced accuracy"].startswith("the 3 trees ")
    assert named["fidelity"].startswith("balanced ")
    assert ", always no 50.0%; " in named["fidelity"]


def test_a_comparison_weighs_rows(policies, capsys):
    arguments = ["compare", "-d", str(policies), "-t", "claim", "--drop", "cost", "--drop", "start"]
    some = ["--methods", "C4.5 tree", "--folds", "2"]
    assert run([*arguments, *some, "--weight", "exposure"]) == 0
    out = capsys.readouterr().out
    assert "Rows are weighted by exposure, in training and in every measure." in out
    assert "240 rows, 3 columns" in out
    assert run([*arguments, "--methods", "nearest cases", "--weight", "exposure"]) == BAD_INPUT
    assert "The method 'nearest cases' cannot learn from weighted rows." in capsys.readouterr().err


def test_shares_that_are_not_weighted_say_so(policies, capsys):
    options = ["--drop", "cost", "--drop", "start", "--weight", "exposure"]
    assert distill(policies, "-t", "claim", *options) == 0
    out = capsys.readouterr().out
    assert re.search(r"fidelity +.* of 60 held-out rows weighted by exposure \(95% interval ", out)
    assert re.search(r"proved +\d of 4 leaves, [\d.]+% of the held-out rows, not weighted\n", out)
    page = (policies.parent / "out" / "report.html").read_text()
    assert "Agreement, disagreement and proofs in single nodes count every row once." in page
