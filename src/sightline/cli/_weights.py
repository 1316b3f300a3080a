"""Weights of the rows: a column that --weight names."""

from __future__ import annotations

from pathlib import Path

from sightline.cli._model_file import list_some
from sightline.cli._task import is_number
from sightline.estimator import checked_weights
from sightline.exceptions import DataError, ParameterError
from sightline.table import NUMBER_NOUNS, Schema, Table


def with_weights(path: Path, table: Table, name: str | None, model: Schema | None = None) -> Table:
    """Return the table with a column as the weights of its rows, no longer as a feature.

    Parameters
    ----------
    path : Path
        The file, for messages.
    table : Table
        The rows.
    name : str or None
        The column; None leaves the table as it is.
    model : Schema, optional
        The columns of a given model.

    Raises
    ------
    ParameterError
        If there is no such column, or if it has another role.
    DataError
        If its values cannot be weights.
    """
    if name is None:
        return table
    if name == table.target_name:
        raise ParameterError(f"{path}: {name!r} cannot be both the target and the weight column.")
    if name not in table.names:
        raise ParameterError(
            f"{path}: there is no weight column {name!r}. The columns are {list_some(table.names)}."
        )
    if model is not None and name in [feature.name for feature in model.features if not feature.ignored]:
        raise ParameterError(
            f"{path}: the model uses the weight column {name!r} as a feature. Copy it to another column and "
            "take that one as the weights."
        )
    column = table[name]
    source = f"{path}: the weight column {name!r}"
    if column.feature.is_nominal or column.feature.kind:
        noun = "text" if column.feature.is_nominal else NUMBER_NOUNS[column.feature.kind]
        known = [value for value in column.to_list() if value is not None]
        shown = next((value for value in known if not is_number(value)), known[0])
        raise DataError(f"{source} holds {noun} such as {shown!r}. Weights must be numbers.")
    checked_weights(column, table.n_rows, source)
    return table.with_weights(name)
