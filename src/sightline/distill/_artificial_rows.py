"""Artificial rows, which show a distiller what the ensemble predicts outside the training rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sightline import _core
from sightline.table import Column, Labels, Table, content_order

if TYPE_CHECKING:
    from sightline.distill._teacher import Teacher


class ArtificialRows:
    """Draws rows near the training rows, or in the leaves of the ensemble.

    The rows depend on the seed and on the contents of the training rows, not on their order.
    A row of weight 2 counts as two rows. Each kind of rows has its own random stream, so that
    drawing more of one kind does not change the others.

    Parameters
    ----------
    teacher : Teacher
        Training rows, their weights, and the ensemble.
    seed : int
        Seed for all random choices.
    n_threads : int, default=1
        Number of threads. It does not change the rows.

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
        self._teacher = teacher
        self._n_threads = n_threads
        self._seeds = np.random.SeedSequence(seed).generate_state(3, np.uint64).tolist()
        classes = teacher.classes_ if teacher.n_classes else np.zeros(1)
        order = content_order(self._like, Labels(teacher.ensemble_labels, classes))
        self._source = _core.RowSource(self._like.native(), order.astype(np.uint32), teacher.weights)

    def jittered(self, n_rows: int, noise: float, replace: float, **part: Any) -> Table:
        """Add noise to training rows.

        Parameters
        ----------
        n_rows : int
            Number of rows.
        noise : float
            Standard deviation of the noise, in standard deviations of each column. The result
            is rounded to the nearest observed number.
        replace : float
            Probability that a category is replaced by that of another row.
        **part
            ``first_row``, the index of the first row, so that blocks hold the rows that one call
            would give; and ``needed``, a mask of the columns whose numbers are drawn. The numbers
            of the other columns are 0, at almost no cost in time and memory.

        Returns
        -------
        Table
            The rows. Missing numbers stay missing.
        """
        return self._table(
            self._source.jittered(n_rows, noise, replace, self._seeds[0], self._n_threads, **part), n_rows
        )

    def swapped(self, n_rows: int, replace: float, **part: Any) -> Table:
        """Replace cells of training rows with those of other rows.

        Parameters
        ----------
        n_rows : int
            Number of rows.
        replace : float
            Probability that a cell is replaced.
        **part
            As in :meth:`jittered`.

        Returns
        -------
        Table
            The rows.
        """
        return self._table(
            self._source.swapped(n_rows, replace, self._seeds[1], self._n_threads, **part), n_rows
        )

    def cmm_rows(self, n_rows: int, quota: str = "drawn") -> Table:
        """Draw rows in the leaves of the ensemble's trees, as CMM does.

        Parameters
        ----------
        n_rows : int
            Number of rows; every tree provides the same share.
        quota : {"drawn", "floor", "nearest"}, default="drawn"
            How many of them each leaf of a tree gets: drawn in proportion to its training weight,
            or this number rounded, so that there may be fewer or more rows in all.

        Returns
        -------
        Table
            Rows that meet the tests on the path to a leaf and are otherwise uniform over the
            observed ranges and declared values.
        """
        core = self._teacher.trees.core
        rows = self._source.cmm_rows(core, n_rows, self._seeds[2], self._n_threads, quota)
        return self._table(rows, rows.n_rows)

    def _table(self, rows: _core.ArtificialRows, n_rows: int) -> Table:
        constant = np.broadcast_to(0.0, n_rows)
        cells = [rows.cells(index) for index in range(len(self._like.columns))]
        # Their numbers are those of training rows, or lie between them.
        columns = [
            Column(column.feature, values if len(values) == n_rows else constant).known_finite()
            for column, values in zip(self._like.columns, cells, strict=True)
        ]
        return Table(columns, has_names=self._like.has_names)
