"""Conditions, tests and labels in words: the only place that decides how they read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

import numpy as np

from sightline.exceptions import ParameterError
from sightline.model import ANY_NUMBER, MULTIWAY, SUBSET, THRESHOLD, NodeModel, first_largest
from sightline.printable import printable, shortened
from sightline.show._bounds import SINGLE_PRECISION, BoundTexts
from sightline.show._number import number_text
from sightline.table import Schema

_MAX_VALUES = 12
"""Values that a list of categories names before it says how many more there are."""

_BRIEF_VALUES = 3
_BRIEF_NAME = 24

_FEW_VALUES = 2
"""So few values are named themselves rather than by the others."""


class FeatureWording:
    """How names, values and conditions on features read.

    Parameters
    ----------
    schema : Schema
        The features.
    bounds : mapping of int to sequence of float
        Per feature the bounds that are going to be shown, which must look different.
    digits : int, default=6
        Significant digits of numbers. Those of one feature that would look alike get more.
    values : mapping of int to sequence of float, optional
        Per feature the values that are going to be shown beside the bounds, and must look
        different from them, too.
    """

    def __init__(
        self,
        schema: Schema,
        bounds: Mapping[int, Sequence[float]],
        digits: int = 6,
        values: Mapping[int, Sequence[float]] | None = None,
    ) -> None:
        if digits < 1:
            raise ParameterError(f"The 'digits' parameter must be at least 1. Got {digits!r} instead.")
        self.schema = schema
        self.digits = digits
        self._bounds = bounds
        self._values = values or {}
        self._max_values = _MAX_VALUES
        self._max_name: int | None = None

    @cached_property
    def _names(self) -> list[str]:
        return [self._cut(feature.name) for feature in self.schema.features]

    @cached_property
    def _texts(self) -> BoundTexts:
        return BoundTexts.of(self._bounds, self._values, self.digits)

    @property
    def precision(self) -> str:
        """What must be said of how numbers are compared; nothing where they are as they are."""
        return SINGLE_PRECISION if self._texts.is_single else ""

    def name(self, feature: int) -> str:
        """Return the name of a feature."""
        return self._names[feature]

    def number(self, feature: int, value: float) -> str:
        """Return a threshold of a feature, or the value of the row, as text."""
        return self._texts.texts.get(feature, {}).get(value) or number_text(value, self.digits)

    def excludes(self, feature: int, bound: float) -> bool:
        """Say whether ``x <= bound`` reads ``x <`` the number that :meth:`number` writes."""
        return bound in self._texts.excluded.get(feature, ())

    def value(self, feature: int, code: int) -> str:
        """Return a category of a nominal feature."""
        return self._cut((self.schema.features[feature].categories or ())[code])

    def class_name(self, label: object) -> str:
        """Return a class as text."""
        return self._cut(label)

    def membership(self, feature: int, codes: Collection[int], is_inside: bool = True) -> str:
        """Return the condition that a nominal value is, or is not, one of some values.

        The values left are named if they are few or fewer than the others, else the others.
        """
        n_values = len(self.schema.features[feature].categories or ())
        n_left = len(codes) if is_inside else n_values - len(codes)
        names_left = n_left <= max(_FEW_VALUES, n_values - n_left)
        named = codes if names_left == is_inside else set(range(n_values)).difference(codes)
        return f"{self.name(feature)} {self._listed(feature, sorted(named), names_left)}"

    def _listed(self, feature: int, codes: list[int], is_inside: bool) -> str:
        if not codes:
            return f"has {'no' if is_inside else 'any'} value"
        if len(codes) == 1:
            return f"{'=' if is_inside else '!='} {self.value(feature, codes[0])}"
        named = ", ".join(self.value(feature, code) for code in codes[: self._max_values])
        n_more = len(codes) - self._max_values
        more = f" and {n_more:,} more" if n_more > 0 else ""
        return f"is {'one' if is_inside else 'none'} of {named}{more}"

    def interval(self, feature: int, low: float, high: float) -> str:
        """Return the condition ``low < x <= high``; an infinite end is left out.

        A bound that is the last number before a short one is written as that: ``x < 1``.
        """
        name = self.name(feature)
        if low == ANY_NUMBER:
            return f"{name} has no value"
        if high == ANY_NUMBER:
            high = np.inf
        if low == -np.inf and high == np.inf:
            return f"{name} has any value"
        below = f"{'<' if self.excludes(feature, high) else '<='} {self.number(feature, high)}"
        if low == -np.inf:
            return f"{name} {below}"
        if high == np.inf:
            return f"{name} {'>=' if self.excludes(feature, low) else '>'} {self.number(feature, low)}"
        sign = "<=" if self.excludes(feature, low) else "<"
        return f"{self.number(feature, low)} {sign} {name} {below}"

    def _cut(self, text: object) -> str:
        plain = _quoted_if_odd(text)
        return plain if self._max_name is None else shortened(plain, self._max_name)


class Wording(FeatureWording):
    """How the tests of one tree or graph read.

    Parameters
    ----------
    tree : Tree or Graph
        The model.
    digits : int, default=6
        Significant digits of thresholds. Thresholds of one feature that would look
        alike get more.
    row : mapping of int to float, optional
        Values by feature that are going to be shown beside the thresholds, and must look
        different from them, too.
    """

    def __init__(self, tree: NodeModel, digits: int = 6, row: Mapping[int, float] | None = None) -> None:
        self.tree = tree
        # Lists: one look into an array of the core costs as much as a whole sentence.
        self._test: list[int] = tree.core.test.tolist()
        self._feature: list[int] = tree.core.feature.tolist()
        self._threshold: list[float] = tree.core.threshold.tolist()
        super().__init__(
            tree.schema,
            self._thresholds(),
            digits,
            {feature: [value] for feature, value in (row or {}).items()},
        )

    def brief(self) -> Wording:
        """Return a wording that cuts long names and lists, as drawings need it."""
        brief = Wording(self.tree, self.digits)
        brief._texts = self._texts
        brief._max_values = _BRIEF_VALUES
        brief._max_name = _BRIEF_NAME
        return brief

    def _thresholds(self) -> dict[int, list[float]]:
        values: dict[int, list[float]] = {}
        for test, feature, threshold in zip(self._test, self._feature, self._threshold, strict=True):
            if test == THRESHOLD and threshold != ANY_NUMBER:
                values.setdefault(feature, []).append(threshold)
        return values

    @cached_property
    def _best(self) -> list[int]:
        best: list[int] = first_largest(np.asarray(self.tree.core.output), self.tree.tie_tolerance).tolist()
        return best

    @cached_property
    def class_names(self) -> list[str]:
        """The classes, in their order; empty if outputs are numbers."""
        return [] if self.tree.classes_ is None else [self._cut(label) for label in self.tree.classes_]

    def label(self, node: int) -> str:
        """Return what a node would predict as a leaf."""
        if self.tree.classes_ is None:
            return number_text(float(self.tree.core.output[node, 0]), self.digits)
        return self.class_names[self._best[node]]

    def branch(self, node: int, branch: int) -> str:
        """Return the condition under which a row takes a branch, as in ``age <= 30``."""
        feature = self._feature[node]
        if self.asks_for_any_value(node):
            return f"{self.name(feature)} has {'no' if branch else 'any'} value"
        if self._test[node] == THRESHOLD:
            threshold = self._threshold[node]
            return self.interval(feature, *((threshold, np.inf) if branch else (-np.inf, threshold)))
        if self._test[node] == SUBSET:
            return self.membership(feature, self.subset(node), is_inside=branch == 0)
        return f"{self.name(feature)} = {self.value(feature, branch)}"

    def asks_for_any_value(self, node: int) -> bool:
        """Say whether a node only tells rows with a value from those where it is missing."""
        if self._test[node] == THRESHOLD:
            return self._threshold[node] == ANY_NUMBER
        if self._test[node] != SUBSET or self.tree.shares(node)[1] != 1:
            return False
        return len(self.subset(node)) == self.tree.schema.features[self._feature[node]].n_values

    def question(self, node: int) -> str:
        """Return the test of a node as a box shows it; see :meth:`answer`."""
        if self._test[node] == MULTIWAY:
            return self.name(self._feature[node])
        return self.branch(node, 0)

    def answer(self, node: int, branch: int) -> str:
        """Return what the edge of a branch says under :meth:`question`."""
        if self._test[node] == MULTIWAY:
            return self.value(self._feature[node], branch)
        return "no" if branch else "yes"

    def subset(self, node: int) -> list[int]:
        """Return the codes of a subset test that take branch 0."""
        begin, end = self.tree.core.category_begin[node : node + 2]
        return [int(code) for code in self.tree.core.category[begin:end]]


def _quoted_if_odd(text: object) -> str:
    """Quote what could be taken for something else: nothing, outer spaces, a list."""
    plain = printable(text)
    is_odd = not plain or plain != plain.strip() or ", " in plain
    return f'"{plain}"' if is_odd else plain
