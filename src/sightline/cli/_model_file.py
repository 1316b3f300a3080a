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


def read_ensemble(path: Path, allow_pickle: bool = False) -> Ensemble:
    """Read a model of ours or of another library that must be a classifier of trees."""
    ensemble = load(path, allow_pickle=allow_pickle)
    if ensemble.classes_ is None:
        raise UnsupportedModelError(f"{path}: this is a regression: a classifier is needed.")
    return ensemble
