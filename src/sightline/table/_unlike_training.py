"""What rows have otherwise than the rows that a model was trained on: categories, units, empty columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from sightline.exceptions import DataError
from sightline.table._align import codes_of
from sightline.table._column import Column, as_nominal
from sightline.table._schema import Feature, Schema
from sightline.table._table import Table
from sightline.wording import list_names, pluralize

__all__ = ["unlike_training"]

_MAX_SHOWN = 3
_MIN_NAMES = 10
"""Up to here, values are different in every row by chance."""
_MODEL, _MODEL_OF_TABLE = "the model", "a model of the earlier table"


def unlike_training(
    table: Table, like: Table | Schema, tested: Collection[str] | None = None, min_rows: float = 1
) -> Iterator[str]:
    """Yield a sentence for every column that a model would read in another way than in training.

    Parameters
    ----------
    table : Table
        New rows.
    like : Table or Schema
        Earlier rows, which a model may be trained on, or the columns of a model.
    tested : collection of str, optional
        Names of the columns that matter, as in `like`. Default: all.
    min_rows : float, default=1
        Number of rows that must have unknown categories.

    Examples
    --------
    >>> import sightline as sl
    >>> rows = sl.Table.from_any([["oak"], ["elm"], ["oak"]], feature_names=["tree"])
    >>> print(*unlike_training(rows, Schema((Feature("tree", ("elm", "fir")),))))
    Column 'tree' is 'oak' in 2 rows, which the model does not know. It counts as missing.
    """
    schema, model = (like, _MODEL) if isinstance(like, Schema) else (like.schema, _MODEL_OF_TABLE)
    earlier = {} if isinstance(like, Schema) else {column.name: column for column in like.columns}
    columns = {column.name: column for column in table.columns}
    for name, feature in zip(schema.called(table.names), schema.features, strict=True):
        column, before = columns.get(name), earlier.get(feature.name)
        is_unused = feature.ignored or (tested is not None and feature.name not in tested)
        if column is None or is_unused or (before is not None and before.is_missing.all()):
            continue
        if len(column) > 1 and column.is_missing.all():
            owner = model.capitalize()
            yield f"Column {name!r} is empty in every row. {owner} predicts as for missing values."
        elif feature.is_nominal:
            has_names = before is not None and _is_different_in_every_row(before)
            yield from _unknown_values(column, feature, model, has_names, min_rows)
        # The models of other libraries do not know the units of their columns.
        elif not column.feature.is_nominal and not feature.kind and not feature.rounding:
            yield from _unit_note(column, feature.unit)


def _is_different_in_every_row(column: Column) -> bool:
    """Whether no category is in two rows, as in a column of names and keys."""
    return len(np.unique(column.values)) == len(column) > _MIN_NAMES


def _unknown_values(
    column: Column, feature: Feature, model: str, new_are_usual: bool, min_rows: float
) -> Iterator[str]:
    # A file whose cells are all numbers has no categories yet.
    column = as_nominal(column)
    values = column.feature.categories
    if values is None or feature.coded or feature.unseen == "refuse":
        return
    try:
        codes = codes_of(values, feature)
    except DataError:
        return  # Whoever aligns the rows says what is wrong.
    other = len(feature.categories or ()) - 1 if feature.has_other else -1
    counts = np.bincount(column.values[column.values >= 0], minlength=len(values))
    unknown = [
        value for value, code, count in zip(values, codes, counts, strict=True) if code == other and count
    ]
    spelled = {_loose(value): value for value in feature.categories or ()}
    alike = {_loose(value): spelled[_loose(value)] for value in unknown if _loose(value) in spelled}
    # Rare values are meant to be joined with all others, unless they are only written differently.
    if feature.has_other or new_are_usual:
        unknown = [value for value in unknown if _loose(value) in alike]
    n_rows = int(sum(count for value, count in zip(values, counts, strict=True) if value in set(unknown)))
    if not unknown or n_rows < min_rows:
        return
    shown = list_names([repr(value) for value in unknown], _MAX_SHOWN)
    it_counts = "It counts" if len(unknown) == 1 else "They count"
    known = list_names([repr(value) for value in alike.values()], _MAX_SHOWN)
    yield (
        f"Column {column.name!r} is {shown} in {pluralize(n_rows, 'row')}, which {model} does not know. "
        f"{it_counts} as {'other' if feature.has_other else 'missing'}."
        + (f" The model knows {known}." if alike else "")
    )


def _loose(value: object) -> str:
    return " ".join(str(value).split()).casefold()


def _unit_note(column: Column, unit: str) -> Iterator[str]:
    """Yield a sentence if a column of numbers carries another unit than this one."""
    here = column.feature.unit
    # Zeros fit every unit.
    if _unit_key(here) != _unit_key(unit) and (here or np.nan_to_num(column.values).any()):
        yield (
            f"Column {column.name!r} holds {_numbers_in(here)}, but held {_numbers_in(unit)} before. "
            "They are read as written. If they have different units, convert them first."
        )


def _unit_key(unit: str) -> str:
    return unit.lower().removesuffix("s")


def _numbers_in(unit: str) -> str:
    return {"": "numbers without a unit", ":": "times"}.get(unit, f"numbers with {unit!r}")
