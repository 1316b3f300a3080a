"""One rule set from an ensemble, with votes of partial matches."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from sightline import _core
from sightline.distill._size_dial import SizeDial
from sightline.distill._teacher import Teacher, resolve_teacher
from sightline.distill._unseen_rows import unseen_rows
from sightline.distill._voting_choice import FACTORS, SHARES, VotingChoice, choose_voting, voting_errors
from sightline.exceptions import BudgetExceeded, DataError, ParameterError, UnsupportedModelError
from sightline.model import Ensemble, RuleSet, RuleStatistics, Voting

_MAX_CONDITIONS = 50_000_000
_MAX_ANSWERS = 20_000_000_000
"""Conditions times rows that shortening keeps in memory, a bit each."""
_COVER_TIMES = (3, 2, 1)
"""How often selection may want each training row to be covered rightly: few rules for many
classes can do it only once."""

Chooser = Literal["oob", "cv", "train"]


@dataclass
class _Training:
    """What choosing again asks for: the rows, as given and as the ensemble sees them, and the rules."""

    X: Any
    teacher: Teacher
    codes: NDArray[np.int32]
    unseen: NDArray[np.uint8] | None
    leaves: _core.RuleSet
    every_rule: RuleSet
    candidates: RuleSet | None = None


class RuleSetClassifier(SizeDial):
    """The rules of all trees of an ensemble in one set that votes, partial matches included.

    Every leaf becomes a rule and equal rules become one. A rule whose conditions all hold
    votes for its class with its weight; one of which a share of at least ``pc`` holds votes
    with ``wr`` times that share. With ``multiplicity=1`` and ``pc=1`` that is the vote of
    the ensemble's trees; with ``multiplicity=0`` it is the voting of the paper [1]_.

    Parameters
    ----------
    ensemble : object, optional
        What to summarise: None learns 25 bagged C4.5 trees; something fitted that
        :func:`sightline.load` understands is used as it is, something unfitted is fitted.
    conditions : {"interval", "raw"}, default="interval"
        What counts as a condition: all that a path says about one feature, or each test.
    pc : float in [0, 1], or {"oob", "cv", "train"}, default="oob"
        Least share of satisfied conditions of a rule that votes partially; or how it is
        chosen among 0.5, 0.6, …, 1: by the error on out-of-bag rows, by inner
        cross-validation, or by the error on the training rows, as in the paper. Where no
        out-of-bag rows are known, "oob" is "cv".
    wr : float in [0, 1], or {"oob", "cv", "train"}, default="oob"
        Factor of partial votes; or how it is chosen among 0.05, 0.1, …, 1.
    multiplicity : float, default=1.0
        A rule found in m trees has the weight m to this power: 1 counts every tree, 0 every
        rule once. Rules that were selected count once.
    weight : {"precision"}, optional
        Multiply weights by the share of training rows that a rule is right about, smoothed
        by one row per class.
    max_rules : int, optional
        Keep at most so many rules: those that cover the training rows best, chosen greedily.
        pc and wr are chosen for these.
    shorten : bool, default=True
        With ``max_rules``: offer each rule for selection also without the conditions that do
        not make it more precise on the rows that its trees have not seen (on all training
        rows, where these are not known). Few rules must be general to be good.
    fallback : float in [0, 1] or None, default=0.5
        Where no rule votes, partial matches of at least this share decide; None: the most
        frequent class does.
    n_folds : int, default=5
        Number of inner folds of "cv".
    n_jobs : int, optional
        Threads to use, as in joblib. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of an ensemble that has none of its own, and of the inner folds.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are nominal.

    Attributes
    ----------
    rules_ : RuleSet
        The rules and how they vote.
    ensemble_ : Ensemble
        What they were taken from.
    pc_ : float
        Least share of satisfied conditions of a rule that votes partially.
    wr_ : float
        Factor of partial votes.
    choice_ : VotingChoice or None
        Errors by which pc and wr were chosen; None if both were given.
    training_ : object
        The training rows and all rules, from which :meth:`resized` chooses again; not pickled.
    duplicate_share_ : float
        Share of the leaves whose rule had been found before.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had any.

    See Also
    --------
    sightline.RuleSet : What the rules can do.

    Notes
    -----
    A missing value fails a condition, unless the tree sends all missing values that way, as
    models of scikit-learn do; an unseen category is a missing value. Trees of C4.5 share a
    row with a missing value among their branches, which no rule can do: there the rules of
    such a tree match only partially. So with ``multiplicity=1`` and ``pc=1`` the labels
    equal those of the trees' majority vote (ties to the larger class) on every row without
    missing values, and on every row at all if no tree shares out missing values.

    Trees that add numbers to scores (boosting) have rules that vote by the number, for the
    second class or the first, or against a class if it is one of several.

    Out-of-bag, a row is judged only by the rules of trees that have not seen it. In inner
    cross-validation it is judged by the rules of a copy of the ensemble that is learnt
    without it; an ensemble that cannot be learnt again is held against the rows as they are.
    Errors are averaged over five neighbouring values of wr; equal ones go to the larger pc,
    then to the smaller wr.

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

    _size_unit = "rules"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "ensemble": [HasMethods("predict"), None],
        "conditions": [StrOptions({"interval", "raw"})],
        "pc": [Interval(Real, 0, 1, closed="both"), StrOptions({"oob", "cv", "train"})],
        "wr": [Interval(Real, 0, 1, closed="both"), StrOptions({"oob", "cv", "train"})],
        "multiplicity": [Interval(Real, 0, None, closed="left")],
        "weight": [StrOptions({"precision"}), None],
        "max_rules": [Interval(Integral, 1, None, closed="left"), None],
        "shorten": ["boolean"],
        "fallback": [Interval(Real, 0, 1, closed="both"), None],
        "n_folds": [Interval(Integral, 2, None, closed="left")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
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

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The training rows; NaN and None are missing values.
        y : array-like of shape (n_rows,), optional
            Their labels. May be left out if the ensemble is fitted: its own labels then
            take their place.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights; a row of weight 2 counts as two rows.

        Returns
        -------
        RuleSetClassifier
            Itself, fitted.
        """
        self._check_parameters()
        self._check_choosers()
        teacher = resolve_teacher(self, X, y, sample_weight)
        codes = teacher.answers()[0] if teacher.labels is None else teacher.labels.codes
        self.ensemble_ = teacher.ensemble
        core = self._native_rules(teacher.ensemble)
        n_leaves = sum(tree.n_leaves for tree in teacher.ensemble.core.trees)
        self.duplicate_share_ = 1 - core.n_rules / n_leaves
        unseen = unseen_rows(teacher)
        every_rule = self._rule_set(core, teacher, codes, unseen, self.multiplicity)
        self.training_ = _Training(X, teacher, codes, unseen, core, every_rule)
        self._choose()
        return self

    def resized(self, n_rules: int) -> RuleSetClassifier:
        """Return the same with at most so many rules, pc and wr chosen again.

        Parameters
        ----------
        n_rules : int
            Most rules, as ``max_rules``.

        Returns
        -------
        RuleSetClassifier
            Fitted, from the same ensemble.

        Raises
        ------
        ParameterError
            If this classifier was read from a pickle, which does not hold the training rows.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from sightline import RuleSetClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> whole = RuleSetClassifier(random_state=0).fit(X, y)
        >>> whole.resized(5).rules_.n_rules
        5
        """
        self._training()
        return self._with_most(n_rules)

    def _training(self) -> _Training:
        self._fitted_model()
        if getattr(self, "training_", None) is None:
            raise ParameterError(
                "The training rows are not there any more, because this RuleSetClassifier was pickled: "
                "call resized before that, or fit again with max_rules."
            )
        return self.training_

    def _of_size(self, size: int) -> RuleSetClassifier:
        is_whole = size >= self._training().every_rule.n_rules
        return self._with_most(None if is_whole else size)

    def _size(self) -> int:
        return self.rules_.n_rules

    def _default_sizes(self) -> tuple[int, ...]:
        every_size = self._training().every_rule.n_rules
        return (5, 10, 20, 30, 50, 100, 200, every_size) if self._covers(1) else (every_size,)

    def _with_most(self, max_rules: int | None) -> RuleSetClassifier:
        other = copy.copy(self)
        other.training_ = self.training_
        other.max_rules = max_rules
        other._check_parameters()
        other._choose()
        return other

    @property
    def _model(self) -> RuleSet:
        return self.rules_

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("training_", None)
        return state

    def _check_choosers(self) -> None:
        choosers = {value for value in (self.pc, self.wr) if isinstance(value, str)}
        if len(choosers) > 1:
            raise ParameterError(
                "The 'pc' and 'wr' parameters of RuleSetClassifier must be chosen the same way, or given. "
                f"Got {self.pc!r} and {self.wr!r} instead."
            )

    def _native_rules(self, ensemble: Ensemble) -> _core.RuleSet:
        adds_scores = ensemble.link.kind in ("sigmoid", "softmax") and not ensemble.core.votes
        try:
            core = _core.rules_of_ensemble(
                ensemble.core, ensemble.n_classes, adds_scores, self.conditions == "raw", _MAX_CONDITIONS
            )
        except OverflowError:
            raise BudgetExceeded(
                f"The rules of the ensemble would have more than {_MAX_CONDITIONS:,} conditions: "
                "take fewer or shallower trees, or conditions='interval'."
            ) from None
        if core.n_rules == 0:
            raise UnsupportedModelError(
                "The ensemble has no rules: every leaf of its trees adds zero. There is nothing to summarise."
            )
        return core

    def _rule_set(
        self,
        core: _core.RuleSet,
        teacher: Teacher,
        codes: NDArray[np.int32],
        unseen: NDArray[np.uint8] | None,
        multiplicity: float,
    ) -> RuleSet:
        statistics = self._statistics(core, teacher, codes, unseen)
        weighted = core.reweighted(self._weights(core, statistics, multiplicity))
        voting = self._first_voting(teacher, codes)
        return RuleSet(weighted, teacher.ensemble.schema, teacher.classes_, voting, statistics)

    def _statistics(
        self,
        core: _core.RuleSet,
        teacher: Teacher,
        codes: NDArray[np.int32],
        unseen: NDArray[np.uint8] | None,
    ) -> RuleStatistics:
        rows = teacher.table.native()
        known = _coverage_and_precision(core, _core.cover_counts(core, rows, codes, teacher.weights, None))
        if unseen is None:
            unknown = np.full(core.n_rules, np.nan)
            return RuleStatistics(*known, unknown, unknown)
        counts = _core.cover_counts(core, rows, codes, teacher.weights, unseen)
        return RuleStatistics(*known, *_coverage_and_precision(core, counts))

    def _weights(
        self, core: _core.RuleSet, statistics: RuleStatistics, multiplicity: float
    ) -> NDArray[np.float64]:
        """Return the sum over the source trees, as if each rule were found in m ** multiplicity of them."""
        n_sources = np.diff(core.source_begin).astype(np.float64)
        weights: NDArray[np.float64] = core.weight * n_sources ** (multiplicity - 1)
        if self.weight == "precision":
            right = np.nan_to_num(statistics.coverage * statistics.precision)
            weights = weights * (right + 1) / (statistics.coverage + core.n_classes)
        return weights

    def _first_voting(self, teacher: Teacher, codes: NDArray[np.int32]) -> Voting:
        counts = np.bincount(codes, weights=teacher.weights, minlength=len(teacher.classes_))
        prior = tuple((counts / counts.sum()).tolist())
        return Voting(prior, _base_votes(teacher.ensemble), fallback=self.fallback)

    def _choose(self) -> None:
        """Select rules, and choose pc and wr for them."""
        training = self.training_
        rules = self._selection()
        shares, factors = self._grid
        chooser = next((value for value in (self.pc, self.wr) if isinstance(value, str)), None)
        if chooser == "oob" and training.unseen is None:
            chooser = "cv"
        if chooser == "cv" and len(training.codes) == 1:
            chooser = "train"
        self.choice_: VotingChoice | None = None
        self.pc_, self.wr_ = shares[0], factors[0]
        if chooser is not None:
            self.choice_ = self._choice(rules, chooser, shares, factors)
            self.pc_, self.wr_ = self.choice_.pc, self.choice_.wr
        self.rules_ = rules.with_voting(pc=self.pc_, wr=self.wr_)

    def _selection(self) -> RuleSet:
        """Return all rules, or the cover with the least error among those for several times."""
        if self.max_rules is None:
            return self.training_.every_rule
        covers = self._covers(self.max_rules)
        if not covers:
            raise DataError(
                "No rule covers more rows rightly than wrongly: there is nothing to select. "
                "Leave max_rules out, or give rows that the ensemble has learnt from."
            )
        candidates = self._candidates()
        rules = [candidates.selected(chosen) for chosen in covers]
        return rules[0] if len(rules) == 1 else min(rules, key=self._cover_error)

    def _covers(self, max_rules: int) -> list[list[int]]:
        """Return the places of the candidates that cover the rows, for several times, without repetition."""
        training, candidates = self.training_, self._candidates()
        covers: list[list[int]] = []
        for times in _COVER_TIMES:
            chosen = _core.greedy_cover(
                candidates.core,
                training.teacher.table.native(),
                training.codes,
                training.teacher.weights,
                times=times,
                wrong_costs=1.0,
                max_rules=max_rules,
            )
            if chosen and chosen not in covers:
                covers.append(chosen)
        return covers

    def _candidates(self) -> RuleSet:
        """Return the rules to select from: all, and shortened ones if wanted.

        Each counts once: the trees of the rules left out do not speak any more, so that a rule
        of many trees would only drown the others.
        """
        training = self.training_
        if training.candidates is None:
            teacher, codes, unseen = training.teacher, training.codes, training.unseen
            core = training.leaves
            if self.shorten:
                if core.n_conditions * teacher.table.n_rows > _MAX_ANSWERS:
                    raise BudgetExceeded(
                        f"Shortening rules asks {core.n_conditions:,} conditions about "
                        f"{teacher.table.n_rows:,} rows, which is too much: give shorten=False or fewer rows."
                    )
                core = _core.with_shortened(core, teacher.table.native(), codes, teacher.weights, unseen)
            training.candidates = self._rule_set(core, teacher, codes, unseen, 0.0)
        return training.candidates

    def _cover_error(self, rules: RuleSet) -> float:
        """Return the out-of-bag error plus the training error.

        A row that a rule was grown on may be judged by nobody else, so that the first alone
        would be too hard on small covers, and the second alone too kind.
        """
        shares, factors = self._grid
        by_training = self._choice(rules, "train", shares, factors)
        if self.training_.unseen is None:
            return by_training.error
        choice = self._choice(rules, "oob", shares, factors)
        place = shares.index(choice.pc), factors.index(choice.wr)
        return choice.error + float(by_training.errors[place])

    @property
    def _grid(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The values of pc and wr to choose from."""
        shares = SHARES if isinstance(self.pc, str) else (float(self.pc),)
        factors = FACTORS if isinstance(self.wr, str) else (float(self.wr),)
        return shares, factors

    def _choice(
        self, rules: RuleSet, chooser: Chooser, shares: tuple[float, ...], factors: tuple[float, ...]
    ) -> VotingChoice:
        training = self.training_
        if chooser == "cv":
            return self._choice_by_folds(shares, factors)
        weights = training.teacher.weights
        codes, unseen = training.codes, None
        if chooser == "oob" and training.unseen is not None:
            unseen = training.unseen
            codes = np.where(unseen.any(axis=0), codes, -1).astype(np.int32)
        errors = voting_errors(
            rules, training.teacher.table, codes, weights, shares, factors, unseen, self.n_jobs
        )
        return choose_voting(errors, _total(codes >= 0, weights), shares, factors)

    def _choice_by_folds(self, shares: tuple[float, ...], factors: tuple[float, ...]) -> VotingChoice:
        """Judge rules of ensembles that have not seen the rows; a fixed ensemble by the rows as they are."""
        training = self.training_
        teacher = training.teacher
        weights = teacher.weights
        fold = _folds(training.codes, self.n_folds, self.random_state)
        errors = np.zeros((len(shares), len(factors)))
        for held_out in range(int(fold.max()) + 1):
            inside, outside = np.flatnonzero(fold != held_out), np.flatnonzero(fold == held_out)
            inner: RuleSetClassifier = clone(self).set_params(pc=1.0, wr=1.0)
            labels = teacher.classes_[training.codes]
            inner.fit(
                _safe_indexing(training.X, teacher.places[inside]),
                labels[inside],
                None if weights is None else weights[inside],
            )
            codes = _codes_among(labels[outside], inner.classes_)
            known = None if weights is None else weights[outside]
            rows = teacher.table[outside].aligned(inner.rules_.schema)
            errors += voting_errors(inner.rules_, rows, codes, known, shares, factors, n_jobs=self.n_jobs)
            errors += _total(codes < 0, known)
        return choose_voting(errors, _total(training.codes >= 0, weights), shares, factors)


def _coverage_and_precision(
    core: _core.RuleSet, counts: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    coverage = counts.sum(axis=1)
    named = counts[np.arange(core.n_rules), core.label]
    right = np.where(core.weight < 0, coverage - named, named)
    precision = np.divide(right, coverage, out=np.full(core.n_rules, np.nan), where=coverage > 0)
    return coverage, precision


def _base_votes(ensemble: Ensemble) -> tuple[float, ...]:
    """Return the scores before the first tree as votes; one score alone is for the second class."""
    base = ensemble.core.base
    if ensemble.core.n_scores == ensemble.n_classes:
        return tuple(base)
    return (max(-base[0], 0.0), max(base[0], 0.0))


def _total(is_counted: NDArray[np.bool_], weights: NDArray[np.float64] | None) -> float:
    return float(is_counted.sum() if weights is None else weights[is_counted].sum())


def _folds(codes: NDArray[np.int32], n_folds: int, random_state: Any) -> NDArray[np.int64]:
    """Deal the rows of each class to the folds in turn, as evenly as can be."""
    random = check_random_state(random_state if not hasattr(random_state, "random_sample") else 0)
    order = np.lexsort((random.permutation(len(codes)), codes))
    fold = np.empty(len(codes), dtype=np.int64)
    fold[order] = np.arange(len(codes)) % min(n_folds, len(codes))
    return fold


def _codes_among(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int32]:
    place = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([place.get(label, -1) for label in labels.tolist()], dtype=np.int32)
