"""The small tree that imitates an ensemble best."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

from sklearn.utils._param_validation import Interval, StrOptions

from sightline import _core
from sightline.distill._distillation_set import DistillationSet
from sightline.distill._teacher import Teacher
from sightline.distill._tree_distiller import TreeDistiller
from sightline.learn import C45Classifier, Growth
from sightline.model import Tree, n_threads
from sightline.table import Labels

N_ARTIFICIAL = 16_384
"""Default number of artificial rows."""

ARTIFICIAL_WEIGHT = 0.25
"""Weight of an artificial row; a training row has 1."""

MAX_ROWS_TO_AUGMENT = 30_000
"""With more training rows than this, artificial rows do harm."""

OVER_GROWTH = 3.0
"""The tree is grown to this multiple of its final size before it is pruned."""

SEARCH_ROUNDS = {False: 0, True: 4, "search": 16}
"""Rounds of refinement. Each starts from the best tree so far, overgrown by another measure."""

SIZE_FACTOR = 3
"""The default size of the tree, as a multiple of the number of leaves of C4.5's tree."""


class DistilledTreeClassifier(TreeDistiller):
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
    %(categorical_features)s
    %(n_jobs)s
    %(random_state)s

    Attributes
    ----------
    tree_ : Tree
        The tree. Its class counts are those of the training rows: by y, or by the ensemble's
        labels if y was not passed. Its probabilities are the means of the ensemble's over all
        rows.
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
        "augment": [StrOptions({"auto"}), Interval(Integral, 0, None, closed="left")],
        "refine": ["boolean", StrOptions({"search"})],
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
        """Learn the tree.

        The labels y are counted in the nodes of the tree but do not change its tests.

        %(distill_sections)s
        """
        teacher = self._resolve_teacher(X, y, sample_weight)
        self.distillation_set_ = DistillationSet(
            teacher,
            self._artificial_seed(),
            n_near=self._n_artificial(teacher),
            artificial_weight=ARTIFICIAL_WEIGHT,
        )
        self.tree_ = self._refined(self._chosen_size() if self.max_leaves is None else self.max_leaves)
        return self

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
        teacher = self.distillation_set_.teacher
        return Tree(small.tree(rows), teacher.table.schema, self.classes_, label_source=teacher.label_source)

    def _n_artificial(self, teacher: Teacher) -> int:
        if not isinstance(self.augment, str):
            return self.augment
        n_training = teacher.table.n_rows if teacher.weights is None else teacher.weights.sum()
        return N_ARTIFICIAL if n_training <= MAX_ROWS_TO_AUGMENT else 0

    def _chosen_size(self) -> int:
        """Return a multiple of the number of leaves that C4.5 needs for the ensemble's labels."""
        teacher = self.distillation_set_.teacher
        labels = Labels(teacher.ensemble_labels, teacher.classes_)
        pruned = Growth(
            teacher.table, labels, C45Classifier(binary_splits=True), weights=teacher.weights
        ).tree()
        return SIZE_FACTOR * pruned.n_leaves
