"""One rule set from an ensemble, in which partial matches vote, too."""

from __future__ import annotations

import copy
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from sightline.distill._clone import cloned
from sightline.distill._rule_pool import RulePool
from sightline.distill._size_path import SizePath
from sightline.distill._stand_in import with_trees
from sightline.distill._teacher import resolve_teacher
from sightline.distill._voting_choice import (
    FACTORS,
    SHARES,
    VotingChoice,
    choose_on_training_rows,
    choose_voting,
    total_weight,
    voting_errors,
)
from sightline.estimator import SightlineClassifier
from sightline.exceptions import DataError, ParameterError
from sightline.model import BlackBox, RuleSet
from sightline.table import stratified_folds

Chooser = Literal["oob", "cv", "train"]


class RuleSetClassifier(SizePath, SightlineClassifier):
    """Collect the rules of all trees of an ensemble in one rule set that votes.

    Every leaf becomes a rule, and equal rules become one. A rule votes for its class with its
    full weight when all its conditions hold. When at least a share ``pc`` of them holds, it votes
    with ``wr`` times that share. With ``multiplicity=1`` and ``pc=1`` this is the vote of the
    ensemble's trees; with ``multiplicity=0`` it is the voting of the paper [1]_.

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
    multiplicity : float, default=1.0
        A rule found in m trees has the weight m to this power: 1 counts every tree, 0 every
        rule once. Rules selected by ``max_rules`` count once.
    weight : {"precision"}, optional
        Multiply each weight by the share of training rows that the rule classifies correctly,
        smoothed by one row per class.
    max_rules : int, optional
        Maximum number of rules. The rules that cover the training rows best are selected
        greedily, and pc and wr are chosen for them.
    shorten : bool, default=True
        With ``max_rules``: also consider each rule without the conditions that do not make it
        more precise on out-of-bag rows (or on all training rows, if those are not known). A
        small rule set needs general rules.
    fallback : float in [0, 1] or None, default=0.5
        If no rule votes, the rules decide that have at least this share of their conditions met.
        None: predict the most frequent class.
    n_folds : int, default=5
        Number of inner folds of "cv".
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

    A black box has no rules. They are then those of 25 bagged C4.5 trees, learned from the training
    rows as the black box labels them; its labels are used in the place of y.

    Out-of-bag, a row is judged only by the rules of trees that were grown without it. In inner
    cross-validation it is judged by the rules of a copy of the ensemble that was fitted
    without it; an ensemble that cannot be fitted again is used as it is. Errors are averaged
    over five neighboring values of wr. Ties go to the larger pc, then to the smaller wr.

    References
    ----------
    .. [1] "Classifier Building by Reduction of an Ensemble of Decision Trees to a Set of
       Rules", CIMCA-IAWTIC 2006.

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

    size_unit = "rules"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "conditions": [StrOptions({"interval", "raw"})],
        "pc": [Interval(Real, 0, 1, closed="both"), StrOptions({"oob", "cv", "train"})],
        "wr": [Interval(Real, 0, 1, closed="both"), StrOptions({"oob", "cv", "train"})],
        "multiplicity": [Interval(Real, 0, None, closed="left")],
        "weight": [StrOptions({"precision"}), None],
        "max_rules": [Interval(Integral, 1, None, closed="left"), None],
        "shorten": ["boolean"],
        "fallback": [Interval(Real, 0, 1, closed="both"), None],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
    }

    def __init__(
        self,
        ensemble: Any = None,
        *,
        conditions: Literal["interval", "raw"] = "interval",
        pc: float | Chooser = "oob",
        wr: float | Chooser = "oob",
        multiplicity: float = 1.0,
        weight: Literal["precision"] | None = None,
        max_rules: int | None = None,
        shorten: bool = True,
        fallback: float | None = 0.5,
        n_folds: int = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.ensemble = ensemble
        self.conditions = conditions
        self.pc = pc
        self.wr = wr
        self.multiplicity = multiplicity
        self.weight = weight
        self.max_rules = max_rules
        self.shorten = shorten
        self.fallback = fallback
        self.n_folds = n_folds
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Turn the ensemble into rules and choose how they vote.

        Without y, the ensemble's labels are used in its place.

        %(distill_sections)s
        """
        self._check_parameters()
        teacher = resolve_teacher(self, X, y, sample_weight)
        self.ensemble_ = teacher.ensemble
        self.rule_pool_ = RulePool(
            with_trees(teacher, self.random_state),
            teacher.table if teacher.is_black_box else X,
            conditions=self.conditions,
            multiplicity=self.multiplicity,
            weight=self.weight,
            shorten=self.shorten,
            fallback=self.fallback,
        )
        self.duplicate_share_ = self.rule_pool_.duplicate_share
        self._select_and_choose()
        return self

    def resized(self, n_rules: int) -> RuleSetClassifier:
        """Return a copy of the classifier with another number of rules, for which pc and wr are chosen again.

        Parameters
        ----------
        n_rules : int
            Maximum number of rules, as ``max_rules``.

        Returns
        -------
        RuleSetClassifier
            A fitted copy, from the same ensemble.

        Raises
        ------
        ParameterError
            If this classifier was unpickled. Pickles do not hold the training rows.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sightline import RuleSetClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> whole = RuleSetClassifier(random_state=0).fit(X, y)
        >>> whole.resized(5).rules_.n_rules
        5
        """
        self._fitted_pool()
        return self._with_max_rules(n_rules)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if len({value for value in (self.pc, self.wr) if isinstance(value, str)}) > 1:
            raise ParameterError(
                "The 'pc' and 'wr' parameters of RuleSetClassifier must be chosen the same way, or given. "
                f"Got {self.pc!r} and {self.wr!r} instead."
            )

    def _fitted_pool(self) -> RulePool:
        check_is_fitted(self)
        if getattr(self, "rule_pool_", None) is None:
            raise ParameterError(
                "This RuleSetClassifier was unpickled, and pickles do not hold the training rows. "
                "Call resized before pickling, or fit again with max_rules."
            )
        return self.rule_pool_

    def _of_size(self, size: int) -> RuleSetClassifier:
        has_all = size >= self._fitted_pool().every_rule.n_rules
        return self._with_max_rules(None if has_all else size)

    def _default_sizes(self) -> tuple[int, ...]:
        pool = self._fitted_pool()
        n_all = pool.every_rule.n_rules
        return (5, 10, 20, 30, 50, 100, 200, n_all) if pool.covers(1) else (n_all,)

    def _with_max_rules(self, max_rules: int | None) -> RuleSetClassifier:
        other = copy.copy(self)
        other.rule_pool_ = self.rule_pool_  # __getstate__ keeps it out of copies
        other.max_rules = max_rules
        other._check_parameters()
        other._select_and_choose()
        return other

    @property
    def _model(self) -> RuleSet:
        return self.rules_

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("rule_pool_", None)
        return state

    def _select_and_choose(self) -> None:
        """Select rules, and choose pc and wr for them."""
        pool = self.rule_pool_
        rules = self._selected()
        shares, factors = self._grid
        chooser = next((value for value in (self.pc, self.wr) if isinstance(value, str)), None)
        if chooser == "oob" and pool.out_of_bag is None:
            chooser = "cv"
        if chooser == "cv" and pool.teacher.table.n_rows == 1:
            chooser = "train"
        self.choice_: VotingChoice | None = None
        self.pc_, self.wr_ = shares[0], factors[0]
        if chooser is not None:
            self.choice_ = self._choice_by_folds() if chooser == "cv" else self._choice(rules, chooser)
            self.pc_, self.wr_ = self.choice_.pc, self.choice_.wr
        self.rules_ = rules.with_voting(pc=self.pc_, wr=self.wr_)

    def _selected(self) -> RuleSet:
        """Return all rules, or the cover with the smallest error."""
        if self.max_rules is None:
            return self.rule_pool_.every_rule
        covers = self.rule_pool_.covers(self.max_rules)
        if not covers:
            raise DataError(
                "No rule covers more rows correctly than wrongly, so there is nothing to select. "
                "Omit max_rules, or pass rows like those that the ensemble was learned from."
            )
        return covers[0] if len(covers) == 1 else min(covers, key=self._cover_error)

    def _cover_error(self, rules: RuleSet) -> float:
        """Return the sum of the out-of-bag error and the training error.

        In a small cover, an out-of-bag row may have no rule left to judge it. So the first
        error alone is too strict, and the second alone too lenient.
        """
        on_training_rows = self._choice(rules, "train")
        if self.rule_pool_.out_of_bag is None:
            return on_training_rows.error
        choice = self._choice(rules, "oob")
        return choice.error + float(on_training_rows.errors[choice.index])

    @property
    def _grid(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The values of pc and wr to choose from."""
        shares = SHARES if isinstance(self.pc, str) else (float(self.pc),)
        factors = FACTORS if isinstance(self.wr, str) else (float(self.wr),)
        return shares, factors

    def _choice(self, rules: RuleSet, chooser: str) -> VotingChoice:
        teacher = self.rule_pool_.teacher
        out_of_bag = self.rule_pool_.out_of_bag if chooser == "oob" else None
        return choose_on_training_rows(
            rules, teacher.table, teacher.target, teacher.weights, *self._grid, out_of_bag, self.n_jobs
        )

    def _choice_by_folds(self) -> VotingChoice:
        """Judge each row by the rules of an ensemble that was fitted without it, if it can be fitted."""
        teacher = self.rule_pool_.teacher
        labels, weights = teacher.classes_[teacher.target], teacher.weights
        shares, factors = self._grid
        # A RandomState would give every size other folds.
        seed = 0 if hasattr(self.random_state, "random_sample") else self.random_state
        n_folds = min(self.n_folds, len(labels))
        fold = stratified_folds(teacher.target, n_folds, check_random_state(seed))
        errors = np.zeros((len(shares), len(factors)))
        for held_out in range(n_folds):
            inside, outside = np.flatnonzero(fold != held_out), np.flatnonzero(fold == held_out)
            inner: RuleSetClassifier = cloned(self).set_params(pc=1.0, wr=1.0)
            if isinstance(self.ensemble_, BlackBox):
                inner.set_params(ensemble=None)  # Trees like those in its place, from its labels.
            inner.fit(
                _safe_indexing(self.rule_pool_.X, teacher.row_index[inside]),
                labels[inside],
                None if weights is None else weights[inside],
            )
            codes = _codes_in(inner.classes_, labels[outside])
            outside_weights = None if weights is None else weights[outside]
            rows = teacher.table[outside].aligned(inner.rules_.schema)
            errors += voting_errors(
                inner.rules_, rows, codes, outside_weights, shares, factors, n_jobs=self.n_jobs
            )
            errors += total_weight(codes < 0, outside_weights)
        return choose_voting(errors, total_weight(teacher.target >= 0, weights), shares, factors)


def _codes_in(classes: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.int32]:
    """Return the indices of labels among classes; -1 for labels that are no class."""
    index = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([index.get(label, -1) for label in labels.tolist()], dtype=np.int32)
