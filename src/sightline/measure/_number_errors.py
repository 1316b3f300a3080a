"""Errors of predicted numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sightline.measure._agreement import paired
from sightline.measure._estimate import UNDEFINED, Estimate, error_text, score_text
from sightline.measure._interval import mean_estimate, standard_error, z_value


@dataclass(frozen=True, repr=False)
class NumberErrors:
    """Errors of predicted numbers.

    The intervals are normal ones for means over rows; that of R², a ratio of two means, is by the delta
    method. They account only for chance in sampling the rows.

    Attributes
    ----------
    r2 : Estimate
        R²: 1 if all numbers are right, 0 if they are no better than always their mean. NaN if the
        true numbers are all the same, or if there is one row only.
    mae, rmse : Estimate
        Mean absolute error and root of the mean squared error, in the unit of the numbers.
    n_rows : int
        Number of rows.

    Examples
    --------
    >>> errors = NumberErrors.of([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 5.0])
    >>> errors.r2.value, errors.mae.value, errors.rmse.value
    (0.8, 0.25, 0.5)
    >>> errors
    R² 0.800, MAE 0.25, RMSE 0.5 on 4 rows
    """

    r2: Estimate
    mae: Estimate
    rmse: Estimate
    n_rows: int

    @classmethod
    def of(
        cls,
        truth: ArrayLike,
        predicted: ArrayLike,
        confidence: float = 0.95,
        weights: NDArray[np.float64] | None = None,
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
        """
        true, found = paired(truth, predicted, "number")
        true, found = true.astype(np.float64), found.astype(np.float64)
        middle = float(np.average(true, weights=weights))
        gap, error = true - middle, found - true
        # Squares of very large numbers overflow, and those of very small ones vanish.
        scale = float(max(np.abs(gap).max(), np.abs(error).max())) or 1.0
        squared, spread = (error / scale) ** 2, (gap / scale) ** 2
        z = z_value(confidence)
        return cls(
            _r_squared(squared, spread, z, weights),
            mean_estimate(np.abs(error) / scale, z, weights).scaled(scale),
            _root(mean_estimate(squared, z, weights)).scaled(scale),
            len(true),
        )

    @classmethod
    def of_mean(
        cls, truth: ArrayLike, confidence: float = 0.95, weights: NDArray[np.float64] | None = None
    ) -> NumberErrors:
        """Measure the baseline: always the mean of the true numbers."""
        numbers = np.asarray(truth, dtype=np.float64)
        middle = np.average(numbers, weights=weights)
        return cls.of(numbers, np.full(len(numbers), middle), confidence, weights)

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

    def to_json(self) -> dict[str, Any]:
        """Return the numbers for other programs."""
        estimates = {"r2": self.r2, "mae": self.mae, "rmse": self.rmse}
        return {**{name: one.to_json() for name, one in estimates.items()}, "rows": self.n_rows}

    def __repr__(self) -> str:
        rows = f"{self.n_rows:,} row{'' if self.n_rows == 1 else 's'}"
        return f"R² {self.text}, {self.error_text} on {rows}"


def _r_squared(
    squared: NDArray[np.float64], spread: NDArray[np.float64], z: float, weights: NDArray[np.float64] | None
) -> Estimate:
    if len(spread) < 2 or not spread.any():
        return UNDEFINED
    middle = float(np.average(spread, weights=weights))
    ratio = float(np.average(squared, weights=weights)) / middle
    half = z * standard_error(squared - ratio * spread, weights) / middle
    return Estimate(1 - ratio, 1 - ratio - half, min(1 - ratio + half, 1.0), len(spread), "score")


def _root(estimate: Estimate) -> Estimate:
    low, high = math.sqrt(estimate.low), math.sqrt(estimate.high)
    return replace(estimate, value=math.sqrt(estimate.value), low=low, high=high)
