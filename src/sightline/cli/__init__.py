"""The ``sightline`` command: one file per verb."""

from sightline.cli._app import main

__all__ = ["main"]
