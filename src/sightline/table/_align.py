"""Convert columns to what a model expects: its order, kinds and codes."""

import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError, DataWarning
from sightline.table._category_hash import category_hash, hash_of
from sightline.table._cells import column_of_cells
from sightline.table._column import Column, are_flags, as_nominal, as_numeric, number_of
from sightline.table._schema import MAX_NAMES, NUMBER_NOUNS, Feature, Schema
from sightline.table._whole_numbers import as_rounded_by
from sightline.table.dates import DAY, duration_seconds, parsed_dates
from sightline.wording import list_choices, list_names, option_text

__all__ = ["aligned_columns", "codes_of", "rounded_numbers"]

_ROUNDINGS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "down": lambda numbers: np.floor(_as_single(numbers)).astype(np.float64),
    "to zero": np.trunc,
}

_EXACT_IN_DOUBLE = 2**53

_Key = Callable[[object], object]


def _as_single(numbers: NDArray[np.float64]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return numbers.astype(np.float32)


def aligned_columns(columns: Sequence[Column], schema: Schema, has_names: bool, owner: str) -> list[Column]:
    """Return the columns in the schema's order, with its kinds and codes.

    Columns are matched by name if both sides have real names (see :meth:`Schema.called`), else by
    position; names that look like positions in another order are refused. A category that the schema does
    not declare becomes what the feature says in `unseen`. Ignored columns are empty, whatever they hold, and
    may be absent. Columns that the schema does not have are refused unless it ignores them.
    """
    names = [column.name for column in columns]
    n_rows = len(columns[0]) if columns else 0
    if has_names and schema.has_given_names:
        columns = _by_name(columns, schema, owner)
    elif names != schema.names and sorted(names) == sorted(schema.names):
        _refuse_moved_positions(names, owner)
    elif len(columns) != len(schema):
        raise DataError(
            f"X has {len(columns)} features, but {owner} is expecting {len(schema)} features as input."
        )
    _warn_of_types(columns, schema)
    if schema.distinguishes_missing:
        _warn_of_missing(columns, schema)
    return [
        _empty(feature, n_rows) if feature.ignored else _converted(column, feature, owner)
        for column, feature in zip(columns, schema.features, strict=True)
    ]


def codes_of(values: Sequence[object], feature: Feature) -> NDArray[np.int32]:
    """Return the codes of some cells among the categories of a nominal feature, -1 where missing."""
    column = column_of_cells(feature.name, list(values))
    if feature.coded == "hash":
        return _found_by_hash(as_nominal(column), feature)
    return _converted(column, feature, "the model").values


def rounded_numbers(numbers: NDArray[np.float64], feature: Feature) -> NDArray[np.float64]:
    """Return numbers as a nominal feature rounds them to its categories."""
    return _ROUNDINGS[feature.coded](numbers) if feature.coded in _ROUNDINGS else numbers


def _empty(feature: Feature, n_rows: int) -> Column:
    return Column(feature, np.full(n_rows, np.nan))


def _refuse_moved_positions(names: Sequence[str], owner: str) -> NoReturn:
    """Refuse to choose between the names of columns and their order."""
    raise DataError(
        f"X has the {_listed([*names])}, but {owner} was trained without names of columns and takes them in "
        "order. If this is the right order, pass X.to_numpy(), otherwise reorder the columns."
    )


def _by_name(columns: Sequence[Column], schema: Schema, owner: str) -> list[Column]:
    column_of = {column.name: column for column in columns}
    expected = schema.called(list(column_of))
    ignored = [feature.ignored for feature in schema.features]
    absent = [
        name for name, skip in zip(expected, ignored, strict=True) if not skip and name not in column_of
    ]
    if absent:
        raise DataError(f"X has no {_listed(absent)}, which {owner} expects.")
    known = set(expected)
    extra = [name for name in column_of if name not in known]
    if extra and not schema.ignores_extra:
        them = "it" if len(extra) == 1 else "them"
        raise DataError(f"X has the {_listed(extra)}, which {owner} was not trained on. Drop {them} first.")
    return [column_of.get(name, columns[0]) for name in expected]


def _listed(names: list[str]) -> str:
    shown = list_names([repr(name) for name in names], MAX_NAMES)
    return f"{'column' if len(names) == 1 else 'columns'} {shown}"


def _warn_of_types(columns: Sequence[Column], schema: Schema) -> None:
    """Warn if the preprocessing in front of a model computes differently with the type of some columns."""
    rounded = [
        column
        for column, feature in zip(columns, schema.features, strict=True)
        if {column.number_type, column.number_type.partition("[")[0]} & {*feature.rounded_types}
    ]
    if rounded:
        names, types = (
            _listed([column.name for column in rounded]),
            {column.number_type for column in rounded},
        )
        have = "has" if len(rounded) == 1 else "have"
        warnings.warn(
            f"The {names} {have} the type {list_choices(sorted(types))}, with which the pipeline computes "
            "differently than Sightline, so predictions may differ. Convert the rows for both: "
            "X.astype(float).",
            DataWarning,
            stacklevel=4,
        )


def _warn_of_missing(columns: Sequence[Column], schema: Schema) -> None:
    """Warn if the preprocessing in front of a model distinguishes missing values that a table does not."""
    names: dict[tuple[str, str], list[str]] = {}
    for column, feature in zip(columns, schema.features, strict=True):
        if feature.missing_kinds and not feature.ignored and column.is_missing.any():
            kinds = column.missing_kinds or (() if column.feature.is_nominal else ("NaN",))
            for kind in kinds:
                if kind not in feature.missing_kinds:
                    names.setdefault((kind, feature.missing_kinds[0]), []).append(column.name)
    for (kind, expected), of_kind in names.items():
        wanted, cells = "np.nan" if expected == "NaN" else expected, f"X[{of_kind[0]!r}]"
        warnings.warn(
            f"Missing values are {kind} in the {_listed(of_kind)}. Sightline treats them as {expected}, but "
            "the pipeline does not, so predictions may differ. Replace them for both: "
            f"{cells}.astype(object).where({cells}.notna(), {wanted}).",
            DataWarning,
            stacklevel=4,
        )


def _converted(column: Column, feature: Feature, owner: str) -> Column:
    if feature.categories is None or feature.coded in _ROUNDINGS:
        column = as_rounded_by(column, feature.rounding)
    if feature.kind or column.feature.kind:
        return Column(feature, _in_kind(column, feature, owner))
    if feature.categories is None:
        if column.feature.categories is None:
            return Column(feature, column.values)
        return _numeric(column, feature, owner)
    if column.feature.categories == feature.categories:
        return Column(feature, column.values)
    return _recoded(column, feature, owner)


def _in_kind(column: Column, feature: Feature, owner: str) -> NDArray[np.float64]:
    """Return the numbers of dates, times or durations as a feature measures them."""
    expected = NUMBER_NOUNS[feature.kind] if feature.categories is None else "categories"
    if not feature.kind:
        remedy = (
            f"Read the file with kinds={{{column.name!r}: 'categorical'}}."
            if feature.is_nominal
            else "Convert them as for training."
        )
        found = NUMBER_NOUNS[column.feature.kind] if not column.feature.is_nominal else "text"
        raise DataError(f"Column {column.name!r} holds {found}, but {owner} expects {expected}. {remedy}")
    if feature.kind == "duration" and not (column.feature.kind or column.is_missing.all()):
        return duration_seconds(column, feature, owner)
    if column.feature.is_nominal:
        column = parsed_dates(column, feature, owner)
    given = column.feature.kind
    if given == feature.kind or column.is_missing.all():
        return column.values
    if (given, feature.kind) == ("date", "datetime"):
        return column.values * DAY
    if (given, feature.kind) == ("datetime", "date"):
        return np.floor(column.values / DAY)
    remedy = "Pass dates, or text such as 2019-03-01." if not given else "Convert them as for training."
    if given and "duration" not in (given, feature.kind):
        remedy = _zone_remedy(column, feature)
    if not given and _are_compact_dates(column.values):
        remedy = (
            f"Read the file with kinds={{{column.name!r}: 'date'}} ({option_text('--date', column.name)})."
        )
    raise DataError(
        f"Column {column.name!r} holds {NUMBER_NOUNS[given]}, but {owner} expects {expected}. {remedy}"
    )


def _zone_remedy(column: Column, feature: Feature) -> str:
    """Say how times get the zone that a model expects, or lose theirs: dates and times differ in no more."""
    times = f"X[{column.name!r}].dt"
    if feature.kind == "datetime UTC":
        return f"Say which zone they are in: with pandas, {times}.tz_localize('Europe/Paris')."
    return (
        f"Remove the zone: with pandas, {times}.tz_localize(None) keeps the local times, and "
        f"{times}.tz_convert(None) gives them in UTC."
    )


def _are_compact_dates(numbers: NDArray[np.float64]) -> bool:
    """Whether numbers are days such as 20190301."""
    known = numbers[~np.isnan(numbers)]
    return bool(np.all((known >= 19000101) & (known <= 21001231) & (known % 100 <= 31) & (known % 1 == 0)))


def _numeric(column: Column, feature: Feature, owner: str) -> Column:
    numbers = as_numeric(column)
    if numbers is None:
        example = next(value for value in column.to_list() if value is not None and number_of(value) is None)
        raise DataError(
            f"Column {column.name!r} holds text such as {example!r}, but {owner} expects numbers."
        )
    if feature.rounding in ("lightgbm", "xgboost") and not are_flags(column.feature.categories or ()):
        # LightGBM refuses such a frame too, or gives the column the codes of another one; XGBoost takes its
        # own codes.
        raise DataError(
            f"Column {column.name!r} holds categories, but {owner} expects numbers. Convert the column to "
            f"numbers, or, if it held categories in training, name it: sl.load(model, categories={{...}})."
        )
    return Column(feature, numbers.values)


def _recoded(column: Column, feature: Feature, owner: str) -> Column:
    if feature.coded == "hash":
        return _hashed(column, feature, owner)
    declared = feature.categories or ()
    given = column.feature.categories
    if given and feature.coded and feature.rounding == "xgboost" and declared[-1] not in given:
        # XGBoost takes the codes of whatever frame it gets. Values are codes only beside "any other".
        raise DataError(
            f"Column {column.name!r} holds categories, but {owner} knows only codes of them. Pass codes, or "
            f"the categories in the order of the training frame: sl.load(model, "
            f"categories={{{column.name!r}: [...]}})."
        )
    if not column.feature.is_nominal and feature.coded in _ROUNDINGS:
        column = Column(column.feature, rounded_numbers(column.values, feature))
    nominal = as_nominal(column)
    values = nominal.feature.categories or ()
    if (
        not column.feature.is_nominal
        and not feature.has_other
        and values
        and all(isinstance(_loose_key(value), str) for value in declared)
    ):
        raise DataError(
            f"Column {column.name!r} holds numbers such as {values[0]!r}, but {owner} expects "
            f"text such as {declared[0]!r}."
        )
    # Files may differ in type: '1' in one, 1 in the other. Within one type, only equal values match.
    is_one_type = _is_text(values) == _is_text(declared)
    keys: tuple[_Key, _Key] = (_exact_key, _exact_key) if is_one_type else (_loose_key, _respelled)
    if not column.feature.is_nominal and column.source is None:
        keys = _in_doubles(keys[0]), _in_doubles(keys[1])
    key = keys[0]
    code_of = {key(value): code for code, value in enumerate(declared)}
    if not _is_text(values):
        _refuse_ambiguous(nominal, declared, keys, owner)
    unseen = len(declared) - 1 if feature.has_other else -1
    # The code -1 of missing values finds the last entry.
    recode = np.array([*(code_of.get(key(value), unseen) for value in values), -1], dtype=np.int32)
    if not values:
        return Column(feature, np.full(len(column), -1, dtype=np.int32))
    if feature.unseen == "refuse":
        _refuse_unseen(nominal, recode, owner)
    return Column(feature, recode[nominal.values])


def _hashed(column: Column, feature: Feature, owner: str) -> Column:
    """Find categories as CatBoost does: by the hash of their string. It refuses missing ones."""
    nominal = as_nominal(column)
    is_hashed = column.feature.coded == "hash"
    # In a column that another such feature has coded, the code -1 means a category that it did not know.
    for row in np.flatnonzero(nominal.is_missing & (not is_hashed))[:1]:
        raise DataError(
            f"Column {column.name!r} has no value in row {row}, but CatBoost does not accept missing "
            f"categories. Replace them with the string that represented them in training."
        )
    values = nominal.feature.categories or ()
    if not column.feature.is_nominal and column.source is None:
        for value in (value for value in values if _is_beyond_doubles(value)):
            raise DataError(
                f"Column {column.name!r} holds {value!r} as a float, which may be rounded and so mean "
                "another category. Convert the column to whole numbers or text."
            )
    for value in (value for value in values if isinstance(value, float)):
        raise DataError(
            f"Column {column.name!r} holds {value!r}, but {owner} expects strings or whole numbers, "
            f"because CatBoost accepts no other categories."
        )
    return Column(feature, _found_by_hash(nominal, feature))


def _found_by_hash(column: Column, feature: Feature) -> NDArray[np.int32]:
    values = column.feature.categories
    if values is None:
        return np.full(len(column), -1, dtype=np.int32)
    code_of = {hash_of(value): code for code, value in enumerate(feature.categories or ())}
    number_of_value = hash_of if column.feature.coded == "hash" else category_hash
    recode = np.array([*(code_of.get(number_of_value(value), -1) for value in values), -1], dtype=np.int32)
    return np.asarray(recode[column.values])


def _refuse_unseen(column: Column, recode: NDArray[np.int32], owner: str) -> None:
    unseen = np.flatnonzero((recode[column.values] < 0) & (column.values >= 0))
    if len(unseen):
        row = int(unseen[0])
        value = (column.feature.categories or ())[column.values[row]]
        raise DataError(
            f"Column {column.name!r} holds {value!r} at row {row}, which {owner} does not know and refuses. "
            "Remove the row, or make the value missing."
        )


def _refuse_ambiguous(
    column: Column, declared: tuple[object, ...], keys: tuple[_Key, _Key], owner: str
) -> None:
    """Raise if a value fits several declared ones, or only another spelling, as 1067 fits '01067'."""
    key, any_spelling = keys
    spelled: dict[object, list[object]] = {}
    for other in declared:
        spelled.setdefault(any_spelling(other), []).append(other)
    for code in np.unique(column.values[column.values >= 0]):
        value = (column.feature.categories or ())[code]
        others = spelled.get(any_spelling(value), [])
        if len(others) > 1 or any(key(other) != key(value) for other in others):
            meant = list(map(repr, others))
            remedy = "whole numbers or text" if _is_beyond_doubles(value) else "text"
            raise DataError(
                f"Column {column.name!r} holds {value!r}, which may mean {list_choices(meant)} for {owner}. "
                f"Convert the column to {remedy}."
            )


def _is_text(values: tuple[object, ...]) -> bool:
    return all(isinstance(value, str) for value in values)


def _exact_key(value: object) -> object:
    return value


def _in_doubles(key: Callable[[object], object]) -> Callable[[object], object]:
    """Return one key for all whole numbers that a column of doubles does not distinguish."""

    def rounded(value: object) -> object:
        found = key(value)
        return float(found) if _is_beyond_doubles(found) else found  # type: ignore[arg-type]

    return rounded


def _is_beyond_doubles(value: object) -> bool:
    return isinstance(value, int) and abs(value) >= _EXACT_IN_DOUBLE


def _loose_key(value: object) -> object:
    """Return one key for strings, numbers and booleans of the same meaning, spelled as Python does."""
    found = _respelled(value)
    return found if isinstance(found, bool) or str(found) == str(value) else value


def _respelled(value: object) -> object:
    """Return the number or boolean that a string may mean, also 7 for 007; other values as they are."""
    text = str(value).lower()
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float) if "_" not in text else ():  # Whole numbers first, beyond what a double holds.
        with suppress(ValueError):
            return kind(text)
    return value
