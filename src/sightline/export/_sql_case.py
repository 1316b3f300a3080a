"""A tree as a CASE expression whose nesting grows with the logarithm of its leaves.

The branch with the most leaves stays in the same CASE: it is what the preceding WHENs have not
caught. Only smaller branches are nested. So a chain of a thousand tests is one flat CASE, and a
hundred thousand leaves nest at most 17 deep.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from sightline.export._plain_nodes import SHARED, PlainNodes, listed_values, other_codes
from sightline.export._sql_dialect import Dialect
from sightline.model import LEAF, MULTIWAY, THRESHOLD
from sightline.table import Feature, Schema

_NO_BRANCH = -2
"""Branch of missing values where none can be missing."""


class Fields:
    """The columns of a table, and conditions on them.

    Parameters
    ----------
    schema : Schema
        Names and categories of the features.
    used : sequence of int
        Features that the model tests.
    dialect : Dialect
        How names and values are written.
    owner : str, default=""
        Written before the names, where the table is not the only one.
    """

    def __init__(self, schema: Schema, used: Sequence[int], dialect: Dialect, owner: str = "") -> None:
        self.dialect = dialect
        self.column = {feature: owner + dialect.identifier(schema.names[feature]) for feature in used}
        self.n_values = schema.n_values
        self.values = {
            feature: [dialect.value(value) for value in listed_values(schema.features[feature])]
            for feature in used
            if schema.features[feature].is_nominal
        }
        self.others = other_codes(schema)
        self._truths = {feature for feature in used if _holds_truths(schema.features[feature])}
        self.kind = {feature: schema.features[feature].kind for feature in used}
        for feature, column in self.column.items():
            if self.kind[feature] in dialect.instants:
                self.column[feature] = dialect.instants[self.kind[feature]][0].format(column)
            elif self.kind[feature] == "duration":
                self.column[feature] = dialect.duration.format(dialect.numeric.format(column))
            elif feature not in self.values:
                self.column[feature] = dialect.numeric.format(column)
            elif self.values[feature] and self.values[feature][0].endswith("'"):
                self.column[feature] += dialect.collate
            elif self.is_truth(feature):
                self.column[feature] = dialect.truth_category.format(column)
            else:
                self.column[feature] = dialect.numeric_category.format(column)

    def renamed(self, column: Mapping[int, str]) -> Fields:
        """Return the same fields where a subquery gives its columns these names."""
        made = copy(self)
        made.column = dict(column)
        return made

    def is_missing(self, feature: int) -> str:
        """Write the condition that a value is missing or an unknown category."""
        column = self.column[feature]
        if self.is_plain_number(feature):
            return self.dialect.missing(column)
        if feature in self.others or feature not in self.values:
            return f"{column} IS NULL"
        return f"{column} IS NULL OR {self.is_unlisted(feature)}"

    def is_at_most(self, feature: int, bound: float, is_inside: bool = True) -> str:
        """Write the condition that a number is at most a bound or, if not inside, above it."""
        return self.dialect.at_most(self.column[feature], bound, self.kind[feature], is_inside)

    def is_plain_number(self, feature: int) -> bool:
        """Whether a column holds numbers, not dates or categories."""
        return feature not in self.values and self.kind[feature] not in self.dialect.instants

    def is_truth(self, feature: int) -> bool:
        """Whether a column holds booleans."""
        return feature in self._truths

    def has_nan(self, feature: int) -> bool:
        """Whether a column may hold NaN."""
        return bool(self.dialect.nan) and self.is_plain_number(feature)

    def is_unlisted(self, feature: int) -> str:
        """Write the condition that a category is not missing and not listed."""
        return _not_in(self.column[feature], self.values[feature])

    def is_one_of(self, feature: int, codes: Sequence[int], with_missing: bool) -> str:
        """Write the condition that a value is one of some categories or, if wanted, missing."""
        column, values = self.column[feature], self.values[feature]
        inside = set(codes)
        has_other, catches_rest = feature in self.others, self.others.get(feature) in inside
        # The side that also takes values that are not listed must name the other side.
        if catches_rest if has_other else with_missing:
            outside = [value for code, value in enumerate(values) if code not in inside]
            if with_missing:
                return f"({_not_in(column, outside)} OR {column} IS NULL)" if outside else "1 = 1"
            return _not_in(column, outside) if outside else f"{column} IS NOT NULL"
        listed = _in(column, [values[code] for code in codes])
        if not with_missing:
            return listed
        return f"({listed} OR {column} IS NULL)" if inside else f"{column} IS NULL"

    def is_known_one_of(self, feature: int, codes: Sequence[int]) -> str:
        """Write the same for a value that is a known category, by listing the smaller side."""
        column, values = self.column[feature], self.values[feature]
        inside = set(codes)
        others = [value for code, value in enumerate(values) if code not in inside]
        if feature in self.others:
            return self.is_one_of(feature, codes, with_missing=False)
        if len(others) < len(inside):
            return _not_in(column, others) if others else "1 = 1"
        return _in(column, [values[code] for code in codes])


class Tests:
    """The conditions of the tests of a tree.

    Parameters
    ----------
    nodes : PlainNodes
        The tree.
    fields : Fields
        The columns that it tests.
    """

    def __init__(self, nodes: PlainNodes, fields: Fields) -> None:
        self.nodes = nodes
        self.fields = fields
        self._test: list[int] = nodes.test.tolist()
        self._feature: list[int] = nodes.feature.tolist()
        self._threshold: list[float] = nodes.threshold.tolist()
        self._missing: list[int] = nodes.missing.tolist()

    def takes(self, node: int, branch: int, is_complete: bool = False) -> str:
        """Write the condition under which a row takes a branch.

        Parameters
        ----------
        node, branch : int
            The branch.
        is_complete : bool, default=False
            Whether no value is missing.
        """
        missing = _NO_BRANCH if is_complete or self._missing[node] == SHARED else self._missing[node]
        if self._test[node] == THRESHOLD:
            return self._takes_number(node, branch, missing)
        codes = self._codes(node, branch)
        if is_complete:
            return self.fields.is_known_one_of(self._feature[node], codes)
        return self.fields.is_one_of(self._feature[node], codes, missing == branch)

    def _takes_number(self, node: int, branch: int, missing: int) -> str:
        feature, bound = self._feature[node], self._threshold[node]
        absent = self.fields.is_missing(feature)
        if math.isinf(bound):
            return self._takes_any_number(absent, branch, missing)
        known = self.fields.is_at_most(feature, bound, is_inside=branch == 0)
        if missing == branch:
            return f"({known} OR {absent})"
        if branch and self.fields.has_nan(feature) and missing != _NO_BRANCH:
            # Some databases sort NaN above every number, others do not.
            return f"NOT ({self.fields.is_at_most(feature, bound)} OR {absent})"
        return known

    @staticmethod
    def _takes_any_number(absent: str, branch: int, missing: int) -> str:
        """Write the same for a test that every number passes."""
        takes_missing = missing == branch
        if branch:
            return f"({absent})" if takes_missing else "1 = 0"
        if takes_missing or missing == _NO_BRANCH:
            return "1 = 1"
        return f"NOT ({absent})"

    def _codes(self, node: int, branch: int) -> list[int]:
        if self._test[node] == MULTIWAY:
            return [branch]
        chosen = self.nodes.categories[node]
        if branch == 0:
            return chosen
        return sorted(set(range(self.fields.n_values[self._feature[node]])) - set(chosen))


@dataclass(frozen=True)
class _Part:
    """A subtree still to be written, and its position."""

    node: int
    level: int
    indent: str
    given: tuple[str, ...]


class CaseWriter:
    """Writes CASE expressions over one tree.

    Parameters
    ----------
    tests : Tests
        Its conditions.
    is_complete : bool
        Whether the expression is used only for rows without missing values.
    """

    def __init__(self, tests: Tests, is_complete: bool) -> None:
        self._nodes = tests.nodes
        self._tests = tests
        self._is_complete = is_complete
        self._n_leaves = _leaves_below(self._nodes)

    def written(self, answer: Callable[[int], str], indent: str) -> str:
        """Write the expression for ``answer(leaf)``, where leaf is the one that a row reaches.

        A subtree whose leaves all have the same answer becomes one leaf.
        """
        answers = self._answers(answer)
        if answers[0] is not None:
            return answers[0]
        pieces: list[str] = [f"{indent}CASE"]
        stack: list[_Part | str] = [f"{indent}END", _Part(0, 1, indent + "  ", ())]
        while stack:
            top = stack.pop()
            if isinstance(top, str):
                pieces.append(top)
            else:
                stack.extend(reversed(self._chain(top, answers)))
        return "\n".join(pieces).lstrip()

    def _chain(self, part: _Part, answers: list[str | None]) -> list[_Part | str]:
        """Write the tests from a node toward the most leaves, as WHENs of one CASE."""
        lines: list[_Part | str] = []
        indent, node = part.indent, part.node
        children = self._nodes.children
        while answers[node] is None:
            heavy = max(range(len(children[node])), key=lambda b: self._n_leaves[children[node][b]])
            for branch, child in enumerate(children[node]):
                if branch == heavy:
                    continue
                given = (*part.given, self._tests.takes(node, branch, self._is_complete))
                lines += self._branch(child, given, part, answers[child])
            node = children[node][heavy]
        last = answers[node]
        lines.append(
            f"{indent}WHEN {' AND '.join(part.given)} THEN {last}" if part.given else f"{indent}ELSE {last}"
        )
        return lines

    def _branch(
        self, child: int, given: tuple[str, ...], part: _Part, answer: str | None
    ) -> list[_Part | str]:
        indent = part.indent
        if answer is not None:
            return [f"{indent}WHEN {' AND '.join(given)} THEN {answer}"]
        if part.level >= self._tests.fields.dialect.max_nesting:
            return [_Part(child, part.level, indent, given)]
        return [
            f"{indent}WHEN {' AND '.join(given)}\n{indent}THEN CASE",
            _Part(child, part.level + 1, indent + "  ", ()),
            f"{indent}END",
        ]

    def _answers(self, answer: Callable[[int], str]) -> list[str | None]:
        """Return per node the answer of all its leaves, None where they differ."""
        answers: list[str | None] = [None] * self._nodes.n_nodes
        test = self._nodes.test.tolist()
        for node in range(self._nodes.n_nodes - 1, -1, -1):
            if test[node] == LEAF:
                answers[node] = answer(node)
            else:
                below = {answers[child] for child in self._nodes.children[node]}
                answers[node] = below.pop() if len(below) == 1 else None
        return answers


def _leaves_below(nodes: PlainNodes) -> list[int]:
    counts = [1] * nodes.n_nodes
    for node in range(nodes.n_nodes - 1, -1, -1):
        if nodes.children[node]:
            counts[node] = sum(counts[child] for child in nodes.children[node])
    return counts


def _holds_truths(feature: Feature) -> bool:
    return any(isinstance(value, bool) for value in listed_values(feature))


def _in(column: str, values: Sequence[Any]) -> str:
    if not values:
        return "1 = 0"
    return f"{column} = {values[0]}" if len(values) == 1 else f"{column} IN ({', '.join(values)})"


def _not_in(column: str, values: Sequence[Any]) -> str:
    return f"{column} <> {values[0]}" if len(values) == 1 else f"{column} NOT IN ({', '.join(values)})"
