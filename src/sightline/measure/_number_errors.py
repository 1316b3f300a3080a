"""Errors of predicted numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sightline.measure._agreement import paired
from sightline.measure._deviance import deviances
from sightline.measure._estimate import UNDEFINED, Estimate, error_text, score_text
from sightline.measure._interval import mean_estimate, mean_within, standard_error, z_value


@dataclass(frozen=True, repr=False)
class NumberErrors:
    """Errors of predicted numbers.

    The intervals are normal ones for means over rows; those of R² and D², ratios of two means, are by the
    delta method. They account only for chance in sampling the rows.

    Attributes
    ----------
    r2 : Estimate
        R²: 1 if all numbers are right, 0 if they are no better than always their mean. NaN if the
        true numbers are all the same, or if there is one row only.
    mae, rmse : Estimate
        Mean absolute error and root of the mean squared error, in the unit of the numbers.
    n_rows : int
        Number of rows.
    deviance : Estimate or None
        Mean deviance, as scikit-learn's ``mean_tweedie_deviance``. None if the objective of the ensemble is
        not a deviance, or if the numbers do not define it: predictions must be positive, true numbers
        at least 0, and positive for a gamma deviance.
    d2 : Estimate or None
        D², as scikit-learn's ``d2_tweedie_score``: the share of the deviance that the predictions explain,
        0 if they are no better than always the mean. None if there is no deviance.
    deviance_power : float or None
        Which deviance: 1 is that of Poisson, 2 that of gamma distributions, others are Tweedie's.

    Examples
    --------
    >>> errors = NumberErrors.of([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 5.0])
    >>> errors.r2.value, errors.mae.value, errors.rmse.value
    (0.8, 0.25, 0.5)
    >>> errors
    R² 0.800, MAE 0.25, RMSE 0.5 on 4 rows
    >>> counts = NumberErrors.of([0.0, 0.0, 1.0, 3.0], [0.5, 0.5, 1.0, 2.0], deviance_power=1)
    >>> counts.deviance.text, counts.d2.text
    ('0.608', '0.631')
    """

    r2: Estimate
    mae: Estimate
    rmse: Estimate
    n_rows: int
    deviance: Estimate | None = None
    d2: Estimate | None = None
    deviance_power: float | None = None

    @classmethod
    def of(
        cls,
        truth: ArrayLike,
        predicted: ArrayLike,
        confidence: float = 0.95,
        weights: NDArray[np.float64] | None = None,
        deviance_power: float | None = None,
    ) -> NumberErrors:
        """Measure predicted numbers against true ones.

        Parameters
        ----------
        truth, predicted : array-like of shape (n_rows,)
            The numbers.
        confidence : float, default=0.95
            Confidence of the intervals.
        weights : ndarray of shape (n_rows,), optional
            Weight of each row.
        deviance_power : float, optional
            The power of the deviance to measure; by default none is.
        """
        true, found = paired(truth, predicted, "number")
        true, found = true.astype(np.float64), found.astype(np.float64)
        middle = mean_within(true, weights)
        gap, error = true - middle, found - true
        # Squares of very large numbers overflow, and those of very small ones vanish.
        scale = float(max(np.abs(gap).max(), np.abs(error).max())) or 1.0
        squared, spread = (error / scale) ** 2, (gap / scale) ** 2
        z = z_value(confidence)
        errors = cls(
            _explained(squared, spread, z, weights),
            mean_estimate(np.abs(error) / scale, z, weights).scaled(scale),
            _root(mean_estimate(squared, z, weights)).scaled(scale),
            len(true),
        )
        return (
            errors
            if deviance_power is None
            else errors._with_deviance(true, found, z, weights, deviance_power)
        )

    @classmethod
    def of_mean(
        cls,
        truth: ArrayLike,
        confidence: float = 0.95,
        weights: NDArray[np.float64] | None = None,
        deviance_power: float | None = None,
    ) -> NumberErrors:
        """Measure the baseline: always the mean of the true numbers."""
        numbers = np.asarray(truth, dtype=np.float64)
        middle = np.full(len(numbers), mean_within(numbers, weights))
        return cls.of(numbers, middle, confidence, weights, deviance_power)

    def _with_deviance(
        self,
        true: NDArray[np.float64],
        found: NDArray[np.float64],
        z: float,
        weights: NDArray[np.float64] | None,
        power: float,
    ) -> NumberErrors:
        """Add mean deviance and D², if the numbers define them."""
        lost = deviances(true, found, power)
        if lost is None:
            return self
        middle = np.full(len(true), mean_within(true, weights))
        of_mean = None if math.isnan(self.r2.value) else deviances(true, middle, power)
        # As in `of`: squares of very large numbers overflow.
        scale = float(max(lost.max(), 0.0 if of_mean is None else of_mean.max())) or 1.0
        lost = lost / scale
        d2 = UNDEFINED if of_mean is None else _explained(lost, of_mean / scale, z, weights)
        mean = mean_estimate(lost, z, weights).scaled(scale)
        return replace(self, deviance=mean, d2=d2, deviance_power=power)

    @property
    def value(self) -> float:
        """R²."""
        return self.r2.value

    @property
    def text(self) -> str:
        """R² as people read it."""
        return score_text(self.r2.value)

    @property
    def interval_text(self) -> str:
        """The interval of R²."""
        return f"{score_text(self.r2.low)} to {score_text(self.r2.high)}"

    @property
    def error_text(self) -> str:
        """The two errors, as in ``MAE 0.25, RMSE 0.5``."""
        return f"MAE {error_text(self.mae.value)}, RMSE {error_text(self.rmse.value)}"

    def lines(self) -> Iterator[tuple[str, Any, Estimate]]:
        """Yield the name of each measure, None because it is not about one class, and the measure."""
        yield "R²", None, self.r2
        yield "MAE", None, self.mae
        yield "RMSE", None, self.rmse
        if self.deviance is not None and self.d2 is not None:
            yield "D²", None, self.d2
            yield "mean deviance", None, self.deviance

    def to_json(self) -> dict[str, Any]:
        """Return the numbers for other programs."""
        estimates = {"r2": self.r2, "mae": self.mae, "rmse": self.rmse}
        document = {**{name: one.to_json() for name, one in estimates.items()}, "rows": self.n_rows}
        if self.deviance is not None and self.d2 is not None:
            document |= {"d2": self.d2.to_json(), "deviance": self.deviance.to_json()}
            document["deviance_power"] = self.deviance_power
        return document

    def __repr__(self) -> str:
        rows = f"{self.n_rows:,} row{'' if self.n_rows == 1 else 's'}"
        return f"R² {self.text}, {self.error_text} on {rows}"


def _explained(
    lost: NDArray[np.float64], spread: NDArray[np.float64], z: float, weights: NDArray[np.float64] | None
) -> Estimate:
    """Return R² or D²: how much less predictions lose than always the mean, per row."""
    if len(spread) < 2 or not spread.any():
        return UNDEFINED
    middle = float(np.average(spread, weights=weights))
    ratio = float(np.average(lost, weights=weights)) / middle
    half = z * standard_error(lost - ratio * spread, weights) / middle
    return Estimate(1 - ratio, 1 - ratio - half, min(1 - ratio + half, 1.0), len(spread), "score")


def _root(estimate: Estimate) -> Estimate:
    low, high = math.sqrt(estimate.low), math.sqrt(estimate.high)
    return replace(estimate, value=math.sqrt(estimate.value), low=low, high=high)
