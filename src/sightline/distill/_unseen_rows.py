"""Which training rows each tree of an ensemble has not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.distill._teacher import Teacher
from sightline.table import content_hashes


def unseen_rows(teacher: Teacher) -> NDArray[np.uint8] | None:
    """Return the out-of-bag rows of each tree, where they are known.

    Known they are of sightline's bagging, and of bagging and forests of scikit-learn. Of those
    that were given fitted, every tree must have been grown on the labels that its bag has
    among these rows; rows of another order or another table do not fit all trees. A tree has seen a row if it
    has seen another of the same content: a copy of a row proves nothing.

    Parameters
    ----------
    teacher : Teacher
        The ensemble and the training rows.

    Returns
    -------
    ndarray of shape (n_trees, n_rows) or None
        1 where the tree has not seen the row; None where nothing is known, or every tree
        has seen every row.
    """
    unseen = _by_counts(teacher)
    if unseen is None:
        unseen = _by_samples(teacher)
    if unseen is None or teacher.labels is None:
        return None
    unseen = _of_all_copies(unseen, content_hashes(teacher.table, teacher.labels))
    return unseen if unseen.any() else None


def _of_all_copies(unseen: NDArray[np.uint8], content: NDArray[np.uint64]) -> NDArray[np.uint8]:
    distinct, copy_of = np.unique(content, return_inverse=True)
    if len(distinct) == len(content):
        return unseen
    order = np.argsort(copy_of, kind="stable")
    begins = np.searchsorted(copy_of[order], np.arange(len(distinct)))
    return np.minimum.reduceat(unseen[:, order], begins, axis=1)[:, copy_of]


def _by_counts(teacher: Teacher) -> NDArray[np.uint8] | None:
    counts: Any = getattr(teacher.source, "bag_counts_", None)
    shape = (teacher.ensemble.n_trees, teacher.n_given)
    if counts is None or np.shape(counts) != shape or teacher.labels is None:
        return None
    counts = np.asarray(counts)[:, teacher.places]
    if not _are_grown_on(teacher, counts):
        return None
    unseen: NDArray[np.uint8] = (counts == 0).astype(np.uint8)
    return unseen


def _by_samples(teacher: Teacher) -> NDArray[np.uint8] | None:
    samples: Any = getattr(teacher.source, "estimators_samples_", None)
    if samples is None or len(samples) != teacher.ensemble.n_trees:
        return None
    counts = np.zeros((len(samples), teacher.n_given), dtype=np.int64)
    for place, drawn in enumerate(samples):
        if len(drawn) and np.max(drawn) >= teacher.n_given:
            return None
        counts[place] = np.bincount(drawn, minlength=teacher.n_given)
    counts = counts[:, teacher.places]
    if not teacher.is_learnt_here and not _are_grown_on(teacher, counts):
        return None
    unseen: NDArray[np.uint8] = (counts == 0).astype(np.uint8)
    return unseen


def _are_grown_on(teacher: Teacher, counts: NDArray[Any]) -> bool:
    """Say whether the labels of every bag are those that its tree was grown on."""
    labels = teacher.labels
    if labels is None:
        return False
    for tree, drawn in zip(teacher.ensemble.core.trees, counts, strict=True):
        expected = np.bincount(labels.codes, weights=drawn, minlength=len(teacher.classes_))
        if not np.allclose(tree.counts[0], expected):
            return False
    return True
