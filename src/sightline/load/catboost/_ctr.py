"""CatBoost's tests on categories: one category, or a statistic of each category (a CTR).

A CTR of one column gives every category a number in single precision, so a test on it is a set of
categories. Categories that its table does not list all get the same number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import UnsupportedModelError
from sightline.load._fields import Fields

_MULTIPLIER = 0x4906BA494954CB65
_FROM_KEY = np.uint64(pow(_MULTIPLIER, -2, 2**64))
_EMPTY_BUCKET = 2**64 - 1
_MEANS = frozenset({"BinarizedTargetMeanValue", "FloatTargetMeanValue"})
_COUNTS = frozenset({"Counter", "FeatureFreq"})
_CLASSES = frozenset({"Borders", "Buckets"})
_SUPPORTED = ", ".join(sorted(_MEANS | _COUNTS | _CLASSES))
_CONSTANTS = ("prior_numerator", "prior_denomerator", "shift", "scale")
_MAX_COUNT = 2**31 - 1


@dataclass(frozen=True)
class CategoryTest:
    """A test that some categories pass.

    Parameters
    ----------
    column : int
        Index among the categorical features.
    hashes : ndarray of int64
        Hashes of the categories that the test lists, ascending.
    passes : ndarray of bool
        Whether each of these passes.
    others_pass : bool
        Whether all other categories pass.
    """

    column: int
    hashes: NDArray[np.int64]
    passes: NDArray[np.bool_]
    others_pass: bool

    @classmethod
    def one_hot(cls, column: int, category: int) -> CategoryTest:
        """Return the test that one category passes."""
        return cls(column, np.array([category]), np.array([True]), False)

    def of(self, hashes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether each of some categories passes, given their hashes.

        Examples
        --------
        >>> CategoryTest.one_hot(0, 7).of(np.array([5, 7]))
        array([False,  True])
        """
        index = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return np.where(self.hashes[index] == hashes, self.passes[index], self.others_pass)


@dataclass(frozen=True)
class CtrSplit:
    """A border of a CTR, as splits refer to it.

    Parameters
    ----------
    border : float
        The border. Greater numbers pass.
    test : CategoryTest
        What the split tests.
    """

    border: float
    test: CategoryTest


def read_ctr_splits(root: Fields, names: list[str], numeric_names: list[str]) -> list[CtrSplit]:
    """Return the splits on CTRs of a model, in the order of their indices.

    Parameters
    ----------
    root : Fields
        The document.
    names, numeric_names : list of str
        Names of the categorical and of the numeric features.

    Returns
    -------
    list of CtrSplit
        One per border of each CTR.

    Raises
    ------
    UnsupportedModelError
        If a CTR combines features, or the document does not determine its table.
    ModelFormatError
        If a table is damaged.
    """
    info = root.inner("features_info")
    entries = info.entries("ctrs") if "ctrs" in info else []
    if not entries:
        return []
    ctrs = [Fields(entry, f"{root.where}: ctrs {number}") for number, entry in enumerate(entries)]
    for fields in ctrs:
        _refuse_combinations(fields, {"cat_feature_index": names, "float_feature_index": numeric_names})
    _refuse_lost_tables(root)
    _refuse_skipped_tables(root)
    tables = root.inner("ctr_data")
    return [split for fields in ctrs for split in _Ctr(fields, tables, len(names)).splits()]


class _Ctr:
    """One CTR: which numbers of its table it divides, and how it scales the result."""

    def __init__(self, fields: Fields, tables: Fields, n_columns: int) -> None:
        self.fields = fields
        element = Fields(fields.entries("elements")[0], f"{fields.where}: element 0")
        if not n_columns:
            raise element.fault("there are no 'categorical_features'")
        self.column = element.whole("cat_feature_index", maximum=n_columns - 1)
        self.kind = fields.string("ctr_type")
        if self.kind not in _MEANS | _COUNTS | _CLASSES:
            raise UnsupportedModelError(
                f"{fields.where}: a CTR of type {self.kind!r} is not supported. Supported: {_SUPPORTED}.",
                "sl.BlackBox(model) works.",
            )
        self.target_border = fields.whole("target_border_idx")
        self.table = tables.inner(fields.string("identifier"))

    def splits(self) -> Iterator[CtrSplit]:
        hashes, rows = self._rows()
        values, default = self._values(rows)
        borders = self.fields.singles("borders")
        if not (np.diff(borders) > 0).all():
            raise self.fields.fault("'borders' must be ascending")
        for border in borders:
            test = CategoryTest(self.column, hashes, values > border, bool(default > border))
            yield CtrSplit(float(border), test)

    def _rows(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the hashes of the categories, ascending, and the numbers stored for each."""
        stride = self.table.whole("hash_stride", minimum=2)
        cells = self.table.entries("hash_map")
        if not cells or len(cells) % stride:
            raise self.table.fault(f"'hash_map' must hold rows of {stride} entries")
        keys = np.array([_key(cell, self.table) for cell in cells[::stride]], dtype=np.uint64)
        columns = [_numbers(cells[k::stride], self.table) for k in range(1, stride)]
        is_used = keys != _EMPTY_BUCKET
        # The key of a category is its hash, multiplied twice.
        hashes = (keys[is_used] * _FROM_KEY).view(np.int64)
        order = hashes.argsort()
        hashes = hashes[order]
        if not len(hashes) or (np.diff(hashes) == 0).any() or (hashes != hashes.astype(np.int32)).any():
            raise self.table.fault("'hash_map' must hold different keys of categories")
        return hashes, np.column_stack(columns)[is_used][order]

    def _values(self, rows: NDArray[np.float64]) -> tuple[NDArray[np.float32], np.float32]:
        """Return the CTR of each category, and of all others."""
        if self.kind in _COUNTS:
            denominator = float(self.table.whole("counter_denominator"))
            self._check_counts(rows, rows.shape[1] == 1)
            return self._scaled(rows[:, 0], denominator), self._scaled(0.0, denominator)
        default = self._scaled(0.0, 0.0)
        if self.kind in _MEANS:
            self._check_counts(rows[:, 1:], rows.shape[1] == 2)
            return self._scaled(rows[:, 0], rows[:, 1]), default
        n_classes = rows.shape[1]
        self._check_counts(rows, self.target_border < n_classes - (self.kind == "Borders"))
        total = rows.sum(axis=1)
        if self.kind == "Buckets":
            return self._scaled(rows[:, self.target_border], total), default
        return self._scaled(rows[:, self.target_border + 1 :].sum(axis=1), total), default

    def _check_counts(self, counts: NDArray[np.float64], has_right_size: bool) -> None:
        if not has_right_size:
            raise self.table.fault(f"'hash_stride' does not match {self.kind!r}")
        if not ((counts >= 0) & (counts <= _MAX_COUNT) & (counts == np.floor(counts))).all():
            raise self.table.fault("counts must be whole numbers")

    def _scaled(self, count: Any, total: Any) -> Any:
        """Return the CTR in the library's order of operations, each of them in single precision."""
        numbers = map(self.fields.number, _CONSTANTS)
        prior_count, prior_total, shift, scale = map(np.float32, numbers)
        with np.errstate(all="ignore"):
            ratio = (np.float32(count) + prior_count) / (np.float32(total) + prior_total)
            return (ratio + shift) * scale


def _refuse_combinations(fields: Fields, names: dict[str, list[str]]) -> None:
    """Refuse a CTR unless it is of the categories of one column."""
    elements = [
        Fields(element, f"{fields.where}: element {number}")
        for number, element in enumerate(fields.entries("elements"))
    ]
    if len(elements) == 1 and elements[0].string("combination_element") == "cat_feature_value":
        return
    listed = [
        repr(known[index])
        for element in elements
        for key, known in names.items()
        if key in element and (index := element.whole(key)) < len(known)
    ]
    raise UnsupportedModelError(
        f"{fields.where}: combines features ({' and '.join(dict.fromkeys(listed))}), so its tests are not "
        f"on a single column. Train with max_ctr_complexity=1.",
        "Or use sl.BlackBox(model).",
    )


def _refuse_skipped_tables(root: Fields) -> None:
    """Refuse models that cannot predict, since their tables were never computed."""
    params = root.inner("model_info").inner("params")
    flat = params.inner("flat_params") if "flat_params" in params else Fields({}, root.where)
    if flat.content.get("final_ctr_computation_mode") == "Skip":
        raise UnsupportedModelError(
            f"{root.where}: was trained with final_ctr_computation_mode='Skip', so it has no tables for its "
            "categories and cannot predict. Train it with 'Default'."
        )


def _refuse_lost_tables(root: Fields) -> None:
    """Refuse models for which the library wrote one table although it uses several.

    A table is stored under its column and type. CTRs of the same type that cut the target in
    different ways overwrite each other's table.
    """
    params = root.inner("model_info").inner("params").inner("cat_feature_params")
    per_feature = params.inner("per_feature_ctrs").content.values() if "per_feature_ctrs" in params else ()
    for described in (params.entries("simple_ctrs"), *per_feature):
        cuts = {(str(ctr["ctr_type"]), repr(ctr.get("target_binarization"))) for ctr in _objects(described)}
        kinds = [kind for kind, _ in cuts]
        for kind in sorted(kinds):
            if kinds.count(kind) > 1:
                raise UnsupportedModelError(
                    f"{root.where}: has CTRs of type {kind!r} with different 'TargetBorderCount', but "
                    f"CatBoost "
                    f"exports only one of them. Use one per type.",
                    "Or use sl.BlackBox(model).",
                )


def _objects(described: Any) -> Iterable[dict[str, Any]]:
    entries = described if isinstance(described, list) else []
    return [entry for entry in entries if isinstance(entry, dict) and "ctr_type" in entry]


def _key(cell: Any, table: Fields) -> int:
    if not isinstance(cell, str) or not cell.isdecimal() or len(cell) > 20 or int(cell) > _EMPTY_BUCKET:
        raise table.fault("a key of 'hash_map' must be a whole number below 2**64, as a string")
    return int(cell)


def _numbers(cells: list[Any], table: Fields) -> NDArray[np.float64]:
    if not all(type(cell) in (int, float) for cell in cells):
        raise table.fault("'hash_map' must hold numbers after each key")
    return np.array(cells, dtype=np.float64)
