"""Random schemas, tables, trees and ensembles, small enough to be understood when a test fails.

Each noun has a function that makes one out of a ``random.Random``, for seeded loops, and a
hypothesis strategy of the plural name, whose randomness hypothesis controls and shrinks.
Trees are made as :class:`Node` objects first: what an oracle walks without knowing the
node arrays of the kernels.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from hypothesis import strategies as st

from sightline import Ensemble, Labels, Table, Tree, _core
from sightline.load._composition import Composition
from sightline.model import LEAF, MULTIWAY, SUBSET, THRESHOLD, Formula, Link, RuleSet, Voting
from sightline.model._ensemble import combined
from sightline.table import Column, Feature, Schema

GRID = (-1.5, -0.0, 0.1, 0.30000000000000004, 1.0, 2.0, 1e9)
"""Numbers of tables and thresholds alike, so that values often equal thresholds."""


# ---------------------------------------------------------------- columns and rows


def random_schema(rng: random.Random, max_features: int = 4) -> Schema:
    """Numeric and nominal features; nominal ones declare one to four values."""
    n_values = [rng.choice([0, 0, 1, 2, 3, 4]) for _ in range(rng.randint(1, max_features))]
    return schema_of(n_values)


def schema_of(n_values: Sequence[int]) -> Schema:
    """Features f0, f1, … with so many declared values, 0 where numeric."""
    return Schema(
        tuple(
            Feature(f"f{place}", tuple(f"v{value}" for value in range(n)) if n else None)
            for place, n in enumerate(n_values)
        )
    )


def random_table(rng: random.Random, schema: Schema, n_rows: int, missing: float = 0.2) -> Table:
    """Rows with ties, missing values and declared values that never occur."""
    columns = []
    for feature in schema.features:
        used = rng.sample(feature.categories or GRID, rng.randint(1, feature.n_values or len(GRID)))
        cells = [None if rng.random() < missing else rng.choice(used) for _ in range(n_rows)]
        if feature.categories is None:
            values = np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
        else:
            codes = [-1 if cell is None else feature.categories.index(cell) for cell in cells]
            values = np.array(codes, dtype=np.int32)
        columns.append(Column(feature, values))
    return Table(columns)


def random_labels(rng: random.Random, n_rows: int, n_classes: int) -> Labels:
    """Labels of which some declared ones may not occur."""
    used = rng.sample(range(n_classes), rng.randint(1, n_classes))
    codes = np.array([rng.choice(used) for _ in range(n_rows)], dtype=np.int32)
    return Labels(codes, np.array([f"class {c}" for c in range(n_classes)]))


def rows_of(table: Table) -> list[list[float]]:
    """Rows as numbers: codes of nominal values, NaN for whatever is missing."""
    columns = [np.where(column.is_missing, np.nan, column.values.astype(float)) for column in table.columns]
    return np.column_stack(columns).tolist()


# ---------------------------------------------------------------- trees


@dataclass
class Node:
    """A node as a person draws it."""

    output: list[float]
    test: int = LEAF
    feature: int = -1
    threshold: float = 0.0
    categories: list[int] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    weight: float = 1.0
    counts: list[float] = field(default_factory=list)


def leaf(*output: float, weight: float = 1.0) -> Node:
    return Node(list(output), weight=weight)


def inner(test: int, feature: int, children: list[Node], shares: Sequence[float] = (), **more) -> Node:
    """An inner node, shares equal unless given."""
    shares = list(shares) or [1 / len(children)] * len(children)
    output = np.mean([child.output for child in children], axis=0).tolist()
    weight = sum(child.weight for child in children)
    return Node(output, test, feature, children=children, shares=shares, weight=weight, **more)


def at_most(feature: int, threshold: float, yes: Node, no: Node, shares: Sequence[float] = ()) -> Node:
    return inner(THRESHOLD, feature, [yes, no], shares, threshold=threshold)


def one_of(feature: int, categories: list[int], yes: Node, no: Node, shares: Sequence[float] = ()) -> Node:
    return inner(SUBSET, feature, [yes, no], shares, categories=categories)


def each_of(feature: int, *children: Node, shares: Sequence[float] = ()) -> Node:
    return inner(MULTIWAY, feature, list(children), shares)


def random_tree_over(rng: random.Random, schema: Schema, cuts: Sequence[float], depth: int = 3) -> Node:
    """A tree of one output whose thresholds are among the cuts."""
    root = random_node(rng, schema, 1, depth)
    for node in node_list(root):
        if node.test == THRESHOLD:
            node.threshold = rng.choice(cuts)
    return root


def random_node(
    rng: random.Random,
    schema: Schema,
    n_outputs: int,
    depth: int,
    nominal: Sequence[int] = (SUBSET, MULTIWAY),
) -> Node:
    if depth == 0 or rng.random() < 0.25:
        raw = [rng.randint(0, 4) for _ in range(n_outputs)]
        output = [value / sum(raw) for value in raw] if sum(raw) and rng.random() < 0.8 else raw
        return Node([float(value) for value in output], weight=float(rng.randint(0, 5)))
    feature = rng.randrange(len(schema))
    n_values = schema.n_values[feature]
    test = THRESHOLD if n_values == 0 else rng.choice(nominal)
    n_branches = n_values if test == MULTIWAY else 2
    children = [random_node(rng, schema, n_outputs, depth - 1, nominal) for _ in range(n_branches)]
    node = inner(test, feature, children, random_shares(rng, n_branches))
    if test == THRESHOLD:
        node.threshold = rng.choice(GRID)
    elif test == SUBSET:
        node.categories = sorted(rng.sample(range(n_values), rng.randint(0, n_values)))
    return node


def random_shares(rng: random.Random, n_branches: int) -> list[float]:
    """One-hot as often as fractional; fractional ones may hold zeros."""
    raw = [rng.randint(0, 3) for _ in range(n_branches)]
    if rng.random() < 0.5 or sum(raw) == 0:
        raw = [0] * n_branches
        raw[rng.randrange(n_branches)] = 1
    return [value / sum(raw) for value in raw]


def node_list(root: Node) -> list[Node]:
    """Nodes depth first."""
    nodes, stack = [], [root]
    while stack:
        node = stack.pop()
        nodes.append(node)
        stack.extend(reversed(node.children))
    return nodes


def node_arrays(root: Node, order: Sequence[int] | None = None) -> dict[str, np.ndarray]:
    """Arrays as the builder takes them; `order` puts the depth-first nodes into other places."""
    nodes = node_list(root)
    nodes = nodes if order is None else [nodes[place] for place in order]
    place_of = {id(node): place for place, node in enumerate(nodes)}
    has_counts = all(node.counts for node in nodes)
    return {
        "test": np.array([node.test for node in nodes], dtype=np.uint8),
        "feature": np.array([node.feature for node in nodes], dtype=np.int32),
        "threshold": np.array([node.threshold for node in nodes], dtype=np.float64),
        "branch_begin": np.cumsum([0, *(len(node.children) for node in nodes)], dtype=np.int64),
        "child": np.array([place_of[id(son)] for node in nodes for son in node.children], dtype=np.int32),
        "share": np.array([share for node in nodes for share in node.shares], dtype=np.float64),
        "category_begin": np.cumsum([0, *(len(node.categories) for node in nodes)], dtype=np.int64),
        "category": np.array([code for node in nodes for code in node.categories], dtype=np.int32),
        "weight": np.array([node.weight for node in nodes], dtype=np.float64),
        "output": np.array([node.output for node in nodes], dtype=np.float64).ravel(),
        "counts": np.array([node.counts if has_counts else [] for node in nodes], dtype=np.float64).ravel(),
    }


def core_tree(root: Node, schema: Schema) -> _core.Tree:
    return _core.Tree(n_values=schema.n_values, n_outputs=len(root.output), **node_arrays(root))


def class_names(n_classes: int) -> np.ndarray:
    return np.array([f"class {c}" for c in range(n_classes)])


def tree_of(root: Node, schema: Schema, tie_tolerance: float = 0.0) -> Tree:
    """The tree that a person drew, with as many classes as it has outputs."""
    return Tree(core_tree(root, schema), schema, class_names(len(root.output)), tie_tolerance)


# ---------------------------------------------------------------- ensembles


@dataclass
class DrawnEnsemble:
    """An ensemble before it becomes one: what the oracle adds up."""

    schema: Schema
    roots: list[Node]
    n_scores: int
    votes: bool = False
    tree_weight: list[float] = field(default_factory=list)
    vote_against: list[float] = field(default_factory=list)
    tree_score: list[int] = field(default_factory=list)
    base: list[float] = field(default_factory=list)
    single_precision: bool = False
    tie_tolerance: float = 0.0

    def core(self) -> _core.Ensemble:
        return combined(
            [core_tree(root, self.schema) for root in self.roots],
            n_scores=self.n_scores,
            votes=self.votes,
            tree_weight=self.tree_weight,
            vote_against=self.vote_against,
            tree_score=self.tree_score,
            base=self.base,
            single_precision=self.single_precision,
            tie_tolerance=self.tie_tolerance,
        )

    def model(self) -> Ensemble:
        """The public object, with the link that fits."""
        n_trees = float(len(self.roots))
        if any(score >= 0 for score in self.tree_score):
            if self.n_scores == 1:
                return Ensemble(self.core(), self.schema, class_names(2), Link("sigmoid"))
            return Ensemble(self.core(), self.schema, class_names(self.n_scores), Link("softmax"))
        return Ensemble(self.core(), self.schema, class_names(self.n_scores), Link("mean", (n_trees,)))


def random_ensemble(
    rng: random.Random,
    max_trees: int = 5,
    schema: Schema | None = None,
    n_classes: int | None = None,
    kinds: Sequence[str] = ("mean", "votes", "sums"),
) -> DrawnEnsemble:
    """Means, votes and sums, with a tree per score or all outputs at once, in both precisions."""
    schema = random_schema(rng) if schema is None else schema
    n_trees, n_scores = rng.randint(1, max_trees), rng.randint(1, 3)
    kind = rng.choice(kinds)
    if n_classes is not None:
        n_scores = 1 if kind == "sums" and n_classes == 2 else n_classes
    n_outputs = 1 if kind == "sums" else n_scores
    return DrawnEnsemble(
        schema,
        [random_node(rng, schema, n_outputs, rng.randint(0, 4)) for _ in range(n_trees)],
        n_scores,
        votes=kind == "votes",
        tree_weight=[rng.choice([1.0, 0.1, 0.5, 1 / 3, 2.5]) for _ in range(n_trees)],
        vote_against=[rng.choice([0.0, -0.25]) for _ in range(n_trees)] if kind == "votes" else [],
        tree_score=[rng.randrange(n_scores) if kind == "sums" else -1 for _ in range(n_trees)],
        base=[rng.choice([0.0, 0.1, -1.0]) for _ in range(n_scores)],
        single_precision=rng.random() < 0.4,
        tie_tolerance=rng.choice([0.0, 1e-6, 0.2]),
    )


def random_combination(rng: random.Random, max_trees: int = 3) -> Ensemble:
    """One to three models of all kinds, calibrated or with a threshold, that answer together."""
    schema = random_schema(rng)
    n_classes, n_parts = rng.randint(2, 3), rng.randint(1, 3)
    # Votes that missing values spread are no sums of leaves.
    kinds = ("mean", "votes", "sums") if n_parts == 1 else ("mean", "sums")
    parts = [random_ensemble(rng, max_trees, schema, n_classes, kinds).model() for _ in range(n_parts)]
    together = Composition(parts, [f"part {i}" for i in range(n_parts)], "the test")
    answers = [_calibrated(rng, together, response, n_classes) for response in together.responses]
    weights = rng.choice([None, [rng.choice([0.5, 1.0, 2.0, 1 / 3]) for _ in parts]])
    votes = [together.add("argmax", response.label) for response in together.responses]
    probabilities = together.average(rng.choice([answers, votes]), weights)
    label = probabilities
    if n_classes == 2 and rng.random() < 0.5:
        column, bound = rng.randrange(2), rng.choice([0.3, 0.5, 2 / 3])
        label = together.add("above", probabilities, numbers=[bound], columns=[column, rng.randrange(2)])
    elif n_parts == n_classes == 3 and rng.random() < 0.5:
        pairs = [step for vote in votes for step in _pair(together, vote, probabilities)]
        label = together.add("one_vs_one", *pairs, numbers=[3])
    return together.ensemble(class_names(n_classes), probabilities, label)


def _pair(together: Composition, vote: int, probabilities: int) -> tuple[int, int]:
    first = together.add("select", vote, columns=[0])
    return together.add("complement", first), together.add("select", probabilities, columns=[1])


CURVES = [
    ("exp",), ("fast_exp",), ("square",), ("signed_square",), ("numpy_expm1",), ("numpy_cbrt",),
    ("numpy_arcsinh",), ("snap", 0.2), ("inverse_yeo_johnson", 0.3), ("normal_cdf",),
]  # fmt: skip
"""Functions of any number, as regressions have behind the sum."""


def _calibrated(rng: random.Random, together: Composition, response: Formula, n_classes: int) -> int:
    how = rng.choice(["plain", "sigmoid", "isotonic", "temperature", "curve"])
    if how == "plain":
        return response.probabilities
    if how == "curve":
        op, *numbers = rng.choice(CURVES)
        return together.add(op, response.probabilities, numbers=numbers, single=rng.random() < 0.3)
    if how == "temperature":
        # Drawn outputs are no shares: only what is positive has a logarithm.
        positive = together.add("sigmoid", response.probabilities)
        logits = together.add("log", positive, numbers=[1e-12])
        return together.add("softmax", together.add("affine", logits, numbers=[rng.choice([0.5, 2.0]), 0]))
    points = [0.0, 0.1, 0.5, 0.7, 1.0, 0.0, 0.1, 0.1, 0.9, 1.0]
    maps = {
        "sigmoid": lambda step: together.add(
            "sigmoid", together.add("affine", step, numbers=[rng.choice([-1.0, 2.0]), -0.5])
        ),
        "isotonic": lambda step: together.add("interpolate", step, numbers=points),
    }
    if n_classes == 2:
        one = together.add("select", response.probabilities, columns=[1])
        return together.add("clip_one", together.add("complement", maps[how](one)))
    each = [together.add("select", response.probabilities, columns=[k]) for k in range(n_classes)]
    joined = together.add("concat", *(maps[how](step) for step in each))
    return together.add("normalize", joined, numbers=[1 / n_classes])


# ---------------------------------------------------------------- strategies

randoms = partial(st.randoms, use_true_random=False)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    return random_schema(draw(randoms()))


@st.composite
def tables(draw: st.DrawFn, schema: Schema | None = None, max_rows: int = 12) -> Table:
    rng = draw(randoms())
    schema = random_schema(rng) if schema is None else schema
    return random_table(rng, schema, rng.randint(1, max_rows), missing=rng.choice([0.0, 0.2, 0.6]))


@st.composite
def drawn_trees(draw: st.DrawFn, max_depth: int = 4) -> tuple[Schema, Node]:
    """A schema and a tree over it that a person could have drawn."""
    rng = draw(randoms())
    schema = random_schema(rng)
    return schema, random_node(rng, schema, rng.randint(1, 3), max_depth)


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    schema, root = draw(drawn_trees())
    return tree_of(root, schema, draw(st.sampled_from([0.0, 1e-6])))


@st.composite
def drawn_ensembles(draw: st.DrawFn) -> DrawnEnsemble:
    return random_ensemble(draw(randoms()))


@st.composite
def ensembles(draw: st.DrawFn) -> Ensemble:
    return draw(drawn_ensembles()).model()


# ---------------------------------------------------------------- rules


def random_rule_set(rng: random.Random, schema: Schema | None = None, max_rules: int = 12) -> RuleSet:
    """Rules with shared conditions, empty ones, votes against classes, and every way of voting."""
    schema = random_schema(rng) if schema is None else schema
    n_classes, n_trees = rng.randint(1, 3), rng.randint(1, 5)
    drawn = [_random_condition(rng, schema) for _ in range(rng.randint(1, 12))]
    conditions = list(dict.fromkeys(drawn))
    rules = [
        rng.sample(range(len(conditions)), rng.randint(0, len(conditions)))
        for _ in range(rng.randint(1, max_rules))
    ]
    sources = [sorted(rng.sample(range(n_trees), rng.randint(1, n_trees))) for _ in rules]
    core = _core.RuleSet(
        n_values=schema.n_values,
        n_classes=n_classes,
        n_trees=n_trees,
        feature=np.array([c[0] for c in conditions], dtype=np.int32),
        low=np.array([c[1] for c in conditions]),
        high=np.array([c[2] for c in conditions]),
        accepts_missing=np.array([c[3] for c in conditions], dtype=np.uint8),
        category_begin=np.cumsum([0, *(len(c[4]) for c in conditions)], dtype=np.int64),
        category=np.array([code for c in conditions for code in c[4]], dtype=np.int32),
        condition_begin=np.cumsum([0, *map(len, rules)], dtype=np.int64),
        condition=np.array([c for rule in rules for c in rule], dtype=np.int32),
        label=np.array([rng.randrange(n_classes) for _ in rules], dtype=np.int32),
        weight=np.array([rng.choice([1.0, 1.0, 2.0, 0.3, -1.0]) for _ in rules]),
        source_begin=np.cumsum([0, *map(len, sources)], dtype=np.int64),
        source=np.array([tree for trees in sources for tree in trees], dtype=np.int32),
    )
    voting = Voting(
        prior=tuple(rng.choice([0.2, 0.3, 0.5]) for _ in range(n_classes)),
        base=tuple(rng.choice([0.0, 0.0, 0.5]) for _ in range(n_classes)),
        pc=rng.choice([0.0, 0.5, 0.6, 0.75, 1.0]),
        wr=rng.choice([0.0, 0.05, 0.5, 1.0]),
        fallback=rng.choice([None, 0.0, 0.5, 1.0]),
    )
    return RuleSet(core, schema, class_names(n_classes), voting)


def _random_condition(rng: random.Random, schema: Schema) -> tuple[int, float, float, bool, tuple[int, ...]]:
    feature = rng.randrange(len(schema))
    n_values = schema.n_values[feature]
    if n_values:
        codes = sorted(rng.sample(range(n_values), rng.randint(0, n_values)))
        return feature, -np.inf, np.inf, rng.random() < 0.3, tuple(codes)
    ends = sorted(rng.choices(GRID, k=2)) if rng.random() < 0.9 else rng.choices(GRID, k=2)
    low = -np.inf if rng.random() < 0.4 else ends[0]
    high = np.inf if rng.random() < 0.4 else ends[1]
    return feature, low, high, rng.random() < 0.3, ()
