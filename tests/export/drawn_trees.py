"""Random trees with boundary rows, and what they answer."""

from __future__ import annotations

import random

from export.boundary_rows import as_numbers, boundary_rows
from model.oracle import first_best, tree_output
from strategies import class_names, node_list, random_node, random_schema

from sightline.model import THRESHOLD


def drawn(seed: int, is_whole: bool, n_outputs: int | None = None):
    """A tree over several features, its root, and rows."""
    rng = random.Random(seed)
    schema = random_schema(rng)
    root = random_node(rng, schema, n_outputs or rng.randint(2, 3), 5)
    for node in node_list(root):
        if node.test == THRESHOLD and rng.random() < 0.5:
            node.threshold = rng.choice([0.1 + 0.2, 1 / 3, 1e-300, -2.5e17, 5e-324, 3.3e-5, 123456789.123])
        if is_whole and node.children:
            best = node.shares.index(max(node.shares))
            node.shares = [float(branch == best) for branch in range(len(node.children))]
    tests = [(node.feature, node.threshold) for node in node_list(root) if node.test == THRESHOLD]
    return root, schema, boundary_rows(rng, schema, tests)


def expected(root, schema, rows, tolerance=0.0):
    outputs = [tree_output(root, as_numbers(row, schema)) for row in rows]
    names = class_names(len(root.output)).tolist()
    return [names[first_best(output, tolerance)] for output in outputs], outputs
