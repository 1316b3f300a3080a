"""A tree as Weka's J48 prints it, byte for byte."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np

from sightline.model import ANY_NUMBER, LEAF, MULTIWAY, SUBSET, THRESHOLD, Tree, stated_bounds
from sightline.show._outline import Outline
from sightline.wording import printable

_EPSILON = 1e-6
"""Weka's tolerance: fewer errors than this are none."""

_MAX_GUIDES = 200
"""Deeper levels are a number: Weka itself, being recursive, would never get that far."""


def weka_text(tree: Tree, title: str = "J48 pruned tree", binary_thresholds: bool | None = None) -> str:
    r"""Write a tree as ``weka.classifiers.trees.J48`` prints it.

    Parameters
    ----------
    tree : Tree
        The tree. Weights and errors at the leaves are those of ``tree.core.counts``.
    title : str, default="J48 pruned tree"
        The first line.
    binary_thresholds : bool, optional
        Whether thresholds are written in full, as under Weka's option ``-B``, or with up
        to six decimals. By default the former if the tree has a subset test.

    Returns
    -------
    str
        What Weka's command line prints, the blank line at the end included.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> print(weka_text(credit_tree()).replace("\t", " "), end="")
    J48 pruned tree
    ------------------
    <BLANKLINE>
    age <= 30.0
    |   income <= 2000.0: bad (25.0/5.0)
    |   income > 2000.0: good (15.0/6.0)
    age > 30.0
    |   purpose in {car, holiday}: good (20.0/5.0)
    |   purpose not in {car, holiday}: good (40.0/2.0)
    <BLANKLINE>
    Number of Leaves  :  4
    <BLANKLINE>
    Size of the tree :  7
    <BLANKLINE>
    """
    writer = _WekaWriter(tree, binary_thresholds)
    body = "".join(writer.line(node) for node in range(tree.n_nodes))
    footer = f"\n\nNumber of Leaves  : \t{tree.n_leaves}\n\nSize of the tree : \t{tree.n_nodes}\n\n"
    return f"{printable(title)}\n------------------\n{body}{footer}"


class _WekaWriter:
    def __init__(self, tree: Tree, binary_thresholds: bool | None) -> None:
        self.tree = tree
        outline = Outline.of(tree)
        # Lists: one look into an array of the core costs as much as a whole line.
        self.test: list[int] = tree.core.test.tolist()
        self.feature: list[int] = tree.core.feature.tolist()
        self.threshold: list[float] = stated_bounds(tree.core.threshold).tolist()
        self.level: list[int] = outline.level.tolist()
        self.parent: list[int] = outline.parent.tolist()
        self.branch: list[int] = outline.branch.tolist()
        self.total, self.errors = _totals_and_errors(tree)
        if binary_thresholds is None:
            binary_thresholds = SUBSET in self.test
        self.number = java_double if binary_thresholds else six_decimals
        self.names = [printable(feature.name) for feature in tree.schema.features]

    def line(self, node: int) -> str:
        leaf = self._leaf(node) if self.test[node] == LEAF else ""
        if node == 0:
            return leaf
        level = self.level[node] - 1
        guides = "|   " * level if level <= _MAX_GUIDES else f"[level {level + 1}] "
        return f"\n{guides}{self._condition(self.parent[node], self.branch[node])}{leaf}"

    def _condition(self, node: int, branch: int) -> str:
        feature = self.feature[node]
        name = self.names[feature]
        if self.test[node] == THRESHOLD and self.threshold[node] in (ANY_NUMBER, -math.inf):
            # Weka has no such test.
            is_present = (branch == 0) == (self.threshold[node] == ANY_NUMBER)
            return f"{name} has {'a' if is_present else 'no'} value"
        if self.test[node] == THRESHOLD:
            return f"{name} {'>' if branch else '<='} {self.number(self.threshold[node])}"
        if self.test[node] == MULTIWAY:
            return f"{name} = {printable((self.tree.schema.features[feature].categories or ())[branch])}"
        values = [printable(value) for value in self.tree.categories(node)]
        if len(values) == 1:
            return f"{name} {'!=' if branch else '='} {values[0]}"
        return f"{name} {'not in' if branch else 'in'} {{{', '.join(values)}}}"

    def _leaf(self, node: int) -> str:
        errors = f"/{two_decimals(self.errors[node])}" if self.errors[node] > _EPSILON else ""
        return f": {printable(self.tree.label(node))} ({two_decimals(self.total[node])}{errors})"


def _totals_and_errors(tree: Tree) -> tuple[list[float], list[float]]:
    """Weight of each node, and how much of it is not of the commonest class."""
    counts = np.asarray(tree.core.counts)
    if not len(counts):
        return tree.core.weight.tolist(), [0.0] * tree.n_nodes
    totals = counts.sum(axis=1)
    return totals.tolist(), (totals - counts.max(axis=1)).tolist()


def two_decimals(value: float) -> str:
    """Write a number as ``Utils.roundDouble(value, 2)`` does.

    Examples
    --------
    >>> two_decimals(15.2749), two_decimals(1), two_decimals(0.125)
    ('15.27', '1.0', '0.13')
    """
    return java_double(math.floor(value * 100 + 0.5) / 100)


def six_decimals(value: float) -> str:
    """Write a number as ``Utils.doubleToString(value, 6)`` does.

    Examples
    --------
    >>> six_decimals(10.0), six_decimals(-2.5), six_decimals(1e-7), six_decimals(0.5609999)
    ('10', '-2.5', '0', '0.561')
    """
    scaled = value * 1e6
    if abs(scaled) >= 2**63:
        return java_double(value)
    whole, fraction = divmod(int(abs(scaled) + 0.5), 10**6)
    sign = "-" if scaled < 0 and (whole or fraction) else ""
    return f"{sign}{whole}.{fraction:06d}".rstrip("0").rstrip(".")


def java_double(value: float) -> str:
    """Write a number as Java's ``Double.toString`` does.

    Examples
    --------
    >>> java_double(40.0), java_double(1e-4), java_double(12345678.0), java_double(1.5e300)
    ('40.0', '1.0E-4', '1.2345678E7', '1.5E300')
    """
    if value == 0 or not math.isfinite(value) or 1e-3 <= abs(value) < 1e7:
        return {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}.get(repr(value), repr(value))
    shortest = Decimal(repr(value))
    digits = "".join(map(str, shortest.as_tuple().digits)).rstrip("0")
    return f"{'-' if value < 0 else ''}{digits[0]}.{digits[1:] or '0'}E{shortest.adjusted()}"
