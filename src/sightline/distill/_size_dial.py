"""One fit, every size: smaller and larger summaries of the same ensemble and rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from copy import copy
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sightline.estimator import SightlineClassifier
from sightline.exceptions import ParameterError
from sightline.model import Ensemble, FidelityCurve, Tree


class SizeDial(SightlineClassifier):
    """Adds a curve over sizes to an estimator that has ``ensemble_`` and a summary of it.

    A subclass says in :meth:`_of_size` how its summary takes another size without another
    ensemble, and in :meth:`_size` how large the one is that it has.
    """

    _size_unit: ClassVar[str]
    ensemble_: Ensemble

    @abstractmethod
    def _of_size(self, size: int) -> Self:
        """Return a fitted copy with a summary of at most this size."""

    @abstractmethod
    def _size(self) -> int:
        """Return how large the summary is."""

    @abstractmethod
    def _default_sizes(self) -> tuple[int, ...]:
        """Return the sizes that a curve shows if none are named."""

    def fidelity_curve(self, X: Any, y: Any = None, sizes: Iterable[int] | None = None) -> FidelityCurve:
        """Measure summaries of several sizes.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            Rows that were not used for fitting, or the curve will promise too much.
        y : array-like of shape (n_rows,), optional
            Their labels; without them only the fidelity is measured.
        sizes : iterable of int, optional
            Numbers of leaves, or of rules, to try. Those that give summaries of the same size
            are listed once. By default 2 to 64 leaves, or 5 to 200 rules and then all.

        Returns
        -------
        FidelityCurve
            Sizes, fidelity and accuracy, with a ``plot`` and a suggested ``knee``.
        """
        rows = self._checked_rows(X)
        summaries = self.summaries_by_size(sizes)
        if not summaries:
            raise ParameterError(
                f"The 'sizes' of {type(self).__name__}.fidelity_curve must name at least one size."
            )
        labels = None if y is None else np.asarray(self._checked_labels(y, rows.n_rows))
        return FidelityCurve.of(summaries, self.ensemble_, rows, labels, self._size_unit)

    def summaries_by_size(self, sizes: Iterable[int] | None = None) -> dict[int, Any]:
        """Return models of several sizes.

        Parameters
        ----------
        sizes : iterable of int, optional
            Numbers of leaves, or of rules, to try; those of :meth:`fidelity_curve` by default.

        Returns
        -------
        dict of int to Tree or RuleSet
            By the size that they have, ascending.
        """
        check_is_fitted(self)
        wanted = sorted({self._checked_size(n) for n in (self._default_sizes() if sizes is None else sizes)})
        resized = (self._of_size(size) for size in reversed(wanted))
        found = [(summary._size(), summary._fitted_model()) for summary in resized]
        return dict(sorted(found, key=lambda pair: pair[0]))

    def _checked_size(self, size: Any) -> int:
        if not isinstance(size, Integral) or isinstance(size, bool) or size < 1:
            raise ParameterError(
                f"A number of {self._size_unit} of {type(self).__name__} must be an int of at least 1. "
                f"Got {size!r} instead."
            )
        return int(size)


class LeafDial(SizeDial):
    """Adds trees of other sizes to an estimator that has ``tree_`` and ``ensemble_``.

    A subclass says in :meth:`_resize` how its tree takes another size.
    """

    _size_unit = "leaves"
    tree_: Tree

    @abstractmethod
    def _resize(self, n_leaves: int) -> None:
        """Give this estimator, a fitted copy, a tree of at most so many leaves."""

    def resized(self, n_leaves: int) -> Self:
        """Return the estimator with a tree of another size.

        Parameters
        ----------
        n_leaves : int
            Most leaves of the tree.

        Returns
        -------
        estimator
            A fitted copy with the tree that ``max_leaves=n_leaves`` would have given; the
            ensemble is not learnt again. The estimator itself stays as it is.
        """
        check_is_fitted(self)
        return self._of_size(self._checked_size(n_leaves))

    def _of_size(self, size: int) -> Self:
        other = copy(self)
        other._resize(size)
        return other

    def _size(self) -> int:
        return self.tree_.n_leaves

    def _default_sizes(self) -> tuple[int, ...]:
        return (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
