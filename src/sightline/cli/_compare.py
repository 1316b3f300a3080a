"""``sightline compare``: every method side by side on the user's own rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import sightline as sl
from sightline.cli._folder import check_file
from sightline.cli._options import AsJson, ColumnOptions, Data, FileOptions, Processes, Quiet, check_jobs
from sightline.cli._output import Output
from sightline.files import atomic_write


def compare(
    data: Data,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Column to predict; by default the last one of an ARFF file."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="HTML page to write, with table and chart.")] = None,
    folds: Annotated[int, typer.Option(min=2, help="Number of cross-validation folds.")] = 10,
    repeats: Annotated[int, typer.Option(min=1, help="Number of cross-validation runs.")] = 1,
    jobs: Processes = 1,
    methods: Annotated[
        str | None, typer.Option(help="Methods to compare, separated by semicolons; by default all.")
    ] = None,
    results: Annotated[
        Path | None, typer.Option(help="Results file; an interrupted comparison resumes from it.")
    ] = None,
    file: FileOptions = FileOptions(),  # noqa: B008 - immutable
    columns: ColumnOptions = ColumnOptions(),  # noqa: B008
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Compare every method on your rows: accuracy, fidelity to the ensemble, size and time.

    For example:

      sightline compare --data loans.csv --target default --out comparison.html --jobs 2
    """
    from sightline.cli._column_choice import check_target, chosen_columns
    from sightline.cli._data import are_classes, dropped_notes, read_labeled, unlabeled_notes

    check_jobs(jobs)
    if out is not None:
        check_file(out, "--out")
    table, n_unlabeled, remarks = read_labeled(data, target, file, columns)
    check_target(table, str(data), are_classes(columns, table.target_name))
    table, dropped, more = chosen_columns(data, table, columns, n_unlabeled)
    notes = [*unlabeled_notes(n_unlabeled), *dropped_notes(dropped), *remarks, *more]
    chosen = None if methods is None else [name.strip() for name in methods.split(";") if name.strip()]
    comparison = sl.compare(
        table,
        methods=chosen,
        n_folds=folds,
        n_repeats=repeats,
        n_jobs=jobs,
        results=results,
        show_progress=False if quiet or as_json else None,
    )
    output = Output(quiet, as_json)
    output.print(comparison.to_text())
    for note in notes:
        output.note(note)
    output.print_json(comparison.to_dict())
    # Last, so that a full disk does not cost the results printed above.
    if out is not None:
        atomic_write(out, comparison.to_html())
