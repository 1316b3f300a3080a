"""``sightline show``: a stored model as text or as a drawing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import sightline as sl
from sightline.cli._console import Speech
from sightline.cli._folder import check_file, write_file
from sightline.cli._model_file import read_any
from sightline.cli._options import AsJson, Model, Quiet
from sightline.exceptions import UnsupportedModelError


def show(
    model: Model,
    svg: Annotated[Path | None, typer.Option("--svg", help="A drawing to write besides.")] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Print a stored model as text, or draw it.

    For example:

      sightline show model.json

      sightline show model.json --svg tree.svg --quiet
    """
    from sightline.show import to_svg

    speech = Speech(quiet, as_json)
    if svg is not None:
        check_file(svg)
    shown = read_any(model)
    if svg is not None:
        if not isinstance(shown, sl.Tree | sl.Graph):
            raise UnsupportedModelError(f"{model}: only trees and graphs are drawn: leave --svg out.")
        write_file(svg, to_svg(shown))
    speech.tell(shown.to_text())
    speech.hand_over({"kind": type(shown).__name__, "size": shown.size_, "columns": shown.schema.names})
