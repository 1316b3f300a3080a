"""``sightline merge``: the single tree or graph with exactly an ensemble's labels."""

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
from sightline.wording import pluralize


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
    allow_pickle: AllowPickle = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Merge an ensemble into one tree or graph that gives every row the same label.

    For example:

      sightline merge ensemble.json --no-missing --out merged.json

      sightline merge ensemble.json --to graph --max-seconds 20
    """
    output = Output(quiet, as_json)
    check_file(out, "--out")
    ensemble = read_ensemble(model, allow_pickle, classes, positive)
    with output.steps(1) as step:
        step("merging")
        merged = sl.merge(
            ensemble, to=to.value, missing=missing, max_nodes=max_nodes, max_seconds=max_seconds
        )
    merged.to_json(out)
    trees, nodes = pluralize(ensemble.n_trees, "tree"), pluralize(merged.n_nodes, "node")
    output.print(f"Merged {trees} into one {to.value} of {nodes}.")
    if merged.complete:
        covered = "possible row" if missing else "row without missing values"
        output.print(f"Proved: it gives the ensemble's label for every {covered}.")
    else:
        output.print("Not finished within the budget: some rows may get another label than the ensemble's.")
        output.print("Try a larger --max-seconds or --max-nodes, --no-missing, or --to graph.")
    output.print(f"Wrote {out}.")
    output.print_json({"complete": merged.complete, "size": merged.size_, "model": str(out)})
