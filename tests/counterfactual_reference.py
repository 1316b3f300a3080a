"""Counterfactuals the slow, obvious way: look at every cell that the models cut the space into.

No model tells two rows of a cell apart, so the nearest row with the wanted answer is the nearest row
of some cell.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from grid import thresholds_of

from sightline.judge._comparable import table_of

MAX_CELLS = 60_000


def nearest_by_brute_force(models, wanted, columns, plausible):
    """Distance of the nearest row per set of changed columns; None if there are too many cells.

    ``wanted`` tells which answers of each model are wanted, ``columns`` are ColumnLimits, ``plausible`` are
    PlausibleRows, whose neighborhoods cut the cells further.
    """
    axes = [_cheapest_values(models, index, column, plausible) for index, column in enumerate(columns)]
    if math.prod(map(len, axes)) > MAX_CELLS:
        return None
    combinations = list(itertools.product(*axes))
    rows = [[value for value, _ in combination] for combination in combinations]
    is_met = plausible.include(rows)
    is_met[0] = True  # The row itself is what it is.
    for model, is_wanted in zip(models, wanted, strict=True):
        is_met &= is_wanted(model.predict(table_of(rows, model.schema)))
    nearest: dict[frozenset[int], float] = {}
    for place in np.flatnonzero(is_met):
        changed = frozenset(
            i for i, (value, _) in enumerate(combinations[place]) if not columns[i].keeps(value)
        )
        total = math.fsum(cost for _, cost in combinations[place])
        nearest[changed] = min(total, nearest.get(changed, math.inf))
    return nearest


def nearest_after(nearest, known, columns_first):
    """The distance of the nearest row that keeps one column of every known set; None if there is none."""
    distances = [
        (len(changed) if columns_first else 0, total)
        for changed, total in nearest.items()
        if not any(earlier <= changed for earlier in known)
    ]
    return min(distances, default=None)


def _cheapest_values(models, index, column, plausible):
    """The own value, and the cheapest allowed value of every cell, each with its cost."""
    own = [(column.own, 0.0)]
    if column.is_fixed:
        return own
    missing = [(math.nan, 1.0)] if column.may_become_missing else []
    if column.feature.is_nominal:
        return own + [(float(code), 1.0) for code in column.codes if code != column.own] + missing
    cuts = {cut for model in models for cut in thresholds_of(model, index)}
    if plausible.width and plausible.width[index] >= 0:
        known = plausible.values[:, index][~np.isnan(plausible.values[:, index])]
        cuts |= {math.nextafter(float(value), -math.inf) for value in known - plausible.width[index]}
        cuts |= {float(value) for value in known + plausible.width[index]}
    ends = [-math.inf, *sorted(cuts), math.inf]
    values = []
    for low, high in itertools.pairwise(ends):
        value = _cheapest_in_cell(low, high, column)
        if value is not None and not column.keeps(value):
            values.append((value, column.cost(value)))
    return own + values + missing


def _cheapest_in_cell(low, high, column):
    """The number of (low, high] within the column's range that is nearest to its own, or to its anchor."""
    target = column.anchor if math.isnan(column.own) else column.own
    first = max(math.nextafter(low, math.inf), column.low)
    last = min(high, column.high)
    if column.unit and math.isfinite(first):
        first = math.ceil(first / column.unit) * column.unit
    if column.unit and math.isfinite(last):
        last = math.floor(last / column.unit) * column.unit
    if first > last:
        return None
    return float(min(max(target, first), last))
