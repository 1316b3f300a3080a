"""The small tree that imitates a classifier best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from sightline import _core
from sightline.distill._charges import OBJECTIVES, WEIGHTED, Charges
from sightline.distill._decision import (
    DECISION_CONSTRAINTS,
    decided,
    decision_of,
    own_threshold,
    positive_index,
)
from sightline.distill._default_ensemble import LEARNED_TREES
from sightline.distill._distilled_tree import DistilledTree
from sightline.distill._monotone import monotone_values
from sightline.distill._remarks import about_decision, about_weights
from sightline.distill._teacher import Teacher
from sightline.estimator import SightlineClassifier
from sightline.exceptions import ParameterError
from sightline.learn import C45Classifier, Growth, SmallUnits
from sightline.model import Decision, Tree
from sightline.sklearn_internals import StrOptions
from sightline.table import Labels

SIZE_FACTOR = 3
"""The default size of the tree, as a multiple of the number of leaves of C4.5's tree."""


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
        Number of artificial rows. "auto": 16,384, but none for more than 30,000 training rows, or if
        trees without them are clearly more faithful on a quarter of the training rows, held back for
        that.
    refine : bool, default=True
        Whether to refine the tree after growing it, in rounds that each start from the best tree so
        far, overgrown by a different measure.
    objective : {"labels", "both", "probabilities"}, default="both"
        What the tree imitates: the ensemble's labels, its probabilities, or both. "both" follows the
        labels as well as "labels" does, and ranks rows better.
    class_weight : "balanced" or dict of label to float, optional
        Row weights by the ensemble's label. "balanced": all classes count the same. With weights,
        ``objective="both"`` charges three times as much for probabilities.
    threshold : float, optional
        For two classes: the ensemble's label is the positive class if its probability is at least this. The
        positive class is the one passed to :func:`sightline.load`, or the second one. By default the
        ensemble's own rule applies, including a threshold as in scikit-learn's threshold classifiers.
    cost_matrix : array-like of shape (n_classes, n_classes), optional
        Cost of each label (column) if a class (row) is the true one, in the order of
        ``classes_``. The ensemble's label is then the one with the lowest expected cost, and
        the tree pays for what its labels cost beyond that.
    min_leaf : "auto", int or float, default="auto"
        Minimum number of training rows in a leaf; a float is a share of them. With 0 a leaf may
        hold artificial rows only. "auto": 2, but 0 for a tree with fewer than ten training rows per
        leaf.
    %(tree_limits)s
    monotone : dict of column to int, optional
        For two classes: columns with which the probability of the positive class may only rise (1) or
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
    An ensemble with balanced class weights gives probabilities that are far from the class frequencies in y:
    likely and very likely rows both get a probability near 1. The loss is then computed on the scale of the
    frequencies, where such rows differ. The tree's own probabilities are means of the ensemble's.

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
        **DECISION_CONSTRAINTS,
    }

    n_learned_trees: ClassVar[int] = LEARNED_TREES

    def __init__(
        self,
        ensemble: Any = None,
        max_leaves: int | None = None,
        *,
        augment: str | int = "auto",
        refine: bool = True,
        objective: str = "both",
        class_weight: Mapping[Any, float] | str | None = None,
        threshold: float | None = None,
        cost_matrix: Any = None,
        min_leaf: float | str = "auto",
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

    def _decided(self, teacher: Teacher) -> Teacher:
        decision = decision_of(self.threshold, self.cost_matrix, teacher.ensemble)
        return teacher if decision is None else replace(teacher, ensemble=decided(teacher.ensemble, decision))

    def _label_rule(self, teacher: Teacher) -> str:
        return about_decision(self._decision(), self.cost_matrix, teacher)

    def _weight_remarks(self) -> list[str]:
        return about_weights(self.class_weight, len(self.classes_))

    def _monotone_answer(self) -> str:
        return f"the probability of {str(self.classes_[self._positive_index()])!r}"

    def _decision(self) -> Decision | None:
        given = decision_of(self.threshold, self.cost_matrix, self.ensemble_)
        return own_threshold(self.ensemble_) if given is None else given

    def _charges(self) -> Charges:
        label, target = (OBJECTIVES if self.class_weight is None else WEIGHTED)[self.objective]
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
        if not directions and not rows.separates_labels:
            return tree
        probabilities = np.reshape(small.probabilities(rows.native), (tree.n_nodes, -1))
        if not directions:
            return tree.with_probabilities(probabilities, rows.charges.label_costs(rows.teacher))
        positive = self._positive_index()
        probabilities[:, positive] = monotone_values(tree, probabilities[:, positive], directions)
        probabilities[:, 1 - positive] = 1 - probabilities[:, positive]
        decision = rows.charges.decision
        worth = np.eye(2) if decision is None else decision.worth()
        return tree.with_answers(probabilities @ worth).with_probabilities(probabilities)

    def _positive_index(self) -> int:
        if len(self.classes_) != 2:
            raise ParameterError(f"monotone needs two classes, but there are {len(self.classes_)} classes.")
        return positive_index(self.ensemble_)

    def _chosen_size(self) -> int:
        return usual_leaves(self.distillation_set_.teacher)


def usual_leaves(teacher: Teacher) -> int:
    """Return a multiple of the number of leaves that C4.5 needs for the ensemble's labels.

    Parameters
    ----------
    teacher : Teacher
        The ensemble and the training rows.
    """
    labels = Labels(teacher.ensemble_labels, teacher.classes_)
    table = SmallUnits.of(teacher.table).scaled(teacher.table)
    pruned = Growth(table, labels, C45Classifier(binary_splits=True), weights=teacher.weights).tree()
    return SIZE_FACTOR * pruned.n_leaves
