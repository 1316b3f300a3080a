"""Models that the command reads from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sightline.exceptions import UnsupportedModelError
from sightline.load import load
from sightline.model import Ensemble, read_model


def read_any(path: Path) -> Any:
    """Read a model: a tree, graph, rule set or ensemble."""
    return read_model(path)


def read_ensemble(path: Path) -> Ensemble:
    """Read a model that must be a classifier of trees."""
    ensemble = load(read_any(path))
    if ensemble.classes_ is None:
        raise UnsupportedModelError(f"{path}: this is a regression: a classifier is needed.")
    return ensemble
