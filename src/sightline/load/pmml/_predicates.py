"""The predicates of PMML nodes as tests of the caller's columns."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import UnsupportedModelError
from sightline.load._computed_columns import LARGEST_DOUBLE, CategoryColumn, NumberColumn
from sightline.load.pmml._derived import DerivedFields
from sightline.load.pmml._inputs import Inputs, typed
from sightline.load.pmml._xml import Xml

TRUE, FALSE, THRESHOLD, SUBSET = range(4)
"""Kinds of predicates, after translation."""
_ORDERED = ("lessOrEqual", "lessThan", "greaterThan", "greaterOrEqual")
_OPERATORS = (*_ORDERED, "equal", "notEqual", "isMissing", "isNotMissing")
_COMPARISONS = {
    "lessOrEqual": np.less_equal,
    "lessThan": np.less,
    "greaterThan": np.greater,
    "greaterOrEqual": np.greater_equal,
    "equal": np.equal,
    "notEqual": np.not_equal,
}
_UNKNOWN = -1
_MAX_DEPTH = 100


class Predicates:
    """One predicate per node, translated.

    Parameters
    ----------
    xml : Xml
        The document.
    fields : Inputs
        The inputs of the model.
    elements : ndarray of int64, shape (n_nodes,)
        The elements of the predicates.

    Attributes
    ----------
    kind : ndarray of uint8
        TRUE, FALSE, THRESHOLD or SUBSET.
    field : ndarray of int64
        The caller's column.
    threshold : ndarray of float64
        Numbers up to here are on the left.
    true_is_right : ndarray of bool
        Whether the predicate is true on the right.
    if_missing : ndarray of int8
        What the predicate is if the value is missing: 1 true, 0 false, -1 unknown.
    """

    def __init__(self, xml: Xml, fields: Inputs, elements: NDArray[np.int64]) -> None:
        self.xml = xml
        self.fields = fields
        self.derived = DerivedFields(xml, fields)
        self.elements = elements
        n = len(elements)
        self.kind = np.full(n, FALSE, dtype=np.uint8)
        self.kind[xml.named("True")[elements]] = TRUE
        self.field = np.zeros(n, dtype=np.int64)
        self.threshold = np.zeros(n)
        self.true_is_right = np.zeros(n, dtype=np.bool_)
        self.if_missing = np.zeros(n, dtype=np.int8)
        self.if_missing[self.kind == TRUE] = 1
        self._codes: dict[int, NDArray[np.int32]] = {}
        self._translate_simple(np.flatnonzero(xml.named("SimplePredicate")[elements]))
        for name, read in (("SimpleSetPredicate", self._set), ("CompoundPredicate", self._compound)):
            for node in np.flatnonzero(xml.named(name)[elements]).tolist():
                self._enter_subset(node, *read(int(elements[node])))

    def codes(self, node: int) -> NDArray[np.int32]:
        """Return the categories for which the predicate of a node is true."""
        return self._codes[node]

    def _translate_simple(self, nodes: NDArray[np.int64]) -> None:
        """Translate all predicates of the same field and operator at once."""
        elements = self.elements[nodes]
        names, operators = (_dense(self.xml.column(key)[elements]) for key in ("field", "operator"))
        key = names * (int(operators.max(initial=0)) + 1) + operators
        order = stable_order(key)
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        for group in np.split(order, starts[1:]) if len(order) else []:
            first = int(elements[group[0]])
            column = self._column(first)
            chosen = nodes[group]
            if isinstance(column, NumberColumn):
                self._enter_thresholds(chosen, column, self._operator(first))
            else:
                for node in chosen.tolist():
                    self._enter_subset(node, *self._simple_subset(int(self.elements[node])))

    def _column(self, element: int) -> NumberColumn | CategoryColumn:
        return self.derived.column(self.xml.require(element, "field"), element)

    def _operator(self, element: int) -> str:
        operator = self.xml.require(element, "operator")
        if operator not in _OPERATORS:
            raise self._unsupported(element, f"the operator {operator!r} is not supported")
        return operator

    def _unsupported(self, element: int, sentence: str) -> UnsupportedModelError:
        return UnsupportedModelError(f"{self.xml.where(element)}: {sentence}.")

    def _enter_thresholds(self, nodes: NDArray[np.int64], column: NumberColumn, operator: str) -> None:
        self.kind[nodes] = THRESHOLD
        self.field[nodes] = column.source
        filling = column.of_missing()
        if operator in ("isMissing", "isNotMissing"):
            # All numbers are on the left.
            self.threshold[nodes] = LARGEST_DOUBLE
            self.true_is_right[nodes] = operator == "isMissing"
            self.if_missing[nodes] = np.isnan(filling) == (operator == "isMissing")
            return
        if operator not in _ORDERED:
            raise self._unsupported(
                int(self.elements[nodes[0]]), f"the operator {operator!r} of a number is not supported"
            )
        value = self._values(nodes)
        is_strict = operator in ("lessThan", "greaterOrEqual")
        is_greater = operator.startswith("greater")
        self.threshold[nodes], is_right = column.split(value, is_strict)
        self.true_is_right[nodes] = is_greater ^ is_right
        if np.isnan(filling):
            self.if_missing[nodes] = _UNKNOWN
        else:
            self.if_missing[nodes] = (filling < value if is_strict else filling <= value) ^ is_greater

    def _values(self, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the numbers that a field is compared with, in the precision of its type."""
        elements = self.elements[nodes]
        strings = self.xml.column("value")[elements]
        is_single = self.derived.is_single(self.xml.require(int(elements[0]), "field"))
        numbers = self.xml.singles if is_single else self.xml.numbers
        value = np.where(strings >= 0, numbers[strings], np.nan)
        if np.isnan(value).any():
            raise self.xml.fault(
                int(elements[np.flatnonzero(np.isnan(value))[0]]), "its value is not a number"
            )
        return value

    def _enter_subset(
        self, node: int, column: CategoryColumn, is_true: NDArray[np.bool_], if_missing: int
    ) -> None:
        self.kind[node] = SUBSET
        self.field[node] = column.source
        self._codes[node] = np.flatnonzero(is_true).astype(np.int32)
        self.if_missing[node] = if_missing

    def _simple_subset(self, element: int) -> tuple[CategoryColumn, NDArray[np.bool_], int]:
        """Return for which categories a SimplePredicate is true."""
        column = self._category(element)
        operator = self._operator(element)
        numbers = np.array(list(column.codes.values()))
        if operator in ("isMissing", "isNotMissing"):
            is_missing = operator == "isMissing"
            return column, np.isnan(numbers) == is_missing, int(np.isnan(column.default) == is_missing)
        if operator in _ORDERED and self._is_input(element):
            raise self._unsupported(element, f"the operator {operator!r} of a category is not supported")
        listed = self._number_of(element, column, self.xml.require(element, "value"))
        return self._compared(column, lambda number: _COMPARISONS[operator](number, listed))

    def _compared(
        self, column: CategoryColumn, holds: Callable[[NDArray[np.float64]], NDArray[np.bool_]]
    ) -> tuple[CategoryColumn, NDArray[np.bool_], int]:
        numbers = np.array([*column.codes.values(), column.default])
        if np.isnan(numbers[:-1]).any():
            raise UnsupportedModelError(
                f"{self.xml.file}: a field is missing for some categories, which is not supported."
            )
        truth = holds(numbers)
        return column, truth[:-1], _UNKNOWN if np.isnan(numbers[-1]) else int(truth[-1])

    def _is_input(self, element: int) -> bool:
        return self.fields.get(self.xml.require(element, "field")) is not None

    def _number_of(self, element: int, column: CategoryColumn, value: str) -> float:
        """Return the number that represents a value in a column; -1 if it is not a category."""
        if not self._is_input(element):
            number = float(self.xml.numbers[self.xml.find(value)])
            if np.isnan(number):
                raise self.xml.fault(element, "its value is not a number")
            return number
        dtype = self.fields.at(column.source).dtype
        codes = {typed(str(key), dtype): code for key, code in column.codes.items()}
        return codes.get(typed(value, dtype), -1.0)

    def _set(self, element: int) -> tuple[CategoryColumn, NDArray[np.bool_], int]:
        """Return for which categories a SimpleSetPredicate is true."""
        column = self._category(element)
        operator = self.xml.require(element, "booleanOperator")
        array = self.xml.child(element, "Array")
        if operator not in ("isIn", "isNotIn") or array is None:
            raise self._unsupported(element, f"booleanOperator {operator!r} is not supported")
        values = array_values(self.xml.text(array))
        if not self._is_input(element):
            raise self._unsupported(element, "a set of numbers is not supported")
        listed = [self._number_of(element, column, value) for value in values]
        is_in = operator == "isIn"
        return self._compared(column, lambda number: np.isin(number, listed) == is_in)

    def _category(self, element: int) -> CategoryColumn:
        column = self._column(element)
        if not isinstance(column, CategoryColumn):
            raise self._unsupported(element, "only a threshold is supported for a number here")
        return column

    def _compound(self, element: int, depth: int = 0) -> tuple[CategoryColumn, NDArray[np.bool_], int]:
        """Return for which categories a CompoundPredicate about one field is true."""
        operator = self.xml.require(element, "booleanOperator")
        if operator not in ("and", "or", "xor", "surrogate") or depth > _MAX_DEPTH:
            raise self._unsupported(element, f"booleanOperator {operator!r} is not supported")
        parts = [self._part(child, depth + 1) for child in self.xml.children(element)]
        columns = [column for column, _, _ in parts if column is not None]
        if len({column.source for column in columns}) != 1:
            raise self._unsupported(element, "predicates about several fields are not supported")
        truths = [np.broadcast_to(truth, (len(columns[0].codes),)) for _, truth, _ in parts]
        if operator == "surrogate":
            known = [if_missing for _, _, if_missing in parts if if_missing != _UNKNOWN]
            return columns[0], truths[0], known[0] if known else _UNKNOWN
        combine = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}[operator]
        result: NDArray[np.bool_] = combine.reduce(truths)
        return columns[0], result, _three_valued(operator, [if_missing for _, _, if_missing in parts])

    def _part(self, element: int, depth: int) -> tuple[CategoryColumn | None, NDArray[np.bool_], int]:
        kind = self.xml.kind(element)
        if kind in ("True", "False"):
            return None, np.array([kind == "True"]), int(kind == "True")
        if kind == "CompoundPredicate":
            return self._compound(element, depth)
        if kind not in ("SimplePredicate", "SimpleSetPredicate"):
            raise self._unsupported(element, "it is not a predicate")
        return self._simple_subset(element) if kind == "SimplePredicate" else self._set(element)


def stable_order(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the order that sorts keys from 0 on and keeps equal ones as they are.

    NumPy sorts keys of 16 bits by counting them, which is much faster.
    """
    return np.argsort(keys.astype(np.min_scalar_type(int(keys.max(initial=0)))), kind="stable")


def _dense(strings: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return numbers from 0 on for the strings that occur; an absent one (-1) is one of them."""
    occurs = np.zeros(int(strings.max(initial=0)) + 2, dtype=np.bool_)
    occurs[strings] = True
    return (occurs.cumsum() - 1)[strings]


def _three_valued(operator: str, parts: list[int]) -> int:
    """Combine true (1), false (0) and unknown (-1)."""
    if operator == "xor":
        return _UNKNOWN if _UNKNOWN in parts else sum(parts) % 2
    decides = 0 if operator == "and" else 1
    if decides in parts:
        return decides
    return _UNKNOWN if _UNKNOWN in parts else 1 - decides


_ARRAY_ENTRY = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')


def array_values(text: str) -> list[str]:
    r"""Return the entries of a PMML array: separated by blanks, in quotes if they contain any.

    Examples
    --------
    >>> array_values(r'a "b c" "d\"e"')
    ['a', 'b c', 'd"e']
    """
    return [plain or quoted.replace('\\"', '"') for quoted, plain in _ARRAY_ENTRY.findall(text)]
