"""What to tell about the labels of a file: variants, words for an unknown class, missing ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sightline.table._column import Column
from sightline.table._label_variants import label_variants, similar_labels, unknown_labels, wordless_labels
from sightline.table._labels import Labels
from sightline.table._schema import MAX_NAMES
from sightline.table.files._reading_notes import category_remedy
from sightline.wording import list_names, pluralize

if TYPE_CHECKING:
    from sightline import _core

__all__ = ["label_notes", "missing_target_note", "rounded_label_notes"]

_MAX_EXACT = 2**53


def label_notes(
    labels: Labels,
    target: str,
    parsed: _core.ParsedTable | None,
    is_arff: bool = False,
    has_quotes: bool = True,
) -> Iterator[str]:
    """Yield one sentence for everything in the labels that could have been meant otherwise.

    Parameters
    ----------
    labels : Labels
        The labels.
    target : str
        Name of their column.
    parsed : ParsedTable or None
        The columns of a text file.
    is_arff : bool, default=False
        Whether the file declares its labels, so that they are meant as they are.
    has_quotes : bool, default=True
        Whether quotes can mark a cell as text, as they can in text files.
    """
    for variants in label_variants(labels):
        listed = _listed(variants)
        yield f"The labels {listed} differ only in case or spaces. Make them equal if they are one class."
    if not is_arff:
        yield from _doubts(labels, target)
    columns = [] if parsed is None else [parsed[index] for index in range(len(parsed))]
    for cell in (cell for column in columns if column.name == target for cell in column.missing_words):
        yield (
            f"{pluralize(cell.count, 'row')} with {cell.text} in the target {target!r} "
            f"{'counts' if cell.count == 1 else 'count'} as unlabeled. "
            f"{category_remedy(cell.text, 'class', has_quotes)}"
        )


def missing_target_note(target: Labels | NDArray[np.float64], name: str) -> str:
    """Say how many rows have no label or number in the target; empty if none, or if no row has one.

    Examples
    --------
    >>> print(missing_target_note(np.array([2.5, np.nan]), "price"))
    The target 'price' is missing in 1 of 2 rows. This row can be predicted, but not used for training: \
keep the others with table[~np.isnan(table.y)].
    """
    if isinstance(target, Labels):
        is_missing, known = target.codes < 0, "table.y.codes >= 0"
    else:
        is_missing, known = np.isnan(target), "~np.isnan(table.y)"
    n_missing = int(np.count_nonzero(is_missing))
    if n_missing in (0, len(target)):
        return ""
    rows = "This row" if n_missing == 1 else "These rows"
    return (
        f"The target {name!r} is missing in {n_missing:,} of {len(target):,} rows. {rows} can be predicted, "
        f"but not used for training: keep the others with table[{known}]."
    )


def rounded_label_notes(column: Column) -> Iterator[str]:
    """Yield a sentence if the labels in a column come from doubles that may stand for several whole numbers.

    Examples
    --------
    >>> from sightline.table._column import numeric_column
    >>> column = numeric_column("key", np.array([2.0**60, 3.0]))
    >>> print(next(rounded_label_notes(column))[:72])
    The target 'key' holds whole numbers above 2^53, such as about 1.15e+18,
    """
    if column.feature.is_nominal or column.source is not None or column.number_type:
        return
    largest = np.abs(column.values[~column.is_missing]).max(initial=0)
    if largest >= _MAX_EXACT:
        yield (
            f"The target {column.name!r} holds whole numbers above 2^53, such as about {largest:.3g}, which "
            "are rounded to about 16 digits. Different numbers may have become one class. If they are codes, "
            "store them as text."
        )


def _doubts(labels: Labels, target: str) -> Iterator[str]:
    for group in similar_labels(labels):
        listed = _listed(group)
        yield f"The labels {listed} may mean the same, but are different classes. If so, write them alike."
    if unknown := unknown_labels(labels):
        yield (
            f"The target {target!r} has the label {_listed(unknown)}, which may mean that the class is "
            "unknown. If so, empty these cells."
        )
    if odd := wordless_labels(labels):
        yield (
            f"The target {target!r} has the label {_listed(odd)}, without a letter or digit. Remove these "
            "rows if their class is unknown, or if they belong to the header."
        )


def _listed(labels: list[str]) -> str:
    return list_names([*map(repr, labels)], MAX_NAMES)
