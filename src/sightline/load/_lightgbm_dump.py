"""The JSON from LightGBM's ``dump_model``: nested nodes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._fields import Fields, flattened
from sightline.load._file import FileImporter, ModelFile, register_file
from sightline.load._lightgbm import LightGBMModel, LightGBMTree, plain_lists, refuse_unknown_version
from sightline.load._lightgbm_frame import ColumnRange, frame_categories
from sightline.model import Ensemble

_NUMBERS = [
    "split_feature",
    "threshold",
    "default_left",
    "internal_value",
    "internal_count",
    "leaf_value",
    "leaf_count",
]
_IGNORED = ["split_index", "split_gain", "internal_weight", "leaf_index", "leaf_weight"]
_STRINGS = ["threshold", "decision_type", "missing_type"]
_MISSING_TYPES = {"None": 0, "Zero": 1, "NaN": 2}
# The dump has this instead of infinity, which is the threshold of tests for a known number.
_INFINITE = 1e300
_LARGEST_CODE = 2**31 - 1


@register_file
class LightGBMDumpImporter(FileImporter):
    """Reads ``json.dump(booster.dump_model(), file)``."""

    format_name: ClassVar[str] = "LightGBM's JSON dump"
    unread: ClassVar[tuple[str, ...]] = ("tree_info.tree_structure",)

    def recognizes(self, file: ModelFile) -> bool:
        """Check for the members that every version writes."""
        return {"tree_info", "max_feature_idx", "feature_names"} <= file.keys

    def read(self, file: ModelFile) -> Ensemble:
        """Return the additive model. The file has no labels, so classes are numbers."""
        root = Fields(file.parsed(), file.name)
        if "version" in root:
            refuse_unknown_version(root.string("version"), file.name)
        names = root.strings("feature_names")
        if root.whole("max_feature_idx") != len(names) - 1:
            raise root.fault(
                f"'feature_names' has {len(names)} entries, which does not match 'max_feature_idx'"
            )
        infos = root.inner("feature_infos")
        columns = [_column_range(infos, name) for name in names]
        return LightGBMModel(
            owner=file.name,
            objective=root.string("objective") if "objective" in root else None,
            n_scores=root.whole("num_tree_per_iteration", minimum=1),
            n_outputs=root.whole("num_class", minimum=1) if "num_class" in root else None,
            averages=root.any("average_output") is True,
            feature_names=names,
            categories=frame_categories(
                plain_lists(root.any("pandas_categorical")),
                names,
                columns,
                file.options.categories,
                file.name,
            ),
            trees=[
                _tree(entry, f"{file.name}: tree {k}") for k, entry in enumerate(root.entries("tree_info"))
            ],
        ).ensemble()


def _column_range(infos: Fields, name: str) -> ColumnRange:
    if name not in infos:
        return ColumnRange(False, np.nan, np.nan)
    info = infos.inner(name)
    codes = info.integers("values")
    if not len(codes):
        return ColumnRange(False, info.number("min_value"), info.number("max_value"))
    # A categorical column has -1 for missing values.
    known = codes[codes >= 0].astype(np.float64)
    return ColumnRange(True, min(known, default=np.nan), max(known, default=np.nan))


def _tree(entry: object, where: str) -> LightGBMTree:
    fields = Fields(entry, where)
    try:
        nodes = flattened(
            fields.any("tree_structure"),
            where,
            left="left_child",
            right="right_child",
            numbers=_NUMBERS,
            strings=_STRINGS,
            ignored=_IGNORED,
        )
    except ModelFormatError as error:
        if "'leaf_const' is unknown" in str(error):
            raise UnsupportedModelError(
                f"{where}: has linear functions in its leaves, which are not supported. "
                "sl.BlackBox takes any model."
            ) from error
        raise
    columns = {name: nodes.numbers(index) for index, name in enumerate(_NUMBERS)}
    strings = {name: nodes.strings(index) for index, name in enumerate(_STRINGS)}
    distinct = nodes.distinct
    return _Nested(fields, nodes, columns, strings, distinct).tree()


class _Nested:
    """Columns over all nodes of a tree, to be sorted as in the text format."""

    def __init__(
        self,
        fields: Fields,
        nodes: _core.NestedNodes,
        columns: dict[str, NDArray[np.float64]],
        strings: dict[str, NDArray[np.int32]],
        distinct: list[str],
    ) -> None:
        self.fields, self.nodes, self.distinct = fields, nodes, distinct
        self.columns, self.strings = columns, strings
        self.is_leaf = ~np.isnan(columns["leaf_value"])
        self.is_inner = ~self.is_leaf

    def tree(self) -> LightGBMTree:
        """Return the tree. Every inner node must have two children, a test and a value."""
        self._check()
        test = self._codes("decision_type", {"<=": 0, "==": 1})
        is_categorical = test == 1
        # Inner nodes and leaves are numbered separately, each in order of appearance.
        number = np.where(self.is_leaf, -self.is_leaf.cumsum(), self.is_inner.cumsum() - 1)
        return LightGBMTree(
            n_leaves=int(self.is_leaf.sum()),
            feature=self._inner("split_feature").astype(np.int64),
            threshold=self._thresholds(is_categorical),
            left=number[self.nodes.left[self.is_inner]],
            right=number[self.nodes.right[self.is_inner]],
            default_left=self._inner("default_left").astype(np.bool_),
            missing=self._codes("missing_type", _MISSING_TYPES),
            is_categorical=is_categorical,
            listed=[
                self._listed(code)
                for code in self.strings["threshold"][self.is_inner][is_categorical].tolist()
            ],
            value=np.concatenate([self._inner("internal_value"), self.columns["leaf_value"][self.is_leaf]]),
            count=np.concatenate([self._inner("internal_count"), self._leaf_counts()]),
        )

    def _check(self) -> None:
        has_children = (self.nodes.left >= 0) & (self.nodes.right >= 0)
        has_child = (self.nodes.left >= 0) | (self.nodes.right >= 0)
        self._require(has_child == self.is_inner, "it must have two children or be a leaf")
        self._require(has_children == self.is_inner, "it must have two children or be a leaf")
        declared = self.fields.whole("num_leaves", minimum=1)
        if declared != self.is_leaf.sum():
            raise self.fields.fault(f"{declared} leaves are declared, but {self.is_leaf.sum()} are stored")

    def _require(self, holds: Any, sentence: str) -> None:
        if not holds.all():
            raise self.fields.fault(f"node {int((~holds).argmax())}: {sentence}")

    def _inner(self, name: str) -> NDArray[np.float64]:
        values = self.columns[name]
        self._require(self.is_leaf | ~np.isnan(values), f"{name!r} is missing")
        if name == "split_feature":
            self._require(self.is_leaf | (np.abs(values) < _LARGEST_CODE), f"{name!r} is too large")
        return values[self.is_inner]

    def _leaf_counts(self) -> NDArray[np.float64]:
        # A tree of one leaf has no count.
        return np.nan_to_num(self.columns["leaf_count"][self.is_leaf], nan=0.0)

    def _codes(self, name: str, meanings: dict[str, int]) -> NDArray[np.int64]:
        meaning = np.array([*(meanings.get(string, -1) for string in self.distinct), -1])
        codes = meaning[self.strings[name]]
        self._require(self.is_leaf | (codes >= 0), f"{name!r} is missing or unknown")
        return codes[self.is_inner]

    def _thresholds(self, is_categorical: NDArray[np.bool_]) -> NDArray[np.float64]:
        numeric = np.ones(len(self.is_leaf), dtype=np.bool_)
        numeric[self.is_inner] = ~is_categorical
        numbers = self.columns["threshold"]
        self._require(
            self.is_leaf | (numeric == ~np.isnan(numbers)), "'threshold' does not match 'decision_type'"
        )
        thresholds = np.nan_to_num(numbers[self.is_inner], nan=0.0)
        return np.where(thresholds == _INFINITE, np.inf, thresholds)

    def _listed(self, code: int) -> NDArray[np.int64]:
        text = self.distinct[code] if code >= 0 else ""
        parts = text.split("||") if text else []
        if not all(part.isdecimal() and part.isascii() and len(part) < 10 for part in parts):
            raise self.fields.fault(f"{text!r} is not a list of categories")
        return np.unique(np.array([int(part) for part in parts], dtype=np.int64))
