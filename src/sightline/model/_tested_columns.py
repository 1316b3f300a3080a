"""Which columns a model uses."""

from __future__ import annotations

from typing import Any

from sightline.model._ensemble import Ensemble
from sightline.model._nodes import NodeModel
from sightline.model._rule_set import RuleSet
from sightline.model._tree import Tree


def tested_features(model: Any) -> set[int]:
    """Return the columns that a model tests, or that a line in a leaf uses; none for a black box."""
    if isinstance(model, RuleSet):
        return {int(feature) for feature in model.core.feature}
    if isinstance(model, Ensemble):
        return {int(feature) for tree in model.core.trees for feature in tree.used_features}
    if not isinstance(model, NodeModel):
        return set()
    tested = {int(feature) for feature in model.core.used_features}
    lines = model.lines if isinstance(model, Tree) else None
    return tested if lines is None else tested | {int(feature) for feature in lines.feature}
