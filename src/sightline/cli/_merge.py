"""``sightline merge``: the single tree or graph with exactly an ensemble's labels or numbers."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import sightline as sl
from sightline.cli._folder import check_file
from sightline.cli._model_file import read_ensemble
from sightline.cli._options import AllowPickle, AsJson, Classes, MaxSeconds, Model, Positive, Quiet
from sightline.cli._output import Output
from sightline.wording import number_text, pluralize


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
        typer.Option("--tolerance", min=0, help="For regressors: how far the result may be off."),
    ] = None,
    allow_pickle: AllowPickle = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Merge an ensemble into one tree or graph that gives every row the same label or number.

    For example:

      sightline merge ensemble.json --no-missing --out merged.json

      sightline merge ensemble.json --to graph --max-seconds 20

      sightline merge prices.json --tolerance 500
    """
    output = Output(quiet, as_json)
    check_file(out, "--out")
    ensemble = read_ensemble(model, allow_pickle, classes, positive)
    with output.steps(1) as step:
        step("merging")
        merged = sl.merge(
            ensemble,
            to=to.value,
            missing=missing,
            max_nodes=max_nodes,
            max_seconds=max_seconds,
            tolerance=tolerance,
        )
    merged.to_json(out)
    trees, nodes = pluralize(ensemble.n_trees, "tree"), pluralize(merged.n_nodes, "node")
    output.print(f"Merged {trees} into one {to.value} of {nodes}.")
    if merged.complete:
        covered = "possible row" if missing else "row without missing values"
        output.print(f"Proved: it gives {_answer(ensemble, tolerance)} for every {covered}.")
    else:
        what = "number" if ensemble.classes_ is None else "label"
        output.print(f"Not finished within the budget: some rows may get another {what} than the ensemble's.")
        output.print("Try a larger --max-seconds or --max-nodes, --no-missing, or --to graph.")
    output.print(f"Wrote {out}.")
    output.print_json({"complete": merged.complete, "size": merged.size_, "model": str(out)})


def _answer(ensemble: sl.Ensemble, tolerance: float | None) -> str:
    if ensemble.classes_ is not None:
        return "the ensemble's label"
    within = "" if not tolerance else f" within {number_text(tolerance)}"
    return f"the ensemble's number{within}"
