"""C4.5 release 8, equal to Weka's J48."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from sklearn.utils._param_validation import Interval, StrOptions

from sightline import _core
from sightline.estimator import OneTree, checked_weights
from sightline.model import Tree
from sightline.table import Labels, Table

TIE_TOLERANCE = 1e-6
"""J48 prefers the earlier of two classes whose probabilities differ by less."""

_NO_LIMIT = 2**31 - 1
"""More depth and leaves than any tree has."""


class Growth:
    """A C4.5 tree before pruning, from which trees of every confidence can be cut.

    Growing is the dear part; :meth:`tree` leaves the growth as it is.

    Parameters
    ----------
    table : Table
        The rows to learn from.
    labels : Labels
        Their classes, none missing.
    options : C45Classifier
        Whose parameters to use.
    weights : ndarray of shape (n_rows,), optional
        Row weights.
    bag : ndarray of uint32, optional
        Rows to use, repeated ones as often as drawn; all by default.
    features : ndarray of uint32, optional
        Places of the columns that may be tested, ascending; all by default.
    orders : _core.Orders, optional
        Orders of the table's numeric columns, where several growths share them.
    stop : _core.StopFlag, optional
        Ends the growth from another thread.

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
        self._options = options
        self._stop = stop
        self._native = _core.C45Growth(
            table.native(),
            labels.codes,
            len(labels.classes_),
            weights=weights,
            bag=bag,
            features=features,
            orders=orders,
            binary_splits=options.binary_splits,
            min_leaf=options.min_leaf,
            mdl_correction=options.mdl_correction,
            collapse=options.collapse,
            max_depth=-1 if options.max_depth is None else min(options.max_depth, _NO_LIMIT),
            stop=stop,
        )

    def tree(self, confidence: float | None = None) -> Tree:
        """Return the finished tree.

        Parameters
        ----------
        confidence : float, optional
            Confidence of the pruning, instead of that of the options.

        Returns
        -------
        Tree
            Pruned if the options say so.
        """
        options = self._options
        level = options.confidence if confidence is None else confidence
        core = self._native.tree(
            prune=options.prune,
            confidence=level,
            z=_quantile_above(level),
            subtree_raising=options.subtree_raising,
            laplace=options.laplace,
            max_leaves=None if options.max_leaves is None else min(options.max_leaves, _NO_LIMIT),
            stop=self._stop,
        )
        return Tree(core, self._schema, self._classes, TIE_TOLERANCE)


class C45Classifier(OneTree):
    """Decision tree by Quinlan's C4.5 release 8, computed as Weka's J48 computes it.

    Parameters
    ----------
    binary_splits : bool, default=False
        Test nominal features as one value against the rest, instead of one branch per value.
    prune : bool, default=True
        Prune pessimistically.
    confidence : float, default=0.25
        Confidence of the pruning: smaller prunes more. Above 0.5 only training errors count.
    min_leaf : int or float, default=2
        Least weight of rows in at least two branches of a test.
    subtree_raising : bool, default=True
        Let pruning replace a node by its largest branch.
    collapse : bool, default=True
        Remove splits that do not lower the training error, also when not pruning.
    mdl_correction : bool, default=True
        Charge numeric tests for the choice of their threshold.
    laplace : bool, default=False
        Smooth the class probabilities of leaves by one row per class.
    max_depth : int, optional
        Most tests on a path.
    max_leaves : int, optional
        Most leaves: the splits that save the fewest expected errors are undone last of all.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are nominal: those that are not numbers, none, or those listed by
        name, position or mask.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    classes_ : ndarray of shape (n_classes,)
        The labels, declared ones that never occur included.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had any.

    See Also
    --------
    BaggedTreesClassifier : Many of them, averaged.

    Notes
    -----
    Every numeric column is sorted once; splitting keeps the orders, so that a level of the
    tree costs time proportional to rows times columns. Missing values are distributed over
    the branches, in learning and in predicting.

    References
    ----------
    .. [1] J. R. Quinlan, "C4.5: Programs for Machine Learning", Morgan Kaufmann, 1993.
    .. [2] I. Witten and E. Frank, "Data Mining", Morgan Kaufmann, 2005.

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
        "min_leaf": [Interval(Real, 0, None, closed="neither")],
        "subtree_raising": ["boolean"],
        "collapse": ["boolean"],
        "mdl_correction": ["boolean"],
        "laplace": ["boolean"],
        "max_depth": [Interval(Integral, 0, None, closed="left"), None],
        "max_leaves": [Interval(Integral, 1, None, closed="left"), None],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
    }

    def __init__(
        self,
        *,
        binary_splits: bool = False,
        prune: bool = True,
        confidence: float = 0.25,
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

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows; NaN and None are missing values.
        y : array-like of shape (n_rows,)
            The labels.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights; a row of weight 2 counts as two rows.

        Returns
        -------
        C45Classifier
            Itself, fitted.
        """
        self._check_parameters()
        table, labels = self._checked_training(X, y, self.categorical_features)
        weights = checked_weights(sample_weight, table.n_rows)
        self.tree_ = Growth(table, labels, self, weights=weights).tree()
        return self

    @property
    def _model(self) -> Tree:
        return self.tree_


def _quantile_above(confidence: float) -> float:
    """Return the normal quantile of 1 - confidence, finite also where that rounds to 1."""
    level = np.maximum(np.float32(confidence), np.finfo(np.float32).tiny)
    return -float(ndtri(float(level)))
