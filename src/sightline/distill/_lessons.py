"""The rows from which a distilled tree learns what the ensemble says."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.distill._artificial_rows import ArtificialRows
from sightline.distill._teacher import Teacher
from sightline.model import n_threads
from sightline.table import Table

ARTIFICIAL_WEIGHT = 0.25
"""Of an artificial row, where a training row has 1. A power of two: sums stay exact."""

NOISE = 0.2
REPLACE = 0.2


@dataclass(frozen=True)
class Lesson:
    """Rows of one kind.

    Attributes
    ----------
    rows : Table
        The rows.
    weights : ndarray of shape (n_rows,)
        Their weights.
    observed : ndarray of shape (n_rows,) or None
        Codes of their own labels, -1 where nobody observed the row; None where no labels
        were given and the ensemble's are as good.
    """

    rows: Table
    weights: NDArray[np.float64]
    observed: NDArray[np.int32] | None


@dataclass(frozen=True, eq=False)
class Lessons:
    """Training rows and artificial rows near them, with the ensemble's answers.

    Stored is only what they are made from: the rest is made again when it is asked for.

    Attributes
    ----------
    teacher : Teacher
        The ensemble and the training rows.
    n_artificial : int
        Number of artificial rows: half moved a little, half with cells of other rows.
    seed : int
        Draws the artificial rows.
    """

    teacher: Teacher
    n_artificial: int
    seed: int

    def blocks(self) -> list[Lesson]:
        """Return the training rows, then the artificial ones of each kind."""
        teacher = self.teacher
        weights = np.ones(teacher.table.n_rows) if teacher.weights is None else teacher.weights
        observed = None if teacher.labels is None else teacher.labels.codes
        lessons = [Lesson(teacher.table, weights, observed)]
        if self.n_artificial > 0:
            near = ArtificialRows(teacher, self.seed, n_threads(teacher.n_jobs))
            half = self.n_artificial // 2
            for rows in (
                near.jittered(half, NOISE, REPLACE),
                near.swapped(self.n_artificial - half, REPLACE),
            ):
                nobody = np.full(rows.n_rows, -1, dtype=np.int32)
                lessons.append(Lesson(rows, np.full(rows.n_rows, ARTIFICIAL_WEIGHT), nobody))
        return lessons

    @cached_property
    def native(self) -> _core.TaughtRows:
        """All rows in bins, with the ensemble's answers, as the kernels read them."""
        bins = _core.Bins(self.teacher.table.native(), self.teacher.ensemble.core)
        taught = _core.TaughtRows(bins, len(self.teacher.classes_))
        for lesson in self.blocks():
            codes, probabilities = self.teacher.answers(lesson.rows)
            observed = codes if lesson.observed is None else lesson.observed
            taught.add(lesson.rows.native(), codes, probabilities.ravel(), lesson.weights, observed)
        return taught

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state.pop("native", None)
        return state
