"""The tests of a forest as tests of the caller's columns.

Where every test compares a number, each becomes one threshold at once. Otherwise the trees are built
over the columns of the forest, and pulled back from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sightline.load._binary_nodes import BinaryNodes
from sightline.load._codes import OTHER, left_sets
from sightline.load._compared_nodes import GT, GTE, LEAF, LEQ, LT, MEMBER, NEQ
from sightline.load._computed_columns import NumberColumn
from sightline.load._forest import Forest
from sightline.load._thresholds import double_at_most, double_below
from sightline.load.pipeline import Derived, FromCategories, FromNumbers
from sightline.table import Feature, Schema

_COMPARISONS = {LEQ: np.less_equal, LT: np.less, GTE: np.greater_equal, GT: np.greater}


def compares_numbers(forest: Forest) -> bool:
    """Whether every test of the trees is a threshold on a number of the caller."""
    inner = forest.trees.mode != LEAF
    column = forest.trees.feature[inner]
    wrong = column[(column < 0) | (column >= len(forest.columns))]
    if len(wrong):
        raise forest.node.fault(f"column {wrong[0]} of its input does not exist")
    return bool((forest.trees.mode[inner] <= GT).all()) and all(
        isinstance(forest.columns[column], NumberColumn)
        for column in np.unique(forest.trees.feature[inner]).tolist()
    )


@dataclass
class _Tests:
    """What replaces the test of each node."""

    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    # Whether the true branch is the right one, that of larger numbers.
    true_is_right: NDArray[np.bool_]
    missing_is_true: NDArray[np.bool_]
    # Per node that tests categories: those on the left.
    sets: dict[int, NDArray[np.int32]] = field(default_factory=dict)

    @classmethod
    def of(cls, forest: Forest) -> _Tests:
        n_nodes = len(forest.trees.mode)
        return cls(
            np.zeros(n_nodes, dtype=np.int64),
            np.zeros(n_nodes),
            np.zeros(n_nodes, dtype=np.bool_),
            forest.trees.missing_is_true.copy(),
        )

    def nodes(self, forest: Forest, tree_score: list[int]) -> Iterator[BinaryNodes]:
        """Yield the nodes of each tree."""
        trees, output = forest.trees, forest.output
        left = np.where(self.true_is_right, trees.false, trees.true)
        right = np.where(self.true_is_right, trees.true, trees.false)
        missing_goes_left = self.missing_is_true ^ self.true_is_right
        is_leaf, weight = trees.is_leaf, np.zeros(len(trees.mode))
        is_subset = np.zeros(len(trees.mode), dtype=np.bool_)
        is_subset[list(self.sets)] = True
        for tree, score in enumerate(tree_score):
            first, last = int(trees.begin[tree]), int(trees.begin[tree + 1])
            part = slice(first, last)
            sets = [self.sets[first + node] for node in np.flatnonzero(is_subset[part]).tolist()]
            yield BinaryNodes(
                is_leaf=is_leaf[part],
                feature=self.feature[part],
                threshold=self.threshold[part],
                left=left[part],
                right=right[part],
                missing_goes_left=missing_goes_left[part],
                weight=weight[part],
                output=output[part] if score < 0 else output[part, score : score + 1],
                subsets=left_sets(is_subset[part], sets) if sets else None,
                leaves_only=True,
            )


def threshold_nodes(forest: Forest, tree_score: list[int]) -> Iterator[BinaryNodes]:
    """Yield trees over the caller's columns, if all tests compare numbers."""
    tests, trees = _Tests.of(forest), forest.trees
    for column, nodes in _grouped(trees.feature, np.flatnonzero(trees.mode != LEAF)):
        source = forest.columns[column]
        assert isinstance(source, NumberColumn)
        _enter_thresholds(tests, forest, source, nodes)
    return tests.nodes(forest, tree_score)


def _enter_thresholds(tests: _Tests, forest: Forest, column: NumberColumn, nodes: NDArray[np.int64]) -> None:
    trees = forest.trees
    mode, value = trees.mode[nodes], trees.value[nodes]
    tests.feature[nodes] = column.source
    is_strict = (mode == LT) | (mode == GTE)
    for strict in (False, True):
        chosen = nodes[is_strict == strict]
        if len(chosen):
            tests.threshold[chosen], tests.true_is_right[chosen] = column.split(trees.value[chosen], strict)
    tests.true_is_right[nodes] ^= (mode == GTE) | (mode == GT)
    filling = column.of_missing()
    if not np.isnan(filling):
        for kind, passes in _COMPARISONS.items():
            tests.missing_is_true[nodes[mode == kind]] = passes(filling, value[mode == kind])


class BehindColumns:
    """Trees over the columns of the forest, and how these follow from the caller's columns.

    Comparisons test a column as a number. Equalities and sets test it as a category; for them, it has a
    second column with the values that some test names.

    Parameters
    ----------
    forest : Forest
        The trees.
    schema : Schema
        The caller's columns.
    """

    def __init__(self, forest: Forest, schema: Schema) -> None:
        self.forest = forest
        self.front = schema
        self.features: list[Feature] = []
        self.columns: list[Derived] = []
        self._tests = _Tests.of(forest)
        trees = forest.trees
        members = np.flatnonzero(trees.mode == MEMBER).tolist()
        self._members = dict(zip(members, trees.members, strict=True))
        for column, nodes in _grouped(trees.feature, np.flatnonzero(trees.mode != LEAF)):
            is_ordered = trees.mode[nodes] <= GT
            if is_ordered.any():
                self._enter_ordered(column, nodes[is_ordered])
            if not is_ordered.all():
                self._enter_equalities(column, nodes[~is_ordered])

    @property
    def schema(self) -> Schema:
        """The columns of the trees."""
        return Schema(tuple(self.features))

    def nodes(self, tree_score: list[int]) -> Iterator[BinaryNodes]:
        """Yield the nodes of each tree."""
        return self._tests.nodes(self.forest, tree_score)

    def _enter_ordered(self, column: int, nodes: NDArray[np.int64]) -> None:
        trees, tests = self.forest.trees, self._tests
        mode, value = trees.mode[nodes], trees.value[nodes]
        tests.feature[nodes] = len(self.features)
        is_strict = (mode == LT) | (mode == GTE)
        tests.threshold[nodes] = np.where(is_strict, double_below(value), double_at_most(value))
        tests.true_is_right[nodes] = (mode == GTE) | (mode == GT)
        self.features.append(Feature(f"number {column}"))
        self.columns.append(self._derived(column))

    def _enter_equalities(self, column: int, nodes: NDArray[np.int64]) -> None:
        trees, tests = self.forest.trees, self._tests
        sets = {node: self._members.get(node, trees.value[node : node + 1]) for node in nodes.tolist()}
        values = np.unique(np.concatenate(list(sets.values())))
        tests.feature[nodes] = len(self.features)
        for node, members in sets.items():
            codes = np.searchsorted(values, members).astype(np.int32)
            if trees.mode[node] == NEQ:
                codes = np.setdiff1d(np.arange(len(values) + 1), codes).astype(np.int32)
                tests.missing_is_true[node] = True
            tests.sets[node] = np.unique(codes)
        feature = Feature(f"category {column}", (*values.tolist(), OTHER), unseen="last")
        self.features.append(feature)
        self.columns.append(self._derived(column, values))

    def _derived(self, column: int, values: NDArray[np.float64] | None = None) -> Derived:
        """Return how a column follows from the caller's: as a number, or as a code of some values."""
        source = self.forest.columns[column]
        if isinstance(source, NumberColumn):
            return FromNumbers.elementwise(source.source, source, missing=source.of_missing())
        categories = self.front.features[source.source].categories or ()
        # Our own export lists the empty string as NaN where it is not just another value.
        empty = source.codes.get("", source.default)
        missing = empty if np.isnan(empty) else source.default
        numbers = np.array([*(source.codes.get(value, source.default) for value in categories), missing])
        return FromCategories(source.source, numbers if values is None else _codes_of(numbers, values))


def _codes_of(numbers: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return codes of numbers among some values; one behind the last for others, -1 for missing."""
    index = np.minimum(np.searchsorted(values, numbers), len(values) - 1)
    codes = np.where(values[index] == numbers, index, len(values))
    return np.where(np.isnan(numbers), -1, codes).astype(np.float64)


def _grouped(keys: NDArray[np.int64], entries: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield each key with the entries that have it."""
    order = entries[np.argsort(keys[entries], kind="stable")]
    found, begin = np.unique(keys[order], return_index=True)
    yield from zip(found.tolist(), np.split(order, begin)[1:], strict=True)
