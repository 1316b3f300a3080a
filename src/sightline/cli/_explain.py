"""``sightline explain``: why a model gives a row its label."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import sightline as sl
from sightline.cli._model_file import list_some, read_any, read_teacher
from sightline.cli._options import AllowPickle, AsJson, Classes, FileOptions, Model, Positive, Quiet
from sightline.cli._output import Output
from sightline.exceptions import DataError, ParameterError


def explain(
    model: Model,
    values: Annotated[
        list[str] | None, typer.Argument(help="The row as name=value; columns left out are missing.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", "-d", help="Table that holds the row, in any format that distill takes."),
    ] = None,
    row: Annotated[int, typer.Option("--row", "-r", min=0, help="Row number in --data, starting at 0.")] = 0,
    ensemble: Annotated[
        Path | None, typer.Option("--ensemble", "-e", help="Also show what this ensemble predicts.")
    ] = None,
    classes: Classes = None,
    positive: Positive = None,
    allow_pickle: AllowPickle = False,
    file: FileOptions = FileOptions(),  # noqa: B008 - immutable
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Explain in plain sentences why a model gives one row its label.

    For example:

      sightline explain model.json age=25 income=1800 purpose=car

      sightline explain model.json --data loans.csv --row 17 --ensemble ensemble.json
    """
    output = Output(quiet, as_json)
    known = read_any(model, allow_pickle)
    if (data is None) == (not values):
        raise ParameterError("Give the row either as name=value arguments or with --data and --row.")
    cells, notes = (_row_of(known, values), []) if values else _row_of_file(known, data, row, file)
    options: dict[str, Any] = {}
    if ensemble is not None:
        if not isinstance(known, sl.Tree | sl.Graph):
            raise ParameterError("--ensemble works only for trees and graphs.")
        options["ensemble"] = read_teacher(ensemble, allow_pickle, classes, positive)
    text = str(known.explain(cells, **options))
    for note in notes:
        output.note(note)
    output.print(text)
    output.print_json({"row": cells, "explanation": text.splitlines()})


def _row_of(model: Any, values: list[str]) -> dict[str, Any]:
    features = {feature.name: feature for feature in model.schema.features}
    row: dict[str, Any] = dict.fromkeys(features)
    for pair in values:
        name, separator, text = pair.partition("=")
        if not separator:
            raise ParameterError(f"{pair!r} is not of the form name=value.")
        if name not in features:
            raise DataError(f"The model has no column {name!r}. Its columns are {list_some(list(features))}.")
        row[name] = _cell(features[name], text)
    return row


def _cell(feature: Any, text: str) -> Any:
    if feature.categories is not None:
        named = {str(value): value for value in feature.categories}
        return named.get(text, text)
    if feature.kind and feature.kind != "duration":
        return text or None
    try:
        return None if text == "" else float(text)
    except ValueError:
        raise DataError(
            f"Column {feature.name!r} is numeric. Write a number such as 1234.5. Got {text!r} instead."
        ) from None


def _row_of_file(
    model: Any, data: Path | None, row: int, file: FileOptions
) -> tuple[dict[str, Any], list[str]]:
    from sightline.cli._data import names_in_order, read_rows

    assert data is not None
    table, notes = read_rows(data, None, file, model.schema)
    if row >= table.n_rows:
        raise ParameterError(f"{data}: there is no row {row}. The last row is {table.n_rows - 1}.")
    cells: dict[str, Any] = table[row]
    if table.target_name is not None and table.y is not None:
        cells[table.target_name] = table.y[row]
    return {name: cells[name] for name in names_in_order(data, list(cells), model.schema)}, notes
