"""A share of rows, with what so few rows can say about it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sightline.wording import percent

_Z_95 = 1.959963984540054
"""Quantile of the normal distribution that leaves 2.5% above it."""


@dataclass(frozen=True)
class Share:
    """How many of some rows have a property.

    Parameters
    ----------
    count : int
        Rows that have it.
    total : int
        Rows that were looked at, at least one.

    Examples
    --------
    >>> share = Share(96, 100)
    >>> share.text
    '96.0%'
    >>> share.interval_text
    '90.2 to 98.4'
    """

    count: int
    total: int

    @property
    def value(self) -> float:
        """The share itself."""
        return self.count / self.total

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95% interval: where the share among all such rows probably lies."""
        n, p = self.total, self.value
        centre = (p + _Z_95**2 / (2 * n)) / (1 + _Z_95**2 / n)
        half = _Z_95 / (1 + _Z_95**2 / n) * math.sqrt(p * (1 - p) / n + _Z_95**2 / (4 * n * n))
        return max(0.0, centre - half), min(1.0, centre + half)

    @property
    def text(self) -> str:
        """The share in percent; rounding never makes it all or nothing."""
        return percent(self.value, 1)

    @property
    def interval_text(self) -> str:
        """The interval in percent."""
        low, high = self.interval
        return f"{100 * low:.1f} to {100 * high:.1f}"

    def to_json(self) -> dict[str, float]:
        """Return the numbers for machines."""
        low, high = self.interval
        return {"share": self.value, "low": low, "high": high, "rows": self.total}
