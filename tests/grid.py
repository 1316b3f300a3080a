"""Every cell of the space that some models cut up: the exhaustive oracle of proofs."""

from __future__ import annotations

import itertools
import math

import numpy as np
from strategies import GRID

from sightline import Ensemble, RuleSet, Table
from sightline.model import THRESHOLD
from sightline.table import Column

MAX_CELLS = 20_000


LARGEST = float(np.finfo(np.float64).max)


def cell_table(*models, missing: bool = True, ends: bool = False) -> Table | None:
    """One row per cell: on each threshold, just above it, each category, missing; None if too many.

    With ``ends``, also the smallest and the largest number, so that every cell has rows at all its corners.
    """
    schema = models[0].schema
    axes = []
    for place, feature in enumerate(schema.features):
        values = list(range(feature.n_values))
        if not feature.is_nominal:
            cuts = {cut for model in models for cut in thresholds_of(model, place)}
            cuts |= {-LARGEST, LARGEST} if ends else set()
            values = sorted(
                cuts | {above for cut in cuts if math.isfinite(above := math.nextafter(cut, math.inf))}
            )
        axes.append((values or [0.0]) + ([math.nan] if missing else []))
    if math.prod(map(len, axes)) > MAX_CELLS:
        return None
    rows = np.array(list(itertools.product(*axes)), dtype=float)
    columns = []
    for place, feature in enumerate(schema.features):
        values = rows[:, place]
        if feature.is_nominal:
            values = np.where(np.isnan(values), -1, values).astype(np.int32)
        columns.append(Column(feature, values.copy()))
    return Table(columns)


def thresholds_of(model, place) -> set[float]:
    if isinstance(model, RuleSet):
        ends = np.concatenate([end[model.core.feature == place] for end in (model.core.low, model.core.high)])
        return {float(end) for end in ends if math.isfinite(end)}
    cores = model.core.trees if isinstance(model, Ensemble) else [model.core]
    return {
        float(core.threshold[v])
        for core in cores
        for v in np.flatnonzero((core.test == THRESHOLD) & (core.feature == place))
    }


def every_cell(schema) -> Table:
    """One row per cell that the thresholds of `strategies` cut, and per category; none missing."""
    above = [*GRID, 2e9]
    sides = [list(range(f.n_values)) if f.is_nominal else above for f in schema.features]
    rows = list(itertools.product(*sides))
    columns = []
    for index, feature in enumerate(schema.features):
        dtype = np.int32 if feature.is_nominal else np.float64
        columns.append(Column(feature, np.array([row[index] for row in rows], dtype=dtype)))
    return Table(columns)
