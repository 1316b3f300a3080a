"""The conditions of a path through a tree, one per feature."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sightline.model import ANY_NUMBER, SUBSET, THRESHOLD, NodeModel
from sightline.show._node_wording import NodeWording


class Conditions:
    """The interval or set of values that a path leaves of each feature, in order of first test.

    Parameters
    ----------
    wording : NodeWording
        How the tests of the tree read.
    steps : iterable of (int, int), default=()
        The path: nodes and the branches taken there.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> Conditions(NodeWording(credit_tree()), [(0, 0), (1, 1)]).strings()
    ['age <= 30', 'income > 2000']
    """

    def __init__(self, wording: NodeWording, steps: Iterable[tuple[int, int]] = ()) -> None:
        self.wording = wording
        self.tree: NodeModel = wording.tree
        self._intervals: dict[int, tuple[float, float]] = {}
        self._codes: dict[int, set[int]] = {}
        # The last step on each feature: there, missing values are known to arrive or not.
        self._features: dict[int, tuple[int, int]] = {}
        for node, branch in steps:
            self.add(node, branch)

    def copy(self) -> Conditions:
        """Return the same conditions, to be narrowed further."""
        other = Conditions(self.wording)
        other._intervals, other._codes = self._intervals.copy(), self._codes.copy()
        other._features = self._features.copy()
        return other

    def add(self, node: int, branch: int) -> None:
        """Narrow by one step."""
        test, feature, threshold = self.wording.test(node)
        self._features[feature] = node, branch
        if test == THRESHOLD:
            low, high = self._intervals.get(feature, (-math.inf, math.inf))
            self._intervals[feature] = (max(low, threshold), high) if branch else (low, min(high, threshold))
            return
        # All values are listed only where some are taken away: a node may have a branch for each of them.
        if test == SUBSET:
            taken = set(self.wording.subset(node))
            if branch:
                taken = set(range(self.tree.schema.features[feature].n_values)) - taken
        else:
            taken = {branch}
        self._codes[feature] = taken & self._codes.get(feature, taken)

    def strings(self, values: list[float] | None = None) -> list[str]:
        """Return the conditions, with the row's own values where they add something."""
        return [self._string(feature, values) for feature in self._features]

    def premise(self) -> list[str]:
        """Return the conditions of the whole path, with the missing values that take it."""
        return [self.condition(feature) for feature in self._features]

    def condition(self, feature: int) -> str:
        """Return the condition on one feature of the whole path, as in ``age <= 30 or missing``."""
        text = self.string(feature)
        needs_word = not self.is_missing(feature) and self.wording.takes_missing(*self._features[feature])
        return self.wording.met_by_missing(feature, text) if needs_word else text

    @property
    def features(self) -> list[int]:
        """The features with a condition, in order of first test."""
        return list(self._features)

    def __contains__(self, feature: int) -> bool:
        return feature in self._features

    def string(self, feature: int) -> str:
        """Return the condition on one feature."""
        return self._string(feature, None)

    def is_missing(self, feature: int) -> bool:
        """Return whether no number meets the condition on a feature: only a missing value does."""
        low, high = self._intervals.get(feature, (-math.inf, math.inf))
        return low >= min(high, ANY_NUMBER)

    def bounds(self, feature: int) -> tuple[float | None, float | None]:
        """Return the numbers above which, and up to which, the condition on a feature holds.

        None is no bound, also where only a missing value meets the condition.
        """
        if self.is_missing(feature):
            return None, None
        low, high = self._intervals.get(feature, (-math.inf, math.inf))
        return (low if low > -math.inf else None), (high if high < ANY_NUMBER else None)

    def values(self, feature: int) -> tuple[object, ...] | None:
        """Return the categories for which the condition on a feature holds; None if it is numeric."""
        if feature not in self._codes:
            return None
        declared = self.tree.schema.features[feature].categories or ()
        return tuple(declared[code] for code in sorted(self._codes[feature]))

    def excluded(self, feature: int) -> tuple[object, ...]:
        """Return the categories that the condition on a feature names because they do not meet it."""
        return self.wording.excluded(feature, self._codes[feature]) if feature in self._codes else ()

    def _string(self, feature: int, values: list[float] | None) -> str:
        if feature in self._intervals:
            if self.is_missing(feature):
                return self.wording.presence(feature, is_present=False)
            text = self.wording.interval(feature, *self._intervals[feature])
        else:
            text = self.wording.membership(feature, self._codes[feature])
        if values is None or math.isnan(values[feature]) or len(self._codes.get(feature, ())) == 1:
            return text
        return f"{text} (yours: {self._value(feature, values[feature])})"

    def _value(self, feature: int, value: float) -> str:
        if feature in self._codes:
            return self.wording.value(feature, int(value))
        return self.wording.number(feature, value)
