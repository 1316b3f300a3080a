"""Permutation importance: how much fidelity is lost when a column is shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline.inspection._inspected import MAX_CELLS, Inspected
from sightline.inspection._usage import by_use, shares_tested
from sightline.measure import Estimate, mean_interval
from sightline.table import Column, Table

Style = Literal["error", "score", "share"]


@dataclass(frozen=True)
class ColumnImportance:
    """How much a column matters to a model and to its ensemble.

    Attributes
    ----------
    name : str
        The column.
    tested, ensemble_tested : float or None
        Share of the rows whose path tests it; for the ensemble, the mean over its trees. None
        for a model without trees.
    lost, ensemble_lost : Estimate or None
        Loss of fidelity to the ensemble's predictions when the column is shuffled, as a share of the rows or
        in R², with its interval. Without an ensemble, fidelity to the model's own predictions.
    """

    name: str
    tested: float | None
    ensemble_tested: float | None
    lost: Estimate
    ensemble_lost: Estimate | None


def column_importances(
    inspected: Inspected, *, max_columns: int = 15, n_repeats: int = 5, random_state: Any = 0
) -> list[ColumnImportance]:
    """Return how much columns matter, the most important to the model first.

    Parameters
    ----------
    inspected : Inspected
        Model, ensemble and rows.
    max_columns : int, default=15
        Maximum number of columns: those that the model tests, then those that the ensemble tests most.
    n_repeats : int, default=5
        How often each column is shuffled.
    random_state : int, RandomState instance or Generator, default=0
        Seed for shuffling.

    Returns
    -------
    list of ColumnImportance
        Without columns that neither model nor ensemble tests.

    Notes ----- The loss of a row is its agreement before shuffling minus its mean agreement over the repeats.
    The interval is that of the mean over the rows and accounts for their sampling. Numbers lose squared error
    over the variance of the ensemble's numbers, so that the mean is the loss in R².
    """
    rows = inspected.rows
    own, theirs = (shares_tested(one, rows) for one in (inspected.model, inspected.ensemble))
    features = _chosen(inspected, own, theirs, max_columns)
    random = np.random.default_rng(random_state)
    orders = [random.permutation(rows.n_rows) for _ in range(n_repeats)]
    own_labels, their_labels = inspected.model_labels, inspected.ensemble_labels
    reference = own_labels if their_labels is None else their_labels
    shuffling = Shuffling(inspected, features, orders, reference)
    answered = [(inspected.model, own_labels), (inspected.ensemble, their_labels)]
    lost, *ensemble_lost = shuffling.losses(
        [(model, labels) for model, labels in answered if labels is not None]
    )
    found = [
        ColumnImportance(
            inspected.names[feature],
            None if own is None else float(own[feature]),
            None if theirs is None else float(theirs[feature]),
            lost[place],
            ensemble_lost[0][place] if ensemble_lost else None,
        )
        for place, feature in enumerate(features)
    ]
    return sorted(found, key=_rank)


def _rank(column: ColumnImportance) -> tuple[float, float]:
    other = 0.0 if column.ensemble_lost is None else column.ensemble_lost.value
    return -column.lost.value, -other


def _chosen(
    inspected: Inspected,
    own: NDArray[np.float64] | None,
    theirs: NDArray[np.float64] | None,
    max_columns: int,
) -> list[int]:
    """Return the columns of the model first, then those of the ensemble, each by use."""
    both = [*by_use(inspected.model, own), *by_use(inspected.ensemble, theirs)]
    return list(dict.fromkeys(both))[:max_columns]


@dataclass(frozen=True, eq=False)
class Shuffling:
    """The columns to shuffle, their permutations, and the predictions to agree with."""

    inspected: Inspected
    features: Sequence[int]
    orders: Sequence[NDArray[np.int64]]
    reference: NDArray[Any]

    def losses(self, answered: Sequence[tuple[Any, NDArray[Any]]]) -> list[list[Estimate]]:
        """Return the lost fidelity per model and column, given each model's original predictions."""
        models = [model for model, _ in answered]
        before = [self._agreement(model, labels) for model, labels in answered]
        losses: list[list[Estimate]] = [[] for _ in models]
        for feature in self.features:
            for found, model, own, answers in zip(
                losses, models, before, self._ask(models, feature), strict=True
            ):
                lost = own - self._agreement(model, answers)
                style: Style = "share" if model.classes_ is not None else "score"
                found.append(mean_interval(np.mean(lost, axis=0), style))
        return losses

    def _ask(self, models: Sequence[Any], feature: int) -> list[NDArray[Any]]:
        """Return per model its predictions under each permutation: an array of permutations by rows."""
        batches = [with_shuffled(self._copies, feature, orders) for orders in self._batches]
        shape = (len(self.orders), self.inspected.rows.n_rows)
        return [np.concatenate([model.predict(rows) for rows in batches]).reshape(shape) for model in models]

    @property
    def _batches(self) -> list[Sequence[NDArray[np.int64]]]:
        """The permutations to predict at once: all, unless so many copies of the rows are too large."""
        rows = self.inspected.rows
        n_cells = rows.n_rows * len(rows.columns) * len(self.orders)
        return [self.orders] if n_cells <= MAX_CELLS else [[order] for order in self.orders]

    @cached_property
    def _copies(self) -> Table:
        """The rows once per order of a batch."""
        return self.inspected.repeated(len(self._batches[0]))

    def _agreement(self, model: Any, labels: NDArray[Any]) -> NDArray[np.float64]:
        """Return how well each answer agrees: 1 or 0, or minus the squared error in variances."""
        if model.classes_ is not None:
            return np.asarray(labels == self.reference, dtype=np.float64)
        return np.asarray(-((labels - self.reference) ** 2) / (float(np.var(self.reference)) or 1.0))


def with_shuffled(copies: Table, feature: int, orders: Sequence[NDArray[np.int64]]) -> Table:
    """Return stacked copies of some rows, with one column of each copy shuffled."""
    columns = list(copies.columns)
    n_rows = copies.n_rows // len(orders)
    moved = np.concatenate([order + n_rows * copy for copy, order in enumerate(orders)])
    columns[feature] = Column(columns[feature].feature, columns[feature].values[moved])
    return copies.with_columns(columns)
