"""Boosting: C4.5 trees on reweighted rows, weighted votes."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.estimator import SightlineClassifier, checked_weights
from sightline.learn._bagged_trees import base_tree
from sightline.learn._c45 import TIE_TOLERANCE, C45Classifier, Growth
from sightline.learn._small_units import SmallUnits
from sightline.model import Ensemble, Link, Tree, combined
from sightline.sklearn_internals import Interval, StrOptions
from sightline.table import Labels, Table


class BoostedTreesClassifier(SightlineClassifier):
    """AdaBoost over C4.5 trees that learn from weighted rows.

    Parameters
    ----------
    base : C45Classifier, optional
        Parameters of the trees. Default: ``C45Classifier(binary_splits=True)``, for which columns in
        very small units are learned in larger ones.
    n_trees : int, default=50
        Maximum number of trees. Boosting stops early when a tree is no better than chance, or perfect.
    algorithm : {"auto", "m1", "samme"}, default="auto"
        *m1* is AdaBoost.M1: each tree must have an error below one half. *samme* only requires
        better than random guessing among all classes. They agree for two classes. *auto* is
        *samme*.
    n_jobs : int, optional
        Number of threads for predicting, as in joblib.
    random_state : int, RandomState or None, default=None
        Not used: boosting makes no random choices. It exists for consistency with other ensembles.

    Attributes
    ----------
    ensemble_ : Ensemble
        The trees and their votes.
    tree_errors_ : ndarray of shape (n_trees,)
        Weighted training error of each tree.
    %(fitted_columns)s

    Notes
    -----
    A perfect tree would get an infinite vote. As in Weka, it ends the boosting and is used only if it
    is the first tree.

    References
    ----------
    .. [1] Y. Freund and R. E. Schapire, "Experiments with a New Boosting Algorithm", ICML 1996.
    .. [2] J. Zhu et al., "Multi-class AdaBoost", Statistics and Its Interface 2, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sightline import BoostedTreesClassifier, C45Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> boosted = BoostedTreesClassifier(C45Classifier(max_depth=1), n_trees=10).fit(X, y)
    >>> round(boosted.score(X, y), 2) > 0.9
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "base": [C45Classifier, None],
        "n_trees": [Interval(Integral, 1, None, closed="left")],
        "algorithm": [StrOptions({"auto", "m1", "samme"})],
    }

    def __init__(
        self,
        base: C45Classifier | None = None,
        n_trees: int = 50,
        algorithm: str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.base = base
        self.n_trees = n_trees
        self.algorithm = algorithm
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the trees one after another.

        Parameters
        ----------
        %(X)s
        %(y)s
        sample_weight : array-like of shape (n_rows,), optional
            Row weights in the first round.

        Returns
        -------
        %(fitted_self)s
        """
        self._check_parameters()
        base = base_tree(self.base)
        table, labels = self._checked_training(X, y, base.categorical_features, sample_weight)
        weights = checked_weights(sample_weight, table.n_rows)
        weights = np.ones(table.n_rows) if weights is None else weights
        units = SmallUnits.for_trees(table, self.base)
        trees, votes, errors = self._boost(units.scaled(table), labels, base, weights)
        core = combined(
            [units.restored(tree).core for tree in trees],
            votes=True,
            tree_weight=votes,
            tie_tolerance=TIE_TOLERANCE,
        )
        self.ensemble_ = Ensemble(core, table.schema, labels.classes_, Link("mean", (float(np.sum(votes)),)))
        self.tree_errors_ = np.array(errors)
        return self

    def _boost(
        self, table: Table, labels: Labels, base: C45Classifier, weights: NDArray[np.float64]
    ) -> tuple[list[Tree], list[float], list[float]]:
        # The weights keep their sum, because min_leaf and pruning count rows.
        total, orders = weights.sum(), _core.Orders(table.native())
        n_classes = max(len(labels.classes_), 2)
        chance, handicap = 0.5, 0.0
        if self.algorithm != "m1":
            chance, handicap = 1 - 1 / n_classes, float(np.log(n_classes - 1))
        trees: list[Tree] = []
        votes: list[float] = []
        errors: list[float] = []
        while len(trees) < self.n_trees:
            tree = Growth(table, labels, base, weights=weights, orders=orders).tree()
            wrong = tree.vote(tree.predict_proba(table)) != labels.codes
            error = float(weights[wrong].sum() / total)
            if error >= chance or error < np.finfo(float).tiny:
                if not trees:
                    return [tree], [1.0], [error]
                break
            vote = float(np.log((1 - error) / error)) + handicap
            trees.append(tree)
            votes.append(vote)
            errors.append(error)
            weights = weights.copy()
            weights[wrong] *= np.exp(vote)
            weights *= total / weights.sum()
        return trees, votes, errors

    @property
    def _model(self) -> Ensemble:
        return self.ensemble_
