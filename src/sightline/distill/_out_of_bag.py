"""Which training rows each tree of an ensemble was not grown on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from sightline.distill._teacher import Teacher
from sightline.table import center_and_scale, content_hashes

_SAME_MEAN = 1e-5
_ROUNDING = 1e-10
"""Sums of millions of numbers in another order differ by less of their size."""


def out_of_bag_mask(teacher: Teacher) -> NDArray[np.uint8] | None:
    """Return the out-of-bag rows of each tree, if they are known.

    They are known for sightline's bagging, and for scikit-learn's bagging and forests. An
    ensemble that was fitted elsewhere is checked: the labels of each bag, or the mean of its
    numbers, must be those that its tree was grown on, which fails for different rows or a different
    order. A copy of a row in the bag counts as in the bag, because it is not independent evidence.

    Parameters
    ----------
    teacher : Teacher
        The ensemble and the training rows.

    Returns
    -------
    ndarray of shape (n_trees, n_rows) or None
        1 if the row is out of the tree's bag. None if the bags are unknown, or if no tree has
        out-of-bag rows.
    """
    counts = _bag_counts(teacher)
    if counts is None or teacher.given is None:
        return None
    mask: NDArray[np.uint8] = (counts == 0).astype(np.uint8)
    mask = _of_all_copies(mask, content_hashes(teacher.table, teacher.given))
    return mask if mask.any() else None


def _of_all_copies(mask: NDArray[np.uint8], content: NDArray[np.uint64]) -> NDArray[np.uint8]:
    distinct, copy_of = np.unique(content, return_inverse=True)
    if len(distinct) == len(content):
        return mask
    order = np.argsort(copy_of, kind="stable")
    begins = np.searchsorted(copy_of[order], np.arange(len(distinct)))
    return np.minimum.reduceat(mask[:, order], begins, axis=1)[:, copy_of]


def _bag_counts(teacher: Teacher) -> NDArray[Any] | None:
    """Return how often each tree's bag holds each row, if the source knows and the rows are its own."""
    counts: Any = getattr(teacher.source, "bag_counts_", None)
    is_own = counts is not None and np.shape(counts) == (teacher.trees.n_trees, teacher.n_given)
    if not is_own:
        counts = _counts_of_samples(teacher)
    if counts is None:
        return None
    counts = np.asarray(counts)[:, teacher.row_index]
    is_trusted = teacher.is_learned_here and not is_own
    return counts if is_trusted or _are_grown_on(teacher, counts) else None


def _counts_of_samples(teacher: Teacher) -> NDArray[np.int64] | None:
    # Behind a pipeline's steps, which keep the rows, is the forest.
    source = teacher.source.steps[-1][1] if isinstance(teacher.source, Pipeline) else teacher.source
    samples: Any = getattr(source, "estimators_samples_", None)
    if samples is None or len(samples) != teacher.trees.n_trees:
        return None
    counts = np.zeros((len(samples), teacher.n_given), dtype=np.int64)
    for tree, drawn in enumerate(samples):
        if len(drawn) and np.max(drawn) >= teacher.n_given:
            return None
        counts[tree] = np.bincount(drawn, minlength=teacher.n_given)
    return counts


def _are_grown_on(teacher: Teacher, counts: NDArray[Any]) -> bool:
    """Return whether the labels, or numbers, of every bag are those that its tree was grown on."""
    labels, numbers = teacher.labels, teacher.numbers
    # In deviations: means of numbers near 1e9, or 1e-9, differ by little of their size.
    _, scale = (0.0, 1.0) if numbers is None else center_and_scale(numbers)
    for tree, drawn in zip(teacher.trees.core.trees, counts, strict=True):
        if numbers is not None:
            weights = drawn if teacher.weights is None else drawn * teacher.weights
            if not weights.any():
                return False
            mean = np.average(numbers, weights=weights)
            if not np.isclose(tree.output[0, 0], mean, rtol=_ROUNDING, atol=_SAME_MEAN * scale):
                return False
            continue
        if labels is None:
            return False
        expected = np.bincount(labels.codes, weights=drawn, minlength=len(teacher.classes_))
        if not np.allclose(tree.counts[0], expected):
            return False
    return True
