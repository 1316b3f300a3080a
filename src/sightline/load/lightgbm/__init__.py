"""Models of LightGBM, fitted and in its files."""

from sightline.load.lightgbm import (
    _dump,  # noqa: F401 - importers register themselves
    _importer,  # noqa: F401
    _text,  # noqa: F401
)
