"""What models are called in sentences."""

from __future__ import annotations

from typing import Any

from sightline.model import Graph, RuleSet, Tree

_NOUNS: dict[type, tuple[str, str, str, str]] = {
    Tree: ("tree", "leaves", "leaf", "leaves"),
    Graph: ("graph", "nodes", "node", "nodes"),
    RuleSet: ("rule set", "rules", "rule", "rules"),
}
"""Per kind of model: its noun, the entry of ``size_`` that says how large it is, and the words for that."""


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
    noun, key, one, many = _NOUNS[type(model)]
    return f"{noun} of {counted(model.size_[key], one, many)}"


def counted(count: int, one: str, many: str) -> str:
    """Return a number with its noun."""
    return f"{count:,} {one if count == 1 else many}"
