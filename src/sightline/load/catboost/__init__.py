"""Models of CatBoost, fitted and in its files."""

from sightline.load.catboost import (
    _binary,  # noqa: F401 - importers register themselves
    _importer,  # noqa: F401
)
