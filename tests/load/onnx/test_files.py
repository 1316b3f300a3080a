"""Files of skl2onnx and onnxmltools, with onnxruntime's predictions; tests/data/onnx/make.py made them."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest

from fuzz.readers import seed
from sightline.exceptions import UnsupportedModelError
from sightline.load import load

FOLDER = Path(__file__).parents[2] / "data" / "onnx"
FOLLOWED = sorted(path.stem for path in FOLDER.glob("*.json"))


def test_there_are_files_of_every_library():
    assert len(FOLLOWED) >= 16
    assert {name.partition("_")[0] for name in FOLLOWED} >= {"forest", "boosted", "xgboost", "lightgbm"}


@pytest.mark.parametrize("name", FOLLOWED)
def test_predictions(name):
    stored = json.loads((FOLDER / f"{name}.json").read_text())
    found = load(FOLDER / f"{name}.onnx").predict(np.array(stored["rows"]))
    np.testing.assert_array_equal(found, stored["prediction"])


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("bagging", "node 'TreeEnsembleClassifier1' (TreeEnsembleClassifier): a second tree operator is not"),
        ("adaboost", "node 'ArgMax' (ArgMax): the operator is not supported after the trees."),
        (
            "voting",
            "node 'Mul' (Mul): it changes the scores, which is not supported after the trees.",
        ),
    ],
)
def test_sums_of_several_operators_are_refused(name, sentence):
    with pytest.raises(UnsupportedModelError) as caught:
        load(FOLDER / f"refused_{name}.onnx")
    assert sentence in str(caught.value)


def test_a_leaf_beyond_the_integers_is_refused(tmp_path):
    model = onnx.load(seed("sightline.onnx"))
    trees = next(node for node in model.graph.node if node.op_type == "TreeEnsemble")
    weights = next(attribute for attribute in trees.attribute if attribute.name == "leaf_weights").t
    values = onnx.numpy_helper.to_array(weights).copy()
    values[0] = 1e30
    weights.CopyFrom(onnx.numpy_helper.from_array(values, weights.name))
    onnx.save(model, tmp_path / "m.onnx")
    with pytest.raises(
        UnsupportedModelError, match="a conversion to type 7 is not supported after the trees"
    ):
        load(tmp_path / "m.onnx")
