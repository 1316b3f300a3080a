"""Find columns of numbers that are months with years, such as 1.2018."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sightline.table._column import Column

__all__ = ["month_notes"]

_MIN_MONTHS = 6
_SCALE = 10_000
_FIRST_YEAR, _LAST_YEAR = 1900, 2099
_N_MONTHS = 12


def month_notes(columns: Sequence[Column]) -> Iterator[str]:
    """Yield a sentence for each column whose numbers are all a month, a point and a year.

    Examples
    --------
    >>> from sightline.table._column import numeric_column
    >>> column = numeric_column("day", np.array([1.2018, 2.2018, 5.2018, 10.2018, 1.2019, 2.2019]))
    >>> next(month_notes([column]))[:64]
    "Column 'day' holds numbers such as 1.2018, which may be months. "
    """
    for column in columns:
        if column.feature.is_nominal or column.feature.kind or column.feature.unit:
            continue
        distinct = np.unique(column.values[~column.is_missing])
        if len(distinct) >= _MIN_MONTHS and _are_months(distinct):
            month, year = f"{distinct[0]:.4f}".split(".")
            yield (
                f"Column {column.name!r} holds numbers such as {month}.{year}, which may be months. As "
                "numbers, they are ordered by month, not by year. If so, write them as in "
                f"{year}-{month:0>2}."
            )


def _are_months(numbers: NDArray[np.float64]) -> bool:
    """Whether numbers are months of different years, not all of them round: 1.2 may be 1.2000."""
    months = np.floor(numbers)
    years = np.round((numbers - months) * _SCALE)
    are_exact = np.array_equal(np.round(months + years / _SCALE, 4), numbers)
    return bool(
        are_exact
        and np.all((months >= 1) & (months <= _N_MONTHS) & (years >= _FIRST_YEAR) & (years <= _LAST_YEAR))
        and np.any(years % 10)
        and min(len(np.unique(months)), len(np.unique(years))) > 1
    )
