"""A measure with the interval in which its true value lies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sightline.wording import answer_text, percent

Style = Literal["error", "score", "share", "points", "change"]


@dataclass(frozen=True, repr=False)
class Estimate:
    """A measure on some rows, with the interval in which its true value lies.

    Attributes
    ----------
    value, low, high : float
        The measure and its interval; NaN if the rows do not define it.
    n_rows : int, optional
        Number of rows that it was measured on.
    style : {"error", "score", "share", "points", "change"}, default="error"
        How it reads: as an error with three significant digits, as a score of at most 1, or in percent. A
        difference has a sign: of shares in points, of others with three significant digits.

    Examples
    --------
    >>> Estimate(0.84312, 0.79, 0.88, 500, "score")
    0.843 (0.790 to 0.880)
    >>> Estimate(0.84312, 0.79, 0.88, 500, "share").text
    '84.3%'
    >>> Estimate(-0.0214, -0.05, 0.01, 500, "points")
    -2.1 points (-5.0 to +1.0)
    """

    value: float
    low: float
    high: float
    n_rows: int = 0
    style: Style = "error"

    @property
    def text(self) -> str:
        """The value as people read it."""
        unit = " points" if self.style == "points" and not math.isnan(self.value) else ""
        return self._text(self.value) + unit

    @property
    def interval_text(self) -> str:
        """The interval as people read it."""
        return f"{self._text(self.low)} to {self._text(self.high)}"

    def scaled(self, scale: float) -> Estimate:
        """Return the same in a different unit."""
        value, low, high = (scale * part for part in (self.value, self.low, self.high))
        return replace(self, value=value, low=low, high=high)

    def to_json(self) -> dict[str, float | None]:
        """Return the numbers for other programs; None if they are not defined."""
        numbers = {"value": self.value, "low": self.low, "high": self.high}
        document = {name: number if math.isfinite(number) else None for name, number in numbers.items()}
        return document | ({"rows": self.n_rows} if self.n_rows else {})

    def _text(self, value: float) -> str:
        if math.isnan(value):
            return "undefined"
        if self.style == "points":
            return _signed(100 * value, f"{abs(100 * value):.1f}")
        if self.style == "change":
            return _signed(value, error_text(abs(value)))
        if self.style == "share":
            return percent(value, 1)
        return score_text(value) if self.style == "score" else error_text(value)

    def __repr__(self) -> str:
        return self.text if math.isnan(self.low) else f"{self.text} ({self.interval_text})"


UNDEFINED = Estimate(math.nan, math.nan, math.nan, 0, "score")
"""What the rows do not define: an AUC without a row of one class, or R² of equal numbers."""


def _signed(value: float, size: str) -> str:
    """Put a sign in front of a size, unless it rounds to 0."""
    if not float(size.replace(",", "")):
        return size
    return f"{'-' if value < 0 else '+'}{size}"


def score_text(value: float) -> str:
    """Write a score of at most 1, such as R² or AUC; only a perfect one reads 1.000.

    Examples
    --------
    >>> score_text(0.87349), score_text(0.99996), score_text(1.0), score_text(0.0), score_text(-12.3)
    ('0.873', 'over 0.999', '1.000', '0', '-12.300')
    """
    if math.isnan(value):
        return "undefined"
    if value == 0:
        return "0"
    text = f"{value:z.3f}"
    return "over 0.999" if text == "1.000" and value != 1 else text


def error_text(value: float) -> str:
    """Write an error with three significant digits, and with thousands separators as predicted numbers have.

    Examples
    --------
    >>> error_text(0.12345), error_text(67763.4)
    ('0.123', '67,763')
    """
    return answer_text(value, 3)


def error_texts(values: Sequence[float]) -> list[str]:
    """Write errors that are listed beside one another: with three digits each, unless all are whole.

    Examples
    --------
    >>> error_texts([0.13, 0.1287, 0.0]), error_texts([17, 17.26]), error_texts([17, 18])
    (['0.130', '0.129', '0'], ['17.0', '17.3'], ['17', '18'])
    """
    texts = [error_text(value) for value in values]
    if not any("." in text for text in texts):
        return texts
    return [_padded(value, text) for value, text in zip(values, texts, strict=True)]


def _padded(value: float, text: str) -> str:
    """Return a short text with as many zeros as make three digits."""
    if not value or not math.isfinite(value) or "e" in text:
        return text
    decimals = 2 - math.floor(math.log10(abs(float(text.replace(",", "")))))
    return f"{value:.{decimals}f}" if decimals > 0 else text
