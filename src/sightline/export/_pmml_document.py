"""The parts of a PMML 4.4 document that trees and rule sets share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from sightline.exceptions import ParameterError, UnsupportedModelError
from sightline.export._plain_nodes import listed_values, one_type
from sightline.table import Feature, Schema

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "double"}


def document(
    schema: Schema, used: Sequence[int], classes: list[Any] | None, column: str, content: Sequence[str]
) -> str:
    """Write a document that holds one model."""
    if column in schema.names:
        raise ParameterError(
            f"The model has a feature {column!r}. Pass another name for the prediction as 'column'."
        )
    target = Feature(column, None if classes is None else tuple(one_type(classes)))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">',
        '<Header><Application name="sightline"/></Header>',
        "<DataDictionary>",
        *(_data_field(schema.features[feature]) for feature in used),
        _data_field(target, schema.subject.target),
        "</DataDictionary>",
        *content,
        "</PMML>",
    ]
    return "\n".join(lines) + "\n"


def mining_schema(schema: Schema, used: Sequence[int], column: str | None) -> list[str]:
    """List the fields that a model reads, and its target. Unknown categories are missing, or refused."""
    target = [] if column is None else [f'<MiningField name={attribute(column)} usageType="target"/>']
    return [
        "<MiningSchema>",
        *(
            f"<MiningField name={attribute(schema.names[f])} "
            f'invalidValueTreatment="{_treatment(schema.features[f])}"/>'
            for f in used
        ),
        *target,
        "</MiningSchema>",
    ]


def _treatment(feature: Feature) -> str:
    return "returnInvalid" if feature.unseen == "refuse" else "asMissing"


def probability_fields(classes: list[Any] | None) -> list[str]:
    """Declare ``probability_0``, ``probability_1``, … in the order of the classes."""
    if classes is None:
        return []
    return [
        "<Output>",
        *(
            f'<OutputField name="probability_{index}" optype="continuous" dataType="double" '
            f'feature="probability" value={attribute(text_of(label))}/>'
            for index, label in enumerate(one_type(classes))
        ),
        "</Output>",
    ]


def attribute(text: str) -> str:
    """Quote a string as the value of an attribute, so that it reads back unchanged."""
    odd = _NOT_XML.search(text)
    if odd:
        raise UnsupportedModelError(f"PMML cannot hold the character {odd[0]!r} in {text!r}. Rename it.")
    return quoteattr(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def text_of(value: Any) -> str:
    """Write a label or category as PMML spells it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def values_of(feature: Feature) -> list[str]:
    """Write the values that a feature lists."""
    return [text_of(value) for value in listed_values(feature)]


def one_of(field: str, values: Sequence[str], codes: Sequence[int]) -> str:
    """Write the predicate that a known value is one of some categories, an empty string if none are given.

    The code behind those of the listed values means every other value.
    """
    if not codes:
        return ""
    if len(values) not in codes:
        return any_of(field, [values[code] for code in codes])
    others = [simple(field, "notEqual", value) for code, value in enumerate(values) if code not in codes]
    if not others:
        return simple(field, "isNotMissing")
    joined = "".join(others)
    return (
        joined
        if len(others) == 1
        else f'<CompoundPredicate booleanOperator="and">{joined}</CompoundPredicate>'
    )


def simple(field: str, operator: str, value: str | None = None) -> str:
    """Write a predicate about one field, given its quoted name."""
    compared = "" if value is None else f" value={attribute(value)}"
    return f'<SimplePredicate field={field} operator="{operator}"{compared}/>'


def any_of(field: str, values: Sequence[str]) -> str:
    """Write the predicate that a field has one of some values (at least one)."""
    each = "".join(simple(field, "equal", value) for value in values)
    return each if len(values) == 1 else f'<CompoundPredicate booleanOperator="or">{each}</CompoundPredicate>'


def _data_field(feature: Feature, shown_as: str = "") -> str:
    name = attribute(feature.name) + (f" displayName={attribute(shown_as)}" if shown_as else "")
    if feature.categories is None:
        return f'<DataField name={name} optype="continuous" dataType="double"/>'
    values = listed_values(feature)
    kinds = {type(value) for value in values}
    data_type = _TYPES[kinds.pop()] if len(kinds) == 1 else "double" if kinds else "string"
    # A field that lists values has no others.
    listed = () if feature.has_other else values
    declared = "".join(f"<Value value={attribute(text_of(value))}/>" for value in listed)
    return f'<DataField name={name} optype="categorical" dataType="{data_type}">{declared}</DataField>'
