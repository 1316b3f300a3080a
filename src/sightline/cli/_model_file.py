"""Models that the command reads from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sightline as sl
from sightline.exceptions import ModelFormatError, ParameterError, UnsupportedModelError


def read_any(path: Path) -> Any:
    """Read a model of ours of whatever kind, or one of another library as an ensemble."""
    try:
        return sl.read_model(path)
    except ModelFormatError:
        return read_ensemble(path)


def read_ensemble(path: Path, allow_pickle: bool = False, classes: str | None = None) -> sl.Ensemble:
    """Read a model of ours or of another library that must be a classifier of trees.

    Parameters
    ----------
    path : Path
        The file.
    allow_pickle : bool
        Whether it may be a pickle.
    classes : str, optional
        Names for its classes in their order, with commas between them: many models know numbers only.
    """
    ensemble = sl.load(path, allow_pickle=allow_pickle)
    if ensemble.classes_ is None:
        raise UnsupportedModelError(f"{path}: this is a regression: a classifier is needed.")
    return ensemble if classes is None else _named(path, ensemble, classes)


def _named(path: Path, ensemble: sl.Ensemble, classes: str) -> sl.Ensemble:
    import numpy as np

    names = [name.strip() for name in classes.split(",")]
    if len(set(names)) != len(names) or len(names) != ensemble.n_classes:
        known = ", ".join(map(str, np.asarray(ensemble.classes_)))
        raise ParameterError(
            f"{path}: --classes must give {ensemble.n_classes} different names, for {known} in this order. "
            f"Got {classes!r} instead."
        )
    return sl.Ensemble(ensemble.core, ensemble.schema, np.array(names), ensemble.link)
