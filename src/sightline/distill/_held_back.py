"""Training rows held back to judge trees of numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score

from sightline import _core
from sightline.distill._distillation_set import DistillationSet
from sightline.distill._distilled_tree import OVER_GROWTH
from sightline.model import Tree, n_threads
from sightline.table import Table

SHARE = 0.25
"""Of the training rows that is held back."""


@dataclass(frozen=True, eq=False)
class HeldBack:
    """Training rows in two parts, to judge trees of one on the other.

    Attributes
    ----------
    kept : DistillationSet
        The rows that trees learn from.
    table : Table
        The rows held back.
    numbers : ndarray of shape (n_rows,)
        The ensemble's numbers for them.
    """

    kept: DistillationSet
    table: Table
    numbers: NDArray[np.float64]

    @classmethod
    def of(cls, rows: DistillationSet) -> HeldBack | None:
        """Divide the training rows; None if there are too few."""
        teacher = rows.teacher
        is_held_back = np.random.default_rng(rows.seed).random(teacher.table.n_rows) < SHARE
        held_back, kept = np.flatnonzero(is_held_back), np.flatnonzero(~is_held_back)
        if len(held_back) < 2 or len(kept) < 2:
            return None
        weights = None if teacher.weights is None else teacher.weights[kept]
        part = replace(teacher, table=teacher.table[kept], given=None, weights=weights)
        numbers = teacher.ensemble_numbers[held_back]
        return cls(replace(rows, teacher=part), teacher.table[held_back], numbers)

    def grown(self, n_leaves: int, n_jobs: int | None) -> Tree:
        """Distill a tree of means, without rounds of search."""
        rows = self.kept.native
        small = _core.distill_tree(rows, n_leaves, over_growth=OVER_GROWTH, n_threads=n_threads(n_jobs))
        return Tree(small.tree(rows), self.table.schema, None)

    def faithfulness(self, tree: Tree) -> float:
        """Return R² to the ensemble on the rows held back."""
        unit = float(np.abs(self.numbers).max()) or 1.0  # squares of large numbers overflow
        return float(r2_score(self.numbers / unit, tree.predict(self.table) / unit))
