"""The nodes of Spark's trees.

A continuous split sends ``x <= threshold`` left, and so NaN right. A categorical split stores the
categories of the left branch; a value that is no category goes with the longer of the two lists.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.load._compared_nodes import LEAF, LEQ, MEMBER, ComparedNodes
from sightline.load.spark._folder import SparkFolder

_NODE_FIELDS = ("id", "prediction", "impurityStats", "leftChild", "rightChild", "split")
_SPLIT_FIELDS = ("featureIndex", "leftCategoriesOrThreshold", "numCategories")


def read_nodes(
    model: SparkFolder, is_ensemble: bool, n_scores: int, uses_counts: bool
) -> tuple[ComparedNodes, list[float]]:
    """Return the trees of a model and their weights.

    Parameters
    ----------
    model : SparkFolder
        The model.
    is_ensemble : bool
        Whether it has several trees.
    n_scores : int
        Outputs of each leaf.
    uses_counts : bool
        Whether these are the training rows of each class, or else the prediction.
    """
    table = model.table()
    if not table.num_rows:
        raise model.fault("contains no tree")
    if is_ensemble:
        _require(model, table, ("treeID", "nodeData"))
        tree = _array(model, table, "treeID", np.int64)
        nodes = table.column("nodeData").combine_chunks()
    else:
        tree = np.zeros(table.num_rows, dtype=np.int64)
        nodes = table.to_struct_array().combine_chunks()
    found = _fields(model, nodes, _NODE_FIELDS)
    split = _fields(model, found["split"], _SPLIT_FIELDS)
    number = _numbers(model, found["id"], np.int64)
    order = np.lexsort((number, tree))
    ids, begin = np.unique(tree[order], return_index=True)
    begin = np.append(begin, len(order))
    offset = np.arange(len(order)) - np.repeat(begin[:-1], np.diff(begin))
    if ids.tolist() != list(range(len(ids))) or (number[order] != offset).any():
        raise model.fault("its trees or nodes are not numbered from 0")
    left, right = (_numbers(model, found[name], np.int64)[order] for name in ("leftChild", "rightChild"))
    is_leaf = (left < 0) & (right < 0)
    made = _Splits(model, split, order, is_leaf)
    output = _outputs(model, found, order, n_scores, uses_counts)
    trees = ComparedNodes(
        begin=begin.astype(np.int64),
        mode=made.mode,
        feature=made.feature,
        value=made.value,
        true=np.where(made.is_swapped, right, left),
        false=np.where(made.is_swapped, left, right),
        missing_is_true=np.zeros(len(order), dtype=np.bool_),
        members=tuple(made.members),
        output=output * is_leaf[:, np.newaxis],
        has_output=np.repeat(is_leaf[:, np.newaxis], n_scores, axis=1),
    )
    return trees, _weights(model, len(ids)) if is_ensemble else [1.0]


class _Splits:
    """The tests of all nodes, in their order."""

    def __init__(
        self, model: SparkFolder, split: dict[str, Any], order: NDArray[np.int64], is_leaf: NDArray[np.bool_]
    ) -> None:
        lists = split["leftCategoriesOrThreshold"]
        begin = np.asarray(lists.offsets)
        values = _numbers(model, lists.values, np.float64)
        n_categories = _numbers(model, split["numCategories"], np.int64)[order]
        self.feature = _numbers(model, split["featureIndex"], np.int64)[order]
        first, last = begin[:-1][order], begin[1:][order]
        is_categorical = ~is_leaf & (n_categories >= 0)
        is_threshold = ~is_leaf & ~is_categorical
        if (last - first != 1)[is_threshold].any() or (n_categories > 2**20).any():
            raise model.fault("a split has no threshold, or too many categories")
        self.mode = np.where(is_leaf, LEAF, np.where(is_categorical, MEMBER, LEQ)).astype(np.uint8)
        self.value = np.zeros(len(order))
        self.value[is_threshold] = values[first[is_threshold]]
        self.is_swapped = np.zeros(len(order), dtype=np.bool_)
        self.members: list[NDArray[np.float64]] = []
        for node in np.flatnonzero(is_categorical).tolist():
            listed = np.unique(values[first[node] : last[node]])
            every = np.arange(float(n_categories[node]))
            if not np.isin(listed, every).all() or len(listed) in (0, len(every)):
                raise model.fault(
                    f"node {node}: a category does not exist, or none takes one of the branches"
                )
            # The shorter list is asked for; what is in neither goes the other way.
            self.is_swapped[node] = not last[node] - first[node] <= n_categories[node] / 2
            self.members.append(np.setdiff1d(every, listed) if self.is_swapped[node] else listed)


def _outputs(
    model: SparkFolder, found: dict[str, Any], order: NDArray[np.int64], n_scores: int, uses_counts: bool
) -> NDArray[np.float64]:
    if not uses_counts:
        return _numbers(model, found["prediction"], np.float64)[order][:, np.newaxis]
    lists = found["impurityStats"]
    begin, values = np.asarray(lists.offsets), _numbers(model, lists.values, np.float64)
    if (np.diff(begin) != n_scores).any():
        raise model.fault(f"a node does not count {n_scores} classes")
    return values[begin[0] :].reshape(-1, n_scores)[order]


def _weights(model: SparkFolder, n_trees: int) -> list[float]:
    table = model.table("treesMetadata")
    names = ("treeID", "weights") if "treeID" in table.column_names else ("_1", "_3")
    _require(model, table, names)
    tree, weight = _array(model, table, names[0], np.int64), _array(model, table, names[1], np.float64)
    if np.sort(tree).tolist() != list(range(n_trees)):
        raise model.fault("'treesMetadata' does not list the trees")
    result: list[float] = weight[np.argsort(tree)].tolist()
    return result


def _require(model: SparkFolder, table: Any, names: tuple[str, ...]) -> None:
    absent = [name for name in names if name not in table.column_names]
    if absent:
        raise model.fault(f"the column {absent[0]!r} is missing")


def _array(model: SparkFolder, table: Any, name: str, dtype: type) -> NDArray[Any]:
    return _numbers(model, table.column(name).combine_chunks(), dtype)


def _fields(model: SparkFolder, struct: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of an array of structures."""
    known = {field.name for field in struct.type} if hasattr(struct, "field") else set()
    absent = [name for name in names if name not in known]
    if absent or struct.null_count:
        raise model.fault(f"the field {absent[0]!r} is missing" if absent else "a node is missing")
    return {name: struct.field(name) for name in names}


def _numbers(model: SparkFolder, array: Any, dtype: type) -> NDArray[Any]:
    if array.null_count or str(array.type) not in ("int32", "int64", "double", "float"):
        raise model.fault(f"a column holds {array.type} or missing values instead of numbers")
    return np.asarray(array.to_numpy(zero_copy_only=False)).astype(dtype)
