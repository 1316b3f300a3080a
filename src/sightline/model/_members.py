"""The predictions of an ensemble's members, one by one."""

# ruff: noqa: ARG001 - the arguments are those of the registered functions

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model._class_sums import class_sums
from sightline.model._ensemble import Ensemble
from sightline.model._neighbours import WHOLE, NeighbourEnsemble
from sightline.model._nodes import LEAF, first_largest
from sightline.model._rows import n_threads
from sightline.table import Table
from sightline.wording import pluralize

_ROWS_AT_A_TIME = 4096


@dataclass(frozen=True, eq=False)
class MemberViews:
    """Outputs and votes of every member for some rows.

    Attributes
    ----------
    views : ndarray of float32 of shape (n_rows, n_members, n_columns)
        The prediction of each member: probabilities (one column for two classes),
        weighted votes, or what a tree adds to a sum. Numbers of a regression are float64.
    sides : ndarray of int32 of shape (n_rows, n_members)
        The class that each member votes for, -1 if none.
    """

    views: NDArray[Any]
    sides: NDArray[np.int32]


@singledispatch
def member_views(ensemble: Any, rows: Table | None, n_jobs: int | None = None) -> MemberViews:
    """Predict every row with every member.

    Parameters
    ----------
    ensemble : Ensemble or NeighbourEnsemble
        The ensemble.
    rows : Table or None
        Rows in the ensemble's columns; None, for neighbours only, stands for the cases,
        each left out of its own neighbors.
    n_jobs : int, optional
        Threads to use, as in joblib.

    Returns
    -------
    MemberViews
        Numbers and sides.
    """
    raise TypeError(f"The members of a {type(ensemble).__name__} cannot be evaluated one by one.")


@member_views.register
def _(ensemble: NeighbourEnsemble, rows: Table | None, n_jobs: int | None = None) -> MemberViews:
    return neighbour_views(ensemble, ensemble.member_shares(rows, n_jobs))


def neighbour_views(ensemble: NeighbourEnsemble, shares: NDArray[np.int32]) -> MemberViews:
    """Return the views that correspond to class shares of the members."""
    return MemberViews(_without_first((shares / WHOLE).astype(np.float32)), ensemble.winners(shares))


@member_views.register
def _(ensemble: Ensemble, rows: Table | None, n_jobs: int | None = None) -> MemberViews:
    if rows is None:
        raise TypeError("Trees do not store the rows that they were grown on.")
    parts = [
        _tree_views(ensemble, rows[begin : begin + _ROWS_AT_A_TIME], n_jobs)
        for begin in range(0, rows.n_rows, _ROWS_AT_A_TIME)
    ]
    return MemberViews(
        np.concatenate([part.views for part in parts]), np.concatenate([part.sides for part in parts])
    )


def _tree_views(ensemble: Ensemble, rows: Table, n_jobs: int | None) -> MemberViews:
    ensemble = class_sums(ensemble)
    core = ensemble.core
    outputs = core.tree_outputs(rows.native(), n_threads(n_jobs))
    weights = np.asarray(core.tree_weight)
    if ensemble.link.kind == "mean" or core.votes:
        best = first_largest(outputs.reshape(-1, outputs.shape[2]), core.tie_tolerance)
        sides: NDArray[np.int32] = best.reshape(outputs.shape[:2]).astype(np.int32)
        if core.votes:
            outputs = np.eye(outputs.shape[2])[sides]
        # Weights of votes are relative: the heaviest member counts as one of a plain mean does.
        outputs = outputs * (weights / np.abs(weights).max())[:, None]
        return MemberViews(_without_first(outputs.astype(np.float32)), sides)
    added = outputs * weights[:, None]
    if ensemble.classes_ is None:
        return MemberViews(added, np.zeros(added.shape[:2], dtype=np.int32))
    return MemberViews(added.astype(np.float32), _sides_of_sums(ensemble, added))


def _sides_of_sums(ensemble: Ensemble, added: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the class that a tree favors: by the sign of a single score, else the class of its score."""
    if ensemble.link.kind == "sigmoid":
        sides = np.where(added[:, :, 0] > 0, 1, np.where(added[:, :, 0] < 0, 0, -1))
        return sides.astype(np.int32)
    scores = np.asarray(ensemble.core.tree_score)
    if (scores < 0).any():
        return first_largest(added.reshape(-1, added.shape[2]), 0.0).reshape(added.shape[:2]).astype(np.int32)
    return np.where(added[:, :, 0] > 0, scores[None, :], -1).astype(np.int32)


def _without_first(probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """Drop the redundant column of two classes."""
    return probabilities[:, :, 1:] if probabilities.shape[2] == 2 else probabilities


def n_members(ensemble: Ensemble | NeighbourEnsemble) -> int:
    """Return the number of trees or of nearest-neighbor classifiers."""
    return ensemble.n_members if isinstance(ensemble, NeighbourEnsemble) else ensemble.n_trees


def members_text(ensemble: Ensemble | NeighbourEnsemble) -> str:
    """Return their number with what they are, as in ``25 trees``."""
    is_neighbors = isinstance(ensemble, NeighbourEnsemble)
    return pluralize(n_members(ensemble), "nearest-neighbor classifier" if is_neighbors else "tree")


@singledispatch
def n_voters(ensemble: Any) -> NDArray[np.int64]:
    """Return, per class, how many members could vote for it."""
    raise TypeError(f"The members of a {type(ensemble).__name__} cannot be counted.")


@n_voters.register
def _(ensemble: NeighbourEnsemble) -> NDArray[np.int64]:
    return np.full(len(ensemble.classes_), ensemble.n_members)


@n_voters.register
def _(ensemble: Ensemble) -> NDArray[np.int64]:
    ensemble = class_sums(ensemble)
    scores = np.asarray(ensemble.core.tree_score)
    if ensemble.link.kind == "softmax" and (scores >= 0).all():
        return np.bincount(scores, minlength=ensemble.n_classes)
    return np.full(max(ensemble.n_classes, 1), ensemble.n_trees)


@singledispatch
def feature_use(ensemble: Any) -> NDArray[np.float64]:
    """Return, per feature, the share of the members that use it."""
    raise TypeError(f"The members of a {type(ensemble).__name__} cannot be looked at one by one.")


@feature_use.register
def _(ensemble: NeighbourEnsemble) -> NDArray[np.float64]:
    return np.asarray(ensemble.masks.mean(axis=0))


@feature_use.register
def _(ensemble: Ensemble) -> NDArray[np.float64]:
    used = np.zeros(len(ensemble.schema))
    for tree in ensemble.core.trees:
        used[np.unique(np.asarray(tree.feature)[np.asarray(tree.test) != LEAF])] += 1
    return used / ensemble.n_trees
