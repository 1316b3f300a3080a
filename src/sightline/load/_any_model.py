"""Load any model without changing its kind."""

from __future__ import annotations

import os
from typing import Any

from sightline.estimator import SightlineEstimator
from sightline.load._file import ModelFile
from sightline.load._load_or_wrap import load_for
from sightline.load._options import Options
from sightline.load._own import OwnFileImporter
from sightline.model import Readable


def load_any(model: Any, *, allow_pickle: bool = False, rows: Any = None) -> Any:
    """Load a model without changing its kind: unlike with :func:`load`, a tree stays a tree.

    Parameters
    ----------
    model : model, fitted estimator, or path-like
        A sightline model, in memory or in a file, is returned unchanged. For a sightline estimator,
        the result is the model that predicts. Everything else goes through :func:`load`.
    allow_pickle : bool, default=False
        Whether the file may be a pickle, as in :func:`load`.
    rows : Table, frame or Schema, optional
        Rows for the model, as in :func:`load_for`.

    Returns
    -------
    Ensemble, Tree, Graph, RuleSet or another sightline model
        The model that predicts.

    Examples
    --------
    >>> from sightline import C45Classifier
    >>> load_any(C45Classifier().fit([[1.0], [2.0]] * 2, ["no", "yes"] * 2))
    Tree(2 leaves, depth 1, 1 feature)
    """
    if isinstance(model, SightlineEstimator):
        return model.model_
    if isinstance(model, Readable):
        return model
    if isinstance(model, str | os.PathLike):
        file = ModelFile.read(model, Options())
        if OwnFileImporter().recognizes(file):
            return OwnFileImporter.model_in(file)
    return load_for(model, rows, allow_pickle=allow_pickle)
