"""Upper bounds as people write them: ``x < 30`` where the model holds the last number before 30."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sightline import _core
from sightline.show._number import distinct_texts, last_single_below, number_text

SINGLE_PRECISION = "numbers are compared in single precision"
"""What must stand beside texts in which :attr:`BoundTexts.is_single`."""


@dataclass(frozen=True)
class BoundTexts:
    """The numbers of some features as texts, and which bounds exclude the number that they name.

    Attributes
    ----------
    texts : dict of int to dict of float to str
        Per feature a text for each of its numbers.
    excluded : dict of int to set of float
        Per feature the bounds t for which ``x <= t`` says what ``x < text`` does.
    is_single : bool
        Whether that is so once numbers are rounded to single precision, which the model then does
        to all numbers: it cannot tell two numbers apart that are the same in single precision.
        Otherwise it is so for every number as it is.
    """

    texts: dict[int, dict[float, str]]
    excluded: dict[int, set[float]] = field(default_factory=dict)
    is_single: bool = False

    @classmethod
    def of(
        cls, bounds: Mapping[int, Sequence[float]], values: Mapping[int, Sequence[float]], digits: int = 6
    ) -> BoundTexts:
        """Choose the texts of bounds, and of values that are shown beside them.

        Examples
        --------
        >>> words = BoundTexts.of({0: [0.9999999999999999, 2.5]}, {})
        >>> words.texts, words.excluded
        ({0: {0.9999999999999999: '1', 2.5: '2.5'}}, {0: {0.9999999999999999}})
        """
        is_single = _cannot_tell_within_single(bound for own in bounds.values() for bound in own)
        texts: dict[int, dict[float, str]] = {}
        excluded: dict[int, set[float]] = {}
        for feature in {**bounds, **values}:
            own, beside = bounds.get(feature, ()), values.get(feature, ())
            named = {t: s for t in own if (s := _first_beyond(t, digits, is_single, beside)) is not None}
            shown = {number: named.get(number, number) for number in own} | {value: value for value in beside}
            distinct = distinct_texts(shown.values(), digits)
            texts[feature] = {number: distinct[written] for number, written in shown.items()}
            excluded[feature] = set(named)
        return cls(texts, excluded, is_single and any(excluded.values()))


def _cannot_tell_within_single(bounds: Iterable[float]) -> bool:
    """Say whether no bound lies between two doubles that are the same in single precision."""
    values = np.array([value for value in bounds if math.isfinite(value)])
    return bool(len(values) and (_core.single_at_most(values) == values).all())


def _first_beyond(bound: float, digits: int, is_single: bool, beside: Sequence[float]) -> float | None:
    """Return the short number s with ``x <= bound`` exactly where ``x < s``, if there is one.

    In single precision that holds of x and s as they are rounded; values that are shown beside the
    bound must not need that to be told.
    """
    if not math.isfinite(bound) or (beyond := float(number_text(bound, digits))) <= bound:
        return None
    if not is_single:
        return beyond if bound == math.nextafter(beyond, -math.inf) else None
    is_last = bound == last_single_below(beyond)
    return beyond if is_last and not any(bound < value < beyond for value in beside) else None
