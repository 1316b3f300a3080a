"""Substitutes for a model without members of its own, for methods that need some."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sightline.distill._teacher import Teacher, imitating_forest
from sightline.learn import BaggedTreesClassifier, SubspaceKNNClassifier
from sightline.model import NeighbourEnsemble
from sightline.table import Labels

MAX_LEAVES = 200
"""Maximum leaves of a tree that learned numbers. A few rules are selected from all leaves, and shortening
those of full-depth trees takes minutes for 15,000 rows."""
MIN_LEAF = 2
"""Minimum rows of such a leaf: a rule of one row is never among the few that are selected."""


def with_trees(teacher: Teacher, random_state: Any) -> Teacher:
    """Return the teacher itself, or trees that learned its predictions.

    Parameters
    ----------
    teacher : Teacher
        A model and the training rows.
    random_state : int, RandomState or None
        Seed of the trees.

    Returns
    -------
    Teacher
        Its ensemble has trees, each of which predicts. For a black box, and for an ensemble whose label is
        not its most probable class (a threshold, costs), they are 25 bagged C4.5 trees, learned from the
        training rows as the model labels them, and its labels are those. For a regression that is not the
        mean of its trees, they are a random forest of small trees that learned its numbers.
    """
    if teacher.n_classes == 0:
        has_own = not teacher.is_black_box and teacher.trees.is_mean
        if has_own:
            return teacher
        return imitating_forest(teacher, random_state, max_leaf_nodes=MAX_LEAVES, min_samples_leaf=MIN_LEAF)
    if not teacher.is_black_box and not teacher.has_own_labels:
        return teacher
    labels = Labels(teacher.ensemble_labels, teacher.classes_)
    bagged = BaggedTreesClassifier(n_jobs=teacher.n_jobs, random_state=random_state)
    bagged.fit(teacher.table, labels, teacher.weights)
    n_rows = teacher.table.n_rows
    subject = replace(teacher.table.schema.subject, has_labels_only=True, counts_ensemble=True)
    return replace(
        teacher,
        ensemble=bagged.ensemble_,
        table=teacher.table.about(subject),
        given=labels,
        row_index=np.arange(n_rows),
        n_given=n_rows,
        source=bagged,
        is_learned_here=True,
    )


def neighbors_of(teacher: Teacher, random_state: Any) -> NeighbourEnsemble:
    """Return nearest neighbors that learned the labels of a black box for the training rows.

    Cases that look similar to them get the label of a smooth black box more often than those that look
    similar to trees.

    Parameters
    ----------
    teacher : Teacher
        A black box with classes, and the training rows.
    random_state : int, RandomState or None
        Seed of the search for features.
    """
    learner = SubspaceKNNClassifier(search="hc", n_jobs=teacher.n_jobs, random_state=random_state)
    learner.fit(teacher.table, Labels(teacher.ensemble_labels, teacher.classes_))
    return learner.ensemble_
