"""``sightline merge``: the one tree or graph with exactly an ensemble's labels."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import sightline as sl
from sightline.cli._console import Speech
from sightline.cli._folder import check_file
from sightline.cli._model_file import read_ensemble
from sightline.cli._options import AsJson, MaxSeconds, Model, Quiet


class Shape(StrEnum):
    """What an ensemble is merged into."""

    TREE = "tree"
    GRAPH = "graph"


def merge(
    model: Model,
    out: Annotated[Path, typer.Option("--out", "-o", help="The model to write.")] = Path("merged.json"),
    to: Annotated[Shape, typer.Option(help="A graph holds equal subtrees once.")] = Shape.TREE,
    missing: Annotated[bool, typer.Option(help="Whether values may be missing in the rows covered.")] = True,
    max_nodes: Annotated[int, typer.Option(min=1, help="How large it may grow.")] = 1_000_000,
    max_seconds: MaxSeconds = 60.0,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Merge an ensemble into the one tree or graph that gives the same label for every row.

    For example:

      sightline merge ensemble.json --no-missing --out merged.json

      sightline merge ensemble.json --to graph --max-seconds 20
    """
    speech = Speech(quiet, as_json)
    check_file(out)
    ensemble = read_ensemble(model)
    with speech.steps(1) as step:
        step("merging")
        merged = sl.merge(
            ensemble, to=to.value, missing=missing, max_nodes=max_nodes, max_seconds=max_seconds
        )
    merged.to_json(out)
    proved = "proved for every row covered"
    if not merged.complete:
        proved = "not finished within the budget: it gives the ensemble's label for most rows, not for all"
    trees = "1 tree" if ensemble.n_trees == 1 else f"{ensemble.n_trees:,} trees"
    speech.tell(f"{trees} in one {to.value} of {merged.n_nodes:,} nodes; {proved}.")
    if not merged.complete:
        speech.tell("More --max-seconds or --max-nodes, --no-missing or --to graph may finish it.")
    speech.tell(f"The model is {out}.")
    speech.hand_over({"complete": merged.complete, "size": merged.size_, "model": str(out)})
