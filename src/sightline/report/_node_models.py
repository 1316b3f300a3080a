"""Trees and graphs on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.export import predictor_data
from sightline.model import ANY_NUMBER, LEAF, MULTIWAY, THRESHOLD, Graph, NodeModel, Tree
from sightline.report._kind import KINDS, Json, Kind
from sightline.show import Conditions, NodeWording, Outline
from sightline.wording import percent, pluralize_rows

if TYPE_CHECKING:
    from sightline.report._columns import Columns
    from sightline.report._evidence import Evidence


class _Nodes(Kind):
    """What trees and graphs have in common."""

    model: NodeModel

    @property
    def features(self) -> set[int]:
        """Indices of the features that the model tests."""
        return {int(feature) for feature in self.model.core.used_features}

    def to_json(self, evidence: Evidence, columns: Columns) -> Json:
        """Return nodes, what is known about them, and how they read."""
        model, outline = self.model, Outline.of(self.model)
        data = {name: plain(entry) for name, entry in predictor_data(model).items()}
        wording = NodeWording(model)
        measured = _measured(model, evidence)
        weight = outline.weight if outline.has_rows else measured["seen"]
        by_label = outline.has_rows and outline.label_source != "passed"
        return {
            **data,
            "kind": "nodes",
            "noun": self.noun,
            "feature": columns.renumbered(model.core.feature),
            "best": outline.best.tolist(),
            "mix": np.round(outline.mix, 4).tolist(),
            "rows": np.asarray(weight).tolist(),
            "seen": measured["seen"].tolist(),
            "agreed": None if measured["agreed"] is None else measured["agreed"].tolist(),
            "proof": _proof(model, evidence),
            "rows_head": "Training rows" if by_label else "Rows",
            "mix_head": f"{evidence.teacher_noun.capitalize()}'s classes"
            if outline.label_source == "ensemble"
            else "Class mix",
            "rows_text": [pluralize_rows(float(rows)) for rows in weight],
            "share_text": _share_texts(outline, weight if by_label else None),
            "precision": wording.precision,
            **_texts(model, outline, wording),
            "turns": node_turns(model, wording, columns),
        }


@KINDS.register(Tree)
class TreeNodes(_Nodes):
    """A tree."""

    noun = "tree"
    heading = "Tree"
    unit = ("leaf", "leaves")
    parts: ClassVar[dict[str, str]] = {"tree": "The tree", "whatif": "What if", "leaves": "The tree as rules"}

    @property
    def size(self) -> int:
        """Number of leaves."""
        return self.model.n_leaves


@KINDS.register(Graph)
class GraphNodes(_Nodes):
    """A graph; too many paths lead to its leaves for one rule each."""

    noun = "graph"
    heading = "Graph"
    unit = ("node", "nodes")
    parts: ClassVar[dict[str, str]] = {"tree": "The graph", "whatif": "What if"}

    @property
    def size(self) -> int:
        """Number of nodes."""
        return self.model.n_nodes


def node_turns(model: NodeModel, wording: NodeWording, columns: Columns) -> list[list[Any]]:
    """Return the numbers at which the model may change its label, with the words for both sides."""
    core = model.core
    features = columns.renumbered(core.feature)
    turns = {
        (features[node], float(core.threshold[node])): [wording.branch(node, 0), wording.branch(node, 1)]
        for node in np.flatnonzero((core.test == THRESHOLD) & (core.threshold != ANY_NUMBER)).tolist()
    }
    return [[feature, value, *conditions] for (feature, value), conditions in turns.items()]


def _texts(model: NodeModel, outline: Outline, wording: NodeWording) -> Json:
    """Return the words for every test: its question, its branches, and what the path to a node says."""
    tests = model.core.test.tolist()
    features = model.core.feature.tolist()
    n_branches = np.diff(model.core.branch_begin).tolist()
    nodes = range(len(tests))
    return {
        "question": [
            _question(wording, test, *pair) for test, *pair in zip(tests, nodes, features, strict=True)
        ],
        "branch_text": [[wording.branch(node, b) for b in range(n_branches[node])] for node in nodes],
        "condition": _conditions(outline, wording, features),
    }


def _question(wording: NodeWording, test: int, node: int, feature: int) -> str:
    """Return the test of a node without the name of its feature, which a box shows above it."""
    if test == LEAF:
        return ""
    return "= ?" if test == MULTIWAY else f"{wording.question(node)[len(wording.name(feature)) + 1 :]}?"


def _conditions(outline: Outline, wording: NodeWording, features: list[int]) -> list[str | None]:
    """Return per node what the path to it says about the feature tested just above.

    The conditions of a path are the last of these for each feature on it.
    """
    parent, branch = outline.parent.tolist(), outline.branch.tolist()
    earlier = _earlier_steps(parent, features)
    strings: list[str | None] = [None]
    for node in range(1, len(parent)):
        steps = []
        at = node
        while at > 0:
            steps.append((parent[at], branch[at]))
            at = earlier[at]
        strings.append(Conditions(wording, reversed(steps)).strings()[0])
    return strings


def _earlier_steps(parent: list[int], features: list[int]) -> list[int]:
    """Return per node the nearest node above it whose parent tests the same feature; -1 if none."""
    below: list[list[int]] = [[] for _ in parent]
    for node in range(1, len(parent)):
        below[parent[node]].append(node)
    earlier = [-1] * len(parent)
    last: dict[int, int] = {}
    waiting: list[tuple[int, bool]] = [(child, False) for child in below[0]]
    while waiting:
        node, is_done = waiting.pop()
        feature = features[parent[node]]
        if is_done:
            last[feature] = earlier[node]
            continue
        earlier[node] = last.get(feature, -1)
        last[feature] = node
        waiting.append((node, True))
        waiting.extend((child, False) for child in below[node])
    return earlier


def _share_texts(outline: Outline, weight: NDArray[np.float64] | None) -> list[str]:
    """Return per node the share of its class among its training rows; empty strings where unknown."""
    if weight is None:
        return [""] * len(outline.best)
    return [percent(outline.share_of_best(node)) if weight[node] else "" for node in range(len(weight))]


def _measured(model: NodeModel, evidence: Evidence) -> dict[str, Any]:
    """Count per node the rows of the report, and those on which model and ensemble agree."""
    rows = evidence.rows.native()
    agrees = (
        evidence.agreement_of(evidence.labels_of(model)) if evidence.ensemble_labels is not None else None
    )
    if agrees is None:
        return {"seen": np.round(model.core.passing(rows)[:, 0], 2), "agreed": None}
    counts = model.core.passing(rows, agrees.astype(np.int32), 2, None)
    return {"seen": np.round(counts.sum(axis=1), 2), "agreed": np.round(counts[:, 1], 2)}


def _proof(model: NodeModel, evidence: Evidence) -> list[str | None] | None:
    """Return per node what is proved; None if nothing was searched."""
    certificate = evidence.certificate
    if certificate is None or model is not evidence.model:
        return None
    status = certificate.leaf_status
    return [status[node].name.lower() if node in status else None for node in range(model.n_nodes)]


def plain(entry: Any) -> Any:
    """Return an array as a list, anything else as it is."""
    return entry.tolist() if hasattr(entry, "tolist") else entry
