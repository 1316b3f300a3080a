"""``sightline reproduce``: rerun a paper's experiment and print its numbers beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sightline.cli._folder import check_folder
from sightline.cli._options import AsJson, Processes, Quiet, check_jobs
from sightline.cli._output import Output


def reproduce(
    experiment: Annotated[
        str,
        typer.Argument(
            help="Which experiment: ism, stumps, rules, setgen, metaknn, black_box, distilled_graph, "
            "distilled_tree, few_rules, regression, setgen_presets or setgen_searches."
        ),
    ],
    data_dir: Annotated[Path, typer.Option(help="Folder with the data sets as ARFF files.")],
    out: Annotated[Path, typer.Option(help="Folder for tables, figures, the page and the results file.")],
    sets: Annotated[
        str | None, typer.Option(help="Data sets to use, separated by commas; by default all.")
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="Number of cross-validation runs; by default the paper's.")
    ] = None,
    jobs: Processes = 1,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Run only a few small data sets, with one threefold cross-validation."),
    ] = False,
    results: Annotated[
        Path | None, typer.Option(help="Results file; by default <out>/<experiment>.sqlite.")
    ] = None,
    tables_only: Annotated[
        bool, typer.Option("--tables-only", help="Run nothing; only write tables from the results file.")
    ] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Rerun a paper's experiment and compare our numbers with the published ones.

    Every result is stored as soon as it is finished. Rerun the same command to resume.

    For example:

      sightline reproduce ism --data-dir datasets --out results --quick

      sightline reproduce ism --data-dir datasets --out results --jobs 2 --sets iris,glass
    """
    from sightline.lab import reproduce as rerun

    check_jobs(jobs)
    check_folder(out, "--out")
    files = rerun(
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
    output = Output(quiet, as_json)
    output.print("\n".join(str(path) for path in files))
    output.print_json({"experiment": experiment, "files": [str(path) for path in files]})
