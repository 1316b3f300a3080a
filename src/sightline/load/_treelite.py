"""treelite checkpoints of version 4, as ``Model.serialize`` writes them.

The file is a sequence of numbers and arrays without names, which is parsed here. So treelite is not
needed, and a damaged file cannot crash it. Sums are in the precision of the thresholds.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._assembly import build_sum, build_trees, default_names, named_schema
from sightline.load._binary_nodes import BinaryNodes
from sightline.load._codes import coded_feature, left_sets
from sightline.load._computed_columns import undecided_up_to
from sightline.load._file import FileImporter, ModelFile, register_file
from sightline.load._response import response_link
from sightline.load._thresholds import double_at_most, double_below, float32_at_most, float32_below
from sightline.model import Ensemble, Link
from sightline.table import Feature

_VERSION = 4
_SINGLE, _DOUBLE = 2, 3
_LEAF, _NUMERIC, _CATEGORICAL = 0, 1, 2
_EQ, _LT, _LE, _GT, _GE = 1, 2, 3, 4, 5
_TASKS = ("binary classification", "regression", "classification", "ranking", "an isolation forest")
_MAX_TREES = 2**24


@register_file
class TreeliteImporter(FileImporter):
    """Reads treelite checkpoints."""

    format_name: ClassVar[str] = "treelite checkpoint"

    def recognizes(self, file: ModelFile) -> bool:
        """Check for the version and the types of thresholds and leaves."""
        start = file.content[:14]
        if len(start) < 14:
            return False
        major, minor, patch = struct.unpack("<iii", start[:12])
        types = (_SINGLE, _DOUBLE)
        return 3 <= major <= 9 and 0 <= minor < 100 and 0 <= patch < 100 and {*start[12:14]} <= {*types}

    def read(self, file: ModelFile) -> Ensemble:
        """Return the sum or mean of the trees."""
        return _Checkpoint(file).ensemble()


_FUNCTIONS = {
    "exponential": ("exp",),
    "logarithm_one_plus_exp": ("exp", "log1p"),
    "signed_square": ("signed_square",),
}
"""Postprocessors of regressions, as functions of the sum."""


class _Cursor:
    """Reads numbers and arrays one after the other."""

    def __init__(self, file: ModelFile) -> None:
        self._file = file
        self._at = 0

    def fault(self, sentence: str) -> ModelFormatError:
        return ModelFormatError(f"{self._file.name}: byte {self._at}: {sentence}.")

    def number(self, kind: str) -> Any:
        """Read one number; `kind` is a letter of the module struct."""
        return struct.unpack(f"<{kind}", self._bytes(struct.calcsize(f"<{kind}")))[0]

    def array(self, dtype: str, length: int | None = None) -> NDArray[Any]:
        """Read an array behind its length."""
        size = self.number("Q")
        if length is not None and size != length:
            raise self.fault(f"an array has {size} entries instead of {length}")
        item = np.dtype(dtype)
        return np.frombuffer(self._bytes(size * item.itemsize), dtype=item)

    def string(self) -> str:
        return bytes(self.array("u1")).decode(errors="replace")

    def _bytes(self, size: int) -> bytes:
        if size > len(self._file.content) - self._at:
            raise self.fault("the file ends in the middle of an array")
        self._at += size
        return self._file.content[self._at - size : self._at]

    @property
    def is_at_end(self) -> bool:
        return self._at == len(self._file.content)


@dataclass(frozen=True)
class _Tree:
    """The arrays of one tree."""

    kind: NDArray[np.int8]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    feature: NDArray[np.int32]
    default_left: NDArray[np.bool_]
    value: NDArray[np.float64]
    threshold: NDArray[np.float64]
    comparison: NDArray[np.int8]
    listed_goes_right: NDArray[np.bool_]
    vector: NDArray[np.float64]
    vector_begin: NDArray[np.uint64]
    vector_end: NDArray[np.uint64]
    category: NDArray[np.uint32]
    category_begin: NDArray[np.uint64]
    category_end: NDArray[np.uint64]
    weight: NDArray[np.float64]

    def listed(self, node: int, where: str) -> NDArray[np.int64]:
        """Return the categories that a node lists."""
        begin, end = int(self.category_begin[node]), int(self.category_end[node])
        if not begin <= end <= len(self.category):
            raise ModelFormatError(f"{where}: node {node}: its categories do not exist.")
        return np.unique(self.category[begin:end]).astype(np.int64)


class _Checkpoint:
    def __init__(self, file: ModelFile) -> None:
        self.owner = file.name
        cursor = _Cursor(file)
        major = cursor.number("i")
        if major != _VERSION:
            raise UnsupportedModelError(
                f"{file.name}: is a treelite checkpoint of version {major}. Supported: version {_VERSION}."
            )
        cursor.number("i"), cursor.number("i")
        types = [cursor.number("B"), cursor.number("B")]
        self.is_single = types[0] == _SINGLE
        self._dtype = "<f4" if types == [_SINGLE, _SINGLE] else "<f8"
        if types[0] != types[1]:
            raise UnsupportedModelError(f"{file.name}: thresholds and leaves have different types.")
        n_trees = cursor.number("Q")
        self.n_features = cursor.number("i")
        if not 0 < n_trees <= _MAX_TREES or self.n_features <= 0:
            raise cursor.fault("the number of trees or features is out of range")
        self.task, self.is_average = cursor.number("B"), bool(cursor.number("B"))
        self.n_targets, self.n_classes = cursor.number("i"), cursor.array("<i4")
        self.vector_shape = cursor.array("<i4", 2)
        self.target_of, self.class_of = cursor.array("<i4", n_trees), cursor.array("<i4", n_trees)
        self.postprocessor = cursor.string()
        self.alpha = cursor.number("f")
        cursor.number("f")
        self.base = cursor.array("<f8").astype(np.float64)
        cursor.string()
        self._no_more_fields(cursor)
        self.trees = [self._tree(cursor) for _ in range(n_trees)]
        if not cursor.is_at_end:
            raise cursor.fault("unexpected data after the last tree")

    def _no_more_fields(self, cursor: _Cursor) -> None:
        if cursor.number("i") != 0:
            raise UnsupportedModelError(f"{self.owner}: has optional fields, which are not supported.")

    def _tree(self, cursor: _Cursor) -> _Tree:
        n_nodes = cursor.number("i")
        cursor.number("B")
        each = n_nodes if n_nodes > 0 else 1
        tree = _Tree(
            kind=cursor.array("i1", each),
            left=cursor.array("<i4", each),
            right=cursor.array("<i4", each),
            feature=cursor.array("<i4", each),
            default_left=cursor.array("u1", each).astype(np.bool_),
            value=cursor.array(self._dtype, each).astype(np.float64),
            threshold=cursor.array(self._dtype, each).astype(np.float64),
            comparison=cursor.array("i1", each),
            listed_goes_right=cursor.array("u1", each).astype(np.bool_),
            vector=cursor.array(self._dtype).astype(np.float64),
            vector_begin=cursor.array("<u8", each),
            vector_end=cursor.array("<u8", each),
            category=cursor.array("<u4"),
            category_begin=cursor.array("<u8", each),
            category_end=cursor.array("<u8", each),
            weight=self._weights(cursor, each),
        )
        for kind in ("<f8", "u1", "<f8", "u1"):  # sums of hessians and gains, and whether they are there
            cursor.array(kind)
        self._no_more_fields(cursor)
        self._no_more_fields(cursor)
        return tree

    @staticmethod
    def _weights(cursor: _Cursor, n_nodes: int) -> NDArray[np.float64]:
        """Return the training rows of each node, 0 if they are not stored."""
        counts = cursor.array("<u8").astype(np.float64)
        is_known = cursor.array("u1")
        complete = len(counts) == n_nodes and len(is_known) == n_nodes and is_known.all()
        return counts if complete else np.zeros(n_nodes)

    def ensemble(self) -> Ensemble:
        """Return the ensemble."""
        n_scores, n_classes, link = self._answer()
        features = self._features()
        schema = named_schema(features, self.owner)
        tree_score = self._tree_score(n_scores)
        if len(self.base) != n_scores or not np.isfinite(self.base).all():
            raise ModelFormatError(f"{self.owner}: must have {n_scores} finite base scores.")
        core = build_sum(
            build_trees(self._all_nodes(features, tree_score, n_scores), schema.n_values, self.owner),
            self.owner,
            n_scores=n_scores,
            tree_score=tree_score,
            base=self.base.tolist(),
            base_last=True,
            single_precision=self.is_single,
        )
        return Ensemble(core, schema, np.arange(n_classes) if n_classes else None, link)

    def _answer(self) -> tuple[int, int, Link]:
        """Return the number of scores and classes, and how scores become a prediction."""
        if self.task > 2:
            name = _TASKS[self.task] if self.task < len(_TASKS) else f"task {self.task}"
            raise UnsupportedModelError(f"{self.owner}: is {name}. Supported: classification and regression.")
        if self.n_targets != 1 or len(self.n_classes) != 1:
            raise UnsupportedModelError(f"{self.owner}: has {self.n_targets} outputs per row. Supported: 1.")
        n_classes = int(self.n_classes[0])
        divisors = (float(len(self.trees)),) if self.is_average else ()
        if self.is_average and self.base.any():
            raise UnsupportedModelError(f"{self.owner}: averages trees and has base scores.")
        name = self.postprocessor
        if self.task == 1 and name == "identity" and n_classes == 1:
            return 1, 0, Link("identity", divisors)
        if self.task == 1 and name in _FUNCTIONS and n_classes == 1:
            return 1, 0, response_link(*_FUNCTIONS[name], rounded=self.is_single, divide_by=divisors)
        if self.task == 0 and name == "sigmoid" and n_classes == 1 and self.alpha > 0:
            if self.alpha != 1:
                divisors = (*divisors, 1 / self.alpha)
            return 1, 2, Link("sigmoid", divisors, label_above=undecided_up_to(self.is_single, False))
        if self.task == 2 and name in ("identity_multiclass", "softmax") and 2 <= n_classes <= 2**16:
            return n_classes, n_classes, Link("softmax" if name == "softmax" else "mean", divisors)
        raise UnsupportedModelError(
            f"{self.owner}: the postprocessor {name!r} is not supported for {_TASKS[self.task]} "
            f"with {n_classes} outputs."
        )

    def _tree_score(self, n_scores: int) -> list[int]:
        # -1 is every output, of which there is one.
        unknown = np.flatnonzero((self.target_of != 0) & (self.target_of != -1))
        if len(unknown):
            raise ModelFormatError(
                f"{self.owner}: tree {unknown[0]}: output {self.target_of[unknown[0]]} does not exist."
            )
        is_vector = self.vector_shape.tolist() == [1, n_scores] and n_scores > 1
        if is_vector and (self.class_of == -1).all():
            return [-1] * len(self.trees)
        if (
            self.vector_shape.tolist() != [1, 1]
            or not ((self.class_of >= 0) & (self.class_of < n_scores)).all()
        ):
            raise UnsupportedModelError(
                f"{self.owner}: the leaves do not hold one number, or one number per class."
            )
        if self.is_average and n_scores > 1:
            raise UnsupportedModelError(f"{self.owner}: averages trees of single classes.")
        return [int(score) for score in self.class_of]

    def _features(self) -> list[Feature]:
        codes: dict[int, set[int]] = {}
        for number, tree in enumerate(self.trees):
            for node in np.flatnonzero(tree.kind == _CATEGORICAL).tolist():
                listed = tree.listed(node, f"{self.owner}: tree {number}")
                codes.setdefault(int(tree.feature[node]), set()).update(listed.tolist())
        numeric = {int(f) for tree in self.trees for f in np.unique(tree.feature[tree.kind == _NUMERIC])}
        both = sorted(numeric & set(codes))
        if both:
            raise UnsupportedModelError(
                f"{self.owner}: feature {both[0]} is tested as a number and as a category."
            )
        return [
            # Any negative number is no category, so that rounding down is what the library does.
            coded_feature(name, codes[f], "down") if f in codes else Feature(name)
            for f, name in enumerate(default_names(self.n_features, self.owner))
        ]

    def _all_nodes(
        self, features: list[Feature], tree_score: list[int], n_scores: int
    ) -> Iterator[BinaryNodes]:
        for number, (tree, score) in enumerate(zip(self.trees, tree_score, strict=True)):
            where = f"{self.owner}: tree {number}"
            is_leaf = (tree.kind == _LEAF) | (tree.left == -1)
            swaps = np.isin(tree.comparison, (_GT, _GE)) & (tree.kind == _NUMERIC)
            left = np.where(swaps, tree.right, tree.left)
            yield BinaryNodes(
                is_leaf=is_leaf,
                feature=tree.feature,
                threshold=self._thresholds(tree, ~is_leaf & (tree.kind == _NUMERIC), where),
                left=left,
                right=np.where(swaps, tree.left, tree.right),
                missing_goes_left=tree.default_left ^ swaps,
                weight=tree.weight,
                output=_outputs(tree, is_leaf, score, n_scores, where),
                subsets=_subsets(tree, ~is_leaf & (tree.kind == _CATEGORICAL), features, where),
                leaves_only=True,
            )

    def _thresholds(self, tree: _Tree, is_numeric: NDArray[np.bool_], where: str) -> NDArray[np.float64]:
        kinds = tree.comparison[is_numeric]
        if not np.isin(kinds, (_LT, _LE, _GT, _GE)).all():
            node = int(np.flatnonzero(is_numeric)[~np.isin(kinds, (_LT, _LE, _GT, _GE))][0])
            raise UnsupportedModelError(f"{where}: node {node}: its comparison is not supported.")
        below, at_most = (
            (float32_below, float32_at_most) if self.is_single else (double_below, double_at_most)
        )
        is_strict = np.isin(tree.comparison, (_LT, _GE))
        return np.where(is_strict, below(tree.threshold), at_most(tree.threshold))


def _outputs(
    tree: _Tree, is_leaf: NDArray[np.bool_], score: int, n_scores: int, where: str
) -> NDArray[np.float64]:
    if score >= 0:
        return np.where(is_leaf, tree.value, 0.0)[:, np.newaxis]
    result = np.zeros((len(is_leaf), n_scores))
    begin, end = tree.vector_begin[is_leaf].astype(np.int64), tree.vector_end[is_leaf].astype(np.int64)
    is_right = (end - begin == n_scores) & (begin >= 0) & (end <= len(tree.vector))
    if not is_right.all():
        node = int(np.flatnonzero(is_leaf)[~is_right][0])
        raise ModelFormatError(f"{where}: node {node}: must hold {n_scores} numbers.")
    result[is_leaf] = tree.vector[begin[:, np.newaxis] + np.arange(n_scores)]
    return result


def _subsets(tree: _Tree, is_subset: NDArray[np.bool_], features: list[Feature], where: str) -> Any:
    if not is_subset.any():
        return None
    sets = []
    for node in np.flatnonzero(is_subset).tolist():
        listed = set(tree.listed(node, where).tolist())
        if not 0 <= tree.feature[node] < len(features):
            raise ModelFormatError(f"{where}: node {node}: feature {tree.feature[node]} does not exist.")
        # The last category is "any other": it is not listed.
        values = features[tree.feature[node]].categories or ()
        goes_left = [(value in listed) != bool(tree.listed_goes_right[node]) for value in values]
        sets.append(np.flatnonzero(goes_left).astype(np.int32))
    return left_sets(is_subset, sets)
