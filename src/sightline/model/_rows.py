"""Convert any table to the columns that a model expects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from joblib import effective_n_jobs

from sightline import _core
from sightline.table import Schema, Table, without_ignored


def native_rows(X: Any, schema: Schema, owner: str) -> _core.Columns:
    """Return the rows of X with the columns of a schema, as kernels read them.

    Parameters
    ----------
    X : Table, frame or array
        The rows. Infinite numbers are larger, or smaller, than every threshold.
    schema : Schema
        The columns that the model knows; unseen categories become missing.
    owner : str
        Name of the caller, for error messages.

    Returns
    -------
    _core.Columns
        Columns borrowed from X wherever they need no conversion.
    """
    return Table.from_any(without_ignored(X, schema), infinite="largest").aligned(schema, owner).native()


_MAX_NUMBERS = 2**20
"""Numbers in a block of answers: 8 MB, which a cache holds."""
_MIN_BLOCK = 256
"""Rows that a kernel takes at a time."""


def row_blocks(n_rows: int, n_numbers: int) -> Iterator[tuple[int, int]]:
    """Yield the first row of each block and the one after its last.

    Answers of a thousand numbers per row are computed block by block, so that memory does not
    grow with rows times numbers.

    Parameters
    ----------
    n_rows : int
        Number of rows; without any there is one empty block.
    n_numbers : int
        Numbers per row.

    Examples
    --------
    >>> list(row_blocks(1_000, 2))
    [(0, 1000)]
    >>> list(row_blocks(2_500, 1_000))
    [(0, 1024), (1024, 2048), (2048, 2500)]
    """
    size = _MIN_BLOCK * max(1, _MAX_NUMBERS // max(1, n_numbers) // _MIN_BLOCK)
    for first in range(0, max(n_rows, 1), size):
        yield first, min(first + size, n_rows)


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that joblib gives to ``n_jobs``."""
    return int(effective_n_jobs(n_jobs))
