from __future__ import annotations

import subprocess
import sys

import pytest
from show.hand_trees import chain
from sklearn.datasets import load_iris
from strategies import random_rule_set

import sightline as sl
from sightline.export._registry import _KINDS
from sightline.show._example import credit_tree

KINDS = ["c", "dot", "javascript", "json", "onnx", "pmml", "python", "sklearn", "sql", "svg"]


def error_of(model, *arguments, **options):
    with pytest.raises(sl.SightlineError) as error:
        model.export(*arguments, **options)
    return str(error.value)


def test_kinds():
    assert sorted(_KINDS) == KINDS


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
        "A model of type Ensemble has no export of kind 'sql'. It can be exported as json; "
        "a tree that is merged or distilled from it as all the others, too."
    )
    assert error_of(random_rule_set(random.Random(0)), "onnx") == (
        "A model of type RuleSet has no export of kind 'onnx'. It can be exported as c, javascript, json, "
        "pmml, python, sql."
    )
    assert error_of(credit_tree(), "fortran") == (
        "There is no export of kind 'fortran'; there are c, dot, svg, javascript, onnx, json, pmml, python, "
        "sklearn, sql."
    )
    assert error_of(credit_tree(), "c", dialect="c99") == (
        "The export of kind 'c' has no option 'dialect' for this model; it has missing, name."
    )
    assert error_of(credit_tree(), "c", name="a b") == (
        "The 'name' parameter of export must be a C identifier of at most 63 letters. Got 'a b' instead."
    )
    assert error_of(credit_tree(), "python", missing="mean") == (
        "The 'missing' parameter of export must be 'exact' or 'largest'. Got 'mean' instead."
    )
    assert error_of(credit_tree(), "pmml", missing="largest", column="age") == (
        "The model has a feature 'age', so its prediction needs another name: give one as 'column'."
    )
    for kind, target in (("onnx", "ONNX"), ("pmml", "PMML")):
        assert error_of(credit_tree(), kind).startswith(
            f"{target} cannot share a row out among branches, as this model does where 'age' is missing."
        )


def test_unwritable_files(tmp_path):
    assert error_of(credit_tree(), "python", tmp_path / "absent" / "tree.py") == (
        f"{tmp_path / 'absent' / 'tree.py'}: cannot be written (No such file or directory)."
    )


def test_partial_votes_are_refused_by_pmml():
    import random

    rules = random_rule_set(random.Random(0)).with_voting(pc=0.5, wr=0.5)
    message = error_of(rules, "pmml")
    assert message == (
        "A RuleSetModel of PMML adds up the weights of rules that hold, but in this rule set partial matches "
        "vote. Export it as sql, python, c or javascript, or fit it with pc=1.0 and fallback=None."
    )


def test_onnx_is_asked_for_by_name_where_absent():
    code = (
        "import sys; sys.modules['onnx'] = None; import sightline as sl\n"
        "from sightline.show._example import credit_tree\n"
        "try: credit_tree().export('onnx', missing='largest')\n"
        "except sl.UnsupportedModelError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "The export of kind 'onnx' needs the library onnx: pip install 'sightline[onnx]'.\n"
    )
