"""Trees that learn numbers of any size: near 1e9, or in tiny units."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

from sightline.table import center_and_scale

_MAX_DISTANCE = 1e4
"""Numbers that are further away from 0, in deviations, are learned as differences from their mean."""
_MIN_SCALE, _MAX_SCALE = 1e-3, 1e100
"""Numbers with other deviations are learned in a different unit."""

_TREES = (DecisionTreeRegressor, ExtraTreeRegressor)
_FORESTS = (RandomForestRegressor, ExtraTreesRegressor)


def fit_in_standard_units(learner: Any, X: Any, y: Any, **options: Any) -> Any:
    """Fit to numbers, of which scikit-learn's trees and forests see others of moderate size while they grow.

    scikit-learn computes a variance as a difference of squares, which cancel if the numbers are near 1e9, and
    stops where it is below 2e-16. Numbers of moderate size are learned as they are, bit for bit.

    Parameters
    ----------
    learner : estimator
        Any regressor, or a pipeline that ends with one.
    X : frame or array
        The rows.
    y : array-like of numbers
        Their target.
    **options
        Of ``fit``.

    Returns
    -------
    fitted estimator
        The same learner.
    """
    last = learner.steps[-1][1] if isinstance(learner, Pipeline) else learner
    numbers = np.asarray(y, dtype=np.float64)
    center, scale = _standard_units(numbers) if _is_indifferent(last) and numbers.ndim == 1 else (0.0, 1.0)
    if (center, scale) == (0.0, 1.0):
        return learner.fit(X, y, **options)
    learner.fit(X, (numbers - center) / scale, **options)
    for tree in last.estimators_ if isinstance(last, _FORESTS) else [last]:
        tree.tree_.value[:] = tree.tree_.value * scale + center
    return learner


def _is_indifferent(learner: Any) -> bool:
    """Whether a learner would grow the same trees in any unit and from any zero, but for rounding."""
    return (
        type(learner) in (*_TREES, *_FORESTS)
        and learner.criterion in ("squared_error", "friedman_mse", "absolute_error")
        and not (learner.min_impurity_decrease or learner.ccp_alpha or learner.monotonic_cst is not None)
        and not (getattr(learner, "oob_score", False) or getattr(learner, "warm_start", False))
    )


def _standard_units(numbers: NDArray[np.float64]) -> tuple[float, float]:
    """Return what to subtract from the numbers, and a power of two to divide by; 0 and 1 if not needed."""
    center, scale = center_and_scale(numbers)
    is_moderate = _MIN_SCALE <= scale <= _MAX_SCALE
    return (
        center if abs(center) > _MAX_DISTANCE * scale else 0.0,
        1.0 if is_moderate else float(2.0 ** np.round(np.log2(scale))),
    )
