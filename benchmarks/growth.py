"""Growth curves: time over columns and over categories, against growth in proportion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa

import sightline as sl
from benchmarks._ratio import Ratio, cpu_seconds
from sightline.table import Column, Feature, Table

COLUMNS = (100, 1_000, 10_000)
CATEGORIES = (10, 100, 1_000, 10_000, 20_000)
ROWS_PER_CATEGORY = 5
MAX_FACTOR = 1.5
"""How much more than in proportion the time may grow, from each size to the next."""


def ratios(large: bool) -> Iterator[Ratio]:
    yield from curve("read a frame", COLUMNS, "columns", frame_of, sl.Table.from_any)
    yield from curve("C4.5 fit, binary", CATEGORIES, "categories", table_of, fit)
    if large:
        yield from curve("distill a tree", CATEGORIES, "categories", table_of, distill)


def curve(
    job: str, sizes: tuple[int, ...], unit: str, make: Callable[[int], object], run: Callable[..., object]
) -> Iterator[Ratio]:
    """Yield, for each size, the time over what the time of the size before it predicts."""
    seconds = {}
    for size in sizes:
        made = make(size)
        run(made)
        seconds[size] = cpu_seconds(lambda made=made: run(made))
    for smaller, larger in pairwise(sizes):
        yield Ratio(
            f"{job}, {larger:,} {unit}",
            seconds[larger],
            seconds[smaller] * larger / smaller,
            f"{larger // smaller} times the time for {smaller:,}",
            bound=MAX_FACTOR,
        )


def frame_of(n_columns: int) -> pa.Table:
    return pa.table({f"c{i}": np.arange(100.0) for i in range(n_columns)})


def table_of(n_categories: int) -> tuple[Table, np.ndarray]:
    """A column of categories, each with its own probability, and a number; rows in proportion."""
    rng = np.random.default_rng(0)
    n_rows = ROWS_PER_CATEGORY * n_categories
    codes = rng.integers(0, n_categories, n_rows).astype(np.int32)
    x = rng.normal(size=n_rows)
    y = 2 * rng.normal(size=n_categories)[codes] + x + rng.normal(size=n_rows) > 0
    categories = Feature("category", tuple(range(n_categories)))
    return Table([Column(categories, codes), Column(Feature("x"), x)]), y


def fit(rows: tuple[Table, np.ndarray]) -> object:
    return sl.C45Classifier(binary_splits=True).fit(*rows)


def distill(rows: tuple[Table, np.ndarray]) -> object:
    return sl.DistilledTreeClassifier(random_state=0).fit(*rows)
