"""What all estimators share that put one tree in an ensemble's place."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from sightline.distill._teacher import Teacher, resolve_teacher
from sightline.estimator import OneTree
from sightline.model import Ensemble, Tree


class TreeDistiller(OneTree):
    """Base of the classifiers that summarise an ensemble by a tree.

    A subclass sets ``tree_``; :meth:`_learn_from` finds the teacher and sets the rest.
    """

    ensemble_: Ensemble
    tree_: Tree

    def explain(self, row: Any) -> str:
        """Say in plain sentences how the tree decides about one row, and what the ensemble says.

        Parameters
        ----------
        row : dict, sequence, or table of one row
            The values, by name or in the order of the features.

        Returns
        -------
        str
            The tree's path, whether the ensemble agrees, and how its trees voted.
        """
        return self._fitted_model().explain(row, ensemble=self.ensemble_)

    def _learn_from(self, X: Any, y: Any, sample_weight: Any) -> Teacher:
        self._check_parameters()
        teacher = resolve_teacher(self, X, y, sample_weight)
        self.ensemble_ = teacher.ensemble
        return teacher

    def _counted(self, tree: Tree, teacher: Teacher) -> Tree:
        """Return the tree with the labels of the training rows as its class counts, not those it grew on."""
        if teacher.labels is None:
            return tree.with_labels(teacher.table, teacher.answers()[0], teacher.weights, "ensemble")
        return tree.with_labels(teacher.table, teacher.labels.codes, teacher.weights, "own")

    def _fitted_model(self) -> Tree:
        check_is_fitted(self)
        return self.tree_

    @property
    def _model(self) -> Tree:
        return self.tree_
