"""The tests and labels of trees and graphs in words."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sightline.model import (
    ANY_NUMBER,
    MULTIWAY,
    SUBSET,
    THRESHOLD,
    NodeModel,
    Tree,
    first_largest,
    stated_bounds,
)
from sightline.show._missing_ways import MissingWays
from sightline.wording import FeatureWording, answer_text, branch_words, instant_text, list_choices

if TYPE_CHECKING:
    from sightline.model import LineTerm
    from sightline.show._outline import Outline

_BRIEF_VALUES = 3
_LINE_DIGITS = 4
_LINE_ERROR = 1e-3
"""What the digits of a line may change in its answers, as a share of the range of the leaf."""
_SECONDS_PER_DAY = 86_400
_MAX_DIGITS = 15
_MAX_MIXED = 3


class _WrittenTerm(NamedTuple):
    """One feature of a line: the slope per ``unit``, and how many units the line's mean lies from 0."""

    slope: float
    distance: float
    unit: str


def _within(value: float, error: float, digits: int) -> str:
    """Write a number with as many digits as needed to be within an error."""
    while digits < _MAX_DIGITS and abs(float(f"{value:.{digits}g}") - value) > error:
        digits += 1
    return answer_text(value, digits)


class NodeWording(FeatureWording):
    """How the tests of one tree or graph read.

    Parameters
    ----------
    tree : Tree or Graph
        The model.
    digits : int, default=6
        Significant digits of thresholds. Thresholds of one feature that would look alike
        get more.
    row : mapping of int to float, optional
        Values by feature that will be shown beside the thresholds and must look different
        from them.
    """

    def __init__(self, tree: NodeModel, digits: int = 6, row: Mapping[int, float] | None = None) -> None:
        self.tree = tree
        # Lists: reading one entry of a native array costs as much as a whole sentence.
        self._test: list[int] = tree.core.test.tolist()
        self._feature: list[int] = tree.core.feature.tolist()
        self._threshold: list[float] = stated_bounds(tree.core.threshold).tolist()
        super().__init__(
            bounds=self._thresholds(),
            digits=digits,
            values={feature: [value] for feature, value in (row or {}).items()},
            **tree.schema.for_wording(),
        )

    def brief(self) -> NodeWording:
        """Return a wording that cuts long lists of values, for drawings."""
        return self._with_values(_BRIEF_VALUES)

    def complete(self) -> NodeWording:
        """Return a wording that names every category of a list."""
        return self._with_values(sys.maxsize)

    def _with_values(self, max_values: int) -> NodeWording:
        other = copy(self)
        other._strings = self._strings
        other._max_values = max_values
        return other

    def test(self, node: int) -> tuple[int, int, float]:
        """Return the kind, the feature and the threshold of a test."""
        return self._test[node], self._feature[node], self._threshold[node]

    def _thresholds(self) -> dict[int, list[float]]:
        values: dict[int, list[float]] = {}
        for test, feature, threshold in zip(self._test, self._feature, self._threshold, strict=True):
            if test == THRESHOLD and abs(threshold) < ANY_NUMBER:
                values.setdefault(feature, []).append(threshold)
        return values

    @cached_property
    def _best(self) -> list[int]:
        best: list[int] = first_largest(np.asarray(self.tree.core.output), self.tree.tie_tolerance).tolist()
        return best

    @cached_property
    def _branch_words(self) -> tuple[str, str]:
        return branch_words(() if self.tree.classes_ is None else self.tree.classes_.tolist())

    @cached_property
    def class_names(self) -> list[str]:
        """The classes, in their order; empty if outputs are numbers."""
        return [] if self.tree.classes_ is None else [self.text(label) for label in self.tree.classes_]

    def label(self, node: int) -> str:
        """Return what a node predicts if it is taken for a leaf."""
        if self.tree.classes_ is None:
            return self.line(node) or answer_text(float(self.tree.core.output[node, 0]), self.digits)
        return self.class_names[self._best[node]]

    def line(self, node: int) -> str:
        """Return the line of a leaf, as in ``12.3 + 0.8 × age - 2 × rooms``; empty if it has none."""
        lines = self.tree.lines if isinstance(self.tree, Tree) else None
        if lines is None or not lines.terms(node):
            return ""
        terms = [self._line_term(term) for term in lines.terms(node)]
        error = _LINE_ERROR * float(lines.high[node] - lines.low[node])
        start = float(self.tree.core.output[node, 0]) - sum(term.slope * term.distance for term in terms)
        text = _within(start, error, min(self.digits, _LINE_DIGITS))
        for term in terms:
            slope = _within(
                abs(term.slope), error / (abs(term.distance) or 1.0), min(self.digits, _LINE_DIGITS)
            )
            text += f" {'-' if term.slope < 0 else '+'} {slope} × {term.unit}"
        return text

    def _line_term(self, term: LineTerm) -> _WrittenTerm:
        """Write dates as days since one in the leaf: days since 1970 would need many digits."""
        feature, name = self.tree.schema.features[term.feature], self.name(term.feature)
        if feature.kind == "duration":
            return _WrittenTerm(term.slope, term.center, f"seconds of {name}")
        if not feature.kind:
            return _WrittenTerm(term.slope, term.center, name)
        per_day = 1 if feature.kind == "date" else _SECONDS_PER_DAY
        days = math.floor(term.center / per_day)
        since = instant_text(days, "date")
        return _WrittenTerm(
            term.slope * per_day, term.center / per_day - days, f"days of {name} since {since}"
        )

    def mean_of_line(self, node: int) -> str:
        """Return the mean answer of a leaf with a line, as in ``mean 145,912``; empty if it has none."""
        if not self.line(node):
            return ""
        return f"mean {answer_text(float(self.tree.core.output[node, 0]), self.digits)}"

    def summary(self, node: int, outline: Outline) -> str:
        """Return what the leaves below a node predict: mostly one class, or numbers of some range."""
        if self.tree.classes_ is not None:
            return f"mostly {self.label(node)}"
        low, high = (answer_text(number, self.digits) for number in outline.span(node))
        return low if low == high else f"{low} to {high}"

    def branch(self, node: int, branch: int) -> str:
        """Return the condition under which a row takes a branch, as in ``age <= 30``."""
        feature = self._feature[node]
        if self._test[node] == THRESHOLD:
            threshold = self._threshold[node]
            return self.interval(feature, *((threshold, np.inf) if branch else (-np.inf, threshold)))
        if self.tests_presence(node):
            return self.presence(feature, branch == 0)
        if self._test[node] == SUBSET:
            return self.membership(feature, self.subset(node), is_inside=branch == 0)
        return f"{self.name(feature)} = {self.value(feature, branch)}"

    @cached_property
    def _missing_ways(self) -> MissingWays:
        return MissingWays.of(self.tree)

    def takes_missing(self, node: int, branch: int) -> bool:
        """Return whether missing values take a branch although its condition does not ask for them."""
        return self._missing_ways.branch[node] == branch and not self.tests_presence(node)

    def way(self, node: int, branch: int) -> str:
        """Return the condition under which any row takes a branch, as in ``age <= 30 or missing``."""
        text = self.branch(node, branch)
        return self.met_by_missing(self._feature[node], text) if self.takes_missing(node, branch) else text

    @property
    def missing_note(self) -> str:
        """Say which missing values spread a row over several branches; empty if none do."""
        mixed = self._missing_ways.mixed
        if not mixed:
            return ""
        names = list_choices([self.name(feature) for feature in mixed])
        which = f"{names} is" if len(mixed) <= _MAX_MIXED else "a tested value is"
        return f"If {which} missing, a row takes all branches, weighted by their training rows."

    def tests_presence(self, node: int) -> bool:
        """Return whether a test only asks if the value is missing."""
        if self._test[node] == THRESHOLD:
            return self._threshold[node] in (ANY_NUMBER, -math.inf)
        if self._test[node] != SUBSET or self.tree.shares(node)[1] != 1:
            return False
        return len(self.subset(node)) == self.tree.schema.features[self._feature[node]].n_values

    def question(self, node: int) -> str:
        """Return the test of a node as a box shows it; see :meth:`answer`."""
        if self._test[node] == MULTIWAY:
            return self.name(self._feature[node])
        return self.branch(node, 0)

    def predicate(self, node: int) -> str:
        """Return a test in words, without the name: ``30 or less``; empty if it has many branches."""
        if self._test[node] == MULTIWAY:
            return ""
        if self._test[node] == THRESHOLD and not self.tests_presence(node):
            return self.at_most(self._feature[node], self._threshold[node])
        words = self.branch(node, 0)[len(self.name(self._feature[node])) + 1 :]
        signs = {"=": "is", "!=": "is not"}
        first, _, rest = words.partition(" ")
        return f"{signs.get(first, first)} {rest}"

    def answer(self, node: int, branch: int) -> str:
        """Return the label of a branch under :meth:`question`."""
        is_named = self._test[node] == MULTIWAY
        text = self.value(self._feature[node], branch) if is_named else self._branch_words[branch]
        return self.or_missing(text) if self.takes_missing(node, branch) else text

    def subset(self, node: int) -> list[int]:
        """Return the codes of a subset test that take branch 0."""
        begin, end = self.tree.core.category_begin[node : node + 2]
        return [int(code) for code in self.tree.core.category[begin:end]]
