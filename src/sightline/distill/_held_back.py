"""Training rows held back to judge trees."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score

from sightline.distill._distillation_set import DistillationSet
from sightline.model import Tree
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
    answers : ndarray of shape (n_rows,)
        The class codes, or numbers, that the ensemble predicts for them.
    """

    kept: DistillationSet
    table: Table
    answers: NDArray[np.int32] | NDArray[np.float64]

    @classmethod
    def of(cls, rows: DistillationSet, max_rows: int | None = None) -> HeldBack | None:
        """Divide the training rows, or so many of them; None if there are too few."""
        teacher = rows.teacher
        random = np.random.default_rng(rows.seed)
        is_held_back = random.random(teacher.table.n_rows) < SHARE
        is_used = np.ones(len(is_held_back), dtype=bool)
        if max_rows is not None and max_rows < len(is_used):
            is_used[:] = False
            is_used[random.permutation(len(is_used))[:max_rows]] = True
        held_back, kept = np.flatnonzero(is_held_back & is_used), np.flatnonzero(~is_held_back & is_used)
        if len(held_back) < 2 or len(kept) < 2:
            return None
        answers = teacher.ensemble_labels if teacher.n_classes else teacher.ensemble_numbers
        part = replace(rows, teacher=teacher.part(kept))
        return cls(part, teacher.table[held_back], answers[held_back])

    def grown(self, n_leaves: int) -> Tree:
        """Distill a tree without rounds of search."""
        small, n_classes = self.kept.distilled(n_leaves), self.kept.teacher.n_classes
        classes = np.arange(n_classes) if n_classes else None
        return Tree(small.tree(self.kept.native), self.table.schema, classes)

    def agreement(self, tree: Tree) -> NDArray[np.bool_]:
        """Return for each row held back whether the tree gives it the ensemble's label."""
        return np.asarray(tree.predict(self.table) == self.answers)

    def faithfulness(self, tree: Tree) -> float:
        """Return R² to the ensemble's numbers on the rows held back."""
        unit = float(np.abs(self.answers).max()) or 1.0  # squares of large numbers overflow
        return float(r2_score(self.answers / unit, tree.predict(self.table) / unit))
