"""CMM, Combined Multiple Models: C4.5 on rows that the ensemble labels."""

from __future__ import annotations

from numbers import Integral, Real
from operator import attrgetter
from typing import Any, ClassVar, Self

import numpy as np

from sightline.distill._distillation_set import DistillationSet
from sightline.distill._tree_distiller import TreeDistiller
from sightline.distill._tree_limits import within_columns
from sightline.estimator import SightlineClassifier
from sightline.learn import C45Classifier, Growth, SmallUnits
from sightline.model import Tree
from sightline.sklearn_internals import Interval, StrOptions
from sightline.table import Labels


class CMMClassifier(TreeDistiller, SightlineClassifier):
    """Learn a C4.5 tree from the training rows and from artificial rows labeled by the ensemble.

    Each of the m trees of the ensemble provides 1/m of the artificial rows, and each leaf a
    number in proportion to its training weight. A row of a leaf meets the tests on the path to
    it and is otherwise uniform over the observed ranges and the declared values.

    Parameters
    ----------
    %(ensemble)s
    n_artificial : int, default=1000
        Number of artificial rows.
    preset : {"default", "paper"}, default="default"
        The value of ``rows_per_leaf`` if that is None.
    rows_per_leaf : {"drawn", "floor", "nearest"}, optional
        How many artificial rows a leaf gets that holds r of the s training rows of its tree, with N
        artificial rows and m trees: (r/s)(N/m) on average (default preset), or rounded. The paper does not
        say how it rounds; *floor* gives trees of its size.
    labels : {"true", "ensemble"}, default="true"
        Labels of the training rows: their own, or the ensemble's. Without y, the ensemble's.
    prune : bool, default=True
        Whether to prune the tree as C4.5 does.
    confidence : float, default=0.25
        Confidence of the pruning.
    min_leaf : int or float, default=2
        Minimum weight of rows, artificial ones included, in each branch of a test.
    max_depth : int, optional
        Maximum number of tests on a path.
    max_features : int, optional
        Maximum number of columns in the tree. If there are more, the columns whose tests decide
        the fewest rows are dropped, and the tree is grown again.
    %(max_leaves)s
    %(categorical_features)s
    %(n_jobs)s
    %(random_state)s

    Attributes
    ----------
    tree_ : Tree
        The tree, with binary tests. Its class counts are those of the training rows: by y, or by
        the ensemble's labels if y was not passed. Its probabilities also count the artificial
        rows.
    %(ensemble_)s
    artificial_ : Table
        The artificial rows.
    distillation_set_ : DistillationSet
        All rows that the tree was learned from, kept for :meth:`resized`.
    %(fitted_columns)s

    See Also
    --------
    DistilledTreeClassifier : Artificial rows nearer to the data, and a better learner.

    Notes
    -----
    A black box has no leaves to draw artificial rows in. They are then drawn near the training rows,
    as :class:`DistilledTreeClassifier` does.

    The paper does not mention missing values. Here a cell that no test on the path uses is
    missing as often as in the training rows.

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
        "n_artificial": [Interval(Integral, 0, None, closed="left")],
        "rows_per_leaf": [StrOptions({"drawn", "floor", "nearest"})],
        "labels": [StrOptions({"true", "ensemble"})],
        "prune": ["boolean"],
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "min_leaf": [Interval(Real, 0, None, closed="neither")],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
    }

    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "default": {"rows_per_leaf": "drawn"},
        "paper": {"rows_per_leaf": "floor"},
    }

    def __init__(
        self,
        ensemble: Any = None,
        n_artificial: int = 1000,
        *,
        preset: str = "default",
        rows_per_leaf: str | None = None,
        labels: str = "true",
        prune: bool = True,
        confidence: float = 0.25,
        min_leaf: float = 2,
        max_depth: int | None = None,
        max_features: int | None = None,
        max_leaves: int | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.ensemble = ensemble
        self.n_artificial = n_artificial
        self.preset = preset
        self.rows_per_leaf = rows_per_leaf
        self.labels = labels
        self.prune = prune
        self.confidence = confidence
        self.min_leaf = min_leaf
        self.max_depth = max_depth
        self.max_features = max_features
        self.max_leaves = max_leaves
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the tree.

        Artificial rows have weight 1.

        %(distill_sections)s
        """
        teacher = self._resolve_teacher(X, y, sample_weight)
        # Without leaves to draw rows in, they are drawn near the training rows.
        n_near, n_cmm = (self.n_artificial, 0) if teacher.is_black_box else (0, self.n_artificial)
        self.distillation_set_ = DistillationSet(
            teacher, self._artificial_seed(), n_near, n_cmm, cmm_quota=self._setting("rows_per_leaf")
        )
        self.artificial_ = self.distillation_set_.artificial
        self.tree_ = self._grown(self.max_leaves)
        return self

    def _resize(self, n_leaves: int) -> None:
        self.max_leaves = n_leaves
        self.tree_ = self._grown(n_leaves)

    def _grown(self, max_leaves: int | None) -> Tree:
        rows = self.distillation_set_
        teacher = rows.teacher
        training_labels = teacher.ensemble_labels if self.labels == "ensemble" else teacher.target
        codes = np.concatenate([training_labels, rows.artificial_answers[0]])
        options = C45Classifier(
            binary_splits=True,
            prune=self.prune,
            confidence=self.confidence,
            min_leaf=self.min_leaf,
            max_depth=self.max_depth,
            max_leaves=max_leaves,
        )
        weights = None if teacher.weights is None else rows.weights
        table = rows.table.about(teacher.table.schema.subject)
        labels = Labels(codes, teacher.classes_)
        units = SmallUnits.of(table)
        scaled = units.scaled(table)

        def grow(banned: list[int]) -> Tree:
            left = np.setdiff1d(np.arange(len(table.columns)), banned).astype(np.uint32)
            features = left if banned else None
            return units.restored(Growth(scaled, labels, options, weights=weights, features=features).tree())

        tree = within_columns(grow, attrgetter("core"), self.max_features)
        return self._with_target_counts(tree, teacher)
