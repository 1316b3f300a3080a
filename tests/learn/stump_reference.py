"""Stump ensembles the slow, obvious way: nested tuples, recursion and fractions.

A stump is ``("leaf", label)`` or ``(feature, test, missing branch, children)``, where the test is
``("cut", threshold)``, ``("value", code)`` or ``("each",)``.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

TOLERANCE = 1e-6
"""Of two cuts whose entropies differ by less the earlier one is taken."""


def xlogx(count):
    return count * math.log2(count) if count else 0.0


def disorder(weights):
    return xlogx(sum(weights)) - sum(map(xlogx, weights))


@dataclass
class Problem:
    """Rows as numbers (codes of nominal values, NaN for what is missing) with classes and weights."""

    rows: list[list[float]]
    labels: list[int]
    n_values: list[int]
    n_classes: int
    min_leaf: int = 2
    binary_nominal: bool = False
    weights: list[int] | None = None

    def __post_init__(self):
        self.weights = self.weights or [1] * len(self.rows)
        counts = [self.labels.count(c) for c in range(self.n_classes)]
        self.by_frequency = sorted(range(self.n_classes), key=lambda c: (-counts[c], c))

    def class_weights(self, rows):
        return [sum(self.weights[i] for i in rows if self.labels[i] == c) for c in range(self.n_classes)]

    def majority(self, rows, parents):
        weights = self.class_weights(rows)
        best = [c for c in range(self.n_classes) if weights[c] == max(weights)]
        return parents if parents in best else min(best, key=self.by_frequency.index)

    def tests(self, feature, known):
        """Possible binary tests with the rows that take branch 0."""
        values = sorted({self.rows[i][feature] for i in known})
        if self.n_values[feature]:
            for value in range(self.n_values[feature]):
                yield ("value", value), [i for i in known if self.rows[i][feature] == value]
        else:
            for below, above in itertools.pairwise(values):
                cut = (below + above) / 2
                cut = cut if cut < above else below
                yield ("cut", cut), [i for i in known if self.rows[i][feature] <= below]

    def split(self, feature, rows):
        """The test, its missing branch and the rows of each branch, or None."""
        known = [i for i in rows if not math.isnan(self.rows[i][feature])]
        missing = [i for i in rows if math.isnan(self.rows[i][feature])]
        if self.n_values[feature] and not self.binary_nominal:
            parts = [[i for i in known if self.rows[i][feature] == v] for v in range(self.n_values[feature])]
            if sum(len(part) >= self.min_leaf for part in parts) < 2:
                return None
            test = ("each",)
        else:
            best = None
            for candidate, yes in self.tests(feature, known):
                no = [i for i in known if i not in set(yes)]
                if min(len(yes), len(no)) < self.min_leaf:
                    continue
                score = disorder(self.class_weights(yes)) + disorder(self.class_weights(no))
                if best is None or best[0] - score > TOLERANCE:
                    best = (score, candidate, [yes, no])
            if best is None:
                return None
            _, test, parts = best
        heavy = [sum(self.weights[i] for i in part) for part in parts]
        branch = heavy.index(max(heavy))
        parts[branch] = parts[branch] + missing
        return test, branch, parts

    def stump(self, features, rows, parents=-1):
        label = self.majority(rows, parents)
        if not features:
            return ("leaf", label)
        found = self.split(features[0], rows)
        if found is None:
            # An attribute that cannot split a part leaves it to the next one.
            inner = self.stump(features[1:], rows, label)
            return inner if inner[0] != "leaf" else ("leaf", label)
        test, branch, parts = found
        children = tuple(self.stump(features[1:], part, label) for part in parts)
        if all(child == children[0] and child[0] == "leaf" for child in children):
            return children[0]
        return (features[0], test, branch, children)

    def all_stumps(self, max_depth):
        found = []
        everything = list(range(len(self.rows)))
        n = len(self.n_values)
        for depth in range(1, max_depth + 1):
            for features in itertools.product(range(n), repeat=depth):
                again = [f for f in set(features) if features.count(f) > 1]
                if any(self.n_values[f] and not self.binary_nominal for f in again):
                    continue
                stump = self.stump(list(features), everything)
                if stump[0] != "leaf" and stump not in found:
                    found.append(stump)
        return found


def vote(stump, row):
    while stump[0] != "leaf":
        feature, test, branch, children = stump
        value = row[feature]
        if not math.isnan(value):
            branch = {
                "cut": lambda value=value, test=test: int(value > test[1]),
                "value": lambda value=value, test=test: int(value != test[1]),
                "each": lambda value=value: int(value),
            }[test[0]]()
        stump = children[branch]
    return stump[1]


def loss(votes, members, labels, n_classes):
    """Sum over rows and classes of the squared distance of the share of votes from the truth."""
    total = Fraction(0)
    for i, label in enumerate(labels):
        for c in range(n_classes):
            share = Fraction(sum(votes[m][i] == c for m in members), len(members))
            total += (int(label == c) - share) ** 2
    return total


def grown(votes, candidates, labels, n_classes, *, min_size=3, max_size=0, passes=10, replace_on_tie=True):
    """The paper's first figure, with its flaw mended unless told otherwise."""
    members = []

    def eq(chosen):
        return loss(votes, chosen, labels, n_classes)

    for _ in range(passes):
        before = list(members)
        for candidate in candidates:
            if candidate in members:
                continue
            may_add = not max_size or len(members) < max_size
            if len(members) < min_size and may_add:
                members.append(candidate)
                continue
            added = eq([*members, candidate]) if may_add else math.inf
            swaps = [[*members[:j], candidate, *members[j + 1 :]] for j in range(len(members))]
            swap = min(swaps, key=eq)
            replaced, now = eq(swap), eq(members)
            if replaced < min(added, now) or (replace_on_tie and replaced == added < now):
                members = swap
            elif added < min(replaced, now):
                members = [*members, candidate]
        if members == before:
            break
    return members


def pruned(votes, members, labels, n_classes):
    """The paper's second figure."""

    def eq(chosen):
        return loss(votes, chosen, labels, n_classes)

    members = list(members)
    while len(members) > 1:
        best = min((members[:j] + members[j + 1 :] for j in range(len(members))), key=eq)
        if not eq(best) < eq(members):
            break
        members = best
    return members
