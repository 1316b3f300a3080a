import gzip
import os
import pickle

import joblib
import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load import load


class Intruder:
    def __reduce__(self):
        return os.mkdir, (os.environ["INTRUDED"],)


@pytest.mark.parametrize("compress", [None, 0, 3, ("gzip", 3), ("xz", 3), ("bz2", 3)], ids=str)
def test_with_permission(problem, tmp_path, compress):
    model = RandomForestClassifier(3, max_depth=3, random_state=0).fit(problem.X, problem.labels(["a", "b"]))
    path = tmp_path / "model"
    if compress is None:
        path.write_bytes(pickle.dumps(model))
    else:
        joblib.dump(model, path, compress=compress)
    np.testing.assert_array_equal(
        load(path, allow_pickle=True).predict(problem.rows), model.predict(problem.rows)
    )
    with pytest.raises(UnsupportedModelError) as caught:
        load(path)
    assert str(caught.value) == (
        f"{path} is a pickle or joblib file, and opening it runs any code in it. "
        "If you trust it, pass allow_pickle=True, or --allow-pickle on the command line."
    )


def test_nothing_runs_without_permission(tmp_path, monkeypatch):
    monkeypatch.setenv("INTRUDED", str(tmp_path / "intruded"))
    path = tmp_path / "model.json"
    path.write_bytes(pickle.dumps(Intruder()))
    with pytest.raises(UnsupportedModelError, match="If you trust it"):
        load(path)
    assert not (tmp_path / "intruded").exists()


def test_damaged_pickles(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(pickle.dumps([1.5] * 100)[:-20])
    with pytest.raises(ModelFormatError, match="cannot unpickle the file"):
        load(path, allow_pickle=True)
    path.write_bytes(pickle.dumps("text"))
    with pytest.raises(UnsupportedModelError, match="Cannot load a model of type builtins"):
        load(path, allow_pickle=True)


@pytest.mark.parametrize(
    "content", [b'{"learner": {}}', b"tree\nversion=v4\n", b""], ids=["json", "text", "nothing"]
)
def test_compressed_files_that_are_no_pickles(tmp_path, content):
    path = tmp_path / "model.json.gz"
    path.write_bytes(gzip.compress(content))
    with pytest.raises(UnsupportedModelError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: is compressed with gzip; decompress it first. Supported: ")


def test_incomplete_models(problem, tmp_path):
    model = RandomForestClassifier(2, max_depth=2).fit(problem.X, problem.labels(["a", "b"]))
    del model.classes_
    path = tmp_path / "model"
    path.write_bytes(pickle.dumps(model))
    with pytest.raises(ModelFormatError, match="its RandomForestClassifier is incomplete"):
        load(path, allow_pickle=True)


def test_a_package_that_is_not_installed(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"\x80\x04cno_such_package\nThing\n.")
    with pytest.raises(ModelFormatError) as caught:
        load(path, allow_pickle=True)
    assert str(caught.value) == f"{path}: needs the package 'no_such_package', which is not installed."


def test_a_text_that_begins_like_a_compressed_file(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"xyz")
    with pytest.raises(UnsupportedModelError, match=r"is not a known model \(it begins with b'xyz'\)"):
        load(path)


def test_a_pickle_that_does_not_fit_in_memory(tmp_path, monkeypatch):
    def out_of_memory(file):
        raise MemoryError

    path = tmp_path / "m.pkl"
    path.write_bytes(pickle.dumps({}))
    monkeypatch.setattr(joblib, "load", out_of_memory)
    with pytest.raises(ModelFormatError) as caught:
        load(path, allow_pickle=True)
    assert str(caught.value) == f"{path}: does not fit in memory."
