import shutil
from functools import cache
from pathlib import Path

import jpmml_evaluator as jpmml
import numpy as np
import pandas as pd
import pytest
from absent import NO_JAVA

import sightline as sl
from sightline.exceptions import DataError, ModelFormatError, UnsupportedModelError
from sightline.load._file import ModelFile, load_file
from sightline.load._pmml_predicates import array_values

FILES = sorted((Path(__file__).parents[1] / "data" / "pmml").glob("*.pmml"))
needs_java = pytest.mark.skipif(not shutil.which("java"), reason=NO_JAVA)


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


def document(nodes, attributes="", fields="", c=""):
    """Return a tree of numbers over a number x and a category c."""
    values = '<Value value="u"/><Value value="v"/>'
    return f"""<PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4"><Header/><DataDictionary>
    <DataField name="x" optype="continuous" dataType="double"/>
    <DataField name="c" optype="categorical" dataType="string">{values}</DataField>
    <DataField name="y" optype="continuous" dataType="double"/>{fields}</DataDictionary>
    <TreeModel functionName="regression" {attributes}><MiningSchema><MiningField name="x"/>
    <MiningField name="c" {c}/><MiningField name="y" usageType="target"/></MiningSchema>
    {nodes}</TreeModel></PMML>"""


def simple(field, operator, value=None):
    given = "" if value is None else f' value="{value}"'
    return f'<SimplePredicate field="{field}" operator="{operator}"{given}/>'


TREE = (
    '<Node id="0" score="0" defaultChild="2"><True/>'
    f'<Node id="1" score="1">{simple("c", "equal", "u")}</Node>'
    f'<Node id="2" score="2" defaultChild="3">{simple("c", "notEqual", "u")}'
    f'<Node id="3" score="3">{simple("x", "greaterOrEqual", 0.5)}</Node></Node></Node>'
)


@needs_java
@pytest.mark.parametrize("c", ['invalidValueTreatment="asIs"', 'invalidValueTreatment="asMissing"'])
@pytest.mark.parametrize("missing", ["none", "lastPrediction", "defaultChild", "nullPrediction"])
@pytest.mark.parametrize("fallback", ["returnLastPrediction", "returnNullPrediction"])
def test_strategies_for_values_that_no_child_takes(tmp_path, c, missing, fallback):
    path = tmp_path / "tree.pmml"
    path.write_text(document(TREE, f'missingValueStrategy="{missing}" noTrueChildStrategy="{fallback}"', c=c))
    rows = [(x, value) for x in (0.4, 0.5, None) for value in ("u", "v", "other", None)]
    frame = pd.DataFrame(rows, columns=["x", "c"], dtype=object)
    answers = jpmml.make_evaluator(str(path), backend=backend()).evaluateAll(frame)["y"].to_numpy(float)
    found = sl.load(path).predict(frame)
    is_answered = ~np.isnan(answers)
    np.testing.assert_array_equal(found[is_answered], answers[is_answered])


@needs_java
@pytest.mark.parametrize("c", ["", 'invalidValueTreatment="returnInvalid"', 'missingValueReplacement="u"'])
def test_undeclared_values_are_refused_unless_the_document_says_otherwise(tmp_path, c):
    path = tmp_path / "tree.pmml"
    path.write_text(document(TREE, 'missingValueStrategy="defaultChild"', c=c))
    frame = pd.DataFrame({"x": 0.7, "c": ["u", "v", None, "other"]}, dtype=object)
    answers = jpmml.make_evaluator(str(path), backend=backend()).evaluateAll(frame)
    assert answers["errors"].notna().tolist() == [False, False, False, True]
    assert 'Field "c" cannot accept invalid value "other"' in answers["errors"][3]
    ensemble = sl.load(path)
    np.testing.assert_array_equal(ensemble.predict(frame[:3]), answers["y"][:3].to_numpy(float))
    with pytest.raises(DataError, match="other"):
        ensemble.predict(frame)


def compound(operator, *parts):
    return f'<CompoundPredicate booleanOperator="{operator}">{"".join(parts)}</CompoundPredicate>'


@pytest.mark.parametrize(
    ("predicate", "kind", "message"),
    [
        (
            compound("and", simple("c", "equal", "u"), simple("x", "lessThan", 1)),
            UnsupportedModelError,
            "m: SimplePredicate (element 18): only a threshold is supported for a number here.",
        ),
        (
            simple("x", "equal", 1),
            UnsupportedModelError,
            "the operator 'equal' of a number is not supported.",
        ),
        (simple("x", "odd", 1), UnsupportedModelError, "the operator 'odd' is not supported."),
        (simple("z", "equal", 1), UnsupportedModelError, "the field 'z' is not an input of the model."),
        (simple("x", "lessThan", "one"), ModelFormatError, "its value is not a number."),
        ("<Odd/>", UnsupportedModelError, "m: Odd (element 16): it is not supported inside a Node."),
        ("", ModelFormatError, "m: Node '1': must contain one predicate."),
    ],
    ids=range(7),
)
def test_sentences_of_refusals(predicate, kind, message):
    nodes = f'<Node id="0" score="0"><True/><Node id="1" score="1">{predicate}</Node></Node>'
    with pytest.raises(kind) as caught:
        load_file(ModelFile("m", document(nodes).encode()))
    assert str(caught.value).startswith("m: ")
    assert str(caught.value).endswith(message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b'<!DOCTYPE PMML [<!ENTITY a "aaaa">]><PMML>&a;</PMML>',
            "m: is not valid XML (byte 0: a document type or another declaration is not supported).",
        ),
        (b"<PMML>" + b"<a>" * 100_000, "m: is not valid XML (byte 300006: the file ends inside an element)."),
        (b"<PMML></PMML>", "m: the model is none. Supported: TreeModel and MiningModel."),
        (b'<PMML><TreeModel x="1"/></PMML>', "m: the DataDictionary is missing."),
        (
            b"<PMML><NeuralNetwork/></PMML>",
            "m: the model is NeuralNetwork. Supported: TreeModel and MiningModel.",
        ),
    ],
    ids=range(5),
)
def test_documents_that_are_refused(content, message):
    with pytest.raises((ModelFormatError, UnsupportedModelError)) as caught:
        load_file(ModelFile("m", content))
    assert str(caught.value) == message


def test_a_deep_tree_is_no_problem():
    depth = 20_000
    open_nodes = "".join(
        f'<Node score="{k}">{simple("x", "greaterThan", k)}' if k else '<Node score="0"><True/>'
        for k in range(depth)
    )
    content = document(open_nodes + "</Node>" * depth, 'noTrueChildStrategy="returnLastPrediction"')
    ensemble = load_file(ModelFile("m", content.encode()))
    frame = pd.DataFrame({"x": [77.5, 1e9], "c": ["u", "u"]})
    assert ensemble.predict(frame).tolist() == [77.0, depth - 1]


def test_arrays_of_strings():
    assert array_values(r'a "b c" "d\"e" 1') == ["a", "b c", 'd"e', "1"]
