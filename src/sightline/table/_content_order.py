"""Order rows by their content, and fingerprint a table."""

import hashlib

import numpy as np
from numpy.typing import NDArray

from sightline.table._labels import Labels
from sightline.table._numbers import Numbers
from sightline.table._table import Table

__all__ = ["content_hashes", "content_order", "fingerprint"]


def content_order(table: Table, labels: Labels) -> NDArray[np.intp]:
    """Return an order of the rows that depends on their content, not on their position.

    Equal rows are adjacent. The order itself has no meaning: rows are sorted by a hash.

    Examples
    --------
    >>> first = content_order(Table.from_any([[1.0], [2.0], [3.0]]), Labels.from_any([0, 1, 1]))
    >>> second = content_order(Table.from_any([[3.0], [1.0], [2.0]]), Labels.from_any([1, 0, 1]))
    >>> bool((np.array([1.0, 2.0, 3.0])[first] == np.array([3.0, 1.0, 2.0])[second]).all())
    True
    """
    return np.argsort(content_hashes(table, labels), kind="stable")


def content_hashes(table: Table, target: Labels | Numbers) -> NDArray[np.uint64]:
    """Return a hash per row. Rows with the same values and label, or number, have the same hash.

    Examples
    --------
    >>> hashes = content_hashes(Table.from_any([[1.0], [2.0], [1.0]]), Labels.from_any([0, 0, 0]))
    >>> bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
    (True, False)
    """
    if isinstance(target, Labels):
        hashes = target.codes.astype(np.uint64)
    else:
        hashes = (target.values + 0.0).view(np.uint64)
    for column in table.columns:
        values = column.values + 0.0
        values[np.isnan(values)] = 0.5e308
        hashes = (hashes ^ values.view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        hashes ^= hashes >> np.uint64(29)
    return hashes


def fingerprint(table: Table, target: Labels | Numbers) -> str:
    """Return a hash of rows and their labels or numbers, including their order.

    Names, kinds and declared values of the columns and the classes count. The name and origin of
    the table do not.

    Examples
    --------
    >>> table = Table.from_any([[1.0], [2.0]])
    >>> first = fingerprint(table, Labels.from_any(["a", "b"]))
    >>> len(first), first == fingerprint(table, Labels.from_any(["a", "c"]))
    (64, False)
    """
    content = hashlib.sha256()
    content.update(repr(table.schema).encode())
    for column in table.columns:
        content.update(np.ascontiguousarray(column.values).tobytes())
    if isinstance(target, Labels):
        content.update(target.codes.tobytes())
        content.update(repr(target.classes_.tolist()).encode())
    else:
        content.update(target.values.tobytes())
    return content.hexdigest()
