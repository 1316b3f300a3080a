from __future__ import annotations

import inspect
import sys

import numpy as np
import pytest
from show.hand_trees import chain
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from strategies import random_rule_set

import sightline as sl
from sightline.export._registry import _TARGETS
from sightline.show._example import credit_tree

KINDS = ["c", "dot", "javascript", "json", "onnx", "pmml", "python", "sklearn", "sql", "svg"]


def error_of(model, *arguments, **options):
    with pytest.raises(sl.SightlineError) as error:
        model.export(*arguments, **options)
    return str(error.value)


def test_kinds():
    assert sorted(_TARGETS) == KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_files_hold_what_is_returned(kind, tmp_path):
    model = chain(3)
    options = {} if kind in ("json", "dot", "svg") else {"missing": "largest"}
    returned = model.export(kind, tmp_path / "model", **options)
    written = (tmp_path / "model").read_bytes()
    if kind != "sklearn":
        assert written == (returned if isinstance(returned, bytes) else returned.encode())
        assert returned == model.export(kind, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_estimators_export_what_they_answer_with():
    X, y = load_iris(return_X_y=True)
    forest = sl.BaggedTreesClassifier(n_trees=3, random_state=0).fit(X, y)
    for estimator in (sl.C45Classifier().fit(X, y), sl.ISMClassifier(forest, max_leaves=4).fit(X)):
        assert estimator.export("python") == estimator.tree_.export("python")
    rules = sl.RuleSetClassifier(forest).fit(X, y)
    assert rules.export("sql") == rules.rules_.export("sql")
    assert forest.export("json") == forest.to_json()


def test_unfitted_estimators_say_so():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        sl.C45Classifier().export("sql")


def test_refusals():
    import random

    ensemble = sl.Ensemble.average([credit_tree()])
    assert error_of(ensemble, "sql") == (
        "A model of type Ensemble has no export of kind 'sql'. Choose from: json. "
        "Merge or distill it into a tree to use the other kinds."
    )
    assert error_of(random_rule_set(random.Random(0)), "onnx") == (
        "A model of type RuleSet has no export of kind 'onnx'. Choose from: c, javascript, json, "
        "pmml, python, sql."
    )
    assert error_of(credit_tree(), "fortran") == (
        "There is no export of kind 'fortran'. Choose from: c, dot, svg, javascript, onnx, json, pmml, "
        "python, sklearn, sql."
    )
    assert error_of(credit_tree(), "c", dialect="c99") == (
        "The export of kind 'c' has no option 'dialect'. Choose from: name, missing."
    )
    assert error_of(credit_tree(), "c", name="a b") == (
        "The 'name' parameter of export must be a C identifier of at most 63 characters. Got 'a b' instead."
    )
    assert error_of(credit_tree(), "python", missing="mean") == (
        "The 'missing' parameter of export must be 'exact' or 'largest'. Got 'mean' instead."
    )
    assert error_of(credit_tree(), "pmml", missing="largest", column="age") == (
        "The model has a feature 'age'. Pass another name for the prediction as 'column'."
    )
    for kind, target in (("onnx", "ONNX"), ("pmml", "PMML")):
        assert error_of(credit_tree(), kind).startswith(
            f"{target} cannot split a row among branches, but this model does so when 'age' is missing."
        )


@pytest.mark.parametrize("kind", KINDS)
def test_unknown_options_are_refused_by_name(kind):
    assert error_of(credit_tree(), kind, colour="red").startswith(
        f"The export of kind {kind!r} has no option 'colour'. "
    )


def test_json_has_no_options():
    assert error_of(credit_tree(), "json", missing="exact") == (
        "The export of kind 'json' has no option 'missing'. It has no options."
    )


@pytest.mark.parametrize("kind", ["sql", "python", "c", "javascript", "pmml"])
def test_rule_sets_treat_missing_values_in_one_way(kind):
    X, y = load_iris(return_X_y=True)
    forest = sl.BaggedTreesClassifier(n_trees=3, random_state=0)
    rules = sl.RuleSetClassifier(forest, pc=1.0, fallback=None).fit(X, y)
    assert rules.export(kind, missing="exact") == rules.export(kind)
    assert error_of(rules, kind, missing="largest") == (
        "The 'missing' parameter of export must be 'exact' for rule sets. Got 'largest' instead."
    )


def test_every_kind_has_a_function_with_real_parameters():
    for kind, target in _TARGETS.items():
        function = getattr(sl.export, f"to_{kind}")
        assert function is target.write
        assert not any(p.kind is p.VAR_KEYWORD for p in inspect.signature(function).parameters.values())


# ---------------------------------------------------------------- no value was ever missing


def complete_tree():
    X, y = load_iris(return_X_y=True)
    return sl.C45Classifier().fit(X, y).tree_, X


@pytest.mark.parametrize("kind", ["onnx", "pmml", "sklearn"])
def test_the_option_missing_is_needed_only_where_values_were_missing(kind):
    tree, X = complete_tree()
    given = tree.export(kind, missing="largest")
    free = tree.export(kind)
    if kind == "sklearn":
        np.testing.assert_array_equal(free.predict(X), given.predict(X))
    else:
        assert free == given
    assert "Export with missing='largest'" in error_of(tree, kind, missing="exact")
    X[3, :] = np.nan
    incomplete = sl.C45Classifier().fit(X, load_iris().target).tree_
    assert "Export with missing='largest'" in error_of(incomplete, kind)


def test_what_was_never_missing_is_stored_and_distilled(tmp_path):
    tree, X = complete_tree()
    tree.to_json(tmp_path / "tree.json")
    again = sl.read_model(tmp_path / "tree.json")
    assert again.to_json() == tree.to_json()
    assert again.export("onnx") == tree.export("onnx")
    forest = RandomForestClassifier(5, random_state=0).fit(X, load_iris().target)
    distilled = sl.DistilledTreeClassifier(forest, max_leaves=4, random_state=0).fit(X)
    assert distilled.export("sklearn").get_n_leaves() == distilled.tree_.n_leaves


def test_unwritable_files(tmp_path):
    assert error_of(credit_tree(), "python", tmp_path / "absent" / "tree.py") == (
        f"{tmp_path / 'absent' / 'tree.py'}: cannot be written (No such file or directory)."
    )


def test_partial_votes_are_refused_by_pmml():
    import random

    rules = random_rule_set(random.Random(0)).with_voting(pc=0.5, wr=0.5)
    message = error_of(rules, "pmml")
    assert message == (
        "PMML adds up only the weights of rules that fully match, but in this rule set partial matches "
        "vote. Export it as sql, python, c or javascript, or fit it with pc=1.0 and fallback=None."
    )


def test_onnx_is_asked_for_by_name_where_absent(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert error_of(credit_tree(), "onnx", missing="largest") == (
        "The export of kind 'onnx' needs the package onnx: pip install 'sightline[onnx]'."
    )


@pytest.mark.parametrize("kind", [[], None, 1])
def test_a_kind_is_a_string(kind):
    with pytest.raises(sl.ParameterError, match=r"^There is no export of kind "):
        credit_tree().export(kind)
