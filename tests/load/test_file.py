import os
import re
import threading

import numpy as np
import pytest
from absent import NO_PIPES
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from sightline import _core
from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load import load
from sightline.load._file import ModelFile, load_file
from sightline.load._options import Options

FORMATS = (
    "Supported: CatBoost .cbm, CatBoost JSON, folders of Spark ML, LightGBM text, LightGBM's JSON dump, "
    "ONNX, pickles and joblib files (with allow_pickle=True), PMML, sightline's own JSON, skops, "
    "treelite checkpoint, XGBoost JSON and UBJSON."
)


def sentence(path, **options):
    with pytest.raises(UnsupportedModelError) as caught:
        load(path, **options)
    return str(caught.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("content", "looks_like"),
    [
        (b"", "is empty"),
        (b"hello, world", "is not a known model (it begins with b'hello, world')"),
        (b"binf\x00", "is a binary XGBoost model; save it as .json or .ubj instead"),
        (b"<?xml version='1.0'?>", "begins like XML or HTML"),
        (
            b'{"b": 1, "a": {}, "c": [], "d": 2}',
            "is JSON of an unknown kind (its keys are 'a', 'b', 'c' and 1 more)",
        ),
        (b"{}", "is an empty JSON object"),
    ],
    ids=lambda value: str(value)[:12],
)
def test_unknown_content_is_described(tmp_path, content, looks_like):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    assert sentence(path) == f"{looks_like}. {FORMATS}"


def test_paths_that_cannot_be_read(tmp_path):
    with pytest.raises(ModelFormatError) as caught:
        load("no/such/file.json")
    assert str(caught.value) == "no/such/file.json: cannot read the file (No such file or directory)."
    with pytest.raises(ModelFormatError) as caught:
        load(tmp_path)
    assert str(caught.value) == f"{tmp_path}: cannot read the file (Is a directory)."


def test_our_own_files(problem, tmp_path):
    ensemble = load(
        RandomForestClassifier(3, max_depth=3, random_state=0).fit(problem.X, problem.labels(["a", "b"]))
    )
    ensemble.to_json(tmp_path / "ensemble")
    assert load(tmp_path / "ensemble").to_json() == ensemble.to_json()
    tree = sl.C45Classifier().fit(problem.X, problem.labels(["a", "b"])).tree_
    tree.to_json(tmp_path / "tree")
    np.testing.assert_array_equal(load(tmp_path / "tree").predict(problem.rows), tree.predict(problem.rows))
    tree.to_graph().to_json(tmp_path / "graph")
    assert sentence(tmp_path / "graph") == "holds a graph, not an ensemble. Read it with sl.read_model."
    rules = sl.RuleSetClassifier(max_rules=2).fit(problem.X, problem.labels(["a", "b"])).rules_
    rules.to_json(tmp_path / "rules")
    assert sentence(tmp_path / "rules") == "holds a rule set, not an ensemble. Read it with sl.read_model."
    refusal = "Cannot load a rule set: it is neither an ensemble nor a tree. sl.BlackBox(model) can still be"
    with pytest.raises(UnsupportedModelError, match=re.escape(refusal)):
        load(rules)


@pytest.mark.parametrize("size", [0, 1, (1 << 22) + 12_345])
def test_content_is_that_of_the_file(tmp_path, size):
    content = np.random.default_rng(size).bytes(size)
    (tmp_path / "model").write_bytes(content)
    assert ModelFile.read(tmp_path / "model", Options()).content == content


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason=NO_PIPES)
def test_content_of_a_pipe_is_read_to_its_end(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"{}" * 100_000,))
    writer.start()
    assert ModelFile.read(pipe, Options()).content == b"{}" * 100_000
    writer.join()


def test_bytes_are_those_that_were_filled():
    def fill(view):
        view[:3] = b"abc"
        return 3

    def fail(view):
        raise OSError(len(view), "gone")

    assert _core.bytes_filled_by(5, fill) == b"abc"
    assert _core.bytes_filled_by(3, fill) == b"abc"
    with pytest.raises(OSError, match="gone"):
        _core.bytes_filled_by(5, fail)
    with pytest.raises(ValueError, match="more bytes were filled than there are"):
        _core.bytes_filled_by(5, lambda _: 6)


def test_a_model_that_does_not_fit_in_memory(monkeypatch):
    def parse_json(*arguments):
        raise MemoryError

    monkeypatch.setattr(_core, "parse_json", parse_json)
    with pytest.raises(ModelFormatError) as caught:
        load_file(ModelFile("m.json", b"{}"))
    assert str(caught.value) == "m.json: does not fit in memory."
