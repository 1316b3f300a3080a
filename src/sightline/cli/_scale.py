"""Tell columns of new rows whose numbers are of another size than a model's thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import THRESHOLD, Ensemble, NodeModel, are_cuts
from sightline.table import Table
from sightline.wording import number_text

__all__ = ["scale_notes"]

_FACTOR = 10
_MIN_ROWS = 5


def scale_notes(model: Any, table: Table) -> Iterator[str]:
    """Yield a sentence for every column in which all numbers are far from all thresholds of a model.

    Such a column is often in another unit than in training: 0.12 for 12%, or thousands.

    Parameters
    ----------
    model : Tree, Graph, Ensemble or other
        The model; others than these have no notes.
    table : Table
        Rows in the columns of the model.
    """
    if table.n_rows < _MIN_ROWS:
        return
    thresholds = _thresholds(model)
    for index, feature in enumerate(model.schema.features):
        tested = np.abs(thresholds.get(index, np.empty(0)))
        column = table[feature.name] if feature.name in table.names else None
        if (
            not tested.size
            or column is None
            or column.feature.is_nominal
            or feature.kind
            or tested.min() == 0
        ):
            continue
        numbers = column.values[~column.is_missing]
        if len(numbers) >= _MIN_ROWS and _is_far(np.abs(numbers), tested):
            low, high = (number_text(float(end)) for end in (numbers.min(), numbers.max()))
            yield (
                f"Column {feature.name!r} lies between {low} and {high} in all rows, but the model compares "
                f"it with {_span(thresholds[index])}. Is it in the same unit as in training?"
            )


def _is_far(numbers: NDArray[np.float64], tested: NDArray[np.float64]) -> bool:
    is_below = numbers.max() * _FACTOR < tested.min()
    return bool(is_below or numbers.min() > tested.max() * _FACTOR)


def _span(values: NDArray[np.float64]) -> str:
    low, high = number_text(float(values.min())), number_text(float(values.max()))
    return low if low == high else f"numbers between {low} and {high}"


def _thresholds(model: Any) -> dict[int, NDArray[np.float64]]:
    """Return the thresholds of a model by the index of the column."""
    parts: list[Any] = []
    if isinstance(model, Ensemble):
        parts = [tree.core for tree in model.trees]
    elif isinstance(model, NodeModel):
        parts = [model.core]
    if not parts:
        return {}
    tests = [np.asarray(part.test) == THRESHOLD for part in parts]
    columns = np.concatenate(
        [np.asarray(part.feature)[is_test] for part, is_test in zip(parts, tests, strict=True)]
    )
    values = np.concatenate(
        [np.asarray(part.threshold)[is_test] for part, is_test in zip(parts, tests, strict=True)]
    )
    return {int(index): values[are_cuts(values) & (columns == index)] for index in np.unique(columns)}
