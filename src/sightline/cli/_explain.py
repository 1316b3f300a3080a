"""``sightline explain``: why a model decides about a row as it does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import sightline as sl
from sightline.cli._console import Speech
from sightline.cli._model_file import read_any, read_ensemble
from sightline.cli._options import AsJson, Model, OptionalData, Quiet
from sightline.exceptions import DataError, ParameterError


def explain(
    model: Model,
    values: Annotated[
        list[str] | None, typer.Argument(help="The row as name=value; what is not named is missing.")
    ] = None,
    data: OptionalData = None,
    row: Annotated[int, typer.Option("--row", "-r", min=0, help="Which row; the first is 0.")] = 0,
    ensemble: Annotated[
        Path | None, typer.Option("--ensemble", "-e", help="An ensemble to ask for a second opinion.")
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Say in plain sentences how a model decides about one row.

    For example:

      sightline explain model.json age=25 income=1800 purpose=car

      sightline explain model.json --data loans.csv --row 17 --ensemble ensemble.json
    """
    speech = Speech(quiet, as_json)
    known = read_any(model)
    if (data is None) == (not values):
        raise ParameterError("Give a row either as name=value or by --data and --row.")
    asked = _row_of(known, values) if values else _row_of_file(known, data, row)
    options: dict[str, Any] = {}
    if ensemble is not None:
        if not isinstance(known, sl.Tree | sl.Graph):
            raise ParameterError("A second opinion by --ensemble is asked for trees and graphs only.")
        options["ensemble"] = read_ensemble(ensemble)
    text = known.explain(asked, **options)
    speech.tell(text)
    speech.hand_over({"row": asked, "explanation": text.splitlines()})


def _row_of(model: Any, values: list[str]) -> dict[str, Any]:
    features = {feature.name: feature for feature in model.schema.features}
    row: dict[str, Any] = dict.fromkeys(features)
    for pair in values:
        name, separator, text = pair.partition("=")
        if not separator:
            raise ParameterError(f"{pair!r} is not of the form name=value.")
        if name not in features:
            listed = ", ".join(repr(known) for known in list(features)[:10])
            raise DataError(f"The model knows no column {name!r}; its columns are {listed}.")
        row[name] = _cell(features[name], text)
    return row


def _cell(feature: Any, text: str) -> Any:
    if feature.categories is not None:
        named = {str(value): value for value in feature.categories}
        return named.get(text, text)
    try:
        return None if text == "" else float(text)
    except ValueError:
        raise DataError(f"Column {feature.name!r} holds numbers. Got {text!r} instead.") from None


def _row_of_file(model: Any, data: Path | None, row: int) -> dict[str, Any]:
    from sightline.cli._data import read_rows

    assert data is not None
    table, _ = read_rows(data)
    if row >= table.n_rows:
        raise ParameterError(f"{data}: there is no row {row}; the last one is {table.n_rows - 1}.")
    cells: dict[str, Any] = table[row]
    if table.target_name is not None and table.y is not None:
        cells[table.target_name] = table.y[row]
    names = model.schema.called(list(cells))
    absent = [name for name in names if name not in cells]
    if absent:
        raise DataError(f"{data}: there is no column {absent[0]!r}, which the model needs.")
    return {name: cells[name] for name in names}
