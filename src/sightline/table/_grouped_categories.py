"""Group the rare values of large categories, so that no test can pick out single rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sightline.table._column import Column
from sightline.table._schema import Feature
from sightline.table._table import Table

__all__ = ["MAX_CATEGORIES", "MIN_ROWS_PER_CATEGORY", "group_categories", "is_large_category"]

MAX_CATEGORIES = 100
"""A column with more values than this is grouped, and keeps at most so many."""

MIN_ROWS_PER_CATEGORY = 20
"""A value that a grouped column keeps has at least so many training rows."""


def group_categories(table: Table) -> Table:
    """Return the training rows with the rare values of large categories joined to "other".

    Only columns with more than 100 different values among these rows change. They keep the values that
    at least 20 rows have, at most the 100 most frequent. All others, and values that occur only in
    other rows, are "other". Neither the target nor other rows affect the grouping.

    Parameters
    ----------
    table : Table
        The training rows.

    Examples
    --------
    >>> rows = [[f"v{row}" if row % 2 else "common"] for row in range(240)]
    >>> group_categories(Table.from_any(rows)).schema.features[0].categories
    ('common', 'other')
    """
    grouped = [_grouped(column) for column in table.columns]
    return (
        table
        if all(old is new for old, new in zip(table.columns, grouped, strict=True))
        else table.with_columns(grouped)
    )


def is_large_category(column: Column) -> bool:
    """Return whether a column has more than 100 different values that are not numbers.

    Examples
    --------
    >>> is_large_category(Table.from_any([[f"v{row}"] for row in range(240)]).columns[0])
    True
    """
    return column.feature.is_nominal and bool(np.count_nonzero(_counts(column)) > MAX_CATEGORIES)


def _counts(column: Column) -> NDArray[np.intp]:
    return np.bincount(column.values[column.values >= 0], minlength=column.feature.n_values)


def _grouped(column: Column) -> Column:
    feature = column.feature
    # Codes and hashes of another library, and values that it joins already, stay as the library knows them.
    if feature.categories is None or feature.coded or feature.has_other or not is_large_category(column):
        return column
    counts = _counts(column)
    most = np.argsort(-counts, kind="stable")[:MAX_CATEGORIES]
    kept = np.sort(most[counts[most] >= MIN_ROWS_PER_CATEGORY]).tolist()
    categories = [feature.categories[code] for code in kept]
    # The code -1 of missing values finds the last entry.
    recode = np.full(feature.n_values + 1, len(kept), dtype=np.int32)
    recode[kept] = np.arange(len(kept))
    recode[-1] = -1
    joined = Feature(feature.name, (*categories, _name_of_others(categories)), unseen="last")
    return Column(replace(joined, complete=feature.complete), recode[column.values])


def _name_of_others(categories: list[object]) -> str:
    name = "other"
    while name in categories:
        name = f"({name})"
    return name
