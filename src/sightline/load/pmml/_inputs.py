"""The inputs of a PMML document: what the caller's columns are called, and how their values are read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._codes import OTHER
from sightline.load._computed_columns import CategoryColumn, NumberColumn, filled
from sightline.load.pmml._xml import Xml
from sightline.table import Feature

_NUMERIC = ("double", "float", "integer")
_TYPES = (*_NUMERIC, "string", "boolean")
_FIELD_ATTRIBUTES = frozenset({"name", "displayName", "optype", "dataType", "isCyclic"})
_MINING_ATTRIBUTES = frozenset(
    {
        "name",
        "usageType",
        "optype",
        "importance",
        "missingValueReplacement",
        "missingValueTreatment",
        "invalidValueTreatment",
    }
)
_INNER_TREATMENTS = (
    *("missingValueReplacement", "invalidValueTreatment", "invalidValueReplacement"),
    *("outliers", "lowValue", "highValue"),
)
_UNSEEN: dict[str, Literal["missing", "last", "refuse"]] = {
    "returnInvalid": "refuse",
    "asMissing": "missing",
    "asIs": "last",
}


@dataclass(frozen=True)
class Field:
    """One input of the model.

    Parameters
    ----------
    index : int
        The caller's column.
    name : str
        Its name.
    dtype : str
        Type of its values.
    values : tuple of str
        The declared values of a categorical field, as they are spelled.
    replacement : str or None
        What a missing value is replaced with.
    unseen : {"missing", "last", "refuse"}
        What an undeclared value becomes. Where predicates are asked about it, all such values are one more
        category, the last.
    keeps_invalid : bool
        Whether invalid values are passed on as they are.
    """

    index: int
    name: str
    dtype: str
    values: tuple[str, ...]
    replacement: str | None = None
    unseen: Literal["missing", "last", "refuse"] = "missing"
    keeps_invalid: bool = False

    @property
    def is_nominal(self) -> bool:
        """Whether its values are categories."""
        return bool(self.values) or self.dtype not in _NUMERIC

    @cached_property
    def code_of(self) -> dict[str, int]:
        """Codes of the declared values."""
        return {value: code for code, value in enumerate(self.all_values)}

    @property
    def all_values(self) -> tuple[str, ...]:
        """The declared values, and one for all others if they matter."""
        return (*self.values, OTHER) if self.unseen == "last" else self.values

    def column(self, xml: Xml) -> NumberColumn | CategoryColumn:
        """Return the field as a column of numbers: those of a categorical field are its codes."""
        if self.is_nominal:
            codes: dict[object, float] = {value: float(code) for value, code in self.code_of.items()}
            filling = np.nan if self.replacement is None else codes.get(self.replacement, np.nan)
            if self.replacement is not None and np.isnan(filling):
                raise UnsupportedModelError(
                    f"{xml.file}: MiningField {self.name!r}: missingValueReplacement {self.replacement!r} "
                    "is not a declared value."
                )
            return CategoryColumn(self.index, codes, filling)
        column = NumberColumn(self.index, self.dtype == "float")
        if self.replacement is None:
            return column
        number = typed(self.replacement, "double")
        if not isinstance(number, float) or not np.isfinite(number):
            raise UnsupportedModelError(
                f"{xml.file}: MiningField {self.name!r}: missingValueReplacement must be a number. "
                f"Got {self.replacement!r} instead."
            )
        return column.then(filled(float(np.float32(number)) if column.is_single else number))

    def categories(self) -> tuple[object, ...] | None:
        """Return the declared values in their own type."""
        return tuple(typed(value, self.dtype) for value in self.all_values) if self.is_nominal else None


def typed(text: str, dtype: str) -> object:
    """Return a value of a PMML type."""
    if dtype == "boolean":
        return {"true": True, "false": False}.get(text.lower(), text)
    if dtype == "integer":
        try:
            return int(text) if len(text) <= 20 else text
        except ValueError:
            return text
    if dtype in ("double", "float"):
        try:
            return float(text)
        except ValueError:
            return text
    return text


@dataclass(frozen=True)
class DataField:
    """An entry of the data dictionary."""

    name: str
    dtype: str
    values: tuple[str, ...]
    element: int
    has_interval: bool


def data_dictionary(xml: Xml) -> dict[str, DataField]:
    """Read the data dictionary."""
    element = xml.child(0, "DataDictionary")
    if element is None:
        raise ModelFormatError(f"{xml.file}: the DataDictionary is missing.")
    fields: dict[str, DataField] = {}
    for child in xml.children(element, "DataField"):
        field = _data_field(xml, child)
        if field.name in fields:
            raise xml.fault(child, "is declared twice")
        fields[field.name] = field
    return fields


def _data_field(xml: Xml, element: int) -> DataField:
    unknown = sorted(set(xml.attributes(element)) - _FIELD_ATTRIBUTES)
    if unknown:
        raise _unsupported(xml, element, f"the attribute {unknown[0]!r} is not supported")
    dtype = xml.require(element, "dataType")
    values = []
    has_interval = False
    for child in xml.children(element):
        kind = xml.kind(child)
        if kind == "Interval":
            has_interval = True
            continue
        if kind != "Value":
            raise _unsupported(xml, child, "it is not supported")
        value = xml.require(child, "value")
        declared_as = xml.get(child, "property") or "valid"
        if declared_as == "missing" and value == "NaN":
            continue
        if declared_as != "valid":
            raise _unsupported(xml, element, f"the value {value!r} is declared as {declared_as}")
        values.append(value)
    if len(set(values)) < len(values):
        raise xml.fault(element, "a value is declared twice")
    for value in values:
        if dtype in (*_NUMERIC, "boolean") and isinstance(typed(value, dtype), str):
            raise xml.fault(element, f"the value {value!r} is not of the type {dtype!r}")
    is_continuous = xml.get(element, "optype") == "continuous"
    if is_continuous and values:
        raise _unsupported(xml, element, "a continuous field with declared values is not supported")
    return DataField(xml.require(element, "name"), dtype, tuple(values), element, has_interval)


class Inputs:
    """The inputs and the target of a model, as its mining schema lists them.

    Parameters
    ----------
    xml : Xml
        The document.
    model : int
        The outermost model.
    """

    def __init__(self, xml: Xml, model: int) -> None:
        self.xml = xml
        self._declared = data_dictionary(xml)
        self._inputs: dict[str, Field] = {}
        self.target: DataField | None = None
        schema = xml.child(model, "MiningSchema")
        if schema is None:
            raise xml.fault(model, "the MiningSchema is missing")
        for element in xml.children(schema, "MiningField"):
            self._add(element)
        self.names = [field.name for field in self._inputs.values()]
        self._refuse_inner_treatments(schema)

    def _add(self, element: int) -> None:
        xml = self.xml
        attributes = xml.attributes(element)
        unknown = sorted(set(attributes) - _MINING_ATTRIBUTES)
        if unknown:
            raise _unsupported(xml, element, f"the attribute {unknown[0]!r} is not supported")
        name, usage = xml.require(element, "name"), attributes.get("usageType", "active")
        if name not in self._declared:
            raise xml.fault(element, "the field is not declared")
        declared = self._declared[name]
        if usage in ("target", "predicted"):
            if self.target is not None:
                raise _unsupported(xml, element, "a second target is not supported")
            self.target = declared
            return
        if usage != "active":
            return
        if name in self._inputs:
            raise xml.fault(element, "the field is listed twice")
        if declared.dtype not in _TYPES:
            raise _unsupported(xml, declared.element, f"the type {declared.dtype!r} is not supported")
        treatment = attributes.get("invalidValueTreatment", "returnInvalid")
        if treatment not in _UNSEEN:
            raise _unsupported(xml, element, f"invalidValueTreatment {treatment!r} is not supported")
        if treatment == "asMissing" and declared.has_interval:
            raise _unsupported(
                xml, element, "numbers outside an Interval count as missing, which is not supported"
            )
        self._inputs[name] = Field(
            len(self._inputs),
            name,
            declared.dtype,
            declared.values,
            attributes.get("missingValueReplacement"),
            _UNSEEN[treatment] if declared.values else "missing",
            treatment == "asIs",
        )

    def _refuse_inner_treatments(self, outermost: int) -> None:
        """Refuse members of the model that prepare their inputs further: all of them share the columns."""
        is_inner = self.xml.named("MiningField") & (self.xml.parent != outermost)
        for attribute in _INNER_TREATMENTS:
            for element in np.flatnonzero(is_inner & (self.xml.column(attribute) >= 0)).tolist():
                if not self._is_without_effect(attribute, element):
                    raise _unsupported(
                        self.xml, element, f"{attribute!r} is supported only for the outermost model"
                    )

    def _is_without_effect(self, attribute: str, element: int) -> bool:
        """Whether the outermost model leaves a member nothing to treat."""
        field = self._inputs.get(self.xml.require(element, "name"))
        if attribute == "missingValueReplacement":
            return field is not None and field.replacement is not None
        if attribute == "invalidValueTreatment":
            return self.xml.get(element, attribute) != "asMissing" or (
                field is not None and not field.keeps_invalid
            )
        return False

    def get(self, name: str) -> Field | None:
        """Return an input by its name."""
        return self._inputs.get(name)

    def at(self, index: int) -> Field:
        """Return an input by its number."""
        return self._inputs[self.names[index]]

    def features(self) -> list[Feature]:
        """Return the caller's columns."""
        return [self._feature(field) for field in self._inputs.values()]

    def _feature(self, field: Field) -> Feature:
        categories = field.categories()
        if categories == ():
            raise UnsupportedModelError(
                f"{self.xml.file}: DataField {field.name!r} is categorical without declared values."
            )
        return Feature(field.name, categories, unseen=field.unseen)

    def classes(self) -> tuple[str, ...]:
        """Return the declared values of the target."""
        return () if self.target is None else self.target.values

    def labels(self, classes: tuple[str, ...]) -> NDArray[np.object_ | np.str_ | np.int64]:
        """Return labels in the type of the target."""
        dtype = "string" if self.target is None else self.target.dtype
        return np.array([typed(value, dtype) for value in classes])


def _unsupported(xml: Xml, element: int, sentence: str) -> UnsupportedModelError:
    return UnsupportedModelError(f"{xml.where(element)}: {sentence}.")
