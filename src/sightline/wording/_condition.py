"""Conditions on features in words: the only place that decides how they read."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from sightline.exceptions import ParameterError
from sightline.wording._bounds import SINGLE_PRECISION, BoundStrings
from sightline.wording._instant import instant_text, with_unit
from sightline.wording._number import number_text
from sightline.wording._printable import quote_if_odd

_LARGEST = sys.float_info.max
"""Every number is at most this: being above it, or not, only tells missing values from the others."""

MAX_VALUES = 12
"""Values that a list of categories names before it says how many more there are."""

FEW_VALUES = 2
"""So few values are named themselves rather than by the others."""


_BRANCH_WORDS = (("yes", "no"), ("true", "false"), ("holds", "fails"))


def branch_words(labels: Iterable[object] = ()) -> tuple[str, str]:
    """Return the names of a test's two branches, distinct from the class names.

    Parameters
    ----------
    labels : iterable
        The classes.

    Examples
    --------
    >>> branch_words(["good", "bad"]), branch_words(["No", "Yes"]), branch_words([False, True])
    (('yes', 'no'), ('true', 'false'), ('yes', 'no'))
    """
    taken = {str(label).strip().lower() for label in labels}
    return next((pair for pair in _BRANCH_WORDS if taken.isdisjoint(pair)), _BRANCH_WORDS[-1])


def all_of(conditions: Sequence[str]) -> str:
    """Join conditions that must all hold; those with an "or" get parentheses.

    Examples
    --------
    >>> all_of(["age <= 30 or missing", "income > 2000"]), all_of(["age <= 30 or missing"]), all_of([])
    ('(age <= 30 or missing) and income > 2000', 'age <= 30 or missing', 'always')
    """
    if len(conditions) == 1:
        return conditions[0]
    return " and ".join(f"({text})" if _has_or(text) else text for text in conditions) or "always"


def _has_or(condition: str) -> bool:
    """Return whether :meth:`FeatureWording.met_by_missing` wrote a condition. Odd names are in quotes."""
    return condition.endswith(" or missing") or " is missing or none of " in condition


class FeatureWording:
    """How names, values and conditions on features read.

    Parameters
    ----------
    names : sequence of str
        Names of the features.
    categories : sequence of (sequence of object or None)
        Per feature its categories, or None if it is numeric.
    bounds : mapping of int to sequence of float, optional
        Per feature the bounds that are going to be shown, which must look different.
    digits : int, default=6
        Significant digits of numbers. Numbers of one feature that would look alike get more.
    values : mapping of int to sequence of float, optional
        Per feature the values that are going to be shown beside the bounds, and must look
        different from them, too.
    max_values : int, default=12
        Categories that a list names before it says how many more there are.
    others : sequence of bool, optional
        Per feature, whether its last category means every value that is not listed. Conditions that
        include it list the values that they exclude, unless these are more.
    kinds : sequence of str, optional
        Per feature, what its numbers mean: "date", "datetime", "datetime UTC" or "duration"; empty for
        plain numbers. See :func:`instant_text`.
    units : sequence of str, optional
        Per feature, the unit of its numbers, or an empty string. See :func:`with_unit`.

    Examples
    --------
    >>> wording = FeatureWording(["age", "purpose"], [None, ("car", "house", "holiday")])
    >>> wording.interval(0, 20, 30), wording.membership(1, [0, 2]), wording.presence(0, False)
    ('20 < age <= 30', 'purpose is one of car, holiday', 'age has no value')
    """

    def __init__(
        self,
        names: Sequence[str],
        categories: Sequence[Sequence[object] | None],
        bounds: Mapping[int, Sequence[float]] | None = None,
        digits: int = 6,
        values: Mapping[int, Sequence[float]] | None = None,
        max_values: int = MAX_VALUES,
        others: Sequence[bool] = (),
        kinds: Sequence[str] = (),
        units: Sequence[str] = (),
    ) -> None:
        if digits < 1:
            raise ParameterError(f"The 'digits' parameter must be at least 1. Got {digits!r} instead.")
        self.digits = digits
        self.categories = categories
        self._raw_names = names
        self._names: dict[int, str] = {}
        self._interval_texts: dict[tuple[int, float, float], str] = {}
        self._bound_texts: dict[tuple[int, float], tuple[str, bool]] = {}
        self._bounds = bounds or {}
        self._values = values or {}
        self._max_values = max_values
        self._others = others
        self._kinds = kinds
        self._units = units

    @cached_property
    def _strings(self) -> BoundStrings:
        return BoundStrings.of(self._bounds, self._values, self.digits)

    @property
    def precision(self) -> str:
        """A note on how numbers are compared; empty when they are compared as they are."""
        return SINGLE_PRECISION if self._strings.is_single else ""

    def text(self, text: object) -> str:
        """Return a name, category or label as it reads in a sentence."""
        return quote_if_odd(text)

    def name(self, feature: int) -> str:
        """Return the name of a feature."""
        # Only those that are used: a tree tests few of thousands of columns.
        if feature not in self._names:
            self._names[feature] = self.text(self._raw_names[feature])
        return self._names[feature]

    def number(self, feature: int, value: float) -> str:
        """Return a bound of a feature, or one of the values shown beside it."""
        if self._kinds and self._kinds[feature]:
            return instant_text(value, self._kinds[feature])
        text = self._strings.strings.get(feature, {}).get(value) or number_text(value, self.digits)
        return with_unit(text, unit) if self._units and (unit := self._units[feature]) else text

    def excludes(self, feature: int, bound: float) -> bool:
        """Return whether ``x <= bound`` reads ``x <`` the number that :meth:`number` writes."""
        return bound in self._strings.excluded.get(feature, ())

    @property
    def may_cut_lists(self) -> bool:
        """Whether a list of categories may name only some of them, and say how many more there are."""
        return any(len(values or ()) > self._max_values for values in self.categories)

    def value(self, feature: int, code: int) -> str:
        """Return a category of a nominal feature."""
        return self.text((self.categories[feature] or ())[code])

    def presence(self, feature: int, is_present: bool) -> str:
        """Return the condition that a feature has a value, or that it is missing."""
        return f"{self.name(feature)} has {'a' if is_present else 'no'} value"

    @staticmethod
    def or_missing(text: str) -> str:
        """Return a branch that a missing value takes, too."""
        return f"{text} or missing"

    def met_by_missing(self, feature: int, condition: str) -> str:
        """Return a condition on a feature that a missing value meets, too.

        A list of values that are excluded does not end with "or missing", which would read as one of them.
        """
        excluded = f"{self.name(feature)} is none of "
        if condition.startswith(excluded):
            return f"{self.name(feature)} is missing or none of {condition.removeprefix(excluded)}"
        return self.or_missing(condition)

    def membership(self, feature: int, codes: Collection[int], is_inside: bool = True) -> str:
        """Return the condition that a nominal value is, or is not, one of some values.

        The values left are named if they are few or fewer than the others, else the others.
        """
        n_values = len(self.categories[feature] or ())
        left = set(codes) if is_inside else set(range(n_values)).difference(codes)
        names_left = self.names_left(feature, left)
        named = sorted(left if names_left else set(range(n_values)) - left)
        if not named:
            return self.presence(feature, not names_left)
        if len(named) == 1:
            return f"{self.name(feature)} {'=' if names_left else '!='} {self.value(feature, named[0])}"
        values = ", ".join(self.value(feature, code) for code in named[: self._max_values])
        n_more = len(named) - self._max_values
        more = f" and {n_more:,} more" if n_more > 0 else ""
        return f"{self.name(feature)} is {'one' if names_left else 'none'} of {values}{more}"

    def at_most(self, feature: int, bound: float) -> str:
        """Return the condition ``x <= bound`` in words, without the name: ``30 or less``."""
        kind = self._kinds[feature] if self._kinds else ""
        if kind == "date":
            return f"before {instant_text(math.floor(bound) + 1, kind)}"
        number, is_excluded = self._bound(feature, bound)
        if kind in ("datetime", "datetime UTC"):
            return f"{number} or earlier"
        return f"less than {number}" if is_excluded else f"{number} or less"

    def names_left(self, feature: int, left: Collection[int]) -> bool:
        """Return whether a condition names the values for which it holds, not the others."""
        n_values = len(self.categories[feature] or ())
        n_others = n_values - len(left)
        if self._others and self._others[feature] and n_values - 1 in left:
            return len(left) < n_others
        return len(left) <= max(FEW_VALUES, n_others)

    def excluded(self, feature: int, left: Collection[int]) -> tuple[object, ...]:
        """Return the values that a condition names because they do not meet it."""
        if self.names_left(feature, left):
            return ()
        return tuple(value for code, value in enumerate(self.categories[feature] or ()) if code not in left)

    def _bound(self, feature: int, bound: float) -> tuple[str, bool]:
        """Return :meth:`number` and :meth:`excludes` of a bound, which occurs in many intervals."""
        key = (feature, bound)
        known = self._bound_texts.get(key)
        if known is None:
            known = self._bound_texts[key] = self.number(feature, bound), self.excludes(feature, bound)
        return known

    def interval(self, feature: int, low: float, high: float) -> str:
        """Return the condition ``low < x <= high``, without the ends that are infinite.

        A bound that is the last number before a short one is written as that: ``x < 1``. No number is at most
        -infinity, or above the largest one: then only a missing value is meant.
        """
        key = (feature, low, high)
        text = self._interval_texts.get(key)
        if text is None:
            text = self._interval_texts[key] = self._interval(feature, low, high)
        return text

    def _interval(self, feature: int, low: float, high: float) -> str:
        has_low, has_high = low != -math.inf, high < _LARGEST
        is_missing = low == _LARGEST or high == -math.inf
        if is_missing or not (has_low or has_high):
            return self.presence(feature, not is_missing)
        name = self.name(feature)
        if self._kinds and self._kinds[feature] == "date":
            return self._date_interval(name, low, high if has_high else math.inf)
        if has_low:
            least, includes_least = self._bound(feature, low)
            if not has_high:
                return f"{name} {'>=' if includes_least else '>'} {least}"
        most, excludes_most = self._bound(feature, high)
        below = f"{name} {'<' if excludes_most else '<='} {most}"
        return f"{least} {'<=' if includes_least else '<'} {below}" if has_low else below

    @staticmethod
    def _date_interval(name: str, low: float, high: float) -> str:
        """Return the same for whole days: by the first day beyond a bound, for both of its sides."""
        first, beyond = (
            instant_text(math.floor(bound) + 1, "date") if math.isfinite(bound) else ""
            for bound in (low, high)
        )
        if not first:
            return f"{name} before {beyond}"
        return f"{first} <= {name} < {beyond}" if beyond else f"{name} on or after {first}"
