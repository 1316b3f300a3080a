"""Base class of rule sets: collect, select and weight rules, for classes or numbers."""

from __future__ import annotations

import copy
from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sightline.distill._clone import cloned
from sightline.distill._remarks import about_sample_weights, about_stand_in
from sightline.distill._rule_pool import RulePool
from sightline.distill._size_path import SizePath
from sightline.distill._stand_in import with_trees
from sightline.distill._teacher import Teacher, resolve_teacher
from sightline.distill._voting_choice import (
    FACTORS,
    SHARES,
    Ties,
    VotingChoice,
    choose_on_training_rows,
    choose_voting,
    is_judged,
    total_weight,
    voting_errors,
)
from sightline.exceptions import ParameterError
from sightline.model import RuleSet
from sightline.sklearn_internals import Interval, StrOptions, safe_indexing
from sightline.table import stratified_folds

Chooser = Literal["oob", "cv", "train"]
_SIZES = (5, 10, 20, 30, 50, 100, 200)
MAX_DEFAULT_RULES = 2000
"""A curve ends with all rules if they are no more than this: a forest has hundreds of thousands, which take
minutes to weigh, and a report would carry them all."""


class RuleDistiller(SizePath):
    """Base class of the estimators that summarize an ensemble as rules, of classes or of numbers.

    A subclass sets the parameters and implements :meth:`_pool` and :meth:`_judged`.
    """

    conditions: Literal["interval", "raw"] | None
    pc: float | Chooser | None
    wr: float | Chooser | None
    ties: Ties | None
    multiplicity: float | None
    weight: str | None
    max_rules: int | None
    shorten: bool
    fallback: float | None
    n_folds: int
    n_jobs: int | None
    random_state: Any

    size_unit = "rules"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "conditions": [StrOptions({"interval", "raw"})],
        "pc": [Interval(Real, 0, 1, closed="both"), StrOptions({"oob", "cv", "train"})],
        "wr": [Interval(Real, 0, 1, closed="both"), StrOptions({"oob", "cv", "train"})],
        "ties": [StrOptions({"full", "smallest"})],
        "multiplicity": [Interval(Real, 0, None, closed="left")],
        "max_rules": [Interval(Integral, 1, None, closed="left"), None],
        "shorten": ["boolean"],
        "fallback": [Interval(Real, 0, 1, closed="both"), None],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
    }

    @abstractmethod
    def _pool(self, teacher: Teacher, X: Any, **options: Any) -> RulePool:
        """Return the rules of the ensemble, and the rows by which some are selected."""

    def _decided(self, teacher: Teacher) -> Teacher:
        """Return the teacher with the labels that the rules imitate, and a sentence about them."""
        return teacher

    @abstractmethod
    def _judged(self, target: NDArray[Any]) -> NDArray[Any]:
        """Return a target in the codes of this estimator's classes, or as numbers."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Turn the ensemble into rules and choose how they vote.

        Without y, the ensemble's predictions are used instead.

        %(distill_sections)s
        """
        self._check_parameters()
        teacher = self._decided(resolve_teacher(self, X, y, sample_weight))
        self.ensemble_ = teacher.ensemble
        with_rules = with_trees(teacher, self.random_state)
        self.training_remarks_ = [
            *about_stand_in(teacher, with_rules),
            *about_sample_weights(teacher),
        ]
        self.rule_pool_ = self._pool(
            with_rules,
            X if with_rules is teacher else teacher.table,
            conditions=self._setting("conditions"),
            multiplicity=self._setting("multiplicity"),
            weight=self.weight,
            shorten=self.shorten,
            fallback=self.fallback,
        )
        self._select_and_choose()
        return self

    def resized(self, n_rules: int) -> Self:
        """Return a copy of the estimator with a different number of rules; pc and wr are chosen again.

        Parameters
        ----------
        n_rules : int
            Maximum number of rules, as ``max_rules``.

        Returns
        -------
        estimator
            A fitted copy, from the same ensemble.

        Raises
        ------
        ParameterError
            If this estimator was unpickled. Pickles do not hold the training rows.

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
        pc, wr = self._voting
        if len({value for value in (pc, wr) if isinstance(value, str)}) > 1:
            raise ParameterError(
                f"The 'pc' and 'wr' parameters of {type(self).__name__} must be chosen the same way, or "
                f"given. Got {pc!r} and {wr!r} instead."
            )

    def _fitted_pool(self) -> RulePool:
        check_is_fitted(self)
        if getattr(self, "rule_pool_", None) is None:
            raise ParameterError(
                f"This {type(self).__name__} was unpickled, and pickles do not hold the training rows. "
                "Call resized before pickling, or fit again with max_rules."
            )
        return self.rule_pool_

    def _of_size(self, size: int) -> Self:
        has_all = size >= self._fitted_pool().every_rule.n_rules
        return self._with_max_rules(None if has_all else size)

    def _default_sizes(self) -> tuple[int, ...]:
        n_all = self._fitted_pool().every_rule.n_rules
        return (*_SIZES, n_all) if n_all <= MAX_DEFAULT_RULES else _SIZES

    def _with_max_rules(self, max_rules: int | None) -> Self:
        other = copy.copy(self)
        other.rule_pool_ = self.rule_pool_  # __getstate__ keeps it out of copies
        other.max_rules = max_rules
        other._check_parameters()
        other._select_and_choose()
        return other

    @property
    def remarks_(self) -> list[str]:
        """Facts about the rules, such as the threshold of their labels or whose trees they come from."""
        check_is_fitted(self)
        rule = self.rules_.label_rule
        return [*([rule] if rule else []), *self.training_remarks_]

    @property
    def duplicate_share_(self) -> float:
        """Share of the leaves whose rule occurs more than once, not counting the first."""
        return self._fitted_pool().duplicate_share

    @property
    def _model(self) -> RuleSet:
        return self.rules_

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("rule_pool_", None)
        return state

    def explain(self, rows: Any, *, ids: Any = None) -> Any:
        """Explain the prediction for one row, or for many, by the rules that vote.

        Parameters
        ----------
        %(explained_rows)s
        %(ids)s

        Returns
        -------
        Explanation or Explanations
            The rules that vote, what their columns contribute, and what the ensemble predicts. ``str()``
            gives plain sentences about the rules.
        """
        check_is_fitted(self)
        return self.rules_._display().explain(rows, ensemble=self.ensemble_, ids=ids, mentions_ensemble=False)

    def _select_and_choose(self) -> None:
        """Select rules, and choose pc and wr for them."""
        pool = self.rule_pool_
        rules = pool.every_rule if self.max_rules is None else pool.selected(self.max_rules)
        shares, factors = self._grid
        self.choice_: VotingChoice | None = None
        self.pc_, self.wr_ = shares[0], factors[0]
        chooser = next((value for value in self._voting if isinstance(value, str)), None)
        if chooser is not None:
            self.choice_ = self._choice_by(chooser, rules)
            self.pc_, self.wr_ = self.choice_.pc, self.choice_.wr
        self.rules_ = rules.with_voting(pc=self.pc_, wr=self.wr_)

    def _choice_by(self, chooser: str, rules: RuleSet) -> VotingChoice:
        """Choose pc and wr as requested, or in the next best available way."""
        pool = self.rule_pool_
        if chooser != "train" and self.max_rules is not None:
            parts = pool.held_out(rules, self.max_rules)
            if parts:
                return self._choice_by_parts(parts)
        if chooser == "oob" and pool.out_of_bag is None:
            chooser = "cv"
        if chooser == "cv" and pool.teacher.table.n_rows > 1:
            return self._choice_by_folds()
        return self._choice(rules, "train" if chooser == "cv" else chooser)

    @property
    def _voting(self) -> tuple[float | Chooser, float | Chooser]:
        """How rules vote: pc and wr, or how to choose them."""
        return self._setting("pc"), self._setting("wr")

    @property
    def _grid(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The values of pc and wr to choose from."""
        pc, wr = self._voting
        shares = SHARES if isinstance(pc, str) else (float(pc),)
        factors = FACTORS if isinstance(wr, str) else (float(wr),)
        return shares, factors

    def _choice(self, rules: RuleSet, chooser: str) -> VotingChoice:
        teacher = self.rule_pool_.teacher
        out_of_bag = self.rule_pool_.out_of_bag if chooser == "oob" else None
        return choose_on_training_rows(
            rules,
            teacher.table,
            teacher.target,
            teacher.weights,
            *self._grid,
            out_of_bag,
            self.n_jobs,
            self._setting("ties"),
        )

    def _choice_by_parts(self, parts: list[tuple[RuleSet, NDArray[np.intp]]]) -> VotingChoice:
        """Judge whether rules agree with the ensemble on rows that they were selected without."""
        teacher = self.rule_pool_.teacher
        shares, factors = self._grid
        errors, weight = np.zeros((len(shares), len(factors))), 0.0
        for rules, outside in parts:
            own = teacher.part(outside)
            errors += voting_errors(
                rules, own.table, own.target, own.weights, shares, factors, n_jobs=self.n_jobs
            )
            weight += total_weight(is_judged(own.target), own.weights)
        return choose_voting(errors, weight, shares, factors, self._setting("ties"))

    def _choice_by_folds(self) -> VotingChoice:
        """Judge each row by the rules of an ensemble that was fitted without it, if it can be fitted."""
        teacher = self.rule_pool_.teacher
        target, weights = teacher.given_or_predicted, teacher.weights
        shares, factors = self._grid
        # A RandomState would give every size other folds.
        seed = 0 if hasattr(self.random_state, "random_sample") else self.random_state
        n_folds = min(self.n_folds, len(target))
        fold = stratified_folds(teacher.target, n_folds, check_random_state(seed))
        errors = np.zeros((len(shares), len(factors)))
        for held_out in range(n_folds):
            inside, outside = np.flatnonzero(fold != held_out), np.flatnonzero(fold == held_out)
            inner: Self = cloned(self).set_params(pc=1.0, wr=1.0)
            if teacher.ensemble is not self.ensemble_:
                inner.set_params(ensemble=None)  # Trees like those in its place, from its answers.
            inner.fit(
                safe_indexing(self.rule_pool_.X, teacher.row_index[inside]),
                target[inside],
                None if weights is None else weights[inside],
            )
            judged = inner._judged(target[outside])
            outside_weights = None if weights is None else weights[outside]
            rows = teacher.table[outside].aligned(inner.rules_.schema)
            errors += voting_errors(
                inner.rules_, rows, judged, outside_weights, shares, factors, n_jobs=self.n_jobs
            )
            errors += total_weight(~is_judged(judged), outside_weights)
        return choose_voting(
            errors, total_weight(np.ones(len(target), bool), weights), shares, factors, self._setting("ties")
        )
