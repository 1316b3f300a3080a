import shutil
from functools import cache
from pathlib import Path

import jpmml_evaluator as jpmml
import numpy as np
import pandas as pd
import pytest

import sightline as sl

FILES = sorted((Path(__file__).parents[1] / "data" / "pmml").glob("*.pmml"))
needs_java = pytest.mark.skipif(not shutil.which("java"), reason="there is no java")


@cache
def backend():
    return jpmml.make_backend("jpype")


def rows_around(ensemble, rng, holes):
    """Return rows with values at thresholds and one ulp beside them, in both precisions."""
    columns = {}
    for index, feature in enumerate(ensemble.schema.features):
        if feature.is_nominal:
            columns[feature.name] = rng.choice(np.array(feature.categories, dtype=object), 150)
            continue
        found = [tree.threshold[(tree.feature == index) & (tree.test == 1)] for tree in ensemble.core.trees]
        values = np.concatenate([*found, [0.0]])
        values = values[np.abs(values) < 1e30]
        singles = np.float32(values)
        beside = [np.nextafter(part, side) for part in (values, singles) for side in np.float32([-9, 9])]
        columns[feature.name] = rng.choice(np.concatenate([values, singles, *beside]), 150).astype(object)
    frame = pd.DataFrame(columns, dtype=object)
    return frame.mask(rng.random(frame.shape) < holes, None)


def check(path, ensemble, holes=0.0, tolerance=1e-15):
    """Compare with JPMML wherever that gives an answer."""
    frame = rows_around(ensemble, np.random.default_rng(0), holes)
    answers = jpmml.make_evaluator(str(path), backend=backend()).evaluateAll(frame)
    target, *rest = [name for name in answers.columns if not name.startswith("probability")]
    assert not rest
    is_answered = answers[target].notna().to_numpy()
    assert is_answered.mean() > 0.3
    frame, answers = frame[is_answered], answers[is_answered]
    if ensemble.classes_ is None:
        numbers = answers[target].to_numpy(float)
        np.testing.assert_allclose(ensemble.predict(frame), numbers, rtol=tolerance, atol=tolerance)
        return
    labels = answers[target].to_numpy().astype(ensemble.classes_.dtype)
    np.testing.assert_array_equal(ensemble.predict(frame), labels)
    shares = {name[12:-1]: name for name in answers.columns if name.startswith("probability(")}
    if shares:
        expected = answers[[shares[str(label)] for label in ensemble.classes_]].to_numpy(float)
        np.testing.assert_allclose(ensemble.predict_proba(frame), expected, rtol=0, atol=tolerance)


@needs_java
@pytest.mark.parametrize("holes", [0.0, 0.2])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_of_other_libraries(path, holes):
    check(path, sl.load(path), holes, tolerance=1e-7 if "xgb" in path.stem else 4e-16)
