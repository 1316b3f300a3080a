"""Random regressors, small enough that every cell of their space can be asked."""

from __future__ import annotations

import copy
import random

import numpy as np
from strategies import core_tree, node_list, random_node, random_schema

from sightline import Ensemble, Tree
from sightline.model import LEAF, THRESHOLD, LeafLines, Link
from sightline.model._ensemble import combined
from sightline.model._formula import FormulaBuilder
from sightline.table import Schema

KINDS = ("sum", "single", "mean", "median", "log", "sigmoid", "pieces", "average", "exp", "numpy_exp")
"""Plain sums in both precisions, divided ones, a weighted median, and formulas of one or two scores."""

_NUMBERS = (-2.5, -0.1, 0.0, 0.1, 0.2, 0.3, 1.0, 7.25, 1e6, 1e-6)
"""Often equal, often sums that round: 0.1 + 0.2, or 1e6 + 1e-6 in single precision."""


def drawn_roots(rng: random.Random, schema: Schema, n_trees: int, depth: int = 3) -> list:
    """Trees of one output with such numbers in their leaves."""
    roots = [random_node(rng, schema, 1, rng.randint(0, depth)) for _ in range(n_trees)]
    for root in roots:
        for node in node_list(root):
            if node.test == LEAF:
                node.output = [rng.choice(_NUMBERS)]
    return roots


def number_tree(root, schema: Schema) -> Tree:
    """One tree of numbers."""
    return Tree(core_tree(root, schema), schema, None)


def number_ensemble(rng: random.Random, roots: list, schema: Schema, kind: str) -> Ensemble:
    """An ensemble of these trees that answers with a number."""
    n_scores = 2 if kind == "average" and len(roots) > 1 else 1
    core = combined(
        [core_tree(root, schema) for root in roots],
        n_scores=n_scores,
        tree_weight=[rng.choice([1.0, 0.1, 0.5, 1 / 3]) for _ in roots],
        tree_score=[index % n_scores for index in range(len(roots))],
        base=[rng.choice([0.0, 0.1, -1.0]) for _ in range(n_scores)],
        single_precision=kind == "single" or rng.random() < 0.2,
        base_last=rng.random() < 0.3,
    )
    return Ensemble(core, schema, None, _link(kind, n_scores, len(roots)))


def _link(kind: str, n_scores: int, n_trees: int) -> Link:
    if kind == "median":
        return Link("median")
    if kind == "mean":
        return Link("identity", (float(n_trees), 3.0))
    if kind in ("sum", "single"):
        return Link("identity")
    builder = FormulaBuilder(n_scores)
    score = builder.add("scores", columns=range(n_scores))
    if kind == "average":
        parts = [builder.add("select", score, columns=[column]) for column in range(n_scores)]
        answer = builder.add("average", *parts, numbers=[1.0] * n_scores + [float(n_scores)])
    elif kind in ("exp", "numpy_exp"):
        # Far below 709, beyond which exponentials are infinite.
        bounded = builder.add("interpolate", score, numbers=[-5.0, 5.0, -5.0, 5.0])
        answer = builder.add(kind, bounded, single=kind == "exp")
    elif kind == "pieces":
        answer = builder.add("interpolate", score, numbers=[-1.0, 0.5, 2.0, 0.0, 0.0, 3.0])
    else:
        answer = builder.add("sigmoid", builder.add("affine", score, numbers=[-0.25, 0.5]))
        if kind == "log":
            answer = builder.add("log", answer, numbers=[1e-12])
    return Link("identity", formula=builder.formula(answer, answer))


def random_pair(rng: random.Random, kind: str) -> tuple[Ensemble, Ensemble]:
    """Two ensembles of which the second is the first with a few leaves or thresholds changed."""
    schema = random_schema(rng, 3)
    roots = drawn_roots(rng, schema, rng.randint(1, 4))
    others = copy.deepcopy(roots)
    nodes = [node for root in others for node in node_list(root)]
    for node in rng.sample(nodes, min(len(nodes), rng.randint(0, 3))):
        if node.test == LEAF:
            node.output = [node.output[0] + rng.choice([1e-6, 0.5, -3.0])]
        elif node.test == THRESHOLD:
            node.threshold = float(np.nextafter(node.threshold, rng.choice([-np.inf, np.inf])))
    state = rng.getstate()
    first = number_ensemble(rng, roots, schema, kind)
    rng.setstate(state)
    return first, number_ensemble(rng, others, schema, kind)


def with_random_lines(rng: random.Random, tree: Tree, max_columns: int = 2) -> Tree:
    """The tree with lines of one or more columns in most of its leaves."""
    core, numeric = tree.core, [place for place, n in enumerate(tree.schema.n_values) if n == 0]
    is_leaf = np.asarray(core.test) == LEAF
    terms, begin = [], [0]
    low, high = (np.array(core.output)[:, 0].copy() for _ in range(2))
    for node in range(core.n_nodes):
        if is_leaf[node] and numeric and rng.random() < 0.8:
            chosen = rng.sample(numeric, rng.randint(1, min(max_columns, len(numeric))))
            terms += [
                (place, rng.choice([0.5, -2.0, 1e-9, 0.1]), rng.choice([0.0, 1.5, -3.0])) for place in chosen
            ]
            low[node] -= rng.choice([0.0, 0.75, 4.0])
            high[node] += rng.choice([0.0, 0.75, 4.0])
        begin.append(len(terms))
    feature, slope, center = zip(*terms, strict=True) if terms else ((), (), ())
    return tree.with_lines(
        LeafLines(
            np.array(begin, dtype=np.int64),
            np.array(feature, dtype=np.int32),
            np.array(slope, dtype=np.float64),
            np.array(center, dtype=np.float64),
            low,
            high,
        )
    )
