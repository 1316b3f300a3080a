"""Trees of several sizes that imitate an ensemble: ours, and scikit-learn's on the same rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from operator import methodcaller
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sightline.distill import DistilledTreeClassifier
from sightline.lab._encoding import OneHotColumns
from sightline.lab._learner import Learner, Trial
from sightline.table import Labels, Table

SIZES = (8, 16, 32, 64)
KINDS = {
    "distilled": "distilled",
    "labels": "distilled, labels",
    "former": "distilled, labels, any leaf",
    "probabilities": "distilled, probabilities",
    "cart": "scikit-learn",
    "usual": "usual surrogate",
    "cart_on_probabilities": "scikit-learn on probabilities",
    "usual_on_probabilities": "usual surrogate on probabilities",
    "lines": "lines",
}
"""Methods of :class:`Surrogates`, and what tables call their trees."""
OF_CLASSES, OF_NUMBERS = ("distilled", "cart", "usual"), ("distilled", "usual", "lines")
OF_DECISIONS = tuple(kind for kind in KINDS if kind != "lines")


def coded(table: Table) -> NDArray[np.float64]:
    """Return categories as their codes: how other libraries' forests see them."""
    return np.column_stack([np.where(column.is_missing, np.nan, column.values) for column in table.columns])


class OnCodes(ClassifierMixin, BaseEstimator):
    """A model of another library that sees categories as numbers."""

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    def fit(self, X: Table, y: ArrayLike) -> Self:
        """Fit a clone to the codes."""
        self.n_features_in_ = len(X.columns)
        self.model_ = clone(self.estimator).fit(coded(X), np.asarray(y))
        if hasattr(self.model_, "classes_"):
            self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Table) -> NDArray[Any]:
        """Return the labels or numbers."""
        return np.asarray(self.model_.predict(coded(X)))


class Surrogates(ClassifierMixin, BaseEstimator):
    """Trees that imitate one ensemble, made size by size.

    Parameters
    ----------
    ensemble : fitted model
        The ensemble, ours or :class:`OnCodes`.
    distiller : DistilledTreeClassifier or DistilledTreeRegressor, optional
        What makes our trees; by default the classifier.
    random_state : int, optional
        Seed for all random choices.
    """

    def __init__(self, ensemble: Any = None, distiller: Any = None, random_state: int | None = None) -> None:
        self.ensemble = ensemble
        self.distiller = distiller
        self.random_state = random_state

    def fit(self, X: Table, y: ArrayLike) -> Self:
        """Draw the rows on which trees imitate the ensemble; only its answers are used."""
        options = {"max_leaves": 2, "random_state": self.random_state, "n_jobs": 1}
        distiller = DistilledTreeClassifier() if self.distiller is None else clone(self.distiller)
        distiller.set_params(ensemble=getattr(self.ensemble, "model_", self.ensemble), **options)
        self.n_features_in_ = len(X.columns)
        self.distiller_ = distiller.fit(self._rows(X))
        if is_classifier(distiller):
            self.classes_ = np.unique(np.asarray(y))
        return self

    def predict(self, X: Table) -> NDArray[Any]:
        """Return the labels or numbers of the smallest distilled tree."""
        return np.asarray(self.distiller_.predict(self._rows(X)))

    def distilled(self, n_leaves: int) -> _Sized:
        """Return our tree of at most ``n_leaves`` leaves."""
        return _Sized(self, self.distiller_.resized(n_leaves), is_one_hot=False)

    def labels(self, n_leaves: int) -> _Sized:
        """Return the same for ``objective="labels"``."""
        return _Sized(self, self._with_objective("labels").resized(n_leaves), is_one_hot=False)

    def former(self, n_leaves: int) -> _Sized:
        """Return the same for ``objective="labels"`` and leaves of any size: the former default."""
        free = copy(self._with_objective("labels")).set_params(min_leaf=0)
        rows = free.distillation_set_
        free.distillation_set_ = replace(rows, limits=replace(rows.limits, min_leaf=0.0))
        # The binned rows do not depend on how large leaves must be.
        free.distillation_set_.__dict__["native"] = rows.native
        return _Sized(self, free.resized(n_leaves), is_one_hot=False)

    def probabilities(self, n_leaves: int) -> _Sized:
        """Return the same for ``objective="probabilities"``."""
        return _Sized(self, self._with_objective("probabilities").resized(n_leaves), is_one_hot=False)

    def lines(self, n_leaves: int) -> _Sized:
        """Return the same with lines of two columns in its leaves."""
        lined = copy(self.distiller_).set_params(leaf="linear")
        return _Sized(self, lined.resized(n_leaves), is_one_hot=False)

    def cart(self, n_leaves: int) -> _Sized:
        """Return scikit-learn's best-first tree on the same rows and weights."""
        X, y, weights = self._training_rows
        return _Sized(self, self._best_first(n_leaves).fit(X, y, weights), is_one_hot=True)

    def usual(self, n_leaves: int) -> _Sized:
        """Return the usual surrogate: scikit-learn's tree on the ensemble's training rows alone."""
        teacher = self.distiller_.distillation_set_.teacher
        X, y = self._encoder.transform(teacher.table), self._answers(teacher.predict(teacher.table))
        return _Sized(self, self._best_first(n_leaves).fit(X, y), is_one_hot=True)

    def cart_on_probabilities(self, n_leaves: int) -> _Sized:
        """Return scikit-learn's tree of the ensemble's probabilities on the same rows and weights."""
        rows = self.distiller_.distillation_set_
        answers = np.concatenate([rows.teacher.ensemble_probabilities, rows.artificial_answers[1]])
        X, _, weights = self._training_rows
        return self._of_probabilities(n_leaves, X, answers, weights)

    def usual_on_probabilities(self, n_leaves: int) -> _Sized:
        """Return scikit-learn's tree of the ensemble's probabilities on its training rows alone."""
        teacher = self.distiller_.distillation_set_.teacher
        X = self._encoder.transform(teacher.table)
        return self._of_probabilities(n_leaves, X, teacher.ensemble_probabilities)

    def _of_probabilities(self, n_leaves: int, X: Any, answers: Any, weights: Any = None) -> _Sized:
        tree = DecisionTreeRegressor(max_leaf_nodes=n_leaves, random_state=0).fit(X, answers, weights)
        return _Sized(self, _OfProbabilities(tree, self.distiller_.classes_), is_one_hot=True)

    def _with_objective(self, objective: str) -> Any:
        """Return the distiller with the same rows and another objective."""
        if objective not in self._by_objective:
            other = copy(self.distiller_).set_params(objective=objective)
            # The rows are the same, what they are charged for is not.
            other.distillation_set_ = replace(self.distiller_.distillation_set_, charges=other._charges())
            self._by_objective[objective] = other
        return self._by_objective[objective]

    @cached_property
    def _by_objective(self) -> dict[str, Any]:
        return {}

    def _best_first(self, n_leaves: int) -> Any:
        kind = DecisionTreeClassifier if is_classifier(self.distiller_) else DecisionTreeRegressor
        return kind(max_leaf_nodes=n_leaves, random_state=0)

    def _answers(self, answers: tuple[NDArray[Any], NDArray[Any]]) -> NDArray[Any]:
        """Return labels, or numbers, from the answers of the ensemble."""
        codes, numbers = answers
        return self.distiller_.classes_[codes] if is_classifier(self.distiller_) else numbers[:, 0]

    def _rows(self, X: Table) -> Table:
        return Table.from_any(coded(X)) if isinstance(self.ensemble, OnCodes) else X

    @cached_property
    def _encoder(self) -> OneHotColumns:
        return OneHotColumns().fit(self.distiller_.distillation_set_.teacher.table)

    @cached_property
    def _training_rows(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        rows = self.distiller_.distillation_set_
        answers = [
            self._answers(some)
            for some in (rows.teacher.predict(rows.teacher.table), rows.artificial_answers)
        ]
        return self._encoder.transform(rows.table), np.concatenate(answers), rows.weights


class _OfProbabilities:
    """scikit-learn's regression tree of class probabilities, as a classifier."""

    def __init__(self, tree: Any, classes: NDArray[Any]) -> None:
        self._tree = tree
        self.classes_ = classes
        self.get_n_leaves = tree.get_n_leaves

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the means of the leaves."""
        return np.asarray(self._tree.predict(X)).reshape(len(X), len(self.classes_))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable classes."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


class _Sized:
    """A tree of one size that encodes rows as in training."""

    def __init__(self, surrogates: Surrogates, tree: Any, is_one_hot: bool) -> None:
        self._surrogates = surrogates
        self._tree = tree
        self._is_one_hot = is_one_hot
        leaves = tree.get_n_leaves()
        self.size_ = {"leaves": int(leaves)}

    def predict(self, X: Table) -> NDArray[Any]:
        """Return the labels or numbers."""
        return np.asarray(self._tree.predict(self._encoded(X)))

    def probabilities(self, X: Table, classes: NDArray[Any]) -> NDArray[np.float64]:
        """Return the probabilities of some classes, 0 for those that the tree does not know."""
        known = np.asarray(self._tree.classes_).tolist()
        own = np.asarray(self._tree.predict_proba(self._encoded(X)))
        columns = [own[:, known.index(label)] if label in known else np.zeros(len(own)) for label in classes]
        return np.column_stack(columns)

    def _encoded(self, X: Table) -> Any:
        rows = self._surrogates._rows(X)
        return self._surrogates._encoder.transform(rows) if self._is_one_hot else rows


def probability_measures(model: _Sized, trial: Trial) -> dict[str, float]:
    """Return the AUC, the mean over the classes against the rest, and the Brier score on test rows."""
    assert isinstance(trial.y_test, Labels)
    classes, codes = trial.y_test.classes_, trial.y_test.codes
    probabilities = model.probabilities(trial.X_test, classes)
    truth = np.eye(len(classes))[codes]
    present = np.flatnonzero(truth.any(axis=0) & ~truth.all(axis=0))
    auc = np.mean([roc_auc_score(truth[:, code], probabilities[:, code]) for code in present])
    return {"auc": float(auc), "brier": float(((probabilities - truth) ** 2).sum(axis=1).mean())}


def learner_name(ensemble: str, kind: str, n_leaves: int) -> str:
    """Return the name of the learner of one tree."""
    return f"{KINDS[kind]}, {n_leaves} leaves, for {ensemble}"


def surrogate_learners(
    ensemble: str,
    estimator: Any,
    distiller: Any = None,
    kinds: Sequence[str] = OF_CLASSES,
    notes: Callable[[Any, Trial], Mapping[str, Any]] | None = None,
) -> list[Learner]:
    """Return an ensemble and the trees that imitate it; ``notes`` measures each of these further."""
    source = f"surrogates of {ensemble}"
    return [
        Learner(ensemble, estimator),
        Learner(source, Surrogates(distiller=distiller), teacher=ensemble),
        *(
            Learner(
                learner_name(ensemble, kind, size),
                source=source,
                derive=methodcaller(kind, size),
                notes=notes,
            )
            for size in SIZES
            for kind in kinds
        ),
    ]
