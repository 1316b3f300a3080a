"""``sightline report``: the page about a stored model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import sightline as sl
from sightline.cli._console import Speech
from sightline.cli._folder import check_file
from sightline.cli._model_file import read_any, read_ensemble
from sightline.cli._options import AsJson, Data, MaxSeconds, Model, Quiet, Target


def report(
    model: Model,
    data: Data,
    target: Target,
    ensemble: Annotated[
        Path | None, typer.Option("--ensemble", "-e", help="The ensemble that the model stands for.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path("report.html"),
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    max_seconds: MaxSeconds = 20.0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Write the page about a stored model, judged by rows that it has not seen.

    For example:

      sightline report model.json --data test.csv --target default

      sightline report model.json --data test.csv --target default --ensemble ensemble.json --out page.html
    """
    from sightline.cli._data import known_columns, read_labelled

    speech = Speech(quiet, as_json)
    check_file(out)
    shown = read_any(model)
    teacher = None if ensemble is None else read_ensemble(ensemble)
    rows, left_out = known_columns(data, read_labelled(data, target)[0], shown.schema)
    with speech.steps(3) as step:
        found = sl.report(
            shown,
            rows.X,
            rows.y,
            out,
            ensemble=teacher,
            title=title,
            max_seconds=max_seconds,
            progress=step,
        )
    for column in left_out:
        speech.tell(f"Left out the column {column}.")
    speech.tell(found.to_text())
    speech.tell(f"The report is {out}.")
    speech.hand_over({**found.metrics, "report": str(out)})
