"""Numbers to predict: a target that is not classes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from sklearn.utils import column_or_1d

from sightline.exceptions import DataError
from sightline.table._column import row_selection

__all__ = ["Numbers", "center_and_scale"]


@dataclass(frozen=True, eq=False)
class Numbers:
    """The target of a regression, one finite number per row.

    The functions of scikit-learn accept it as ``y``.

    Parameters
    ----------
    values : ndarray of shape (n_rows,), float64
        The numbers.

    Examples
    --------
    >>> Numbers.from_any([1, 2.5]).values
    array([1. , 2.5])
    """

    values: NDArray[np.float64]

    @classmethod
    def from_any(cls, y: object) -> "Numbers":
        """Take numbers from an array, list, series or `Numbers`.

        Raises
        ------
        DataError
            If y is empty or not one-dimensional, or holds anything but finite numbers. The message says
            what and where.
        """
        if isinstance(y, Numbers):
            return y
        given = np.asarray(y)
        if given.dtype.kind == "c":
            raise DataError("Complex data not supported as numbers to predict.")
        if given.dtype.kind in "mM":
            raise DataError(
                "y holds dates or durations, not numbers. Convert them first, for example to days."
            )
        try:
            values = column_or_1d(given, warn=True)
        except ValueError as error:
            raise DataError(str(error)) from error
        if not len(values):
            raise DataError(
                "Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required: y is empty."
            )
        return cls(_finite(_as_doubles(values)))

    @property
    def shape(self) -> tuple[int]:
        """Number of rows, as a tuple."""
        return (len(self.values),)

    @property
    def ndim(self) -> int:
        """Always 1."""
        return 1

    @property
    def dtype(self) -> np.dtype[np.float64]:
        """Type of the numbers."""
        return self.values.dtype

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> Any:
        values = self.values[row_selection(rows)]
        return Numbers(values) if isinstance(values, np.ndarray) else float(values)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return self.values if dtype is None else self.values.astype(dtype)


def center_and_scale(
    numbers: NDArray[np.float64], weights: NDArray[np.float64] | None = None
) -> tuple[float, float]:
    """Return the weighted mean and standard deviation of numbers, as units for sums of squares.

    If numbers differ by rounding errors at most, the scale is the largest of them, or 1.

    Examples
    --------
    >>> center_and_scale(np.array([1.0, 3.0]))
    (2.0, 1.0)
    >>> center_and_scale(np.array([5.0, 5.0]))
    (5.0, 5.0)
    """
    center = float(np.average(numbers, weights=weights))
    gap = np.abs(numbers - center)
    # The largest gap divides the others first: squares of huge numbers would overflow.
    largest, size = float(gap.max()), float(np.abs(numbers).max())
    if largest <= _ROUNDING * size:
        return center, size or 1.0
    return center, largest * float(np.sqrt(np.average((gap / largest) ** 2, weights=weights)))


_ROUNDING = 1e-13


def _as_doubles(values: NDArray[Any]) -> NDArray[np.float64]:
    if values.dtype.kind in "OUST":
        for row, value in enumerate(values.tolist()):
            if isinstance(value, str | bytes):
                raise DataError(
                    f"y must hold numbers, but row {row} is {value!r}. For classes use a classifier."
                )
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"y must hold numbers: {error}.") from error


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    wrong = ~np.isfinite(values)
    if wrong.any():
        row = int(wrong.argmax())
        what = "NaN" if np.isnan(values[row]) else "infinity"
        raise DataError(f"Input y contains {what}, first at row {row}. Remove these rows.")
    return values
