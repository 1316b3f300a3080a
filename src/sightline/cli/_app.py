"""The command as a whole: its verbs, its exit codes, and how errors reach a person."""

from __future__ import annotations

import sys

import typer
from rich.console import Console

import sightline
from sightline.cli._compare import compare
from sightline.cli._demo import demo
from sightline.cli._reproduce import reproduce
from sightline.exceptions import SightlineError

BAD_INPUT = 2
INTERRUPTED = 130

app = typer.Typer(
    help="Makes ensembles comprehensible: one tree, one graph, one rule set, a few stumps or cases.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        Console().print(f"sightline {sightline.__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", help="Show the version and exit.", callback=_show_version, is_eager=True
    ),
) -> None:
    pass


for verb in (demo, compare, reproduce):
    app.command()(verb)


def main() -> None:
    """Run the command; bad input ends in one line on stderr, never in a traceback."""
    try:
        app(standalone_mode=True)
    except (SightlineError, OSError) as error:
        Console(stderr=True).print(f"sightline: {error}", markup=False, highlight=False, soft_wrap=True)
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt:
        Console(stderr=True).print("sightline: interrupted", markup=False)
        sys.exit(INTERRUPTED)
