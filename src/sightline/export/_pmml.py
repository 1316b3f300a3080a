"""PMML 4.4: trees and graphs as a TreeModel, with lines as a MiningModel, rule sets as a RuleSetModel."""

from __future__ import annotations

from sightline.export._plain_nodes import Missing, PlainNodes, refuse_missing_option
from sightline.export._pmml_lines import lines_document
from sightline.export._pmml_rules import rule_set_document
from sightline.export._pmml_tree import tree_document
from sightline.export._registry import target
from sightline.model import NodeModel, RuleSet


@target("pmml", NodeModel, RuleSet)
def to_pmml(model: NodeModel | RuleSet, *, column: str = "prediction", missing: Missing | None = None) -> str:
    """Write a model as a PMML 4.4 document.

    Parameters
    ----------
    model : Tree, Graph or RuleSet
        The model. Only rules whose full matches vote can be written.
    column : str, default="prediction"
        Name of the field that holds the prediction.
    missing : {"exact", "largest"}, optional
        How rows with missing values are treated, as in :func:`to_onnx`.

    Returns
    -------
    str
        XML text.

    Examples
    --------
    >>> from sightline.export import to_pmml
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]).tree_
    >>> 'operator="lessOrEqual" value="2.0"' in to_pmml(tree)
    True
    """
    if isinstance(model, RuleSet):
        refuse_missing_option(missing)
        return rule_set_document(model, column)
    nodes = PlainNodes.unshared(model, missing, "PMML")
    return tree_document(nodes, column) if nodes.lines is None else lines_document(nodes, nodes.lines, column)
