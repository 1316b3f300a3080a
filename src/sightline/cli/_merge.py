"""``sightline merge``: the single tree or graph with exactly an ensemble's labels or numbers."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import sightline as sl
from sightline.cli._folder import check_file
from sightline.cli._model_file import ModelRequest, read_ensemble
from sightline.cli._options import (
    AllowPickle,
    AsJson,
    Classes,
    FileOptions,
    MaxSeconds,
    Model,
    Positive,
    Quiet,
)
from sightline.cli._output import Output
from sightline.wording import number_text, pluralize


class Effort(StrEnum):
    """How long to search for a small result."""

    QUICK = "quick"
    SMALLEST = "smallest"


class Weigh(StrEnum):
    """What to make small."""

    SIZE = "size"
    ROWS = "rows"


class Shape(StrEnum):
    """What an ensemble is merged into."""

    TREE = "tree"
    GRAPH = "graph"


def merge(
    model: Model,
    out: Annotated[Path, typer.Option("--out", "-o", help="Model file to write.")] = Path("merged.json"),
    to: Annotated[Shape, typer.Option(help="A graph stores equal subtrees once.")] = Shape.TREE,
    classes: Classes = None,
    positive: Positive = None,
    missing: Annotated[bool, typer.Option(help="Cover rows with missing values.")] = True,
    max_nodes: Annotated[int, typer.Option(min=1, help="Maximum number of nodes.")] = 1_000_000,
    max_seconds: MaxSeconds = 60.0,
    tolerance: Annotated[
        float | None,
        typer.Option("--tolerance", min=0, help="For regressors: largest error to allow."),
    ] = None,
    effort: Annotated[
        Effort, typer.Option(help="smallest: search for the smallest result for --max-seconds. Classes only.")
    ] = Effort.QUICK,
    weigh: Annotated[
        Weigh,
        typer.Option(help="What --effort smallest minimizes: size, or tests per row of --data."),
    ] = Weigh.SIZE,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", "-d", help="Rows to count at the nodes; regions with the most rows are proved first."
        ),
    ] = None,
    allow_pickle: AllowPickle = False,
    file: FileOptions = FileOptions(),  # noqa: B008 - immutable
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Merge an ensemble into one tree or graph that gives every row the same label or number.

    For example:

      sightline merge ensemble.json --no-missing --out merged.json

      sightline merge ensemble.json --to graph --max-seconds 20

      sightline merge prices.json --tolerance 500

      sightline merge ensemble.json --effort smallest --max-seconds 5
    """
    from sightline.cli._data import read_rows, select_columns, unit_notes

    output = Output(quiet, as_json)
    check_file(out, "--out")
    ensemble = read_ensemble(ModelRequest(model, allow_pickle, classes, positive, data, file))
    rows: sl.Table | None = None
    if data is not None:
        table, notes = read_rows(data, None, file, ensemble.schema)
        rows, _, more = select_columns(data, table, ensemble.schema)
        for note in [*notes, *more, *unit_notes(rows)]:
            output.note(note)
    with output.steps(1) as step:
        step("merging")
        merged = sl.merge(
            ensemble,
            to=to.value,
            missing=missing,
            max_nodes=max_nodes,
            max_seconds=max_seconds,
            tolerance=tolerance,
            effort=effort.value,
            weigh=weigh.value,
            X=rows,
        )
    merged.to_json(out)
    trees, nodes = pluralize(ensemble.n_trees, "tree"), pluralize(merged.n_nodes, "node")
    output.print(f"Merged {trees} into one {to.value} of {nodes}.")
    if merged.complete:
        covered = "possible row" if missing else "row without missing values"
        output.print(f"Proved: it gives {_answer(ensemble, tolerance)} for every {covered}.")
    else:
        what = "number" if ensemble.classes_ is None else "label"
        output.print(
            f"Not finished within the budget: some rows may get a different {what} than from the ensemble."
        )
        output.print("Try a larger --max-seconds or --max-nodes, --no-missing, or --to graph.")
    proof = merged.proof
    assert proof is not None
    if proof.cost is not None and proof.lower_bound is not None:
        output.print(_size_proof(proof.optimal, proof.cost, proof.lower_bound, to, weigh))
    output.print(f"Wrote {out}.")
    output.print_json(
        {
            "complete": merged.complete,
            "size": merged.size_,
            "optimal": merged.optimal,
            "cost": proof.cost,
            "lower_bound": proof.lower_bound,
            "model": str(out),
        }
    )


def _size_proof(optimal: bool, cost: float, lower_bound: float, to: Shape, weigh: Weigh) -> str:
    unit = "tests per row" if weigh == Weigh.ROWS else "leaves" if to == Shape.TREE else "nodes"
    if optimal:
        return f"Proved: no equal {to.value} with these tests has fewer {unit}."
    least, found = number_text(lower_bound, 4), number_text(cost, 4)
    return f"The smallest {to.value} found has {found} {unit}; every equal one has at least {least}."


def _answer(ensemble: sl.Ensemble, tolerance: float | None) -> str:
    if ensemble.classes_ is not None:
        return "the ensemble's label"
    within = "" if not tolerance else f" within {number_text(tolerance)}"
    return f"the ensemble's number{within}"
