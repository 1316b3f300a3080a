"""The stages of a Spark pipeline in front of its trees, and the label behind them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import numpy as np

from sightline.load._assembly import default_names
from sightline.load._codes import OTHER
from sightline.load._compared_nodes import MEMBER, ComparedNodes
from sightline.load._computed_columns import CategoryColumn, NumberColumn, filled
from sightline.load.spark._folder import SparkFolder
from sightline.table import Feature

Column = NumberColumn | CategoryColumn
_FEATURE = "org.apache.spark.ml.feature."


@dataclass
class _Input:
    """A column of the caller."""

    name: str
    categories: dict[str, None] = field(default_factory=dict)
    is_number: bool = False
    refuses_other: bool = False


class SparkColumns:
    """The columns that the stages of a pipeline make, each as a function of one column of the caller.

    Parameters
    ----------
    model : SparkFolder
        The tree model behind them.
    """

    def __init__(self, model: SparkFolder) -> None:
        self.model = model
        self._inputs: dict[str, _Input] = {}
        self._made: dict[str, list[Column]] = {}
        self._labels: dict[str, list[str]] = {}
        self._followed: dict[str, Callable[[SparkFolder], None]] = {
            "StringIndexerModel": self._string_indexer,
            "VectorAssembler": self._vector_assembler,
            "OneHotEncoderModel": self._one_hot,
            "ImputerModel": self._imputer,
        }

    def follow(self, stage: SparkFolder) -> None:
        """Follow one stage in front of the trees."""
        name = stage.kind.removeprefix(_FEATURE)
        if name not in self._followed or stage.kind == name:
            raise stage.unsupported(
                f"the stage is not supported. Supported: {', '.join(sorted(self._followed))}"
            )
        self._followed[name](stage)

    def labels_behind(self, stage: SparkFolder, prediction: str) -> list[str]:
        """Return the labels that a stage behind the trees gives to the classes."""
        if stage.kind != f"{_FEATURE}IndexToString" or stage.string("inputCol") != prediction:
            raise stage.unsupported("the stage is not supported after the trees. Supported: IndexToString")
        labels = stage.param("labels")
        if not labels:
            labels = self._labels.get(self.model.string("labelCol"))
        if not _are_texts(labels):
            raise stage.unsupported("its labels are not stored")
        return labels

    @property
    def has_inputs(self) -> bool:
        """Whether stages name the columns of the caller."""
        return bool(self._inputs)

    def vector(self, name: str, n_features: int, trees: ComparedNodes) -> tuple[list[Column], list[Feature]]:
        """Return the columns of the trees, and the caller's features."""
        if name not in self._made:
            if self._inputs:
                raise self.model.unsupported(f"no stage makes the column {name!r}")
            return self._bare(n_features, trees)
        made = self._made[name]
        if len(made) != n_features:
            raise self.model.fault(f"it expects {n_features} features, but {name!r} has {len(made)}")
        return made, [self._feature(entry) for entry in self._inputs.values()]

    def _feature(self, entry: _Input) -> Feature:
        if entry.is_number and entry.categories:
            raise self.model.unsupported(f"the column {entry.name!r} is a number and a category")
        if not entry.categories:
            # A column that only makes the label is not needed for predictions.
            return Feature(entry.name, ignored=not entry.is_number)
        return Feature(
            entry.name, tuple(entry.categories), unseen="refuse" if entry.refuses_other else "missing"
        )

    def _bare(self, n_features: int, trees: ComparedNodes) -> tuple[list[Column], list[Feature]]:
        """Return columns for a model without a pipeline: categories are the codes that tests list."""
        listed: dict[int, set[float]] = {}
        nodes = np.flatnonzero(trees.mode == MEMBER).tolist()
        for node, members in zip(nodes, trees.members, strict=True):
            listed.setdefault(int(trees.feature[node]), set()).update(members.tolist())
        columns: list[Column] = []
        features = []
        for index, name in enumerate(default_names(n_features, self.model.name)):
            codes = sorted(int(code) for code in listed.get(index, ()))
            if index not in listed:
                columns.append(NumberColumn(index, is_single=False))
                features.append(Feature(name))
                continue
            table: dict[object, float] = {code: float(code) for code in codes} | {OTHER: -1.0}
            columns.append(CategoryColumn(index, table, np.nan))
            features.append(Feature(name, (*codes, OTHER), unseen="last"))
        return columns, features

    def _input(self, name: str) -> int:
        if name not in self._inputs:
            self._inputs[name] = _Input(name)
        return list(self._inputs).index(name)

    def _column(self, stage: SparkFolder, name: str) -> Column:
        """Return one column: made by a stage, or else a number of the caller."""
        made = self._made.get(name)
        if made is None:
            source = self._input(name)
            self._inputs[name].is_number = True
            return NumberColumn(source, is_single=False)
        if len(made) != 1:
            raise stage.unsupported(f"the column {name!r} is a vector")
        return made[0]

    def _put(self, stage: SparkFolder, name: str, columns: list[Column]) -> None:
        if name in self._made or name in self._inputs:
            raise stage.unsupported(f"the column {name!r} is made twice")
        self._made[name] = columns

    def _string_indexer(self, stage: SparkFolder) -> None:
        rows = stage.table().to_pylist()
        stored = [row.get("labelsArray", row.get("labels")) for row in rows]
        labels = stored[0] if stored else None
        if labels and isinstance(labels[0], str):
            labels = [labels]
        inputs, outputs = stage.strings("inputCol", "inputCols"), stage.strings("outputCol", "outputCols")
        if not labels or not len(labels) == len(inputs) == len(outputs) or not all(map(_are_texts, labels)):
            raise stage.fault("its labels do not match its columns")
        invalid = stage.string("handleInvalid")
        if invalid not in ("error", "skip", "keep"):
            raise stage.unsupported(f"handleInvalid {invalid!r} is not supported")
        for name, output, values in zip(inputs, outputs, labels, strict=True):
            if name in self._made or len(set(values)) < len(values):
                raise stage.unsupported(f"the column {name!r} is not a column of the caller")
            self._labels[output] = list(values)
            if output == self.model.param("labelCol"):
                continue
            source = self._input(name)
            entry = self._inputs[name]
            entry.categories.update(dict.fromkeys(values))
            entry.refuses_other |= invalid != "keep"
            default = float(len(values)) if invalid == "keep" else np.nan
            codes: dict[object, float] = {value: float(code) for code, value in enumerate(values)}
            self._put(stage, output, [CategoryColumn(source, codes, default)])

    def _vector_assembler(self, stage: SparkFolder) -> None:
        names = stage.param("inputCols")
        if not _are_texts(names):
            raise stage.fault("its input columns are not listed")
        columns: list[Column] = []
        for name in names:
            columns += self._made.get(name) or [self._column(stage, name)]
        self._put(stage, stage.string("outputCol"), columns)

    def _one_hot(self, stage: SparkFolder) -> None:
        rows = stage.table().to_pylist()
        sizes = rows[0].get("categorySizes") if rows else None
        inputs, outputs = stage.strings("inputCol", "inputCols"), stage.strings("outputCol", "outputCols")
        if not sizes or not len(sizes) == len(inputs) == len(outputs) or max(sizes) > 2**20:
            raise stage.fault("its sizes do not match its columns")
        keeps, drops = stage.string("handleInvalid") == "keep", stage.param("dropLast") is not False
        for name, output, size in zip(inputs, outputs, sizes, strict=True):
            column = self._column(stage, name)
            if not isinstance(column, CategoryColumn):
                raise stage.unsupported(f"the column {name!r} does not come from a StringIndexer")
            if not keeps:
                self._inputs[list(self._inputs)[column.source]].refuses_other = True
            n_columns = size + keeps - drops
            self._put(stage, output, [column.then(_indicator(k, size)) for k in range(n_columns)])

    def _imputer(self, stage: SparkFolder) -> None:
        value = stage.param("missingValue")
        if not (isinstance(value, float) and np.isnan(value)) and value != "NaN":
            raise stage.unsupported(f"it replaces {value!r}. Supported: NaN")
        rows = stage.table().to_pylist()
        inputs, outputs = stage.strings("inputCol", "inputCols"), stage.strings("outputCol", "outputCols")
        if len(rows) != 1 or len(inputs) != len(outputs) or not set(inputs) <= set(rows[0]):
            raise stage.fault("its replacements do not match its columns")
        for name, output in zip(inputs, outputs, strict=True):
            column = self._column(stage, name)
            filling = rows[0][name]
            is_number = isinstance(filling, float | int) and np.isfinite(filling)
            if not isinstance(column, NumberColumn) or not is_number:
                raise stage.unsupported(f"the column {name!r} is not a number, or its replacement is not")
            self._put(stage, output, [column.then(filled(float(filling)))])


def _are_texts(values: Any) -> TypeGuard[list[str]]:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _indicator(code: int, size: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return the step that tests whether a code equals a given one; invalid codes count as the last."""
    return lambda codes: (np.where(codes < size, codes, size) == code).astype(np.float64)
