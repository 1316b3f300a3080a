"""CatBoost's tests as canonical tests over all features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._binary_nodes import BinaryNodes
from sightline.load._codes import left_sets
from sightline.load._thresholds import float32_at_most
from sightline.load.catboost._columns import StoredColumns
from sightline.load.catboost._ctr import CategoryTest
from sightline.load.catboost._trees import CATEGORY, CTR, NUMBER, StoredNodes

MAX_LISTED = 2**28
"""Most categories that the tests of a model may list together: 1 GB."""


class Translator:
    """Translates the tests of a model's trees, each test on categories once.

    Parameters
    ----------
    columns : StoredColumns
        The features.
    """

    def __init__(self, columns: StoredColumns) -> None:
        self._columns = columns
        self._flat = np.array([column.flat for column in columns.numeric], dtype=np.int64)
        self._is_above = np.array([column.missing_is_above for column in columns.numeric], dtype=np.bool_)
        self._subsets: dict[bytes, _Subset] = {}
        # Per split on a number: its feature among the numeric ones, and its border.
        n_borders = [len(column.borders) for column in columns.numeric]
        self._split_column = np.repeat(np.arange(len(n_borders)), n_borders)
        borders = [border for column in columns.numeric for border in column.borders]
        self._split_border = np.array(borders, dtype=np.float64)
        self._n_listed = 0

    def translated(self, stored: StoredNodes) -> BinaryNodes:
        """Return the nodes of a tree with canonical tests."""
        n_inner, n_nodes = len(stored.test), len(stored.weight)
        is_subset = stored.kind != NUMBER
        feature, missing_goes_left = self._numeric_tests(stored, ~is_subset)
        swaps = np.zeros(len(is_subset), dtype=np.bool_)
        subsets = {test: self._subset(stored, test) for test in np.flatnonzero(is_subset).tolist()}
        self._n_listed += sum(
            len(subsets[test].left_codes) for test in stored.test.tolist() if test in subsets
        )
        if self._n_listed > MAX_LISTED:
            raise UnsupportedModelError(
                f"{stored.where}: up to here, tests list {self._n_listed:,} categories, which is too "
                f"many for readable trees.",
                "Use sl.BlackBox(model).",
            )
        for test, subset in subsets.items():
            feature[test], swaps[test] = subset.feature, subset.swaps
            missing_goes_left[test] = subset.missing_goes_left
        threshold = float32_at_most(np.where(is_subset, 0.0, stored.border))
        swaps = swaps[stored.test]
        return BinaryNodes(
            is_leaf=np.arange(n_nodes) >= n_inner,
            feature=_spread(feature[stored.test], n_nodes),
            threshold=_spread(threshold[stored.test], n_nodes),
            left=_spread(np.where(swaps, stored.right, stored.left), n_nodes),
            right=_spread(np.where(swaps, stored.left, stored.right), n_nodes),
            missing_goes_left=_spread(missing_goes_left[stored.test], n_nodes),
            weight=stored.weight,
            output=stored.output,
            subsets=left_sets(
                _spread(is_subset[stored.test], n_nodes),
                [subsets[test].left_codes for test in stored.test.tolist() if test in subsets],
            )
            if subsets
            else None,
            leaves_only=True,
        )

    def _numeric_tests(
        self, stored: StoredNodes, is_numeric: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the feature and the way of missing values per test, 0 and False where not numeric."""
        for test in np.flatnonzero(is_numeric & ~_is_index(stored.column, len(self._flat)))[:1]:
            raise _no_feature(stored, test, len(self._flat))
        self._check_borders(stored, is_numeric & ~np.isnan(stored.border))
        column = stored.column[is_numeric].astype(np.int64)
        feature, missing_goes_left = np.zeros(len(is_numeric), dtype=np.int64), np.zeros_like(is_numeric)
        feature[is_numeric], missing_goes_left[is_numeric] = self._flat[column], ~self._is_above[column]
        return feature, missing_goes_left

    def _check_borders(self, stored: StoredNodes, is_numeric: NDArray[np.bool_]) -> None:
        """Refuse a test that differs from the split it refers to: the library uses the latter."""
        exists = is_numeric & _is_index(stored.index, len(self._split_border))
        split = np.where(exists, stored.index, 0).astype(np.int64)[exists]
        fits = ~is_numeric
        with np.errstate(over="ignore"):
            same_border = np.float32(self._split_border[split]) == stored.border[exists].astype(np.float32)
        fits[exists] = (self._split_column[split] == stored.column[exists]) & same_border
        for test in np.flatnonzero(~fits)[:1]:
            raise stored.fault(int(test), "its feature and border do not match its 'split_index'")

    def _subset(self, stored: StoredNodes, test: int) -> _Subset:
        members = (stored.kind, stored.column, stored.category, stored.border, stored.index)
        key = np.array([member[test] for member in members]).tobytes()
        if key not in self._subsets:
            self._subsets[key] = self._translated(self._category_test(stored, test))
        return self._subsets[key]

    def _category_test(self, stored: StoredNodes, test: int) -> CategoryTest:
        if stored.kind[test] == CATEGORY:
            return self._one_hot_test(stored, test)
        if stored.kind[test] == CTR:
            return self._ctr_test(stored, test)
        raise stored.fault(test, "its kind of split is missing or not supported")

    def _one_hot_test(self, stored: StoredNodes, test: int) -> CategoryTest:
        nominal, column, category = self._columns.nominal, stored.column[test], stored.category[test]
        if not _is_index(column, len(nominal)):
            raise _no_feature(stored, test, len(nominal))
        if category not in nominal[int(column)].hashes:
            raise stored.fault(test, f"category {category:g} does not exist")
        index = stored.index[test] - self._columns.first_category(int(column))
        hashes = nominal[int(column)].hashes
        if not _is_index(index, len(hashes)) or hashes[int(index)] != category:
            raise stored.fault(test, "its feature and category do not match its 'split_index'")
        return CategoryTest.one_hot(int(column), int(category))

    def _ctr_test(self, stored: StoredNodes, test: int) -> CategoryTest:
        splits, index = self._columns.ctr_splits, stored.index[test] - self._columns.first_ctr
        if not _is_index(index, len(splits)) or splits[int(index)].border != stored.border[test]:
            raise stored.fault(test, "its CTR does not exist")
        return splits[int(index)].test

    def _translated(self, test: CategoryTest) -> _Subset:
        passes = test.of(self._columns.hashes[test.column])
        # The library sends what passes right, but members of a subset go left. The smaller set is listed.
        swaps = bool(2 * passes.sum() <= len(passes) + 1)
        codes = np.flatnonzero(passes == swaps).astype(np.int32)
        return _Subset(self._columns.nominal[test.column].flat, codes, swaps, test.others_pass == swaps)


@dataclass(frozen=True)
class _Subset:
    """A test on categories, as a tree has it. What is missing goes with unlisted categories."""

    feature: int
    left_codes: NDArray[np.int32]
    swaps: bool
    missing_goes_left: bool


def _is_index(numbers: Any, n_entries: int) -> Any:
    """Whether numbers, which may be NaN, are indices of a list."""
    return (numbers >= 0) & (numbers < n_entries) & (numbers == np.floor(numbers))


def _no_feature(stored: StoredNodes, test: int, n_features: int) -> ModelFormatError:
    return stored.fault(test, f"feature {stored.column[test]:g} does not exist (there are {n_features})")


def _spread(inner: NDArray[Any], n_nodes: int) -> NDArray[Any]:
    """Add zeros for the leaves."""
    result = np.zeros(n_nodes, dtype=inner.dtype)
    result[: len(inner)] = inner
    return result
