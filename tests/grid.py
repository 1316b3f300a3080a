"""Every cell of the space that some models cut up: the exhaustive oracle of proofs."""

from __future__ import annotations

import itertools
import math

import numpy as np

from sightline import Ensemble, Table
from sightline.model import THRESHOLD
from sightline.table import Column

MOST_CELLS = 20_000


def cell_table(*models, missing: bool = True) -> Table | None:
    """One row per cell: on each threshold, just above it, each category, missing; None if too many."""
    schema = models[0].schema
    nodes = [core for model in models for core in _cores(model)]
    axes = []
    for place, feature in enumerate(schema.features):
        values = list(range(feature.n_values))
        if not feature.is_nominal:
            cuts = {
                float(core.threshold[v])
                for core in nodes
                for v in np.flatnonzero((core.test == THRESHOLD) & (core.feature == place))
            }
            values = sorted(
                cuts | {above for cut in cuts if math.isfinite(above := math.nextafter(cut, math.inf))}
            )
        axes.append((values or [0.0]) + ([math.nan] if missing else []))
    if math.prod(map(len, axes)) > MOST_CELLS:
        return None
    rows = np.array(list(itertools.product(*axes)), dtype=float)
    columns = []
    for place, feature in enumerate(schema.features):
        values = rows[:, place]
        codes = np.where(np.isnan(values), -1, values).astype(np.int32)
        columns.append(Column(feature, codes if feature.is_nominal else values.copy()))
    return Table(columns)


def _cores(model):
    return model.core.trees if isinstance(model, Ensemble) else [model.core]
