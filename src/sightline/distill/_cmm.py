"""Combined Multiple Models: C4.5 on rows that the ensemble labelled."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from sightline.distill._artificial_rows import ArtificialRows
from sightline.distill._distiller import TreeDistiller
from sightline.distill._size_dial import LeafDial
from sightline.learn import C45Classifier, Growth
from sightline.model import Tree, n_threads
from sightline.table import Labels


class CMMClassifier(LeafDial, TreeDistiller):
    """A C4.5 tree learnt from the training rows and from artificial rows that the ensemble labels.

    Each of the m trees of the ensemble gives an m-th of the artificial rows; of these, each
    leaf gets the share that it has of the tree's training weight. A row of a leaf meets the
    tests on the way to it and is otherwise uniform over the observed ranges and the declared
    values.

    Parameters
    ----------
    ensemble : object, optional
        What to imitate. None: 25 bagged C4.5 trees, learnt from X and y. A fitted model that
        :func:`sightline.load` understands: used as it is, and y may be left out. An estimator
        that is not fitted: a clone of it is fitted to X and y.
    n_artificial : int, default=1000
        Number of artificial rows.
    labels : {"true", "ensemble"}, default="true"
        Labels of the training rows: their own, or the ensemble's. Where y is left out, the
        ensemble's.
    prune : bool, default=True
        Prune the tree as C4.5 does.
    confidence : float, default=0.25
        Confidence of the pruning.
    min_leaf : int or float, default=2
        Least weight of rows in both branches of a test.
    max_leaves : int, optional
        Most leaves of the tree.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are nominal, where the ensemble does not know.
    n_jobs : int, optional
        Threads to use, as in joblib. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Draws the artificial rows, and learns the ensemble where it has no seed of its own.

    Attributes
    ----------
    tree_ : Tree
        The tree, with binary tests. Its class counts are those of the training rows' labels, or
        of the ensemble's where y is left out; its probabilities are those of all rows that it
        learnt from.
    ensemble_ : Ensemble
        What it imitates.
    artificial_ : Table
        The artificial rows.
    teacher_ : Teacher
        The ensemble and the training rows; trees of other sizes are made of both.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had any.

    See Also
    --------
    DistilledTreeClassifier : Rows nearer to the data and a better learner.

    Notes
    -----
    The paper says nothing of missing values: a cell that the way to the leaf does not ask for
    is missing as often as it is in the training rows.

    References
    ----------
    .. [1] P. Domingos, "Knowledge discovery via multiple models", Intelligent Data Analysis 2,
       1998.
    .. [2] A. Van Assche and H. Blockeel, "Seeing the forest through the trees: learning a
       comprehensible model from an ensemble", ECML 2007, section 3.

    Examples
    --------
    >>> import sightline as sl
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = sl.CMMClassifier(random_state=0).fit(X, y)
    >>> tree.score(X, y) > 0.9
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "ensemble": "no_validation",
        "n_artificial": [Interval(Integral, 0, None, closed="left")],
        "labels": [StrOptions({"true", "ensemble"})],
        "prune": ["boolean"],
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "min_leaf": [Interval(Real, 0, None, closed="neither")],
        "max_leaves": [Interval(Integral, 1, None, closed="left"), None],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        ensemble: Any = None,
        n_artificial: int = 1000,
        *,
        labels: str = "true",
        prune: bool = True,
        confidence: float = 0.25,
        min_leaf: float = 2,
        max_leaves: int | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.ensemble = ensemble
        self.n_artificial = n_artificial
        self.labels = labels
        self.prune = prune
        self.confidence = confidence
        self.min_leaf = min_leaf
        self.max_leaves = max_leaves
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the tree.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            Rows as the ensemble saw them; NaN and None are missing values.
        y : array-like of shape (n_rows,), optional
            Their labels, needed where the ensemble must be learnt.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights; a row of weight 2 counts as two rows. Artificial rows have weight 1.

        Returns
        -------
        CMMClassifier
            Itself, fitted.
        """
        self.teacher_ = self._learn_from(X, y, sample_weight)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        made = ArtificialRows(self.teacher_, seed, n_threads(self.n_jobs))
        self.artificial_ = made.in_leaves(self.n_artificial)
        self.tree_ = self._grown(self.max_leaves)
        return self

    def _resize(self, n_leaves: int) -> None:
        self.max_leaves = n_leaves
        self.tree_ = self._grown(n_leaves)

    def _grown(self, max_leaves: int | None) -> Tree:
        teacher, made = self.teacher_, self.artificial_
        own = (
            teacher.answers()[0]
            if self.labels == "ensemble" or teacher.labels is None
            else teacher.labels.codes
        )
        codes = np.concatenate([own, teacher.answers(made)[0]])
        weights = teacher.weights
        if weights is not None:
            weights = np.concatenate([weights, np.ones(made.n_rows)])
        options = C45Classifier(
            binary_splits=True,
            prune=self.prune,
            confidence=self.confidence,
            min_leaf=self.min_leaf,
            max_leaves=max_leaves,
        )
        table = teacher.table.stacked(made)
        tree = Growth(table, Labels(codes, teacher.classes_), options, weights=weights).tree()
        return self._counted(tree, teacher)
