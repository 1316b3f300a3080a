"""Rows that nobody observed, from which a distiller learns what the ensemble says elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sightline import _core
from sightline.table import Column, Labels, Table, content_order

if TYPE_CHECKING:
    from sightline.distill._teacher import Teacher


class ArtificialRows:
    """Draws rows near the training rows, or in the leaves of the ensemble.

    The rows depend on the seed and on what the training rows contain, not on their order,
    and a row of weight 2 counts as two rows. Each kind has a random stream of its own, so
    that asking for more of one kind leaves the others as they are.

    Parameters
    ----------
    teacher : Teacher
        Training rows, their weights, and the ensemble.
    seed : int
        The same seed gives the same rows, whatever the number of threads.
    n_threads : int, default=1
        Threads to use.

    Examples
    --------
    >>> import sightline as sl
    >>> from sightline.distill import resolve_teacher
    >>> X = [[1.0, "a"], [2.0, "b"], [4.0, "a"], [8.0, "b"]]
    >>> teacher = resolve_teacher(sl.DistilledTreeClassifier(), X, [0, 0, 1, 1])
    >>> rows = ArtificialRows(teacher, seed=0).swapped(100, replace=0.2)
    >>> rows.n_rows, sorted(set(rows["x0"].values.tolist()))
    (100, [1.0, 2.0, 4.0, 8.0])
    """

    def __init__(self, teacher: Teacher, seed: int, n_threads: int = 1) -> None:
        self._like = teacher.table
        self._ensemble = teacher.ensemble
        self._n_threads = n_threads
        self._seeds = np.random.SeedSequence(seed).generate_state(3, np.uint64).tolist()
        order = content_order(self._like, Labels(teacher.answers()[0], teacher.classes_))
        self._source = _core.RowSource(self._like.native(), order.astype(np.uint32), teacher.weights)

    def jittered(self, n_rows: int, noise: float, replace: float) -> Table:
        """Move training rows a little.

        Parameters
        ----------
        n_rows : int
            Number of rows.
        noise : float
            Standard deviation of the moves, in standard deviations of each column; a moved
            number becomes the nearest one that was observed.
        replace : float
            Probability that a category becomes that of another row.

        Returns
        -------
        Table
            The rows; numbers that were missing still are.
        """
        return self._table(self._source.jittered(n_rows, noise, replace, self._seeds[0], self._n_threads))

    def swapped(self, n_rows: int, replace: float) -> Table:
        """Replace cells of training rows by those of other rows.

        Parameters
        ----------
        n_rows : int
            Number of rows.
        replace : float
            Probability of each cell.

        Returns
        -------
        Table
            The rows.
        """
        return self._table(self._source.swapped(n_rows, replace, self._seeds[1], self._n_threads))

    def in_leaves(self, n_rows: int) -> Table:
        """Fill the leaves of the ensemble's trees, as CMM does.

        Parameters
        ----------
        n_rows : int
            Number of rows: the trees take turns, and a tree's leaves are drawn by their
            training weight.

        Returns
        -------
        Table
            Rows that meet the tests on the way to a leaf and are otherwise uniform over the
            observed ranges and declared values.
        """
        core = self._ensemble.core
        return self._table(self._source.in_leaves(core, n_rows, self._seeds[2], self._n_threads))

    def _table(self, rows: _core.ArtificialRows) -> Table:
        columns = [Column(column.feature, rows.cells(i)) for i, column in enumerate(self._like.columns)]
        return Table(columns, has_names=self._like.has_names)
