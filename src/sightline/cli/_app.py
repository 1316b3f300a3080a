"""The command: its verbs, its exit codes, and how errors are printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer
from rich.console import Console
from typer.core import TyperCommand, TyperGroup

import sightline
from sightline.cli._certify import certify
from sightline.cli._compare import compare
from sightline.cli._demo import demo
from sightline.cli._distill import distill
from sightline.cli._explain import explain
from sightline.cli._export import export
from sightline.cli._merge import merge
from sightline.cli._options import with_options
from sightline.cli._process import INTERRUPTED
from sightline.cli._report import report
from sightline.cli._reproduce import reproduce
from sightline.cli._show import show
from sightline.exceptions import SightlineError
from sightline.wording import printable

DONE = 0
BAD_INPUT = 2
CLOSED_PIPE = 141
"""Exit code that a shell reports for a process ended by SIGPIPE."""

# Typer ships its own click or uses the installed one; this is the base class of usage errors in both.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]


class _PlainFlags:
    """Hide the type of flags in the help: they take no value."""

    def get_params(self, ctx: Any) -> list[Any]:
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
        return params


class _Command(_PlainFlags, TyperCommand):
    pass


class _Group(_PlainFlags, TyperGroup):
    pass


app = typer.Typer(
    cls=_Group,
    help="Replace a tree ensemble with something you can read: one tree, a graph, rules, stumps or cases.",
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


for verb in (demo, distill, report, explain, certify, merge, show, export, compare, reproduce):
    app.command(cls=_Command)(with_options(verb))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; bad input prints one line on stderr.

    Parameters
    ----------
    arguments : sequence of str, optional
        Verb and options; by default those of the process.

    Returns
    -------
    int
        0 done, 1 the answer is no, 2 bad input, 130 interrupted, 141 closed pipe.
    """
    try:
        code = app(arguments, prog_name="sightline", standalone_mode=False)
    except (SightlineError, OSError) as error:
        return _refuse(str(error))
    except _UsageError as error:
        return _refuse(_usage_text(error))
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except SystemExit as end:
        # Rich exits with 1 on a closed pipe; shell completion exits with 0.
        code = CLOSED_PIPE if end.code == 1 else end.code
    if code == INTERRUPTED:
        _refuse("interrupted")
    return code if isinstance(code, int) else DONE


def _refuse(text: str) -> int:
    line = printable(" ".join(text.split()))
    if "sl.load(" in line:
        line += " Do this in Python and save the result with to_json(); this command reads that file."
    Console(stderr=True).print(f"sightline: {line}", markup=False, highlight=False, soft_wrap=True)
    return BAD_INPUT


def _usage_text(error: Exception) -> str:
    """Return what is wrong with an option, and which help page describes it."""
    message: str = getattr(error, "format_message", lambda: str(error))()
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "sightline"
    sentence = (message or "No command was given.").rstrip(".")
    return f"{sentence}. See {command} --help."
