"""What a row below a table may hold of the rows above: totals, means, counts and so on, and their names."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CLEAR_TOTALS",
    "KINDS",
    "MEANS",
    "STATISTICS",
    "TOTALS",
    "SummaryKind",
    "kind_of",
    "may_be_name",
    "plain",
]

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class SummaryKind:
    """A statistic of a column.

    Parameters
    ----------
    noun : str
        What several of them are called.
    words : set of str
        What people call a row of them.
    values : callable
        Returns the numbers that may stand in such a row, for the known numbers of the rows above.
    """

    noun: str
    words: frozenset[str]
    values: Callable[[Numbers], tuple[float, ...]]

    def fits(self, number: float, above: Numbers) -> bool:
        """Whether a number is this statistic of others, rounded to the digits that it has."""
        known = above[~np.isnan(above)]
        slack = _half_digit(number) + 1e-9 * abs(number)
        return len(known) > 1 and any(abs(number - value) <= slack for value in self.values(known))


def _half_digit(number: float) -> float:
    exponent = Decimal(repr(float(number))).normalize().as_tuple().exponent
    return 0.5 * 10.0 ** min(0, int(exponent)) if math.isfinite(number) else 0.0


CLEAR_TOTALS = {
    *("subtotal", "sub-total", "sub total", "zwischensumme", "teilsumme", "sous-total", "subtotale"),
    *("grand total", "gesamtsumme", "gesamtergebnis", "total general", "total général"),
}
"""Words that name nothing else."""
TOTALS = SummaryKind(
    "totals",
    frozenset(CLEAR_TOTALS)
    | {"total", "totals", "sum", "sums", "summe", "gesamt", "insgesamt", "ergebnis"}
    | {"totale", "totaal", "somme", "suma"},
    lambda known: (float(known.sum()),),
)
MEANS = SummaryKind(
    "means",
    frozenset(
        {"average", "avg", "mean", "mittelwert", "durchschnitt", "schnitt"}
        | {"moyenne", "media", "promedio", "gemiddelde"}
    ),
    lambda known: (float(known.mean()),),
)
STATISTICS = (
    SummaryKind(
        "counts",
        frozenset(
            {"count", "counts", "number", "n", "anzahl", "anz", "nombre", "effectif"}
            | {"conteggio", "cantidad", "recuento", "aantal"}
        ),
        lambda known: (float(len(known)),),
    ),
    SummaryKind(
        "maximums",
        frozenset({"max", "maximum", "maximalwert", "höchstwert", "massimo", "máximo", "maximo"}),
        lambda known: (float(known.max()),),
    ),
    SummaryKind(
        "minimums",
        frozenset({"min", "minimum", "minimalwert", "tiefstwert", "minimo", "mínimo"}),
        lambda known: (float(known.min()),),
    ),
    SummaryKind(
        "medians",
        frozenset({"median", "medianwert", "zentralwert", "médiane", "mediane", "mediana", "mediaan"}),
        lambda known: (float(np.median(known)),),
    ),
    SummaryKind(
        "standard deviations",
        frozenset(
            {"std", "sd", "stdev", "stddev", "std dev", "st dev", "standard deviation", "deviation"}
            | {"standardabweichung", "stabw", "std-abw", "stdabw", "écart-type", "ecart-type"}
            | {"deviazione standard", "desviación estándar", "standaarddeviatie"}
        ),
        lambda known: (float(known.std(ddof=1)), float(known.std())),
    ),
)
KINDS = (TOTALS, MEANS, *STATISTICS)
_MAY_BE_NAMES = {"n", "number", "nombre", "max", "min", "sd"}
_KIND_OF = {word: kind for kind in KINDS for word in kind.words}


def plain(word: str) -> str:
    """Return a word without capitals, and without points and colons, as in Std. dev.:."""
    return word.replace(".", "").replace(":", "").strip().casefold()


def kind_of(word: str) -> SummaryKind | None:
    """Return the statistic that a word names, if any.

    Examples
    --------
    >>> kind_of("Std. dev.:").noun
    'standard deviations'
    """
    return _KIND_OF.get(plain(word))


def may_be_name(word: str) -> bool:
    """Whether a word may well be no statistic: Max is a first name, n means no, and min means minutes."""
    return plain(word) in _MAY_BE_NAMES
