"""``sightline show``: a stored model as text or as a drawing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import sightline as sl
from sightline.cli._folder import check_file
from sightline.cli._model_file import ModelRequest, read_any
from sightline.cli._options import AllowPickle, AsJson, Model, Quiet
from sightline.cli._output import Output
from sightline.exceptions import UnsupportedModelError
from sightline.files import atomic_write


def show(
    model: Model,
    svg: Annotated[Path | None, typer.Option("--svg", help="Also draw the model to this SVG file.")] = None,
    allow_pickle: AllowPickle = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Print a stored model as text, or draw it.

    For example:

      sightline show model.json

      sightline show model.json --svg tree.svg --quiet
    """
    from sightline.show import to_svg

    output = Output(quiet, as_json)
    if svg is not None:
        check_file(svg, "--svg")
    shown = read_any(ModelRequest(model, allow_pickle))
    if svg is not None:
        if not isinstance(shown, sl.Tree | sl.Graph):
            raise UnsupportedModelError(f"{model}: only trees and graphs can be drawn. Leave out --svg.")
        atomic_write(svg, to_svg(shown))
    output.print(shown.to_text())
    output.print_json({"kind": type(shown).__name__, "size": shown.size_, "columns": shown.schema.names})
