import io
import json
import sys
import zipfile

import numpy as np
import pytest
import skops.io
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load import load

MODELS = [
    DecisionTreeClassifier(max_depth=3),
    RandomForestClassifier(3, max_depth=3),
    ExtraTreesRegressor(3, max_depth=3),
    GradientBoostingClassifier(n_estimators=3),
    HistGradientBoostingClassifier(max_iter=3),
    AdaBoostClassifier(n_estimators=3),
    BaggingClassifier(n_estimators=3),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_models_of_scikit_learn(problem, tmp_path, model):
    model.set_params(**({"random_state": 0} if "random_state" in model.get_params() else {}))
    model.fit(
        problem.X, problem.labels(["a", "b", "c"]) if "Class" in type(model).__name__ else problem.number
    )
    skops.io.dump(model, tmp_path / "model")
    found = load(tmp_path / "model")
    np.testing.assert_array_equal(found.predict(problem.rows), model.predict(problem.rows))


def test_nodes_are_checked(problem, tmp_path):
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(problem.X, problem.labels([0, 1]))
    model.tree_.children_left[0] = 10**6
    skops.io.dump(model, tmp_path / "model")
    with pytest.raises(ModelFormatError, match="tree 0: node 0: child 1000000 does not exist"):
        load(tmp_path / "model")


def test_unknown_types_stay_outside(tmp_path):
    skops.io.dump({"run": print, "call": sys.settrace}, tmp_path / "model")
    with pytest.raises(UnsupportedModelError) as caught:
        load(tmp_path / "model")
    assert "contains the type " in str(caught.value)
    assert str(caught.value).endswith(", which is not trusted.")


def test_what_is_no_tree_is_refused_by_name(problem, tmp_path):
    skops.io.dump(KNeighborsClassifier().fit(problem.X, problem.labels([0, 1])), tmp_path / "model")
    with pytest.raises(
        UnsupportedModelError,
        match=r"contains the type sklearn\.|Cannot load a model of type .*KNeighborsClassifier",
    ):
        load(tmp_path / "model")


def test_archives_that_unpack_to_too_much(tmp_path):
    path = tmp_path / "model"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", b" " * 50_000_000)
    with pytest.raises(ModelFormatError) as caught:
        load(path)
    assert str(caught.value) == f"{path}: unpacks to 50000000 bytes, which is too large."


def test_without_skops_it_is_named(tmp_path, monkeypatch):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("schema.json", b"{}")
    (tmp_path / "model").write_bytes(content.getvalue())
    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(UnsupportedModelError) as caught:
        load(tmp_path / "model")
    assert str(caught.value).endswith(
        "model: is a skops file, and skops is not installed: pip install skops."
    )


@pytest.mark.parametrize(
    ("model", "attribute"),
    [
        (DecisionTreeClassifier(max_depth=2), "classes_"),
        (DecisionTreeClassifier(max_depth=2), "n_features_in_"),
        (RandomForestClassifier(2, max_depth=2), "classes_"),
        (AdaBoostClassifier(n_estimators=2), "estimator_weights_"),
        (BaggingClassifier(n_estimators=2), "estimators_features_"),
        (GradientBoostingClassifier(n_estimators=2), "init_"),
        (HistGradientBoostingClassifier(max_iter=2), "_baseline_prediction"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_missing_attributes(problem, tmp_path, model, attribute):
    model.fit(problem.X, problem.labels(["a", "b"]))
    delattr(model, attribute)
    skops.io.dump(model, tmp_path / "model")
    with pytest.raises(ModelFormatError) as caught:
        load(tmp_path / "model")
    kind = type(model).__name__
    assert str(caught.value) == (
        f"{tmp_path / 'model'}: its {kind} is incomplete ('{kind}' object has no attribute '{attribute}')."
    )


def test_messages_of_skops_become_one_line(problem, tmp_path):
    model = DecisionTreeClassifier(max_depth=2).fit(problem.X, problem.labels(["a", "b"]))
    with zipfile.ZipFile(io.BytesIO(skops.io.dumps(model))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["schema.json"] = (
        parts["schema.json"]
        .replace(b'"protocol": ', b'"protocol": 99')
        .replace(b"DecisionTreeClassifier", b"NoSuchTree\\n\\nof two lines")
    )
    with zipfile.ZipFile(tmp_path / "model", "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    with pytest.raises((ModelFormatError, UnsupportedModelError)) as caught:
        load(tmp_path / "model")
    assert "\n" not in str(caught.value)


def test_a_schema_that_is_not_json(tmp_path):
    path = tmp_path / "model"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", "{")
    with pytest.raises(ModelFormatError, match="its schema is not valid JSON"):
        load(path)


def test_objects_that_share_others_at_every_level(tmp_path):
    """Two references at each of 40 levels make skops visit the innermost list 2**40 times."""

    def listed(entries, level):
        return {
            "__class__": "list",
            "__module__": "builtins",
            "__loader__": "ListNode",
            "content": entries,
            "__id__": level,
        }

    schema = listed([], 1)
    for level in range(2, 40):
        schema = listed([schema, listed([], level - 1)], level)
    path = tmp_path / "model"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", json.dumps({**schema, "protocol": 2, "_skops_version": "0.16.0"}))
    with pytest.raises(ModelFormatError) as caught:
        load(path)
    assert str(caught.value) == f"{path}: its objects share each other too often."
