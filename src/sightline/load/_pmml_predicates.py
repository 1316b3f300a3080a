"""The predicates of PMML nodes as tests of the caller's columns."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import UnsupportedModelError
from sightline.load._pmml_fields import Field, Fields, typed
from sightline.load._thresholds import double_at_most, double_below, float32_at_most, float32_below
from sightline.load._xml import Xml

TRUE, FALSE, THRESHOLD, SUBSET = range(4)
"""Kinds of predicates, after translation."""
_ORDERED = ("lessOrEqual", "lessThan", "greaterThan", "greaterOrEqual")
_OPERATORS = (*_ORDERED, "equal", "notEqual", "isMissing", "isNotMissing")
_UNKNOWN = -1


class Predicates:
    """One predicate per node, translated.

    Parameters
    ----------
    xml : Xml
        The document.
    fields : Fields
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

    def __init__(self, xml: Xml, fields: Fields, elements: NDArray[np.int64]) -> None:
        self.xml = xml
        self.fields = fields
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
        names, operators = (self.xml.column(key)[elements] for key in ("field", "operator"))
        key = names.astype(np.int64) * (int(operators.max(initial=0)) + 2) + operators
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order], prepend=np.iinfo(np.int64).min))
        for group in np.split(order, starts[1:]) if len(order) else []:
            first = int(elements[group[0]])
            field = self._field(first)
            operator = self.xml.require(first, "operator")
            if operator not in _OPERATORS:
                raise self._unsupported(first, f"the operator {operator!r} is not supported")
            chosen = nodes[group]
            if field.is_nominal:
                for node in chosen.tolist():
                    self._enter_subset(node, *self._simple_subset(int(self.elements[node])))
            else:
                self._enter_thresholds(chosen, field, operator)

    def _field(self, element: int) -> Field:
        name = self.xml.require(element, "field")
        field = self.fields.get(name)
        if field is None:
            raise self._unsupported(
                element, f"{name!r} is not an input. Fields derived from inputs are not supported"
            )
        return field

    def _unsupported(self, element: int, sentence: str) -> UnsupportedModelError:
        return UnsupportedModelError(f"{self.xml.where(element)}: {sentence}.")

    def _enter_thresholds(self, nodes: NDArray[np.int64], field: Field, operator: str) -> None:
        self.kind[nodes] = THRESHOLD
        self.field[nodes] = field.index
        filling = self._replacement(field)
        if operator in ("isMissing", "isNotMissing"):
            # No number is at most minus infinity: all are on the right.
            self.threshold[nodes] = -np.inf
            self.true_is_right[nodes] = operator == "isNotMissing"
            is_missing = np.isnan(filling)
            self.if_missing[nodes] = is_missing == (operator == "isMissing")
            return
        if operator not in _ORDERED:
            raise self._unsupported(
                int(self.elements[nodes[0]]), f"the operator {operator!r} of a number is not supported"
            )
        value = self._values(nodes, field)
        is_strict = operator in ("lessThan", "greaterOrEqual")
        self.threshold[nodes] = _highest(field.dtype)(value, is_strict)
        self.true_is_right[nodes] = operator.startswith("greater")
        if np.isnan(filling):
            self.if_missing[nodes] = _UNKNOWN
        else:
            is_low = filling < value if is_strict else filling <= value
            self.if_missing[nodes] = is_low ^ self.true_is_right[nodes]

    def _values(self, nodes: NDArray[np.int64], field: Field) -> NDArray[np.float64]:
        elements = self.elements[nodes]
        strings = self.xml.column("value")[elements]
        numbers = self.xml.singles if field.dtype == "float" else self.xml.numbers
        value = np.where(strings >= 0, numbers[strings], np.nan)
        if np.isnan(value).any():
            raise self.xml.fault(
                int(elements[np.flatnonzero(np.isnan(value))[0]]), "its value is not a number"
            )
        return value

    def _replacement(self, field: Field) -> float:
        """Return the number that replaces a missing value, NaN if none does."""
        if field.replacement is None:
            return np.nan
        number = typed(field.replacement, "double")
        if not isinstance(number, float) or np.isnan(number):
            raise UnsupportedModelError(
                f"{self.xml.file}: MiningField {field.name!r}: missingValueReplacement must be a number. "
                f"Got {field.replacement!r} instead."
            )
        return float(np.float32(number)) if field.dtype == "float" else number

    def _enter_subset(self, node: int, field: Field, is_true: NDArray[np.bool_], if_missing: int) -> None:
        self.kind[node] = SUBSET
        self.field[node] = field.index
        self._codes[node] = np.flatnonzero(is_true).astype(np.int32)
        if if_missing == _UNKNOWN and field.replacement is not None:
            code = field.code_of.get(field.replacement)
            if code is None:
                raise UnsupportedModelError(
                    f"{self.xml.file}: MiningField {field.name!r}: missingValueReplacement "
                    f"{field.replacement!r} is not a declared value."
                )
            if_missing = int(is_true[code])
        self.if_missing[node] = if_missing

    def _simple_subset(self, element: int) -> tuple[Field, NDArray[np.bool_], int]:
        """Return for which categories a SimplePredicate is true."""
        field = self._nominal(element)
        operator = self.xml.require(element, "operator")
        n_values = len(field.values)
        if operator in ("isMissing", "isNotMissing"):
            is_missing = operator == "isMissing"
            return field, np.full(n_values, not is_missing), int(is_missing == (field.replacement is None))
        if operator not in ("equal", "notEqual"):
            raise self._unsupported(element, f"the operator {operator!r} of a category is not supported")
        is_equal = self._among(field, [self.xml.require(element, "value")])
        return field, is_equal if operator == "equal" else ~is_equal, _UNKNOWN

    def _set(self, element: int) -> tuple[Field, NDArray[np.bool_], int]:
        """Return for which categories a SimpleSetPredicate is true."""
        field = self._nominal(element)
        operator = self.xml.require(element, "booleanOperator")
        array = self.xml.child(element, "Array")
        if operator not in ("isIn", "isNotIn") or array is None:
            raise self._unsupported(element, f"booleanOperator {operator!r} is not supported")
        is_in = self._among(field, array_values(self.xml.text(array)))
        return field, is_in if operator == "isIn" else ~is_in, _UNKNOWN

    def _among(self, field: Field, values: list[str]) -> NDArray[np.bool_]:
        listed = {typed(value, field.dtype) for value in values}
        return np.array([typed(value, field.dtype) in listed for value in field.values], dtype=np.bool_)

    def _nominal(self, element: int) -> Field:
        field = self._field(element)
        if not field.is_nominal:
            raise self._unsupported(element, "a set of numbers is not supported")
        return field

    def _compound(self, element: int) -> tuple[Field, NDArray[np.bool_], int]:
        """Return for which categories a CompoundPredicate about one field is true."""
        operator = self.xml.require(element, "booleanOperator")
        if operator not in ("and", "or", "xor", "surrogate"):
            raise self._unsupported(element, f"booleanOperator {operator!r} is not supported")
        parts = [self._part(child) for child in self.xml.children(element)]
        fields = {field.index for field, _, _ in parts if field is not None}
        if len(fields) != 1:
            raise self._unsupported(element, "predicates about several fields are not supported")
        field = next(field for field, _, _ in parts if field is not None)
        truths = [np.broadcast_to(truth, (len(field.values),)) for _, truth, _ in parts]
        if operator == "surrogate":
            known = [if_missing for _, _, if_missing in parts if if_missing != _UNKNOWN]
            return field, truths[0], known[0] if known else _UNKNOWN
        combine = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}[operator]
        result = combine.reduce(truths)
        return field, result, _three_valued(operator, [if_missing for _, _, if_missing in parts])

    def _part(self, element: int) -> tuple[Field | None, NDArray[np.bool_], int]:
        kind = self.xml.kind(element)
        if kind in ("True", "False"):
            return None, np.array([kind == "True"]), int(kind == "True")
        readers: dict[str, Callable[[int], tuple[Field, NDArray[np.bool_], int]]] = {
            "SimplePredicate": self._simple_subset,
            "SimpleSetPredicate": self._set,
            "CompoundPredicate": self._compound,
        }
        if kind not in readers:
            raise self._unsupported(element, "it is not a predicate")
        return readers[kind](element)


def _three_valued(operator: str, parts: list[int]) -> int:
    """Combine true (1), false (0) and unknown (-1)."""
    if operator == "xor":
        return _UNKNOWN if _UNKNOWN in parts else sum(parts) % 2
    decides = 0 if operator == "and" else 1
    if decides in parts:
        return decides
    return _UNKNOWN if _UNKNOWN in parts else 1 - decides


def _highest(dtype: str) -> Callable[[NDArray[np.float64], bool], NDArray[np.float64]]:
    """Return how a threshold of a type becomes one over doubles."""
    if dtype == "float":
        return lambda value, strict: float32_below(value) if strict else float32_at_most(value)
    return lambda value, strict: double_below(value) if strict else double_at_most(value)


_ARRAY_ENTRY = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')


def array_values(text: str) -> list[str]:
    r"""Return the entries of a PMML array: separated by blanks, in quotes if they contain any.

    Examples
    --------
    >>> array_values(r'a "b c" "d\"e"')
    ['a', 'b c', 'd"e']
    """
    return [plain or quoted.replace('\\"', '"') for quoted, plain in _ARRAY_ENTRY.findall(text)]
