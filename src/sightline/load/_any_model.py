"""Read any model or path as the model that predicts."""

from __future__ import annotations

import os
from typing import Any

from sightline.estimator import SightlineClassifier
from sightline.load._file import ModelFile
from sightline.load._load import load
from sightline.load._options import Options
from sightline.load._own import OwnFileImporter
from sightline.model import Ensemble, NodeModel, RuleSet


def load_any(model: Any) -> Any:
    """Read any model as it is: a tree stays a tree, where :func:`load` makes an ensemble of one.

    Parameters
    ----------
    model : model, fitted estimator, or path-like
        A sightline model, in memory or in a file, is returned as it is. A sightline estimator
        gives the model that it predicts with. Everything else goes through :func:`load`.

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
    if isinstance(model, SightlineClassifier):
        return model._fitted_model()
    if isinstance(model, NodeModel | RuleSet | Ensemble):
        return model
    if isinstance(model, str | os.PathLike):
        file = ModelFile.read(model, Options())
        if OwnFileImporter().recognises(file):
            return OwnFileImporter.model_in(file)
    return load(model)
