"""Typed access to the members of a parsed document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import ModelFormatError

_MAX_DIGITS = 20


class Fields:
    """An object of a document, together with its location.

    Parameters
    ----------
    content : object
        The parsed object. Anything but a dictionary is refused.
    where : str
        File and location, for error messages.

    Examples
    --------
    >>> fields = Fields({"n": "3", "values": [], "inner": {"name": "x"}}, "model.json")
    >>> fields.parsed_whole("n"), fields.inner("inner").string("name"), len(fields.numbers("values"))
    (3, 'x', 0)
    >>> fields.string("n2")
    Traceback (most recent call last):
    ...
    sightline.exceptions.ModelFormatError: model.json: 'n2' is missing.
    """

    def __init__(self, content: object, where: str) -> None:
        if not isinstance(content, dict):
            raise ModelFormatError(f"{where}: must be an object.")
        self.content: dict[str, Any] = content
        self.where = where

    def __contains__(self, key: str) -> bool:
        return key in self.content

    def fault(self, sentence: str) -> ModelFormatError:
        """Return an error that begins with the location."""
        return ModelFormatError(f"{self.where}: {sentence}.")

    def any(self, key: str) -> Any:
        """Return a member of any type."""
        if key not in self.content:
            raise self.fault(f"{key!r} is missing")
        return self.content[key]

    def string(self, key: str) -> str:
        """Return a string."""
        value = self.any(key)
        if not isinstance(value, str):
            raise self.fault(f"{key!r} must be a string")
        return value

    def whole(self, key: str, minimum: int = 0, maximum: int = 2**31 - 1) -> int:
        """Return a whole number within bounds."""
        value = self.any(key)
        if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= maximum:
            raise self.fault(f"{key!r} must be a whole number from {minimum} to {maximum}")
        return value

    def parsed_whole(self, key: str, minimum: int = 0) -> int:
        """Return a whole number within bounds, also if it is stored as a string, as by XGBoost."""
        value = self.any(key)
        try:
            parsed = int(value) if isinstance(value, str) and len(value) <= _MAX_DIGITS else value
        except ValueError:
            parsed = value
        return Fields({key: parsed}, self.where).whole(key, minimum)

    def number(self, key: str) -> float:
        """Return a number."""
        value = self.any(key)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self.fault(f"{key!r} must be a number")
        return float(value)

    def inner(self, key: str) -> Fields:
        """Return a nested object."""
        return Fields(self.any(key), f"{self.where}: {key}")

    def entries(self, key: str) -> list[Any]:
        """Return an array of anything."""
        value = self.any(key)
        if isinstance(value, np.ndarray):
            return list(value.tolist())
        if not isinstance(value, list):
            raise self.fault(f"{key!r} must be an array")
        return value

    def strings(self, key: str) -> list[str]:
        """Return an array of strings."""
        values = self.entries(key)
        if not all(isinstance(value, str) for value in values):
            raise self.fault(f"{key!r} must be an array of strings")
        return values

    def numbers(self, key: str, length: int | None = None) -> NDArray[np.float64]:
        """Return an array of numbers, optionally of a given length."""
        return self._array(key, length, np.float64, "numbers")

    def singles(self, key: str, length: int | None = None) -> NDArray[np.float32]:
        """Return an array of numbers in single precision. Numbers beyond it become infinite."""
        with np.errstate(over="ignore"):
            return self._array(key, length, np.float32, "numbers")

    def integers(self, key: str, length: int | None = None) -> NDArray[np.int64]:
        """Return an array of whole numbers, optionally of a given length."""
        return self._array(key, length, np.int64, "whole numbers")

    def flags(self, key: str, length: int | None = None) -> NDArray[np.bool_]:
        """Return an array of booleans, also if they are stored as 0 and 1."""
        value = self.any(key)
        if isinstance(value, list) and set(map(type, value)) == {bool}:
            value = np.array(value, dtype=np.int64)
        stored = self._stored(key, value, length, np.int64, "whole numbers")
        flags = stored.astype(np.bool_)
        if not (flags == stored).all():
            raise self.fault(f"{key!r} must only hold 0 and 1")
        return flags

    def _array(self, key: str, length: int | None, dtype: type, what: str) -> NDArray[Any]:
        return self._stored(key, self.any(key), length, dtype, what).astype(dtype, copy=False)

    def _stored(self, key: str, value: Any, length: int | None, dtype: type, what: str) -> NDArray[Any]:
        """Return an array as stored, if its numbers can be converted."""
        if isinstance(value, list) and not value:
            value = np.empty(0, dtype=dtype)
        if not isinstance(value, np.ndarray) or not np.can_cast(value.dtype, dtype, "same_kind"):
            raise self.fault(f"{key!r} must be an array of {what}")
        if length is not None and len(value) != length:
            raise self.fault(f"{key!r} has {len(value)} entries instead of {length}")
        return value


def flattened(tree: object, where: str, **members: Any) -> _core.NestedNodes:
    """Return the nodes of a tree that is stored as nested objects.

    Parameters
    ----------
    tree : object
        The stored tree. Anything but an unparsed object is refused.
    where : str
        File and tree, for error messages.
    **members
        Members of a node, as ``_core.flattened`` takes them.

    Returns
    -------
    _core.NestedNodes
        One column per member.

    Raises
    ------
    ModelFormatError
        If a node is malformed. The message names the node or the byte.
    """
    return _flattened([_unparsed(tree, where)], where, members)


def flattened_all(trees: Sequence[object], owner: str, **members: Any) -> _core.NestedNodes:
    """Return the nodes of all trees of a model, one tree after the other.

    Parameters
    ----------
    trees : sequence of object
        The stored trees, at least one. Anything but unparsed objects is refused.
    owner : str
        Name of the model, for error messages.
    **members
        Members of a node, as ``_core.flattened`` takes them.

    Returns
    -------
    _core.NestedNodes
        One column per member.

    Raises
    ------
    ModelFormatError
        If a node is malformed. The message names the tree, and the node or the byte.
    """
    unparsed = [_unparsed(tree, f"{owner}: tree {number}") for number, tree in enumerate(trees)]
    return _flattened(unparsed, owner if len(unparsed) > 1 else f"{owner}: tree 0", members)


def _unparsed(tree: object, where: str) -> _core.JsonValue:
    if not isinstance(tree, _core.JsonValue):
        raise ModelFormatError(f"{where}: node 0: a node must be an object.")
    return tree


def _flattened(trees: list[_core.JsonValue], where: str, members: dict[str, Any]) -> _core.NestedNodes:
    try:
        nodes = _core.flattened(trees, **members)
        nodes.distinct  # noqa: B018 - raises unless all strings are UTF-8
    except ValueError as error:
        raise ModelFormatError(f"{where}: {error}.") from error
    return nodes
