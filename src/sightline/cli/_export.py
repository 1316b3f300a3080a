"""``sightline export``: a stored model for other programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

import sightline as sl
from sightline.cli._folder import check_file
from sightline.cli._options import AsJson, Quiet
from sightline.cli._output import Output
from sightline.exceptions import ParameterError


def export(
    model: Annotated[Path, typer.Argument(help="Model file in sightline's JSON.")],
    kind: Annotated[
        str, typer.Argument(help="sql, python, c, javascript, onnx, pmml, json, dot, svg or sklearn.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write; by default standard output.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(help="Option of the export, such as dialect=duckdb or missing=largest. Repeatable."),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Export a stored model so that other programs can run or draw it.

    For example:

      sightline export loans-report/model.json sql --option dialect=sqlite --option table=loans

      sightline export loans-report/model.json python --out loans.py
    """
    if out is not None:
        check_file(out, "--out")
    options = dict(_option(text) for text in option or ())
    content = sl.read_model(model).export(kind, out, **options)
    if out is None:
        if not isinstance(content, str):
            raise ParameterError(f"The {kind} export is not text. Name a file with --out.")
        sys.stdout.write(content)
        return
    output = Output(quiet, as_json)
    output.print(f"Wrote {out} ({kind}).")
    output.print_json({"kind": kind, "file": str(out)})


def _option(text: str) -> tuple[str, str | bool | None]:
    name, sign, value = text.partition("=")
    if not sign:
        raise ParameterError(f"Give options as name=value. Got {text!r} instead.")
    return name, {"true": True, "false": False, "none": None}.get(value.lower(), value)
