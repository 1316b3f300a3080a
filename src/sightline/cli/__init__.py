"""The ``sightline`` command: one file per verb. A verb imports what it needs when it is called."""

from sightline.cli._process import main

__all__ = ["main"]
