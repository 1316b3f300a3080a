"""C4.5 written down as slowly and plainly as possible: the oracle of the kernel.

Sections 0 to 7 of the behavioural specification of J48, one function each, with recursion and
without any care for speed. Weights given by the user count as copies of rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtri

EPSILON = 1e-6


@dataclass
class Settings:
    n_values: list[int]  # per attribute: declared values, 0 where numeric
    n_classes: int
    binary_splits: bool = False
    prune: bool = True
    confidence: float = 0.25
    min_leaf: float = 2
    subtree_raising: bool = True
    collapse: bool = True
    mdl_correction: bool = True
    max_depth: int | None = None
    limits: str = "weka"


@dataclass
class Row:
    values: list  # float, code, or None where missing
    label: int
    copies: float = 1.0


Rows = list[tuple[Row, float]]  # a row and how much of it is here


@dataclass
class Node:
    rows: Rows
    counts: list[float]
    attribute: int = -1
    threshold: float | None = None  # numeric test
    value: int | None = None  # one value against the rest
    children: list[Node] = field(default_factory=list)

    @property
    def weight(self):
        return sum(self.counts)

    @property
    def is_leaf(self):
        return not self.children


def learn(rows: list[Row], settings: Settings) -> Node:
    rows = [row for row in rows if row.copies > 0]
    root = grow([(row, row.copies) for row in rows], rows, settings, 0)
    if settings.collapse:
        collapse(root)
    if settings.prune:
        prune(root, settings)
    return root


# ---------------------------------------------------------------- section 0


def eq(a, b):
    return abs(a - b) < EPSILON


def gr(a, b):
    return a - b > EPSILON


def sm(a, b):
    return b - a > EPSILON


def ge(a, b):
    return b - a < EPSILON or a >= b


def le(a, b):
    return a - b < EPSILON or a <= b


def xlogx(x):
    return 0.0 if x < EPSILON else x * math.log2(x)


def class_counts(rows, n_classes):
    counts = [0.0] * n_classes
    for row, weight in rows:
        counts[row.label] += weight
    return counts


# ---------------------------------------------------------------- section 1


def grow(rows, everything, settings, depth):
    node = Node(rows, class_counts(rows, settings.n_classes))
    if sm(node.weight, 2 * settings.min_leaf) or eq(node.weight, max(node.counts)):
        return node
    if settings.max_depth is not None and depth >= settings.max_depth:
        return node
    best = choose([candidate(rows, a, settings) for a in range(len(settings.n_values))], everything, settings)
    if best is None:
        return node
    node.attribute = best["attribute"]
    node.value = best.get("value")
    if "threshold" in best:
        values = [row.values[node.attribute] for row in everything]
        node.threshold = max(v for v in values if v is not None and le(v, best["threshold"]))
    for part in divide(rows, best["branch_of"], best["n_branches"]):
        node.children.append(grow(part, everything, settings, depth + 1))
    return node


def choose(candidates, everything, settings):
    n_all = sum(row.copies for row in everything)
    multi_valued = all(n > 0 and n >= 0.3 * n_all for n in settings.n_values)
    valid = [c for c in candidates if c is not None]
    gains = [
        c["gain"]
        for c in valid
        if settings.n_values[c["attribute"]] == 0
        or multi_valued
        or sm(settings.n_values[c["attribute"]], 0.3 * n_all)
    ]
    if not gains:
        return None
    average = sum(gains) / len(gains)
    best, best_ratio = None, 0.0
    for c in valid:
        if c["gain"] >= average - 0.001 and gr(c["ratio"], best_ratio):
            best, best_ratio = c, c["ratio"]
    return best


def divide(rows, branch_of, n_branches):
    """Section 4: rows with a missing value go everywhere, in proportion to the known ones."""
    parts = [[] for _ in range(n_branches)]
    known = [0.0] * n_branches
    for row, weight in rows:
        branch = branch_of(row)
        if branch is not None:
            parts[branch].append((row, weight))
            known[branch] += weight
    for row, weight in rows:
        if branch_of(row) is None:
            for branch in range(n_branches):
                share = 1 / n_branches if eq(sum(known), 0) else known[branch] / sum(known)
                if share > EPSILON:
                    parts[branch].append((row, weight * share))
    return parts


# ---------------------------------------------------------------- sections 2 and 3


def candidate(rows, attribute, settings):
    known = [(row, weight) for row, weight in rows if row.values[attribute] is not None]
    total = sum(weight for _, weight in rows)
    if settings.n_values[attribute] == 0:
        return numeric(known, total, attribute, settings)
    if settings.binary_splits:
        return one_against_rest(known, total, attribute, settings)
    return multiway(known, total, attribute, settings)


def gain_and_ratio(table, total, cost=0.0):
    """Of a branch table (branches x classes) over the known rows of a node."""
    branches = [sum(counts) for counts in table]
    known = sum(branches)
    before = xlogx(known) - sum(xlogx(sum(column)) for column in zip(*table, strict=True))
    after = sum(xlogx(sum(counts)) - sum(xlogx(count) for count in counts) for counts in table)
    scaled = (before - after) * known / total
    gain = 0.0 if eq(scaled, 0) else scaled / known
    gain -= cost
    split_info = xlogx(total) - sum(xlogx(weight) for weight in branches) - xlogx(total - known)
    return gain, 0.0 if eq(split_info, 0) else gain / (split_info / total)


def multiway(known, total, attribute, settings):
    n_values = settings.n_values[attribute]
    table = [
        class_counts([part for part in known if part[0].values[attribute] == value], settings.n_classes)
        for value in range(n_values)
    ]
    if sum(ge(sum(counts), settings.min_leaf) for counts in table) < 2:
        return None
    gain, ratio = gain_and_ratio(table, total)
    return {
        "attribute": attribute,
        "gain": gain,
        "ratio": ratio,
        "n_branches": n_values,
        "branch_of": lambda row: row.values[attribute],
    }


def one_against_rest(known, total, attribute, settings):
    best = None
    for value in range(settings.n_values[attribute]):
        inside = class_counts(
            [part for part in known if part[0].values[attribute] == value], settings.n_classes
        )
        outside = class_counts(
            [part for part in known if part[0].values[attribute] != value], settings.n_classes
        )
        if not (ge(sum(inside), settings.min_leaf) and ge(sum(outside), settings.min_leaf)):
            continue
        gain, ratio = gain_and_ratio([inside, outside], total)
        if best is None:
            best = {"attribute": attribute, "gain": 0.0, "ratio": 0.0, "value": 0, "n_branches": 2}
        if value == 0 or gr(ratio, best["ratio"]):
            best |= {"gain": gain, "ratio": ratio, "value": value}
    if best is not None:
        best["branch_of"] = lambda row: branch_of_one(row, attribute, best["value"])
    return best


def branch_of_one(row, attribute, value):
    known = row.values[attribute]
    return None if known is None else int(known != value)


def branch_of_number(row, attribute, threshold):
    known = row.values[attribute]
    return None if known is None else int(not known <= threshold)


def numeric(known, total, attribute, settings):
    known = sorted(known, key=lambda part: part[0].values[attribute])
    weight = sum(w for _, w in known)
    min_split = 0.1 * weight / settings.n_classes
    if le(min_split, settings.min_leaf):
        min_split = settings.min_leaf
    elif min_split > 25:
        min_split = 25
    if sm(sum(row.copies for row, _ in known), 2 * min_split):
        return None
    n_cuts, best_gain, best_cut = 0, 0.0, None
    for cut in range(1, len(known)):
        below, above = known[cut - 1][0].values[attribute], known[cut][0].values[attribute]
        if not below + 1e-5 < above:
            continue
        left = class_counts(known[:cut], settings.n_classes)
        right = class_counts(known[cut:], settings.n_classes)
        if not (ge(sum(left), min_split) and ge(sum(right), min_split)):
            continue
        n_cuts += 1
        gain, _ = gain_and_ratio([left, right], total)
        if gr(gain, best_gain):
            best_gain, best_cut = gain, cut
    if best_cut is None:
        return None
    cost = math.log2(n_cuts) / total if settings.mdl_correction else 0.0
    table = [class_counts(part, settings.n_classes) for part in (known[:best_cut], known[best_cut:])]
    gain, ratio = gain_and_ratio(table, total, cost)
    if le(gain, 0):
        return None
    below, above = known[best_cut - 1][0].values[attribute], known[best_cut][0].values[attribute]
    threshold = (below + above) / 2
    threshold = threshold if threshold < above else below
    return {
        "attribute": attribute,
        "gain": gain,
        "ratio": ratio,
        "threshold": threshold,
        "n_branches": 2,
        "branch_of": lambda row: branch_of_number(row, attribute, threshold),
    }


# ---------------------------------------------------------------- sections 6 and 7


def leaves(node):
    return [node] if node.is_leaf else [leaf for child in node.children for leaf in leaves(child)]


def make_leaf(node):
    node.children, node.attribute, node.threshold, node.value = [], -1, None, None


def collapse(node):
    if node.is_leaf:
        return
    errors_of_leaves = sum(leaf.weight - max(leaf.counts) for leaf in leaves(node))
    if errors_of_leaves >= node.weight - max(node.counts) - 0.001:
        make_leaf(node)
        return
    for child in node.children:
        collapse(child)


def estimate(counts, settings):
    total = sum(counts)
    if eq(total, 0):
        return 0.0
    errors = total - max(counts)
    return errors + added_errors(total, errors, settings.confidence, settings.limits)


# Quinlan's table of confidences and normal quantiles.
PROBABILITIES = (0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
QUANTILES = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


def added_errors(n, errors, confidence, limits="weka"):
    confidence = float(np.float32(confidence))
    is_quinlan = limits == "quinlan"
    if confidence > 0.5 and not is_quinlan:
        return 0.0
    if errors < 1:
        base = n * (1 - confidence ** (1 / n))
        return base if errors == 0 else base + errors * (added_errors(n, 1, confidence, limits) - base)
    if errors + 0.5 >= n:
        return (0.67 if is_quinlan else 1) * max(n - errors, 0.0)
    z = np.interp(confidence, PROBABILITIES, QUANTILES) if is_quinlan else -ndtri(confidence)
    f = (errors + 0.5) / n
    r = (f + z * z / (2 * n) + z * math.sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (1 + z * z / n)
    return r * n - errors


def prune(node, settings):
    if node.is_leaf:
        return
    for child in node.children:
        prune(child, settings)
    as_leaf = estimate(node.counts, settings)
    as_tree = sum(estimate(leaf.counts, settings) for leaf in leaves(node))
    largest = node.children[0]
    for child in node.children:
        if ge(child.weight, largest.weight):
            largest = child
    as_branch = math.inf
    if settings.subtree_raising:
        passed = pass_down(largest, node.rows, settings)
        as_branch = sum(estimate(leaf.counts, settings) for leaf in leaves(passed))
    if le(as_leaf, as_tree + 0.1) and le(as_leaf, as_branch + 0.1):
        make_leaf(node)
    elif le(as_branch, as_tree + 0.1):
        raised = pass_down(largest, node.rows, settings)
        node.attribute, node.threshold, node.value = raised.attribute, raised.threshold, raised.value
        node.children = raised.children
        prune(node, settings)


def pass_down(node, rows, settings):
    """Return the subtree as it would be if these rows were passed down it."""
    copy = Node(rows, class_counts(rows, settings.n_classes), node.attribute, node.threshold, node.value)
    if node.is_leaf:
        return copy
    if node.threshold is not None:
        parts = divide(rows, lambda row: branch_of_number(row, node.attribute, node.threshold), 2)
    elif node.value is not None:
        parts = divide(rows, lambda row: branch_of_one(row, node.attribute, node.value), 2)
    else:
        parts = divide(rows, lambda row: row.values[node.attribute], len(node.children))
    copy.children = [
        pass_down(child, part, settings) for child, part in zip(node.children, parts, strict=True)
    ]
    return copy
