import builtins
import json
import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sightline.exceptions import DataError, SightlineError, UnsupportedModelError
from sightline.load import load

FOLDER = Path(__file__).parents[2] / "data" / "spark"
PIPELINES = ["forest", "boosted", "forest_of_numbers", "tree_of_numbers"]
BARE = ["bare_tree", "bare_numbers"]


def stored(name):
    """Return rows, vectors of features, and what Spark predicted for them."""
    content = json.loads((FOLDER / f"{name}.json").read_text())
    frame = pd.DataFrame(content["rows"], columns=["a", "b", "c"])
    frame["a"] = frame["a"].astype(float)
    return frame, np.array(content["features"], dtype=float), content


def check(ensemble, rows, content):
    found = ensemble.predict(rows)
    if ensemble.classes_ is None:
        np.testing.assert_array_equal(found, content["prediction"])
        return
    assert found.tolist() == content["prediction"]
    np.testing.assert_allclose(ensemble.predict_proba(rows), content["probability"], rtol=0, atol=3e-16)


@pytest.mark.parametrize("name", PIPELINES)
def test_pipelines(name):
    ensemble = load(FOLDER / name)
    frame, _, content = stored(name)
    check(ensemble, frame[ensemble.feature_names], content)


@pytest.mark.parametrize("name", BARE)
def test_models_without_their_pipeline(name):
    ensemble = load(FOLDER / name)
    _, features, content = stored(name)
    assert ensemble.feature_names == ["x0", "x1", "x2"]
    check(ensemble, features, content)


def test_a_column_that_only_makes_the_label_is_not_asked_for():
    assert "answer" not in load(FOLDER / "boosted").feature_names


def test_categories_that_the_pipeline_refuses_are_refused():
    ensemble = load(FOLDER / "boosted")
    frame, _, _ = stored("boosted")
    frame.loc[0, "c"] = "new"
    with pytest.raises(DataError, match="'new' at row 0, which Ensemble does not know and refuses"):
        ensemble.predict(frame[ensemble.feature_names])


def test_mutants_of_parquet_are_models_or_refused(tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(FOLDER / "bare_tree", folder)
    path = next((folder / "data").glob("*.parquet"))
    content = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    rng = np.random.default_rng(0)
    for _ in range(150):
        mutant = content.copy()
        mutant[rng.integers(len(mutant), size=2)] = rng.integers(256, size=2)
        path.write_bytes(mutant.tobytes())
        with suppress(SightlineError):
            load(folder).predict(np.zeros((1, 3)))


def test_without_pyarrow(monkeypatch):
    original = builtins.__import__

    def without(name, *rest):
        if name.split(".")[0] == "pyarrow":
            raise ImportError(name)
        return original(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UnsupportedModelError, match=r"needs pyarrow: pip install pyarrow\.$"):
        load(FOLDER / "bare_tree")
