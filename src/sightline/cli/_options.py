"""Options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sightline.exceptions import ParameterError

Data = Annotated[
    Path, typer.Option("--data", "-d", help="Table of rows: CSV, ARFF, Parquet or Feather, gzipped or not.")
]
Target = Annotated[str, typer.Option("--target", "-t", help="Column to predict.")]
Model = Annotated[
    Path, typer.Argument(help="Model file: sightline's JSON, or one of XGBoost, LightGBM or CatBoost.")
]
AllowPickle = Annotated[
    bool, typer.Option("--allow-pickle", help="Also open pickles. This runs any code they contain.")
]
Classes = Annotated[
    str | None,
    typer.Option(
        "--classes",
        help="Names for the ensemble's classes 0, 1, …, separated by commas.",
        show_default=False,
    ),
]
Positive = Annotated[
    str | None,
    typer.Option("--positive", help="The class that matters, such as default.", show_default=False),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed for all random choices.", min=0)]
Jobs = Annotated[int, typer.Option("--jobs", help="Number of threads; -1 uses all processors.")]
Processes = Annotated[
    int, typer.Option("--jobs", help="Number of folds to run in parallel; -1 uses all processors.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
MaxSeconds = Annotated[float, typer.Option("--max-seconds", help="Time limit for the search, in seconds.")]


def check_jobs(jobs: int) -> None:
    """Raise if --jobs is zero."""
    if jobs == 0:
        raise ParameterError("--jobs must be a number of processes, or -1 for all processors. Got 0.")
