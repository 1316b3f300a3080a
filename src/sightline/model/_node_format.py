"""The stored form of trees and graphs."""

from __future__ import annotations

from typing import Any, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import DataError, ModelFormatError
from sightline.model._document import Document, get, get_array, get_count, get_number
from sightline.model._format import KindFormat, stores
from sightline.model._graph import Graph
from sightline.model._label_format import read_classes, write_classes
from sightline.model._leaf_lines import LINE_ARRAYS, LeafLines
from sightline.model._node_numbers import NodeNumbers
from sightline.model._nodes import LabelSource, NodeModel
from sightline.model._proof import Proof
from sightline.model._subject import read_schema, write_schema
from sightline.model._tree import Tree
from sightline.table import Schema

_Core = TypeVar("_Core", _core.Tree, _core.Graph)

_DEFAULT_SOURCE: LabelSource = "learnt"

_NODE_ARRAYS: dict[str, type] = {
    "test": np.uint8,
    "feature": np.int32,
    "threshold": np.float64,
    "branch_begin": np.int64,
    "child": np.int32,
    "share": np.float64,
    "category_begin": np.int64,
    "category": np.int32,
    "weight": np.float64,
    "output": np.float64,
    "counts": np.float64,
}


def write_nodes(core: _core.DecisionNodes) -> Document:
    """Return the node arrays, flat."""
    arrays = {name: getattr(core, name).ravel().tolist() for name in _NODE_ARRAYS}
    return {"n_outputs": core.n_outputs, **arrays}


def read_nodes(stored: Document, schema: Schema, build: type[_Core]) -> _Core:
    """Build nodes from their arrays; the builder checks them."""
    n_outputs = get_count(stored, "n_outputs")
    arrays = {name: get_array(stored, name, dtype) for name, dtype in _NODE_ARRAYS.items()}
    try:
        return build(n_values=schema.n_values, n_outputs=n_outputs, **arrays)
    except ValueError as error:
        raise ModelFormatError(str(error)) from error


def _write_node_model(model: NodeModel) -> Document:
    return {
        **write_schema(model.schema, model.classes_),
        "classes": write_classes(model.classes_),
        "tie_tolerance": model.tie_tolerance,
        type(model).__name__.lower(): write_nodes(model.core),
        **({} if model.label_source == _DEFAULT_SOURCE else {"counted": model.label_source}),
        **({} if model.proof is None else {"proof": _write_proof(model.proof)}),
        **({} if model.numbers is None else {"numbers": _write_numbers(model.numbers)}),
    }


def _write_numbers(numbers: NodeNumbers) -> Document:
    # JSON has no NaN: a node without rows has no mean.
    return {
        name: [None if np.isnan(value) else value for value in getattr(numbers, name).tolist()]
        for name in ("mean", "deviation")
    }


def _read_numbers(document: Document, n_nodes: int) -> NodeNumbers | None:
    if "numbers" not in document:
        return None
    stored = get(document, "numbers", dict)
    arrays = []
    for name in ("mean", "deviation"):
        values = get(stored, name, list)
        if len(values) != n_nodes or not all(
            value is None or isinstance(value, float | int) for value in values
        ):
            raise ModelFormatError(f"'{name}' needs a number or null for each of the {n_nodes} nodes")
        arrays.append(np.array([np.nan if value is None else value for value in values], dtype=np.float64))
    return NodeNumbers(*arrays)


def _write_lines(lines: LeafLines) -> Document:
    return {name: getattr(lines, name).tolist() for name in LINE_ARRAYS}


def _read_lines(document: Document, core: _core.Tree) -> LeafLines | None:
    if "lines" not in document:
        return None
    stored = get(document, "lines", dict)
    lines = LeafLines(**{name: get_array(stored, name, dtype) for name, dtype in LINE_ARRAYS.items()})
    try:
        lines.native(core)
    except DataError as error:
        raise ModelFormatError(str(error).rstrip(".")) from error
    return lines


def _read_probabilities(document: Document, core: _core.Tree) -> NDArray[np.float64] | None:
    if "probabilities" not in document:
        return None
    stored = get_array(document, "probabilities", np.float64)
    if len(stored) != core.n_nodes * core.n_outputs or not ((stored >= 0) & (stored <= 1)).all():
        raise ModelFormatError(
            f"'probabilities' needs {core.n_outputs} numbers from 0 to 1 for each of the {core.n_nodes} nodes"
        )
    if not np.isin(core.share, (0.0, 1.0)).all():
        raise ModelFormatError("a tree with 'probabilities' must send missing values one way")
    return stored.reshape(core.n_nodes, core.n_outputs)


def _read_label_costs(document: Document, n_classes: int) -> NDArray[np.float64] | None:
    if "label_costs" not in document:
        return None
    stored = get_array(document, "label_costs", np.float64)
    if len(stored) != n_classes**2 or not (np.isfinite(stored) & (stored >= 0)).all():
        raise ModelFormatError(
            f"'label_costs' needs {n_classes} numbers of at least 0 for each of the {n_classes} classes"
        )
    return stored.reshape(n_classes, n_classes)


def _write_proof(proof: Proof) -> Document:
    return {
        "is_proved": proof.is_proved.astype(int).tolist(),
        "complete": proof.complete,
        "missing": list(proof.missing),
        "n_boxes": proof.n_boxes,
        "share": proof.share,
        **({"tolerance": proof.tolerance} if proof.tolerance else {}),
        **(
            {"optimal": proof.optimal, "cost": proof.cost, "lower_bound": proof.lower_bound}
            if proof.cost
            else {}
        ),
    }


def _read_proof(document: Document, schema: Schema, n_nodes: int) -> Proof | None:
    if "proof" not in document:
        return None
    stored = get(document, "proof", dict)
    is_proved = get_array(stored, "is_proved", np.int64)
    if len(is_proved) != n_nodes or not np.isin(is_proved, (0, 1)).all():
        raise ModelFormatError(f"'is_proved' needs a 0 or 1 for each of the {n_nodes} nodes")
    missing = get(stored, "missing", list)
    names = set(schema.names)
    if not all(isinstance(name, str) and name in names for name in missing):
        raise ModelFormatError("'missing' must name features")
    share = None if get(stored, "share", float, int, type(None)) is None else get_number(stored, "share", 0)
    return Proof(
        is_proved.astype(bool),
        get(stored, "complete", bool),
        tuple(missing),
        int(get_number(stored, "n_boxes", least=0)),
        share,
        get_number(stored, "tolerance", least=0) if "tolerance" in stored else 0.0,
        "optimal" in stored and get(stored, "optimal", bool),
        get_number(stored, "cost", least=0) if "cost" in stored else None,
        get_number(stored, "lower_bound", least=0) if "lower_bound" in stored else None,
    )


def _read_node_model(
    document: Document, key: str, build: type[_Core]
) -> tuple[_Core, tuple[Schema, NDArray[Any] | None, float, Proof | None, Any, NodeNumbers | None]]:
    classes = read_classes(document)
    schema = read_schema(document, classes)
    core = read_nodes(get(document, key, dict), schema, build)
    if classes is not None and core.n_outputs != len(classes):
        raise ModelFormatError(f"there are {len(classes)} classes, but nodes have {core.n_outputs} outputs")
    label_source = get(document, "counted", str) if "counted" in document else _DEFAULT_SOURCE
    if label_source not in get_args(LabelSource):
        raise ModelFormatError(
            f"'counted' must be one of {list(get_args(LabelSource))}, not {label_source!r}"
        )
    proof = _read_proof(document, schema, core.n_nodes)
    numbers = _read_numbers(document, core.n_nodes)
    return core, (
        schema,
        classes,
        get_number(document, "tie_tolerance", least=0),
        proof,
        label_source,
        numbers,
    )


@stores(Tree)
class TreeFormat(KindFormat):
    """A tree."""

    kind = "tree"

    @staticmethod
    def write(model: Tree) -> Document:
        """Return the nodes, what they are about, what is proved, lines in the leaves, and what decides."""
        lines = {} if model.lines is None else {"lines": _write_lines(model.lines)}
        document = {**_write_node_model(model), **lines}
        if model.probabilities is not None:
            document["probabilities"] = model.probabilities.ravel().tolist()
        if model.label_costs is not None:
            document["label_costs"] = model.label_costs.ravel().tolist()
        return document

    @staticmethod
    def read(document: Document) -> Tree:
        """Build the tree."""
        core, rest = _read_node_model(document, "tree", _core.Tree)
        lines, probabilities = _read_lines(document, core), _read_probabilities(document, core)
        return Tree(core, *rest, lines, probabilities, _read_label_costs(document, core.n_outputs))


@stores(Graph)
class GraphFormat(KindFormat):
    """A graph."""

    kind = "graph"

    @staticmethod
    def write(model: Graph) -> Document:
        """Return the nodes, what they are about and what is proved."""
        return _write_node_model(model)

    @staticmethod
    def read(document: Document) -> Graph:
        """Build the graph."""
        core, rest = _read_node_model(document, "graph", _core.Graph)
        return Graph(core, *rest)
