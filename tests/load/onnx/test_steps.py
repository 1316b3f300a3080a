"""Steps in front of and behind ONNX trees: what onnxruntime computes, or a sentence that names the step."""

import numpy as np
import onnx
import onnx_graphs as graphs
import pandas as pd
import pytest
from onnx import TensorProto, helper
from onnx_graphs import ml

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._file import ModelFile, load_file

FLOAT, DOUBLE, INT64, STRING = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT64, TensorProto.STRING
make = helper.make_node


def read(content):
    return load_file(ModelFile("m.onnx", content))


def in_front(steps, inputs, constants=(), trees=None):
    """Return a graph whose steps make the table Z of a stump."""
    nodes = [*steps, graphs.stump("Z") if trees is None else trees]
    return graphs.model_of(nodes, inputs, [("y", FLOAT)], version=4, constants=constants)


def behind(step, kind=STRING, constants=(), n_classes=2):
    """Return a graph whose step makes the answer from the labels or scores of a stump."""
    nodes = [graphs.class_stump(n_classes), step]
    return graphs.model_of(nodes, [("X", FLOAT, 2)], [("out", kind)], version=4, constants=constants)


def refusal(content):
    with pytest.raises((ModelFormatError, UnsupportedModelError)) as caught:
        read(content)
    return str(caught.value)


COLUMNS = {"A": np.array([0.25, 0.5, 2.0, -1.0, np.nan]), "B": np.array([2.0, 0.0, 1.0, -0.5, 0.0])}


@pytest.mark.parametrize(
    ("steps", "dtype", "constants"),
    [
        ([make("Sub", ["one", "A"], ["Z"])], FLOAT, {"one": np.float32([1])}),
        ([make("Div", ["A", "half"], ["Z"])], DOUBLE, {"half": np.array([-0.5])}),
        ([ml("FeatureVectorizer", ["B", "A"], ["Z"], inputdimensions=[1, 1])], DOUBLE, {}),
        (
            [
                make("Concat", ["A", "B"], ["both"], axis=1),
                ml("ArrayFeatureExtractor", ["both", "second"], ["Z"]),
            ],
            FLOAT,
            {"second": np.array([1])},
        ),
        (
            [make("Concat", ["A", "B"], ["both"], axis=1), make("Gather", ["both", "last"], ["Z"], axis=1)],
            FLOAT,
            {"last": np.array([-1, 0])},
        ),
        ([make("Flatten", ["A"], ["Z"])], FLOAT, {}),
        ([ml("Scaler", ["A"], ["Z"], offset=[0.1], scale=[0.3])], DOUBLE, {}),
        (
            [
                make("Constant", [], ["one"], value=graphs.as_tensor([1], np.float32)),
                make("Add", ["A", "one"], ["Z"]),
            ],
            FLOAT,
            {},
        ),
        ([make("Cast", ["A"], ["double"], to=DOUBLE), make("Cast", ["double"], ["Z"], to=FLOAT)], FLOAT, {}),
    ],
    ids=["sub", "div", "vectorizer", "extractor", "gather", "flatten", "scaler", "constant", "cast"],
)
def test_steps_of_numbers(steps, dtype, constants):
    content = in_front(steps, [("A", dtype, 1), ("B", dtype, 1)], list(constants.items()))
    numbers = np.float32 if dtype == FLOAT else np.float64
    expected = graphs.answers(content, **{k: v[:, np.newaxis].astype(numbers) for k, v in COLUMNS.items()})
    assert read(content).predict(pd.DataFrame(COLUMNS)).tolist() == expected[0].ravel().tolist()


TEXT = {"keys_strings": ["a", "b"]}
TEXT_TENSOR = {"keys_tensor": graphs.as_tensor(["a", "b"], object)}


@pytest.mark.parametrize("threshold", [-0.5, 0.5])
@pytest.mark.parametrize(
    "table",
    [
        TEXT | {"values_int64s": [1, 0]},
        TEXT | {"values_int64s": [1, 0], "default_int64": 7},
        TEXT | {"values_int64s": [1, 0], "default_tensor": graphs.as_tensor([7], np.int64)},
        TEXT | {"values_floats": [1.0, 0.0], "default_float": 7.0},
        TEXT | {"values_floats": [-1.0, 1.0]},
        TEXT_TENSOR | {"values_tensor": graphs.as_tensor([1, 0], np.int64)},
        TEXT_TENSOR | {"values_tensor": graphs.as_tensor([1, 0], np.int64), "default_int64": 7},
        TEXT_TENSOR | {"values_tensor": graphs.as_tensor([1, 0], np.float32), "default_float": 7.0},
    ],
    ids=range(8),
)
def test_the_default_of_an_encoder(table, threshold):
    """Categories that the encoder does not list get the default that onnxruntime gives them."""
    steps = [ml("LabelEncoder", ["s"], ["code"], **table), make("Cast", ["code"], ["Z"], to=FLOAT)]
    trees = graphs.stump("Z", nodes_values=[threshold, 0.0, 0.0])
    content = in_front(steps, [("s", STRING, 1)], trees=trees)
    expected = graphs.answers(content, s=np.array([["a"], ["b"], ["new"]], dtype=object))
    frame = pd.DataFrame({"s": ["a", "b", "new"]})
    assert read(content).predict(frame).tolist() == expected[0].ravel().tolist()


def test_the_first_version_of_the_encoder():
    nodes = [ml("LabelEncoder", ["s"], ["code"], classes_strings=["a", "b"])]
    nodes += [make("Cast", ["code"], ["Z"], to=FLOAT), graphs.stump("Z")]
    content = graphs.model_of(nodes, [("s", STRING, 1)], [("y", FLOAT)], version=1)
    expected = graphs.answers(content, s=np.array([["a"], ["b"], ["new"]], dtype=object))
    frame = pd.DataFrame({"s": ["a", "b", "new"]})
    assert read(content).predict(frame).tolist() == expected[0].ravel().tolist()


NUMBERS = {"keys_int64s": [0, 1]}
NUMBER_TENSOR = {"keys_tensor": graphs.as_tensor([0, 1], np.int64)}


@pytest.mark.parametrize(
    ("step", "constants"),
    [
        (ml("LabelEncoder", ["label"], ["out"], values_strings=["p", "q"], **NUMBERS), {}),
        (
            ml("LabelEncoder", ["label"], ["out"], values_strings=["p", "q"], default_string="r", **NUMBERS),
            {},
        ),
        (
            ml(
                "LabelEncoder",
                ["label"],
                ["out"],
                values_tensor=graphs.as_tensor(["p", "q"], object),
                **NUMBER_TENSOR,
            ),
            {},
        ),
        (
            ml("ArrayFeatureExtractor", ["names", "label"], ["out"]),
            {"names": np.array(["p", "q", "r"], dtype=object)},
        ),
    ],
    ids=["encoder", "default", "tensor", "table"],
)
def test_names_of_labels(step, constants):
    content = behind(step, n_classes=3, constants=list(constants.items()))
    rows = np.float32([[0.0, 0.0], [1.0, 0.0]])
    assert read(content).predict(rows).tolist() == graphs.answers(content, X=rows)[0].ravel().tolist()


def test_scores_that_are_converted():
    content = behind(make("Cast", ["scores"], ["out"], to=DOUBLE), DOUBLE)
    rows = np.float32([[0.0, 0.0], [1.0, 0.0]])
    np.testing.assert_allclose(read(content).predict_proba(rows), graphs.answers(content, X=rows)[0])


TABLE, NAMES = [("X", FLOAT, 2)], [("X", STRING, 1)]


@pytest.mark.parametrize(
    ("step", "inputs", "message"),
    [
        (make("Cast", ["X"], ["Z"], to=STRING), TABLE, "a conversion from or to text is not supported."),
        (make("Cast", ["X"], ["Z"], to=TensorProto.BFLOAT16), TABLE, "the type 16 is not supported."),
        (make("Cast", ["X"], ["Z"], to=TensorProto.BOOL), TABLE, "a conversion of numbers to whole numbers"),
        (
            make("Cast", ["X"], ["Z"], to=TensorProto.BOOL),
            [("X", INT64, 2)],
            "a conversion to truth values is not supported.",
        ),
        (ml("Scaler", ["X"], ["Z"], offset=[0.0] * 3, scale=[1.0]), TABLE, "'offset' has 3 entries for 2"),
        (ml("Scaler", ["X"], ["Z"], offset=[0.0], scale=[np.inf]), TABLE, "'scale' is not finite."),
        (ml("Scaler", ["X"], ["Z"], offset=[0.0], scale=[1.0]), NAMES, "it needs a table of numbers."),
        (
            ml("Imputer", ["X"], ["Z"], imputed_value_floats=[1.0], replaced_value_float=0.0),
            TABLE,
            "it replaces 0. Supported: NaN.",
        ),
        (
            ml("Imputer", ["X"], ["Z"], imputed_value_floats=[1.0]),
            [("X", INT64, 2)],
            "filling in whole numbers is not supported.",
        ),
        (make("Add", ["X", "X"], ["Z"]), TABLE, "arithmetic of two columns is not supported."),
        (make("Add", ["X"], ["Z"]), TABLE, "it needs 2 inputs, but has 1."),
        (
            make("Add", ["X", "one"], ["Z"]),
            [("X", INT64, 2)],
            "arithmetic of whole numbers is not supported.",
        ),
        (
            make("Add", ["X", "shape"], ["Z"]),
            TABLE,
            "a constant of shape (3,) for 2 columns is not supported.",
        ),
        (make("Div", ["one", "X"], ["Z"]), TABLE, "a division by a column or by zero is not supported."),
        (make("Concat", ["X"], ["Z"], axis=0), TABLE, "it does not join columns."),
        (make("Concat", ["X", "one"], ["Z"], axis=1), TABLE, "it is not supported here."),
        (ml("FeatureVectorizer", ["X"], ["Z"], inputdimensions=[3]), TABLE, "'inputdimensions' must be [2]."),
        (make("Flatten", ["X"], ["Z"], axis=0), TABLE, "it does not keep the rows."),
        (make("Reshape", ["X", "shape"], ["Z"]), TABLE, "the shape [1, 2, 3] does not keep the rows."),
        (make("Reshape", ["X", "X"], ["Z"]), TABLE, "its shape is not constant."),
        (
            ml("ArrayFeatureExtractor", ["X", "X"], ["Z"]),
            TABLE,
            "it selects by something that is not constant.",
        ),
        (
            ml("ArrayFeatureExtractor", ["X", "shape"], ["Z"]),
            TABLE,
            "it selects a column that does not exist.",
        ),
        (make("Gather", ["X", "shape"], ["Z"]), TABLE, "it does not select columns."),
        (make("Gather", ["one", "X"], ["Z"]), TABLE, "it does not look up numbers of double precision."),
        (
            ml("OneHotEncoder", ["X"], ["Z"], cats_strings=["a", "a"]),
            NAMES,
            "its categories are not a list of different values.",
        ),
        (
            ml("OneHotEncoder", ["X"], ["Z"], cats_int64s=[1, 2]),
            NAMES,
            "it looks up text in a column of numbers, or numbers in a column of text.",
        ),
        (
            ml("OneHotEncoder", ["X"], ["Z"], cats_int64s=[1, 2]),
            TABLE,
            "categories in a column of float numbers are not supported.",
        ),
        (ml("LabelEncoder", ["X"], ["Z"], values_int64s=[1]), NAMES, "has no keys."),
        (
            ml("LabelEncoder", ["X"], ["Z"], values_strings=["b"], keys_strings=["a"]),
            NAMES,
            "columns of text before the trees are not supported.",
        ),
        (
            ml("LabelEncoder", ["X"], ["Z"], values_int64s=[1, 2], keys_strings=["a"]),
            NAMES,
            "its keys are not different, or do not match its values.",
        ),
        (
            ml("LabelEncoder", ["X"], ["Z"], values_int64s=[1], keys_floats=[np.nan]),
            TABLE,
            "the key NaN is not supported.",
        ),
        (
            ml("LabelEncoder", ["X"], ["Z"], values_tensor=graphs.as_tensor([1], np.uint8), **TEXT_TENSOR),
            NAMES,
            "values of type uint8 are not supported.",
        ),
        (
            ml(
                "LabelEncoder",
                ["X"],
                ["Z"],
                values_int64s=[1, 2],
                default_tensor=graphs.as_tensor([]),
                **TEXT_TENSOR,
            ),
            NAMES,
            "'default_tensor' must be one value of the type of the others.",
        ),
    ],
    ids=range(33),
)
def test_steps_in_front_that_are_refused(step, inputs, message):
    constants = [("one", np.float32([1.0])), ("shape", np.array([1, 2, 3]))]
    sentence = refusal(in_front([step], inputs, constants))
    assert sentence.startswith(f"m.onnx: node 0 ({step.op_type}): {message}")


def test_axes_that_differ_are_refused():
    steps = [
        ml("OneHotEncoder", ["s"], ["three_axes"], cats_strings=["a"]),
        make("Concat", ["three_axes", "X"], ["Z"], axis=1),
    ]
    sentence = refusal(in_front(steps, [("s", STRING, 1), ("X", FLOAT, 1)]))
    assert sentence == "m.onnx: node 1 (Concat): its inputs have different or too many axes."


def test_text_in_codes_is_refused():
    steps = [
        ml("LabelEncoder", ["s"], ["code"], values_int64s=[1, 2], **TEXT),
        ml("LabelEncoder", ["code"], ["Z"], values_int64s=[1, 2], **TEXT),
    ]
    sentence = refusal(in_front(steps, [("s", STRING, 1)]))
    assert sentence == "m.onnx: node 1 (LabelEncoder): it looks up text in a column of numbers."


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (make("Squeeze", ["scores"], ["out"]), "it is not supported after the trees."),
        (make("Sum", ["scores", "scores"], ["out"]), "a sum of several outputs is not supported after the"),
        (make("Mul", ["scores"], ["out"]), "it needs 2 inputs, but has 1."),
        (make("Gather", ["names", "label"], ["out"]), "it is not supported after the trees."),
        (make("Cast", ["label"], ["out"], to=STRING), "a conversion to type 8 is not supported after"),
        (ml("LabelEncoder", ["scores"], ["out"]), "it is not supported after the trees."),
        (ml("ArrayFeatureExtractor", ["label", "names"], ["out"]), "it is not supported after the trees."),
        (ml("ArrayFeatureExtractor", ["names", "label"], ["out"]), "a label is not an index of its table."),
        (
            ml("LabelEncoder", ["label"], ["out"], keys_int64s=[5], values_strings=["p"]),
            "it gives several classes the same label.",
        ),
    ],
    ids=range(9),
)
def test_steps_behind_that_are_refused(step, message):
    sentence = refusal(behind(step, constants=[("names", np.array(["p"], dtype=object))]))
    assert sentence.startswith(f"m.onnx: node 1 ({step.op_type}): {message}")


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([make("Cast", ["leaf"], ["out"], to=FLOAT)], "it is not supported after a table of leaves."),
        ([make("Gather", ["short", "leaf"], ["out"])], "it selects an entry that does not exist."),
        (
            [make("Gather", ["codes", "leaf"], ["negative"]), make("Gather", ["codes", "negative"], ["out"])],
            "it selects an entry that does not exist.",
        ),
    ],
    ids=range(3),
)
def test_tables_of_leaves_that_are_refused(steps, message):
    nodes = [graphs.stump(), make("Cast", ["y"], ["leaf"], to=INT64), *steps]
    constants = [("short", np.array([1.0])), ("codes", np.array([0, -9, -9]))]
    content = graphs.model_of(nodes, [("X", FLOAT, 2)], [("out", FLOAT)], constants=constants)
    assert refusal(content) == f"m.onnx: node {len(nodes) - 1} ({steps[-1].op_type}): {message}"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.zeros((3, 2), dtype=np.int64), "m.onnx: its outputs are not labels and probabilities."),
        (np.zeros((3, 2)), "m.onnx: it has 2 outputs. Supported: 1."),
    ],
    ids=["whole", "wide"],
)
def test_outputs_that_are_refused(table, message):
    nodes = [
        graphs.stump(),
        make("Cast", ["y"], ["leaf"], to=INT64),
        make("Gather", ["table", "leaf"], ["out"]),
    ]
    content = graphs.model_of(nodes, TABLE, [("out", DOUBLE)], constants=[("table", table)])
    assert refusal(content) == message


@pytest.mark.parametrize("axis", [0, 1])
def test_codes_that_are_looked_up_again(axis):
    """Codes of categories become whole numbers, then entries of a table, then other numbers."""
    table = [0.25, 7.0]
    steps = [
        ml("LabelEncoder", ["s"], ["number"], values_floats=[1.0, 0.0], **TEXT),
        make("Cast", ["number"], ["code"], to=INT64),
        make("Gather", ["table", "code"], ["entry"], axis=axis),
        make("Cast", ["entry"], ["Z"], to=FLOAT),
    ]
    content = in_front(steps, [("s", STRING, 1)], [("table", np.array(table))])
    if axis:
        sentence = "m.onnx: node 2 (Gather): it does not look up numbers of double precision."
        assert refusal(content) == sentence
        return
    expected = graphs.answers(content, s=np.array([["a"], ["b"]], dtype=object))[0].ravel().tolist()
    assert read(content).predict(pd.DataFrame({"s": ["a", "b"]})).tolist() == expected


def test_codes_that_are_no_whole_numbers_are_refused():
    steps = [
        ml("LabelEncoder", ["s"], ["number"], values_floats=[1.5, 0.0], **TEXT),
        make("Cast", ["number"], ["Z"], to=INT64),
    ]
    sentence = "m.onnx: node 1 (Cast): a conversion of numbers to whole numbers is not supported."
    assert refusal(in_front(steps, [("s", STRING, 1)])) == sentence


def test_columns_of_different_types_are_refused():
    steps = [make("Concat", ["A", "B"], ["Z"], axis=1)]
    sentence = "m.onnx: node 0 (Concat): its inputs have different types."
    assert refusal(in_front(steps, [("A", FLOAT, 1), ("B", DOUBLE, 1)])) == sentence


def test_a_table_without_a_fixed_number_of_columns_is_refused():
    content = graphs.model_of([graphs.stump()], [("X", FLOAT, None)], [("y", FLOAT)])
    assert refusal(content) == "m.onnx: input 'X' has no fixed number of columns."


def leaves_with_labels(notes, labels=("no", "yes", "no")):
    """Return a graph as our own export writes it: tables of labels and probabilities, and its notes."""
    nodes = [
        graphs.stump(),
        make("Cast", ["y"], ["leaf"], to=INT64),
        make("Gather", ["shares", "leaf"], ["probabilities"]),
        make("Gather", ["names", "leaf"], ["label"]),
    ]
    shares = np.array([[1.0, 0.0], [0.25, 0.75], [0.5, 0.5]])
    constants = [("shares", shares), ("names", np.array(labels, dtype=object))]
    outputs = [("label", STRING), ("probabilities", DOUBLE)]
    model = onnx.load_model_from_string(graphs.model_of(nodes, TABLE, outputs, constants=constants))
    if notes is not None:
        entry = model.metadata_props.add()
        entry.key, entry.value = "sightline", notes
    return model.SerializeToString()


@pytest.mark.parametrize(
    ("notes", "labels"),
    [
        (None, ("no", "yes", "no")),
        ("{", ("no", "yes", "no")),
        ("[]", ("no", "yes", "no")),
        ("[" * 100_000, ("no", "yes", "no")),
        ('{"features": 3}', ("no", "yes", "no")),
        ('{"features": [{"name": "a"}, {"name": "b"}], "classes": ["no"]}', ("no", "yes", "no")),
    ],
    ids=["none", "damaged", "list", "deep", "features", "classes"],
)
def test_labels_without_the_names_of_classes_are_refused(notes, labels):
    sentence = "m.onnx: its metadata does not name its classes."
    assert refusal(leaves_with_labels(notes, labels)) == sentence


def test_labels_of_a_less_probable_class_are_refused():
    notes = '{"features": [{"name": "a"}, {"name": "b"}], "classes": ["no", "yes"]}'
    assert read(leaves_with_labels(notes)).predict([[0.0, 0.0], [1.0, 0.0]]).tolist() == ["yes", "no"]
    sentence = "m.onnx: a leaf has a different label than its most probable class."
    assert refusal(leaves_with_labels(notes, ("no", "no", "no"))) == sentence
