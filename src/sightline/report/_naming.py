"""What models are called in sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sightline.model import CaseBase, Ensemble, Graph, RuleSet, Tree
from sightline.wording import pluralize

_NOUNS: dict[type, tuple[str, Callable[[Any], int], str, str]] = {
    Tree: ("tree", lambda tree: tree.n_leaves, "leaf", "leaves"),
    Graph: ("graph", lambda graph: graph.n_nodes, "node", "nodes"),
    RuleSet: ("rule set", lambda rules: rules.n_rules, "rule", "rules"),
    Ensemble: ("vote", lambda ensemble: ensemble.n_trees, "stump", "stumps"),
    CaseBase: ("case base", lambda base: base.cases.n_rows, "case", "cases"),
}
"""Per kind of model: its noun, how large it is, and the words for that. Ensembles are shown where they are
votes of stumps."""


def noun_of(model: Any) -> str:
    """Return what a model is, in a word.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> noun_of(credit_tree()), described(credit_tree())
    ('tree', 'tree of 4 leaves')
    """
    return _NOUNS[type(model)][0] if type(model) in _NOUNS else "model"


def described(model: Any) -> str:
    """Return what a model is, with its size."""
    if type(model) not in _NOUNS:
        return "model"
    noun, size, one, many = _NOUNS[type(model)]
    return f"{noun} of {pluralize(size(model), one, many)}"
