"""Stumps that vote as the page holds them, and the tree or graph that equals their vote."""

from __future__ import annotations

from typing import Any

from sightline.exceptions import BudgetExceeded
from sightline.learn import StumpEnsembleClassifier
from sightline.model import Ensemble, Graph, StumpTable, Tree
from sightline.report._columns import Columns
from sightline.report._evidence import Evidence
from sightline.report._models import model_json, model_parts, tested_features
from sightline.report._naming import noun_of
from sightline.report._sample import Sample

Json = dict[str, Any]

MAX_TREE_NODES = 61
MAX_GRAPH_NODES = 200
"""What is larger says less than the stumps themselves."""


@tested_features.register
def _(ensemble: Ensemble) -> set[int]:
    return {int(feature) for tree in ensemble.core.trees for feature in tree.used_features}


@model_parts.register
def _(ensemble: Ensemble) -> dict[str, Json]:  # noqa: ARG001
    return {"stumps": {"title": "The stumps"}, "whatif": {"title": "What if"}}


@model_json.register
def _(ensemble: Ensemble, evidence: Evidence, columns: Columns) -> Json:
    core = ensemble.core
    return {
        "kind": "stumps",
        "noun": noun_of(ensemble),
        "votes": core.votes,
        "weight": list(core.tree_weight),
        "against": list(core.vote_against),
        "base": list(core.base),
        "base_last": core.base_last,
        "divide_by": list(ensemble.link.divide_by),
        "stumps": [
            {**model_json(tree, evidence, columns), **worth}
            for tree, worth in zip(ensemble.trees, _worth(evidence, ensemble), strict=True)
        ],
    }


def _worth(evidence: Evidence, ensemble: Ensemble) -> list[Json]:
    """Return per stump its number, and what it is worth where its learner counted that."""
    estimator = evidence.estimator
    if not isinstance(estimator, StumpEnsembleClassifier):
        return [{"called": place + 1, "alone": None, "without": None} for place in range(ensemble.n_trees)]
    entries = [entry for table in estimator.tables_ for entry in _entries(table)]
    return [{"called": place + 1, **entry} for place, entry in enumerate(entries)]


def _entries(table: StumpTable) -> list[Json]:
    pairs = zip(table.alone.tolist(), table.without.tolist(), strict=True)
    return [{"alone": alone, "without": without} for alone, without in pairs]


def equal_part(evidence: Evidence, sample: Sample) -> Json | None:
    """Return the tree, or else the graph, that gives the label of the vote for every row."""
    estimator = evidence.estimator
    if not isinstance(estimator, StumpEnsembleClassifier) or not isinstance(evidence.model, Ensemble):
        return None
    equal = _equal(estimator, evidence)
    if equal is None:
        return None
    noun, n_nodes = noun_of(equal), equal.n_nodes
    return {
        "title": f"The same as one {noun}",
        "told": f"This {noun} of {n_nodes:,} nodes gives the label of the vote for every row.",
        "model": model_json(equal, evidence, sample.columns),
    }


def _equal(estimator: StumpEnsembleClassifier, evidence: Evidence) -> Tree | Graph | None:
    for make, limit in ((estimator.to_tree, MAX_TREE_NODES), (estimator.to_graph, MAX_GRAPH_NODES)):
        try:
            return make(max_nodes=limit, X=evidence.rows)
        except BudgetExceeded:
            continue
    return None
