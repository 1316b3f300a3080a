"""Load fitted models of other libraries as ensembles that compute exactly the same."""

from sightline.load import (
    _own,  # noqa: F401 - importers register themselves
    _pickle,  # noqa: F401
    _skops,  # noqa: F401
    _treelite,  # noqa: F401
    catboost,  # noqa: F401 - and so do those of a library
    lightgbm,  # noqa: F401
    onnx,  # noqa: F401
    pipeline,  # noqa: F401
    pmml,  # noqa: F401
    sklearn,  # noqa: F401
    spark,  # noqa: F401
    xgboost,  # noqa: F401
)
from sightline.load._any_model import load_any
from sightline.load._decided import decided
from sightline.load._file import ModelFile, load_file
from sightline.load._load import LEARNED_SCHEMA, load
from sightline.load._load_or_wrap import is_pickle, load_for, load_or_wrap, trees_needed
from sightline.load._options import CategoriesNeededError
from sightline.load._registry import Importer, register
from sightline.load._sklearn_estimator import refuse_unknown_fields
from sightline.load._unfitted import UnfittedModelError
from sightline.load.sklearn import NODE_FIELDS as SKLEARN_NODE_FIELDS

__all__ = [
    "LEARNED_SCHEMA",
    "SKLEARN_NODE_FIELDS",
    "CategoriesNeededError",
    "Importer",
    "ModelFile",
    "UnfittedModelError",
    "decided",
    "is_pickle",
    "load",
    "load_any",
    "load_file",
    "load_for",
    "load_or_wrap",
    "refuse_unknown_fields",
    "register",
    "trees_needed",
]
