"""Find categories that are spelled differently but are probably one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sightline.table._column import Column
from sightline.table._label_variants import spelling_variants
from sightline.table._schema import MAX_NAMES
from sightline.wording import list_names

__all__ = ["category_variant_notes"]

_MAX_GROUPS = 3


def category_variant_notes(columns: Sequence[Column]) -> Iterator[str]:
    """Yield a sentence for each column with categories that differ only in case or spaces.

    Where all spellings are in one row each, as in a column of names or keys, they say nothing.

    Examples
    --------
    >>> from sightline.table._column import nominal_column
    >>> codes = np.array([0, 1, 2, 2, 1], dtype=np.int32)
    >>> print(*category_variant_notes([nominal_column("smoker", ["Yes", "no", "yes"], codes)]))
    Column 'smoker' has categories that differ only in case or spaces: 'yes' and 'Yes'. Make them equal if \
they mean the same.
    """
    for column in columns:
        groups = _variants_of(column)
        if groups:
            shown = "; ".join(list_names([*map(repr, group)], MAX_NAMES) for group in groups[:_MAX_GROUPS])
            more = f"; and {len(groups) - _MAX_GROUPS:,} more groups" if len(groups) > _MAX_GROUPS else ""
            yield (
                f"Column {column.name!r} has categories that differ only in case or spaces: {shown}{more}. "
                "Make them equal if they mean the same."
            )


def _variants_of(column: Column) -> list[list[str]]:
    values = column.feature.categories
    if values is None:
        return []
    counts = np.bincount(column.values[column.values >= 0], minlength=len(values)).tolist()
    if max(counts) <= 1:  # a column of keys, which may have very many
        return []
    count_of = dict(zip(values, counts, strict=True))
    groups = spelling_variants(values, counts)
    return [group for group in groups if any(count_of[value] > 1 for value in group)]
