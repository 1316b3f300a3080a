"""``sightline distill``: a file of rows in, a folder with one readable model out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sightline.cli._console import Speech
from sightline.cli._folder import check_folder, write_folder
from sightline.cli._methods import MAX_LEAVES, MAX_RULES, MAX_STUMPS, Method, Shape, method_for
from sightline.cli._model_file import read_ensemble
from sightline.cli._options import AllowPickle, AsJson, Classes, Data, Jobs, Quiet, Seed, Target


def distill(
    data: Data,
    target: Target,
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", help="File of the ensemble to summarise; else one is learnt."),
    ] = None,
    allow_pickle: AllowPickle = False,
    classes: Classes = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder to write; else named after the data.")
    ] = None,
    to: Annotated[Shape, typer.Option(help="What to put in its place.")] = Shape.TREE,
    method: Annotated[Method | None, typer.Option(help="How it is found.", show_default="the best")] = None,
    max_leaves: Annotated[int, typer.Option(min=2, help="Most leaves of the tree.")] = MAX_LEAVES,
    max_rules: Annotated[int, typer.Option(min=1, help="Most rules of a rule set.")] = MAX_RULES,
    max_stumps: Annotated[int, typer.Option(min=1, help="Most stumps that vote.")] = MAX_STUMPS,
    test_share: Annotated[float, typer.Option(help="Share of the rows that is held out to judge by.")] = 0.25,
    trees: Annotated[int, typer.Option(min=1, help="Trees of an ensemble that is learnt.")] = 25,
    seed: Seed = 0,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Put one readable tree, graph, rule set, vote of stumps or case base in an ensemble's place.

    Writes report.html, model.json, ensemble.json, tree.txt, tree.svg and metrics.json.
    Methods are distilled, ism, cmm and merged for a tree, merged for a graph, voting for rules and stumps,
    nearest for cases.

    For example:

      sightline distill --data loans.csv --target default

      sightline distill --data loans.csv --target default --max-leaves 8 --out small

      sightline distill --data loans.csv --target default --to rules --max-rules 12

      sightline distill --data loans.csv --target default --to stumps --max-stumps 3

      sightline distill --data loans.csv --target default --model xgboost.json --json

      sightline distill --data loans.csv --target default --model xgboost.json --classes no,yes
    """
    from sightline.cli._data import read_split
    from sightline.cli._job import N_STEPS, Job

    speech = Speech(quiet, as_json)
    folder = out or Path(f"{data.name.split('.')[0]}-report")
    check_folder(folder)
    method_for(to, method)
    ensemble = None if model is None else read_ensemble(model, allow_pickle, classes)
    split = read_split(data, target, test_share, seed, ensemble)
    limits = {"max_leaves": max_leaves, "max_rules": max_rules, "max_stumps": max_stumps}
    job = Job(split, ensemble, to, method, n_trees=trees, seed=seed, n_jobs=jobs, **limits)
    with speech.steps(N_STEPS) as step:
        outcome = job.run(step)
        step("writing")
        write_folder(folder, outcome.files())
    speech.tell(split.sentence())
    speech.tell(outcome.text())
    speech.tell(f"report    {folder / 'report.html'}")
    speech.hand_over({**outcome.report.metrics, "folder": str(folder)})
