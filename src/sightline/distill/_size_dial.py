"""One fit, every size: smaller and larger trees from the same ensemble and rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from copy import copy
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sightline.estimator import SightlineClassifier
from sightline.exceptions import ParameterError
from sightline.model import Ensemble, FidelityCurve, Tree

DEFAULT_SIZES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)


class SizeDial(SightlineClassifier):
    """Adds sizes to an estimator that has ``tree_`` and ``ensemble_``.

    A subclass says in :meth:`_resize` how its tree takes another size without another ensemble.
    """

    ensemble_: Ensemble
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
        other = copy(self)
        other._resize(_check_size(n_leaves, type(self).__name__))
        return other

    def fidelity_curve(self, X: Any, y: Any = None, sizes: Iterable[int] | None = None) -> FidelityCurve:
        """Measure trees of several sizes.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            Rows that were not used for fitting, or the curve will promise too much.
        y : array-like of shape (n_rows,), optional
            Their labels; without them only the fidelity is measured.
        sizes : iterable of int, optional
            Numbers of leaves to try; 2 to 64 by default. Sizes that give trees of the same
            number of leaves are listed once.

        Returns
        -------
        FidelityCurve
            Leaves, fidelity and accuracy, with a ``plot`` and a suggested ``knee``.
        """
        rows = self._checked_rows(X)
        wanted = DEFAULT_SIZES if sizes is None else list(sizes)
        if not wanted:
            name = type(self).__name__
            raise ParameterError(f"The 'sizes' of {name}.fidelity_curve must name at least one size.")
        labels = None if y is None else np.asarray(self._checked_labels(y, rows.n_rows))
        return FidelityCurve.of(self.trees_by_size(wanted).values(), self.ensemble_, rows, labels)

    def trees_by_size(self, sizes: Iterable[int] | None = None) -> dict[int, Tree]:
        """Return trees of several sizes.

        Parameters
        ----------
        sizes : iterable of int, optional
            Numbers of leaves to try; 2 to 64 by default.

        Returns
        -------
        dict of int to Tree
            By the number of leaves that they have, ascending. Sizes that give trees of the
            same number of leaves are there once.
        """
        check_is_fitted(self)
        name = type(self).__name__
        wanted = sorted({_check_size(size, name) for size in (DEFAULT_SIZES if sizes is None else sizes)})
        trees = {tree.n_leaves: tree for tree in (self.resized(size).tree_ for size in reversed(wanted))}
        return dict(sorted(trees.items()))


def _check_size(size: Any, name: str) -> int:
    if not isinstance(size, Integral) or isinstance(size, bool) or size < 1:
        raise ParameterError(
            f"A number of leaves of {name} must be an int of at least 1. Got {size!r} instead."
        )
    return int(size)
