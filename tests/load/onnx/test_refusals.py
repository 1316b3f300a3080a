"""The sentences of ONNX files whose trees or whose graph cannot be followed."""

import numpy as np
import onnx
import onnx_graphs as graphs
import pytest
from onnx import TensorProto, helper
from onnx_graphs import ml

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._file import ModelFile, load_file

FLOAT = TensorProto.FLOAT


def refusal(content, kind):
    with pytest.raises(kind) as caught:
        load_file(ModelFile("m.onnx", content))
    return str(caught.value)


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"post_transform": "PROBIT"}, UnsupportedModelError, "post_transform 'PROBIT' is not supported."),
        ({"aggregate_function": "MIN"}, UnsupportedModelError, "aggregate_function 'MIN' is not supported."),
        ({"n_targets": 2}, UnsupportedModelError, "it has 2 targets. Supported: 1."),
        ({"odd": 1}, UnsupportedModelError, "the attribute 'odd' is not supported."),
        (
            {"nodes_modes": ["BRANCH_ODD", "LEAF", "LEAF"]},
            UnsupportedModelError,
            "the mode 'BRANCH_ODD' is not supported.",
        ),
        ({"nodes_values": [0.5]}, ModelFormatError, "'nodes_values' has 1 entries instead of 3."),
        (
            {"nodes_truenodeids": [7, 0, 0]},
            ModelFormatError,
            "'nodes_truenodeids' names node 7 of tree 0, which does not exist.",
        ),
        ({"nodes_truenodeids": [0, 0, 0]}, ModelFormatError, "tree 0: node"),
        ({"nodes_featureids": [5, 0, 0]}, ModelFormatError, "column 5 of its input does not exist."),
        ({"nodes_values": [np.nan, 0.0, 0.0]}, ModelFormatError, "tree 0: node 0"),
        ({"target_nodeids": [0, 2]}, ModelFormatError, "'target_nodeids' names a node that is not a leaf."),
        ({"target_nodeids": [2, 2]}, UnsupportedModelError, "a leaf has two weights for the same score."),
        ({"target_ids": [0, 1]}, ModelFormatError, "'target_ids' must be from 0 to 0."),
        ({"target_weights": [np.inf, 1.0]}, ModelFormatError, "'target_weights' are not all finite."),
        ({"nodes_treeids": [0, 1, 0]}, UnsupportedModelError, "the nodes of a tree are not stored next to"),
        (
            {"aggregate_function": "AVERAGE", "base_values": [1.0]},
            UnsupportedModelError,
            "aggregate_function 'AVERAGE' together with 'base_values' is not supported.",
        ),
        ({"nodes_treeids": None}, ModelFormatError, "contains no tree."),
        ({"nodes_nodeids": [0, 1, 1]}, ModelFormatError, "two nodes of a tree have the same number."),
        ({"base_values": [1.0, 2.0]}, ModelFormatError, "'base_values' must be one finite number."),
        (
            {"target_ids": [0], "target_treeids": [0], "target_nodeids": [1], "target_weights": [1.0]},
            ModelFormatError,
            "a leaf has no weight.",
        ),
        (
            {"nodes_missing_value_tracks_true": [2, 0, 0]},
            ModelFormatError,
            "'nodes_missing_value_tracks_true'",
        ),
    ],
    ids=range(21),
)
def test_regressors(changes, kind, message):
    content = graphs.model_of([graphs.stump(**changes)], [("X", FLOAT, 2)], [("y", FLOAT)])
    sentence = refusal(content, kind)
    assert sentence.startswith(f"m.onnx: node 'trees' (TreeEnsembleRegressor): {message}")


ONE_WEIGHT = {"class_treeids": [0, 0], "class_nodeids": [1, 2], "class_weights": [1.0, -1.0]}


@pytest.mark.parametrize(
    ("n_classes", "changes", "kind", "message"),
    [
        (2, {"classlabels_int64s": None}, ModelFormatError, "must have either 'classlabels_strings' or"),
        (2, {"classlabels_int64s": [7]}, UnsupportedModelError, "it has a single class. Supported: at least"),
        (2, {"classlabels_int64s": [7, 7]}, ModelFormatError, "a class label occurs twice."),
        (2, {"base_values": [np.nan]}, ModelFormatError, "'base_values' are not all finite."),
        (2, {"base_values": [1.0, 2.0]}, UnsupportedModelError, "two 'base_values' for two classes are not"),
        (
            2,
            ONE_WEIGHT | {"class_ids": [1, 1]},
            UnsupportedModelError,
            "weights for the second of two classes",
        ),
        (2, {"class_weights": [1.0] * 4}, UnsupportedModelError, "weights for both of two classes are only"),
        (3, {"base_values": [1.0]}, ModelFormatError, "'base_values' has 1 entries for 3 classes."),
        (3, {"post_transform": "SOFTMAX_ZERO"}, UnsupportedModelError, "post_transform 'SOFTMAX_ZERO' of 3"),
        (
            3,
            ONE_WEIGHT | {"class_ids": [0, 2]},
            UnsupportedModelError,
            "class 0 has no weight in some leaves and there are no base values.",
        ),
    ],
    ids=range(10),
)
def test_classifiers(n_classes, changes, kind, message):
    trees = graphs.class_stump(n_classes, **changes)
    content = graphs.model_of([trees], [("X", FLOAT, 2)], [("label", TensorProto.INT64)])
    sentence = refusal(content, kind)
    assert sentence.startswith(f"m.onnx: node 'trees' (TreeEnsembleClassifier): {message}")


def test_a_class_without_a_weight_that_can_never_win():
    """The runtime leaves out classes without a score; with weights above 0 that makes no difference."""
    trees = graphs.class_stump(3, **(ONE_WEIGHT | {"class_ids": [0, 2], "class_weights": [1.0, 0.5]}))
    content = graphs.model_of([trees], [("X", FLOAT, 2)], [("label", TensorProto.INT64)])
    rows = np.float32([[0.0, 0.0], [1.0, 0.0]])
    expected = graphs.answers(content, X=rows)[0].tolist()
    assert load_file(ModelFile("m.onnx", content)).predict(rows).tolist() == expected == [0, 2]


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"post_transform": 1}, UnsupportedModelError, "post_transform 1 is not supported."),
        ({"aggregate_function": 2}, UnsupportedModelError, "aggregate_function 'MIN' is not supported."),
        ({"n_targets": 0}, ModelFormatError, "'n_targets' must be positive. Got 0 instead."),
        ({"n_targets": 2}, UnsupportedModelError, "it has 2 targets. Supported: 1."),
        ({"nodes_splits": None}, ModelFormatError, "'nodes_splits' is missing."),
        (
            {"nodes_splits": graphs.as_tensor([1.0])},
            ModelFormatError,
            "'nodes_modes' and 'nodes_splits' must",
        ),
        (
            {"nodes_modes": graphs.as_tensor([0, 9], np.uint8)},
            UnsupportedModelError,
            "'nodes_modes' holds a mode that is not supported.",
        ),
        (
            {"leaf_weights": graphs.as_tensor([0.0, 1.0, np.inf])},
            ModelFormatError,
            "'leaf_weights' are not all finite.",
        ),
        (
            {"nodes_falsenodeids": [1, 7]},
            ModelFormatError,
            "test 1: its false branch leads to 7, which does not exist.",
        ),
        ({"tree_roots": None}, ModelFormatError, "contains no tree."),
        ({"tree_roots": [2]}, ModelFormatError, "'tree_roots' names a test that does not exist."),
        (
            {"tree_roots": [0, 1]},
            UnsupportedModelError,
            "a test has two parents: this is a graph, not",
        ),
        (
            {
                "nodes_modes": graphs.as_tensor([6, 0], np.uint8),
                "membership_values": graphs.as_tensor([1.5, np.nan]),
            },
            UnsupportedModelError,
            "'membership_values' holds numbers that are not whole, or an empty set.",
        ),
        (
            {
                "nodes_modes": graphs.as_tensor([6, 0], np.uint8),
                "membership_values": graphs.as_tensor([1.0, np.nan, 2.0]),
            },
            ModelFormatError,
            "'membership_values' holds 2 sets for 1 tests.",
        ),
    ],
    ids=range(14),
)
def test_version_5(changes, kind, message):
    sentence = refusal(graphs.version_5([0, 0], [1.0, 2.0], **changes), kind)
    assert sentence.startswith(f"m.onnx: node 'trees' (TreeEnsemble): {message}")


def test_trees_with_too_many_scores():
    n_tests = 1024
    content = graphs.version_5([0] * n_tests, [0.0] * n_tests, n_targets=2**20)
    assert refusal(content, ModelFormatError).endswith("2049 nodes times 1048576 scores are too many.")


def test_the_last_set_may_end_without_a_mark():
    content = graphs.version_5([6], [0.0], members=[1, 4])
    assert load_file(ModelFile("m.onnx", content)).predict([[1.0, 0], [4, 0], [2, 0]]).tolist() == [0, 0, 1]


def changed(change, nodes=None, inputs=(("X", FLOAT, 2),)):
    """Return the file of a stump whose parsed form was changed."""
    content = graphs.model_of(nodes or [graphs.stump()], inputs, [("y", FLOAT)])
    model = onnx.load_model_from_string(content)
    change(model)
    return model.SerializeToString()


def sparse(model):
    model.graph.sparse_initializer.add()


def without_output(model):
    del model.graph.output[:]


def table_as_output(model):
    model.graph.output.add().name = "X"


def twice(model):
    model.graph.node[0].attribute.append(model.graph.node[0].attribute[0])


def elsewhere(model):
    tensor = onnx.numpy_helper.from_array(np.zeros(1), "big")
    tensor.data_location = TensorProto.EXTERNAL
    model.graph.initializer.append(tensor)


def too_short(model):
    tensor = onnx.numpy_helper.from_array(np.zeros(2), "cut")
    tensor.raw_data = tensor.raw_data[:9]
    model.graph.initializer.append(tensor)


def complex_numbers(model):
    model.graph.initializer.append(onnx.numpy_helper.from_array(np.zeros(1, dtype=complex), "waves"))


def not_utf8(model):
    tensor = onnx.helper.make_tensor("names", TensorProto.STRING, [1], [b"\xff"])
    model.graph.initializer.append(tensor)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        (sparse, UnsupportedModelError, "m.onnx: sparse tensors and functions are not supported."),
        (without_output, ModelFormatError, "m.onnx: the graph has no output."),
        (table_as_output, UnsupportedModelError, "m.onnx: an output does not come from the trees."),
        (twice, ModelFormatError, "m.onnx: node 'trees' (TreeEnsembleRegressor): an attribute occurs twice."),
        (elsewhere, UnsupportedModelError, "m.onnx: initializer 'big': is stored in another file, which is"),
        (too_short, ModelFormatError, "m.onnx: initializer 'cut': is damaged (ValueError: "),
        (
            complex_numbers,
            UnsupportedModelError,
            "m.onnx: initializer 'waves': has values of type complex128",
        ),
        (not_utf8, ModelFormatError, "m.onnx: initializer 'names': is "),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_graphs(change, kind, message):
    assert refusal(changed(change), kind).startswith(message)


def test_labels_that_are_not_utf8():
    trees = graphs.class_stump(classlabels_int64s=None, classlabels_strings=[b"\xff", b"b"])
    content = graphs.model_of([trees], [("X", FLOAT, 2)], [("label", TensorProto.STRING)])
    assert refusal(content, ModelFormatError).endswith("'classlabels_strings' is not UTF-8.")


def test_trees_over_text_are_refused():
    content = graphs.model_of([graphs.stump()], [("X", TensorProto.STRING, 2)], [("y", FLOAT)])
    assert refusal(content, UnsupportedModelError).endswith("its input is not a table of numbers.")


def test_a_number_that_is_also_a_category_is_refused():
    steps = [
        ml("LabelEncoder", ["X"], ["code"], keys_int64s=[1, 2], values_int64s=[0, 1]),
        helper.make_node("Concat", ["X", "code"], ["Z"], axis=1),
        graphs.stump(
            "Z",
            nodes_treeids=[0] * 5,
            nodes_nodeids=range(5),
            nodes_featureids=[0, 1, 0, 0, 0],
            nodes_modes=["BRANCH_LEQ", "BRANCH_LEQ", "LEAF", "LEAF", "LEAF"],
            nodes_values=[0.5, 0.5, 0.0, 0.0, 0.0],
            nodes_truenodeids=[1, 2, 0, 0, 0],
            nodes_falsenodeids=[4, 3, 0, 0, 0],
            target_treeids=[0] * 3,
            target_nodeids=[2, 3, 4],
            target_ids=[0] * 3,
            target_weights=[1.0, 2.0, 3.0],
        ),
    ]
    content = graphs.model_of(steps, [("X", TensorProto.INT64, 1)], [("y", FLOAT)])
    assert refusal(content, UnsupportedModelError) == "m.onnx: 'X' is used as a number and as a category."
