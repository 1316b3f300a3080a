"""Models as the page holds them; each kind of model registers how that is done for it."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from sightline.exceptions import UnsupportedModelError
from sightline.model import SUBSET, THRESHOLD, Graph, NodeModel, Tree
from sightline.report._columns import Columns
from sightline.report._evidence import Evidence
from sightline.report._naming import noun_of
from sightline.show import NodeWording, Outline

Json = dict[str, Any]


@singledispatch
def model_json(model: Any, evidence: Evidence, columns: Columns) -> Json:  # noqa: ARG001
    """Return a model as plain data; ``kind`` names the script that answers with it."""
    raise UnsupportedModelError(f"A {type(model).__name__} has no report.")


@singledispatch
def model_parts(model: Any) -> dict[str, Json]:
    """Return the parts of the page that this kind of model has, by name, with their headings."""
    raise UnsupportedModelError(f"A {type(model).__name__} has no report.")


@singledispatch
def tested_features(model: Any) -> set[int]:
    """Return the places of the features that a model asks for."""
    raise UnsupportedModelError(f"A {type(model).__name__} has no report.")


def page_models(evidence: Evidence, columns: Columns) -> list[Json]:
    """Return all models of the page: that of the report first, then those of other sizes, ascending."""
    others = [tree for tree in evidence.sizes.values() if tree is not evidence.model]
    return [model_json(model, evidence, columns) for model in (evidence.model, *others)]


def used_features(evidence: Evidence) -> list[int]:
    """Return the places of the features that some model of the page asks for, ascending."""
    models = (evidence.model, *evidence.sizes.values())
    return sorted(set().union(*(tested_features(model) for model in models)))


@tested_features.register(Tree)
@tested_features.register(Graph)
def _(model: NodeModel) -> set[int]:
    return {int(feature) for feature in model.core.used_features}


@model_parts.register
def _(tree: Tree) -> dict[str, Json]:  # noqa: ARG001
    titles = {"tree": "The tree", "whatif": "What if", "leaves": "The tree as rules"}
    return {kind: {"title": title} for kind, title in titles.items()}


@model_parts.register
def _(graph: Graph) -> dict[str, Json]:  # noqa: ARG001
    # Its leaves are reached on too many ways for a rule each.
    return {"tree": {"title": "The graph"}, "whatif": {"title": "What if"}}


@model_json.register(Tree)
@model_json.register(Graph)
def _(model: NodeModel, evidence: Evidence, columns: Columns) -> Json:
    core = model.core
    outline = Outline.of(model)
    wording = NodeWording(model)
    test = core.test.tolist()
    feature = core.feature.tolist()
    threshold = core.threshold.tolist()
    nodes = range(core.n_nodes)
    return {
        "kind": "nodes",
        "noun": noun_of(model),
        "leaves": core.n_leaves,
        "tie_tolerance": model.tie_tolerance,
        "counted": outline.label_source,
        "test": test,
        "feature": [columns.place.get(place, -1) for place in feature],
        "threshold": [threshold[node] if test[node] == THRESHOLD else None for node in nodes],
        "number": [
            wording.number(feature[node], threshold[node]) if test[node] == THRESHOLD else None
            for node in nodes
        ],
        "excludes": [
            test[node] == THRESHOLD and wording.excludes(feature[node], threshold[node]) for node in nodes
        ],
        "precision": wording.precision,
        "values": [wording.subset(node) if test[node] == SUBSET else None for node in nodes],
        "children": [model.children(node).tolist() for node in nodes],
        "shares": [model.shares(node).tolist() for node in nodes],
        "best": outline.best.tolist(),
        "output": core.output.tolist(),
        "weight": outline.weight.tolist() if outline.has_rows else None,
        "mix": np.round(outline.mix, 4).tolist(),
        **_measured(model, evidence),
        "proof": _proof(model, evidence),
    }


def _measured(model: NodeModel, evidence: Evidence) -> Json:
    """Count per node the rows of the report, and those on which its model and the ensemble agree."""
    rows = evidence.rows.native()
    if evidence.taught is None:
        return {"seen": np.round(model.core.passing(rows)[:, 0], 2).tolist(), "agreed": None}
    agrees = (model.predict(evidence.rows) == evidence.taught).astype(np.int32)
    counts = model.core.passing(rows, agrees, 2, None)
    return {"seen": np.round(counts.sum(axis=1), 2).tolist(), "agreed": np.round(counts[:, 1], 2).tolist()}


def _proof(model: NodeModel, evidence: Evidence) -> list[str | None] | None:
    """Return per node what is known of it; None where nothing was looked for."""
    certificate = evidence.certificate
    if certificate is None or model is not evidence.model:
        return None
    status = certificate.leaf_status
    return [status[node].name.lower() if node in status else None for node in range(model.n_nodes)]
