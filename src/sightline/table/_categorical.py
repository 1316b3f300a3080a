"""The parameter ``categorical_features``, as in scikit-learn: which columns are nominal."""

from collections.abc import Sequence

import numpy as np

from sightline.exceptions import DataError, ParameterError
from sightline.table._column import Column, as_nominal, as_numeric
from sightline.table._schema import MAX_NAMES
from sightline.wording import list_names

__all__ = ["CategoricalFeatures", "declare_categorical", "is_from_dtype"]

CategoricalFeatures = str | Sequence[str] | Sequence[int] | Sequence[bool] | None


def declare_categorical(
    columns: list[Column], categorical_features: CategoricalFeatures, has_names: bool
) -> list[Column]:
    """Return the columns, with exactly the listed ones nominal.

    Parameters
    ----------
    columns : list of Column
        The columns, nominal or numeric according to their type.
    categorical_features : "from_dtype", None, or names, indices or a mask
        "from_dtype" changes nothing, None makes all columns numeric. With a list, every column
        that it does not contain is numeric.
    has_names : bool
        Whether the list may contain names.

    Raises
    ------
    DataError
        If a column that should be numeric holds text.
    ParameterError
        If the list contains a column that does not exist.
    """
    if is_from_dtype(categorical_features):
        return columns
    is_categorical = _mask(columns, categorical_features, has_names)
    return [
        as_nominal(column) if chosen else _numeric(column)
        for column, chosen in zip(columns, is_categorical, strict=True)
    ]


def is_from_dtype(categorical_features: CategoricalFeatures) -> bool:
    """Return whether column types decide which columns are nominal."""
    return isinstance(categorical_features, str) and categorical_features == "from_dtype"


def _numeric(column: Column) -> Column:
    converted = as_numeric(column)
    if converted is None:
        raise DataError(
            f"Column {column.name!r} holds text, but 'categorical_features' does not list it. "
            "List it, or pass 'from_dtype'."
        )
    return converted


def _mask(columns: list[Column], categorical_features: CategoricalFeatures, has_names: bool) -> list[bool]:
    n_features = len(columns)
    if categorical_features is None:
        return [False] * n_features
    chosen = np.asarray(categorical_features)
    if chosen.ndim != 1 or (chosen.dtype.kind not in "biuUO" and chosen.size):
        raise ParameterError(
            "The 'categorical_features' parameter must be 'from_dtype', None, or a list of column names, "
            f"of indices or of booleans. Got {categorical_features!r} instead."
        )
    if chosen.dtype.kind == "b":
        if len(chosen) != n_features:
            raise ParameterError(
                "The mask 'categorical_features' must have one entry per column: "
                f"{n_features}. Got {len(chosen)} instead."
            )
        return [bool(flag) for flag in chosen]
    indices = (
        _indices_of_names(columns, chosen.tolist(), has_names)
        if chosen.dtype.kind in "UO"
        else chosen.tolist()
    )
    outside = [index for index in indices if not 0 <= index < n_features]
    if outside:
        raise ParameterError(
            f"The indices in 'categorical_features' must be from 0 to {n_features - 1}. "
            f"Got {outside[0]} instead."
        )
    listed = set(indices)
    return [index in listed for index in range(n_features)]


def _indices_of_names(columns: list[Column], names: list[object], has_names: bool) -> list[int]:
    if not has_names:
        raise ParameterError("'categorical_features' contains column names, but the columns of X have none.")
    index_of: dict[object, int] = {column.name: index for index, column in enumerate(columns)}
    for name in names:
        if name not in index_of:
            known = list_names([repr(column.name) for column in columns], MAX_NAMES)
            raise ParameterError(
                f"'categorical_features' contains {name!r}, which is not a column. The columns are {known}."
            )
    return [index_of[name] for name in names]
