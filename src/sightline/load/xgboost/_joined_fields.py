"""Typed access to the same members of all objects of an array."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.load._fields import Fields


class JoinedFields:
    """The objects of an array, whose members are read as one array over all objects.

    Arrays of plain numbers are joined natively. Whatever is stored in another way, or is damaged, is
    read object by object, so that the error names the first one at fault.

    Parameters
    ----------
    parent : Fields
        The object that has the array; kept as a ``_core.JsonValue`` when the document was parsed.
    key : str
        The name of the array.
    where : callable
        The location of the object with a given number, for error messages.
    """

    def __init__(self, parent: Fields, key: str, where: Callable[[int], str]) -> None:
        stored = parent.any(key)
        self._kept = stored if isinstance(stored, _core.JsonValue) else None
        self._stored = stored if isinstance(stored, _core.JsonValue) else parent.entries(key)
        self._where = where

    def __len__(self) -> int:
        return len(self._stored)

    def __getitem__(self, number: int) -> Fields:
        return Fields(self._entries[number], self._where(number))

    @cached_property
    def _entries(self) -> list[Any]:
        return self._stored if isinstance(self._stored, list) else self._stored.value()

    def members(self, key: str, n: int) -> list[Any]:
        """Return a member of any type of the first objects; None for all if one of them has none."""
        members = None if self._kept is None else self._kept.members(key)
        return [None] * n if members is None else members[:n]

    def inner(self, key: str, n: int) -> list[Fields]:
        """Return the object that each of the first objects has under a key."""
        return [
            self[number].inner(key) if entry is None else Fields(entry, f"{self._where(number)}: {key}")
            for number, entry in enumerate(self.members(key, n))
        ]

    def parsed_wholes(
        self, inner: str, key: str, n: int, minimum: int = 0, *, absent: int | None = None
    ) -> NDArray[np.int64]:
        """Return whole numbers, perhaps stored as strings, of an object in each of the first objects."""
        parsed = None if self._kept is None else self._kept.parsed_wholes(inner, key)
        if parsed is not None and ((parsed >= minimum) & (parsed < 2**31)).all():
            return parsed[:n]
        return np.array(
            [
                absent if absent is not None and key not in fields else fields.parsed_whole(key, minimum)
                for fields in self.inner(inner, n)
            ],
            dtype=np.int64,
        )

    def integers(self, key: str, first: int, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return arrays of whole numbers of the objects from the first on, each of a given length."""
        joined = None if self._kept is None else self._kept.integers(key, first, lengths)
        if joined is None:
            return self._one_by_one(first, lengths, np.int64, lambda fields, n: fields.integers(key, n))
        return joined

    def singles(self, key: str, first: int, lengths: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return arrays of numbers of these objects, in single precision."""
        joined = None if self._kept is None else self._kept.singles(key, first, lengths)
        if joined is None:
            return self._one_by_one(first, lengths, np.float32, lambda fields, n: fields.singles(key, n))
        return joined

    def flags(
        self, key: str, first: int, lengths: NDArray[np.int64], *, is_optional: bool = False
    ) -> NDArray[np.bool_]:
        """Return arrays of booleans of these objects; all false where an optional one is absent."""
        joined = None if self._kept is None else self._kept.flags(key, first, lengths)
        if joined is not None:
            return joined

        def read(fields: Fields, n: int) -> NDArray[np.bool_]:
            is_absent = is_optional and key not in fields
            return np.zeros(n, dtype=np.bool_) if is_absent else fields.flags(key, n)

        return self._one_by_one(first, lengths, np.bool_, read)

    def _one_by_one(
        self, first: int, lengths: NDArray[np.int64], dtype: type, read: Callable[[Fields, int], NDArray[Any]]
    ) -> NDArray[Any]:
        parts = [read(self[number], length) for number, length in enumerate(lengths.tolist(), first)]
        return np.concatenate([np.empty(0, dtype=dtype), *parts])
