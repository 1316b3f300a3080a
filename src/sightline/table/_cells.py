"""Codes for cells of unknown type, as in lists and object arrays."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Number

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError
from sightline.table._column import Column, Source, nominal_column, numeric_column
from sightline.table._whole_numbers import source_of
from sightline.table.dates import column_of_temporal_cells, temporal_kind

__all__ = [
    "EncodedCells",
    "column_of_encoded",
    "encode_cells",
    "encode_declared",
    "is_missing",
    "missing_kind",
]


@dataclass(frozen=True)
class EncodedCells:
    """Distinct known cells in sorted order, and the code of each cell (-1 is missing).

    ``kind`` is "numbers", "booleans", "text", "dates", "times", "durations", "other" or, if all cells are
    missing, "nothing". ``missing_kinds`` says which of NaN, None and pandas' NA occur.
    """

    distinct: list[object]
    codes: NDArray[np.int32]
    kind: str
    missing_kinds: tuple[str, ...] = ()


def encode_cells(cells: Sequence[object], subject: str) -> EncodedCells:
    """Encode cells of one kind by their distinct values.

    Parameters
    ----------
    cells : sequence
        The cells; None, NaN, NaT and pandas' NA are missing.
    subject : str
        Subject of error messages, such as ``"Column 'a'"``.

    Examples
    --------
    >>> encode_cells(["b", "c", "a"], "Column 'x'").codes
    array([1, 2, 0], dtype=int32)
    >>> encode_cells(["b", None, "a"], "Column 'x'").missing_kinds
    ('None',)
    """
    # The checks look at distinct cells only, because there are few of them.
    try:
        distinct = list(dict.fromkeys(cells))
    except TypeError:
        raise DataError(
            f"{subject} holds {_first_unhashable(cells)}. Every cell must be a string or a number."
        ) from None
    examples: dict[str, object] = {}
    known = [cell for cell in distinct if not is_missing(cell)]
    for cell in known:
        examples.setdefault(_kind(cell), cell)
    if len(examples) > 1:
        (first_kind, first), (second_kind, second) = list(examples.items())[:2]
        raise DataError(
            f"{subject} mixes {first_kind} and {second_kind}, such as {first!r} and {second!r}. "
            "Convert them to one type."
        )
    kind = next(iter(examples), "nothing")
    if kind == "numbers" and any(isinstance(cell, complex) for cell in known):
        raise DataError(f"{subject} holds complex numbers. Complex data not supported.")
    try:
        ordered = sorted(known)  # type: ignore[type-var]
    except TypeError:
        raise DataError(f"{subject} holds values of types that cannot be sorted.") from None
    missing_kinds = tuple(sorted({missing_kind(cell) for cell in distinct if is_missing(cell)}))
    return EncodedCells(ordered, _codes(cells, distinct, ordered), kind, missing_kinds)


def column_of_encoded(name: str, encoded: EncodedCells) -> Column:
    """Return a nominal column of the distinct cells. A column of booleans declares both values."""
    distinct, codes = encoded.distinct, encoded.codes
    if encoded.kind == "booleans":
        codes = np.where(codes == 0, np.int32(1), codes) if distinct == [True] else codes
        distinct = [False, True]
    return replace(nominal_column(name, distinct, codes), missing_kinds=encoded.missing_kinds)


def column_of_cells(name: str, cells: list[object]) -> Column:
    """Return the column of some cells: numeric if all known cells are numbers."""
    kind = temporal_kind(next((cell for cell in cells if not is_missing(cell)), None))
    if kind:
        known = [None if is_missing(cell) else cell for cell in cells]
        # Not sorted: Python compares neither dates with times nor times with and without a zone.
        if all(cell is None or temporal_kind(cell) == kind for cell in known):
            return column_of_temporal_cells(name, known, kind)
    encoded = encode_cells(cells, f"Column {name!r}")
    if encoded.kind in ("text", "booleans"):
        return column_of_encoded(name, encoded)
    if encoded.kind == "other":
        raise DataError(
            f"Column {name!r} holds {encoded.distinct[0]!r}, which is not supported. "
            "Every cell must be a string or a number."
        )
    # The code -1 of missing cells finds the last entry.
    lookup = np.array([*map(_as_double, encoded.distinct), np.nan], dtype=np.float64)
    source = _whole_numbers(encoded)
    return replace(
        numeric_column(name, lookup[encoded.codes], "" if source else _wide_type(encoded)),
        source=source,
        missing_kinds=encoded.missing_kinds,
    )


def _whole_numbers(encoded: EncodedCells) -> Source | None:
    """Return the cells as whole numbers if doubles do not hold all of them."""
    numbers = [int(cell) for cell in encoded.distinct if isinstance(cell, int | np.integer)]
    if not numbers or len(numbers) < len(encoded.distinct):
        return None
    dtype = np.int64 if numbers[-1] < 2**63 else np.uint64
    try:
        return source_of(np.array([*numbers, 0], dtype=dtype)[encoded.codes], "cells")
    except OverflowError:  # No type holds all of them.
        return None


def _wide_type(encoded: EncodedCells) -> str:
    """Return the type of cells that may have more digits than a double, or nothing."""
    if any(isinstance(cell, Decimal) for cell in encoded.distinct):
        return "decimal"
    is_wide = any(isinstance(cell, int) and not -(2**63) <= cell < 2**64 for cell in encoded.distinct)
    return "integer" if is_wide else ""


def encode_declared(cells: Sequence[object], declared: Sequence[object]) -> NDArray[np.int32]:
    """Encode cells by their index among declared values. Undeclared cells are missing."""
    return _codes(cells, list(dict.fromkeys(cells)), declared)


def is_missing(cell: object) -> bool:
    """Whether a cell is None or differs from itself, as NaN, NaT and pandas' NA do."""
    if cell is None:
        return True
    try:
        return bool(cell != cell)  # noqa: PLR0124
    except TypeError:  # pandas' NA refuses the comparison
        return True


NULLABLE_BOOLEAN = "pd.NA of booleans"
"""The kind of missing values in pandas' type boolean, which scikit-learn turns into NaN where it can."""


def missing_kind(cell: object) -> str:
    """Return which missing value a cell is: scikit-learn distinguishes them.

    Examples
    --------
    >>> missing_kind(None), missing_kind(float("nan"))
    ('None', 'NaN')
    """
    if cell is None:
        return "None"
    return "NaN" if isinstance(cell, float | np.floating) else "pd.NA"


def _codes(cells: Sequence[object], distinct: list[object], ordered: Sequence[object]) -> NDArray[np.int32]:
    code_of = dict.fromkeys(distinct, -1)
    code_of.update({value: code for code, value in enumerate(ordered)})
    return np.fromiter(map(code_of.__getitem__, cells), dtype=np.int32, count=len(cells))


def _as_double(number: object) -> float:
    """Return a number as a double, infinite if it is too large for one."""
    try:
        return float(number)  # type: ignore[arg-type]
    except OverflowError:
        return np.inf if number > 0 else -np.inf  # type: ignore[operator]


def _kind(cell: object) -> str:
    if isinstance(cell, (bool, np.bool_)):
        return "booleans"
    # numpy counts its durations among the whole numbers.
    if isinstance(cell, Number) and not isinstance(cell, np.timedelta64):
        return "numbers"
    return "text" if isinstance(cell, (str, bytes)) else temporal_kind(cell) or "other"


def _first_unhashable(cells: Sequence[object]) -> str:
    for row, cell in enumerate(cells):
        try:
            hash(cell)
        except TypeError:
            return f"a {type(cell).__name__} at row {row}"
    return "an unhashable object"
