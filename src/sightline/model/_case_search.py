"""Find the cases that explain rows: those that support the prediction, and the nearest one against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sightline.model._case_explanation import CaseExplanation, CaseMatch, gaps_between
from sightline.model._case_numbers import are_far_off, nearest_far_off
from sightline.model._plain import plain
from sightline.model._rows import n_threads
from sightline.table import Table

if TYPE_CHECKING:
    from sightline.model._case_base import CaseBase

_POOL = 25
"""Cases with the nearest descriptions among which those with the nearest features are chosen."""


def explain_by_cases(
    base: CaseBase,
    given: Table,
    rows: Table,
    itself: NDArray[np.int32],
    n: int,
    n_jobs: int | None = None,
) -> list[CaseExplanation]:
    """Find the cases that explain rows; see :meth:`CaseBase.explanations`.

    Parameters
    ----------
    base : CaseBase
        The cases.
    given, rows : Table
        The rows as they were handed in, and in the columns of the cases.
    itself : ndarray of int32 of shape (n_rows,)
        The case that each row is, which does not count; -1 if it is none.
    n : int
        Maximum number of supporting cases per row.
    n_jobs : int, optional
        Threads to use, as in joblib.
    """
    threads = n_threads(n_jobs)
    by_member, views, codes, outputs = base.described(given, rows, n_jobs)
    explained = base.explained_answers(given, rows, n_jobs)
    is_numbers = base.classes_ is None
    pool, _ = base.nearest(views, max(_POOL, n), itself, None if is_numbers else codes, n_jobs)
    if outputs is not None and is_numbers:
        pool = np.where(are_far_off(base.outcomes, outputs, pool), -1, pool).astype(np.int32)
    apart = base.feature_core.distances(rows.native(), pool.ravel(), threads)
    order = np.argsort(apart, axis=1, kind="stable")[:, :n]
    near, apart = np.take_along_axis(pool, order, axis=1), np.take_along_axis(apart, order, axis=1)
    if outputs is not None and is_numbers:
        other, other_apart = _far_off(base, rows, itself, outputs[:, 0], threads)
    else:
        other, other_apart = _of_another_class(base, rows, itself, codes, threads)
    found = np.column_stack([near, other])
    distances = np.column_stack([apart, other_apart])
    gaps = gaps_between(rows, base.cases, found, base.feature_core.ranges)
    explanations = []
    for i in range(rows.n_rows):
        matches = [
            CaseMatch(int(case), int(base.codes[case]), float(distance), gap)
            for case, distance, gap in zip(found[i], distances[i], gaps[i], strict=True)
            if case >= 0
        ]
        has_contrast = other[i] >= 0
        code = int(codes[i])
        explanations.append(
            CaseExplanation(
                base=base,
                all_given=given,
                all_rows=rows,
                index=i,
                code=code,
                probability=None if outputs is None else float(outputs[i, code]),
                n_for=int((by_member.sides[i] == code).sum()),
                n_members=int(base.voters[code]),
                supporting=tuple(matches[:-1] if has_contrast else matches),
                contrast=matches[-1] if has_contrast else None,
                explained=None if explained is None else plain(explained[i]),
            )
        )
    return explanations


def _of_another_class(
    base: CaseBase, rows: Table, itself: NDArray[np.int32], codes: NDArray[np.int32], threads: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the nearest case of a different class, and its distance."""
    other, apart = base.feature_core.nearest_other(rows.native(), codes, threads)
    again = np.flatnonzero((other == itself) & (itself >= 0))
    if len(again):
        # Where that is the row itself, every case is looked at.
        other, apart = other.copy(), apart.copy()
        distances = _to_others(base, rows[again], itself[again], threads)
        distances[base.codes[None, :] == codes[again, None]] = np.inf
        best = distances.argmin(axis=1)
        apart[again] = distances[np.arange(len(again)), best]
        other[again] = np.where(np.isfinite(apart[again]), best, -1)
    return other, apart


def _far_off(
    base: CaseBase, rows: Table, itself: NDArray[np.int32], predicted: NDArray[np.float64], threads: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the nearest case with a number far from the predicted one, and its distance."""
    return nearest_far_off(base.outcomes, predicted, _to_others(base, rows, itself, threads))


def _to_others(base: CaseBase, rows: Table, itself: NDArray[np.int32], threads: int) -> NDArray[np.float64]:
    """Return the distances to all cases, infinite to the row's own one."""
    everyone = np.tile(np.arange(base.cases.n_rows, dtype=np.int32), rows.n_rows)
    distances = base.feature_core.distances(rows.native(), everyone, threads).copy()
    known = np.flatnonzero(itself >= 0)
    distances[known, itself[known]] = np.inf
    return distances
