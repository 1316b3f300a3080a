"""Cases described by the predictions of members that have not seen them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from sightline.distill._out_of_bag import out_of_bag_mask
from sightline.distill._teacher import Teacher
from sightline.model import BlackBox, Ensemble, Origin, member_views
from sightline.progress import progress_bar
from sightline.table import Table

_N_FOLDS = 5


@dataclass(frozen=True, eq=False)
class CaseDescriptions:
    """The members' predictions for each case, and the ensemble's label or number.

    Attributes
    ----------
    views : ndarray of shape (n_cases, n_members, n_columns)
        The members' predictions: float32, or float64 if they are numbers.
    codes : ndarray of shape (n_cases,)
        Class codes, or numbers, that the ensemble predicts, by members that were fitted without the
        case.
    origin : str
        How the case was kept from the members, or from a black box; see :class:`sightline.model.CaseBase`.
    """

    views: NDArray[Any]
    codes: NDArray[Any]
    origin: Origin


def describe_cases(teacher: Teacher, X: Any, y: Any) -> CaseDescriptions:
    """Describe the training rows by the predictions of the trees.

    Parameters
    ----------
    teacher : Teacher
        The ensemble and the rows.
    X, y : Table, frame or array; array-like
        The rows and labels as they were passed to fit.

    Returns
    -------
    CaseDescriptions
        Out-of-bag if the bag of each tree is known. Otherwise by a copy of the ensemble,
        fitted five times to four fifths of the rows. If it cannot be fitted again, by the
        ensemble as it is, which may have been fitted to the rows.
    """
    out_of_bag = out_of_bag_mask(teacher)
    if out_of_bag is not None:
        return _out_of_bag(teacher, out_of_bag.T.astype(bool))
    cross_fitted = _cross_fitted(teacher, X, y)
    if cross_fitted is not None:
        return cross_fitted
    views = member_views(teacher.ensemble, teacher.table, teacher.n_jobs).views
    answers = teacher.ensemble_labels if teacher.n_classes else teacher.ensemble_numbers
    return CaseDescriptions(views, answers, "seen")


def with_unseen_answers(teacher: Teacher, views: NDArray[Any], X: Any, y: Any) -> CaseDescriptions:
    """Add to descriptions of the training rows what a black box predicts without having seen them.

    Parameters
    ----------
    teacher : Teacher
        The black box and the rows.
    views : ndarray of shape (n_cases, n_members, n_columns)
        The predictions of members that learned from the black box, each made without the case.
    X, y : Table, frame or array; array-like
        The rows and labels as they were passed to fit.

    Returns
    -------
    CaseDescriptions
        The label or number of each case is that of a copy of the black box, fitted without it
        ("cross-fitted"), or of the model itself if it cannot be fitted again ("seen").
    """
    seen = teacher.ensemble_labels if teacher.n_classes else teacher.ensemble_numbers
    unseen = np.full(len(seen), -1, dtype=seen.dtype)
    n_judged = 0
    for outside, model, rows in _refits(teacher, X, y):
        if model is None:
            break
        codes, outputs = model.answers(rows, teacher.n_jobs)
        unseen[outside] = codes if teacher.n_classes else outputs[:, 0]
        n_judged += len(outside)
    if n_judged < len(seen):
        return CaseDescriptions(views, seen, "seen")
    return CaseDescriptions(views, unseen, "cross-fitted")


def _out_of_bag(teacher: Teacher, mask: NDArray[np.bool_]) -> CaseDescriptions:
    """Keep the out-of-bag predictions, and replace the others with the mean of those.

    A tree mostly repeats the label of a row in its own bag. The mean is what the other trees
    expect it to predict.
    """
    views = member_views(teacher.ensemble, teacher.table, teacher.n_jobs).views
    n_trees = mask.sum(axis=1)
    sums = np.einsum("ij,ijk->ik", mask.astype(views.dtype), views, dtype=np.float64)
    mean = np.divide(sums, n_trees[:, None], out=np.zeros_like(sums), where=n_trees[:, None] > 0)
    # A row in every bag gets the average description.
    mean[n_trees == 0] = mean[n_trees > 0].mean(axis=0)
    views = np.where(mask[:, :, None], views, mean[:, None, :].astype(views.dtype))
    if not teacher.n_classes:
        return CaseDescriptions(views, mean[:, 0], "out-of-bag")
    # With two classes there is one column: the probability of the second.
    probabilities = np.column_stack([1 - mean[:, 0], mean[:, 0]]) if mean.shape[1] == 1 else mean
    return CaseDescriptions(views, probabilities.argmax(axis=1).astype(np.int32), "out-of-bag")


def _cross_fitted(teacher: Teacher, X: Any, y: Any) -> CaseDescriptions | None:
    """Describe each case by a copy of the ensemble that was fitted without it, if that is possible."""
    n_rows = teacher.table.n_rows
    if teacher.given is None or n_rows < 2:
        return None
    reference = member_views(teacher.ensemble, teacher.table[:1], teacher.n_jobs).views
    views = np.zeros((n_rows, *reference.shape[1:]), dtype=reference.dtype)
    codes = np.zeros(n_rows, dtype=np.int32 if teacher.n_classes else np.float64)
    for outside, ensemble, rows in _refits(teacher, X, y):
        if ensemble is None:
            return None
        fold_views = member_views(ensemble, rows, teacher.n_jobs).views
        if fold_views.shape[2] != views.shape[2]:
            return None
        # Boosting may stop at different numbers of trees; a tree without a counterpart is ignored.
        n_trees = min(fold_views.shape[1], views.shape[1])
        views[outside, :n_trees] = fold_views[:, :n_trees]
        own, outputs = ensemble.answers(rows, teacher.n_jobs)
        codes[outside] = own if teacher.n_classes else outputs[:, 0]
    return CaseDescriptions(views, codes, "cross-fitted")


def _refits(
    teacher: Teacher, X: Any, y: Any
) -> Iterator[tuple[NDArray[np.intp], Ensemble | BlackBox | None, Table]]:
    """Yield parts of the rows and a copy of the model that was fitted without them.

    The copy is None if the model cannot be fitted again, or misses a class without these rows.
    """
    labels, n_rows = teacher.labels, teacher.table.n_rows
    n_folds = min(_N_FOLDS, n_rows)
    if teacher.given is None or n_folds < 2:
        return
    rarest = 0 if labels is None else np.bincount(labels.codes)[labels.codes].min()
    folds = (StratifiedKFold if rarest >= n_folds else KFold)(n_folds, shuffle=True, random_state=0)
    box = teacher.ensemble if isinstance(teacher.ensemble, BlackBox) else None
    title = f"Refitting {'the ensemble' if box is None else box.name}"
    with progress_bar(title, n_folds, None if box is None else box.show_progress) as bar:
        parts = folds.split(np.zeros(n_rows), None if labels is None else labels.codes)
        for done, (inside, outside) in enumerate(parts, 1):
            model = teacher.refitted(X, y, inside)
            n_classes = 0 if model is None or model.classes_ is None else len(model.classes_)
            if model is None or n_classes != teacher.n_classes:
                yield outside, None, teacher.table[outside]
                return
            assert model.schema is not None
            yield outside, model, teacher.table[outside].aligned(model.schema, "the ensemble")
            bar.update(done)
