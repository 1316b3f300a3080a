"""Trees and graphs on the page."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.export import predictor_data
from sightline.measure import error_text
from sightline.model import LEAF, MULTIWAY, THRESHOLD, Graph, NodeModel, Tree, are_cuts, finite_or_none
from sightline.report._columns import strings_in
from sightline.report._drawing import drawing_json, node_notes
from sightline.report._kind import KINDS, Json, Kind
from sightline.report._letters import letter_facts
from sightline.report._number_scale import NumberScale, shown_numbers
from sightline.show import Conditions, NodeWording, Outline
from sightline.wording import percent, printable

if TYPE_CHECKING:
    from sightline.report._columns import Columns
    from sightline.report._evidence import Evidence


NUMBER_DIGITS = 4
"""Significant digits of predicted numbers."""


class _Nodes(Kind):
    """What trees and graphs have in common."""

    model: NodeModel

    @property
    def features(self) -> set[int]:
        """Indices of the features that the model tests, or that a line in a leaf uses."""
        tested = {int(feature) for feature in self.model.core.used_features}
        lines = self.model.lines if isinstance(self.model, Tree) else None
        return tested if lines is None else tested | {int(feature) for feature in lines.feature}

    def to_json(self, evidence: Evidence, columns: Columns) -> Json:
        """Return the nodes with their facts, texts and drawing."""
        nodes = self.nodes_json(evidence, columns)
        return {**nodes, **drawing_json(self.model, evidence, node_notes(self.model, nodes), self.wording)}

    @cached_property
    def wording(self) -> NodeWording:
        """How the tests read."""
        return NodeWording(self.model)

    def nodes_json(self, evidence: Evidence, columns: Columns) -> Json:
        """Return the nodes with their facts and texts."""
        model, outline, wording = self.model, Outline.of(self.model), self.wording
        data = {name: as_list(entry) for name, entry in predictor_data(model).items()}
        if "term_feature" in data:
            data["term_feature"] = columns.renumbered(np.asarray(data["term_feature"]))
        seen = np.round(model.core.passing(evidence.rows.native())[:, 0], 2)
        weight = outline.weight if outline.has_rows else seen
        is_trained = outline.has_rows and outline.label_source != "passed"
        describe = _numbers if evidence.task == "numbers" else _classes
        return {
            **data,
            "kind": "nodes",
            "noun": self.noun,
            "feature": columns.renumbered(model.core.feature),
            "rows": weight.tolist(),
            "seen": seen.tolist(),
            "proof": _proof(model, evidence),
            "rows_head": rows_head(is_trained, outline.is_weighted),
            "rows_text": [outline.rows_of(rows) for rows in weight.tolist()],
            "precision": wording.precision,
            "label_rule": printable(model.label_rule),
            "missing_note": wording.missing_note,
            **describe(model, evidence, is_trained),
            **(texts := _texts(model, outline, wording)),
            "complete": _complete(texts, _texts(model, outline, wording.complete()))
            if wording.may_cut_lists
            else {},
            "turns": node_turns(model, wording, columns),
        }


def rows_head(is_trained: bool, is_weighted: bool) -> str:
    """Return what a column of training rows, or of rows of the report, is called."""
    if not is_trained:
        return "Rows"
    return "Training weight" if is_weighted else "Training rows"


def _classes(model: NodeModel, evidence: Evidence, is_trained: bool) -> Json:
    """Return the classes of the nodes, and on how many rows of the report they are the ensemble's."""
    outline = Outline.of(model)
    agrees = evidence.agreement_of(evidence.labels_of(model)) if evidence.ensemble is not None else None
    agreed = None if agrees is None else _sums(model, evidence, agrees.astype(np.float64))
    is_of_ensemble = outline.label_source == "ensemble"
    return {
        "best": outline.best.tolist(),
        "mix": np.round(outline.mix, 4).tolist(),
        "mix_head": f"{evidence.teacher_noun.capitalize()}'s classes" if is_of_ensemble else "Class mix",
        "agreed": None if agreed is None else np.round(agreed, 2).tolist(),
        "share_text": _share_texts(outline, outline.weight if is_trained else None),
    }


def _numbers(model: NodeModel, evidence: Evidence, is_trained: bool) -> Json:
    """Return the numbers of the nodes, how those of their rows are distributed, and how far they are off."""
    shown = shown_numbers(evidence)
    scale = NumberScale.of(shown)
    counts = model.core.passing(
        evidence.rows.native(), scale.bins(shown)[: evidence.rows.n_rows], scale.n_bins
    )
    gaps = evidence.gaps_of(evidence.labels_of(model)) if evidence.ensemble is not None else None
    wording = NodeWording(model, NUMBER_DIGITS)
    whose = "True" if evidence.labels is not None else f"{evidence.teacher_noun.capitalize()}'s"
    deviation = model.numbers.deviation if model.numbers is not None and is_trained else None
    return {
        "value": model.core.output[:, 0].tolist(),
        "label_text": [wording.label(node) for node in range(model.n_nodes)],
        "bins": np.round(counts, 2).tolist(),
        "bins_head": f"{whose} numbers here",
        "gap": None if gaps is None else _means(model, evidence, gaps),
        "spread": None if deviation is None else [finite_or_none(value) for value in deviation.tolist()],
        "bound": _bounds(model, evidence),
        "share_text": [""] * model.n_nodes,
    }


def _bounds(model: NodeModel, evidence: Evidence) -> list[str] | None:
    """Say per leaf how far numbers can be apart on any row that gets there; None if nothing is proved."""
    certificate = evidence.certificate
    if certificate is None or model is not evidence.model:
        return None
    return [
        f"at most {error_text(certificate.leaf_difference[node].high)} on any possible row"
        if node in certificate.leaf_difference and math.isfinite(certificate.leaf_difference[node].high)
        else ""
        for node in range(model.n_nodes)
    ]


def _sums(model: NodeModel, evidence: Evidence, amounts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up per node an amount of each row that passes it."""
    return np.asarray(model.core.passing(evidence.rows.native(), weights=amounts)[:, 0])


def _means(model: NodeModel, evidence: Evidence, amounts: NDArray[np.float64]) -> list[float | None]:
    """Return per node the mean amount of the rows that pass it, weighted if the rows are."""
    weights = np.ones(len(amounts)) if evidence.weights is None else evidence.weights
    sums, counts = (_sums(model, evidence, one) for one in (amounts * weights, weights))
    return [float(total / count) if count > 0 else None for total, count in zip(sums, counts, strict=True)]


@KINDS.register(Tree)
class TreeNodes(_Nodes):
    """A tree."""

    model: Tree
    noun = "tree"
    heading = "Tree"
    unit = ("leaf", "leaves")
    parts: ClassVar[dict[str, str]] = {"tree": "The tree", "whatif": "What if", "leaves": "The tree as rules"}

    def to_json(self, evidence: Evidence, columns: Columns) -> Json:
        """Return the nodes, and what letters need."""
        return {**super().to_json(evidence, columns), "letter": letter_facts(self.model)}

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
    features, thresholds = columns.renumbered(core.feature), core.threshold.tolist()
    turns = {
        (features[node], thresholds[node]): [wording.branch(node, 0), wording.branch(node, 1)]
        for node in np.flatnonzero((core.test == THRESHOLD) & are_cuts(core.threshold)).tolist()
    }
    return [[feature, value, *conditions] for (feature, value), conditions in turns.items()]


def _texts(model: NodeModel, outline: Outline, wording: NodeWording) -> Json:
    """Return the words for every test: its question, its branches, and what the path to a node says.

    Conditions that missing values meet, too, come again with "or missing". Sentences about a row that has a
    value do without.
    """
    tests = model.core.test.tolist()
    features = model.core.feature.tolist()
    n_branches = np.diff(model.core.branch_begin).tolist()
    nodes = range(len(tests))
    return {
        "question": [_question(wording, test, node) for test, node in zip(tests, nodes, strict=True)],
        "branch_text": [[wording.branch(node, b) for b in range(n_branches[node])] for node in nodes],
        "way_text": {
            node: {b: wording.way(node, b)}
            for node in nodes
            for b in range(n_branches[node])
            if wording.takes_missing(node, b)
        },
        **_conditions(outline, wording, features),
    }


def _complete(texts: Json, complete: Json) -> dict[str, str]:
    """Return the full text of each one that ends with "and 44 more"."""
    pairs = zip(strings_in(texts), strings_in(complete), strict=True)
    return {short: full for short, full in pairs if short != full}


def _question(wording: NodeWording, test: int, node: int) -> str:
    """Return the test of a node without the name of its feature, which a box shows above it."""
    if test == LEAF:
        return ""
    if test == MULTIWAY:
        return "= ?"
    predicate = wording.predicate(node)
    return f"{predicate}?" if predicate.startswith(("is ", "has ")) else f"is {predicate}?"


def _conditions(outline: Outline, wording: NodeWording, features: list[int]) -> Json:
    """Return per node what the path to it says about the feature tested just above.

    The conditions of a path are the last of these for each feature on it.
    """
    parent, branch = outline.parent.tolist(), outline.branch.tolist()
    earlier = _earlier_steps(parent, features)
    strings: list[str | None] = [None]
    premises: dict[int, str] = {}
    known: dict[int, Conditions] = {}
    is_leaf = outline.is_leaf.tolist()
    for node in range(1, len(parent)):
        before = known.get(earlier[node])
        here = Conditions(wording) if before is None else before.copy()
        here.add(parent[node], branch[node])
        strings.append(here.string(features[parent[node]]))
        if wording.takes_missing(parent[node], branch[node]):
            premises[node] = here.condition(features[parent[node]])
        if not is_leaf[node]:
            known[node] = here
    return {"condition": strings, "premise": premises}


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
    pairs = zip(outline.shares_of_best, weight.tolist(), strict=True)
    return [percent(share) if rows else "" for share, rows in pairs]


def _proof(model: NodeModel, evidence: Evidence) -> list[str | None] | None:
    """Return per node what is proved; None if nothing was searched."""
    certificate = evidence.certificate
    if certificate is None or model is not evidence.model or evidence.task == "numbers":
        return None
    status = certificate.leaf_status
    return [status[node].name.lower() if node in status else None for node in range(model.n_nodes)]


def as_list(entry: Any) -> Any:
    """Return an array as a list, anything else as it is."""
    return entry.tolist() if hasattr(entry, "tolist") else entry
