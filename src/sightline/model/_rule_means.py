"""The numbers that rules predict: weighted means over the rules that match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.model._rule import Voting


@dataclass(frozen=True)
class RuleSums:
    """Sums over the rules that match rows: weights times numbers, and weights.

    Attributes
    ----------
    levels : list of float
        Minimum shares of satisfied conditions for partial matches, ascending. At 1 there are none.
    full : ndarray of shape (n_rows, 2)
        For rules whose conditions all hold.
    partial : ndarray of shape (n_levels, n_rows, 2)
        For rules that hold in part, times the share that holds.
    """

    levels: list[float]
    full: NDArray[np.float64]
    partial: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        core: _core.RuleSet,
        values: NDArray[np.float64],
        rows: _core.Columns,
        levels: Sequence[float],
        out_of_bag: NDArray[np.uint8] | None = None,
        n_threads: int = 1,
    ) -> RuleSums:
        """Add up the rules that match rows.

        Parameters
        ----------
        core : _core.RuleSet
            The rules, of one class.
        values : ndarray of shape (n_rules,)
            The number that each predicts.
        rows : _core.Columns
            The rows.
        levels : sequence of float
            Minimum shares of satisfied conditions.
        out_of_bag : ndarray of shape (n_trees, n_rows), optional
            If given, a rule counts only for the out-of-bag rows of its source trees.
        n_threads : int, default=1
            Number of threads.

        Returns
        -------
        RuleSums
            The sums.
        """
        ascending, weight = sorted({*levels, 1.0}), np.asarray(core.weight)
        counted = [
            core.reweighted(own).count_votes(rows, ascending, out_of_bag, n_threads)
            for own in (weight * values, weight)
        ]
        full, partial = (np.concatenate(both, axis=-1) for both in zip(*counted, strict=True))
        return cls(ascending, full, partial)

    def means(self, voting: Voting, pc: float, wr: float) -> NDArray[np.float64]:
        """Return the number of each row.

        Parameters
        ----------
        voting : Voting
            Has the fallback and the prior; its pc and wr are ignored.
        pc, wr : float
            Minimum share for a partial match, one of the levels, and its factor.

        Returns
        -------
        ndarray of shape (n_rows,)
            Weighted means of the numbers; the prior if no rule matches.
        """
        near = self.partial[self.levels.index(1.0 if voting.fallback is None else voting.fallback)]
        sums = self.full + wr * self.partial[self.levels.index(pc)]
        sums = np.where(sums[:, 1:] > _core.NO_VOTE, sums, near)
        prior = np.full(len(sums), voting.prior[0])
        return np.asarray(np.divide(sums[:, 0], sums[:, 1], out=prior, where=sums[:, 1] > _core.NO_VOTE))
