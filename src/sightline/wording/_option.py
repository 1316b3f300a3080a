"""Options of the command, as a shell takes them."""

from __future__ import annotations

import shlex

__all__ = ["option_text"]


def option_text(option: str, value: str) -> str:
    """Write an option with its value, in quotes if the shell needs them.

    Examples
    --------
    >>> print(option_text("--drop", "age"), option_text("--drop", "the outcome"), option_text("--drop", "-x"))
    --drop age --drop 'the outcome' --drop=-x
    """
    # A value that begins with a dash would be another option.
    return f"{option}{'=' if value.startswith('-') else ' '}{shlex.quote(value)}"
