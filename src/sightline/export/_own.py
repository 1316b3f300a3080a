"""Sightline's own format."""

from __future__ import annotations

from typing import Any

from sightline.export._registry import target
from sightline.model import CaseBase, Ensemble, NodeModel, RuleSet


@target("json", NodeModel, RuleSet, Ensemble, CaseBase)
def to_json(model: Any) -> str:
    """Write a model in sightline's own format; see :func:`sightline.read_model`.

    Parameters
    ----------
    model : Tree, Graph, RuleSet, Ensemble or CaseBase
        The model.

    Returns
    -------
    str
        JSON text.

    Examples
    --------
    >>> from sightline.export import to_json
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]).tree_
    >>> to_json(tree)[:46]
    '{"format":"sightline","version":1,"kind":"tree'
    """
    text: str = model.to_json()
    return text
