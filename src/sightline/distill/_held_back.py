"""Training rows held back to judge trees."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score

from sightline.distill._distillation_set import DistillationSet
from sightline.model import Tree
from sightline.table import Table

N_PARTS = 4
"""One of so many parts of the training rows is held back."""


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
    def of(cls, rows: DistillationSet, max_rows: int | None = None, part: int = 0) -> HeldBack | None:
        """Hold back one part of the training rows, or of a sample of them; None if there are too few."""
        teacher = rows.teacher
        random = np.random.default_rng(rows.seed)
        is_held_back = np.floor(N_PARTS * random.random(teacher.table.n_rows)) == part
        is_used = np.ones(len(is_held_back), dtype=bool)
        if max_rows is not None and max_rows < len(is_used):
            is_used[:] = False
            is_used[random.permutation(len(is_used))[:max_rows]] = True
        held_back, kept = np.flatnonzero(is_held_back & is_used), np.flatnonzero(~is_held_back & is_used)
        if len(held_back) < 2 or len(kept) < 2:
            return None
        answers = teacher.ensemble_labels if teacher.n_classes else teacher.ensemble_numbers
        return cls(replace(rows, teacher=teacher.part(kept)), teacher.table[held_back], answers[held_back])

    def grown(self, n_leaves: int) -> Tree:
        """Distill a tree without rounds of search."""
        small, n_classes = self.kept.distilled(n_leaves), self.kept.teacher.n_classes
        classes = np.arange(n_classes) if n_classes else None
        return Tree(small.tree(self.kept.native), self.table.schema, classes)

    def losses(self, tree: Tree) -> NDArray[np.float64]:
        """Return the loss of each held-back row: 1 for a different label, or the squared distance."""
        predicted = tree.predict(self.table)
        if self.kept.teacher.n_classes:
            return np.asarray(predicted != self.answers, dtype=np.float64)
        return np.asarray(((predicted - self.answers) / self._unit) ** 2)

    def faithfulness(self, tree: Tree) -> float:
        """Return R² to the ensemble's numbers on the rows held back."""
        return float(r2_score(self.answers / self._unit, tree.predict(self.table) / self._unit))

    @property
    def _unit(self) -> float:
        """Squares of large numbers overflow."""
        return float(np.abs(self.kept.teacher.ensemble_numbers).max()) or 1.0
