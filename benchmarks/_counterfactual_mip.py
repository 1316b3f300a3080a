"""The nearest counterfactual as a mixed-integer program, solved by HiGHS: a peer of the search over boxes.

The formulation is that of A. Kantchelian, J. Tygar and A. Joseph, "Evasion and hardening of tree ensemble
classifiers", ICML
2016, with one binary variable per threshold and category, and one continuous variable per leaf.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from sightline.judge import ColumnLimits
from sightline.model import LEAF, SUBSET, THRESHOLD, Ensemble

COLUMNS_FIRST = 1000.0
"""What a changed column costs: more than all scaled changes together."""
MARGIN = 1e-6
Terms = dict[int, float]


class Program:
    """Variables with bounds and costs, and rows of constraints low <= sum <= high."""

    def __init__(self) -> None:
        self.cost: list[float] = []
        self.binary: list[bool] = []
        self.rows: list[tuple[Terms, float, float]] = []
        self.constant = 0.0

    def variable(self, binary: bool) -> int:
        self.cost.append(0.0)
        self.binary.append(binary)
        return len(self.cost) - 1

    def pay(self, terms: Terms, constant: float, price: float) -> None:
        self.constant += constant * price
        for variable, factor in terms.items():
            self.cost[variable] += factor * price

    def require(self, terms: Terms, low: float = -math.inf, high: float = math.inf) -> None:
        self.rows.append((terms, low, high))

    def solve(self, max_seconds: float) -> Any:
        entries = [(row, *term) for row, (terms, _, _) in enumerate(self.rows) for term in terms.items()]
        index, variable, factor = (np.array(part) for part in zip(*entries, strict=True))
        matrix = coo_array((factor, (index, variable)), shape=(len(self.rows), len(self.cost))).tocsr()
        low, high = (np.array([row[end] for row in self.rows]) for end in (1, 2))
        return milp(
            np.array(self.cost),
            constraints=LinearConstraint(matrix, low, high),
            integrality=np.array(self.binary, dtype=int),
            bounds=Bounds(0, 1),
            options={"time_limit": max_seconds, "mip_rel_gap": 1e-6},
        )


class NumberColumn:
    """Ascending thresholds; variable i says that the value is at most threshold i."""

    def __init__(self, program: Program, column: ColumnLimits, cuts: list[float]) -> None:
        self.cuts = cuts
        self.at_most = [program.variable(binary=True) for _ in cuts]
        self.values: list[float | None] = []
        ends = [-math.inf, *cuts, math.inf]
        for cell, (low, high) in enumerate(itertools.pairwise(ends)):
            value = _nearest(low, high, column)
            self.values.append(value)
            chosen, constant = self._chosen(cell)
            if value is None:
                program.require(chosen, -constant, -constant)
            else:
                program.pay(chosen, constant, column.cost(value))
                if not column.keeps(value):
                    program.pay(chosen, constant, COLUMNS_FIRST)
        for lower, upper in itertools.pairwise(self.at_most):
            program.require({lower: 1.0, upper: -1.0}, high=0.0)

    def _chosen(self, cell: int) -> tuple[Terms, float]:
        """Whether the value lies in a cell: at most its upper end, and not at most its lower end."""
        terms: Terms = {}
        if cell < len(self.cuts):
            terms[self.at_most[cell]] = 1.0
        if cell > 0:
            terms[self.at_most[cell - 1]] = terms.get(self.at_most[cell - 1], 0.0) - 1.0
        return terms, float(cell == len(self.cuts))

    def test(self, tree: Any, node: int) -> tuple[Terms, float]:
        return {self.at_most[self.cuts.index(float(tree.threshold[node]))]: 1.0}, 0.0

    def value(self, solution: Any) -> float:
        cell = sum(solution[variable] < 0.5 for variable in self.at_most)
        value = self.values[cell]
        assert value is not None
        return value


class CategoryColumn:
    """One variable per allowed category and for a missing value."""

    def __init__(self, program: Program, column: ColumnLimits) -> None:
        codes = [float(code) for code in column.codes] if not column.is_fixed else []
        codes = list(dict.fromkeys([*codes, column.own]))
        self.choice = {code: program.variable(binary=True) for code in codes}
        program.require(dict.fromkeys(self.choice.values(), 1.0), 1.0, 1.0)
        for code, variable in self.choice.items():
            if not column.keeps(code):
                program.pay({variable: 1.0}, 0.0, column.cost(code) + COLUMNS_FIRST)

    def test(self, tree: Any, node: int) -> tuple[Terms, float]:
        begin, end = tree.category_begin[node : node + 2]
        inside = set(tree.category[begin:end].tolist())
        missing_goes_left = tree.share[tree.branch_begin[node]] > 0.5
        return {
            variable: 1.0
            for code, variable in self.choice.items()
            if (missing_goes_left if math.isnan(code) else code in inside)
        }, 0.0

    def value(self, solution: Any) -> float:
        return max(self.choice, key=lambda code: solution[self.choice[code]])


def nearest_by_mip(
    ensemble: Ensemble, columns: tuple[ColumnLimits, ...], wanted: int, max_seconds: float
) -> tuple[list[float] | None, bool]:
    """Return the nearest row of a two-class sum of trees, and whether it is proved to be nearest."""
    program = Program()
    made = [_column(program, ensemble, index, column) for index, column in enumerate(columns)]
    score: Terms = {}
    for tree, weight in zip(ensemble.core.trees, ensemble.core.tree_weight, strict=True):
        _add_tree(program, tree, made, weight, score)
    base = float(ensemble.core.base[0])
    if wanted == 1:
        program.require(score, low=MARGIN - base)
    else:
        program.require(score, high=-MARGIN - base)
    result = program.solve(max_seconds)
    if result.x is None:
        return None, False
    return [each.value(result.x) for each in made], result.status == 0


def _column(program: Program, ensemble: Ensemble, index: int, column: ColumnLimits) -> Any:
    if column.feature.is_nominal:
        return CategoryColumn(program, column)
    cuts = {
        float(cut)
        for tree in ensemble.core.trees
        for cut in tree.threshold[(tree.feature == index) & (tree.test == THRESHOLD)]
    }
    return NumberColumn(program, column, sorted(cuts))


def _add_tree(program: Program, tree: Any, columns: list[Any], weight: float, score: Terms) -> None:
    """One variable per leaf: the row is in a leaf only if it takes the branches that lead there."""
    leaves: dict[int, list[int]] = {}
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.test[node] == LEAF:
            variable = program.variable(binary=False)
            leaves[node] = [variable]
            score[variable] = weight * float(tree.output[node, 0])
            continue
        assert tree.test[node] in (THRESHOLD, SUBSET)
        left, right = (
            int(child) for child in tree.child[tree.branch_begin[node] : tree.branch_begin[node + 1]]
        )
        terms, constant = columns[int(tree.feature[node])].test(tree, node)
        negated = {variable: -factor for variable, factor in terms.items()}
        program.require({**dict.fromkeys(leaves[left], 1.0), **negated}, high=constant)
        program.require({**dict.fromkeys(leaves[right], 1.0), **terms}, high=1.0 - constant)
        leaves[node] = leaves[left] + leaves[right]
    program.require(dict.fromkeys(leaves[0], 1.0), 1.0, 1.0)


def _nearest(low: float, high: float, column: ColumnLimits) -> float | None:
    """The allowed number of (low, high] nearest to the row's own."""
    if low < column.own <= high:
        return column.own
    first, last = max(math.nextafter(low, math.inf), column.low), min(high, column.high)
    if column.unit:
        first, last = (
            math.ceil(first / column.unit) * column.unit,
            math.floor(last / column.unit) * column.unit,
        )
    return None if column.is_fixed or first > last else float(min(max(column.own, first), last))
