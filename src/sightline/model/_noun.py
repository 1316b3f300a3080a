"""What to call the second of two models that are compared."""

from __future__ import annotations

from typing import Any

from sightline.model._black_box import BlackBox
from sightline.model._ensemble import Ensemble
from sightline.model._graph import Graph
from sightline.model._rule_set import RuleSet
from sightline.model._tree import Tree


def second_noun(first: Any, second: Any) -> str:
    """Return the noun for a model that another one is compared with.

    Parameters
    ----------
    first : model
        The model that sentences call "the model".
    second : model
        The one that it is compared with.

    Returns
    -------
    str
        As in ``ensemble``; ``other tree`` if both are trees.
    """
    noun = _noun(second)
    return f"other {noun}" if noun == _noun(first) else noun


def _noun(model: Any) -> str:
    nouns = {Tree: "tree", Graph: "graph", RuleSet: "rule set", BlackBox: "black box"}
    if isinstance(model, Ensemble):
        return "tree" if model.n_trees == 1 else "ensemble"
    return next((noun for kind, noun in nouns.items() if isinstance(model, kind)), "model")
