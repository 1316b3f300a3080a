"""Options that several verbs have, described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[
    Path, typer.Option("--data", "-d", help="Rows: CSV, ARFF, Parquet or Feather, gzipped or not.")
]
OptionalData = Annotated[Path | None, typer.Option("--data", "-d", help="Rows to ask the models about.")]
Target = Annotated[str, typer.Option("--target", "-t", help="The column to predict.")]
Model = Annotated[Path, typer.Argument(help="A model in sightline's JSON, as distill and merge write it.")]
AllowPickle = Annotated[
    bool, typer.Option("--allow-pickle", help="Open pickles, too: this runs whatever code is in them.")
]
Classes = Annotated[
    str | None,
    typer.Option(
        "--classes",
        help="Names for the classes 0, 1, … of the model (certify: of the second) with commas between them.",
        show_default=False,
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Draws everything that is drawn.", min=0)]
Jobs = Annotated[int, typer.Option("--jobs", help="Threads to use; -1 for all.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
AsJson = Annotated[bool, typer.Option("--json", help="Say it as JSON, for machines.")]
MaxSeconds = Annotated[float, typer.Option("--max-seconds", help="How long a search may take.")]
