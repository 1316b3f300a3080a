"""Tweedie deviances: how far predicted means are from counts and amounts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

Values = NDArray[np.float64]

POISSON, GAMMA = 1.0, 2.0


def deviances(truth: Values, predicted: Values, power: float) -> Values | None:
    """Return the unit deviance of each row, whose mean is scikit-learn's ``mean_tweedie_deviance``.

    Parameters
    ----------
    truth, predicted : ndarray of shape (n_rows,)
        The numbers.
    power : float from 1 to 2
        The variance is proportional to this power of the mean: 1 for Poisson, 2 for gamma distributions.

    Returns
    -------
    ndarray of shape (n_rows,) or None
        None if it is not defined: a prediction that is not positive, a negative number, or, for the power 2,
        a number of 0.

    Examples
    --------
    >>> deviances(np.array([0.0, 1.0]), np.array([0.5, 1.0]), 1.0)
    array([1., 0.])
    >>> deviances(np.array([0.0, 1.0]), np.array([0.5, 1.0]), 2.0) is None
    True
    """
    if not (predicted > 0).all() or not (truth >= 0).all() or (power == GAMMA and not truth.all()):
        return None
    with np.errstate(all="ignore"):
        found = 2 * _half(truth, predicted, power)
    # What rounding leaves of a difference of large numbers may be negative.
    return np.maximum(found, 0.0) if np.isfinite(found).all() else None


def _half(truth: Values, predicted: Values, power: float) -> Values:
    if power == POISSON:
        return np.asarray(xlogy(truth, truth / predicted) - truth + predicted)
    if power == GAMMA:
        return np.asarray(np.log(predicted / truth) + truth / predicted - 1)
    return np.asarray(
        truth ** (2 - power) / ((1 - power) * (2 - power))
        - truth * predicted ** (1 - power) / (1 - power)
        + predicted ** (2 - power) / (2 - power)
    )


def deviance_name(power: float) -> str:
    """Name a deviance by its power.

    Examples
    --------
    >>> deviance_name(1.0), deviance_name(1.5)
    ('Poisson deviance', 'Tweedie deviance of power 1.5')
    """
    known = {POISSON: "Poisson deviance", GAMMA: "gamma deviance"}
    return known.get(power, f"Tweedie deviance of power {power:g}")
