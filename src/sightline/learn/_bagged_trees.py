"""Bagging: C4.5 trees on bootstrap samples, probabilities averaged."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack
from sklearn.utils import check_random_state

from sightline import _core
from sightline.estimator import SightlineClassifier, checked_weights
from sightline.exceptions import DataError
from sightline.learn._c45 import C45Classifier, Growth
from sightline.learn._small_units import SmallUnits
from sightline.model import Ensemble, Tree, row_blocks
from sightline.sklearn_internals import Interval, StrOptions
from sightline.table import Labels, Table, content_order

_MAX_DRAWS = 2**27


class BaggedTreesClassifier(SightlineClassifier):
    """Bagged C4.5 trees, their class probabilities averaged.

    Parameters
    ----------
    base : C45Classifier, optional
        Parameters of the trees. Default: ``C45Classifier(binary_splits=True)``, for which columns in
        very small units are learned in larger ones.
    n_trees : int, default=25
        Number of trees.
    bags : {"bootstrap", "even"}, default="bootstrap"
        How rows are drawn with replacement: independently, so that a bag has about 63% of them, or at
        uniform distances in random order, so that it has about 75%. The latter is how Weka drew bags
        until version 3.4.
    %(n_jobs)s
    %(seed)s

    Attributes
    ----------
    ensemble_ : Ensemble
        The trees.
    bag_counts_ : ndarray of shape (n_trees, n_rows)
        How often each tree drew each row.
    oob_sums_ : csr_array of shape (n_rows, n_classes)
        Sums of the probabilities over the trees that did not draw the row.
    oob_counts_ : csr_array of shape (n_rows, n_classes)
        Number of those trees that vote for each class.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        Mean probabilities over the trees that did not draw the row; NaN if all did.
    oob_votes_ : ndarray of shape (n_rows, n_classes)
        Number of those trees that vote for each class.
    oob_score_ : float
        Accuracy of the out-of-bag probabilities, over the rows that have some.
    %(fitted_columns)s

    Notes
    -----
    A bag has as many rows as the table, drawn with replacement. With weights, rows are drawn in
    proportion to them, and a row of weight 2 counts as two rows. Draws depend only on the content
    of the rows: the same rows in another order, or repeated instead of weighted, give the same
    ensemble. Numeric columns are sorted once for all trees.

    References
    ----------
    .. [1] L. Breiman, "Bagging Predictors", Machine Learning 24, 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sightline import BaggedTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> bagged = BaggedTreesClassifier(n_trees=10, random_state=0).fit(X, y)
    >>> bagged.ensemble_.n_trees
    10
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "base": [C45Classifier, None],
        "n_trees": [Interval(Integral, 1, None, closed="left")],
        "bags": [StrOptions({"bootstrap", "even"})],
    }

    def __init__(
        self,
        base: C45Classifier | None = None,
        n_trees: int = 25,
        n_jobs: int | None = None,
        random_state: Any = None,
        *,
        bags: str = "bootstrap",
    ) -> None:
        self.base = base
        self.n_trees = n_trees
        self.bags = bags
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the trees.

        %(weighted_fit_sections)s
        """
        self._check_parameters()
        base = base_tree(self.base)
        table, labels = self._checked_training(X, y, base.categorical_features, sample_weight)
        bags = self._draw_bags(table, labels, checked_weights(sample_weight, table.n_rows))
        units = SmallUnits.for_trees(table, self.base)
        trees = self._grow(units.scaled(table), labels, base, bags)
        self.ensemble_ = Ensemble.average([units.restored(tree) for tree in trees])
        self.bag_counts_ = np.array(
            [np.bincount(bag, minlength=table.n_rows) for bag in bags], dtype=np.uint32
        )
        self._measure_out_of_bag(table, labels)
        return self

    def _draw_bags(
        self, table: Table, labels: Labels, weights: NDArray[np.float64] | None
    ) -> list[NDArray[np.uint32]]:
        random = check_random_state(self.random_state)
        order = content_order(table, labels)
        if self.bags == "even":
            # In the order of content, even distances would make every bag a stratified sample.
            order = random.permutation(order)
        weight_up_to = np.cumsum(np.ones(table.n_rows) if weights is None else weights[order])
        n_draws = table.n_rows if weights is None else max(round(weight_up_to[-1]), np.count_nonzero(weights))
        if n_draws > _MAX_DRAWS:
            raise DataError(
                f"The sample weights sum to {weight_up_to[-1]:.3g}. Bags of that many rows are too large. "
                "Scale the weights down."
            )
        draws = (self._draw(random, n_draws) * weight_up_to[-1] for _ in range(self.n_trees))
        indices = (np.searchsorted(weight_up_to, draw, side="right") for draw in draws)
        return [np.sort(order[index]).astype(np.uint32) for index in indices]

    def _draw(self, random: np.random.RandomState, n_draws: int) -> NDArray[np.float64]:
        """Return where in [0, 1) rows are drawn."""
        draws: NDArray[np.float64] = random.random_sample(n_draws)
        if self.bags == "even":
            draws = np.cumsum(draws)
            # The last one would be 1: the half-open range leaves it to the last row.
            draws = np.minimum(draws / draws[-1], np.nextafter(1.0, 0.0))
        return draws

    def _grow(
        self, table: Table, labels: Labels, base: C45Classifier, bags: list[NDArray[np.uint32]]
    ) -> list[Tree]:
        orders, stop = _core.Orders(table.native()), _core.StopFlag()

        def grow(bag: NDArray[np.uint32]) -> Tree:
            return Growth(table, labels, base, bag=bag, orders=orders, stop=stop).tree()

        try:
            return list(Parallel(n_jobs=self.n_jobs, require="sharedmem")(delayed(grow)(bag) for bag in bags))
        except BaseException:
            # Otherwise the other threads would run to their end.
            stop.request()
            raise

    def _measure_out_of_bag(self, table: Table, labels: Labels) -> None:
        n_classes = len(labels.classes_)
        sums, votes, is_right = [], [], []
        for begin, end in row_blocks(table.n_rows, n_classes):
            # A copy of thousands of columns is expensive.
            block = table if end - begin == table.n_rows else table[begin:end]
            of_block = self._out_of_bag_sums(block, self.bag_counts_[:, begin:end])
            is_right.append(of_block[0].argmax(axis=1) == labels.codes[begin:end])
            # Of a thousand classes, a few trees name a few.
            sums.append(csr_array(of_block[0]))
            votes.append(csr_array(of_block[1]))
        self.oob_sums_, self.oob_counts_ = vstack(sums), vstack(votes)
        has_voters = (self.bag_counts_ == 0).any(axis=0)
        right = np.concatenate(is_right)[has_voters]
        self.oob_score_ = float(right.mean()) if has_voters.any() else float("nan")

    def _out_of_bag_sums(
        self, table: Table, bag_counts: NDArray[np.uint32]
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return the sums of the probabilities of the trees that did not draw a row, and their votes."""
        shape = (table.n_rows, self.ensemble_.n_classes)
        sums, votes = np.zeros(shape), np.zeros(shape, dtype=np.int32)
        for tree, counts in zip(self.ensemble_.trees, bag_counts, strict=True):
            rows = np.flatnonzero(counts == 0)
            if len(rows) == 0:
                continue
            # All rows, because taking some of them copies every column.
            probabilities = tree.predict_proba(table)[rows]
            sums[rows] += probabilities
            votes[rows, tree.vote(probabilities)] += 1
        return sums, votes

    @property
    def oob_votes_(self) -> NDArray[np.int32]:
        """Number of the trees that did not draw a row and vote for each class."""
        votes: NDArray[np.int32] = self.oob_counts_.toarray()
        return votes

    @property
    def oob_decision_function_(self) -> NDArray[np.float64]:
        """Mean probabilities over the trees that did not draw a row; NaN if all did."""
        mean: NDArray[np.float64] = self.oob_sums_.toarray()
        n_voters = (self.bag_counts_ == 0).sum(axis=0)
        mean[n_voters == 0] = np.nan
        np.divide(mean, n_voters[:, np.newaxis], out=mean, where=n_voters[:, np.newaxis] > 0)
        return mean

    @property
    def _model(self) -> Ensemble:
        return self.ensemble_


def base_tree(base: C45Classifier | None) -> C45Classifier:
    """Return the tree learner of an ensemble after checking its parameters."""
    base = C45Classifier(binary_splits=True) if base is None else base
    base._check_parameters()
    return base
