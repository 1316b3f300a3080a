"""Find the distinct patterns of voting rules among rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sightline.model import RuleSet
from sightline.show._row import Rows
from sightline.show.rules._effects import RuleEffects

_MAX_CELLS = 250_000
"""Cells of a matrix of rows and rules that are worked on together: the cache holds a few of them."""


class RulePatterns:
    """The different ways in which rules vote for some rows.

    Rows with the same pattern get the same answer for the same reasons: the conditions that hold and
    belong to rules that vote decide which rules vote, and how much.

    Parameters
    ----------
    rules : RuleSet
        The rules.
    rows : Rows
        The rows.
    codes : ndarray of shape (n_rows,)
        Indices of the predicted classes.

    Attributes
    ----------
    of_row : ndarray of shape (n_rows,)
        The pattern of each row.
    first : ndarray of shape (n_patterns,)
        The first row of each pattern.
    """

    def __init__(self, rules: RuleSet, rows: Rows, codes: NDArray[np.int32]) -> None:
        self.rules = rules
        self._rows = rows
        self._codes = codes
        self._size = max(1, _MAX_CELLS // max(rules.n_rules, len(rules.core.feature), 1))
        keys = equal_keys(np.concatenate([self._bits(begin) for begin in range(0, len(codes), self._size)]))
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        self.of_row: NDArray[np.int64] = inverse.ravel().astype(np.int64)
        self.first: NDArray[np.int64] = first.astype(np.int64)
        self._block: tuple[int, RuleEffects | None] = (-1, None)

    def __len__(self) -> int:
        return len(self.first)

    def effects(self, pattern: int) -> tuple[RuleEffects, int]:
        """Return the effects in some patterns, and the index of this one among them."""
        block = pattern // self._size
        if self._block[0] != block or self._block[1] is None:
            rows = self.first[block * self._size : (block + 1) * self._size]
            self._block = block, RuleEffects(self.rules, self._holds(rows), self._codes[rows])
        assert self._block[1] is not None
        return self._block[1], pattern - block * self._size

    def blocks(self) -> Iterator[tuple[RuleEffects, NDArray[np.int64]]]:
        """Give the effects in all patterns, some at a time, with the first rows of these patterns."""
        for begin in range(0, len(self), self._size):
            yield self.effects(begin)[0], self.first[begin : begin + self._size]

    def _bits(self, begin: int) -> NDArray[np.uint8]:
        """Return packed keys that distinguish patterns, for some rows."""
        rows = np.arange(begin, min(begin + self._size, len(self._codes)))
        effects = RuleEffects(self.rules, self._holds(rows), self._codes[rows])
        core = self.rules.core
        # A missing value that a condition accepts meets it for another reason than a known one.
        may_be_missing = np.unique(np.asarray(core.feature)[np.asarray(core.accepts_missing).astype(bool)])
        missing = [self._rows.is_missing(int(feature), rows) for feature in may_be_missing]
        return np.packbits(np.column_stack([*missing, effects.takes_part]), axis=1)

    def _holds(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.asarray(self.rules.core.holds(self._rows.table[rows].native())).astype(bool)


def equal_keys(bits: NDArray[np.uint8]) -> NDArray[np.void] | NDArray[np.uint64]:
    """Return one value per row of bytes that is equal where all bytes are."""
    width = bits.shape[1]
    if width > 8:
        return np.ascontiguousarray(bits).view(np.dtype((np.void, width))).ravel()
    # Whole numbers are sorted much faster than bytes.
    padded = np.zeros((len(bits), 8), dtype=np.uint8)
    padded[:, :width] = bits
    return padded.view(np.uint64).ravel()
