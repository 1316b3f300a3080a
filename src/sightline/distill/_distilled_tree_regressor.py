"""The small tree that imitates a regressor best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from sightline import _core
from sightline.distill._charges import Charges
from sightline.distill._distillation_set import DistillationSet
from sightline.distill._distilled import ARTIFICIAL_WEIGHT
from sightline.distill._distilled_tree import DistilledTree
from sightline.distill._held_back import HeldBack
from sightline.distill._monotone import monotone_values
from sightline.distill._teacher import Teacher
from sightline.estimator import SightlineRegressor
from sightline.exceptions import ParameterError
from sightline.model import LeafLines, Tree
from sightline.sklearn_internals import StrOptions

MAX_ARTIFICIAL_SHARE = 8.0
"""For numbers, artificial rows together weigh no more than about so many times the training rows."""

SIZES = (4, 8, 16, 32, 64)
"""Default sizes of a tree."""

NEARLY = 0.02
"""Loss of R² to accept for a smaller tree."""

MAX_LINE_COLUMNS = 2
"""Most columns in the line of a leaf."""


class DistilledTreeRegressor(DistilledTree, SightlineRegressor):
    """Learn the small tree that imitates an ensemble of numbers as well as a tree of its size can.

    The recipe is that of :class:`DistilledTreeClassifier`, with the squared distance from the
    ensemble's number instead of wrong labels.

    Parameters
    ----------
    %(ensemble)s
    max_leaves : int, optional
        Maximum number of leaves. By default the smallest of 4, 8, 16, 32 and 64 whose R² to the
        ensemble is within 0.02 of the best of them, on a quarter of the training rows, held back for
        that.
    error : {"squared", "absolute"}, default="squared"
        The loss. With "absolute" a leaf predicts the median.
    leaf : {"mean", "linear"}, default="mean"
        What a leaf predicts: the mean of the ensemble's numbers or, if it is better, a line of
        at most two numeric columns, clipped to the range of the numbers in the leaf. With few rows
        and hundreds of columns, lines can be less faithful than means.
    augment : "auto" or int, default="auto"
        Number of artificial rows. "auto": 16,384, but none for more than 30,000 training rows, and none if
        trees without them are closer to the ensemble on training rows held back.
        An artificial row weighs at most a quarter of a training row, and all together weigh at most
        about eight times the training rows.
    refine : bool, default=True
        Whether to refine the tree after growing it.
    min_leaf : int or float, default=1
        Minimum number of training rows in a leaf; a float is a share of them. With 0 a leaf may
        hold artificial rows only.
    %(tree_limits)s
    monotone : dict of column to int, optional
        Columns with which the prediction may only rise (1) or fall (-1). Leaves in the wrong
        order are pooled. Not for lines.
    %(categorical_features)s
    %(n_jobs)s
    %(random_state)s

    Attributes
    ----------
    tree_ : Tree
        The tree. Its leaves predict the mean of the ensemble's numbers over all rows;
        ``tree_.numbers`` has the mean and deviation of y in the training rows of each node, or of
        the ensemble's numbers if y was not passed.
    %(ensemble_)s
    distillation_set_ : DistillationSet
        All rows that the tree was learned from, kept for :meth:`resized`.
    %(fitted_regression)s

    See Also
    --------
    DistilledTreeClassifier : The same for classes.

    Examples
    --------
    >>> import sightline as sl
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> forest = RandomForestRegressor(random_state=0).fit(X[::2], y[::2])
    >>> tree = sl.DistilledTreeRegressor(forest, max_leaves=8, random_state=0).fit(X[::2], y[::2])
    >>> tree.size_["leaves"]
    8
    >>> bool(tree.score(X[1::2], forest.predict(X[1::2])) > 0.8)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "error": [StrOptions({"squared", "absolute"})],
        "leaf": [StrOptions({"mean", "linear"})],
    }

    def __init__(
        self,
        ensemble: Any = None,
        max_leaves: int | None = None,
        *,
        error: str = "squared",
        leaf: str = "mean",
        augment: str | int = "auto",
        refine: bool = True,
        min_leaf: float = 1,
        max_depth: int | None = None,
        max_features: int | None = None,
        exclude: Sequence[Any] | None = None,
        only: Sequence[Any] | None = None,
        prefer: Sequence[Any] | None = None,
        group: Any = None,
        monotone: Mapping[Any, int] | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.ensemble = ensemble
        self.max_leaves = max_leaves
        self.error = error
        self.leaf = leaf
        self.augment = augment
        self.refine = refine
        self.min_leaf = min_leaf
        self.max_depth = max_depth
        self.max_features = max_features
        self.exclude = exclude
        self.only = only
        self.prefer = prefer
        self.group = group
        self.monotone = monotone
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _artificial_weight(self, teacher: Teacher) -> float:
        n_artificial = max(1, self._n_artificial(teacher))
        share = MAX_ARTIFICIAL_SHARE * float(teacher.row_weights.sum()) / n_artificial
        return min(ARTIFICIAL_WEIGHT, 2.0 ** round(math.log2(share)))

    def _monotone_answer(self) -> str:
        return "the prediction"

    def _charges(self) -> Charges:
        return Charges(absolute=self.error == "absolute")

    def _tree_of(self, small: _core.SmallTree) -> Tree:
        tree = super()._tree_of(small)
        directions = self._directions()
        if directions and self.leaf == "linear":
            raise ParameterError("monotone needs leaf='mean': lines rise and fall within a leaf.")
        if directions:
            answers = np.asarray(tree.core.output)
            tree = tree.with_answers(monotone_values(tree, answers[:, 0], directions)[:, None])
        counted = self._with_target_counts(tree, self.distillation_set_.teacher)
        return counted if self.leaf == "mean" else _with_lines(counted, self.distillation_set_)

    def _chosen_size(self) -> int:
        """Return the smallest size that is nearly as faithful as the largest on rows held back."""
        parts = HeldBack.of(self.distillation_set_)
        if parts is None:
            return SIZES[0]
        faithful = []
        for size in SIZES:
            tree = parts.grown(size)
            tree = tree if self.leaf == "mean" else _with_lines(tree, parts.kept)
            faithful.append(parts.faithfulness(tree))
        return next(size for size, r2 in zip(SIZES, faithful, strict=True) if r2 >= max(faithful) - NEARLY)


def _with_lines(tree: Tree, rows: DistillationSet) -> Tree:
    numbers = np.concatenate([rows.teacher.ensemble_numbers, rows.artificial_answers[1][:, 0]])
    lines = LeafLines.fitted(tree.core, rows.table.native(), numbers, rows.weights, MAX_LINE_COLUMNS)
    return tree.with_lines(lines)
