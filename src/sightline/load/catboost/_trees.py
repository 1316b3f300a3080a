"""The stored trees of CatBoost, before their tests are translated.

Oblivious trees, which have one test per level, become plain trees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._fields import Fields, flattened

NUMBER, CATEGORY, CTR = range(3)
"""Kinds of splits."""

_KINDS = {"FloatFeature": NUMBER, "OneHotFeature": CATEGORY, "OnlineCtr": CTR}
_MEMBERS = [
    "split.float_feature_index",
    "split.cat_feature_index",
    "split.border",
    "split.value",
    "split.split_index",
    "weight",
]
_MAX_DEPTH = 30


@dataclass(frozen=True)
class StoredNodes:
    """Inner nodes, then leaves. As in the library, the yes-branch of a test is the right one.

    Parameters
    ----------
    where : str
        File and tree, for error messages.
    kind : ndarray of int
        Per test: number, category or CTR; -1 for any other.
    column, border, category, index : ndarray of float64
        Per test: the feature among those of its kind, the border, the hash of the category, the
        index of the split in the model. NaN for what it does not have.
    test, left, right : ndarray of int
        Per inner node. Oblivious trees have one test per level, others one per inner node.
    output, weight : ndarray of float64
        Per node.
    """

    where: str
    kind: NDArray[Any]
    column: NDArray[np.float64]
    border: NDArray[np.float64]
    category: NDArray[np.float64]
    index: NDArray[np.float64]
    test: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    output: NDArray[np.float64]
    weight: NDArray[np.float64]

    def fault(self, test: int, sentence: str) -> ModelFormatError:
        """Return an error that names the first node with a test."""
        node = int((self.test == test).argmax())
        return ModelFormatError(f"{self.where}: node {node}: {sentence}.")


def read_trees(root: Fields, n_scores: int) -> Iterator[StoredNodes]:
    """Yield the trees of a document.

    Parameters
    ----------
    root : Fields
        The document.
    n_scores : int
        Outputs per leaf.

    Yields
    ------
    StoredNodes
        One tree.
    """
    oblivious = "oblivious_trees" in root
    for number, tree in enumerate(root.entries("oblivious_trees" if oblivious else "trees")):
        where = f"{root.where}: tree {number}"
        yield _oblivious(Fields(tree, where), n_scores) if oblivious else _nested(tree, n_scores, where)


def _oblivious(tree: Fields, n_scores: int) -> StoredNodes:
    splits = [Fields(split, f"{tree.where}: split {k}") for k, split in enumerate(_splits(tree))]
    depth = len(splits)
    if depth > _MAX_DEPTH or len(tree.numbers("leaf_values")) != n_scores << depth:
        raise tree.fault(f"{len(tree.numbers('leaf_values'))} leaf values do not match {depth} splits")
    tests = [_oblivious_test(split) for split in reversed(splits)]
    n_inner = (1 << depth) - 1
    # The last split is the highest bit of a leaf index. With it at the root, leaves keep their order.
    kind, column, border, category, index = np.array(tests, dtype=np.float64).reshape(depth, 5).T
    value = np.zeros((2 * n_inner + 1, n_scores))
    value[n_inner:] = tree.numbers("leaf_values").reshape(-1, n_scores)
    weight = np.zeros(2 * n_inner + 1)
    if "leaf_weights" in tree and len(tree.numbers("leaf_weights")):
        weight[n_inner:] = tree.numbers("leaf_weights", n_inner + 1)
    for level in range(depth - 1, -1, -1):
        begin, end = (1 << level) - 1, (2 << level) - 1
        weight[begin:end] = weight[end : 2 * end + 1 : 2] + weight[end + 1 : 2 * end + 1 : 2]
    shape = _oblivious_shape(depth)
    return StoredNodes(tree.where, kind, column, border, category, index, *shape, value, weight)


def _nested(tree: Any, n_scores: int, where: str) -> StoredNodes:
    nodes = flattened(
        tree,
        where,
        left="left",
        right="right",
        numbers=_MEMBERS,
        strings=["split.split_type"],
        ignored=["split.ctr_target_border_idx"],
        vector="value",
        width=n_scores,
    )
    strings, distinct = nodes.strings(0), nodes.distinct
    is_leaf = np.asarray(~np.isnan(nodes.vector).any(axis=1))
    has_child = (nodes.left >= 0, nodes.right >= 0)
    if not (has_child[0] == ~is_leaf).all() or not (has_child[1] == ~is_leaf).all():
        node = int(((has_child[0] == is_leaf) | (has_child[1] == is_leaf)).argmax())
        raise ModelFormatError(f"{where}: node {node}: it must have two children or a value.")
    # Inner nodes first, as in oblivious trees.
    order = np.concatenate([np.flatnonzero(~is_leaf), np.flatnonzero(is_leaf)])
    index = np.empty(len(order), dtype=np.int64)
    index[order] = np.arange(len(order))
    inner = order[: len(order) - int(is_leaf.sum())]
    kinds = np.array([*(_KINDS.get(string, -1) for string in distinct), -1])
    *members, weight = (nodes.numbers(k)[order] for k in range(len(_MEMBERS)))
    numeric, nominal, border, category, split = (member[: len(inner)] for member in members)
    kind = kinds[strings[inner]]
    outputs = np.where(is_leaf[order][:, np.newaxis], nodes.vector[order], 0.0)
    weight = _summed_weights(np.nan_to_num(weight, nan=0.0), nodes.left, nodes.right, order, index)
    return StoredNodes(
        where,
        kind,
        np.where(kind == NUMBER, numeric, nominal),
        border,
        category,
        split,
        np.arange(len(inner)),
        index[nodes.left[inner]],
        index[nodes.right[inner]],
        outputs,
        weight,
    )


def _splits(tree: Fields) -> list[Any]:
    """Return the splits. A tree of a single leaf has null."""
    return [] if tree.any("splits") is None else tree.entries("splits")


@lru_cache(maxsize=2)
def _oblivious_shape(depth: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the level and the children of the inner nodes, level by level."""
    children = 2 * np.arange((1 << depth) - 1, dtype=np.int64) + 1
    return np.repeat(np.arange(depth), 1 << np.arange(depth)), children, children + 1


def _oblivious_test(split: Fields) -> tuple[float, float, float, float, float]:
    """Return kind, column, border, category and index of a split, NaN for what it does not have."""
    kind = split.string("split_type")
    if kind in _KINDS:
        index = split.whole("split_index")
    if kind == "FloatFeature":
        return NUMBER, split.whole("float_feature_index"), split.number("border"), np.nan, index
    if kind == "OneHotFeature":
        category = split.whole("value", minimum=-(2**31))
        return CATEGORY, split.whole("cat_feature_index"), np.nan, category, index
    if kind == "OnlineCtr":
        return CTR, np.nan, split.number("border"), np.nan, index
    raise UnsupportedModelError(f"{split.where}: a split of kind {kind!r} is not supported.")


def _summed_weights(
    weight: NDArray[np.float64],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    order: NDArray[np.int64],
    index: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Give inner nodes the weight of their leaves. Children come after their parents."""
    by_node = weight[index].tolist()
    for node, one, other in zip(
        range(len(by_node) - 1, -1, -1), left[::-1].tolist(), right[::-1].tolist(), strict=True
    ):
        if one >= 0:
            by_node[node] = by_node[one] + by_node[other]
    return np.array(by_node)[order]
