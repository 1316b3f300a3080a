"""The ``sightline`` command: one file per verb. What a verb works with is loaded when it is called."""

from sightline.cli._process import main

__all__ = ["main"]
