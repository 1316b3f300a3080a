"""The graph of an ONNX file, followed from its inputs to its outputs.

Every value is kept as what it means (``_values``). Nodes that are not understood give a refusal,
which is raised only if an answer depends on it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._assembly import require_few_unnamed
from sightline.load._computed_columns import CategoryColumn, NumberColumn
from sightline.load._forest import Forest
from sightline.load.onnx._answer import read_classifier, read_ensemble, read_regressor
from sightline.load.onnx._behind import BEHIND
from sightline.load.onnx._node import OnnxNode, checked_text, tensor_values
from sightline.load.onnx._steps import STEPS
from sightline.load.onnx._values import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT32,
    INT64,
    STRING,
    Labels,
    LeafTable,
    Matrix,
    Refusal,
    Scores,
    TextColumn,
    Value,
)
from sightline.model import Link
from sightline.table import Feature, Schema

_TREES: dict[str, Callable[[OnnxNode, Any, bool], Forest]] = {
    "TreeEnsembleClassifier": read_classifier,
    "TreeEnsembleRegressor": read_regressor,
    "TreeEnsemble": read_ensemble,
}


class OnnxGraph:
    """A graph with one tree operator.

    Parameters
    ----------
    model : onnx.ModelProto
        As parsed by the library.
    file : str
        Name of the file.
    """

    def __init__(self, model: Any, file: str) -> None:
        self.file = file
        self._names: list[str] = []
        self._n_inputs = 0
        self._forest: Forest | None = None
        self._notes = _notes(model)
        self._values: dict[str, Value] = {
            checked_text(tensor.name, file): tensor_values(tensor, f"{file}: initializer {tensor.name!r}")
            for tensor in model.graph.initializer
        }
        if model.graph.sparse_initializer or model.functions:
            raise UnsupportedModelError(f"{file}: sparse tensors and functions are not supported.")
        for entry in model.graph.input:
            if checked_text(entry.name, file) not in self._values:
                self._values[entry.name] = self._input(entry)
        for index, proto in enumerate(model.graph.node):
            self._follow(OnnxNode(proto, index, file))
        self._outputs = [self._value(output.name, f"{file}: output") for output in model.graph.output]
        if not self._outputs:
            raise ModelFormatError(f"{file}: the graph has no output.")

    def _input(self, entry: Any) -> Value:
        tensor = entry.type.tensor_type
        dtype, dims = tensor.elem_type, list(tensor.shape.dim)
        if dtype not in (FLOAT, DOUBLE, INT32, INT64, BOOL, STRING) or len(dims) != 2:
            return Refusal(
                UnsupportedModelError(f"{self.file}: input {entry.name!r} is not a table of numbers or text.")
            )
        n_columns = dims[1].dim_value
        if n_columns < 1:
            return Refusal(
                UnsupportedModelError(f"{self.file}: input {entry.name!r} has no fixed number of columns.")
            )
        first = len(self._names)
        require_few_unnamed(first + n_columns if n_columns > 1 else 0, self.file)
        self._names += [entry.name] if n_columns == 1 else [f"{entry.name}_{k}" for k in range(n_columns)]
        self._n_inputs += 1
        sources = range(first, first + n_columns)
        if dtype == STRING:
            return Matrix(tuple(TextColumn(source) for source in sources), dtype)
        is_single = dtype == FLOAT
        return Matrix(tuple(NumberColumn(source, is_single) for source in sources), dtype)

    def _value(self, name: str, where: str) -> Value:
        if name not in self._values:
            raise ModelFormatError(f"{where} {name!r} does not exist.")
        return self._values[name]

    def _follow(self, node: OnnxNode) -> None:
        inputs = [self._value(name, f"{node.where}: input") for name in node.inputs if name]
        refusal = next((value for value in inputs if isinstance(value, Refusal)), None)
        results: tuple[Value, ...]
        if refusal is not None:
            results = (refusal,) * len(node.outputs)
        else:
            try:
                results = self._computed(node, inputs)
            except UnsupportedModelError as error:
                results = (Refusal(error),) * len(node.outputs)
        for name, value in zip(node.outputs, results, strict=False):
            self._values[name] = value

    def _computed(self, node: OnnxNode, inputs: list[Value]) -> tuple[Value, ...]:
        if not node.is_standard:
            raise node.unsupported("the operator is not supported")
        if node.kind == "Constant":
            return (node.tensor("value"),)
        if node.kind in _TREES:
            return self._grown(node, inputs)
        is_behind = any(isinstance(value, Scores | Labels | LeafTable) for value in inputs)
        function = (BEHIND if is_behind else STEPS).get(node.kind)
        if function is None or not inputs:
            place = "after the trees" if is_behind else "before the trees"
            raise node.unsupported(f"the operator is not supported {place}")
        result = function(node, inputs)
        return result if isinstance(result, tuple) else (result,)

    def _grown(self, node: OnnxNode, inputs: list[Value]) -> tuple[Value, ...]:
        if self._forest is not None:
            raise node.unsupported("a second tree operator is not supported")
        matrix = inputs[0] if inputs else None
        if not isinstance(matrix, Matrix) or matrix.n_blocks or matrix.dtype == STRING:
            raise node.unsupported("its input is not a table of numbers")
        forest = _TREES[node.kind](node, matrix.columns, matrix.dtype != DOUBLE)
        self._forest = forest
        if forest.classes is None:
            return (Scores(forest),)
        return Labels(forest, forest.classes), Scores(forest)

    def answer(self) -> tuple[Forest, tuple[object, ...] | None]:
        """Return the trees and the labels that the outputs give, or None for numbers."""
        for value in self._outputs:
            if isinstance(value, Refusal):
                raise value.error
        tables = [value for value in self._outputs if isinstance(value, LeafTable)]
        if len(tables) == len(self._outputs):
            return self._from_tables(tables)
        found = [value for value in self._outputs if isinstance(value, Scores | Labels)]
        if len(found) < len(self._outputs):
            raise UnsupportedModelError(f"{self.file}: an output does not come from the trees.")
        forest = found[0].forest
        return forest, next((value.classes for value in found if isinstance(value, Labels)), forest.classes)

    def features(self, forest: Forest) -> list[Feature]:
        """Return the caller's columns."""
        categories: dict[int, dict[object, None]] = {}
        numeric = set()
        for column in forest.columns:
            if isinstance(column, CategoryColumn):
                categories.setdefault(column.source, {}).update(dict.fromkeys(column.codes))
            else:
                numeric.add(column.source)
        refusing = [c for c in forest.columns if isinstance(c, CategoryColumn) and c.refuses_other]
        for column in refusing:
            known = categories[column.source]
            categories[column.source] = {value: None for value in known if value in column.codes}
        both = sorted(numeric & set(categories))
        if both:
            raise UnsupportedModelError(
                f"{self.file}: {self._names[both[0]]!r} is used as a number and as a category."
            )
        text = {
            column.source
            for value in self._values.values()
            if isinstance(value, Matrix)
            for column in value.columns
            if isinstance(column, TextColumn)
        }
        refused = {column.source for column in refusing}
        found = [
            Feature(
                name,
                tuple(categories.get(k, ())) or None,
                unseen="refuse" if k in refused else "missing",
                ignored=k in text and k not in categories,
            )
            for k, name in enumerate(self._names)
        ]
        return self._renamed(found)

    @property
    def names_columns(self) -> bool:
        """Whether every column has an input of its own, and so a name."""
        return self._n_inputs > 1

    def _renamed(self, found: list[Feature]) -> list[Feature]:
        """Use the names and categories that our own export notes, else the positions in a single table."""
        if self._notes is not None and len(self._notes.features) == len(found):
            noted = self._notes.features
            # Where other values are refused, the empty string is listed to be missing.
            more = [b.n_values - a.n_values for a, b in zip(noted, found, strict=True)]
            if all(n in (0, int(a.unseen == "refuse")) for n, a in zip(more, noted, strict=True)):
                return list(noted)
        if self._n_inputs == 1 and len(found) > 1:
            return [replace(feature, name=f"x{k}") for k, feature in enumerate(found)]
        return found

    def _from_tables(self, tables: list[LeafTable]) -> tuple[Forest, tuple[object, ...] | None]:
        """Read tables of one tree's leaves, as our own export writes them: labels and probabilities."""
        forest, is_leaf = tables[0].forest, tables[0].forest.trees.is_leaf
        numbers = [table.entries for table in tables if table.entries.ndim == 2]
        labels = [table.entries for table in tables if table.entries.ndim == 1]
        if len(numbers) != 1 or len(labels) > 1 or numbers[0].dtype.kind != "f":
            raise UnsupportedModelError(f"{self.file}: its outputs are not labels and probabilities.")
        output = numbers[0].astype(np.float64)
        forest = replace(forest, output=output, base=np.zeros(output.shape[1]), is_single=False)
        if not labels:
            if output.shape[1] != 1:
                raise UnsupportedModelError(f"{self.file}: it has {output.shape[1]} outputs. Supported: 1.")
            return forest, None
        classes = self._notes.classes if self._notes is not None else None
        if classes is None or len(classes) != output.shape[1]:
            raise UnsupportedModelError(f"{self.file}: its metadata does not name its classes.")
        told = [str(classes[k]) for k in output[is_leaf].argmax(axis=1)]
        if told != [str(label) for label in labels[0][is_leaf].tolist()]:
            raise UnsupportedModelError(
                f"{self.file}: a leaf has a different label than its most probable class."
            )
        return replace(forest, link=Link("mean"), classes=tuple(classes)), tuple(classes)


@dataclass(frozen=True)
class _Notes:
    """What our own export notes in the metadata."""

    features: tuple[Feature, ...]
    classes: list[Any] | None


def _notes(model: Any) -> _Notes | None:
    stored = {entry.key: entry.value for entry in model.metadata_props}.get("sightline")
    try:
        document = json.loads(stored) if stored else None
        if not isinstance(document, dict):
            return None
        classes = document.get("classes")
        features = Schema.from_json({"features": document.get("features")}).features
    except (ValueError, RecursionError):
        return None
    is_list = isinstance(classes, list) and all(isinstance(c, str | int | float) for c in classes)
    return _Notes(features, classes if is_list else None)
