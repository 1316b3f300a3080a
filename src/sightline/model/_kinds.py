"""Lookup tables by kind of model: one class per kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

_Entry = TypeVar("_Entry")


class KindTable(Generic[_Entry]):
    """One entry per kind of model, usually a class that a stage wrote for it.

    Parameters
    ----------
    what : str
        What the entries are for, to complete "sightline has no … for a Tree".

    Examples
    --------
    >>> from sightline.model import Tree
    >>> shapes = KindTable("shape")
    >>> @shapes.register(Tree)
    ... class TreeShape:
    ...     pass
    >>> shapes.kinds
    [<class 'sightline.model._tree.Tree'>]
    >>> shapes.entry(3)
    Traceback (most recent call last):
    TypeError: sightline has no shape for a value of type int. Supported: Tree.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self._entries: dict[type, _Entry] = {}

    def register(self, *kinds: type) -> Callable[[_Entry], _Entry]:
        """Return a decorator that enters a class for some kinds of model."""

        def enter(entry: _Entry) -> _Entry:
            self._entries |= dict.fromkeys(kinds, entry)
            return entry

        return enter

    @property
    def kinds(self) -> list[type]:
        """The kinds of model that have an entry, in the order in which they were registered."""
        return list(self._entries)

    def get(self, model: Any) -> _Entry | None:
        """Return the entry for a model, or None if its kind has none."""
        return next((self._entries[kind] for kind in type(model).__mro__ if kind in self._entries), None)

    def entry(self, model: Any) -> _Entry:
        """Return the entry for a model; raise a TypeError that names the known kinds if it has none."""
        found = self.get(model)
        if found is None:
            known = ", ".join(sorted(kind.__name__ for kind in self._entries))
            kind = type(model).__name__
            raise TypeError(f"sightline has no {self.what} for a value of type {kind}. Supported: {known}.")
        return found
