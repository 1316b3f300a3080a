"""The features of a CatBoost model, and the hashes of their categories."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import UnsupportedModelError
from sightline.load._fields import Fields
from sightline.load.catboost._ctr import CtrSplit, read_ctr_splits
from sightline.table import Feature, unnamed_category

_NO_VALUE = "any value"
"""The category of a feature that no test uses."""

_UNSUPPORTED = {"text_features": "text", "embedding_features": "embeddings"}


@dataclass(frozen=True)
class StoredColumn:
    """A feature. Splits refer to it by its index among the numeric or the categorical features.

    Parameters
    ----------
    flat : int
        Index among all features.
    name : str
        Name in the training frame, or ``x3`` and so on.
    missing_is_above : bool
        Whether a missing number is above every border.
    hashes : tuple of int
        Categories that have a test of their own.
    n_splits : int
        Number of splits on the feature itself.
    borders : tuple of float
        Borders of a numeric feature, in the order of its splits.
    is_complete : bool, optional
        Whether no training row lacked a number; None if that is not stored.
    is_named : bool, default=False
        Whether the name is stored.
    """

    flat: int
    name: str
    missing_is_above: bool
    hashes: tuple[int, ...]
    n_splits: int
    borders: tuple[float, ...] = ()
    is_complete: bool | None = None
    is_named: bool = False


class StoredColumns:
    """All features of a model.

    Parameters
    ----------
    root : Fields
        The document.
    """

    def __init__(self, root: Fields) -> None:
        self._root = root
        info = root.inner("features_info")
        for kind, meaning in _UNSUPPORTED.items():
            if kind in info and info.entries(kind):
                raise UnsupportedModelError(
                    f"{root.where}: uses {meaning} ({_first_name(info, kind)}), which does not become a test "
                    f"on a single column.",
                    "Use sl.BlackBox(model).",
                )
        self.numeric = _columns(info, "float_features")
        self.nominal = _columns(info, "categorical_features")
        self.ctr_splits: list[CtrSplit] = read_ctr_splits(
            root, [column.name for column in self.nominal], [column.name for column in self.numeric]
        )
        # Splits are numbered over the borders, the categories with their own test, and the CTRs.
        self.first_ctr = sum(column.n_splits for column in (*self.numeric, *self.nominal))

    def first_category(self, index: int) -> int:
        """Return the number of the first split on a category of a categorical feature."""
        return sum(column.n_splits for column in (*self.numeric, *self.nominal[:index]))

    @cached_property
    def features(self) -> list[Feature]:
        """All features, in the order of the training rows."""
        columns = [*self.numeric, *self.nominal]
        by_index = {column.flat: column for column in columns}
        if len(by_index) < len(columns) or not columns:
            raise self._root.fault("every feature must have its own 'flat_feature_index'")
        features = [Feature(f"x{index}", rounding="catboost") for index in range(max(by_index) + 1)]
        for column in columns:
            features[column.flat] = Feature(column.name, complete=column.is_complete, rounding="catboost")
        for column, hashes in zip(self.nominal, self.hashes, strict=True):
            categories = tuple(unnamed_category(value) for value in hashes.tolist()) or (_NO_VALUE,)
            features[column.flat] = Feature(column.name, categories, "hash")
        return features

    @property
    def names_given(self) -> bool:
        """Whether the model stores names."""
        return any(column.is_named for column in (*self.numeric, *self.nominal))

    @cached_property
    def hashes(self) -> list[NDArray[np.int64]]:
        """Per categorical feature the hashes that its tests list, ascending."""
        listed = [[np.array(column.hashes, dtype=np.int64)] for column in self.nominal]
        for split in self.ctr_splits:
            listed[split.test.column].append(split.test.hashes)
        return [np.unique(np.concatenate(hashes)) for hashes in listed]


def _columns(info: Fields, kind: str) -> list[StoredColumn]:
    result = []
    for index, entry in enumerate(info.entries(kind) if kind in info else []):
        fields = Fields(entry, f"{info.where}: {kind} {index}")
        if fields.whole("feature_index") != index:
            raise fields.fault(f"'feature_index' must be {index}")
        flat = fields.whole("flat_feature_index", maximum=2**20)
        name = _stored_name(fields)
        treatment = fields.string("nan_value_treatment") if kind == "float_features" else "AsIs"
        if treatment not in ("AsIs", "AsFalse", "AsTrue"):
            raise fields.fault(f"'nan_value_treatment' is {treatment!r}. Choose from: AsIs, AsFalse, AsTrue")
        if treatment == "AsTrue" and fields.content.get("has_nans") is not True:
            # CatBoost then ignores the treatment.
            raise fields.fault("'has_nans' must be true if 'nan_value_treatment' is AsTrue")
        hashes = tuple(fields.integers("values").tolist()) if "values" in fields else ()
        if len(set(hashes)) < len(hashes):
            raise fields.fault("'values' lists a category twice")
        has_borders = fields.content.get("borders") is not None
        borders = tuple(fields.numbers("borders").tolist()) if has_borders else ()
        n_splits = len(borders) if kind == "float_features" else len(hashes)
        has_gaps = fields.content.get("has_nans")
        is_complete = not has_gaps if isinstance(has_gaps, bool) else None
        result.append(
            StoredColumn(
                flat,
                name or f"x{flat}",
                treatment == "AsTrue",
                hashes,
                n_splits,
                borders,
                is_complete,
                is_named=bool(name),
            )
        )
    return result


_NAMES = ("feature_name", "feature_id")


def _stored_name(fields: Fields) -> str:
    """Return the name of a feature, which may be empty, null or absent under either key."""
    stored = (fields.string(key) for key in _NAMES if fields.content.get(key) is not None)
    return next(filter(None, stored), "")


def _first_name(info: Fields, kind: str) -> str:
    return repr(_stored_name(Fields(info.entries(kind)[0], f"{info.where}: {kind} 0")) or "the first")
