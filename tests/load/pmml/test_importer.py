import shutil
from pathlib import Path

import jpmml_evaluator as jpmml
import numpy as np
import pandas as pd
import pytest
from absent import NO_JAVA
from cases import thorough_after
from java_machine import jpmml_backend
from pmml_documents import (
    CLASSES,
    X,
    apply,
    compound,
    constant,
    derived,
    document,
    one_test,
    pmml,
    schema,
    simple,
    table,
)

import sightline as sl
from sightline.exceptions import DataError, DataWarning
from sightline.load._file import ModelFile, load_file
from sightline.load.pmml._predicates import array_values

FILES = sorted((Path(__file__).parents[2] / "data" / "pmml").glob("*.pmml"))
needs_java = pytest.mark.skipif(not shutil.which("java"), reason=NO_JAVA)


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
    answers = jpmml.make_evaluator(str(path), backend=jpmml_backend()).evaluateAll(frame)
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
@pytest.mark.parametrize("holes", thorough_after(1, [0.2, 0.0]))
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_of_other_libraries(path, holes):
    check(path, sl.load(path), holes, tolerance=1e-7 if "xgb" in path.stem else 4e-16)


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
    answers = jpmml.make_evaluator(str(path), backend=jpmml_backend()).evaluateAll(frame)["y"].to_numpy(float)
    found = sl.load(path).predict(frame)
    is_answered = ~np.isnan(answers)
    np.testing.assert_array_equal(found[is_answered], answers[is_answered])


@needs_java
@pytest.mark.parametrize("c", ["", 'invalidValueTreatment="returnInvalid"', 'missingValueReplacement="u"'])
def test_undeclared_values_are_refused_unless_the_document_says_otherwise(tmp_path, c):
    path = tmp_path / "tree.pmml"
    path.write_text(document(TREE, 'missingValueStrategy="defaultChild"', c=c))
    frame = pd.DataFrame({"x": 0.7, "c": ["u", "v", None, "other"]}, dtype=object)
    answers = jpmml.make_evaluator(str(path), backend=jpmml_backend()).evaluateAll(frame)
    assert answers["errors"].notna().tolist() == [False, False, False, True]
    assert 'Field "c" cannot accept invalid value "other"' in answers["errors"][3]
    ensemble = sl.load(path)
    np.testing.assert_array_equal(ensemble.predict(frame[:3]), answers["y"][:3].to_numpy(float))
    with pytest.raises(DataError, match="other"):
        ensemble.predict(frame)


@needs_java
@pytest.mark.parametrize(
    ("predicate", "made"),
    [
        (compound("xor", simple("c", "equal", "u"), "<True/>"), ""),
        (compound("surrogate", simple("c", "equal", "u"), "<True/>"), ""),
        (compound("or", simple("c", "equal", "u"), "<True/>"), ""),
        (compound("and", compound("or", simple("c", "equal", "u"), simple("c", "isMissing")), "<True/>"), ""),
        (simple("d", "lessOrEqual", 0.6), derived(apply("-", constant(2), X))),
        (simple("d", "lessOrEqual", 0.4), derived(apply("/", X, constant(-2, "integer")))),
        (simple("d", "lessOrEqual", 0.6), derived('<NormDiscrete field="c" value="u"/>')),
        (simple("d", "equal", 7), derived(table("<row><k>u</k><v>7</v></row><row><k>v</k><v>8</v></row>"))),
    ],
    ids=range(8),
)
def test_predicates_and_derived_fields(tmp_path, predicate, made):
    path = tmp_path / "tree.pmml"
    path.write_text(one_test(predicate, made))
    frame = pd.DataFrame({"x": [0.0, 1.0, 1.5, -3.0], "c": ["u", "v", None, "v"]}, dtype=object)
    answers = jpmml.make_evaluator(str(path), backend=jpmml_backend()).evaluateAll(frame)["y"].to_numpy(float)
    assert sl.load(path).predict(frame).tolist() == answers.tolist()


@needs_java
@pytest.mark.parametrize(
    ("dtype", "first", "second"),
    [("boolean", "true", "false"), ("integer", "1", "2"), ("double", "1.5", "2")],
)
def test_categories_of_other_types(tmp_path, dtype, first, second):
    content = one_test(simple("c", "equal", first)).replace('dataType="string"', f'dataType="{dtype}"')
    content = content.replace('<Value value="u"/>', f'<Value value="{first}"/>')
    path = tmp_path / "tree.pmml"
    path.write_text(content.replace('<Value value="v"/>', f'<Value value="{second}"/>'))
    values = [{"true": True, "false": False}.get(text) for text in (first, second)]
    values = values if dtype == "boolean" else [float(first), float(second)]
    values = [int(value) for value in values] if dtype == "integer" else values
    frame = pd.DataFrame({"x": 0.0, "c": [*values, None]}, dtype=object)
    answers = jpmml.make_evaluator(str(path), backend=jpmml_backend()).evaluateAll(frame)["y"].to_numpy(float)
    assert sl.load(path).predict(frame).tolist() == answers.tolist() == [1.0, 2.0, 2.0]


@needs_java
def test_a_majority_of_trees(tmp_path):
    """Two of three trees say v for numbers below 1, all of them u above."""
    below = f'<Node score="v">{simple("x", "lessThan", 1)}</Node><Node score="u"><True/></Node>'
    trees = [f'<Node score="u"><True/>{below}</Node>'] * 2 + ['<Node score="u"><True/></Node>']
    segments = "".join(
        f'<Segment><True/><TreeModel functionName="classification">{schema()}{tree}</TreeModel></Segment>'
        for tree in trees
    )
    voted = f'<Segmentation multipleModelMethod="majorityVote">{segments}</Segmentation>'
    path = tmp_path / "votes.pmml"
    model = f'<MiningModel functionName="classification">{schema()}{voted}</MiningModel>'
    path.write_text(pmml(model, CLASSES))
    frame = pd.DataFrame({"x": [0.5, 1.5], "c": "u"}, dtype=object)
    answers = jpmml.make_evaluator(str(path), backend=jpmml_backend()).evaluateAll(frame)["y"]
    assert sl.load(path).predict(frame).tolist() == answers.tolist() == ["v", "u"]


def tied(method, *leaves):
    """Return a document of trees that have one leaf each."""
    segments = "".join(
        f'<Segment><True/><TreeModel functionName="classification">{schema()}{leaf}</TreeModel></Segment>'
        for leaf in leaves
    )
    voted = f'<Segmentation multipleModelMethod="{method}">{segments}</Segmentation>'
    return pmml(f'<MiningModel functionName="classification">{schema()}{voted}</MiningModel>', CLASSES)


def shares(*entries):
    listed = "".join(
        f'<ScoreDistribution value="{value}" recordCount="{count}"/>' for value, count in entries
    )
    return f'<Node score="{max(entries, key=lambda entry: entry[1])[0]}"><True/>{listed}</Node>'


@needs_java
def test_ties_of_means_go_to_the_class_that_all_distributions_list_first(tmp_path):
    path = tmp_path / "tied.pmml"
    path.write_text(tied("average", shares(("v", 1), ("u", 3)), shares(("v", 3), ("u", 1))))
    frame = pd.DataFrame({"x": [0.5], "c": ["u"]}, dtype=object)
    answers = jpmml.make_evaluator(str(path), backend=jpmml_backend()).evaluateAll(frame)["y"]
    assert sl.load(path).predict(frame).tolist() == answers.tolist() == ["v"]


@pytest.mark.parametrize(
    ("method", "leaves"),
    [
        ("majorityVote", ['<Node score="v"><True/></Node>', '<Node score="u"><True/></Node>']),
        ("average", [shares(("v", 3), ("u", 1)), shares(("u", 3), ("v", 1))]),
        ("average", [shares(("v", 1)), shares(("u", 1))]),
    ],
    ids=["votes", "another order", "one class each"],
)
def test_other_ties_go_to_the_class_declared_first_with_a_warning(method, leaves):
    with pytest.warns(DataWarning, match="m: two classes may tie, and PMML does not say"):
        ensemble = load_file(ModelFile("m", tied(method, *leaves).encode()))
    assert ensemble.predict([[0.5, "u"]]).tolist() == ["u"]


@needs_java
def test_treatments_of_members_that_change_nothing(tmp_path):
    inner = schema(c='missingValueReplacement="v" invalidValueTreatment="asMissing"')
    outer = schema(c='missingValueReplacement="u" invalidValueTreatment="asMissing"')
    tests = f'<Node score="1">{simple("c", "equal", "u")}</Node><Node score="2"><True/></Node>'
    member = f'<TreeModel functionName="regression">{inner}<Node score="0"><True/>{tests}</Node></TreeModel>'
    added = f'<Segmentation multipleModelMethod="sum"><Segment><True/>{member}</Segment></Segmentation>'
    path = tmp_path / "sum.pmml"
    path.write_text(pmml(f'<MiningModel functionName="regression">{outer}{added}</MiningModel>'))
    frame = pd.DataFrame({"x": [0.5] * 4, "c": ["u", "v", "other", None]}, dtype=object)
    answers = jpmml.make_evaluator(str(path), backend=jpmml_backend()).evaluateAll(frame)["y"]
    assert sl.load(path).predict(frame).tolist() == answers.tolist() == [1.0, 2.0, 1.0, 1.0]


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


def test_fields_that_are_not_used():
    content = one_test(simple("x", "lessThan", 1)).replace(
        '<MiningField name="c" />', '<MiningField name="c" usageType="supplementary"/>'
    )
    ensemble = load_file(ModelFile("m", content.encode()))
    assert ensemble.feature_names == ["x"]
    assert ensemble.predict([[0.0], [2.0]]).tolist() == [1.0, 2.0]
