"""A tree with lines in its leaves as a PMML MiningModel: a tree finds the leaf, a formula per leaf answers.

A RegressionTable would add an intercept to slopes times values, which rounds differently. So the line is a
derived field, computed in the order of :class:`LeafLines`, and the RegressionTable only returns it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sightline.export._plain_nodes import PlainNodes, free_stem
from sightline.export._pmml_document import attribute, document, mining_schema, simple
from sightline.export._pmml_tree import tree_model
from sightline.model import ANY_NUMBER, LEAF, LeafLines, LineTerm


def lines_document(nodes: PlainNodes, lines: LeafLines, column: str) -> str:
    """Write a tree with lines as a document with a MiningModel."""
    stem = free_stem([column, *nodes.schema.names])
    leaf_field = attribute(f"{stem}leaf")
    content = [
        '<MiningModel functionName="regression">',
        *mining_schema(nodes.schema, nodes.used, column),
        '<Segmentation multipleModelMethod="modelChain">',
        '<Segment id="tree"><True/>',
        *_leaf_finder(nodes, leaf_field),
        "</Segment>",
    ]
    for leaf in np.flatnonzero(nodes.test == LEAF).tolist():
        content += [
            f'<Segment id="leaf {leaf}">{simple(leaf_field, "equal", str(leaf))}',
            *_LeafModel(nodes, lines, leaf, stem).written(column),
            "</Segment>",
        ]
    content += ["</Segmentation>", "</MiningModel>"]
    return document(nodes.schema, nodes.used, None, column, content)


def _leaf_finder(nodes: PlainNodes, leaf_field: str) -> list[str]:
    """Write a tree that predicts the number of the leaf."""
    numbers = replace(nodes, output=np.arange(nodes.n_nodes, dtype=np.float64)[:, None], lines=None)
    output = (
        f'<Output><OutputField name={leaf_field} optype="continuous" dataType="double" '
        'feature="predictedValue" isFinalResult="false"/></Output>'
    )
    return tree_model(numbers, [*mining_schema(nodes.schema, nodes.tested, None), output])


class _LeafModel:
    """One leaf as a RegressionModel that returns a derived field."""

    def __init__(self, nodes: PlainNodes, lines: LeafLines, leaf: int, stem: str) -> None:
        self.schema = nodes.schema
        self.terms = lines.terms(leaf)
        self.number = float(nodes.output[leaf, 0])
        self.low, self.high = float(lines.low[leaf]), float(lines.high[leaf])
        self.stem = stem

    def written(self, column: str) -> list[str]:
        """Write the model; ``column`` is its target."""
        features = sorted({term.feature for term in self.terms})
        answer = f'<NumericPredictor name={attribute(f"{self.stem}line")} coefficient="1"/>'
        return [
            '<RegressionModel functionName="regression">',
            *mining_schema(self.schema, features, column),
            *(["<LocalTransformations>", *self._fields(), "</LocalTransformations>"] if self.terms else []),
            f'<RegressionTable intercept="{0.0 if self.terms else self.number!r}">',
            *([answer] if self.terms else []),
            "</RegressionTable>",
            "</RegressionModel>",
        ]

    def _fields(self) -> list[str]:
        """Derive the terms, their sums from the left, and the answer."""
        fields, total = [], _constant(self.number)
        sums = [total]
        for k, term in enumerate(self.terms, start=1):
            fields.append(self._field(f"term {k}", _term(term, self.schema.names[term.feature])))
            fields.append(self._field(f"sum {k}", _apply("+", total, self._reference(f"term {k}"))))
            total = self._reference(f"sum {k}")
            sums.append(total)
        answer = _apply("min", _apply("max", total, _constant(self.low)), _constant(self.high))
        # Terms that overflow with opposite signs cancel to NaN, which some evaluators refuse to compute.
        for k in range(len(self.terms), 1, -1):
            cancels = _cancel(sums[k - 1], self._reference(f"term {k}"))
            answer = _apply("if", cancels, _constant(self.number), answer)
        return [*fields, self._field("line", answer)]

    def _field(self, name: str, formula: str) -> str:
        name = attribute(self.stem + name)
        return f'<DerivedField name={name} optype="continuous" dataType="double">{formula}</DerivedField>'

    def _reference(self, name: str) -> str:
        return f"<FieldRef field={attribute(self.stem + name)}/>"


def _term(term: LineTerm, name: str) -> str:
    """Write what a feature adds: nothing if its value is missing."""
    field = f"<FieldRef field={attribute(name)}/>"
    product = _apply("*", _constant(term.slope), _apply("-", field, _constant(term.center)))
    return _apply("if", _apply("isMissing", field), _constant(0.0), product)


def _cancel(first: str, second: str) -> str:
    """Write the condition that two numbers are infinities of opposite signs."""
    return _apply(
        "and",
        _apply("greaterThan", _apply("max", first, second), _constant(ANY_NUMBER)),
        _apply("lessThan", _apply("min", first, second), _constant(-ANY_NUMBER)),
    )


def _apply(function: str, *arguments: str) -> str:
    return f'<Apply function="{function}">{"".join(arguments)}</Apply>'


def _constant(value: float) -> str:
    return f'<Constant dataType="double">{value!r}</Constant>'
