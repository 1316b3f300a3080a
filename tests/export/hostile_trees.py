"""Trees of numbers with everything that a careless export stumbles over."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

import numpy as np
from export.hostile_names import HOSTILE
from model.oracle import leaves_reached
from strategies import Node, core_tree, node_list, random_node

from sightline import Tree
from sightline.model import LEAF, THRESHOLD, LeafLines, LineTerm
from sightline.table import Feature, Schema

NUMBERS = [
    *(0.1 + 0.2, 1 / 3, -0.0, 1.0, -1.5, 3.3e-5, 123456789.123456, 1e22, 2.0**53 + 2, -2.5e17),
    *(1e-300, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -1e308),
]
LARGEST = max(NUMBERS)
MODERATE = NUMBERS[:10]
"""Sums and products of these do not overflow."""


@dataclass
class HostileTree:
    """A tree before it becomes one: what the oracle walks."""

    root: Node
    schema: Schema
    terms: dict[int, tuple[list[LineTerm], float, float]]
    """The line of a leaf, by the identity of its node: terms, and bounds."""

    def tree(self) -> Tree:
        nodes = node_list(self.root)
        lines = [self.terms.get(id(node), ([], 0.0, 0.0)) for node in nodes]
        flat = [term for terms, _, _ in lines for term in terms]
        arrays = LeafLines(
            np.cumsum([0, *(len(terms) for terms, _, _ in lines)], dtype=np.int64),
            np.array([term.feature for term in flat], dtype=np.int32),
            np.array([term.slope for term in flat], dtype=np.float64),
            np.array([term.center for term in flat], dtype=np.float64),
            np.array([low for _, low, _ in lines]),
            np.array([high for _, _, high in lines]),
        )
        return Tree(core_tree(self.root, self.schema), self.schema, None, lines=arrays if flat else None)

    def answer(self, row: list) -> float:
        """The number of a row, as slowly and plainly as possible."""
        numbers = [
            _code(value, feature) if feature.is_nominal else math.nan if value is None else float(value)
            for value, feature in zip(row, self.schema.features, strict=True)
        ]
        # Every number passes a test for the largest one, infinity too.
        tested = [number if math.isnan(number) else max(min(number, LARGEST), -LARGEST) for number in numbers]
        reached = leaves_reached(self.root, tested)
        if len(reached) == 1:
            return self._leaf_answer(reached[0][1], numbers)
        total = 0.0
        for share, leaf in reached:
            total += share * self._leaf_answer(leaf, numbers)
        return total

    def _leaf_answer(self, leaf: Node, numbers: list[float]) -> float:
        terms, low, high = self.terms.get(id(leaf), ([], 0.0, 0.0))
        total = leaf.output[0]
        for feature, slope, center in terms:
            if not math.isnan(numbers[feature]):
                total += slope * (numbers[feature] - center)
        if not terms or math.isnan(total):
            return leaf.output[0]
        return min(max(total, low), high)


def hostile_tree_of_numbers(
    rng: random.Random, *, has_lines: bool, is_whole: bool, unseen: str = "missing"
) -> HostileTree:
    """A random tree over columns with hostile names and categories."""
    names = rng.sample([name for name in HOSTILE if len(name) < 100], rng.randint(2, 5))
    features = [Feature(names[0])]
    for name in names[1:]:
        categories = tuple(rng.sample(HOSTILE, rng.randint(2, 4))) if rng.random() < 0.5 else None
        features.append(Feature(name, categories, unseen=unseen if categories else "missing"))
    schema = Schema(tuple(features))
    root = random_node(rng, schema, 1, 5)
    numeric = [index for index, feature in enumerate(features) if not feature.is_nominal]
    terms = {}
    for node in node_list(root):
        if node.test == THRESHOLD:
            node.threshold = rng.choice(NUMBERS)
        if is_whole and node.children:
            best = node.shares.index(max(node.shares))
            node.shares = [float(branch == best) for branch in range(len(node.children))]
        if node.test == LEAF:
            node.output = [rng.choice(NUMBERS if is_whole else MODERATE)]
            if has_lines and rng.random() < 0.8:
                terms[id(node)] = _random_line(rng, numeric, node.output[0])
    return HostileTree(root, schema, terms)


def hostile_rows_of(rng: random.Random, hostile: HostileTree, n_random: int = 40) -> list[list]:
    """Random rows, and rows on and beside each threshold."""
    features = hostile.schema.features
    rows = [[_value(rng, feature) for feature in features] for _ in range(n_random)]
    for node in node_list(hostile.root):
        if node.test == THRESHOLD:
            for value in (node.threshold, *(math.nextafter(node.threshold, s * math.inf) for s in (1, -1))):
                row = [_value(rng, feature, missing=0.05) for feature in features]
                row[node.feature] = value
                rows.append(row)
    # In a line, the largest number counts as infinity.
    return [[math.inf if value == LARGEST and hostile.terms else value for value in row] for row in rows]


def _random_line(rng: random.Random, numeric: list[int], output: float):
    chosen = rng.sample(numeric, rng.randint(1, min(2, len(numeric))))
    slopes = [0.1, -1 / 3, 2.0, 1e-300, 1e300, -12345.678]
    terms = [LineTerm(feature, rng.choice(slopes), rng.choice(NUMBERS)) for feature in chosen]
    low = min(output, rng.choice([output, -1e308, output - 1 / 3]))
    return terms, low, max(output, rng.choice([output, 1e308, output + 0.7]))


def _value(rng: random.Random, feature: Feature, missing: float = 0.2):
    if rng.random() < missing:
        return None
    if feature.categories is not None:
        others = ["unseen", "v0", f"{feature.categories[0]} ", str(feature.categories[0]).upper()]
        return rng.choice([*feature.categories, *others])
    return rng.choice([*NUMBERS, math.inf, -math.inf, rng.uniform(-3, 3), rng.uniform(-1e6, 1e6)])


def _code(value, feature: Feature) -> float:
    listed = feature.categories[:-1] if feature.has_other else feature.categories
    if value in listed:
        return float(feature.categories.index(value))
    return math.nan if value is None or not feature.has_other else float(len(listed))
