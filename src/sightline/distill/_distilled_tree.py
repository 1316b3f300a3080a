"""The best small tree in an ensemble's place."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from sightline import _core
from sightline.distill._distiller import TreeDistiller
from sightline.distill._lessons import Lessons
from sightline.distill._size_dial import LeafDial
from sightline.distill._teacher import Teacher
from sightline.learn import C45Classifier, Growth
from sightline.model import Tree, n_threads
from sightline.table import Labels

N_ARTIFICIAL = 16_384
"""Artificial rows by default: half moved a little, half with cells of other rows."""

MAX_ROWS_TO_AUGMENT = 30_000
"""With more training rows than this, artificial ones do harm."""

OVER_GROWTH = 3.0

SEARCH_ROUNDS = {False: 0, True: 4, "search": 16}
"""Of the refinement, each from the best tree so far grown too large in another measure."""

SIZE_FACTOR = 3
"""Leaves of a tree that chooses its size, for each leaf of C4.5's."""


class DistilledTreeClassifier(LeafDial, TreeDistiller):
    """One small tree that imitates an ensemble as well as a tree of its size can.

    The tree learns from the training rows and from artificial rows near them, all labelled
    by the ensemble. It is grown best-first to three times its size; then every test is chosen anew,
    with the rest of the tree as it is, until no choice is better; nodes are collapsed or
    replaced by a child at the least loss until the size is right; and growing and choosing
    anew take turns while they help.

    Parameters
    ----------
    ensemble : object, optional
        What to imitate. None: 25 bagged C4.5 trees, learnt from X and y. A fitted model that
        :func:`sightline.load` understands: used as it is, and y may be left out. An estimator
        that is not fitted: a clone of it is fitted to X and y.
    max_leaves : int, optional
        Most leaves of the tree. By default the tree chooses its size.
    augment : "auto" or int, default="auto"
        Number of artificial rows. "auto": 16,384, and none for more than 30,000 training rows.
    refine : bool or "search", default=True
        False: growth alone. True: four more rounds of the refinement, each from the best tree
        so far, grown too large in another measure. "search": sixteen; slower, and a little more
        faithful.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are nominal, where the ensemble does not know.
    n_jobs : int, optional
        Threads to use, as in joblib. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Draws the artificial rows, and learns the ensemble where it has no seed of its own.

    Attributes
    ----------
    tree_ : Tree
        The tree. Its class counts are those of the training rows' labels, or of the ensemble's
        where y is left out; its probabilities are the ensemble's means over all rows.
    ensemble_ : Ensemble
        What it imitates.
    lessons_ : Lessons
        The rows that it learnt from; trees of other sizes are made of them.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had any.

    See Also
    --------
    CMMClassifier : C4.5 on artificial rows, by the paper of Domingos.

    Notes
    -----
    The refinement is tree alternating optimisation [1]_ of the 0/1 loss against the
    ensemble's labels. Tests lie between values that some test of the ensemble tells apart, at
    most 254 per column. Where missing values occurred, each test sends them one way.

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
        "ensemble": "no_validation",
        "max_leaves": [Interval(Integral, 1, None, closed="left"), None],
        "augment": [StrOptions({"auto"}), Interval(Integral, 0, None, closed="left")],
        "refine": ["boolean", StrOptions({"search"})],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        ensemble: Any = None,
        max_leaves: int | None = None,
        *,
        augment: str | int = "auto",
        refine: bool | str = True,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.ensemble = ensemble
        self.max_leaves = max_leaves
        self.augment = augment
        self.refine = refine
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the tree.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            Rows as the ensemble saw them; NaN and None are missing values.
        y : array-like of shape (n_rows,), optional
            Their labels, needed where the ensemble must be learnt. They are counted in the
            tree's nodes but do not steer it.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights; a row of weight 2 counts as two rows.

        Returns
        -------
        DistilledTreeClassifier
            Itself, fitted.
        """
        teacher = self._learn_from(X, y, sample_weight)
        # Drawn after the ensemble's seed, once: trees of other sizes see the same rows.
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self.lessons_ = Lessons(teacher, self._n_artificial(teacher), seed)
        self.tree_ = self._refined(self._chosen_size() if self.max_leaves is None else self.max_leaves)
        return self

    def _resize(self, n_leaves: int) -> None:
        self.max_leaves = n_leaves
        self.tree_ = self._refined(n_leaves)

    def _refined(self, n_leaves: int) -> Tree:
        rows = self.lessons_.native
        small = _core.distil_tree(
            rows,
            n_leaves,
            refine=bool(self.refine),
            over_growth=OVER_GROWTH,
            search_rounds=SEARCH_ROUNDS["search" if self.refine == "search" else bool(self.refine)],
            n_threads=n_threads(self.n_jobs),
        )
        return Tree(
            small.tree(rows),
            self.ensemble_.schema,
            self.classes_,
            label_source="ensemble" if self.lessons_.teacher.labels is None else "own",
        )

    def _n_artificial(self, teacher: Teacher) -> int:
        if not isinstance(self.augment, str):
            return self.augment
        n_training = teacher.table.n_rows if teacher.weights is None else teacher.weights.sum()
        return N_ARTIFICIAL if n_training <= MAX_ROWS_TO_AUGMENT else 0

    def _chosen_size(self) -> int:
        """Return a multiple of the leaves that C4.5 needs for the ensemble's labels."""
        teacher = self.lessons_.teacher
        labels = Labels(teacher.answers()[0], teacher.classes_)
        pruned = Growth(
            teacher.table, labels, C45Classifier(binary_splits=True), weights=teacher.weights
        ).tree()
        return SIZE_FACTOR * pruned.n_leaves
