"""Load fitted models of other libraries as ensembles that compute exactly the same."""

from sightline.load import (
    _catboost,  # noqa: F401 - importers register themselves
    _catboost_binary,  # noqa: F401
    _lightgbm,  # noqa: F401
    _lightgbm_dump,  # noqa: F401
    _lightgbm_text,  # noqa: F401
    _onnx,  # noqa: F401
    _own,  # noqa: F401
    _pickle,  # noqa: F401
    _pmml,  # noqa: F401
    _sklearn_adaboost,  # noqa: F401
    _sklearn_bagged_models,  # noqa: F401
    _sklearn_calibration,  # noqa: F401
    _sklearn_gradient_boosting,  # noqa: F401
    _sklearn_hist_gradient_boosting,  # noqa: F401
    _sklearn_mean,  # noqa: F401
    _sklearn_one_vs,  # noqa: F401
    _sklearn_refused,  # noqa: F401
    _sklearn_threshold,  # noqa: F401
    _sklearn_transformed_target,  # noqa: F401
    _sklearn_voting,  # noqa: F401
    _sklearn_wrapper,  # noqa: F401
    _skops,  # noqa: F401
    _spark,  # noqa: F401
    _treelite,  # noqa: F401
    _xgboost,  # noqa: F401
    pipeline,  # noqa: F401
)
from sightline.load._any_model import load_any
from sightline.load._decided import decided
from sightline.load._file import ModelFile, load_file
from sightline.load._load import LEARNED_SCHEMA, load
from sightline.load._load_or_wrap import is_pickle, load_for, load_or_wrap, trees_needed
from sightline.load._options import CategoriesNeededError
from sightline.load._registry import Importer, register
from sightline.load._sklearn_estimator import refuse_unknown_fields
from sightline.load._sklearn_tree import NODE_FIELDS as SKLEARN_NODE_FIELDS
from sightline.load._unfitted import UnfittedModelError

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
