"""``sightline certify``: prove that two models agree on every row, or find a row where they differ."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

import sightline as sl
from sightline.cli._model_file import ModelRequest, check_common_class, read_any, read_ensemble
from sightline.cli._options import AllowPickle, AsJson, FileOptions, MaxSeconds, Quiet
from sightline.cli._output import Output

ANSWER_IS_NO = 1


def certify(
    first: Annotated[Path, typer.Argument(help="Model to certify.")],
    second: Annotated[Path, typer.Argument(help="Model to compare it with.")],
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", "-d", help="Rows to check first; the share of them in proved leaves is reported."
        ),
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option(
            "--classes",
            help="Names for the second model's classes 0, 1, …, separated by commas.",
            show_default=False,
        ),
    ] = None,
    missing: Annotated[bool, typer.Option(help="Include rows with missing values in the proof.")] = True,
    max_seconds: MaxSeconds = 60.0,
    tolerance: Annotated[
        float | None,
        typer.Option("--tolerance", min=0, help="For regressors: largest difference to accept."),
    ] = None,
    allow_pickle: AllowPickle = False,
    file: FileOptions = FileOptions(),  # noqa: B008 - immutable
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Prove that two models always give the same label, or show a row where they differ.

    For regressors, find the largest difference over all rows, or prove that it is within --tolerance.

    The exit code is 0 if they are proved equal, otherwise 1.

    For example:

      sightline certify model.json ensemble.json

      sightline certify model.json ensemble.json --data loans.csv --no-missing --max-seconds 10

      sightline certify model.json xgboost.json --classes no,yes

      sightline certify tree.json prices.json --tolerance 500
    """
    from sightline.cli._data import read_rows, select_columns, unit_notes
    from sightline.cli._scale import scale_notes

    output = Output(quiet, as_json)
    model = read_any(ModelRequest(first, allow_pickle, data=data, file=file))
    request = ModelRequest(second, allow_pickle, classes, data=data, file=file)
    other = read_any(request) if classes is None else read_ensemble(request)
    check_common_class(first, model, second, other)
    rows: sl.Table | None = None
    notes: list[str] = []
    if data is not None:
        table, notes = read_rows(data, None, file, model.schema)
        rows, _, more = select_columns(data, table, model.schema)
        notes = [*notes, *more, *unit_notes(rows), *scale_notes([model, other], rows)]
    with output.steps(1) as step:
        step("searching for a proof")
        certificate = sl.certify(
            model, other, rows, max_seconds=max_seconds, missing=missing, tolerance=tolerance
        )
    for note in notes:
        output.note(note)
    output.print(certificate.to_text())
    output.print_json(json.loads(certificate.to_json()))
    if not certificate:
        raise typer.Exit(ANSWER_IS_NO)
