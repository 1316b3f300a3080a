"""``sightline compare``: every method side by side on the user's own rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import sightline as sl
from sightline.cli._console import Speech
from sightline.cli._folder import check_file, write_file
from sightline.cli._options import AsJson, Data, Quiet
from sightline.exceptions import ParameterError


def compare(
    data: Data,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="The column to predict; the last of an ARFF file by default."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File for a page (HTML) with table and picture.")] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 10,
    repeats: Annotated[int, typer.Option(min=1, help="Number of cross-validations.")] = 1,
    jobs: Annotated[int, typer.Option(help="Folds at a time; -1 for as many as there are processors.")] = 1,
    methods: Annotated[
        str | None, typer.Option(help="Names of some of the methods, with semicolons between them.")
    ] = None,
    results: Annotated[
        Path | None, typer.Option(help="Results file from which an interrupted comparison goes on.")
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Put every method side by side: accuracy, fidelity to the ensemble, size and time.

    For example:

      sightline compare --data loans.csv --target repaid --out comparison.html --jobs 2
    """
    from sightline.cli._data import check_classes, read_labelled, told_of_unlabelled

    if jobs == 0:
        raise ParameterError("--jobs must be a number of processes, or -1 for all processors. Got 0.")
    if out is not None:
        check_file(out)
    table, n_unlabelled, remarks = read_labelled(data, target)
    check_classes(table, str(data))
    chosen = None if methods is None else [name.strip() for name in methods.split(";") if name.strip()]
    found = sl.compare(
        table,
        methods=chosen,
        n_folds=folds,
        n_repeats=repeats,
        n_jobs=jobs,
        results=results,
        show_progress=False if quiet or as_json else None,
    )
    speech = Speech(quiet, as_json)
    speech.tell(found.to_text())
    for remark in [*told_of_unlabelled(n_unlabelled), *remarks]:
        speech.tell(remark)
    speech.hand_over(found.to_dict())
    # Last, so that a disk without room for the page does not cost what was found.
    if out is not None:
        write_file(out, found.to_html())
