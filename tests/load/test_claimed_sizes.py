"""A few bytes can claim billions of columns. Files are refused before such a claim fills the memory."""

import json
import struct

import numpy as np
import onnx
import pytest
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from fuzz.readers import seed
from sightline.exceptions import UnsupportedModelError
from sightline.load import load
from sightline.load._file import ModelFile, load_file

MANY = 2**31 - 1
LIMIT = "columns without names. Supported: up to 1,048,576."


def refusal(content):
    with pytest.raises(UnsupportedModelError) as caught:
        load_file(ModelFile("f", content))
    return str(caught.value)


def test_xgboost():
    document = json.loads(seed("xgboost.json").read_bytes())
    document["learner"]["learner_model_param"]["num_feature"] = str(MANY)
    assert refusal(json.dumps(document).encode()) == f"f: has 2,147,483,647 {LIMIT}"


def test_treelite():
    content = bytearray(seed("forest.treelite").read_bytes())
    content[22:26] = struct.pack("<i", MANY)
    assert refusal(bytes(content)) == f"f: has 2,147,483,647 {LIMIT}"


@pytest.mark.parametrize("n_inputs", [1, 3])
def test_onnx(n_inputs):
    model = onnx.load_model(seed("catboost.onnx"))
    (entry,) = model.graph.input
    entry.type.tensor_type.shape.dim[1].dim_value = 2**20 + 2 - n_inputs
    for k in range(n_inputs - 1):
        other = model.graph.input.add()
        other.CopyFrom(entry)
        other.name = f"other{k}"
    found = refusal(model.SerializeToString())
    assert found == f"f: has {'1,048,577' if n_inputs == 1 else '2,097,150'} {LIMIT}"


@pytest.mark.parametrize(
    "model",
    [
        DecisionTreeClassifier(max_depth=1),
        BaggingClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=2, max_features=1),
    ],
    ids=lambda model: type(model).__name__,
)
def test_estimators(model):
    model.fit(np.arange(8.0).reshape(4, 2), [0, 0, 1, 1])
    model.n_features_in_ = 10**9
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value) == f"{type(model).__name__}: has 1,000,000,000 {LIMIT}"
