"""ISM the slow way: query the ensemble again for every outcome of every test.

Contexts are plain: an interval per numeric feature, a set of codes per nominal one. Each
question walks all trees from the root. Symbols as in the paper: a context is A or B, a test T.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from strategies import DrawnEnsemble, Node

from sightline.model import LEAF, MULTIWAY, SUBSET, THRESHOLD, Link, first_largest

MIN_SHARE = 1e-9


@dataclass(frozen=True)
class Context:
    """What the tests answered so far leave possible."""

    low: tuple[float, ...]
    high: tuple[float, ...]
    categories: tuple[frozenset[int], ...]

    @classmethod
    def everything(cls, n_values: list[int]) -> Context:
        n = len(n_values)
        return cls((-math.inf,) * n, (math.inf,) * n, tuple(frozenset(range(v)) for v in n_values))

    def below(self, feature: int, threshold: float) -> Context:
        return replace(self, high=_with(self.high, feature, min(self.high[feature], threshold)))

    def above(self, feature: int, threshold: float) -> Context:
        return replace(self, low=_with(self.low, feature, max(self.low[feature], threshold)))

    def within(self, feature: int, values: frozenset[int]) -> Context:
        return replace(self, categories=_with(self.categories, feature, self.categories[feature] & values))


def _with(values: tuple, index: int, value: object) -> tuple:
    return (*values[:index], value, *values[index + 1 :])


@dataclass(frozen=True)
class Visit:
    """A node of a tree, with what is known there: all in all, and from the tree's path alone."""

    node: Node
    context: Context
    path: Context

    def at(self, node: Node) -> Visit:
        return replace(self, node=node)

    def within(self, node: Node, feature: int, values: frozenset[int]) -> Visit:
        return Visit(node, self.context.within(feature, values), self.path.within(feature, values))


@dataclass(frozen=True)
class Question:
    """A test with the contexts of its outcomes."""

    kind: int
    feature: int
    threshold: float = 0.0
    categories: frozenset[int] = frozenset()

    def outcomes(self, context: Context, n_values: list[int]) -> list[Context]:
        if self.kind == THRESHOLD:
            return [context.below(self.feature, self.threshold), context.above(self.feature, self.threshold)]
        everything = frozenset(range(n_values[self.feature]))
        if self.kind == SUBSET:
            sides = [self.categories, everything - self.categories]
        else:
            sides = [frozenset([value]) for value in sorted(everything)]
        return [context.within(self.feature, side) for side in sides]

    def is_open(self, context: Context, n_values: list[int]) -> bool:
        if self.kind == THRESHOLD:
            return context.low[self.feature] < self.threshold < context.high[self.feature]
        sides = [outcome.categories[self.feature] for outcome in self.outcomes(context, n_values)]
        return sum(bool(side) for side in sides) > 1

    def branch(self, row: list[float]) -> int:
        value = row[self.feature]
        if math.isnan(value):
            return -1
        if self.kind == THRESHOLD:
            return 0 if value <= self.threshold else 1
        return (0 if int(value) in self.categories else 1) if self.kind == SUBSET else int(value)


def share(yes: float, no: float) -> float:
    return min(max(yes / (yes + no), MIN_SHARE), 1 - MIN_SHARE) if yes + no > 0 else 0.5


def steps(node: Node, visit: Visit) -> list[tuple[float, Visit, int | None]]:
    """Where a node leads: weight, son with its contexts, and which outcome that is.

    One entry if the context decides the node; several by training shares if not.
    """
    if node.test == MULTIWAY:
        return value_by_value(node, visit)
    yes, no = node.children
    f, context, own = node.feature, visit.context, visit.path
    if node.test == THRESHOLD:
        t = node.threshold
        may_be_yes, may_be_no = context.low[f] < t, context.high[f] > t
        sons = [
            Visit(yes, context.below(f, t), own.below(f, t)),
            Visit(no, context.above(f, t), own.above(f, t)),
        ]
    else:
        inside = frozenset(node.categories)
        may_be_yes, may_be_no = bool(context.categories[f] & inside), bool(context.categories[f] - inside)
        sons = [visit.within(yes, f, inside), visit.within(no, f, own.categories[f] - inside)]
    if not (may_be_yes and may_be_no):
        return [(1.0, visit.at(yes if may_be_yes else no), None)]
    p = share(yes.weight, no.weight)
    return [(p, sons[0], 0), (1 - p, sons[1], 1)]


def value_by_value(node: Node, visit: Visit) -> list[tuple[float, Visit, int | None]]:
    """A multiway node as a chain of questions, one value after the other.

    Values that the context excludes are answered no. The others keep the shares that they
    have on the tree's own path, as every undecided node does.
    """
    f, result, remaining = node.feature, [], 1.0
    on_path = sorted(visit.path.categories[f])
    possible = [value for value in on_path if value in visit.context.categories[f]]
    if len(possible) == 1:
        return [(1.0, visit.at(node.children[possible[0]]), None)]
    for value in possible:
        later = sum(node.children[other].weight for other in on_path if other > value)
        p = share(node.children[value].weight, later) if value != possible[-1] else 1.0
        result.append((remaining * p, visit.within(node.children[value], f, frozenset([value])), value))
        remaining *= 1 - p
    return result


class SlowISM:
    """Expectations and gains of an ensemble, each from the definitions."""

    def __init__(self, drawn: DrawnEnsemble, link: Link) -> None:
        self.drawn = drawn
        self.link = link
        self.n_values = drawn.schema.n_values

    def added(self, tree: int, node: Node) -> np.ndarray:
        """What a leaf adds to the scores."""
        drawn = self.drawn
        scores = np.zeros(drawn.n_scores)
        if drawn.votes:
            vote = first_largest(np.array([node.output]), drawn.tie_tolerance)[0]
            scores[:] = drawn.vote_against[tree]
            scores[vote] = drawn.tree_weight[tree]
        elif drawn.tree_score[tree] >= 0:
            scores[drawn.tree_score[tree]] = drawn.tree_weight[tree] * node.output[0]
        else:
            scores[:] = drawn.tree_weight[tree] * np.array(node.output)
        return scores

    def leaves(self, tree: int, context: Context) -> list[tuple[float, np.ndarray]]:
        """The leaves that a context leaves possible: probability, and what the leaf adds to the scores."""
        found, waiting = (
            [],
            [(1.0, Visit(self.drawn.roots[tree], context, Context.everything(self.n_values)))],
        )
        while waiting:
            reach, visit = waiting.pop()
            if visit.node.test == LEAF:
                found.append((reach, self.added(tree, visit.node)))
            else:
                waiting += [(reach * p, son) for p, son, _ in steps(visit.node, visit)]
        return found

    def expected(self, context: Context) -> np.ndarray:
        """P(C | A) by the law of total probability in each node."""
        total = np.array(self.drawn.base)
        for tree in range(len(self.drawn.roots)):
            total = total + sum(reach * added for reach, added in self.leaves(tree, context))
        return self.link.probabilities(self.link.divided(total[None, :]))[0]

    def pooled(self, question: Question, context: Context) -> np.ndarray:
        """Training share of each outcome over the undecided nodes that ask exactly this."""
        n = len(question.outcomes(context, self.n_values))
        weights = np.zeros(n)
        for root in self.drawn.roots:
            waiting = [(1.0, Visit(root, context, Context.everything(self.n_values)))]
            while waiting:
                reach, visit = waiting.pop()
                if visit.node.test == LEAF:
                    continue
                for p, son, outcome in steps(visit.node, visit):
                    if outcome is not None and asks(visit.node, question):
                        weights[outcome] += reach * p
                    waiting.append((reach * p, son))
        return weights


def asks(node: Node, question: Question) -> bool:
    if (node.test, node.feature) != (question.kind, question.feature):
        return False
    if node.test == THRESHOLD:
        return node.threshold == question.threshold
    return node.test == MULTIWAY or frozenset(node.categories) == question.categories


def entropy(distribution: np.ndarray) -> float:
    positive = distribution[distribution > 0]
    return float(-(positive * np.log2(positive)).sum())


def moments(slow: SlowISM, context: Context) -> np.ndarray:
    """First and second moment of a regression's number, over all combinations of leaves."""
    sums = [(1.0, slow.drawn.base[0])]
    for tree in range(len(slow.drawn.roots)):
        leaves = slow.leaves(tree, context)
        sums = [(p * reach, total + added[0]) for p, total in sums for reach, added in leaves]
    numbers = [(p, slow.link.divided(np.array([[total]]))[0, 0]) for p, total in sums]
    return np.array([sum(p * number for p, number in numbers), sum(p * number**2 for p, number in numbers)])


def variance(first_and_second: np.ndarray) -> float:
    return float(first_and_second[1] - first_and_second[0] ** 2)


def gain(
    slow: SlowISM,
    question: Question,
    context: Context,
    rows: list[list[float]],
    probabilities: np.ndarray,
    variant: str,
    mixture: bool,
    m: float,
) -> float:
    """Gain of a test in a context; NaN where ISM does not consider it.

    Of a regression, the rows' "probabilities" are the first and second moment of their number.
    """
    is_regression = slow.link.kind == "identity"
    impurity, expected = (variance, moments) if is_regression else (entropy, SlowISM.expected)
    if not question.is_open(context, slow.n_values):
        return math.nan
    outcomes = question.outcomes(context, slow.n_values)
    pooled = slow.pooled(question, context)
    branches = np.array([question.branch(row) for row in rows])
    counted = np.array([float((branches == b).sum()) for b in range(len(outcomes))])
    if (variant != "d" and pooled.sum() == 0) or (variant != "t" and (counted > 0).sum() < 2):
        return math.nan
    shares = pooled / pooled.sum() if pooled.sum() else pooled
    chance = {"t": lambda: shares, "hybrid": lambda: (counted + m * shares) / (counted.sum() + m)}.get(
        variant, lambda: counted / counted.sum()
    )()
    if (chance >= 1).any():
        return math.nan
    mixed, after = np.zeros(probabilities.shape[1]), 0.0
    for b, outcome in enumerate(outcomes):
        if chance[b] == 0:
            continue
        weight = {"d": 0.0, "hybrid": m * shares[b]}.get(variant, math.inf)
        distribution = side(slow, outcome, probabilities[branches == b], weight, expected)
        after += chance[b] * impurity(distribution)
        mixed += chance[b] * distribution
    if mixture or variant in ("d", "hybrid"):
        return impurity(mixed) - after
    return impurity(expected(slow, context)) - after


def side(
    slow: SlowISM,
    outcome: Context,
    probabilities: np.ndarray,
    weight: float,
    expected: Callable[[SlowISM, Context], np.ndarray],
) -> np.ndarray:
    """Class distribution behind an outcome: the rows', with the expectation counting as so many."""
    if math.isinf(weight):
        return expected(slow, outcome)
    total = len(probabilities) + weight
    return (probabilities.sum(axis=0) + weight * expected(slow, outcome)) / total
