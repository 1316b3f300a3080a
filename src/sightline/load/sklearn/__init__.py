"""Models of scikit-learn."""

from sightline.load.sklearn import (
    _adaboost,  # noqa: F401 - importers register themselves
    _bagged_models,  # noqa: F401
    _calibration,  # noqa: F401
    _gradient_boosting,  # noqa: F401
    _hist_gradient_boosting,  # noqa: F401
    _mean,  # noqa: F401
    _one_vs,  # noqa: F401
    _refused,  # noqa: F401
    _threshold,  # noqa: F401
    _transformed_target,  # noqa: F401
    _voting,  # noqa: F401
    _wrapper,  # noqa: F401
)
from sightline.load.sklearn._tree import NODE_FIELDS

__all__ = ["NODE_FIELDS"]
