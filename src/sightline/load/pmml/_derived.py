"""The derived fields of PMML that depend on a single input.

Supported expressions: a reference, sums, differences, products and quotients with constants, and tables
from categories to numbers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import UnsupportedModelError
from sightline.load._computed_columns import CategoryColumn, NumberColumn, Step, as_single
from sightline.load.pmml._inputs import Inputs
from sightline.load.pmml._xml import Xml

Column = NumberColumn | CategoryColumn
_OPERATIONS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}
_MAX_DEPTH = 100


class DerivedFields:
    """The inputs of a model and the fields that are computed from them.

    Parameters
    ----------
    xml : Xml
        The document.
    fields : Inputs
        The inputs.
    """

    def __init__(self, xml: Xml, fields: Inputs) -> None:
        self.xml = xml
        self.fields = fields
        self._element: dict[str, int] = {}
        self._columns: dict[str, Column] = {}
        for element in np.flatnonzero(xml.named("DerivedField")).tolist():
            name = xml.require(element, "name")
            if name in self._element or fields.get(name) is not None:
                raise self._unsupported(element, "another field has the same name")
            self._element[name] = element

    def column(self, name: str, asking: int, depth: int = 0) -> Column:
        """Return a field as a column of numbers; `asking` is the element that names it."""
        if name not in self._columns:
            field = self.fields.get(name)
            if field is not None:
                self._columns[name] = field.column(self.xml)
            elif name not in self._element:
                raise self._unsupported(asking, f"the field {name!r} is not an input of the model")
            else:
                self._columns[name] = self._derived(self._element[name], depth + 1)
        return self._columns[name]

    def is_single(self, name: str) -> bool:
        """Whether a field has single precision: what it is compared with is rounded, too."""
        field = self.fields.get(name)
        if field is not None:
            return field.dtype == "float"
        return name in self._element and self.xml.get(self._element[name], "dataType") == "float"

    def _unsupported(self, element: int, sentence: str) -> UnsupportedModelError:
        return UnsupportedModelError(f"{self.xml.where(element)}: {sentence}.")

    def _derived(self, element: int, depth: int) -> Column:
        parts = list(self.xml.children(element))
        dtype = self.xml.require(element, "dataType")
        if len(parts) != 1 or dtype not in ("double", "float"):
            raise self._unsupported(element, "only one expression of type double or float is supported")
        column = self._expression(parts[0], depth)
        is_rounded = isinstance(column, NumberColumn) and column.is_single and not column.steps
        return column if dtype == "double" or is_rounded else column.then(as_single)

    def _expression(self, element: int, depth: int) -> Column:
        kind = self.xml.kind(element)
        if depth > _MAX_DEPTH:
            raise self._unsupported(element, "derived fields and expressions are nested too deeply")
        if kind == "FieldRef":
            self._allow(element, "field")
            column = self.column(self.xml.require(element, "field"), element, depth)
            if isinstance(column, CategoryColumn) and self._is_input(element):
                raise self._unsupported(element, "a category is not a number")
            return column
        if kind == "Apply":
            return self._apply(element, depth)
        if kind == "MapValues":
            return self._mapped(element)
        if kind == "NormDiscrete":
            self._allow(element, "field", "value")
            field = self.xml.require(element, "field")
            return self._lookup(element, field, {self.xml.require(element, "value"): 1.0}, 0.0, np.nan)
        raise self._unsupported(element, "the expression is not supported")

    def _is_input(self, element: int) -> bool:
        return self.fields.get(self.xml.require(element, "field")) is not None

    def _allow(self, element: int, *names: str) -> None:
        unknown = sorted(set(self.xml.attributes(element)) - set(names))
        if unknown:
            raise self._unsupported(element, f"the attribute {unknown[0]!r} is not supported")

    def _apply(self, element: int, depth: int) -> Column:
        self._allow(element, "function")
        function = self.xml.require(element, "function")
        operands = list(self.xml.children(element))
        if function not in _OPERATIONS or len(operands) != 2:
            raise self._unsupported(element, f"the function {function!r} is not supported")
        is_constant = [self.xml.kind(operand) == "Constant" for operand in operands]
        if sum(is_constant) != 1:
            raise self._unsupported(element, "arithmetic of two fields is not supported")
        constant = self._constant(operands[0 if is_constant[0] else 1])
        column = self._expression(operands[1 if is_constant[0] else 0], depth + 1)
        if function == "/" and (is_constant[0] or constant == 0):
            raise self._unsupported(element, "a division by a field or by zero is not supported")
        sign = 1
        if function in ("*", "/"):
            sign = -1 if constant < 0 else 1
        elif function == "-" and is_constant[0]:
            sign = -1
        return column.then(_operation(function, constant, is_constant[0]), sign)

    def _constant(self, element: int) -> float:
        dtype = self.xml.get(element, "dataType") or "double"
        try:
            number = float(self.xml.text(element))
        except ValueError:
            number = np.nan
        if dtype not in ("double", "integer") or not np.isfinite(number):
            raise self._unsupported(element, "it must be a finite number of type double")
        return number

    def _mapped(self, element: int) -> CategoryColumn:
        self._allow(element, "outputColumn", "dataType", "defaultValue", "mapMissingTo")
        pairs = list(self.xml.children(element, "FieldColumnPair"))
        table = self.xml.child(element, "InlineTable")
        if len(pairs) != 1 or table is None:
            raise self._unsupported(element, "only an InlineTable of one field is supported")
        key = self.xml.require(pairs[0], "column").rpartition(":")[2]
        value = self.xml.require(element, "outputColumn").rpartition(":")[2]
        codes: dict[object, float] = {}
        for row in self.xml.children(table, "row"):
            cells = {self.xml.kind(cell): self.xml.text(cell) for cell in self.xml.children(row)}
            if key not in cells or value not in cells:
                raise self.xml.fault(row, "a cell is missing")
            codes[cells[key]] = self._number(row, cells[value])
        default, missing = (
            self._number(element, self.xml.get(element, name) or "NaN")
            for name in ("defaultValue", "mapMissingTo")
        )
        return self._lookup(element, self.xml.require(pairs[0], "field"), codes, default, missing)

    def _number(self, element: int, text: str) -> float:
        try:
            return float(text)
        except ValueError as error:
            raise self._unsupported(element, f"the value {text!r} is not a number") from error

    def _lookup(
        self, element: int, name: str, codes: dict[object, float], default: float, missing: float
    ) -> CategoryColumn:
        """Return the column that holds the entry of a table for each category of an input."""
        field = self.fields.get(name)
        if field is None or not field.is_nominal:
            raise self._unsupported(element, f"{name!r} is not a categorical input")
        of_input = field.column(self.xml)
        assert isinstance(of_input, CategoryColumn)
        entries = [*(codes.get(value, default) for value in field.all_values), missing]
        filling = of_input.default
        number = entries[-1] if np.isnan(filling) else entries[int(filling)]
        return replace(of_input, codes=dict(zip(field.all_values, entries, strict=False)), default=number)


def _operation(function: str, constant: float, constant_first: bool) -> Step:
    operation = _OPERATIONS[function]

    def computed(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        return operation(constant, numbers) if constant_first else operation(numbers, constant)

    return computed
