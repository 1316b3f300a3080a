"""PMML 4.4: a TreeModel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from sightline.exceptions import ParameterError, UnsupportedModelError
from sightline.export._plain_nodes import Missing, PlainNodes, one_type, plain_label
from sightline.export._registry import kind
from sightline.model import LEAF, MULTIWAY, THRESHOLD, Graph, NodeModel, Tree
from sightline.table import Feature, Schema

to_pmml = kind("pmml")

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "double"}


@to_pmml.register(Tree)
@to_pmml.register(Graph)
def _(model: NodeModel, missing: Missing = "exact", column: str = "prediction") -> str:
    nodes = PlainNodes.of(model, missing).unfolded("PMML")
    nodes.require_whole_rows("PMML")
    function = "regression" if nodes.classes_ is None else "classification"
    content = [
        f'<TreeModel functionName="{function}" missingValueStrategy="defaultChild" '
        'noTrueChildStrategy="returnLastPrediction" splitCharacteristic="multiSplit">',
        *mining_schema(nodes.schema, nodes.used, column),
        *probability_fields(nodes.classes_ if _has_probabilities(nodes) else None),
        *_NodeElements(nodes).lines(),
        "</TreeModel>",
    ]
    return document(nodes.schema, nodes.used, nodes.classes_, column, content)


def document(
    schema: Schema, used: Sequence[int], classes: list[Any] | None, column: str, content: Sequence[str]
) -> str:
    """Write a document around one model."""
    if column in schema.names:
        raise ParameterError(
            f"The model has a feature {column!r}, so its prediction needs another name: give one as 'column'."
        )
    target = Feature(column, None if classes is None else tuple(one_type(classes)))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">',
        '<Header><Application name="sightline"/></Header>',
        "<DataDictionary>",
        *(_data_field(schema.features[feature]) for feature in used),
        _data_field(target),
        "</DataDictionary>",
        *content,
        "</PMML>",
    ]
    return "\n".join(lines) + "\n"


def mining_schema(schema: Schema, used: Sequence[int], column: str) -> list[str]:
    """List the fields that a model reads; categories that it does not know count as missing."""
    return [
        "<MiningSchema>",
        *(
            f'<MiningField name={attribute(schema.names[f])} invalidValueTreatment="asMissing"/>'
            for f in used
        ),
        f'<MiningField name={attribute(column)} usageType="target"/>',
        "</MiningSchema>",
    ]


def probability_fields(classes: list[Any] | None) -> list[str]:
    """Declare ``probability_0``, ``probability_1``, … in the order of the classes."""
    if classes is None:
        return []
    return [
        "<Output>",
        *(
            f'<OutputField name="probability_{place}" optype="continuous" dataType="double" '
            f'feature="probability" value={attribute(text_of(label))}/>'
            for place, label in enumerate(one_type(classes))
        ),
        "</Output>",
    ]


def attribute(text: str) -> str:
    """Quote a text as the value of an attribute that reads back as the same text."""
    odd = _NOT_XML.search(text)
    if odd:
        raise UnsupportedModelError(
            f"PMML cannot hold the character {odd[0]!r}, which is within {text!r}: rename it."
        )
    return quoteattr(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def text_of(value: Any) -> str:
    """Write a label or category as PMML spells it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def values_of(feature: Feature) -> list[str]:
    """Write the categories of a feature."""
    return [text_of(value) for value in one_type([plain_label(value) for value in feature.categories or ()])]


def simple(field: str, operator: str, value: str | None = None) -> str:
    """Write a predicate about one field, whose name is quoted already."""
    compared = "" if value is None else f" value={attribute(value)}"
    return f'<SimplePredicate field={field} operator="{operator}"{compared}/>'


def any_of(field: str, values: Sequence[str]) -> str:
    """Write the predicate that a field is one of several values, at least one."""
    each = "".join(simple(field, "equal", value) for value in values)
    return each if len(values) == 1 else f'<CompoundPredicate booleanOperator="or">{each}</CompoundPredicate>'


def _data_field(feature: Feature) -> str:
    name = attribute(feature.name)
    if feature.categories is None:
        return f'<DataField name={name} optype="continuous" dataType="double"/>'
    values = one_type([plain_label(value) for value in feature.categories])
    kinds = {type(value) for value in values}
    data_type = _TYPES[kinds.pop()] if len(kinds) == 1 else "double"
    declared = "".join(f"<Value value={attribute(text_of(value))}/>" for value in values)
    return f'<DataField name={name} optype="categorical" dataType="{data_type}">{declared}</DataField>'


def _has_probabilities(nodes: PlainNodes) -> bool:
    """Say whether the outputs are probabilities: those of a tree that votes or adds up need not be."""
    if nodes.classes_ is None:
        return False
    shares = nodes.output[nodes.test == LEAF]
    return bool((shares >= 0).all() and (shares <= 1).all() and (abs(shares.sum(axis=1) - 1) < 1e-6).all())


class _NodeElements:
    """The nested nodes of a tree, written without recursion."""

    def __init__(self, nodes: PlainNodes) -> None:
        self.nodes = nodes
        # Quoted once: a hundred thousand nodes repeat them.
        self.labels = [attribute(text_of(label)) for label in one_type(nodes.classes_ or [])]
        self.values = {f: values_of(nodes.schema.features[f]) for f in nodes.used}
        self.fields = {f: attribute(nodes.schema.names[f]) for f in nodes.used}
        self._output: list[list[float]] = nodes.output.tolist()
        self._threshold: list[float] = nodes.threshold.tolist()
        self._has_probabilities = _has_probabilities(nodes)
        self._feature: list[int] = nodes.feature.tolist()
        self._missing: list[int] = nodes.missing.tolist()
        self._test: list[int] = nodes.test.tolist()
        self._weight: list[float] = nodes.weight.tolist()

    def lines(self) -> list[str]:
        result: list[str] = []
        stack: list[tuple[int, str] | None] = [(0, "<True/>")]
        while stack:
            top = stack.pop()
            if top is None:
                result.append("</Node>")
                continue
            node, predicate = top
            result.append(f"<Node{self._attributes(node)}>{predicate}{self._distribution(node)}")
            stack.append(None)
            children = list(enumerate(self.nodes.children[node]))
            stack.extend((child, self._predicate(node, branch)) for branch, child in reversed(children))
        return result

    def _attributes(self, node: int) -> str:
        if self._test[node] != LEAF:
            return f' id="{node}" defaultChild="{self.nodes.children[node][self._missing[node]]}"'
        if self.nodes.classes_ is None:
            return f' id="{node}" score="{self._output[node][0]!r}"'
        return f' id="{node}" score={self.labels[self.nodes.winner[node]]}'

    def _distribution(self, node: int) -> str:
        if self._test[node] != LEAF or not self._has_probabilities:
            return ""
        return "".join(
            f'<ScoreDistribution value={label} recordCount="{share * self._weight[node]!r}" '
            f'probability="{share!r}"/>'
            for label, share in zip(self.labels, self._output[node], strict=True)
        )

    def _predicate(self, node: int, branch: int) -> str:
        feature = self._feature[node]
        field = self.fields[feature]
        if self._test[node] == THRESHOLD:
            operator = "greaterThan" if branch else "lessOrEqual"
            return f'<SimplePredicate field={field} operator="{operator}" value="{self._threshold[node]!r}"/>'
        values = self.values[feature]
        if self._test[node] == MULTIWAY:
            chosen = [branch]
        else:
            inside = self.nodes.categories[node]
            chosen = inside if branch == 0 else sorted(set(range(len(values))) - set(inside))
        if 0 < len(chosen) < len(values):
            return any_of(field, [values[code] for code in chosen])
        # No value can be unknown here: what is missing must be asked for.
        takes_missing = self._missing[node] == branch
        if chosen:
            return "<True/>" if takes_missing else simple(field, "isNotMissing")
        return simple(field, "isMissing") if takes_missing else "<False/>"
