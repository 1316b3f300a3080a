"""Partial dependence: how the prediction changes with one column, for the summary and the ensemble."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.inspection._inspected import MAX_CELLS, Inspected
from sightline.model import THRESHOLD, Ensemble, NodeModel, RuleSet, are_cuts
from sightline.show import MIN_ROWS_BEYOND, quantile_range, rounded_range
from sightline.table import Column, Feature, Table

N_POINTS = 25
"""Points of a curve, besides those on both sides of the model's own thresholds."""

MAX_CUTS = 30
"""Thresholds whose both sides are points; the steps of a model with more of them look like a curve anyway."""

MAX_CATEGORIES = 20
"""Categories of a column that are looked at, the most frequent ones."""


@dataclass(frozen=True, eq=False)
class ColumnEffect:
    """Mean prediction of model and ensemble as a function of one column.

    The column gets the same value in all rows, and the predictions are averaged. This is
    known as partial dependence [1]_.

    Attributes
    ----------
    feature : Feature
        The column.
    label : label or None
        The class whose probability is used; None for numbers.
    values : ndarray of shape (n_values,)
        The values: ascending numbers, or codes of categories, the most frequent first. Thresholds of the
        model appear with both sides.
    model, ensemble : ndarray of shape (n_values,)
        The mean predictions; ensemble is None if there is none.
    cuts : ndarray of shape (n_cuts,)
        The thresholds of the model in this column.
    n_rows : int
        Number of rows that were averaged.

    References
    ----------
    .. [1] J. H. Friedman, "Greedy function approximation: a gradient boosting machine", 2001.
    """

    feature: Feature
    label: Any
    values: NDArray[np.float64]
    model: NDArray[np.float64]
    ensemble: NDArray[np.float64] | None
    cuts: NDArray[np.float64]
    n_rows: int

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest mean prediction."""
        both = self.model if self.ensemble is None else np.concatenate([self.model, self.ensemble])
        return float(both.min()), float(both.max())


def column_effects(inspected: Inspected, features: Sequence[int]) -> list[ColumnEffect]:
    """Return the effects of columns that have at least two values to compare.

    Parameters
    ----------
    inspected : Inspected
        Model, ensemble, rows and class.
    features : sequence of int
        Indices of the columns.

    Returns
    -------
    list of ColumnEffect
        In the order of the columns.
    """
    found = []
    for index in features:
        column = inspected.rows.columns[index]
        cuts = _cuts(inspected.model, index)
        values = _categories(column) if column.feature.is_nominal else _numbers(column, cuts)
        if len(values) < 2:
            continue
        means = _mean_answers(inspected, index, values)
        within = cuts[(cuts >= values.min()) & (cuts < values.max())]
        found.append(
            ColumnEffect(column.feature, inspected.label, values, *means, within, inspected.rows.n_rows)
        )
    return found


def _mean_answers(
    inspected: Inspected, index: int, values: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Return the mean predictions of model and ensemble with every row set to each of the values."""
    rows, models = inspected.rows, [one for one in (inspected.model, inspected.ensemble) if one is not None]
    means: list[list[NDArray[np.float64]]] = [[] for _ in models]
    for some in _batches(values, max(1, MAX_CELLS // max(1, rows.n_rows * len(rows.columns)))):
        changed = _with_values(inspected, index, some)
        for found, one in zip(means, models, strict=True):
            scores = inspected.scores(one, changed)
            found.append(scores.reshape(len(some), rows.n_rows).mean(axis=1))
    own, *others = map(np.concatenate, means)
    return own, others[0] if others else None


def _batches(values: NDArray[Any], size: int) -> Iterator[NDArray[Any]]:
    for begin in range(0, len(values), size):
        yield values[begin : begin + size]


def _with_values(inspected: Inspected, index: int, values: NDArray[Any]) -> Table:
    """Return all rows once per value of a column."""
    again = inspected.repeated(len(values))
    columns = list(again.columns)
    changed, n_rows = columns[index], inspected.rows.n_rows
    columns[index] = Column(changed.feature, np.repeat(values, n_rows).astype(changed.values.dtype))
    return again.with_columns(columns)


def _categories(column: Column) -> NDArray[np.float64]:
    """Return the codes of categories that at least five rows have, the most frequent first.

    Rarer ones say little, and might identify a row.
    """
    counts = np.bincount(column.values[~column.is_missing], minlength=column.feature.n_values)
    order = np.argsort(-counts, kind="stable")
    return order[counts[order] >= MIN_ROWS_BEYOND][:MAX_CATEGORIES].astype(np.float64)


def _numbers(column: Column, cuts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return evenly spaced numbers over the usual range, and both sides of every threshold in it."""
    known = column.values[~column.is_missing]
    if not len(known):
        return np.zeros(0)
    low, high = quantile_range(known)
    if len(cuts) and not (low <= cuts.min() and cuts.max() < high):
        low, high = rounded_range(min(low, float(cuts.min())), max(high, float(cuts.max())))
    # Halved first: the difference of two doubles may overflow.
    n_points = N_POINTS if len(cuts) <= MAX_CUTS else N_POINTS + 2 * MAX_CUTS
    even = np.clip(2 * np.clip(np.linspace(low / 2, high / 2, n_points), low / 2, high / 2), low, high)
    if (known == np.floor(known)).all():
        even = np.round(even)
    inside = cuts[(cuts >= low) & (cuts < high)] if len(cuts) <= MAX_CUTS else np.zeros(0)
    return np.unique(np.concatenate([even, inside, np.nextafter(inside, np.inf)]))


def _cuts(model: Any, index: int) -> NDArray[np.float64]:
    """Return the numbers that a model compares a column with, ascending."""
    if isinstance(model, RuleSet):
        here = model.core.feature == index
        ends = np.concatenate([model.core.low[here], model.core.high[here]])
        return np.unique(ends[are_cuts(ends)])
    cuts = [np.zeros(0)]
    for core in _cores(model):
        is_cut = (core.feature == index) & (core.test == THRESHOLD) & are_cuts(core.threshold)
        cuts.append(core.threshold[is_cut])
    return np.unique(np.concatenate(cuts))


def _cores(model: Any) -> Sequence[Any]:
    if isinstance(model, Ensemble):
        return model.core.trees
    return [model.core] if isinstance(model, NodeModel) else []
