"""Shares of rows: how they read, and how far so few rows can be trusted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Any

from sightline.exceptions import ParameterError


@lru_cache(maxsize=1 << 12)
def percent(share: float, digits: int = 0) -> str:
    """Write a share in percent; only exactly all and exactly nothing read 100% and 0%.

    Parameters
    ----------
    share : float
        The share, from 0 to 1; NaN is unknown.
    digits : int, default=0
        Decimals.

    Returns
    -------
    str
        The percentage, without a space before the sign.

    Examples
    --------
    >>> percent(0.874), percent(1.0), percent(0.9996), percent(0.001)
    ('87%', '100%', 'over 99%', 'under 1%')
    >>> percent(0.9164, 1), percent(0.99996, 1), percent(-0.0001, 1)
    ('91.6%', 'over 99.9%', '0.0%')
    """
    if math.isnan(share):
        return "unknown"
    step = 10**-digits
    written = f"{100 * share:z.{digits}f}%"
    if share < 1 and written == f"{100:.{digits}f}%":
        return f"over {100 - step:.{digits}f}%"
    if share > 0 and written == f"{0:.{digits}f}%":
        return f"under {step:.{digits}f}%"
    return written


def wilson_interval(share: float, n_rows: float, confidence: float) -> tuple[float, float]:
    """Return Wilson's score interval of a share.

    Examples
    --------
    >>> low, high = wilson_interval(0.9, 100, 0.95)
    >>> round(low, 3), round(high, 3)
    (0.826, 0.945)
    """
    n, z = n_rows, NormalDist().inv_cdf((1 + confidence) / 2)
    center = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(share * (1 - share) / n + z**2 / (4 * n * n))
    # At the ends the formula is exact on paper, but not in doubles.
    return 0.0 if share == 0 else center - half, 1.0 if share == 1 else center + half


@dataclass(frozen=True, repr=False)
class Share:
    """How many of some rows have a property, with the interval in which their true share lies.

    Parameters
    ----------
    count : float
        Rows that have the property. Of rows that do not count the same: their weighted share times
        ``n_rows``.
    n_rows : int
        Rows that were looked at. The interval is wide when they are few.
    confidence : float, default=0.95
        Confidence of the interval, between 0 and 1.
    n_effective : float, optional
        Number of equally weighted rows that would give the same precision; by default all.
    n_holding : int, optional
        Of rows that do not count the same: how many have the property, whatever their weight.

    Examples
    --------
    >>> share = Share(90, 100)
    >>> share
    90.0% of 100 rows (82.6% to 94.5%)
    >>> share.value, share.text, share.interval_text
    (0.9, '90.0%', '82.6% to 94.5%')
    >>> Share(5.3, 100, n_effective=20, n_holding=52)
    52 of 100 rows, 5.3% of their weight (1.0% to 24.0%)
    """

    count: float
    n_rows: int
    confidence: float = 0.95
    n_effective: float | None = None
    n_holding: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise ParameterError(
                "The 'confidence' parameter must be between 0 and 1, both excluded. "
                f"Got {self.confidence!r} instead."
            )

    @classmethod
    def of(cls, holds: Any, confidence: float = 0.95) -> Share:
        """Return the share of the rows for which something holds.

        Parameters
        ----------
        holds : ndarray of shape (n_rows,), bool
            One entry per row.
        confidence : float, default=0.95
            Confidence of the interval.

        Returns
        -------
        Share
            The share of entries that are True.
        """
        return cls(int(holds.sum()), len(holds), confidence)

    @property
    def value(self) -> float:
        """The share itself; NaN without rows."""
        return self.count / self.n_rows if self.n_rows else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's score interval; all from 0 to 1 without rows."""
        n = self.n_rows if self.n_effective is None else self.n_effective
        return wilson_interval(self.value, n, self.confidence) if self.n_rows else (0.0, 1.0)

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.interval[0]

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.interval[1]

    @property
    def text(self) -> str:
        """The share in percent."""
        return percent(self.value, 1)

    @property
    def interval_text(self) -> str:
        """The interval in percent."""
        return f"{100 * self.low:.1f}% to {100 * self.high:.1f}%"

    def to_json(self) -> dict[str, float | None]:
        """Return the numbers for other programs; the share is None without rows."""
        low, high = self.interval
        share = self.value if self.n_rows else None
        return {"share": share, "low": low, "high": high, "rows": self.n_rows}

    def __repr__(self) -> str:
        rows = f"{self.n_rows:,} row{'' if self.n_rows == 1 else 's'}"
        if self.n_holding is None:
            return f"{self.text} of {rows} ({self.interval_text})"
        return f"{self.n_holding:,} of {rows}, {self.text} of their weight ({self.interval_text})"
