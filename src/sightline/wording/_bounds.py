"""Upper bounds as people write them: ``x < 30`` when the model stores the last number before 30."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sightline.wording._number import distinct_strings, last_singles_below, number_text

_ZERO = 1.0000000180025095e-35
"""Up to this number, LightGBM takes a number for zero; people write 0."""
_BELOW_ZERO = (-_ZERO, math.nextafter(-_ZERO, -math.inf))
"""The bounds of numbers that LightGBM takes for negative."""

SINGLE_PRECISION = "numbers are compared in single precision"
"""The note that must accompany strings with :attr:`BoundStrings.is_single`."""


@dataclass(frozen=True)
class BoundStrings:
    """The numbers of some features as strings, and the bounds that exclude the number they name.

    Attributes
    ----------
    strings : dict of int to dict of float to str
        Per feature a string for each of its numbers.
    excluded : dict of int to set of float
        Per feature the bounds t for which ``x <= t`` means ``x < string``.
    is_single : bool
        Whether that holds only after rounding to single precision. The model then rounds all
        numbers: it cannot distinguish two numbers that are equal in single precision.
    """

    strings: dict[int, dict[float, str]]
    excluded: dict[int, set[float]] = field(default_factory=dict)
    is_single: bool = False

    @classmethod
    def of(
        cls, bounds: Mapping[int, Sequence[float]], values: Mapping[int, Sequence[float]], digits: int = 6
    ) -> BoundStrings:
        """Choose the strings of bounds and of the values shown beside them.

        Examples
        --------
        >>> chosen = BoundStrings.of({0: [0.9999999999999999, 2.5]}, {})
        >>> chosen.strings, chosen.excluded
        ({0: {0.9999999999999999: '1', 2.5: '2.5'}}, {0: {0.9999999999999999}})
        """
        finite = [bound for own in bounds.values() for bound in own if math.isfinite(bound)]
        is_single = bool(finite) and all(_are_single(finite))
        strings: dict[int, dict[float, str]] = {}
        excluded: dict[int, set[float]] = {}
        for feature in {**bounds, **values}:
            own, beside = bounds.get(feature, ()), values.get(feature, ())
            named = {t: s for t in own if (s := _first_beyond(t, digits, is_single, beside)) is not None}
            named |= {t: 0.0 for t in own if t in _BELOW_ZERO}
            shown = {number: named.get(number, number) for number in own} | {value: value for value in beside}
            shown |= {t: 0.0 for t in own if t == _ZERO and 0.0 not in own}
            distinct = distinct_strings(shown.values(), digits)
            strings[feature] = {number: distinct[written] for number, written in shown.items()}
            excluded[feature] = set(named)
        return cls(strings, excluded, is_single and any(excluded.values()))


def shown_bound(bound: float, value: float | None = None) -> tuple[float, bool]:
    """Return the number to write for a bound on its own, and whether ``x <= bound`` means less than it.

    Parameters
    ----------
    bound : float
        An upper bound as the model stores it.
    value : float, optional
        The value shown beside it.

    Examples
    --------
    >>> shown_bound(math.nextafter(24.0, 0)), shown_bound(23.5)
    ((24.0, True), (23.5, False))
    """
    (is_single,) = _are_single([bound])
    return _shown(bound, is_single, [] if value is None else [value])


def shown_bounds(bounds: Sequence[float]) -> list[tuple[float, bool]]:
    """Return :func:`shown_bound` of each bound, in a fraction of the time if there are many.

    Examples
    --------
    >>> shown_bounds([math.nextafter(24.0, 0), 23.5])
    [(24.0, True), (23.5, False)]
    """
    return [_shown(bound, single, ()) for bound, single in zip(bounds, _are_single(bounds), strict=True)]


def _shown(bound: float, is_single: bool, beside: Sequence[float]) -> tuple[float, bool]:
    if bound == _ZERO or bound in _BELOW_ZERO:
        return 0.0, bound < 0
    beyond = _first_beyond(bound, 6, is_single, beside)
    return (bound, False) if beyond is None else (beyond, True)


def _are_single(bounds: Sequence[float]) -> list[bool]:
    """Return per bound whether it separates no two doubles that are equal in single precision."""
    import numpy as np  # noqa: PLC0415 - the help of the command loads neither numpy nor the core

    from sightline import _core  # noqa: PLC0415

    is_finite = np.isfinite(bounds)
    values = np.where(is_finite, bounds, 0.0)
    are_single: list[bool] = (is_finite & (_core.single_at_most(values) == values)).tolist()
    return are_single


def _first_beyond(bound: float, digits: int, is_single: bool, beside: Sequence[float]) -> float | None:
    """Return the short number s for which ``x <= bound`` means ``x < s``, if there is one.

    In single precision this is about the rounded x and s. A value shown beside the bound must not
    lie between the two: the reader would see a contradiction.
    """
    if not math.isfinite(bound) or (beyond := float(number_text(bound, digits))) <= bound:
        return None
    if not is_single:
        return beyond if bound == math.nextafter(beyond, -math.inf) else None
    is_last = [bound] == last_singles_below([beyond])
    return beyond if is_last and not any(bound < value < beyond for value in beside) else None
