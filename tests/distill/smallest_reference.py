"""The fewest leaves of a tree that equals an ensemble, by dynamic programming over sets of cells.

Slow and obvious: a state is, per feature, the set of values that are still possible, and every test
that a tree may ask is tried in every state.
"""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import numpy as np

from sightline import Ensemble, Table
from sightline.model import MULTIWAY, SUBSET, THRESHOLD
from sightline.table import Column

Outcomes = tuple[int, ...]
"""The branch that each value of a feature takes."""


class Cells:
    """Every cell of an ensemble with its label: one value per interval or category, and missing."""

    def __init__(self, ensemble: Ensemble, missing: bool) -> None:
        self.nodes = [
            (core, int(v))
            for core in ensemble.core.trees
            for v in np.flatnonzero(np.asarray(core.feature) >= 0)
        ]
        self.n_values = [feature.n_values for feature in ensemble.schema.features]
        self.values = [self._values(feature, missing) for feature in range(len(self.n_values))]
        rows = np.array(list(itertools.product(*self.values)), dtype=float)
        columns = []
        for place, feature in enumerate(ensemble.schema.features):
            column = rows[:, place]
            if feature.is_nominal:
                column = np.where(np.isnan(column), -1, column).astype(np.int32)
            columns.append(Column(feature, column.copy()))
        self.table = Table(columns)
        codes = np.searchsorted(ensemble.classes_, ensemble.predict(self.table))
        self.labels = codes.reshape([len(values) for values in self.values])

    def asking(self, feature: int) -> list[tuple[Any, int]]:
        return [(core, v) for core, v in self.nodes if core.feature[v] == feature]

    def _values(self, feature: int, missing: bool) -> list[float]:
        values = [float(value) for value in range(self.n_values[feature])]
        if not values:
            cuts = sorted({core.threshold[v] for core, v in self.asking(feature)} - {np.finfo(float).max})
            values = [*cuts, math.nextafter(cuts[-1], math.inf) if cuts else 0.0]
        return values + ([math.nan] if missing else [])

    def tests(self, feature: int) -> set[Outcomes]:
        """Every test with missing values on either side, and whether the value is known."""
        known = [value for value in self.values[feature] if not math.isnan(value)]
        missing = len(known) < len(self.values[feature])
        tests, sides = set(), {0}
        for core, v in self.asking(feature):
            outcomes = tuple(_branch(core, v, value) for value in known)
            tests.add(outcomes)
            shares = np.asarray(core.share)[core.branch_begin[v] : core.branch_begin[v + 1]]
            if core.test[v] == MULTIWAY and (shares > 0).sum() == 1:
                sides.add(int(shares.argmax()))
            if core.test[v] == MULTIWAY:
                tests |= {tuple(int(value != one) for value in known) for one in known}
        if missing:
            binary = {(*test, side) for test in tests for side in (0, 1) if max(test) < 2}
            tests = binary | {(*test, side) for test in tests for side in sides if max(test) > 1}
            tests.add((*(0 for _ in known), 1))
        return {test for test in tests if len(set(test)) > 1}


def _branch(core: Any, v: int, value: float) -> int:
    if core.test[v] == THRESHOLD:
        return int(value > core.threshold[v])
    if core.test[v] == SUBSET:
        return int(value not in core.category[core.category_begin[v] : core.category_begin[v + 1]])
    return int(value)


def fewest_leaves(ensemble: Ensemble, missing: bool = True) -> int:
    """Return the number of leaves of the smallest tree with the ensemble's label in every cell."""
    cells = Cells(ensemble, missing)
    tests = [(place, test) for place in range(len(cells.values)) for test in cells.tests(place)]

    @cache
    def fewest(live: tuple[tuple[int, ...], ...]) -> int:
        labels = cells.labels[np.ix_(*live)]
        if labels.min() == labels.max():
            return 1
        best = labels.size
        for place, test in tests:
            parts = [
                tuple(value for value in live[place] if test[value] == branch)
                for branch in range(max(test) + 1)
            ]
            if sum(map(bool, parts)) < 2:
                continue
            # A branch that nothing takes is a leaf as well.
            total = 0
            for part in parts:
                total += fewest((*live[:place], part, *live[place + 1 :])) if part else 1
            best = min(best, total)
        return best

    return fewest(tuple(tuple(range(len(values))) for values in cells.values))
