"""Summaries of several sizes from one fit."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from copy import copy
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sightline.estimator import SightlineEstimator
from sightline.exceptions import ParameterError
from sightline.model import BlackBox, Ensemble, FidelityCurve, Tree

_SIZES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)


class SizePath(SightlineEstimator):
    """Adds ``fidelity_curve`` to an estimator that has ``ensemble_`` and a summary of it.

    A subclass implements :meth:`_of_size`, which changes the size of the summary without
    learning the ensemble again.

    Attributes
    ----------
    size_unit : str
        What the size counts: "leaves", "tests" or "rules".
    """

    size_unit: ClassVar[str]
    ensemble_: Ensemble | BlackBox

    @property
    def path_size_(self) -> int:
        """Size of the summary, in units of ``size_unit``."""
        return self.size_[self.size_unit]

    @abstractmethod
    def _of_size(self, size: int) -> Self:
        """Return a fitted copy whose summary has at most this size."""

    @abstractmethod
    def _default_sizes(self) -> tuple[int, ...]:
        """Return the sizes of a curve for which none are given."""

    def fidelity_curve(self, X: Any, y: Any = None, sizes: Iterable[int] | None = None) -> FidelityCurve:
        """Measure the fidelity and accuracy of summaries of several sizes.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            Rows that were not used in fit; otherwise the curve is too optimistic.
        y : array-like of shape (n_rows,), optional
            Class labels, or numbers, of the rows. Without them only the fidelity is measured.
        sizes : iterable of int, optional
            Numbers of leaves, tests or rules to try. By default 2 to 64 leaves (2 to 32 tests), but no more
            than half as many as training rows, or 5 to 200 rules, then all if they are at most 2,000.
            Summaries that turn out equally large are listed once.

        Returns
        -------
        FidelityCurve
            Sizes, fidelity and accuracy, with a ``plot`` and a suggested ``knee``.
        """
        rows = self._checked_rows(X)
        summaries = self.summaries_by_size(sizes)
        if not summaries:
            raise ParameterError(
                f"The 'sizes' parameter of {type(self).__name__}.fidelity_curve must not be empty."
            )
        target = None if y is None else np.asarray(self._checked_target(y, rows.n_rows))
        return FidelityCurve.of(summaries, self.ensemble_, rows, target, self.size_unit)

    def summaries_by_size(self, sizes: Iterable[int] | None = None) -> dict[int, Any]:
        """Return summaries of several sizes.

        Parameters
        ----------
        sizes : iterable of int, optional
            Numbers of leaves, tests or rules to try; by default those of :meth:`fidelity_curve`.

        Returns
        -------
        dict of int to Tree, Graph or RuleSet
            The models by the size that they have, in ascending order.
        """
        check_is_fitted(self)
        if sizes is not None and not isinstance(sizes, Iterable):
            raise ParameterError(f"sizes must be a list of numbers: [{sizes!r}], not {sizes!r}.")
        requested = {self._checked_size(size) for size in (self._default_sizes() if sizes is None else sizes)}
        resized = [self._of_size(size) for size in sorted(requested, reverse=True)]
        by_size = {summary.path_size_: summary.model_ for summary in resized}
        return dict(sorted(by_size.items()))

    def _checked_size(self, size: Any) -> int:
        if not isinstance(size, Integral) or isinstance(size, bool) or size < 1:
            raise ParameterError(
                f"The number of {self.size_unit} of {type(self).__name__} must be an int of at least 1. "
                f"Got {size!r} instead."
            )
        return int(size)


class Resizable(SizePath):
    """The size path of an estimator that keeps its training rows and learns again for every size.

    A subclass implements :meth:`_resize`.
    """

    @abstractmethod
    def _resize(self, size: int) -> None:
        """Replace the model of this fitted copy with one of at most this size."""

    @property
    @abstractmethod
    def _n_training(self) -> float:
        """Weight of the training rows."""

    def _of_size(self, size: int) -> Self:
        other = copy(self)
        other._resize(size)
        return other

    def _default_sizes(self) -> tuple[int, ...]:
        # Leaves with fewer than two training rows mostly describe artificial rows.
        return tuple(size for size in _SIZES if size <= max(self._n_training / 2, _SIZES[0]))


class TreePath(Resizable):
    """Adds ``resized`` to an estimator that has ``tree_`` and ``ensemble_``."""

    size_unit = "leaves"
    tree_: Tree

    @property
    def _n_training(self) -> float:
        return float(self.tree_.core.weight[0])

    def resized(self, n_leaves: int) -> Self:
        """Return a copy of the estimator with a tree of a different size.

        Parameters
        ----------
        n_leaves : int
            Maximum number of leaves.

        Returns
        -------
        estimator
            A fitted copy with the tree that ``max_leaves=n_leaves`` gives. The ensemble is not
            learned again, and the estimator itself does not change.
        """
        check_is_fitted(self)
        return self._of_size(self._checked_size(n_leaves))
