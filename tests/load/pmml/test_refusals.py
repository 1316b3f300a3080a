"""The sentences of PMML documents that cannot be followed."""

import pytest
from pmml_documents import (
    CLASSES,
    FIELDS,
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

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._file import ModelFile, load_file


def refusal(content, kind=(ModelFormatError, UnsupportedModelError)):
    with pytest.raises(kind) as caught:
        load_file(ModelFile("m", content.encode() if isinstance(content, str) else content))
    assert str(caught.value).startswith("m: ")
    return str(caught.value)


def deep(depth):
    """Return predicates inside each other."""
    return compound("and", deep(depth - 1)) if depth else simple("c", "equal", "u")


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
        (simple("c", "lessThan", "u"), UnsupportedModelError, "the operator 'lessThan' of a category is not"),
        (compound("nand", simple("c", "equal", "u")), UnsupportedModelError, "booleanOperator 'nand' is not"),
        (compound("and", "<Odd/>"), UnsupportedModelError, "Odd (element 17): it is not a predicate."),
        (
            compound("and", "<True/>"),
            UnsupportedModelError,
            "predicates about several fields are not supported.",
        ),
        (deep(102), UnsupportedModelError, "booleanOperator 'and' is not supported."),
        (
            '<SimpleSetPredicate field="c" booleanOperator="odd"><Array>u</Array></SimpleSetPredicate>',
            UnsupportedModelError,
            "booleanOperator 'odd' is not supported.",
        ),
    ],
    ids=range(13),
)
def test_predicates(predicate, kind, message):
    nodes = f'<Node id="0" score="0"><True/><Node id="1" score="1">{predicate}</Node></Node>'
    assert message in refusal(document(nodes), kind)


@pytest.mark.parametrize(
    ("made", "predicate", "message"),
    [
        (derived(X, name="x"), "", "DerivedField 'x': another field has the same name."),
        (derived(X, "integer"), "", "only one expression of type double or float is supported."),
        (derived('<FieldRef field="d"/>'), "", "derived fields and expressions are nested too deeply."),
        (derived("<Discretize/>"), "", "Discretize (element 10): the expression is not supported."),
        (
            derived(X.replace("/>", ' mapMissingTo="1"/>')),
            "",
            "the attribute 'mapMissingTo' is not supported.",
        ),
        (derived('<FieldRef field="c"/>'), "", "a category is not a number."),
        (derived(apply("max", X, X)), "", "the function 'max' is not supported."),
        (derived(apply("+", X, X)), "", "arithmetic of two fields is not supported."),
        (derived(apply("/", constant(1), X)), "", "a division by a field or by zero is not supported."),
        (derived(apply("+", X, constant("one"))), "", "it must be a finite number of type double."),
        (derived("<MapValues outputColumn='v'/>"), "", "only an InlineTable of one field is supported."),
        (derived(table("<row><k>u</k></row>")), "", "a cell is missing."),
        (derived(table("<row><k>u</k><v>one</v></row>")), "", "the value 'one' is not a number."),
        (
            derived(table(pairs='<FieldColumnPair field="x" column="k"/>')),
            "",
            "'x' is not a categorical input.",
        ),
        (derived(table()), "", "a field is missing for some categories, which is not supported."),
        (
            derived('<NormDiscrete field="c" value="u"/>'),
            simple("d", "equal", "one"),
            "its value is not a number.",
        ),
        (
            derived('<NormDiscrete field="c" value="u"/>'),
            '<SimpleSetPredicate field="d" booleanOperator="isIn"><Array>1</Array></SimpleSetPredicate>',
            "a set of numbers is not supported.",
        ),
    ],
    ids=range(17),
)
def test_derived_fields(made, predicate, message):
    assert refusal(one_test(predicate or simple("d", "lessThan", 1), made)).endswith(message)


def test_an_expression_that_is_nested_too_deeply():
    expression = X
    for _ in range(102):
        expression = apply("+", expression, constant(1))
    sentence = refusal(one_test(simple("d", "lessThan", 1), derived(expression)))
    assert sentence.endswith("derived fields and expressions are nested too deeply.")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('value="v"/>', 'value="u"/>', "DataField 'c': a value is declared twice."),
        ('value="v"/>', 'value="v" property="invalid"/>', "the value 'v' is declared as invalid."),
        # JPMML takes the text 'u' for an invalid number.
        (
            'dataType="string"',
            'dataType="integer"',
            "DataField 'c': the value 'u' is not of the type 'integer'.",
        ),
        (
            '"x" optype="continuous" dataType="double"/>',
            '"x" optype="continuous" dataType="double"><Value value="1"/></DataField>',
            "a continuous field with declared values is not supported.",
        ),
        (
            '"x" optype="continuous" dataType="double"',
            '"x" optype="continuous" dataType="date"',
            "'date' is not",
        ),
        (
            '<MiningField name="x"/>',
            '<MiningField name="x"/>' * 2,
            "MiningField 'x': the field is listed twice.",
        ),
        ('<MiningField name="x"/>', '<MiningField name="z"/>', "MiningField 'z': the field is not declared."),
        (
            '<MiningField name="x"/>',
            '<MiningField name="x" outliers="no"/>',
            "the attribute 'outliers' is not",
        ),
        (
            '<MiningField name="x"/>',
            '<MiningField name="x" usageType="target"/>',
            "a second target is not supported.",
        ),
        (
            '<MiningField name="x"/>',
            '<MiningField name="x" missingValueReplacement="one"/>',
            "MiningField 'x': missingValueReplacement must be a number. Got 'one' instead.",
        ),
        (
            '<MiningField name="c" />',
            '<MiningField name="c" missingValueReplacement="w"/>',
            "MiningField 'c': missingValueReplacement 'w' is not a declared value.",
        ),
        (
            '<MiningField name="c" />',
            '<MiningField name="c" invalidValueTreatment="asValue"/>',
            "invalidValueTreatment 'asValue' is not supported.",
        ),
        ("MiningSchema>", "Odd>", "the MiningSchema is missing."),
        (
            'functionName="regression"',
            'functionName="clustering"',
            "functionName 'clustering' is not supported.",
        ),
        (
            'functionName="regression"',
            'functionName="regression" x-mathContext="half"',
            "x-mathContext 'half' is",
        ),
        (
            'functionName="regression"',
            'functionName="regression" odd="1"',
            "the attribute 'odd' is not supported.",
        ),
        (
            'functionName="regression"',
            'functionName="regression" missingValueStrategy="aggregateNodes"',
            "missingValueStrategy 'aggregateNodes' with noTrueChildStrategy 'returnNullPrediction' is not",
        ),
        ('<Node id="1" score="1">', '<Node id="1">', "Node '1': has no score."),
        ('<Node id="0" score="0"><True/>', '<Node id="0" score="0"><False/>', "first Node must be True."),
        ('score="1"', 'score="one"', "Node '1': its score is not a number."),
    ],
    ids=range(20),
)
def test_fields_and_trees(old, new, message):
    content = one_test(compound("and", simple("c", "equal", "u"), simple("c", "isNotMissing")))
    nodes = f'<Node id="3" score="1">{simple("x", "lessThan", 1)}</Node>'
    content = content.replace('<Node id="2"', nodes + '<Node id="2"')
    assert old in content
    assert message in refusal(content.replace(old, new))


def test_intervals_are_no_values():
    content = one_test(simple("x", "lessThan", 1)).replace(
        '"x" optype="continuous" dataType="double"/>',
        '"x" optype="continuous" dataType="double"><Interval closure="openOpen"/></DataField>',
    )
    ensemble = load_file(ModelFile("m", content.encode()))
    assert ensemble.predict([[0.5, "u"], [1.5, "u"]]).tolist() == [1.0, 2.0]


def test_numbers_outside_an_interval_that_count_as_missing():
    content = one_test(simple("x", "lessThan", 1)).replace(
        '"x" optype="continuous" dataType="double"/>',
        '"x" optype="continuous" dataType="double"><Interval closure="openOpen" leftMargin="0"/></DataField>',
    )
    content = content.replace(
        '<MiningField name="x"/>', '<MiningField name="x" invalidValueTreatment="asMissing"/>'
    )
    assert refusal(content).endswith(
        "MiningField 'x': numbers outside an Interval count as missing, which is not supported."
    )


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ("", 'missingValueReplacement="u"'),
        ('invalidValueTreatment="asIs"', 'invalidValueTreatment="asMissing"'),
        ("", 'outliers="asMissingValues"'),
    ],
    ids=["replacement", "invalid", "outliers"],
)
def test_members_that_prepare_their_inputs(outer, inner):
    tree = '<Node score="1"><True/></Node>'
    member = f'<TreeModel functionName="regression">{schema(c=inner)}{tree}</TreeModel>'
    segmentation = (
        f'<Segmentation multipleModelMethod="sum"><Segment><True/>{member}</Segment></Segmentation>'
    )
    model = f'<MiningModel functionName="regression">{schema(c=outer)}{segmentation}</MiningModel>'
    attribute = inner.partition("=")[0]
    assert refusal(pmml(model)).endswith(
        f"MiningField 'c': {attribute!r} is supported only for the outermost model."
    )


def test_a_model_without_a_node():
    content = pmml(f'<TreeModel functionName="regression">{schema()}</TreeModel>')
    assert refusal(content).endswith("must contain one Node.")


@pytest.mark.parametrize(
    ("inner", "attributes", "message"),
    [
        (
            f'<Node id="1">{simple("x", "lessThan", 1)}<Node id="2" score="1"><True/></Node></Node>',
            'noTrueChildStrategy="returnLastPrediction"',
            "Node '1': has no score, unlike other nodes with children.",
        ),
        (
            f'<Node id="1" score="1">{simple("x", "lessThan", 1)}</Node>'
            f'<Node id="2" score="2">{simple("c", "equal", "u")}</Node>',
            'missingValueStrategy="lastPrediction"',
            "Node '0': its children test different fields, which is not supported with this",
        ),
    ],
    ids=["score", "fields"],
)
def test_strategies(inner, attributes, message):
    assert message in refusal(document(f'<Node id="0" score="0"><True/>{inner}</Node>', attributes))


def tree(function, content='<Node score="1"><True/></Node>', attributes=""):
    return f'<TreeModel functionName="{function}" {attributes}>{schema()}{content}</TreeModel>'


def segments(method, *models, predicate="<True/>", weight="1"):
    inside = "".join(f'<Segment weight="{weight}">{predicate}{model}</Segment>' for model in models)
    return f'<Segmentation multipleModelMethod="{method}">{inside}</Segmentation>'


def mining(function, content, attributes=""):
    return f'<MiningModel functionName="{function}" {attributes}>{schema()}{content}</MiningModel>'


FEW_OF_U = '<ScoreDistribution value="u" recordCount="1"/><ScoreDistribution value="v" recordCount="3"/>'
NUMBER, LABEL = tree("regression"), tree("classification", '<Node score="u"><True/></Node>')
TARGET = '<Targets><Target field="y" rescaleConstant="1"/></Targets>'


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (mining("regression", ""), "the Segmentation is missing."),
        (mining("regression", segments("sum")), "has no segment."),
        (mining("regression", segments("sum", NUMBER) + "<Odd/>"), "Odd (element 23): it is not supported."),
        (
            mining("regression", segments("sum", NUMBER, predicate="<False/>")),
            "a segment for some rows only is",
        ),
        (mining("regression", segments("max", NUMBER)), "multipleModelMethod 'max' is not supported."),
        (mining("regression", segments("sum", LABEL)), "it must be a regression."),
        (
            mining("regression", segments("sum", mining("regression", segments("sum", NUMBER)))),
            "it is not supported here. Supported: TreeModel.",
        ),
        (
            mining("regression", segments("sum", NUMBER.replace("<Node", f"{TARGET}<Node"))),
            "it is not supported here.",
        ),
        (
            mining("regression", segments("weightedAverage", NUMBER, weight="0")),
            "the weights of its segments do not add up to more than 0.",
        ),
        (
            mining("regression", segments("weightedAverage", NUMBER, weight="one")),
            "the attribute 'weight' must be a number. Got 'one' instead.",
        ),
        (
            mining("regression", segments("sum", NUMBER) + TARGET.replace("rescale", "cast")),
            "the attribute 'castConstant' is not supported.",
        ),
        (
            mining(
                "regression", segments("sum", NUMBER) + TARGET.replace("/></", "><TargetValue/></Target></")
            ),
            "a TargetValue is not supported.",
        ),
        # JPMML rounds the numbers of this tree alone.
        (
            mining(
                "regression",
                segments("sum", NUMBER.replace("<TreeModel", '<TreeModel x-mathContext="float"')),
            ),
            "its x-mathContext differs from that of the model around it.",
        ),
        (
            LABEL.replace("<TreeModel", '<TreeModel x-mathContext="float"'),
            "x-mathContext 'float' is not supported for votes and shares.",
        ),
        # JPMML ignores it.
        (
            mining("regression", segments("sum", NUMBER) + TARGET.replace('"y"', '"x"')),
            "'x' is not the target of the model, 'y'.",
        ),
        (
            mining("regression", segments("sum", NUMBER) + TARGET.replace(' field="y"', "")),
            "None is not the target of the model, 'y'.",
        ),
        (
            mining(
                "regression",
                segments("sum", NUMBER) + TARGET.replace("<Target ", '<Target field="y"/><Target '),
            ),
            "a second target is not supported.",
        ),
    ],
    ids=range(17),
)
def test_sums_of_trees(model, message):
    assert message in refusal(pmml(model))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (mining("classification", segments("max", LABEL)), "multipleModelMethod 'max' is not supported."),
        (
            mining("classification", segments('sum" missingPredictionTreatment="skipSegment', LABEL)),
            "missingPredictionTreatment 'skipSegment' is not supported.",
        ),
        (
            mining("classification", segments('sum" missingThreshold="0.5', LABEL)),
            "the attribute 'missingThreshold' is not supported.",
        ),
        (
            mining("classification", segments("weightedMajorityVote", LABEL, weight="0")),
            "the weights of its segments do not add up to more than 0.",
        ),
        (
            mining("classification", segments("majorityVote", LABEL.replace('"u"', '"w"'))),
            "a score is 'w', which is not a declared value of the target.",
        ),
        (
            mining("classification", segments("average", LABEL)),
            "Node (element 23): has no ScoreDistribution.",
        ),
        (
            tree("classification", f'<Node id="0" score="u"><True/>{FEW_OF_U}</Node>'),
            "Node '0': its score is not the class of its largest probability.",
        ),
    ],
    ids=range(7),
)
def test_votes_of_trees(model, message):
    assert message in refusal(pmml(model, CLASSES))


def test_probabilities_of_some_classes():
    node = f'<Node id="0" score="v"><True/>{FEW_OF_U}</Node>'.replace('"3"', '"3" probability="1"')
    model = mining("classification", segments("average", tree("classification", node)))
    expected = "m: Node '0': only some of its ScoreDistributions have a probability."
    assert refusal(pmml(model, CLASSES)) == expected


def test_a_sum_that_is_rounded_to_a_float():
    fields = FIELDS.replace(
        '"y" optype="continuous" dataType="double"', '"y" optype="continuous" dataType="float"'
    )
    expected = "m: DataField 'y': it rounds the predictions, which is not supported."
    assert refusal(pmml(mining("regression", segments("sum", NUMBER)), fields)) == expected


OUTPUT = '<Output><OutputField name="s" feature="predictedValue"/></Output>'
SCORE = tree("regression", f'{OUTPUT}<Node score="1"><True/></Node>')
TERM = '<NumericPredictor name="s" coefficient="1"/>'


def last(tables, method="logit", function="classification", attributes=""):
    inside = "".join(
        f'<RegressionTable targetCategory="{label}" intercept="0">{terms}</RegressionTable>'
        for label, terms in tables.items()
    )
    return (
        f'<RegressionModel functionName="{function}" normalizationMethod="{method}" {attributes}>'
        f"{schema()}{inside}</RegressionModel>"
    )


BOTH = {"v": TERM, "u": ""}


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ([SCORE], "it is not supported here. Supported: RegressionModel."),
        ([LABEL, last(BOTH)], "it must be a regression."),
        (
            [last(BOTH, function="regression"), last(BOTH)],
            "it is not supported here. Supported: TreeModel and MiningModel.",
        ),
        ([NUMBER, last(BOTH)], "it must have one OutputField, its predicted value."),
        (
            [SCORE.replace('"predictedValue"/>', '"predictedValue"><Odd/></OutputField>'), last(BOTH)],
            "an expression is not supported.",
        ),
        ([SCORE, last(BOTH, function="regression")], "it must be a classification."),
        ([SCORE, last(BOTH, "probit")], "normalizationMethod 'probit' with 2 tables is not supported."),
        ([SCORE, last(BOTH | {"v": TERM * 2})], "an intercept or several predictors are not supported."),
        (
            [SCORE, last(BOTH | {"v": TERM.replace('"1"', '"2"')})],
            "only the coefficient 1 is supported.",
        ),
        ([SCORE, last(BOTH | {"v": TERM.replace('"s"', '"t"')})], "it takes 't', which no segment gives."),
        (
            [SCORE, last(BOTH, attributes='x-mathContext="float"')],
            "its x-mathContext differs from that of the",
        ),
        (
            [SCORE, last({"v": TERM, "u": TERM})],
            "the first of two tables must have a predictor, and only that.",
        ),
    ],
    ids=range(12),
)
def test_chains(models, message):
    assert message in refusal(pmml(mining("classification", segments("modelChain", *models)), CLASSES))


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
        (b"<ODD>PMML</ODD>", "m: begins like XML, but is not PMML."),
    ],
    ids=range(6),
)
def test_documents(content, message):
    assert refusal(content) == message


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1"])
def test_encodings(encoding):
    content = one_test(simple("c", "equal", "ü")).replace('<Value value="u"/>', '<Value value="ü"/>')
    declared = f'<?xml version="1.0" encoding="{encoding}"?>{content}'.encode(encoding)
    ensemble = load_file(ModelFile("m", declared))
    assert ensemble.predict([[0.0, "ü"], [0.0, "v"]]).tolist() == [1.0, 2.0]


def test_an_encoding_that_the_text_is_not_in():
    sentence = refusal("<PMML>".encode("utf-16") + b"\x00\xd8<\x00")
    assert sentence.startswith("m: is not valid utf-16 (")
