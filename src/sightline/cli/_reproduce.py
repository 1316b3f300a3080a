"""``sightline reproduce``: the experiment of a paper, run again and put beside its numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sightline.cli._console import Speech
from sightline.cli._folder import check_folder
from sightline.cli._options import AsJson, Quiet
from sightline.exceptions import ParameterError


def reproduce(
    experiment: Annotated[
        str,
        typer.Argument(
            help="Which experiment: ism, stumps, rules, setgen, metaknn, distilled_tree, "
            "distilled_tree_default, distilled_tree_synthetic or setgen_presets."
        ),
    ],
    data_dir: Annotated[Path, typer.Option(help="Folder with the data sets as ARFF files.")],
    out: Annotated[Path, typer.Option(help="Folder for tables, figures, the page and the results file.")],
    sets: Annotated[
        str | None, typer.Option(help="Names of some of its data sets, with commas between them.")
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Number of cross-validations instead of the paper's.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Folds at a time; -1 for as many as there are processors.")] = 1,
    quick: Annotated[
        bool, typer.Option("--quick", help="A few small data sets, one threefold cross-validation.")
    ] = False,
    results: Annotated[
        Path | None, typer.Option(help="Results file instead of <out>/<experiment>.sqlite.")
    ] = None,
    tables_only: Annotated[
        bool, typer.Option("--tables-only", help="Run nothing: write about what the results file holds.")
    ] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Run the experiment of a paper and put our numbers beside its own.

    Every result is stored when it is finished: whatever ends the run, the same command goes on from there.

    For example:

      sightline reproduce ism --data-dir datasets --out results --quick

      sightline reproduce ism --data-dir datasets --out results --jobs 2 --sets iris,glass
    """
    from sightline.lab import reproduce as run_again

    if jobs == 0:
        raise ParameterError("--jobs must be a number of processes, or -1 for all processors. Got 0.")
    check_folder(out)
    files = run_again(
        experiment,
        data_dir,
        out,
        sets=None if sets is None else [name.strip() for name in sets.split(",") if name.strip()],
        repeats=repeats,
        n_jobs=jobs,
        quick=quick,
        results=results,
        run_missing=not tables_only,
        show_progress=False if quiet or as_json else None,
    )
    speech = Speech(quiet, as_json)
    speech.tell("\n".join(str(path) for path in files))
    speech.hand_over({"experiment": experiment, "files": [str(path) for path in files]})
