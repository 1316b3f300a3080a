"""Several nearest-neighbor classifiers, each on a subset of the features."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sightline import _core
from sightline.exceptions import DataError, ParameterError
from sightline.model._answering import Answering
from sightline.model._rows import n_threads
from sightline.table import Labels, Schema, Table
from sightline.wording import pluralize

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WHOLE = float(2**30)
"""What the share 1 is in the fixed point of the kernels."""

_ROWS_AT_A_TIME = 4096


class NeighbourEnsemble(Answering):
    """Nearest-neighbor classifiers on feature subsets, whose probabilities are averaged or votes counted.

    Parameters
    ----------
    cases : Table
        The rows to search for neighbors.
    labels : Labels
        Their classes.
    masks : ndarray of bool of shape (n_members, n_features)
        Which features each member uses; at least one each.
    k : int
        Number of neighbors per member; all other cases if there are fewer.
    search : str, default="random"
        How the masks were found.
    n_search_rows : int, optional
        Of how many cases; of all by default.
    combine : {"mean", "vote"}, default="mean"
        How the members decide together: by the mean of their probabilities, or by one vote each.
    member_weights : array-like of shape (n_members,), optional
        Weights of the members in the mean or vote; by default the same for all.

    Notes
    -----
    A member's distance is Euclidean: numbers differ by a share of their range, at most 1,
    categories by 0 or 1, a missing value as much as it could. Each of the k nearest votes
    with 1 / distance; cases at distance 0 decide alone. Of cases at the same distance the
    first counts; classes that tie are decided for the more frequent one. Squared
    differences are added in fixed point, so that those below about 1 / 10,000 of a range
    count as none.

    Examples
    --------
    >>> from sightline import Labels, Table
    >>> cases = Table.from_any([[0.0, 5.0], [1.0, 6.0], [8.0, 5.0], [9.0, 6.0]])
    >>> labels = Labels.from_any(["low", "low", "high", "high"])
    >>> ensemble = NeighbourEnsemble(cases, labels, np.array([[True, False], [True, True]]), k=1)
    >>> ensemble.predict([[2.0, 6.0]]).tolist()
    ['low']
    """

    def __init__(
        self,
        cases: Table,
        labels: Labels,
        masks: NDArray[np.bool_],
        k: int,
        search: str = "random",
        n_search_rows: int | None = None,
        *,
        combine: str = "mean",
        member_weights: ArrayLike | None = None,
    ) -> None:
        self.cases = cases.X
        self.labels = labels
        self.masks = np.asarray(masks, dtype=bool)
        self.k = k
        self.search = search
        self.n_search_rows = cases.n_rows if n_search_rows is None else n_search_rows
        self.combine = combine
        self.member_weights = None if member_weights is None else np.asarray(member_weights, np.float64)
        if len(labels) != cases.n_rows:
            raise DataError(f"There are {len(labels)} labels for {cases.n_rows} cases.")
        if (
            self.masks.ndim != 2
            or self.masks.shape[1] != len(cases.columns)
            or not self.masks.any(axis=1).all()
        ):
            raise ParameterError(
                f"The masks must hold one row per member and one column for each of the {len(cases.columns)} "
                "features, and every member must use one."
            )
        if combine not in ("mean", "vote"):
            raise ParameterError(f"There is no combination {combine!r} of members. Choose from: mean, vote.")
        if self.member_weights is not None and not (
            self.member_weights.shape == (len(self.masks),)
            and np.isfinite(self.member_weights).all()
            and (self.member_weights >= 0).all()
            and self.member_weights.any()
        ):
            raise ParameterError(
                f"The member weights must be {len(self.masks)} numbers, none negative and not all 0."
            )
        if k < 1:
            raise ParameterError(
                f"The 'k' parameter of NeighbourEnsemble must be at least 1. Got {k!r} instead."
            )

    @property
    def schema(self) -> Schema:
        """Names and kinds of the features."""
        return self.cases.schema

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels."""
        return self.labels.classes_

    @property
    def n_members(self) -> int:
        """Number of classifiers."""
        return len(self.masks)

    @property
    def size_(self) -> dict[str, int]:
        """Counts by which models are compared; the rules of lazy learners are their cases."""
        return {
            "nodes": 0,
            "leaves": 0,
            "depth": 0,
            "rules": self.cases.n_rows,
            "conditions": int(self.masks.sum()),
            "features": int(self.masks.any(axis=0).sum()),
        }

    @cached_property
    def core(self) -> _core.SubspaceKNNCases:
        """The cases as kernels see them."""
        return _core.SubspaceKNNCases(self.cases.native(), self.labels.codes, len(self.classes_))

    def member_shares(self, X: Any, n_jobs: int | None = None) -> NDArray[np.int32]:
        """Return the predictions of every member for rows.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features), or None
            The rows; None for the cases themselves, each left out of its own neighbors.
        %(n_jobs)s

        Returns
        -------
        ndarray of shape (n_rows, n_members, n_classes)
            Class shares in multiples of 2^-30.
        """
        rows = None if X is None else Table.from_any(X).aligned(self.schema, "NeighbourEnsemble").native()
        masks = self.masks.astype(np.uint8).ravel()
        return self.core.member_shares(rows, masks, self.k, n_threads(n_jobs))

    def to_text(self, *, max_features: int = 20) -> str:
        """Summarize the members as text, with the features that they use.

        Parameters
        ----------
        max_features : int, default=20
            Maximum number of features to list.

        %(returns_text)s
        """
        text: str = self._display().text(max_features=max_features)
        return text

    def plot(self, ax: Axes | None = None, *, max_features: int = 20) -> Axes:
        """Draw the share of members that use each feature with matplotlib.

        Parameters
        ----------
        %(ax)s
        max_features : int, default=20
            Maximum number of features to draw.

        %(returns_axes)s
        """
        axes: Axes = self._display().plot(ax, max_features=max_features)
        return axes

    def explain(self, rows: Any, *, ids: Any = None) -> Any:
        """Explain the prediction for one row, or for many, by the votes of the members.

        Parameters
        ----------
        %(explained_rows)s
        %(ids)s

        %(returns_explanations)s
        """
        return self._display().explain(rows, ids=ids)

    def winners(self, votes: NDArray[Any]) -> NDArray[np.int32]:
        """Return the classes with the most votes; the last axis is that of the classes."""
        return most_voted(votes, self.labels)

    def combined(self, shares: NDArray[np.int32]) -> NDArray[Any]:
        """Return the sums of the members' predictions for rows.

        Parameters
        ----------
        shares : ndarray of shape (n_rows, n_members, n_classes)
            Class shares from :meth:`member_shares`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Sums of shares, or of votes, by the weights of the members.
        """
        if self.combine == "vote":
            shares = np.eye(len(self.classes_), dtype=np.int32)[self.winners(shares)]
        if self.member_weights is None:
            # Whole numbers: the order of the members changes no bit.
            return np.asarray(shares.sum(axis=1, dtype=np.int64))
        return np.asarray(np.einsum("rmc,m->rc", shares, self.member_weights))

    def answers(self, X: Any, n_jobs: int | None = None) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the codes of the labels and the class probabilities of rows; None means the cases."""
        rows = None if X is None else Table.from_any(X).aligned(self.schema, "NeighbourEnsemble")
        if rows is None:
            totals = self.combined(self.member_shares(None, n_jobs))
        else:
            totals = np.concatenate(
                [
                    self.combined(self.member_shares(rows[begin : begin + _ROWS_AT_A_TIME], n_jobs))
                    for begin in range(0, rows.n_rows, _ROWS_AT_A_TIME)
                ]
            )
        return self.winners(totals), totals / totals.sum(axis=1, keepdims=True)

    def __repr__(self) -> str:
        return (
            f"NeighbourEnsemble({self.n_members} members, k={self.k}, {self.cases.n_rows} cases, "
            f"{len(self.schema)} features, {pluralize(len(self.classes_), 'class', 'classes')})"
        )

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("core", None)
        return state


def most_voted(votes: NDArray[Any], labels: Labels) -> NDArray[np.int32]:
    """Return the class with the most votes; ties go to the class more frequent among the labels.

    Parameters
    ----------
    votes : ndarray of shape (..., n_classes)
        Votes, counted or weighted.
    labels : Labels
        Labels whose frequencies decide ties; the first of equally frequent classes wins.

    Returns
    -------
    ndarray of shape (...)
        Codes.

    Examples
    --------
    >>> most_voted(np.array([[1, 1, 0], [0, 1, 2]]), Labels.from_any([0, 1, 1, 2])).tolist()
    [1, 2]
    """
    frequency = np.bincount(labels.codes, minlength=len(labels.classes_))
    order = np.argsort(-frequency, kind="stable")
    return np.asarray(order[votes[..., order].argmax(axis=-1)], dtype=np.int32)
