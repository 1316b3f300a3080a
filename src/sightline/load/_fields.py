"""Members of a parsed document, each of the type that its reader needs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import ModelFormatError


class Fields:
    """An object of a document, together with where it stands.

    Parameters
    ----------
    content : object
        What the parser found; anything but a dictionary is refused.
    where : str
        File and place, for the error messages.

    Examples
    --------
    >>> fields = Fields({"n": "3", "values": [], "inner": {"name": "x"}}, "model.json")
    >>> fields.whole("n"), fields.inner("inner").text("name"), len(fields.numbers("values"))
    (3, 'x', 0)
    >>> fields.text("n2")
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
        """Return an error that names the place; the sentence goes on from there."""
        return ModelFormatError(f"{self.where}: {sentence}.")

    def any(self, key: str) -> Any:
        """Return a member of any type."""
        if key not in self.content:
            raise self.fault(f"{key!r} is missing")
        return self.content[key]

    def text(self, key: str) -> str:
        """Return a text."""
        value = self.any(key)
        if not isinstance(value, str):
            raise self.fault(f"{key!r} must be a text")
        return value

    def whole(self, key: str, least: int = 0, most: int = 2**31 - 1) -> int:
        """Return a whole number within bounds, also where it is written as a text."""
        value = self.any(key)
        try:
            number = int(value) if isinstance(value, int | str) and len(str(value)) <= 20 else None
        except ValueError:
            number = None
        if number is None or isinstance(value, bool) or not least <= number <= most:
            raise self.fault(f"{key!r} must be a whole number from {least} to {most}")
        return number

    def number(self, key: str) -> float:
        """Return a number."""
        value = self.any(key)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self.fault(f"{key!r} must be a number")
        return float(value)

    def inner(self, key: str) -> Fields:
        """Return an object within this one."""
        return Fields(self.any(key), f"{self.where}: {key}")

    def entries(self, key: str) -> list[Any]:
        """Return an array of anything."""
        value = self.any(key)
        if isinstance(value, np.ndarray):
            return list(value.tolist())
        if not isinstance(value, list):
            raise self.fault(f"{key!r} must be an array")
        return value

    def texts(self, key: str) -> list[str]:
        """Return an array of texts."""
        values = self.entries(key)
        if not all(isinstance(value, str) for value in values):
            raise self.fault(f"{key!r} must be an array of texts")
        return values

    def numbers(self, key: str, length: int | None = None) -> NDArray[np.float64]:
        """Return an array of numbers, of a given length if there is one."""
        return self._array(key, length, np.float64, "numbers")

    def singles(self, key: str, length: int | None = None) -> NDArray[np.float32]:
        """Return an array of numbers in single precision; those beyond it are infinite."""
        with np.errstate(over="ignore"):
            return self._array(key, length, np.float32, "numbers")

    def integers(self, key: str, length: int | None = None) -> NDArray[np.int64]:
        """Return an array of whole numbers, of a given length if there is one."""
        return self._array(key, length, np.int64, "whole numbers")

    def flags(self, key: str, length: int | None = None) -> NDArray[np.bool_]:
        """Return an array of truth values, also where they are written as 0 and 1."""
        value = self.any(key)
        if isinstance(value, list) and set(map(type, value)) == {bool}:
            value = np.array(value, dtype=np.int64)
        stored = self._stored(key, value, length, np.int64, "whole numbers")
        flags = stored.astype(np.bool_)
        if not (flags == stored).all():
            raise self.fault(f"{key!r} must hold 0 and 1 only")
        return flags

    def _array(self, key: str, length: int | None, dtype: type, what: str) -> NDArray[Any]:
        return self._stored(key, self.any(key), length, dtype, what).astype(dtype, copy=False)

    def _stored(self, key: str, value: Any, length: int | None, dtype: type, what: str) -> NDArray[Any]:
        """Return an array as it is stored, of numbers that can become what is wanted."""
        if isinstance(value, list) and not value:
            value = np.empty(0, dtype=dtype)
        if not isinstance(value, np.ndarray) or not np.can_cast(value.dtype, dtype, "same_kind"):
            raise self.fault(f"{key!r} must be an array of {what}")
        if length is not None and len(value) != length:
            raise self.fault(f"{key!r} has {len(value)} entries, but {length} are needed")
        return value


def flattened(tree: object, where: str, **members: Any) -> _core.NestedNodes:
    """Return the nodes of a tree that lie within each other.

    Parameters
    ----------
    tree : object
        What stands at the place of the tree; anything but an object that was left unread is refused.
    where : str
        File and tree, for the error messages.
    **members
        What a node may hold, as ``_core.JsonValue.flattened`` takes it.

    Returns
    -------
    _core.NestedNodes
        A column per member.

    Raises
    ------
    ModelFormatError
        Names the node, or the byte where the text is at fault.
    """
    if not isinstance(tree, _core.JsonValue):
        raise ModelFormatError(f"{where}: node 0: a node must be an object.")
    try:
        nodes = tree.flattened(**members)
        nodes.distinct  # noqa: B018, the texts must be UTF-8
    except ValueError as error:
        raise ModelFormatError(f"{where}: {error}.") from error
    return nodes
