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
    """
    text: str = model.to_json()
    return text
