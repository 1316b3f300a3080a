"""``sightline certify``: proof that two models agree on every row, or a row on which they do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import sightline as sl
from sightline.cli._console import Speech
from sightline.cli._model_file import read_any
from sightline.cli._options import AsJson, MaxSeconds, OptionalData, Quiet

if TYPE_CHECKING:
    from sightline.table import Schema

ANSWER_IS_NO = 1


def certify(
    first: Annotated[Path, typer.Argument(help="The model to certify.")],
    second: Annotated[Path, typer.Argument(help="The model that it should equal.")],
    data: OptionalData = None,
    missing: Annotated[
        bool, typer.Option(help="Whether the proof covers rows with missing values, too.")
    ] = True,
    max_seconds: MaxSeconds = 60.0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Prove that two models give every possible row the same label, or show a row on which they differ.

    Ends with exit code 0 only if that is proved, with 1 if not.

    For example:

      sightline certify model.json ensemble.json

      sightline certify model.json ensemble.json --data loans.csv --no-missing --max-seconds 10
    """
    from sightline.cli._data import read_rows

    speech = Speech(quiet, as_json)
    model, other = read_any(first), read_any(second)
    rows = None if data is None else _columns_of(read_rows(data)[0], model.schema)
    with speech.steps(1) as step:
        step("looking for a proof")
        certificate = sl.certify(model, other, rows, max_seconds=max_seconds, missing=missing)
    speech.tell(certificate.to_text())
    speech.hand_over(json.loads(certificate.to_json()))
    if not certificate:
        raise typer.Exit(ANSWER_IS_NO)


def _columns_of(table: sl.Table, schema: Schema) -> sl.Table:
    """Leave out columns that the model does not know: the target is among them."""
    names = schema.called(table.names)
    known = [column for column in table.columns if column.name in names]
    return sl.Table(known or table.columns)
