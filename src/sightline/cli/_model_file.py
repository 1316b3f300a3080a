"""Models that the command reads from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sightline as sl
from sightline.exceptions import UnsupportedModelError


def read_any(path: Path) -> Any:
    """Read a model: a tree, graph, rule set or ensemble."""
    return sl.read_model(path)


def read_ensemble(path: Path, allow_pickle: bool = False) -> sl.Ensemble:
    """Read a model of ours or of another library that must be a classifier of trees."""
    ensemble = sl.load(path, allow_pickle=allow_pickle)
    if ensemble.classes_ is None:
        raise UnsupportedModelError(f"{path}: this is a regression: a classifier is needed.")
    return ensemble
