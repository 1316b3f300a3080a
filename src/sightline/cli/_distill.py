"""``sightline distill``: a table of rows in, a folder with one readable model out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sightline.cli._audit import audit_trail
from sightline.cli._folder import check_new_files, write_folder
from sightline.cli._model_file import ModelRequest, read_teacher
from sightline.cli._options import (
    AllowPickle,
    AsJson,
    Classes,
    ColumnOptions,
    Data,
    FileOptions,
    Force,
    Jobs,
    Positive,
    Quiet,
    Rows,
    Seed,
    Target,
    Weight,
    rows_shown,
)
from sightline.cli._output import Output
from sightline.cli._request import MAX_LEAVES, MAX_RULES, MAX_STUMPS, MethodName, Request, Shape
from sightline.cli._tree_options import TreeOptions


def distill(
    data: Data,
    target: Target,
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", help="Ensemble to replace; by default one is learned from the rows."),
    ] = None,
    allow_pickle: AllowPickle = False,
    classes: Classes = None,
    positive: Positive = None,
    weight: Weight = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder to write; by default named after the data.")
    ] = None,
    to: Annotated[Shape, typer.Option(help="What to replace the ensemble with.")] = Shape.TREE,
    method: Annotated[
        MethodName | None, typer.Option(help="Method; see the list above.", show_default=False)
    ] = None,
    max_leaves: Annotated[int, typer.Option(min=2, help="Maximum leaves of the tree.")] = MAX_LEAVES,
    max_rules: Annotated[int, typer.Option(min=1, help="Maximum rules of the rule set.")] = MAX_RULES,
    max_stumps: Annotated[int, typer.Option(min=1, help="Maximum number of stumps.")] = MAX_STUMPS,
    test_share: Annotated[float, typer.Option(help="Share of the rows to hold out for testing.")] = 0.25,
    trees: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Number of trees, if an ensemble is learned.",
            show_default="200 for a distilled tree, 25 for other methods, 100 for numbers",
        ),
    ] = None,
    file: FileOptions = FileOptions(),  # noqa: B008 - immutable
    columns: ColumnOptions = ColumnOptions(),  # noqa: B008
    tree: TreeOptions = TreeOptions(),  # noqa: B008
    rows_on_page: Rows = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint",
            help="Folder for the results of finished files; a rerun skips these files.",
            show_default=False,
        ),
    ] = None,
    force: Force = False,
    seed: Seed = 0,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Replace an ensemble with one readable model: tree, graph, rules, stumps or cases.

    Writes report.html, model.json, ensemble.json, tree.txt, tree.svg, metrics.json and held_out.csv.
    A numeric target makes it a regression; see --task.
    A pickled classifier without trees is queried as a black box and is not stored.
    Methods for a tree: distilled (the default), ism, cmm, merged. For a graph: merged.
    For rules and stumps: voting. For cases: nearest.

    For example:

      sightline distill --data loans.csv --target default

      sightline distill --data loans.csv --target default --max-leaves 8 --out small

      sightline distill --data loans.csv --target default --threshold 0.2 --exclude age

      sightline distill --data loans.csv --target default --cost yes:no=5 --monotone income=-1

      sightline distill --data policies.csv --target claim_rate --weight exposure

      sightline distill --data loans.csv --target default --to rules --max-rules 12

      sightline distill --data loans.csv --target default --to stumps --max-stumps 3

      sightline distill --data loans.csv --target default --model xgboost.json --json

      sightline distill --data loans.csv --target default --model xgboost.json --classes no,yes

      sightline distill --data loans.csv --target default --model network.pkl --allow-pickle

      sightline distill --data 'rows/*.parquet' --target default --model lightgbm.txt --checkpoint done
    """
    request = Request(to, method, max_leaves, max_rules, max_stumps, seed, jobs, tree)
    from sightline.cli._data import name_of, read_split
    from sightline.cli._job import N_STEPS, Job, file_names

    output = Output(quiet, as_json)
    folder = out or Path(f"{name_of(data)}-report")
    shown = rows_shown(rows_on_page)
    check_new_files(folder, "--out", file_names(request.shape), force)
    ensemble = None
    if model is not None:
        ensemble = read_teacher(ModelRequest(model, allow_pickle, classes, positive, data, file))
    rows = read_split(data, target, test_share, seed, ensemble, file, columns, checkpoint, weight)
    with output.steps(N_STEPS + (rows.parts is not None)) as step:
        # Nobody wants to wait for the digest of all parts.
        audit = audit_trail(seed, data=data if rows.parts is None else None, model=model)
        result = Job(rows, request, ensemble, trees, audit, shown, positive).run(step)
        step("writing files")
        write_folder(folder, result.files(), result.metrics)
    output.print(rows.text())
    for note in [*rows.notes, *request.notes(rows.train)]:
        output.note(note)
    output.print(result.text(str(folder / "report.html")))
    output.print_json({**result.metrics, "folder": str(folder)})
