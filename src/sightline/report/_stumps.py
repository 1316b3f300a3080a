"""Stumps that vote on the page, and the tree or graph that equals their vote."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sightline.exceptions import BudgetExceeded
from sightline.learn import StumpEnsembleClassifier
from sightline.model import LEAF, MULTIWAY, Ensemble, Graph, StumpTable, Tree
from sightline.report._kind import KINDS, Json, Kind
from sightline.report._node_models import GraphNodes, TreeNodes
from sightline.show import Conditions, NodeWording, Outline
from sightline.wording import all_of, percent, pluralize, pluralize_rows

if TYPE_CHECKING:
    from sightline.report._columns import Columns
    from sightline.report._evidence import Evidence
    from sightline.report._sample import Sample

MAX_TREE_NODES = 61
MAX_GRAPH_NODES = 200
"""A larger equal model says less than the stumps themselves."""


@KINDS.register(Ensemble)
class Stumps(Kind):
    """An ensemble of a few small trees that vote."""

    model: Ensemble
    noun = "vote"
    heading = "Stumps"
    unit = ("stump", "stumps")
    parts: ClassVar[dict[str, str]] = {"stumps": "The stumps", "whatif": "What if"}

    @property
    def size(self) -> int:
        """Number of stumps."""
        return self.model.n_trees

    @property
    def features(self) -> set[int]:
        """Indices of the features that some stump tests."""
        return {int(feature) for tree in self.model.core.trees for feature in tree.used_features}

    def to_json(self, evidence: Evidence, columns: Columns) -> Json:
        """Return the stumps, how they vote, and what each is worth."""
        core = self.model.core
        stumps = [
            {**TreeNodes(tree).nodes_json(evidence, columns), **worth, "groups": _groups(tree)}
            for tree, worth in zip(self.model.trees, self._worth(evidence), strict=True)
        ]
        turns = {(turn[0], turn[1]): turn for stump in stumps for turn in stump["turns"]}
        return {
            "kind": "stumps",
            "noun": self.noun,
            "votes": core.votes,
            "weight": list(core.tree_weight),
            "against": list(core.vote_against),
            "base": list(core.base),
            "base_last": any(core.base_last),
            "divide_by": list(self.model.link.divide_by),
            "tie_tolerance": core.tie_tolerance,
            "stumps": stumps,
            "turns": list(turns.values()),
        }

    def _worth(self, evidence: Evidence) -> list[Json]:
        """Return per stump its number, and its worth if the estimator measured it."""
        estimator = evidence.estimator
        entries: list[Json] = [{"alone": None, "without": None}] * self.model.n_trees
        if isinstance(estimator, StumpEnsembleClassifier):
            entries = [entry for table in estimator.tables_ for entry in _entries(table)]
        return [{"number": index + 1, **entry} for index, entry in enumerate(entries)]


def _entries(table: StumpTable) -> list[Json]:
    pairs = zip(table.alone.tolist(), table.without.tolist(), strict=True)
    return [{"alone": alone, "without": without} for alone, without in pairs]


def _groups(stump: Tree) -> list[Json]:
    """Return the leaves with their conditions; equal answers to one many-way test are one group."""
    core, outline, wording = stump.core, Outline.of(stump), NodeWording(stump)
    parent, best = outline.parent.tolist(), outline.best.tolist()
    groups: dict[tuple[int, int], list[int]] = {}
    for node in range(core.n_nodes):
        if core.test[node] == LEAF:
            above = parent[node]
            is_one_of_many = above >= 0 and core.test[above] == MULTIWAY
            groups.setdefault((above, best[node]) if is_one_of_many else (-2, node), []).append(node)
    return [
        {
            "nodes": nodes,
            "label": best[nodes[0]],
            "text": f"{_premise(outline, wording, nodes)}: {wording.label(nodes[0])}",
            "share_text": _share_text(outline, nodes),
        }
        for nodes in groups.values()
    ]


def _premise(outline: Outline, wording: NodeWording, nodes: list[int]) -> str:
    """Return the conditions under which a row reaches one of some leaves below the same test."""
    above = int(outline.parent[nodes[0]])
    conditions = Conditions(wording, outline.path(nodes[0] if len(nodes) == 1 else above)).premise()
    if len(nodes) > 1:
        feature = int(wording.tree.core.feature[above])
        conditions.append(wording.membership(feature, outline.branch[nodes].tolist()))
    return all_of(conditions)


def _share_text(outline: Outline, nodes: list[int]) -> str:
    rows = sum(float(outline.weight[node]) for node in nodes)
    right = sum(float(outline.weight[node]) * outline.share_of_best(node) for node in nodes)
    return f"{percent(right / rows)} of {pluralize_rows(rows)}" if rows else "no rows"


def equal_part(evidence: Evidence, sample: Sample) -> Json | None:
    """Return the tree, or else the graph, that gives every row the label of the vote."""
    estimator = evidence.estimator
    if not isinstance(estimator, StumpEnsembleClassifier) or not isinstance(evidence.model, Ensemble):
        return None
    equal = _equal(estimator, evidence)
    if equal is None:
        return None
    kind = TreeNodes(equal) if isinstance(equal, Tree) else GraphNodes(equal)
    nodes = pluralize(equal.n_nodes, "node")
    return {
        "title": f"The same as one {kind.noun}",
        "note": f"This {kind.noun} of {nodes} gives every row the label of the vote.",
        "model": kind.to_json(evidence, sample.columns),
    }


def _equal(estimator: StumpEnsembleClassifier, evidence: Evidence) -> Tree | Graph | None:
    for make, limit in ((estimator.to_tree, MAX_TREE_NODES), (estimator.to_graph, MAX_GRAPH_NODES)):
        try:
            return make(max_nodes=limit, X=evidence.rows)
        except BudgetExceeded:
            continue
    return None
