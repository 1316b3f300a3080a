"""The rows that a tree is distilled from: training rows and artificial rows, labeled by the ensemble."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.distill._artificial_rows import ArtificialRows
from sightline.distill._charges import Charges
from sightline.distill._prior_shift import PriorShift
from sightline.distill._teacher import Answers, Teacher
from sightline.distill._tree_limits import TreeLimits
from sightline.model import n_threads
from sightline.table import Table

NOISE = 0.2
REPLACE = 0.2

_MAX_CELLS = 2**21
"""Numbers in a block of artificial rows: 16 MB."""
_MIN_BLOCK = 256
MAX_BINS = 255
"""Maximum number of distinguished values per column."""


@dataclass(frozen=True, eq=False)
class DistillationSet:
    """Training rows, then artificial rows, with the ensemble's labels and probabilities, or its numbers.

    A pickle holds only the attributes below. The rest is computed again on demand.

    Attributes
    ----------
    teacher : Teacher
        The ensemble and the training rows.
    seed : int
        Seed of the artificial rows.
    n_near : int
        Number of artificial rows near training rows: half of them jittered, half with cells of
        other rows.
    n_cmm : int
        Number of artificial rows in the leaves of the ensemble, as CMM draws them.
    artificial_weight : float
        Weight of an artificial row. A power of two keeps sums exact.
    charges : Charges
        The loss of a tree.
    limits : TreeLimits
        What a tree may test, and how large it may become.
    cmm_quota : {"drawn", "floor", "nearest"}
        How many of CMM's rows each leaf gets.
    """

    teacher: Teacher
    seed: int
    n_near: int = 0
    n_cmm: int = 0
    artificial_weight: float = 1.0
    charges: Charges = field(default_factory=Charges)
    limits: TreeLimits = field(default_factory=TreeLimits)
    cmm_quota: str = "drawn"

    @cached_property
    def artificial(self) -> Table:
        """The artificial rows."""
        made = ArtificialRows(self.teacher, self.seed, n_threads(self.teacher.n_jobs))
        near = made.jittered(self._n_jittered, NOISE, REPLACE).stacked(made.swapped(self._n_swapped, REPLACE))
        return near.stacked(made.cmm_rows(self.n_cmm, self.cmm_quota)) if self.n_cmm else near

    @property
    def _n_jittered(self) -> int:
        return self.n_near // 2

    @property
    def _n_swapped(self) -> int:
        return self.n_near - self._n_jittered

    @cached_property
    def artificial_answers(self) -> Answers:
        """Class codes and probabilities that the ensemble predicts for the artificial rows."""
        return self.teacher.predict(self.artificial)

    @property
    def table(self) -> Table:
        """All rows."""
        return self.teacher.table.stacked(self.artificial)

    @property
    def ensemble_labels(self) -> NDArray[np.int32]:
        """Class codes that the ensemble predicts for all rows."""
        return np.concatenate([self.teacher.ensemble_labels, self.artificial_answers[0]])

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weights of all rows."""
        artificial = np.full(self.artificial.n_rows, self.artificial_weight)
        return np.concatenate([self.teacher.row_weights, artificial])

    @cached_property
    def native(self) -> _core.DistillationRows:
        """All rows, binned, as the kernels read them."""
        teacher = self.teacher
        charges, limits = self.charges, self.limits.native(teacher.table.schema)
        objective = charges.objective(teacher, self.shift)
        rows = _core.DistillationRows(self.bins, teacher.n_classes, objective, limits)
        own = teacher.target if teacher.n_classes else np.zeros(teacher.table.n_rows, dtype=np.int32)
        first = 0
        for table, (labels, probabilities) in teacher.answer_blocks():
            part = slice(first, first + table.n_rows)
            costs = charges.of_labels(probabilities)
            weights = teacher.row_weights[part]
            answers, targets = probabilities.ravel(), self._targets(probabilities)
            rows.add(table.native(), labels, answers, weights, own[part], costs, targets)
            first += table.n_rows
        for block in self._blocks():
            labels, probabilities = teacher.predict(block)
            weights = np.full(block.n_rows, self.artificial_weight)
            # An artificial row has no label of its own.
            no_labels = np.full(block.n_rows, -1, dtype=np.int32)
            costs = charges.of_labels(probabilities)
            answers, targets = probabilities.ravel(), self._targets(probabilities)
            rows.add(block.native(), labels, answers, weights, no_labels, costs, targets)
            del block  # before the next one is made
        return rows

    @property
    def separates_labels(self) -> bool:
        """Whether the label of a leaf need not be its most probable class."""
        return self.charges.separates_labels or self.teacher.has_own_labels

    @cached_property
    def shift(self) -> PriorShift | None:
        """How far the ensemble's probabilities are from the class frequencies; None if they are not."""
        return PriorShift.of(self.teacher) if self.charges.target else None

    def _targets(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return the probabilities whose distance is charged, one row after the other; None: the answers."""
        return None if self.shift is None else self.shift.shifted(probabilities).ravel()

    @cached_property
    def bins(self) -> _core.Bins:
        """The candidate tests. Values of a column with very many are grouped by the answers."""
        teacher = self.teacher
        training = teacher.table.native()
        has_many = any(len(column.feature.categories or ()) > MAX_BINS for column in teacher.table.columns)
        answers = teacher.ensemble_probabilities.ravel() if has_many else None
        features = teacher.table.schema.features
        times = [index for index, feature in enumerate(features) if feature.kind not in ("", "date")]
        if teacher.is_black_box:
            return _core.Bins(training, answers=answers, times=times)
        return _core.Bins(training, teacher.trees.core, answers, times)

    def with_near(self, n_near: int, artificial_weight: float) -> DistillationSet:
        """Return the same training rows, in the same bins, with other artificial rows near them."""
        other = replace(self, n_near=n_near, artificial_weight=artificial_weight)
        other.__dict__["bins"] = self.bins
        return other

    def distilled(self, n_leaves: int, *, refine: bool = True, search_rounds: int = 0) -> _core.SmallTree:
        """Return the best tree found with at most this many leaves.

        Parameters
        ----------
        n_leaves : int
            Maximum number of leaves.
        refine : bool, default=True
            Whether to refine the tree after growing it.
        search_rounds : int, default=0
            Number of rounds that start again from the best tree so far.
        """
        return self._found(_core.distill_tree, n_leaves, n_leaves, refine, search_rounds)

    def distilled_graph(
        self, n_tests: int, *, refine: bool = True, search_rounds: int = 0
    ) -> _core.SmallTree:
        """Return the best graph found with at most this many tests.

        Parameters
        ----------
        n_tests : int
            Maximum number of tests.
        refine, search_rounds
            As for :meth:`distilled`.
        """
        return self._found(_core.distill_graph, n_tests, n_tests + 1, refine, search_rounds)

    def _found(
        self, kernel: Any, size: int, n_leaves: int, refine: bool, search_rounds: int
    ) -> _core.SmallTree:
        rows, teacher = self.native, self.teacher
        rows.set_min_leaf(self.limits.min_leaf_of(n_leaves, float(teacher.row_weights.sum())))
        options = {"search_rounds": search_rounds, "n_threads": n_threads(teacher.n_jobs)}
        small: _core.SmallTree = kernel(rows, size, refine, **options)
        return small

    @property
    def _is_needed(self) -> NDArray[np.bool_]:
        teacher = self.teacher
        return np.ones(len(teacher.table.columns), bool) if teacher.is_black_box else teacher.trees.is_tested

    def _blocks(self) -> Iterator[Table]:
        """Yield the rows of `artificial` in blocks of bounded size, with the numbers that matter only.

        The numbers of a column that the ensemble does not test change neither its labels nor any
        test of the tree, so they are 0. In a table with far more columns than rows most are.
        """
        made = ArtificialRows(self.teacher, self.seed, n_threads(self.teacher.n_jobs))
        needed = self._is_needed.astype(np.uint8)
        size = max(_MIN_BLOCK, _MAX_CELLS // max(1, int(needed.sum())))
        for first, n_rows in _ranges(self._n_jittered, size):
            yield made.jittered(n_rows, NOISE, REPLACE, first_row=first, needed=needed)
        for first, n_rows in _ranges(self._n_swapped, size):
            yield made.swapped(n_rows, REPLACE, first_row=first, needed=needed)
        if self.n_cmm:
            yield made.cmm_rows(self.n_cmm, self.cmm_quota)

    def __getstate__(self) -> dict[str, Any]:
        computed = ("artificial", "artificial_answers", "bins", "native", "shift")
        return {name: value for name, value in self.__dict__.items() if name not in computed}


def _ranges(n_rows: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the first index and the length of each block of some rows."""
    for first in range(0, n_rows, size):
        yield first, min(size, n_rows - first)
