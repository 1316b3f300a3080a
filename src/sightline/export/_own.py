"""Sightline's own format."""

from __future__ import annotations

from typing import Any

from sightline.export._registry import kind
from sightline.model import CaseBase, Ensemble, Graph, RuleSet, Tree

to_json = kind("json")


@to_json.register(Tree)
@to_json.register(Graph)
@to_json.register(RuleSet)
@to_json.register(Ensemble)
@to_json.register(CaseBase)
def _(model: Any) -> str:
    text: str = model.to_json()
    return text
