"""The JSON from LightGBM's ``dump_model``: nested nodes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._fields import Fields, flattened_all
from sightline.load._file import FileImporter, ModelFile, register_file
from sightline.load.lightgbm._frame import ColumnRange, frame_categories
from sightline.load.lightgbm._importer import (
    LightGBMModel,
    LightGBMTrees,
    plain_lists,
    refuse_unknown_version,
)
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
        trees = _trees(root.entries("tree_info"), file.name)
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
                [_column_range(infos, name) for name in names],
                trees.show_fractions(len(names)),
                file.options.categories,
                file.name,
            ),
            trees=trees,
        ).ensemble()


def _column_range(infos: Fields, name: str) -> ColumnRange:
    if name not in infos:
        return ColumnRange(np.nan, np.nan)
    info = infos.inner(name)
    codes = info.integers("values")
    if not len(codes):
        return ColumnRange(info.number("min_value"), info.number("max_value"))
    # A categorical column has -1 for missing values.
    known = codes[codes >= 0].astype(np.float64)
    return ColumnRange(min(known, default=np.nan), max(known, default=np.nan))


def _trees(stored: list[Any], owner: str) -> LightGBMTrees:
    if not stored:
        raise ModelFormatError(f"{owner}: contains no tree.")
    all_fields = [Fields(entry, f"{owner}: tree {number}") for number, entry in enumerate(stored)]
    try:
        nodes = flattened_all(
            [fields.any("tree_structure") for fields in all_fields],
            owner,
            left="left_child",
            right="right_child",
            numbers=_NUMBERS,
            strings=_STRINGS,
            ignored=_IGNORED,
        )
    except ModelFormatError as error:
        where, _, fault = str(error).rpartition(": node ")
        if "'leaf_const' is unknown" in fault:
            raise UnsupportedModelError(
                f"{where}: has linear functions in its leaves, which are not supported.",
                "sl.BlackBox takes any model.",
            ) from error
        raise
    return _Nested(all_fields, nodes, owner).trees()


class _Nested:
    """Columns over the nodes of all trees. Every inner node must have two children, a test and a value."""

    def __init__(self, all_fields: list[Fields], nodes: _core.NestedNodes, owner: str) -> None:
        self.all_fields, self.nodes, self.owner = all_fields, nodes, owner
        self.distinct = nodes.distinct
        self.columns = {name: nodes.numbers(index) for index, name in enumerate(_NUMBERS)}
        self.strings = {name: nodes.strings(index) for index, name in enumerate(_STRINGS)}
        self.begin = nodes.tree_begin
        self.is_leaf = ~np.isnan(self.columns["leaf_value"])

    def trees(self) -> LightGBMTrees:
        """Check the nodes and return the trees."""
        self._check()
        is_categorical = (self._codes("decision_type", {"<=": 0, "==": 1}) == 1) & ~self.is_leaf
        feature = self._inner("split_feature")
        self._require(np.abs(feature) < _LARGEST_CODE, "'split_feature' is too large")
        return LightGBMTrees(
            begin=self.begin,
            is_leaf=self.is_leaf,
            feature=feature.astype(np.int64),
            threshold=self._thresholds(is_categorical),
            left=self.nodes.left.astype(np.int64),
            right=self.nodes.right.astype(np.int64),
            default_left=self._inner("default_left").astype(np.bool_),
            missing=self._codes("missing_type", _MISSING_TYPES),
            is_categorical=is_categorical,
            listed=[self._listed(node) for node in np.flatnonzero(is_categorical).tolist()],
            value=np.where(self.is_leaf, self.columns["leaf_value"], self._inner("internal_value")),
            count=np.where(self.is_leaf, self._leaf_counts(), self._inner("internal_count")),
        )

    def _check(self) -> None:
        has_left, has_right = self.nodes.left >= 0, self.nodes.right >= 0
        has_one_kind = (has_left == has_right) & (has_left != self.is_leaf)
        self._require(has_one_kind, "it must have two children or be a leaf")
        n_leaves = np.add.reduceat(self.is_leaf, self.begin[:-1], dtype=np.int64)
        for fields, stored in zip(self.all_fields, n_leaves.tolist(), strict=True):
            declared = fields.whole("num_leaves", minimum=1)
            if declared != stored:
                raise fields.fault(f"{declared} leaves are declared, but {stored} are stored")

    def _tree_of(self, node: int) -> int:
        return int(np.searchsorted(self.begin, node, side="right")) - 1

    def _require(self, holds: Any, sentence: str) -> None:
        if not holds.all():
            node = int((~holds).argmax())
            tree = self._tree_of(node)
            raise self.all_fields[tree].fault(f"node {node - int(self.begin[tree])}: {sentence}")

    def _inner(self, name: str) -> NDArray[np.float64]:
        """Return a member of the inner nodes, 0 at the leaves."""
        values = np.where(self.is_leaf, 0.0, self.columns[name])
        self._require(~np.isnan(values), f"{name!r} is missing")
        return values

    def _leaf_counts(self) -> NDArray[np.float64]:
        # A tree of one leaf has no count.
        counts = self.columns["leaf_count"]
        return np.where(np.isnan(counts), 0.0, counts)

    def _codes(self, name: str, meanings: dict[str, int]) -> NDArray[np.int64]:
        meaning = np.array([*(meanings.get(string, -1) for string in self.distinct), -1])
        codes = meaning[self.strings[name]]
        self._require(self.is_leaf | (codes >= 0), f"{name!r} is missing or unknown")
        return codes

    def _thresholds(self, is_categorical: NDArray[np.bool_]) -> NDArray[np.float64]:
        numbers = self.columns["threshold"]
        is_absent = np.isnan(numbers)
        self._require(
            self.is_leaf | (is_categorical == is_absent), "'threshold' does not match 'decision_type'"
        )
        thresholds = np.where(is_absent, 0.0, numbers)
        is_infinite = thresholds == _INFINITE
        return np.where(is_infinite, np.inf, thresholds) if is_infinite.any() else thresholds

    def _listed(self, node: int) -> NDArray[np.int64]:
        code = int(self.strings["threshold"][node])
        text = self.distinct[code] if code >= 0 else ""
        parts = text.split("||") if text else []
        if not all(part.isdecimal() and part.isascii() and len(part) < 10 for part in parts):
            raise self.all_fields[self._tree_of(node)].fault(f"{text!r} is not a list of categories")
        return np.unique(np.array([int(part) for part in parts], dtype=np.int64))
