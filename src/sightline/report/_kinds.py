"""The kinds of models that have a report."""

from __future__ import annotations

from typing import Any

from sightline.exceptions import UnsupportedModelError
from sightline.model import CaseBase, Ensemble, Graph, RuleSet, Tree
from sightline.report._cases import Cases
from sightline.report._kind import Kind
from sightline.report._node_models import GraphNodes, TreeNodes
from sightline.report._rule_sets import Rules
from sightline.report._stumps import Stumps

KINDS: dict[type, type[Kind]] = {
    Tree: TreeNodes,
    Graph: GraphNodes,
    RuleSet: Rules,
    Ensemble: Stumps,
    CaseBase: Cases,
}


def kind_of(model: Any) -> Kind:
    """Return how the report shows a model.

    Examples
    --------
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[0.0], [1.0]] * 5, ["no", "yes"] * 5).tree_
    >>> kind_of(tree).noun, kind_of(tree).description
    ('tree', 'tree of 2 leaves')
    """
    if type(model) not in KINDS:
        raise UnsupportedModelError(f"There is no report for a {type(model).__name__}.")
    return KINDS[type(model)](model)
