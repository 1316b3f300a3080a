"""C4.5 release 8, equal to Weka's J48."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.estimator import OneTree, SightlineClassifier, checked_weights
from sightline.learn._small_units import SmallUnits
from sightline.model import Tree
from sightline.sklearn_internals import Interval, StrOptions
from sightline.table import Labels, Table

TIE_TOLERANCE = 1e-6
"""Like J48, prefer the earlier of two classes whose probabilities differ by less."""


class Growth:
    """A C4.5 tree before pruning. It can be pruned with several confidences.

    Growing is the expensive part; :meth:`tree` does not change the growth.

    Parameters
    ----------
    table : Table
        Training rows.
    labels : Labels
        Their class labels, none missing.
    options : C45Classifier
        Parameters of the tree.
    weights : ndarray of shape (n_rows,), optional
        Row weights.
    bag : ndarray of uint32, optional
        Row indices, repeated as often as drawn; default: all rows once.
    features : ndarray of uint32, optional
        Indices of the columns to test, ascending; default: all.
    orders : _core.Orders, optional
        Sort orders of the numeric columns, to share them between growths.
    stop : _core.StopFlag, optional
        Stops the growth from another thread.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sightline import C45Classifier, Labels, Table
    >>> from sightline.learn import Growth
    >>> X, y = load_iris(return_X_y=True)
    >>> growth = Growth(Table.from_any(X), Labels.from_any(y), C45Classifier())
    >>> [growth.tree(confidence=level).n_leaves for level in (0.01, 0.25, 0.5)]
    [4, 5, 5]
    """

    def __init__(
        self,
        table: Table,
        labels: Labels,
        options: C45Classifier,
        *,
        weights: NDArray[np.float64] | None = None,
        bag: NDArray[np.uint32] | None = None,
        features: NDArray[np.uint32] | None = None,
        orders: _core.Orders | None = None,
        stop: _core.StopFlag | None = None,
    ) -> None:
        self._schema = table.schema
        self._classes = labels.classes_
        self._stop = stop
        self._native = _core.C45Growth(
            table.native(),
            labels.codes,
            len(labels.classes_),
            options._native_options(),
            weights=weights,
            bag=bag,
            features=features,
            orders=orders,
            stop=stop,
        )

    def tree(self, confidence: float | None = None) -> Tree:
        """Return the tree, pruned if the options say so.

        Parameters
        ----------
        confidence : float, optional
            Confidence of the pruning; default: that of the options.

        Returns
        -------
        Tree
            The pruned tree.
        """
        core = self._native.tree(confidence, self._stop)
        return Tree(core, self._schema, self._classes, TIE_TOLERANCE)


class C45Classifier(OneTree, SightlineClassifier):
    """A decision tree by Quinlan's C4.5 release 8, identical to Weka's J48.

    Parameters
    ----------
    binary_splits : bool, default=False
        Test nominal columns as one value against the rest, instead of one branch per value.
    prune : bool, default=True
        Prune by the pessimistic error estimate.
    confidence : float, default=0.25
        Confidence of the pruning. Smaller values prune more. Above 0.5, only training errors count, unless
        ``limits="quinlan"``.
    limits : {"weka", "quinlan"}, default="weka"
        Confidence limits of the pruning. *weka*: normal quantiles. *quinlan*: the table of C4.5 release 8,
        in which values above 0.5 differ, too.
    min_leaf : int or float, default=2
        Minimum weight of the rows in at least two branches of a test.
    subtree_raising : bool, default=True
        Allow pruning to replace a node with its largest branch.
    collapse : bool, default=True
        Remove splits that do not lower the training error, even without pruning.
    mdl_correction : bool, default=True
        Penalize numeric tests for the choice of their threshold, and groups of values for what the
        best group gains by chance.
    laplace : bool, default=False
        Smooth the class probabilities of leaves by one row per class.
    max_depth : int, optional
        Maximum number of tests on a path.
    max_leaves : int, optional
        Maximum number of leaves. After pruning, the splits that save the fewest expected errors are
        undone until the tree fits.
    %(nominal_columns)s

    Attributes
    ----------
    tree_ : Tree
        The tree.
    %(fitted_columns)s

    See Also
    --------
    BaggedTreesClassifier : An average of many such trees.

    Notes
    -----
    Every numeric column is sorted once. Splits keep the order, so each level of the tree takes time
    proportional to rows times columns. Rows with a missing value are distributed over the
    branches, in fit and in predict.

    Like J48, it never splits between numbers that differ by less than 1e-5. It warns about columns in
    units so small that this matters.

    A column in which more than 255 values have `min_leaf` rows each is split in two groups of values
    instead, and so is one with more than 4,096 values if every value would get a branch. With two
    classes the group is the one with the largest gain of all. With more, values are ordered by the
    first principal component of their class shares [3]_, and the best cut of that order is taken.
    Values that do not occur among a node's rows go with the larger group. For all other columns
    the tree is that of Weka.

    References
    ----------
    .. [1] J. R. Quinlan, "C4.5: Programs for Machine Learning", Morgan Kaufmann, 1993.
    .. [2] I. Witten and E. Frank, "Data Mining", Morgan Kaufmann, 2005.
    .. [3] D. Coppersmith, S. J. Hong and J. R. M. Hosking, "Partitioning nominal attributes in decision
       trees", Data Mining and Knowledge Discovery 3, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sightline import C45Classifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = C45Classifier().fit(X, y)
    >>> tree.size_["leaves"]
    5
    >>> round(tree.score(X, y), 2)
    0.98
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "binary_splits": ["boolean"],
        "prune": ["boolean"],
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "limits": [StrOptions({"weka", "quinlan"})],
        "min_leaf": [Interval(Real, 0, None, closed="neither")],
        "subtree_raising": ["boolean"],
        "collapse": ["boolean"],
        "mdl_correction": ["boolean"],
        "laplace": ["boolean"],
        "max_depth": [Interval(Integral, 0, None, closed="left"), None],
    }

    def __init__(
        self,
        *,
        binary_splits: bool = False,
        prune: bool = True,
        confidence: float = 0.25,
        limits: str = "weka",
        min_leaf: float = 2,
        subtree_raising: bool = True,
        collapse: bool = True,
        mdl_correction: bool = True,
        laplace: bool = False,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.binary_splits = binary_splits
        self.prune = prune
        self.confidence = confidence
        self.limits = limits
        self.min_leaf = min_leaf
        self.subtree_raising = subtree_raising
        self.collapse = collapse
        self.mdl_correction = mdl_correction
        self.laplace = laplace
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn a tree.

        %(weighted_fit_sections)s
        """
        self._check_parameters()
        table, labels = self._checked_training(X, y, self.categorical_features, sample_weight)
        SmallUnits.of(table).warn()
        weights = checked_weights(sample_weight, table.n_rows)
        self.tree_ = Growth(table.trained_with(weights), labels, self, weights=weights).tree()
        return self

    @property
    def _model(self) -> Tree:
        return self.tree_

    def _native_options(self) -> _core.C45Options:
        return _core.C45Options(
            binary_splits=bool(self.binary_splits),
            prune=bool(self.prune),
            confidence=self.confidence,
            min_leaf=self.min_leaf,
            subtree_raising=bool(self.subtree_raising),
            collapse=bool(self.collapse),
            mdl_correction=bool(self.mdl_correction),
            laplace=bool(self.laplace),
            max_depth=self.max_depth,
            max_leaves=self.max_leaves,
            tabulated_limits=self.limits == "quinlan",
        )
