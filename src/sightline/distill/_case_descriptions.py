"""What the trees of an ensemble say about its own training rows without having seen them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold, StratifiedKFold

from sightline.distill._teacher import Teacher
from sightline.distill._unseen_rows import unseen_rows
from sightline.load import load
from sightline.model import Ensemble, Origin, member_views
from sightline.table import Labels

_N_FOLDS = 5


@dataclass(frozen=True, eq=False)
class CaseDescriptions:
    """Cases as an ensemble sees them, and its own answers about them.

    Attributes
    ----------
    views : ndarray of float32 of shape (n_cases, n_members, n_columns)
        What the members say.
    codes : ndarray of int32 of shape (n_cases,)
        What the ensemble says, of members that have not seen the case.
    origin : str
        How that was made sure; see :class:`sightline.model.CaseBase`.
    """

    views: NDArray[np.float32]
    codes: NDArray[np.int32]
    origin: Origin


def describe_cases(teacher: Teacher, X: Any, y: Any) -> CaseDescriptions:
    """Ask the trees about the training rows.

    Parameters
    ----------
    teacher : Teacher
        The ensemble and the rows.
    X, y : Table, frame or array; array-like
        The rows and labels as they were given: what another fit is given, too.

    Returns
    -------
    CaseDescriptions
        Out-of-bag where it is known which tree saw which row. Otherwise of a copy of the
        ensemble, fitted five times without a fifth of the rows; and where it cannot be
        fitted again, of the ensemble as it is, which may have seen the rows.
    """
    unseen = unseen_rows(teacher)
    if unseen is not None:
        return _out_of_bag(teacher, unseen.T.astype(bool))
    learner = _learner(teacher.source)
    if learner is not None and teacher.labels is not None:
        crossed = _cross_fitted(teacher, learner, X, y)
        if crossed is not None:
            return crossed
    codes, _ = teacher.answers()
    return CaseDescriptions(
        member_views(teacher.ensemble, teacher.table, teacher.n_jobs).views, codes, "seen"
    )


def _out_of_bag(teacher: Teacher, unseen: NDArray[np.bool_]) -> CaseDescriptions:
    """Keep what unseen trees say; where a tree saw the row, the mean of those that did not stands in.

    What a tree says about a row of its own bag is the row's label more than a view of it. The
    mean is what the other trees expect of it.
    """
    views = member_views(teacher.ensemble, teacher.table, teacher.n_jobs).views
    n_unseen = unseen.sum(axis=1)
    sums = np.einsum("ij,ijk->ik", unseen.astype(np.float32), views, dtype=np.float64)
    mean = np.divide(sums, n_unseen[:, None], out=np.zeros_like(sums), where=n_unseen[:, None] > 0)
    # A row that every tree saw is described as the average row is.
    mean[n_unseen == 0] = mean[n_unseen > 0].mean(axis=0)
    views = np.where(unseen[:, :, None], views, mean[:, None, :].astype(np.float32))
    whole = np.column_stack([1 - mean[:, 0], mean[:, 0]]) if mean.shape[1] == 1 else mean
    return CaseDescriptions(views, whole.argmax(axis=1).astype(np.int32), "out-of-bag")


def _learner(source: Any) -> Any:
    """Return an unfitted copy of what the ensemble was loaded from, or None if there is none."""
    if not hasattr(source, "fit") or type(source).__name__ == "FrozenEstimator":
        return None
    try:
        return clone(source)
    except TypeError:
        return None


def _cross_fitted(teacher: Teacher, learner: Any, X: Any, y: Any) -> CaseDescriptions | None:
    labels = teacher.labels
    assert labels is not None
    fewest = np.bincount(labels.codes)[labels.codes].min()
    n_folds = min(_N_FOLDS, teacher.table.n_rows)
    if n_folds < 2:
        return None
    folds = (StratifiedKFold if fewest >= n_folds else KFold)(n_folds, shuffle=True, random_state=0)
    reference = member_views(teacher.ensemble, teacher.table[:1], teacher.n_jobs).views
    views = np.zeros((teacher.table.n_rows, *reference.shape[1:]), dtype=np.float32)
    codes = np.zeros(teacher.table.n_rows, dtype=np.int32)
    for train, test in folds.split(np.zeros(len(labels)), labels.codes):
        fitted = _fitted_on(teacher, learner, X, y, train)
        if fitted is None or fitted.classes_ is None or len(fitted.classes_) != len(teacher.classes_):
            return None
        rows = teacher.table[test].aligned(fitted.schema, "the ensemble")
        said = member_views(fitted, rows, teacher.n_jobs).views
        if said.shape[2] != views.shape[2]:
            return None
        # A tree that one ensemble has and the other has not adds nothing.
        n_trees = min(said.shape[1], views.shape[1])
        views[test, :n_trees] = said[:, :n_trees]
        codes[test] = fitted.answers(rows, teacher.n_jobs)[0]
    return CaseDescriptions(views, codes, "cross-fitted")


def _fitted_on(teacher: Teacher, learner: Any, X: Any, y: Any, rows: NDArray[np.intp]) -> Ensemble | None:
    is_own = type(learner).__module__.partition(".")[0] == "sightline"
    if is_own:
        labels = teacher.labels
        assert labels is not None
        return load(clone(learner).fit(teacher.table[rows], Labels(labels.codes[rows], labels.classes_)))
    chosen = X.iloc[rows] if hasattr(X, "iloc") else X[rows] if hasattr(X, "shape") else np.asarray(X)[rows]
    try:
        return load(clone(learner).fit(chosen, np.asarray(y)[rows]))
    except NotFittedError:
        return None
