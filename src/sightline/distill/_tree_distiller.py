"""Base classes of the estimators that summarize an ensemble as one tree or graph."""

from __future__ import annotations

from typing import Any

from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sightline.distill._remarks import about_sample_weights
from sightline.distill._size_path import TreePath
from sightline.distill._teacher import Teacher, resolve_teacher
from sightline.estimator import OneTree, SightlineEstimator
from sightline.model import BlackBox, Ensemble, Tree


class Distiller(SightlineEstimator):
    """Base class of the estimators that summarize an ensemble as one tree or graph.

    :meth:`_resolve_teacher` sets the attributes that do not depend on the summary.
    """

    ensemble_: Ensemble | BlackBox
    training_remarks_: list[str]

    def explain(self, rows: Any, *, ids: Any = None) -> Any:
        """Explain what the model predicts for one row or many, and what the ensemble predicts.

        Parameters
        ----------
        %(explained_rows)s
        %(ids)s

        Returns
        -------
        Explanation or Explanations
            The path of the row, whether the ensemble or black box agrees, and how its trees voted. ``str()``
            gives plain sentences.
        """
        check_is_fitted(self)
        model: Any = self._model
        return model.explain(rows, ensemble=self.ensemble_, ids=ids)

    @property
    def remarks_(self) -> list[str]:
        """Facts about the model that it does not show, such as the threshold of its labels."""
        return list(self.training_remarks_)

    def _resolve_teacher(self, X: Any, y: Any, sample_weight: Any) -> Teacher:
        self._check_parameters()
        teacher = resolve_teacher(self, X, y, sample_weight)
        self.ensemble_ = teacher.ensemble
        self.training_remarks_ = about_sample_weights(teacher)
        return teacher

    def _artificial_seed(self) -> int:
        """Draw the seed of the artificial rows; they stay the same for models of other sizes."""
        return int(check_random_state(self.random_state).randint(2**31 - 1))


class TreeDistiller(Distiller, TreePath, OneTree):
    """Base class of the estimators that summarize an ensemble as one tree, of classes or of numbers.

    A subclass sets ``tree_``.
    """

    tree_: Tree

    def _with_target_counts(self, tree: Tree, teacher: Teacher) -> Tree:
        """Return the tree with the classes, or numbers, of the training rows in its nodes."""
        if self.task == "numbers":
            return tree.with_numbers(teacher.table, teacher.target, teacher.weights, teacher.label_source)
        return tree.with_labels(teacher.table, teacher.target, teacher.weights, teacher.label_source)

    @property
    def _model(self) -> Tree:
        return self.tree_
