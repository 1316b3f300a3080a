"""Fitted models of other libraries as ensembles that compute exactly the same."""

from sightline.load import (
    _own,  # noqa: F401 - importers register themselves
    _sklearn_adaboost,  # noqa: F401
    _sklearn_gradient_boosting,  # noqa: F401
    _sklearn_hist_gradient_boosting,  # noqa: F401
    _sklearn_mean,  # noqa: F401
    _sklearn_wrapper,  # noqa: F401
)
from sightline.load._load import load
from sightline.load._registry import Importer, register

__all__ = ["Importer", "load", "register"]
