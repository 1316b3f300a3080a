"""Convert columns to what a model expects: its order, kinds and codes."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError
from sightline.table._column import Column, as_nominal, as_numeric, number_of
from sightline.table._schema import MAX_NAMES, Feature, Schema
from sightline.table._whole_numbers import as_rounded_by
from sightline.wording import list_names

__all__ = ["aligned_columns"]

_ROUNDINGS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "down": lambda numbers: np.floor(_as_single(numbers)).astype(np.float64),
    "to zero": np.trunc,
}


def _as_single(numbers: NDArray[np.float64]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return numbers.astype(np.float32)


def aligned_columns(columns: Sequence[Column], schema: Schema, has_names: bool, owner: str) -> list[Column]:
    """Return the columns in the schema's order, with its kinds and codes.

    Columns are matched by name if both sides have real names (see :meth:`Schema.called`), else by
    position. A category that the schema does not declare becomes missing, or the last category if
    the feature is coded.
    """
    names = [column.name for column in columns]
    if has_names and (schema.has_given_names or set(names) == set(schema.names)):
        columns = _by_name(columns, schema, owner)
    elif len(columns) != len(schema):
        raise DataError(
            f"X has {len(columns)} features, but {owner} is expecting {len(schema)} features as input."
        )
    return [
        _converted(column, feature, owner) for column, feature in zip(columns, schema.features, strict=True)
    ]


def _by_name(columns: Sequence[Column], schema: Schema, owner: str) -> list[Column]:
    column_of = {column.name: column for column in columns}
    expected = schema.called(list(column_of))
    absent = [name for name in expected if name not in column_of]
    if absent:
        raise DataError(f"X has no {_listed(absent)}, which {owner} expects.")
    known = set(expected)
    extra = [name for name in column_of if name not in known]
    if extra:
        raise DataError(f"X has the {_listed(extra)}, which {owner} does not know.")
    return [column_of[name] for name in expected]


def _listed(names: list[str]) -> str:
    shown = list_names([repr(name) for name in names], MAX_NAMES)
    return f"{'column' if len(names) == 1 else 'columns'} {shown}"


def _converted(column: Column, feature: Feature, owner: str) -> Column:
    column = as_rounded_by(column, feature.rounding)
    if feature.categories is None:
        if column.feature.categories is None:
            return Column(feature, column.values)
        return _numeric(column, feature, owner)
    if column.feature.categories == feature.categories:
        return Column(feature, column.values)
    return _recoded(column, feature, owner)


def _numeric(column: Column, feature: Feature, owner: str) -> Column:
    numbers = as_numeric(column)
    if numbers is None:
        example = next(value for value in column.to_list() if value is not None and number_of(value) is None)
        raise DataError(
            f"Column {column.name!r} holds text such as {example!r}, but {owner} expects numbers."
        )
    are_flags = all(isinstance(value, bool) for value in column.feature.categories or ())
    if feature.rounding == "lightgbm" and not are_flags:
        # LightGBM refuses such a frame too, or gives the column the codes of another one.
        raise DataError(
            f"Column {column.name!r} holds categories, but {owner} expects numbers. Convert the column to "
            f"numbers, or, if it held categories in training, name it: sl.load(model, categories={{...}})."
        )
    return Column(feature, numbers.values)


def _recoded(column: Column, feature: Feature, owner: str) -> Column:
    declared = feature.categories or ()
    if feature.coded and not column.feature.is_nominal:
        column = Column(column.feature, _ROUNDINGS[feature.coded](column.values))
    nominal = as_nominal(column)
    values = nominal.feature.categories or ()
    if (
        not column.feature.is_nominal
        and not feature.coded
        and values
        and all(isinstance(_loose_key(value), str) for value in declared)
    ):
        raise DataError(
            f"Column {column.name!r} holds numbers such as {values[0]!r}, but {owner} expects "
            f"text such as {declared[0]!r}."
        )
    # Files may differ in type: '1' in one, 1 in the other. Within one type, only equal values match.
    key = _exact_key if _is_text(values) == _is_text(declared) else _loose_key
    code_of = {key(value): code for code, value in enumerate(declared)}
    unseen = len(declared) - 1 if feature.coded else -1
    # The code -1 of missing values finds the last entry.
    recode = np.array([*(code_of.get(key(value), unseen) for value in values), -1], dtype=np.int32)
    if not values:
        return Column(feature, np.full(len(column), -1, dtype=np.int32))
    return Column(feature, recode[nominal.values])


def _is_text(values: tuple[object, ...]) -> bool:
    return all(isinstance(value, str) for value in values)


def _exact_key(value: object) -> object:
    return value


def _loose_key(value: object) -> object:
    """Return one key for strings, numbers and booleans of the same meaning."""
    text = str(value).lower()
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text)
    except ValueError:
        return value
