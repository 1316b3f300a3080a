"""Rows where a careless export goes wrong: on and beside thresholds, missing, infinite, unseen."""

from __future__ import annotations

import math
import random

from strategies import GRID

from sightline.table import Schema


def boundary_rows(
    rng: random.Random, schema: Schema, thresholds: list[tuple[int, float]], n_random: int = 30
):
    """Random rows, and one per threshold and neighbour, as plain values."""
    rows = [[_value(rng, feature) for feature in schema.features] for _ in range(n_random)]
    for feature, threshold in sorted(set(thresholds)):
        for value in (threshold, math.nextafter(threshold, math.inf), math.nextafter(threshold, -math.inf)):
            row = [_value(rng, other, missing=0.05) for other in schema.features]
            row[feature] = value
            rows.append(row)
    return rows


def as_numbers(row, schema: Schema) -> list[float]:
    """The row as the oracles read it: codes of categories, NaN for what is missing or unseen."""
    result = []
    for value, feature in zip(row, schema.features, strict=True):
        if feature.categories is not None:
            known = value in feature.categories
            result.append(float(feature.categories.index(value)) if known else math.nan)
        else:
            result.append(math.nan if value is None else float(value))
    return result


def _value(rng: random.Random, feature, missing: float = 0.2):
    if rng.random() < missing:
        return None
    if feature.categories is not None:
        return rng.choice([*feature.categories, "unseen", "V0", "v0 "])
    return rng.choice([*GRID, math.inf, -math.inf, rng.uniform(-3, 3)])
