"""Rules that vote or are averaged, usually the leaves of an ensemble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import UnsupportedModelError
from sightline.model._answering import Answering
from sightline.model._deciding_rules import DecidingRules, deciding_rules
from sightline.model._pickled import PickledAsJson
from sightline.model._rows import n_threads, native_rows
from sightline.model._rule import Condition, Rule, RuleErrors, RuleStatistics, Voting
from sightline.model._rule_means import RuleSums
from sightline.model._subject import AboutTarget
from sightline.table import Schema
from sightline.wording import pluralize

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sightline.model._black_box import BlackBox
    from sightline.model._ensemble import Ensemble


class RuleSet(PickledAsJson, AboutTarget, Answering):
    """Rules, each a conjunction of conditions with a class or a number, and how they vote.

    Parameters
    ----------
    core : _core.RuleSet
        The rules, valid by construction.
    schema : Schema
        Names and categories of the features.
    classes : ndarray of shape (n_classes,) or None
        The labels; None if the rules predict numbers.
    voting : Voting
        How matches become votes, and votes a class or a number.
    statistics : RuleStatistics or RuleErrors, optional
        Statistics of each rule on training rows.
    values : ndarray of shape (n_rules,), optional
        The number that each rule predicts, if there are no classes.

    Attributes
    ----------
    core : _core.RuleSet
        The rules.
    schema : Schema
        Names and categories of the features.
    classes_ : ndarray of shape (n_classes,) or None
        The labels; None if the rules predict numbers.
    voting : Voting
        How matches become votes, and votes a class or a number.
    statistics : RuleStatistics or RuleErrors
        Statistics of each rule on training rows; NaN if unknown.
    values : ndarray of shape (n_rules,) or None
        The number that each rule predicts; None if there are classes.

    Examples
    --------
    >>> import sightline as sl
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 5, ["no", "no", "yes", "yes"] * 5
    >>> rules = sl.RuleSetClassifier(random_state=0).fit(X, y).rules_
    >>> rules
    RuleSet(2 rules, 2 conditions, 1 feature, 2 classes)
    >>> rules.predict([[1.5]])
    array(['no'], dtype='<U3')
    >>> [len(rule.trees) for rule in rules.rules]
    [25, 25]
    """

    def __init__(
        self,
        core: _core.RuleSet,
        schema: Schema,
        classes: NDArray[Any] | None,
        voting: Voting,
        statistics: RuleStatistics | RuleErrors | None = None,
        values: NDArray[np.float64] | None = None,
    ) -> None:
        self.core = core
        self.schema = schema
        self.classes_: Any = classes
        self.voting = voting
        kind = RuleStatistics if classes is not None else RuleErrors
        # Any: whoever asks for a precision has made sure that there are classes.
        self.statistics: Any = statistics or kind.unknown(core.n_rules)
        self.values = np.zeros(core.n_rules) if values is None and classes is None else values

    @property
    def feature_names(self) -> list[str]:
        """Names of the features, in the order of the columns."""
        return self.schema.names

    @property
    def n_rules(self) -> int:
        """Number of rules."""
        return self.core.n_rules

    @property
    def n_trees(self) -> int:
        """Number of trees that the rules were taken from."""
        return self.core.n_trees

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Number of conditions per rule."""
        return np.diff(self.core.condition_begin)

    @cached_property
    def multiplicity(self) -> NDArray[np.int64]:
        """Number of trees per rule in which it was found."""
        return np.diff(self.core.source_begin)

    def boxed(self) -> _core.BoxedModel:
        """Return the rules in the form that proofs take."""
        self.require_classes("A proof")
        return _core.BoxedModel.of_rules(self.core, *self.voting.native)

    @property
    def size_(self) -> dict[str, int]:
        """Size of the rule set by several counts; depth is the length of the longest rule."""
        return {
            "nodes": 0,
            "leaves": 0,
            "depth": int(self.lengths.max(initial=0)),
            "rules": self.n_rules,
            "conditions": len(self.core.condition),
            "features": len(np.unique(self.core.feature)),
        }

    @property
    def rules(self) -> list[Rule]:
        """The rules, for reading."""
        conditions, measured = self.conditions, self.statistics.columns()
        return [
            Rule(
                tuple(conditions[c] for c in self.core.condition[begin:end]),
                label,
                float(weight),
                tuple(self.core.source[first:last].tolist()),
                **{name: float(value) for name, value in zip(measured, statistics, strict=True)},
            )
            for begin, end, label, weight, first, last, *statistics in zip(
                self.core.condition_begin[:-1],
                self.core.condition_begin[1:],
                self.labels,
                self.core.weight,
                self.core.source_begin[:-1],
                self.core.source_begin[1:],
                *measured.values(),
                strict=True,
            )
        ]

    @property
    def labels(self) -> NDArray[Any]:
        """The class that each rule votes for, or the number that it predicts."""
        return np.asarray(self.values if self.classes_ is None else self.classes_[self.core.label])

    @property
    def conditions(self) -> list[Condition]:
        """The different conditions; rules share them."""
        core, features = self.core, self.schema.features
        result = []
        for c, feature in enumerate(core.feature.tolist()):
            declared = features[feature].categories
            codes = core.category[core.category_begin[c] : core.category_begin[c + 1]]
            result.append(
                Condition(
                    features[feature].name,
                    float(core.low[c]),
                    float(core.high[c]),
                    None if declared is None else tuple(declared[code] for code in codes),
                    bool(core.accepts_missing[c]),
                )
            )
        return result

    def to_text(self, *, max_rules: int | None = 50, digits: int = 6, show_missing: bool = False) -> str:
        """Write the rules as text, grouped by class, the strongest first.

        Parameters
        ----------
        max_rules : int or None, default=50
            Maximum number of rules to write; None writes all.
        digits : int, default=6
            Significant digits of bounds. Those of one feature never look alike.
        show_missing : bool, default=False
            Whether to mark the conditions that a missing value satisfies.

        %(returns_text)s
        """
        text: str = self._display().text(max_rules=max_rules, digits=digits, show_missing=show_missing)
        return text

    def plot(self, ax: Axes | None = None, *, max_rules: int = 20, digits: int = 4) -> Axes:
        """Draw a bar per rule: the training rows that it covers, or its weight.

        Parameters
        ----------
        %(ax)s
        max_rules : int, default=20
            Maximum number of rules to draw.
        digits : int, default=4
            Significant digits of bounds. Those of one feature never look alike.

        %(returns_axes)s
        """
        axes: Axes = self._display().plot(ax, max_rules=max_rules, digits=digits)
        return axes

    def explain(self, rows: Any, *, ensemble: Ensemble | BlackBox | None = None, ids: Any = None) -> Any:
        """Explain the prediction for one row, or for many, by the rules that vote.

        Parameters
        ----------
        %(explained_rows)s
        ensemble : Ensemble or BlackBox, optional
            The ensemble that the rules summarize. The explanation then says whether it agrees.
        %(ids)s

        %(returns_explanations)s
        """
        return self._display().explain(rows, ensemble=ensemble, ids=ids)

    def to_frame(self, library: str = "pandas", *, digits: int = 6, show_missing: bool = False) -> Any:
        """Return the rules as a data frame, one row per rule.

        Parameters
        ----------
        library : {"pandas", "polars"}, default="pandas"
            The library of the frame.
        digits : int, default=6
            Significant digits of bounds. Those of one feature never look alike.
        show_missing : bool, default=False
            Whether to mark the conditions that a missing value satisfies.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            The rules in words, their classes, weights, numbers of conditions and trees, how many
            rows they cover and how often they are right, their trees and the rules with the same
            conditions but a different class.
        """
        return self._display().frame(library, digits=digits, show_missing=show_missing)

    def votes(self, X: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the votes of each row for each class.

        Parameters
        ----------
        %(rows)s
        %(n_jobs)s

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            See :class:`Voting`.
        """
        self.require_classes("A vote")
        rows = native_rows(X, self.schema, "RuleSet")
        return self.core.vote(rows, *self.voting.native, n_threads(n_jobs))

    def sums(
        self,
        X: Any,
        levels: Sequence[float],
        out_of_bag: NDArray[np.uint8] | None = None,
        n_jobs: int | None = None,
    ) -> RuleSums:
        """Return what the matching rules that predict numbers add up to; see :class:`RuleSums`."""
        rows = native_rows(X, self.schema, "RuleSet")
        fallback = () if self.voting.fallback is None else (self.voting.fallback,)
        values = np.asarray(self.values)
        return RuleSums.of(self.core, values, rows, [*levels, *fallback], out_of_bag, n_threads(n_jobs))

    def require_classes(self, what: str) -> None:
        """Refuse rules that predict numbers; ``what`` begins the sentence."""
        if self.classes_ is None:
            raise UnsupportedModelError(
                f"{what} needs rules that vote for classes, but these predict numbers. "
                "Use the tree of DistilledTreeRegressor instead."
            )

    def predict(self, X: Any, n_jobs: int | None = None) -> NDArray[Any]:
        """Return the label, or the number, of each row.

        %(predict_sections)s
        """
        if self.classes_ is None:
            return super().predict(X, n_jobs)
        return np.asarray(self.classes_[self.winners(self.votes(X, n_jobs))])

    def answers(self, X: Any, n_jobs: int | None = None) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the codes of the labels and the share of each class in the votes of rows.

        If votes are negative (rules against a class), all votes of the row are raised until the
        smallest is zero. Rules that predict numbers give codes of 0, and the numbers in one column.
        """
        if self.classes_ is None:
            voting = self.voting
            numbers = self.sums(X, [voting.pc], n_jobs=n_jobs).means(voting, voting.pc, voting.wr)
            return np.zeros(len(numbers), dtype=np.int32), numbers[:, None]
        votes = self.votes(X, n_jobs)
        winners = self.winners(votes).astype(np.int32)
        if (votes < 0).any():
            votes -= np.minimum(votes.min(axis=1, keepdims=True), 0.0)
        totals = votes.sum(axis=1, keepdims=True)
        equal = np.full_like(votes, 1 / votes.shape[1])
        return winners, np.divide(votes, totals, out=equal, where=totals > 0)

    def winners(self, votes: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the index of the class that wins each row of votes."""
        return self.core.winners(votes, list(self.voting.prior))

    def selected(self, rules: Sequence[int] | NDArray[np.int64]) -> RuleSet:
        """Return a set of some of the rules, in the given order.

        Parameters
        ----------
        rules : sequence of int
            Their numbers.

        Returns
        -------
        RuleSet
            The selected rules, with the same voting.
        """
        numbers = np.asarray(rules, dtype=np.int64)
        return RuleSet(
            self.core.selected(numbers),
            self.schema,
            self.classes_,
            self.voting,
            self.statistics.take(numbers),
            None if self.values is None else self.values[numbers],
        )

    def with_voting(self, **changes: Any) -> RuleSet:
        """Return the same rules with a different voting.

        Parameters
        ----------
        **changes
            Parameters of :class:`Voting`: ``pc``, ``wr``, ``fallback``, ``prior``, ``base``.

        Returns
        -------
        RuleSet
            The same rules and statistics.
        """
        voting = replace(self.voting, **changes)
        return RuleSet(self.core, self.schema, self.classes_, voting, self.statistics, self.values)

    def with_bounds(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> RuleSet:
        """Return the same rules with other numbers in their conditions.

        Parameters
        ----------
        low, high : ndarray of shape (n_conditions,)
            The bounds of each of the different conditions; those of nominal ones are ignored.

        Returns
        -------
        RuleSet
            With the statistics of this one.
        """
        arrays = {name: getattr(self.core, name) for name in _CORE_ARRAYS} | {"low": low, "high": high}
        core = _core.RuleSet(
            n_values=self.schema.n_values, n_classes=self.core.n_classes, n_trees=self.n_trees, **arrays
        )
        return RuleSet(core, self.schema, self.classes_, self.voting, self.statistics, self.values)

    def deciding(self, X: Any) -> DecidingRules:
        """Return whether full or partial matches decide the labels of rows, and how many rules are enough.

        Parameters
        ----------
        %(rows)s

        Returns
        -------
        DecidingRules
            One entry per row, ``shares``, and a sentence by ``str()``.

        Examples
        --------
        >>> import sightline as sl
        >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 5, ["no", "no", "yes", "yes"] * 5
        >>> rules = sl.RuleSetClassifier(random_state=0).fit(X, y).rules_
        >>> rules.deciding(X).shares
        {'full': 1.0, 'partial': 0.0, 'none': 0.0, 'unanimous': 1.0}
        """
        self.require_classes("What decides")
        return deciding_rules(self, X)

    def simplified(self) -> RuleSet:
        """Return a smaller rule set that gives every row the same label, provably.

        If only full matches vote (``pc`` 1 or ``wr`` 0, ``fallback`` None), the conditions
        of a rule become one per feature, rules that no row can satisfy are dropped, rules that
        then are equal are merged, and a rule is dropped if the rules of the same class that
        hold wherever it holds outvote all rules against them there without its help. Shares
        of the votes may change; labels do not.

        If partial matches vote, every condition counts, so only rules that can never
        vote are dropped.

        Returns
        -------
        RuleSet
            Its statistics are unknown where rules changed.

        Notes
        -----
        Takes time proportional to the square of the number of rules.

        Examples
        --------
        >>> import sightline as sl
        >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 5, ["no", "no", "yes", "yes"] * 5
        >>> rules = sl.RuleSetClassifier(pc=1.0, fallback=None, random_state=0).fit(X, y).rules_
        >>> rules.simplified().n_rules
        2
        """
        self.require_classes("A simplified rule set")
        core = self.core.simplified(*self.voting.native)
        return RuleSet(core, self.schema, self.classes_, self.voting, self._statistics_of(core))

    def _statistics_of(self, core: _core.RuleSet) -> RuleStatistics:
        """Statistics stay true for the rules that are still the same."""
        index = {key: number for number, key in enumerate(_keys(self.core))}
        known = np.array([index.get(key, -1) for key in _keys(core)], dtype=np.int64)
        taken = self.statistics.take(np.maximum(known, 0)) if self.n_rules else RuleStatistics.unknown(0)
        return RuleStatistics(*(np.where(known >= 0, array, np.nan) for array in taken.arrays))

    def conflicts(self) -> list[list[int]]:
        """Return the groups of rules that have the same conditions but vote for different classes.

        Returns
        -------
        list of list of int
            Numbers of the rules, each group in ascending order.
        """
        groups: dict[frozenset[int], list[int]] = {}
        begin = self.core.condition_begin
        for rule in range(self.n_rules):
            key = frozenset(self.core.condition[begin[rule] : begin[rule + 1]].tolist())
            groups.setdefault(key, []).append(rule)
        return [rules for rules in groups.values() if len({int(self.core.label[r]) for r in rules}) > 1]

    def __len__(self) -> int:
        return self.n_rules

    def __repr__(self) -> str:
        size = self.size_
        counts = [
            pluralize(self.n_rules, "rule"),
            pluralize(size["conditions"], "condition"),
            pluralize(size["features"], "feature"),
            "numbers" if self.classes_ is None else pluralize(len(self.classes_), "class", "classes"),
        ]
        counts += [f"predicts {self.subject}"] if self.subject else []
        return f"RuleSet({', '.join(counts)})"


_CORE_ARRAYS = (
    "feature",
    "low",
    "high",
    "accepts_missing",
    "category_begin",
    "category",
    "condition_begin",
    "condition",
    "label",
    "weight",
    "source_begin",
    "source",
)


def _keys(core: _core.RuleSet) -> list[object]:
    """Return a key that identifies each rule: its conditions by content, its class, its trees."""
    conditions = [
        (feature, low, high, missing, tuple(core.category[begin:end].tolist()))
        for feature, low, high, missing, begin, end in zip(
            core.feature.tolist(),
            core.low.tolist(),
            core.high.tolist(),
            core.accepts_missing.tolist(),
            core.category_begin[:-1],
            core.category_begin[1:],
            strict=True,
        )
    ]
    return [
        (
            frozenset(conditions[c] for c in core.condition[begin:end]),
            label,
            tuple(core.source[first:last].tolist()),
        )
        for begin, end, label, first, last in zip(
            core.condition_begin[:-1],
            core.condition_begin[1:],
            core.label.tolist(),
            core.source_begin[:-1],
            core.source_begin[1:],
            strict=True,
        )
    ]
