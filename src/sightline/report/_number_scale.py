"""The numbers that a page shows: their range, and their distribution in bins."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.measure import NumberErrors, error_text
from sightline.report._evidence import Evidence
from sightline.report._sample import Sample
from sightline.show import open_ends, rounded_range
from sightline.wording import answer_text, capitalize

N_BINS = 20
N_CELLS = 48
MAX_WHOLE = 2.0**40
TAIL = 0.01
"""The outer bins also count this share of the numbers below and above: a few very large ones must not
squeeze all others into one bin."""


@dataclass(frozen=True)
class NumberScale:
    """A range of numbers in bins of equal width.

    Attributes
    ----------
    low, high : float
        Its ends; numbers beyond them count in the outer bins.
    n_bins : int
        Number of bins. Those of whole numbers hold as many of them each.
    is_whole : bool
        Whether all numbers are whole.
    """

    low: float
    high: float
    n_bins: int
    is_whole: bool = field(default=False, repr=False)

    @property
    def ends(self) -> tuple[float, float]:
        """The ends to show: bins of whole numbers start and end halfway between two of them."""
        return (self.low + 0.5, self.high - 0.5) if self.is_whole else (self.low, self.high)

    @classmethod
    def of(cls, numbers: NDArray[np.float64], n_bins: int = N_BINS, tail: float = TAIL) -> NumberScale:
        """Return the range of numbers without a share of them at each end.

        Examples
        --------
        >>> NumberScale.of(np.linspace(0, 1, 1001), tail=0.1)
        NumberScale(low=0.1, high=0.9, n_bins=20)
        >>> NumberScale.of(np.arange(8.0) % 4)
        NumberScale(low=-0.5, high=3.5, n_bins=4)
        """
        low, high = rounded_range(*(float(end) for end in np.quantile(numbers, [tail, 1 - tail])))
        if low == high:
            low, high = rounded_range(float(numbers.min()), float(numbers.max()))
        if not np.array_equal(numbers, np.floor(numbers)) or high - low > MAX_WHOLE:
            return cls(low, high, n_bins) if low < high else cls(low - 0.5, high + 0.5, n_bins)
        low, high = math.floor(low), math.ceil(high)
        width = math.ceil((high - low + 1) / n_bins)
        n_used = math.ceil((high - low + 1) / width)
        return cls(low - 0.5, low - 0.5 + n_used * width, n_used, is_whole=True)

    def bins(self, numbers: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return the bin of each number."""
        # Halved first: the difference of two doubles may overflow.
        shares = (numbers / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        return np.clip(np.floor(shares * self.n_bins), 0, self.n_bins - 1).astype(np.int32)

    def n_beyond(self, numbers: NDArray[np.float64]) -> tuple[int, int]:
        """Count the numbers below and above the range."""
        return int((numbers < self.low).sum()), int((numbers > self.high).sum())


def shown_numbers(evidence: Evidence) -> NDArray[np.float64]:
    """Return the numbers of the rows whose distribution a page shows: their own, or else the ensemble's."""
    known = (evidence.labels, evidence.ensemble_labels, evidence.model_labels)
    numbers = np.asarray(next(numbers for numbers in known if numbers is not None))
    # Without rows, those of the leaves.
    return numbers if len(numbers) else np.asarray(evidence.model.core.output)[:, 0]


def scale_json(evidence: Evidence) -> dict[str, Any] | None:
    """Return the scale of the page; None if the model predicts classes."""
    if evidence.task == "classes":
        return None
    numbers = shown_numbers(evidence)
    scale = NumberScale.of(numbers)
    n_below, n_above = scale.n_beyond(numbers)
    low, high = scale.ends
    low_text, high_text = open_ends((answer_text(low, 3), answer_text(high, 3)), n_below > 0, n_above > 0)
    return {
        "low": scale.low,
        "high": scale.high,
        "mean": float(np.average(numbers, weights=evidence.weights if evidence.rows.n_rows else None)),
        "bins": np.bincount(scale.bins(numbers), minlength=scale.n_bins).tolist(),
        "low_text": low_text,
        "high_text": high_text,
    }


def scatter_part(evidence: Evidence, sample: Sample) -> dict[str, Any] | None:  # noqa: ARG001
    """Return the model's numbers against the ensemble's and against the rows' own, counted in cells."""
    if evidence.task == "classes":
        return None
    against = {
        f"the {evidence.teacher_noun}'s number": (evidence.ensemble_labels, evidence.fidelity),
        "the true number": (evidence.labels, evidence.measures and evidence.measures.model),
    }
    charts = [
        _chart(evidence, name, numbers, errors)
        for name, (numbers, errors) in against.items()
        if numbers is not None and isinstance(errors, NumberErrors)
    ]
    return {"title": "Predicted against actual", "charts": charts} if charts else None


def _chart(
    evidence: Evidence, name: str, numbers: NDArray[np.float64], errors: NumberErrors
) -> dict[str, Any]:
    own = evidence.model_labels
    scale = NumberScale.of(np.concatenate([numbers, own]), N_CELLS, TAIL / 2)
    n_cells = scale.n_bins
    cells, counts = np.unique(scale.bins(numbers) * n_cells + scale.bins(own), return_counts=True)
    n_outside = sum(scale.n_beyond(numbers)) + sum(scale.n_beyond(own))
    outside = " Numbers beyond the axes are drawn at the edge." if n_outside else ""
    return {
        "title": f"Against {name}",
        "x": capitalize(name),
        "y": f"{capitalize(evidence.kind.predictor_noun)}'s number",
        "low": scale.low,
        "high": scale.high,
        "n_cells": n_cells,
        "cells": [
            [*divmod(cell, n_cells), n] for cell, n in zip(cells.tolist(), counts.tolist(), strict=True)
        ],
        "text": f"R² {errors.text}; {error_text(errors.mae.value)} away on average (MAE), "
        f"RMSE {error_text(errors.rmse.value)}, on {evidence.rows_text(errors.n_rows)}.{outside}",
    }
