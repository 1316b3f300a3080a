"""Cases whose outcomes are numbers: how they are described, and which ones contradict."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.table import Labels, Numbers, center_and_scale

_FAR = 8.0
"""Members whose numbers are this many deviations away from the outcomes are measured from their own means."""


def member_centers(outcomes: Numbers, views: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return where the numbers of each member are measured from, unless that is the mean of the outcomes.

    The trees of a booster add small numbers to a base, so single precision would round them away if they
    were measured from outcomes near 1e9.

    Parameters
    ----------
    outcomes : Numbers
        Outcomes of the cases.
    views : ndarray of shape (n_cases, n_members, n_columns)
        The number of each member for each case.

    Returns
    -------
    ndarray of shape (n_members, n_columns) or None
        The mean of each member; None if the members predict numbers like the outcomes.
    """
    center, scale = center_and_scale(outcomes.values)
    centers = views.mean(axis=0)
    return centers if (np.abs(centers - center) > _FAR * scale).any() else None


def descriptions_of(
    outcomes: Labels | Numbers, views: NDArray[Any], centers: NDArray[np.float64] | None = None
) -> NDArray[np.float32]:
    """Return the members' predictions in single precision.

    Numbers are measured in deviations of the outcomes from their mean, or from the centers of the members,
    so that single precision distinguishes them.

    Parameters
    ----------
    outcomes : Labels or Numbers
        Outcomes of the cases.
    views : ndarray of shape (n_rows, n_members, n_columns)
        The prediction of each member.
    centers : ndarray of shape (n_members, n_columns), optional
        As :func:`member_centers` returns them.

    Returns
    -------
    ndarray of float32 of the same shape
        The descriptions.
    """
    if isinstance(outcomes, Numbers):
        center, scale = center_and_scale(outcomes.values)
        views = (views - (center if centers is None else centers)) / scale
    return np.asarray(views, dtype=np.float32)


def are_far_off(
    outcomes: NDArray[np.float64], predicted: NDArray[np.float64], cases: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Return which cases are more than a standard deviation away from the prediction.

    Parameters
    ----------
    outcomes : ndarray of shape (n_cases,)
        Numbers of all cases.
    predicted : ndarray of shape (n_rows, 1)
        Predicted numbers.
    cases : ndarray of shape (n_rows, k) or (1, k)
        Indices of some of the cases.

    Returns
    -------
    ndarray of shape (n_rows, k)
        A mask.
    """
    _, deviation = center_and_scale(outcomes)
    return np.asarray(np.abs(outcomes[cases] - predicted) > deviation)


def nearest_far_off(
    outcomes: NDArray[np.float64], predicted: NDArray[np.float64], distances: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the nearest case whose number is more than a standard deviation away from the prediction.

    Parameters
    ----------
    outcomes : ndarray of shape (n_cases,)
        Numbers of the cases.
    predicted : ndarray of shape (n_rows,)
        Predicted numbers.
    distances : ndarray of shape (n_rows, n_cases)
        How far the features are apart.

    Returns
    -------
    cases : ndarray of shape (n_rows,)
        Indices of the cases; -1 if there is none.
    distances : ndarray of shape (n_rows,)
        Their distances.

    Examples
    --------
    >>> cases, _ = nearest_far_off(np.array([1.0, 2.0, 9.0]), np.array([1.5]), np.array([[0.1, 0.2, 0.3]]))
    >>> cases.tolist()
    [2]
    """
    everyone = np.arange(len(outcomes), dtype=np.int32)[None, :]
    apart = np.where(are_far_off(outcomes, predicted[:, None], everyone), distances, np.inf)
    nearest = apart.argmin(axis=1)
    distance = apart[np.arange(len(apart)), nearest]
    return np.where(np.isfinite(distance), nearest, -1).astype(np.int32), distance
