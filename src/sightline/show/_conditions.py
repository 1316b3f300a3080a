"""What a path through a tree says about a row, each feature once."""

from __future__ import annotations

import math
from collections.abc import Iterable

from sightline.model import SUBSET, THRESHOLD, NodeModel
from sightline.show._node_wording import NodeWording


class Conditions:
    """Intervals and sets of values that the steps of a path leave, in order of first mention.

    Parameters
    ----------
    wording : NodeWording
        How the tests of the tree read.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> conditions = Conditions(NodeWording(credit_tree()))
    >>> conditions.add_all([(0, 0), (1, 1)])
    >>> conditions.texts()
    ['age <= 30', 'income > 2000']
    """

    def __init__(self, wording: NodeWording) -> None:
        self.wording = wording
        self.tree: NodeModel = wording.tree
        self._intervals: dict[int, tuple[float, float]] = {}
        self._codes: dict[int, set[int]] = {}
        self._features: dict[int, None] = {}

    def add_all(self, steps: Iterable[tuple[int, int]]) -> None:
        """Narrow by steps, each a node and the branch taken there."""
        for node, branch in steps:
            self.add(node, branch)

    def add(self, node: int, branch: int) -> None:
        """Narrow by one step."""
        core = self.tree.core
        feature = int(core.feature[node])
        self._features[feature] = None
        if core.test[node] == THRESHOLD:
            low, high = self._intervals.get(feature, (-math.inf, math.inf))
            threshold = float(core.threshold[node])
            self._intervals[feature] = (max(low, threshold), high) if branch else (low, min(high, threshold))
            return
        left = self._codes.setdefault(feature, set(range(self.tree.schema.features[feature].n_values)))
        if core.test[node] == SUBSET:
            subset = self.wording.subset(node)
            left.difference_update(subset) if branch else left.intersection_update(subset)
        else:
            left.intersection_update({branch})

    def texts(self, values: list[float] | None = None) -> list[str]:
        """Return the conditions, with the row's own values where they say more."""
        return [self._text(feature, values) for feature in self._features]

    def _text(self, feature: int, values: list[float] | None) -> str:
        if feature in self._intervals:
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
