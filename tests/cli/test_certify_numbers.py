"""``sightline certify`` and ``sightline merge`` on regressors."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

import sightline as sl
from sightline.cli._app import run


@pytest.fixture
def files(tmp_path):
    """A small forest of numbers, and the tree that imitates it."""
    X = np.random.default_rng(0).normal(size=(200, 2))
    forest = RandomForestRegressor(4, max_depth=3, random_state=0).fit(X, X[:, 0] * X[:, 1])
    sl.load(forest).to_json(tmp_path / "forest.json")
    tree = sl.DistilledTreeRegressor(forest, max_leaves=4, random_state=0).fit(X)
    tree.tree_.to_json(tmp_path / "tree.json")
    return str(tmp_path / "tree.json"), str(tmp_path / "forest.json")


def test_certify_finds_the_largest_difference(files, capsys):
    assert run(["certify", *files, "--no-missing"]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("The largest difference is ")
    assert "proved for every row without missing values." in printed
    assert run(["certify", *files, "--no-missing", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["max_difference"] == found["max_difference_bound"] > 0
    larger = str(found["max_difference"] * 1.01)
    assert run(["certify", *files, "--no-missing", "--tolerance", larger]) == 0
    assert capsys.readouterr().out.startswith("No prediction differs by more than ")


def test_merge_within_a_tolerance(files, tmp_path, capsys):
    out = str(tmp_path / "merged.json")
    assert run(["merge", files[1], "--no-missing", "--out", out]) == 0
    printed = capsys.readouterr().out
    assert "Proved: it gives the ensemble's number for every row without missing values." in printed
    assert run(["certify", out, files[1], "--no-missing"]) == 0
    capsys.readouterr()
    assert run(["merge", files[1], "--no-missing", "--out", out, "--tolerance", "0.5"]) == 0
    assert "it gives the ensemble's number within 0.5 for every row" in capsys.readouterr().out
    assert run(["certify", out, files[1], "--no-missing", "--tolerance", "0.5"]) == 0
    assert run(["merge", files[1], "--classes", "a,b", "--out", out]) == 2
    assert "--classes names classes, but this model predicts numbers." in capsys.readouterr().err
