"""Tell columns of new rows whose numbers are of another size than a model's thresholds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import THRESHOLD, Ensemble, NodeModel, are_cuts
from sightline.table import Table
from sightline.wording import number_text

__all__ = ["scale_notes"]

_FACTOR = 10
_MIN_ROWS = 5


def scale_notes(models: Iterable[Any], table: Table) -> Iterator[str]:
    """Yield a sentence for every column in which all numbers are far from all thresholds of a model.

    Such a column is often in another unit than in training: 0.12 for 12%, or thousands.

    Parameters
    ----------
    models : iterable of Tree, Graph, Ensemble or other
        All models that predict the rows. Models other than these have no notes. None is ignored.
    table : Table
        Rows in the columns of the models.
    """
    noted: set[str] = set()
    for model in models if table.n_rows >= _MIN_ROWS else ():
        for index, tested in _thresholds(model).items():
            feature = model.schema.features[index]
            if feature.name in noted or feature.name not in table.names or feature.kind:
                continue
            column = table[feature.name]
            numbers = np.empty(0) if column.feature.is_nominal else column.values[~column.is_missing]
            if len(numbers) >= _MIN_ROWS and _is_far(np.abs(numbers), np.abs(tested)):
                noted.add(feature.name)
                low, high = (number_text(float(end)) for end in (numbers.min(), numbers.max()))
                noun = "ensemble" if isinstance(model, Ensemble) else "model"
                yield (
                    f"Column {feature.name!r} lies between {low} and {high} in all rows, but the {noun} "
                    f"compares it with {_span(tested)}. Is it in the same unit as in training?"
                )


def _is_far(numbers: NDArray[np.float64], tested: NDArray[np.float64]) -> bool:
    if not tested.size or tested.min() == 0:
        return False
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
