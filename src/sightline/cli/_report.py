"""``sightline report``: the report page of a stored model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import sightline as sl
from sightline.cli._audit import audit_trail
from sightline.cli._folder import check_new_page
from sightline.cli._model_file import ModelRequest, check_common_class, model_task, read_any, read_teacher
from sightline.cli._options import (
    AllowPickle,
    AsJson,
    Classes,
    Data,
    FileOptions,
    Force,
    Model,
    Positive,
    Quiet,
    Rows,
    Target,
    Weight,
    rows_shown,
)
from sightline.cli._output import Output, notes_on_page


def report(
    model: Model,
    data: Data,
    target: Target,
    ensemble: Annotated[
        Path | None, typer.Option("--ensemble", "-e", help="Ensemble that the model replaces.")
    ] = None,
    classes: Classes = None,
    positive: Positive = None,
    weight: Weight = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="HTML page to write.")] = Path("report.html"),
    force: Force = False,
    rows: Rows = None,
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    max_seconds: Annotated[
        float, typer.Option("--max-seconds", help="Time limit for the proof, in seconds.")
    ] = 20.0,
    allow_pickle: AllowPickle = False,
    file: FileOptions = FileOptions(),  # noqa: B008 - immutable
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Write the report page of a stored model, measured on rows that it has not seen.

    For example:

      sightline report model.json --data test.csv --target default

      sightline report model.json --data test.csv --target default --ensemble ensemble.json

      sightline report model.json --data test.csv --target claim_rate --weight exposure
    """
    from dataclasses import replace

    from sightline.cli._data import read_for_model, select_columns, unit_notes
    from sightline.cli._scale import scale_notes

    output = Output(quiet, as_json)
    shown_rows = rows_shown(rows)
    check_new_page(out, "--out", force)
    shown = read_any(ModelRequest(model, allow_pickle, data=data, file=file))
    teacher = None
    if ensemble is not None:
        teacher = read_teacher(ModelRequest(ensemble, allow_pickle, classes, positive, data, file))
        check_common_class(model, shown, ensemble, teacher)
    known = None if isinstance(shown, sl.BlackBox) else shown.classes_
    read = read_for_model(data, target, file, shown.schema, model_task(shown), weight=weight, classes=known)
    chosen, dropped, more = select_columns(data, read.table, shown.schema)
    notes = [
        *replace(read, dropped=dropped).notes,
        *more,
        *unit_notes(chosen),
        *scale_notes([shown, teacher], chosen),
    ]
    with output.steps(3) as step, notes_on_page():
        result = sl.report(
            shown,
            chosen.X,
            chosen.y,
            out,
            ensemble=teacher,
            title=title,
            notes={"Audit trail": audit_trail(data=data, model=model, ensemble=ensemble)},
            rows=shown_rows,
            target=chosen.target_name,
            sample_weight=chosen.weight_column,
            positive=None if teacher is not None else _known(positive, shown),
            max_seconds=max_seconds,
            progress=step,
        )
    for note in notes:
        if note not in result.evidence.row_notes:
            output.note(note)
    output.print(result.to_text())
    output.print(f"Wrote {out}.")
    output.print_json({**result.metrics, "report": str(out)})


def _known(positive: str | None, model: Any) -> Any:
    """Return the class that the user names, as the model knows it."""
    known = [] if positive is None or model.classes_ is None else model.classes_.tolist()
    return next((label for label in known if str(label) == positive), positive)
