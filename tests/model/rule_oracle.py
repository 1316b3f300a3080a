"""Rules in the slowest and plainest way: what the kernels must equal."""

from __future__ import annotations

import math
from fractions import Fraction

from strategies import Node

from sightline.model import LEAF, MULTIWAY, SUBSET, THRESHOLD, RuleSet


def holds(rules: RuleSet, condition: int, row: list[float]) -> bool:
    core = rules.core
    value = row[core.feature[condition]]
    if math.isnan(value):
        return bool(core.accepts_missing[condition])
    if rules.schema.features[core.feature[condition]].is_nominal:
        begin, end = core.category_begin[condition : condition + 2]
        return int(value) in core.category[begin:end]
    return core.low[condition] < value <= core.high[condition]


def conditions_of(rules: RuleSet, rule: int) -> list[int]:
    begin, end = rules.core.condition_begin[rule : rule + 2]
    return [int(c) for c in rules.core.condition[begin:end]]


def share(rules: RuleSet, rule: int, row: list[float]) -> Fraction:
    numbers = conditions_of(rules, rule)
    if not numbers:
        return Fraction(1)
    return Fraction(sum(holds(rules, c, row) for c in numbers), len(numbers))


def reaches(part: Fraction, pc: float) -> bool:
    return float(part) >= pc - 1e-9


def votes(rules: RuleSet, row: list[float], judged: list[bool] | None = None) -> tuple[list[float], bool]:
    """Votes of a row, and whether they come from rules or the base rather than a fallback."""
    voting = rules.voting
    full = [0.0] * len(rules.classes_)
    partial, fallback = list(full), list(full)
    for rule in range(rules.n_rules):
        if judged is not None and not judged[rule]:
            continue
        part, label = share(rules, rule, row), int(rules.core.label[rule])
        weight = float(rules.core.weight[rule])
        if part == 1:
            full[label] += weight
            continue
        if reaches(part, voting.pc):
            partial[label] += weight * float(part)
        if voting.fallback is not None and reaches(part, voting.fallback):
            fallback[label] += weight * float(part)
    total = [b + f + voting.wr * p for b, f, p in zip(voting.base, full, partial, strict=True)]
    if is_any(total):
        return total, True
    return (fallback if is_any(fallback) else list(voting.prior)), False


def is_any(votes_of_classes: list[float]) -> bool:
    """Whether there is a vote that is more than the rounding of votes that cancel out."""
    return any(abs(votes_of_class) > 1e-12 for votes_of_class in votes_of_classes)


def winner(totals: list[float], prior: tuple[float, ...]) -> int:
    most = max(totals) - 1e-9 * max(map(abs, totals))
    tied = [k for k, votes_of_k in enumerate(totals) if votes_of_k >= most]
    return max(tied, key=lambda k: (prior[k], -k))


def leaf_reached(root: Node, row: list[float]) -> Node | None:
    """The leaf of a row, or None where a missing value is shared out among branches."""
    node = root
    while node.test != LEAF:
        value = row[node.feature]
        if math.isnan(value):
            if 1.0 not in node.shares:
                return None
            branch = node.shares.index(1.0)
        elif node.test == THRESHOLD:
            branch = int(value > node.threshold)
        elif node.test == SUBSET:
            branch = int(int(value) not in node.categories)
        else:
            assert node.test == MULTIWAY
            branch = int(value)
        node = node.children[branch]
    return node
