"""ONNX files with one tree operator, and simple steps in front of it and behind it.

The semantics are those of onnxruntime. Tensors are parsed with the package onnx; the trees are read
and checked here.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._assembly import named_schema
from sightline.load._file import FileImporter, ModelFile, register_file
from sightline.load._forest import Forest
from sightline.load._forest_ensemble import forest_ensemble
from sightline.load.onnx._graph import OnnxGraph
from sightline.model import Ensemble

# ModelProto begins with its field 1, a small version number, and goes on with one of these fields.
_FIRST, _NEXT = 0x08, frozenset({0x12, 0x1A, 0x22, 0x28, 0x32, 0x3A, 0x42, 0x72})
_MAX_VERSION = 64


@register_file
class OnnxImporter(FileImporter):
    """Reads ONNX models."""

    format_name: ClassVar[str] = "ONNX"

    def recognizes(self, file: ModelFile) -> bool:
        """Check for the version number and the tag that follows it."""
        start = file.content[:3]
        return len(start) == 3 and start[0] == _FIRST and 1 <= start[1] <= _MAX_VERSION and start[2] in _NEXT

    def read(self, file: ModelFile) -> Ensemble:
        """Return the trees, over the inputs of the graph."""
        return _ensemble(OnnxGraph(_parsed(file), file.name))


def _parsed(file: ModelFile) -> Any:
    try:
        import onnx  # noqa: PLC0415 - optional
    except ImportError as error:
        raise UnsupportedModelError(
            f"{file.name}: is an ONNX file, and onnx is not installed: pip install 'sightline[onnx]'."
        ) from error
    try:
        return onnx.load_model_from_string(file.content)
    except Exception as error:  # the library raises its own kinds of errors
        raise ModelFormatError(f"{file.name}: is not a valid ONNX file ({error}).") from error


def _ensemble(graph: OnnxGraph) -> Ensemble:
    forest, labels = graph.answer()
    schema = named_schema(graph.features(forest), graph.file, names_given=graph.names_columns)
    classes = None if labels is None else np.array(labels)
    return forest_ensemble(forest, schema, classes, _tree_score(forest))


def _tree_score(forest: Forest) -> list[int]:
    """Return the one score that each tree adds to, -1 if one of them adds to several."""
    trees, n_scores = forest.trees, forest.output.shape[1]
    if n_scores == 1:
        return [0] * trees.n_trees
    adds = np.logical_or.reduceat(forest.output != 0, trees.begin[:-1], axis=0)
    if (adds.sum(axis=1) > 1).any():
        return [-1] * trees.n_trees
    return [int(score) for score in adds.argmax(axis=1)]
