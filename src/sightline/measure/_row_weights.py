"""Weights of the rows that a model is measured on: exposure, or the weights of a survey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.estimator import checked_weights
from sightline.exceptions import DataError
from sightline.measure._interval import n_effective
from sightline.wording import pluralize, printable


@dataclass(frozen=True, eq=False)
class RowWeights:
    """Weight of each row, and what the weights are called.

    Attributes
    ----------
    values : ndarray of shape (n_rows,)
        The weights: finite, 0 or more, and not all 0.
    name : str
        Name of the column that they came from; empty if it is not known.

    Examples
    --------
    >>> weights = RowWeights.of([1.0, 0.5, 0.5, 0.0], 4)
    >>> weights.text, round(weights.n_effective, 2)
    ('weighted', 2.67)
    """

    values: NDArray[np.float64]
    name: str = ""

    @classmethod
    def of(cls, sample_weight: Any, n_rows: int) -> RowWeights | None:
        """Check weights as the user passed them; None if every row weighs the same as without them.

        Parameters
        ----------
        sample_weight : array-like of shape (n_rows,) or None
            The weights. A series or column also tells their name.
        n_rows : int
            Number of rows.
        """
        values = checked_weights(sample_weight, n_rows)
        if values is not None:
            _check_squares(values)
        name = getattr(sample_weight, "name", None)
        return None if values is None else cls(values, name if isinstance(name, str) else "")

    @property
    def n_effective(self) -> float:
        """Kish's effective number of rows: how many rows of equal weight say as much."""
        return n_effective(self.values, len(self.values))

    @property
    def text(self) -> str:
        """How rows are counted, as in ``weighted by exposure``."""
        return f"weighted by {printable(self.name)}" if self.name else "weighted"

    def rows_text(self, n_rows: int, noun: str = "row") -> str:
        """Return a number of rows and how they are counted, as in ``500 rows weighted by exposure``."""
        if not self.name:
            return pluralize(n_rows, f"weighted {noun}")
        return f"{pluralize(n_rows, noun)} {self.text}"

    @property
    def sentence(self) -> str:
        """What a reader has to know about weighted measures and their intervals."""
        n_ignored = int((self.values == 0).sum())
        ignored = f" {pluralize(n_ignored, 'row')} of weight 0 ignored." if n_ignored else ""
        return (
            f"Rows are {self.text}: shares, means and errors count each row by its weight. Numbers of rows "
            f"are not weighted. For the intervals, the rows count as {self.n_effective:,.0f} of equal weight."
            f"{ignored}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the name and the effective number of rows."""
        return {"name": self.name or None, "effective_rows": self.n_effective}


def _check_squares(weights: NDArray[np.float64]) -> None:
    """Raise if squares of weights, of which intervals are made, overflow or vanish."""
    largest, smallest = int(weights.argmax()), int(np.where(weights > 0, weights, np.inf).argmin())
    with np.errstate(over="ignore", under="ignore"):
        overflows, vanishes = np.isinf(weights.sum() ** 2), weights[smallest] ** 2 == 0
    if overflows or vanishes:
        row, what = (
            (largest, "large that squares overflow")
            if overflows
            else (smallest, "small that its square is 0")
        )
        raise DataError(
            f"sample_weight[{row}] is {weights[row]:g}, so {what}. Correct it, or scale all weights."
        )
