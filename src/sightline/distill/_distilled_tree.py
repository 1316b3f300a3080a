"""The small tree that imitates an ensemble best."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from sightline import _core
from sightline.distill._charges import OBJECTIVES, Charges
from sightline.distill._decision import decided, decision_of, positive_index
from sightline.distill._distillation_set import DistillationSet
from sightline.distill._monotone import checked_directions, monotone_values
from sightline.distill._teacher import Teacher
from sightline.distill._tree_distiller import TreeDistiller
from sightline.distill._tree_limits import TreeLimits
from sightline.estimator import SightlineClassifier, SightlineRegressor
from sightline.exceptions import ParameterError
from sightline.learn import C45Classifier, Growth
from sightline.model import Decision, LeafLines, Tree, n_threads
from sightline.table import Labels

N_ARTIFICIAL = 16_384
"""Default number of artificial rows."""

ARTIFICIAL_WEIGHT = 0.25
"""Weight of an artificial row; a training row has 1."""

MAX_ARTIFICIAL_SHARE = 8.0
"""For numbers, artificial rows together weigh no more than about so many times the training rows."""

MAX_ROWS_TO_AUGMENT = 30_000
"""With more training rows than this, artificial rows do harm."""

OVER_GROWTH = 3.0
"""The tree is grown to this multiple of its final size before it is pruned."""

SEARCH_ROUNDS = {False: 0, True: 4, "search": 16}
"""Rounds of refinement. Each starts from the best tree so far, overgrown by another measure."""

SIZE_FACTOR = 3
"""The default size of the tree, as a multiple of the number of leaves of C4.5's tree."""

SIZES = (4, 8, 16, 32, 64)
HELD_BACK = 0.25
NEARLY = 0.02
"""Default sizes of a tree of numbers; the share of rows held back to choose; and how much of R² to give up
for a smaller tree."""

MAX_LINE_COLUMNS = 2
"""Most columns in the line of a leaf."""


class DistilledTree(TreeDistiller):
    """What distilled trees of classes and of numbers share."""

    ensemble: Any
    max_leaves: int | None
    augment: str | int
    refine: bool | str
    min_leaf: float
    max_depth: int | None
    max_features: int | None
    exclude: Sequence[Any] | None
    only: Sequence[Any] | None
    prefer: Sequence[Any] | None
    group: Any
    monotone: Mapping[Any, int] | None
    n_jobs: int | None
    distillation_set_: DistillationSet

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "augment": [StrOptions({"auto"}), Interval(Integral, 0, None, closed="left")],
        "refine": ["boolean", StrOptions({"search"})],
        "min_leaf": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="neither"),
        ],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
        "exclude": ["array-like", None],
        "only": ["array-like", None],
        "prefer": ["array-like", None],
        "group": [Mapping, "array-like", None],
        "monotone": [Mapping, None],
    }

    @abstractmethod
    def _chosen_size(self) -> int:
        """Return the number of leaves of a tree of which none is given."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the tree.

        The target y is counted in the nodes of the tree but does not change its tests.

        %(distill_sections)s
        """
        teacher = self._resolve_teacher(X, y, sample_weight)
        self.distillation_set_ = DistillationSet(
            teacher,
            self._artificial_seed(),
            n_near=self._n_artificial(teacher),
            artificial_weight=self._artificial_weight(teacher),
            charges=self._charges(),
            limits=self._limits(teacher),
        )
        self.tree_ = self._refined(self._chosen_size() if self.max_leaves is None else self.max_leaves)
        return self

    def _artificial_weight(self, teacher: Teacher) -> float:  # noqa: ARG002 - the regressor needs it
        """Return the weight of an artificial row, a power of two."""
        return ARTIFICIAL_WEIGHT

    @abstractmethod
    def _charges(self) -> Charges:
        """Return what the tree is charged for."""

    def _limits(self, teacher: Teacher) -> TreeLimits:
        is_count = isinstance(self.min_leaf, Integral)
        return TreeLimits(
            float(self.min_leaf if is_count else self.min_leaf * teacher.row_weights.sum()),
            self.max_depth,
            self.max_features,
            self.exclude,
            self.only,
            self.prefer,
            self.group,
        )

    def _resize(self, n_leaves: int) -> None:
        self.max_leaves = n_leaves
        self.tree_ = self._refined(n_leaves)

    def _refined(self, n_leaves: int) -> Tree:
        rows = self.distillation_set_.native
        small = _core.distill_tree(
            rows,
            n_leaves,
            refine=bool(self.refine),
            over_growth=OVER_GROWTH,
            search_rounds=SEARCH_ROUNDS["search" if self.refine == "search" else bool(self.refine)],
            n_threads=n_threads(self.n_jobs),
        )
        return self._tree_of(small)

    def _tree_of(self, small: _core.SmallTree) -> Tree:
        rows = self.distillation_set_
        classes, source = getattr(self, "classes_", None), rows.teacher.label_source
        return Tree(small.tree(rows.native), rows.teacher.table.schema, classes, label_source=source)

    def _directions(self) -> dict[int, int]:
        return checked_directions(self.distillation_set_.teacher.table.schema, self.monotone or {})

    def _n_artificial(self, teacher: Teacher) -> int:
        if not isinstance(self.augment, str):
            return self.augment
        n_training = teacher.table.n_rows if teacher.weights is None else teacher.weights.sum()
        return N_ARTIFICIAL if n_training <= MAX_ROWS_TO_AUGMENT else 0


class DistilledTreeClassifier(DistilledTree, SightlineClassifier):
    """Learn the small tree that imitates an ensemble as well as a tree of its size can.

    The tree learns from the training rows and from artificial rows near them, all labeled by
    the ensemble. It is grown best-first to three times its final size. Then each test is
    optimized while the rest of the tree stays fixed, until no change helps. Nodes are collapsed
    or replaced by a child, at the smallest loss, until the size is right. Growing and
    optimizing are repeated while they help.

    Parameters
    ----------
    %(ensemble)s
    max_leaves : int, optional
        Maximum number of leaves. By default the size is chosen automatically.
    augment : "auto" or int, default="auto"
        Number of artificial rows. "auto": 16,384, but none for more than 30,000 training rows.
    refine : bool or "search", default=True
        False: grow only. True: four more rounds of refinement, each from the best tree so far,
        overgrown by another measure. "search": sixteen rounds; slower and a little more
        faithful.
    objective : {"labels", "both", "probabilities"}, default="labels"
        What the tree imitates: the ensemble's labels, its probabilities, or both.
    class_weight : "balanced" or dict of label to float, optional
        What a row counts, by the ensemble's label. "balanced": all classes count the same.
    threshold : float, optional
        Of two classes: the ensemble's label is the positive class if its probability is at least this. That
        is the class that :func:`sightline.load` was told, or the second one. By default the ensemble
        decides itself.
    cost_matrix : array-like of shape (n_classes, n_classes), optional
        What each label (column) costs if a class (row) is the true one, in the order of
        ``classes_``. The ensemble's label is then the one with the least expected cost, and the
        tree is charged for what its labels cost beyond that.
    %(tree_limits)s
    monotone : dict of column to int, optional
        Of two classes: columns with which the probability of the positive class may only rise (1) or only
        fall (-1). Leaves in the wrong order are pooled.
    %(categorical_features)s
    %(n_jobs)s
    %(random_state)s

    Attributes
    ----------
    tree_ : Tree
        The tree. Its class counts are those of the training rows: by y, or by the ensemble's
        labels if y was not passed. Its probabilities are the means of the ensemble's over all
        rows. With ``class_weight``, ``threshold`` or ``cost_matrix`` the label of a leaf need not
        be its most probable class.
    %(ensemble_)s
    distillation_set_ : DistillationSet
        All rows that the tree was learned from, kept for :meth:`resized`.
    %(fitted_columns)s

    See Also
    --------
    CMMClassifier : C4.5 on artificial rows, by the paper of Domingos.

    Notes
    -----
    The refinement is tree alternating optimization [1]_ of the 0/1 loss against the
    ensemble's labels. A test lies between values that some test of the ensemble separates, with
    at most 254 tests per column. If a column has missing values, each of its tests sends them
    to one side.

    References
    ----------
    .. [1] M. Carreira-Perpiñán and P. Tavallali, "Alternating optimization of decision trees,
       with application to learning sparse oblique trees", NeurIPS 2018.

    Examples
    --------
    >>> import sightline as sl
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X[::2], y[::2])
    >>> tree = sl.DistilledTreeClassifier(forest, max_leaves=6, random_state=0).fit(X[::2])
    >>> tree.size_["leaves"]
    6
    >>> smaller = tree.resized(3)
    >>> smaller.size_["leaves"]
    3
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "objective": [StrOptions(set(OBJECTIVES))],
        "class_weight": [StrOptions({"balanced"}), Mapping, None],
        "threshold": [Interval(Real, 0, 1, closed="neither"), None],
        "cost_matrix": ["array-like", None],
    }

    def __init__(
        self,
        ensemble: Any = None,
        max_leaves: int | None = None,
        *,
        augment: str | int = "auto",
        refine: bool | str = True,
        objective: str = "labels",
        class_weight: Mapping[Any, float] | str | None = None,
        threshold: float | None = None,
        cost_matrix: Any = None,
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
        self.augment = augment
        self.refine = refine
        self.objective = objective
        self.class_weight = class_weight
        self.threshold = threshold
        self.cost_matrix = cost_matrix
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

    def _resolve_teacher(self, X: Any, y: Any, sample_weight: Any) -> Teacher:
        teacher = super()._resolve_teacher(X, y, sample_weight)
        decision = self._decision()
        if decision is not None:
            teacher = replace(teacher, ensemble=decided(teacher.ensemble, decision))
            self.ensemble_ = teacher.ensemble
        return teacher

    def _decision(self) -> Decision | None:
        return decision_of(self.threshold, self.cost_matrix, self.ensemble_)

    def _charges(self) -> Charges:
        label, target = OBJECTIVES[self.objective]
        return Charges(
            label,
            target,
            class_weight=self.class_weight,
            decision=self._decision(),
            by_cost=self.cost_matrix is not None,
        )

    def _tree_of(self, small: _core.SmallTree) -> Tree:
        tree = super()._tree_of(small)
        rows, directions = self.distillation_set_, self._directions()
        if not directions and not rows.charges.separates_labels:
            return tree
        probabilities = np.reshape(small.probabilities(rows.native), (tree.n_nodes, -1))
        if not directions:
            return tree.with_probabilities(probabilities)
        positive = self._positive_index()
        probabilities[:, positive] = monotone_values(tree, probabilities[:, positive], directions)
        probabilities[:, 1 - positive] = 1 - probabilities[:, positive]
        decision = rows.charges.decision
        worth = np.eye(2) if decision is None else decision.worth()
        return tree.with_answers(probabilities @ worth).with_probabilities(probabilities)

    def _positive_index(self) -> int:
        if len(self.classes_) != 2:
            raise ParameterError(
                f"monotone is about the probability of one of two classes, but there are "
                f"{len(self.classes_)} classes."
            )
        return positive_index(self.ensemble_)

    def _chosen_size(self) -> int:
        """Return a multiple of the number of leaves that C4.5 needs for the ensemble's labels."""
        teacher = self.distillation_set_.teacher
        labels = Labels(teacher.ensemble_labels, teacher.classes_)
        pruned = Growth(
            teacher.table, labels, C45Classifier(binary_splits=True), weights=teacher.weights
        ).tree()
        return SIZE_FACTOR * pruned.n_leaves


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
        What the tree is charged for. With "absolute" a leaf answers with the median.
    leaf : {"mean", "linear"}, default="mean"
        What a leaf answers with: the mean of the ensemble's numbers, or, where that pays, a line of
        at most two numeric columns, clipped to the range of the numbers in the leaf.
    augment : "auto" or int, default="auto"
        Number of artificial rows. "auto": 16,384, but none for more than 30,000 training rows.
        An artificial row weighs at most a quarter of a training row, and all together weigh at most
        about eight times the training rows.
    refine : bool or "search", default=True
        False: grow only. True: four more rounds of refinement. "search": sixteen rounds.
    %(tree_limits)s
    monotone : dict of column to int, optional
        Columns with which the answer may only rise (1) or only fall (-1). Leaves in the wrong
        order are pooled. Not for lines.
    %(categorical_features)s
    %(n_jobs)s
    %(random_state)s

    Attributes
    ----------
    tree_ : Tree
        The tree. Its leaves answer with the mean of the ensemble's numbers over all rows;
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
        refine: bool | str = True,
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
        return self._with_lines(counted, self.distillation_set_)

    def _with_lines(self, tree: Tree, rows: DistillationSet) -> Tree:
        if self.leaf == "mean":
            return tree
        numbers = np.concatenate([rows.teacher.ensemble_numbers, rows.artificial_answers[1][:, 0]])
        lines = LeafLines.fitted(tree.core, rows.table.native(), numbers, rows.weights, MAX_LINE_COLUMNS)
        return tree.with_lines(lines)

    def _chosen_size(self) -> int:
        """Return the smallest size that is nearly as faithful as the largest on rows held back."""
        teacher = self.distillation_set_.teacher
        n_rows = teacher.table.n_rows
        is_held_back = np.random.default_rng(self.distillation_set_.seed).random(n_rows) < HELD_BACK
        held_back, kept = np.flatnonzero(is_held_back), np.flatnonzero(~is_held_back)
        if len(held_back) < 2 or len(kept) < 2:
            return SIZES[0]
        part = replace(teacher, table=teacher.table[kept], given=None, weights=_some(teacher.weights, kept))
        rows = replace(self.distillation_set_, teacher=part)
        numbers = teacher.ensemble_numbers[held_back]
        unit = float(np.abs(numbers).max()) or 1.0  # squares of large numbers overflow
        faithful = []
        for size in SIZES:
            small = _core.distill_tree(
                rows.native, size, over_growth=OVER_GROWTH, n_threads=n_threads(self.n_jobs)
            )
            tree = self._with_lines(Tree(small.tree(rows.native), teacher.table.schema, None), rows)
            faithful.append(r2_score(numbers / unit, tree.predict(teacher.table[held_back]) / unit))
        return next(size for size, r2 in zip(SIZES, faithful, strict=True) if r2 >= max(faithful) - NEARLY)


def _some(weights: NDArray[np.float64] | None, rows: NDArray[np.intp]) -> NDArray[np.float64] | None:
    return None if weights is None else weights[rows]
