"""A tree as nested PMML nodes."""

from __future__ import annotations

import math

from sightline.export._plain_nodes import PlainNodes, one_type
from sightline.export._pmml_document import (
    attribute,
    document,
    mining_schema,
    one_of,
    probability_fields,
    simple,
    text_of,
    values_of,
)
from sightline.model import LEAF, MULTIWAY, THRESHOLD


def tree_document(nodes: PlainNodes, column: str) -> str:
    """Write a tree as a document with a TreeModel."""
    outputs = probability_fields(nodes.classes_ if _has_probabilities(nodes) else None)
    content = tree_model(nodes, [*mining_schema(nodes.schema, nodes.used, column), *outputs])
    return document(nodes.schema, nodes.used, nodes.classes_, column, content)


def tree_model(nodes: PlainNodes, fields: list[str]) -> list[str]:
    """Write a TreeModel with given elements before its nodes."""
    function = "regression" if nodes.classes_ is None else "classification"
    return [
        f'<TreeModel functionName="{function}" missingValueStrategy="defaultChild" '
        'noTrueChildStrategy="returnLastPrediction" splitCharacteristic="multiSplit">',
        *fields,
        *_NodeElements(nodes).lines(),
        "</TreeModel>",
    ]


def _has_probabilities(nodes: PlainNodes) -> bool:
    """Whether the outputs are probabilities. Trees that vote or add up may have other outputs."""
    if nodes.classes_ is None:
        return False
    shares = nodes.output[nodes.test == LEAF]
    return bool((shares >= 0).all() and (shares <= 1).all() and (abs(shares.sum(axis=1) - 1) < 1e-6).all())


class _NodeElements:
    """The nested nodes of a tree, written without recursion."""

    def __init__(self, nodes: PlainNodes) -> None:
        self.nodes = nodes
        # Quoted once, because a hundred thousand nodes repeat them.
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
        if self._test[node] == THRESHOLD and math.isinf(self._threshold[node]):
            return self._whole_predicate(node, field, branch, has_values=branch == 0)
        if self._test[node] == THRESHOLD:
            operator = "greaterThan" if branch else "lessOrEqual"
            return f'<SimplePredicate field={field} operator="{operator}" value="{self._threshold[node]!r}"/>'
        n_values = self.nodes.schema.n_values[feature]
        if self._test[node] == MULTIWAY:
            chosen = [branch]
        else:
            inside = self.nodes.categories[node]
            chosen = inside if branch == 0 else sorted(set(range(n_values)) - set(inside))
        if 0 < len(chosen) < n_values:
            return one_of(field, self.values[feature], chosen)
        return self._whole_predicate(node, field, branch, has_values=bool(chosen))

    def _whole_predicate(self, node: int, field: str, branch: int, has_values: bool) -> str:
        """Write the predicate of a branch that takes all known values, or none."""
        # No known value is left to test, so the predicate must ask for missing ones.
        takes_missing = self._missing[node] == branch
        if has_values:
            return "<True/>" if takes_missing else simple(field, "isNotMissing")
        return simple(field, "isMissing") if takes_missing else "<False/>"
