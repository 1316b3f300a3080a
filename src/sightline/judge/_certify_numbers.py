"""The largest difference between two regressors over all rows, with a row that shows it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from sightline import _core
from sightline.judge._certificate import Certificate, DifferenceBounds
from sightline.judge._comparable import ProofTask, table_of, values_of
from sightline.judge._plain_witness import with_plain_numbers, with_possible_numbers
from sightline.model import LEAF, NodeModel, Status, Tree

_SAME = 1e-9
"""Kernels and models may compute a difference in another order; relative to the numbers themselves."""


def certified_numbers(task: ProofTask, tolerance: float | None) -> Certificate:
    """Bound how far two regressors are apart.

    Parameters
    ----------
    task : ProofTask
        The models, the rows that count, and the budget.
    tolerance : float or None
        Differences up to this need no closer look.

    Returns
    -------
    Certificate
        With ``max_difference`` and ``max_difference_bound``.
    """
    begin = time.perf_counter()
    first = task.first
    seen = _SeenDifferences(task)
    result = _core.largest_difference(
        first.boxed(),
        task.second.boxed(),
        task.coverage.box(),
        max_boxes=task.max_boxes,
        max_seconds=task.deadline.seconds_left,
        tolerance=-1.0 if tolerance is None else float(tolerance),
        every_leaf=task.every_leaf,
        one_part_per_leaf=isinstance(first, Tree),
        seen=seen.largest,
    )
    found = {**seen.rows, **with_possible_numbers(result.witness, task)}
    widest = max(result.bounds, key=lambda leaf: result.bounds[leaf][0], default=None)
    if widest in result.witness:
        found[widest] = with_plain_numbers(found[widest], task)
    shown = _ShownRows(found, task)
    bounds = {leaf: shown.checked(leaf, *ends) for leaf, ends in result.bounds.items()}
    largest = max([0.0, *(ends.low for ends in bounds.values())])
    bound = max([result.elsewhere, *(ends.high for ends in bounds.values())])
    limit = tolerance or 0.0
    worst = next((leaf for leaf, ends in bounds.items() if ends.low == largest > 0), None)
    by_leaf = _by_leaf(first, bounds, result.elsewhere)
    statuses = {leaf: ends.status(limit) for leaf, ends in by_leaf.items()}
    mixed = bounds.get(-1) if isinstance(first, NodeModel) else None
    return Certificate(
        model=first,
        ensemble=task.second,
        equivalent=False if largest > limit else True if bound <= limit else None,
        witness=None if worst is None else shown.rows[worst],
        answers=None if worst is None else shown.answers[worst],
        proved_share=seen.proved_share(statuses, bound <= limit),
        leaf_status=statuses,
        mixed_status=None if mixed is None else mixed.status(limit),
        witnesses={leaf: row for leaf, row in shown.rows.items() if bounds[leaf].low > limit},
        missing=task.coverage.names,
        n_boxes=result.n_boxes,
        seconds=time.perf_counter() - begin,
        tolerance=tolerance,
        max_difference=largest,
        max_difference_bound=bound,
        leaf_difference=by_leaf,
    )


def _by_leaf(
    model: Any, bounds: dict[int, DifferenceBounds], elsewhere: float
) -> dict[int, DifferenceBounds]:
    """Return the bounds of every leaf, including those that the search did not reach."""
    if not isinstance(model, NodeModel):
        return {}
    leaves = np.flatnonzero(np.asarray(model.core.test) == LEAF).tolist()
    return {leaf: bounds.get(leaf, DifferenceBounds(0.0, elsewhere)) for leaf in leaves}


class _SeenDifferences:
    """The given rows: the leaves that they reach, and per leaf the row with the largest difference."""

    def __init__(self, task: ProofTask) -> None:
        self.largest: dict[int, float] = {}
        self.rows: dict[int, list[float]] = {}
        self.leaf = task.leaves()
        rows = task.rows
        if rows is None:
            return
        self.is_covered = task.coverage.rows(rows)
        first, second = (np.asarray(answer, dtype=np.float64) for answer in task.predicted())
        difference = np.where(first == second, 0.0, np.abs(first - second))
        difference[~self.is_covered] = 0.0
        leaf = np.full(len(difference), -1, dtype=np.int32) if self.leaf is None else self.leaf
        order = np.lexsort((np.arange(len(leaf)), -difference, leaf))
        best = order[np.unique(leaf[order], return_index=True)[1]]
        best = best[difference[best] > 0]
        if len(best):
            self.largest = dict(zip(leaf[best].tolist(), difference[best].tolist(), strict=True))
            self.rows = dict(zip(leaf[best].tolist(), values_of(rows[best]), strict=True))

    def proved_share(self, statuses: dict[int, Status], equivalent: bool) -> float | None:
        """Return the share of the rows that reach proved leaves."""
        if self.leaf is None:
            return 1.0 if equivalent else None
        unseen = Status.PROVED if equivalent else Status.OPEN
        is_proved = [statuses.get(leaf, unseen) is Status.PROVED for leaf in self.leaf.tolist()]
        return float((np.array(is_proved) & self.is_covered).mean())


class _ShownRows:
    """The row with the largest difference per leaf, with the numbers that both models predict."""

    def __init__(self, witness: dict[int, list[float]], task: ProofTask) -> None:
        self.rows: dict[int, dict[str, Any]] = {}
        self.answers: dict[int, tuple[float, float]] = {}
        if not witness:
            return
        table = table_of(list(witness.values()), task.first.schema)
        as_second = table_of(list(witness.values()), task.second.schema)
        pairs = zip(task.first.predict(table).tolist(), task.second.predict(as_second).tolist(), strict=True)
        self.answers = dict(zip(witness, pairs, strict=True))
        self.rows = {leaf: table[index] for index, leaf in enumerate(witness)}

    def checked(self, leaf: int, low: float, high: float) -> DifferenceBounds:
        """Return the bounds of a leaf; only what both models predict themselves counts as a difference."""
        if leaf not in self.answers:
            return DifferenceBounds(low, high)
        one, other = self.answers[leaf]
        shown = 0.0 if one == other else abs(one - other)
        if not (shown == low or abs(shown - low) <= _SAME * (abs(one) + abs(other))):
            raise AssertionError(f"{one!r} and {other!r} do not differ by {low!r}: please report this bug")
        return DifferenceBounds(shown, max(shown, high))
