"""One rule set from an ensemble; partial matches vote, too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sightline.distill._decision import DECISION_CONSTRAINTS, decided, decision_of, own_threshold
from sightline.distill._number_rule_pool import NumberRulePool
from sightline.distill._remarks import about_decision, about_own_labels
from sightline.distill._rule_distiller import Chooser, RuleDistiller
from sightline.distill._rule_pool import ClassRulePool, RulePool
from sightline.distill._teacher import Teacher
from sightline.distill._voting_choice import Ties
from sightline.estimator import SightlineClassifier, SightlineRegressor
from sightline.sklearn_internals import StrOptions


class RuleSetClassifier(RuleDistiller, SightlineClassifier):
    """Collect the rules of all trees of an ensemble in one rule set that votes.

    Every leaf becomes a rule, and equal rules become one. A rule votes for its class with its
    full weight when all its conditions hold. When at least a share ``pc`` of them holds, it votes
    with ``wr`` times that share. With ``multiplicity=1`` and ``pc=1`` this is the vote of the
    ensemble's trees; with ``multiplicity=0`` it is the voting of the paper [1]_.

    Parameters
    ----------
    %(ensemble)s
    preset : {"default", "paper"}, default="default"
        The values of ``conditions``, ``pc``, ``wr``, ``ties`` and ``multiplicity`` that are None.
    conditions : {"interval", "raw"}, optional
        What counts as one condition: all tests of a path on the same feature (default preset), or each
        test (paper).
    pc : float in [0, 1], or {"oob", "cv", "train"}, optional
        Minimum share of conditions that must hold for a partial vote. Or how to choose it from
        0.5, 0.6, …, 1: by the error on out-of-bag rows (default preset), in inner cross-validation, or on
        the training rows (paper). If out-of-bag rows are not known, "oob" means "cv".
    wr : float in [0, 1], or {"oob", "cv", "train"}, optional
        Factor of partial votes, or how to choose it from 0.05, 0.1, …, 1.
    ties : {"full", "smallest"}, optional
        Which pc and wr are chosen if several have the smallest error: "full" takes the largest pc, so that
        partial matches vote only if they help, and averages errors over five neighboring values of wr
        (default preset); "smallest" takes the smallest pc and wr, as the paper's tables do (paper).
    multiplicity : float, optional
        A rule found in m trees has the weight m to this power: 1 counts every tree (default preset), 0 every
        rule once (paper). Rules selected by ``max_rules`` have weights of their own.
    weight : {"precision"}, optional
        Multiply each weight by the share of training rows that the rule classifies correctly,
        smoothed by one row per class. Not for rules selected by ``max_rules``.
    max_rules : int, optional
        Maximum number of rules. They are selected one by one from all nodes of all trees, each with the
        class and the weight that bring the shares of the votes closest to the ensemble's probabilities.
        More rules are taken only if they do no harm on rows not used to select them.
    shorten : bool, default=True
        With ``max_rules``: drop the conditions of a selected rule that do not help.
    fallback : float in [0, 1] or None, default=0.5
        If no rule votes, the rules with at least this share of their conditions met decide.
        None: predict the most frequent class. With ``max_rules`` there is always a vote.
    n_folds : int, default=5
        Number of inner folds of "cv".
    threshold : float, optional
        For two classes: the ensemble's label is the positive class if its probability is at least this, as
        for :class:`DistilledTreeClassifier`.
    cost_matrix : array-like of shape (n_classes, n_classes), optional
        Cost of each label (column) if a class (row) is the true one, in the order of ``classes_``. The
        ensemble's label is then the one with the lowest expected cost.
    %(n_jobs)s
    %(random_state)s
    %(categorical_features)s

    Attributes
    ----------
    rules_ : RuleSet
        The rules and how they vote.
    %(ensemble_)s
    pc_ : float
        Minimum share of conditions that must hold for a partial vote.
    wr_ : float
        Factor of partial votes.
    choice_ : VotingChoice or None
        Errors by which pc and wr were chosen; None if both were given.
    rule_pool_ : RulePool
        All rules and the training rows, kept for :meth:`resized`; not pickled.
    duplicate_share_ : float
        Share of the leaves whose rule occurs more than once, not counting the first.
    %(fitted_columns)s

    See Also
    --------
    sightline.RuleSet : The fitted rules.

    Notes
    -----
    A missing value fails a condition, unless the tree sends all missing values that way, as
    models of scikit-learn do. A category not seen in fit counts as missing. C4.5's trees spread
    a row with a missing value over their branches. Rules cannot do that: the rules of such a
    tree match only partially. So with ``multiplicity=1`` and ``pc=1`` the labels equal the
    majority vote of the trees (ties go to the larger class) on every row without missing
    values, and on all rows if no tree spreads rows.

    Trees that add numbers to scores (boosting) give rules that vote with the number, for the
    second class or the first, or against a class if there are more than two.

    A black box has no rules, and the leaves of an ensemble that decides by a threshold or by costs do not
    show its labels. The rules are then those of 25 bagged C4.5 trees, learned from the training rows as
    the model labels them; its labels are used instead of y.

    Out-of-bag, a row is judged only by the rules of trees that were grown without it. In inner
    cross-validation it is judged by the rules of a copy of the ensemble that was fitted
    without it; an ensemble that cannot be fitted again is used as it is.

    With ``max_rules``, "oob" and "cv" are faster: the rules are selected three times from two
    thirds of the rows, and the rest of the rows judges whether they predict what the ensemble does. Every row
    starts with one vote, split like the ensemble's mean probabilities. Rules of the same class on the same
    columns that share 90% of their rows are one rule; it is found in the trees of all of them. At most 10,000
    rows are used, fewer if there are more than 1,000 trees.

    References
    ----------
    .. [1] E. Szpunar-Huk, "Classifier Building by Reduction of an Ensemble of Decision Trees to a
       Set of Rules", CIMCA-IAWTIC 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sightline import RuleSetClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> short = RuleSetClassifier(max_rules=6, random_state=0).fit(X, y)
    >>> short.rules_.n_rules
    6
    >>> short.score(X, y) > 0.9
    True
    """

    _stores_every_class: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "weight": [StrOptions({"precision"}), None],
        **DECISION_CONSTRAINTS,
    }

    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "default": {"conditions": "interval", "pc": "oob", "wr": "oob", "ties": "full", "multiplicity": 1.0},
        "paper": {
            "conditions": "raw",
            "pc": "train",
            "wr": "train",
            "ties": "smallest",
            "multiplicity": 0.0,
        },
    }

    def __init__(
        self,
        ensemble: Any = None,
        *,
        preset: str = "default",
        conditions: Literal["interval", "raw"] | None = None,
        pc: float | Chooser | None = None,
        wr: float | Chooser | None = None,
        ties: Ties | None = None,
        multiplicity: float | None = None,
        weight: Literal["precision"] | None = None,
        max_rules: int | None = None,
        shorten: bool = True,
        fallback: float | None = 0.5,
        n_folds: int = 5,
        threshold: float | None = None,
        cost_matrix: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.ensemble = ensemble
        self.preset = preset
        self.conditions = conditions
        self.pc = pc
        self.wr = wr
        self.ties = ties
        self.multiplicity = multiplicity
        self.weight = weight
        self.max_rules = max_rules
        self.shorten = shorten
        self.fallback = fallback
        self.n_folds = n_folds
        self.threshold = threshold
        self.cost_matrix = cost_matrix
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.categorical_features = categorical_features

    def _decided(self, teacher: Teacher) -> Teacher:
        decision = decision_of(self.threshold, self.cost_matrix, teacher.ensemble)
        if decision is None:
            return teacher.labeled_by(about_own_labels(own_threshold(teacher.ensemble), teacher))
        teacher = replace(teacher, ensemble=decided(teacher.ensemble, decision))
        return teacher.labeled_by(about_decision(decision, self.cost_matrix, teacher))

    def _pool(self, teacher: Teacher, X: Any, **options: Any) -> RulePool:
        return ClassRulePool(teacher, X, **options)

    def _judged(self, target: NDArray[Any]) -> NDArray[np.int32]:
        index = {label: code for code, label in enumerate(self.classes_.tolist())}
        return np.array([index.get(label, -1) for label in target.tolist()], dtype=np.int32)


class RuleSetRegressor(RuleDistiller, SightlineRegressor):
    """Collect the rules of the trees of a regression, and predict the mean of those that hold.

    Every leaf becomes a rule that predicts the leaf's number, and equal rules become one. The
    prediction is the weighted mean of the numbers of the rules whose conditions all hold. When at
    least a share ``pc`` of a rule's conditions holds, it counts with ``wr`` times that share. With
    ``max_rules=None`` and ``pc=1`` this is the mean of the ensemble's trees.

    Parameters
    ----------
    %(ensemble)s
    conditions : {"interval", "raw"}, default="interval"
        What counts as one condition: all tests of a path on the same feature, or each test.
    pc : float in [0, 1], or {"oob", "cv", "train"}, default="oob"
        Minimum share of conditions that must hold for a partial vote. Or how to choose it from
        0.5, 0.6, …, 1: by the error on out-of-bag rows, in inner cross-validation, or on the
        training rows, as in the paper. If out-of-bag rows are not known, "oob" means "cv".
    wr : float in [0, 1], or {"oob", "cv", "train"}, default="oob"
        Factor of partial votes, or how to choose it from 0.05, 0.1, …, 1.
    ties : {"full", "smallest"}, default="full"
        Which pc and wr are chosen if several have the smallest error: the largest pc, with errors averaged
        over five neighboring values of wr, or the smallest pc and wr.
    multiplicity : float, default=1.0
        With ``max_rules=None``: a rule found in m trees has the weight m to this power.
    weight : {"deviation"} or None, default="deviation"
        Selected rules count once, or, with "deviation", divided by the standard deviation of the
        ensemble's numbers over the training rows that satisfy them, smoothed by one row.
    max_rules : int or None, default=50
        Maximum number of rules. Those whose means come closest to the ensemble's numbers for the
        training rows are selected greedily, and pc and wr are chosen for them. A selected rule
        predicts the mean of these numbers over the rows that satisfy it. None keeps all rules.
    shorten : bool, default=True
        With ``max_rules``: also consider each rule without the conditions that do not bring the
        numbers of its rows closer together. A small rule set needs general rules.
    fallback : float in [0, 1] or None, default=None
        If no rule holds, the rules with at least this share of their conditions met decide.
        None: predict the mean of the training rows.
    n_folds : int, default=5
        Number of inner folds of "cv".
    %(n_jobs)s
    %(random_state)s
    %(categorical_features)s

    Attributes
    ----------
    rules_ : RuleSet
        The rules and how they are averaged. ``rules_.statistics`` has the mean absolute distance
        of the target from each rule's number, on training rows and on out-of-bag rows.
    %(ensemble_)s
    pc_ : float
        Minimum share of conditions that must hold for a partial match.
    wr_ : float
        Factor of partial matches.
    choice_ : VotingChoice or None
        Errors by which pc and wr were chosen; None if both were given.
    rule_pool_ : RulePool
        All rules and the training rows, kept for :meth:`resized`; not pickled.
    duplicate_share_ : float
        Share of the leaves whose rule occurs more than once, not counting the first.
    %(fitted_regression)s

    See Also
    --------
    RuleSetClassifier : The same for classes.

    Notes
    -----
    Only trees that each predict the target can be averaged, as those of forests and bagging. Trees
    that add up (boosting), medians of trees and combined models predict the training rows. The rules
    are then those of a random forest that learned these predictions.

    Errors of pc and wr are squared, in units of the variance.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from sightline import RuleSetRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> forest = RandomForestRegressor(30, random_state=0).fit(X, y)
    >>> rules = RuleSetRegressor(forest, max_rules=20).fit(X, y)
    >>> rules.rules_.n_rules
    20
    >>> rules.score(X, forest.predict(X)) > 0.7
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"weight": [StrOptions({"deviation"}), None]}

    def __init__(
        self,
        ensemble: Any = None,
        *,
        conditions: Literal["interval", "raw"] = "interval",
        pc: float | Chooser = "oob",
        wr: float | Chooser = "oob",
        ties: Ties = "full",
        multiplicity: float = 1.0,
        weight: Literal["deviation"] | None = "deviation",
        max_rules: int | None = 50,
        shorten: bool = True,
        fallback: float | None = None,
        n_folds: int = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.ensemble = ensemble
        self.conditions = conditions
        self.pc = pc
        self.wr = wr
        self.ties = ties
        self.multiplicity = multiplicity
        self.weight = weight
        self.max_rules = max_rules
        self.shorten = shorten
        self.fallback = fallback
        self.n_folds = n_folds
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.categorical_features = categorical_features

    def _pool(self, teacher: Teacher, X: Any, **options: Any) -> RulePool:
        return NumberRulePool(teacher, X, **options)

    def _judged(self, target: NDArray[Any]) -> NDArray[np.float64]:
        return target
