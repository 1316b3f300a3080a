"""``sightline compare``: every method side by side on the user's own rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import sightline as sl
from sightline.cli._folder import check_new_page
from sightline.cli._model_file import ModelRequest, read_teacher
from sightline.cli._options import (
    AllowPickle,
    AsJson,
    Classes,
    ColumnOptions,
    Data,
    FileOptions,
    Force,
    Positive,
    Processes,
    Quiet,
    Weight,
    check_jobs,
)
from sightline.cli._output import Output
from sightline.cli._tree_options import TreeOptions
from sightline.files import atomic_write

_GIVEN = "The model was not retrained: it looks better than it is on its own training rows."


def compare(
    data: Data,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Column to predict; by default the last one of an ARFF file."),
    ] = None,
    weight: Weight = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            "-m",
            help="Ensemble to imitate; by default one is learned in every fold.",
        ),
    ] = None,
    allow_pickle: AllowPickle = False,
    classes: Classes = None,
    positive: Positive = None,
    out: Annotated[Path | None, typer.Option(help="HTML page to write, with table and chart.")] = None,
    force: Force = False,
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
    tree: TreeOptions = TreeOptions(),  # noqa: B008
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Compare every method on your rows: accuracy, fidelity to the ensemble, size and time.

    For a numeric target, it reports R² and the mean absolute error instead of accuracy; see --task.

    For example:

      sightline compare --data loans.csv --target default --out comparison.html --jobs 2

      sightline compare --data loans.csv --target default --model xgboost.json

      sightline compare --data loans.csv --target default --min-leaf 1% --exclude age

      sightline compare --data policies.csv --target claim_rate --weight exposure
    """
    from sightline.cli._data import prepare_rows

    check_jobs(jobs)
    if out is not None:
        check_new_page(out, "--out", force)
    ensemble = None
    if model is not None:
        ensemble = read_teacher(ModelRequest(model, allow_pickle, classes, positive, data, file))
    rows = prepare_rows(data, target, ensemble, file, columns, weight=weight)
    notes = [*rows.notes, *([] if ensemble is None else [_GIVEN])]
    chosen = None if methods is None else [name.strip() for name in methods.split(";") if name.strip()]
    comparison = sl.compare(
        rows.table,
        ensemble=ensemble,
        methods=chosen,
        options=tree.parameters(_classes(rows.table)),
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
    # Written last: a full disk must not lose the results printed above.
    if out is not None:
        atomic_write(out, comparison.to_html())


def _classes(table: sl.Table) -> list[Any] | None:
    """Return the classes of a target, or None if it holds numbers."""
    return table.y.classes_.tolist() if isinstance(table.y, sl.Labels) else None
