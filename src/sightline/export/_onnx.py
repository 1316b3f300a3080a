"""An ONNX graph around one TreeEnsemble in double."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from sightline.exceptions import UnsupportedModelError
from sightline.export._plain_nodes import Missing, PlainNodes, plain_label
from sightline.export._registry import kind
from sightline.model import LEAF, MULTIWAY, SUBSET, Graph, NodeModel, Tree
from sightline.table import Feature

to_onnx = kind("onnx")

_LEQ, _EQ, _MEMBER = 0, 4, 6
"""Numbers of the test modes in ai.onnx.ml."""


@to_onnx.register(Tree)
@to_onnx.register(Graph)
def _(model: NodeModel, missing: Missing = "exact") -> bytes:
    onnx = _library()
    nodes = PlainNodes.of(model, missing).unfolded("ONNX")
    nodes.require_whole_rows("ONNX")
    return _graph(onnx, nodes, type(model).__name__)


def _library() -> Any:
    try:
        import onnx  # noqa: PLC0415 - optional
    except ImportError:
        raise UnsupportedModelError(
            "The export of kind 'onnx' needs the library onnx: pip install sightline[onnx]."
        ) from None
    return onnx
