"""Explanations as data: what is predicted for rows, and why."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError
from sightline.model._plain import plain
from sightline.model._readable import Shown
from sightline.wording import list_names

__all__ = ["EnsembleAnswer", "Explanation", "Explanations", "Findings", "NearCase", "Reason", "RuleVote"]


_MAX_LISTED = 20
"""Rows of the same name that an error lists."""


class Record:
    """A dataclass whose fields can be written as JSON."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, ready for JSON."""
        return {name: plain(value) for name, value in vars(self).items()}


@dataclass(frozen=True)
class Reason(Record):
    """A condition that a row meets, and how much it moved the prediction.

    Attributes
    ----------
    column : str
        The column.
    condition : str
        The condition in words, such as ``age <= 30``.
    value : object
        The row's own value, None if it is missing.
    change : float
        How much the condition raised the probability of the predicted label, or the number; negative if
        it lowered it. In a tree whose labels follow costs or class weights of more than two classes: how
        much it raised the label's lead, the difference between its expected cost and that of the cheapest
        other label.
    low, high : float or None
        For a number: the condition holds above `low` and up to `high`; None if there is no such bound.
    values : tuple or None
        For a category: the values for which the condition holds; None if all do.
    unit : str
        The unit of the column's numbers, such as "%", or an empty string.
    kind : str
        What the numbers of `low` and `high` mean: "date", "datetime", "datetime UTC" or "duration", as in
        :class:`Feature`; empty for plain numbers. The value of such a column is text.
    excluded : tuple
        For a category: the values that the condition names because it does not hold for them, as in
        ``purpose != car``.
    """

    column: str
    condition: str
    value: Any
    change: float
    low: float | None = None
    high: float | None = None
    values: tuple[Any, ...] | None = None
    unit: str = ""
    kind: str = ""
    excluded: tuple[Any, ...] = ()


@dataclass(frozen=True)
class EnsembleAnswer(Record):
    """Prediction of the summarized ensemble for a row.

    Attributes
    ----------
    prediction : object
        Its label or number.
    probability : float or None
        The probability that it gives its label; None if it predicts numbers, or labels only.
    agrees : bool or None
        Whether the model predicts the same label; None if they predict numbers.
    difference : float or None
        For numbers: the ensemble's minus the model's.
    votes : dict of object to int
        How many of its trees vote for each label; empty for numbers and for black boxes.
    low, high : float or None
        For numbers: the lowest and the highest prediction of a single tree.
    """

    prediction: Any
    probability: float | None = None
    agrees: bool | None = None
    difference: float | None = None
    votes: dict[Any, int] | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class RuleVote(Record):
    """A rule that contributes to the prediction for a row.

    Attributes
    ----------
    rule : int
        Number of the rule in its set.
    condition : str
        Its conditions in words.
    prediction : object
        The label that it votes for, or the number that it predicts.
    weight : float
        The weight of a full match; negative if it votes against the label.
    share : float
        Share of its conditions that hold.
    change : float
        How much the rule raised the probability of the predicted label, or the number.
    support, precision : float or None
        Training rows that satisfy the rule, and the share of them with its label; None if not known.
    """

    rule: int
    condition: str
    prediction: Any
    weight: float
    share: float
    change: float
    support: float | None = None
    precision: float | None = None


@dataclass(frozen=True)
class NearCase(Record):
    """A case with a known outcome, compared with a row.

    Attributes
    ----------
    case : object
        Name of the case, or its row number in the training data.
    outcome : object
        Its known label or number.
    supports : bool
        Whether it has the predicted label, or a number near the predicted one.
    distance : float
        Distance between the features.
    differences : dict of str to tuple
        Per column in which they differ: the value of the case and that of the row.
    """

    case: Any
    outcome: Any
    supports: bool
    distance: float
    differences: dict[str, tuple[Any, Any]]


class Findings(ABC):
    """What a model predicts for rows, and why: stored by column, worded only on demand.

    There is a subclass per kind of model in :mod:`sightline.show`.

    Attributes
    ----------
    labels : list or None
        The labels that the model may predict; None if it predicts numbers.
    predictions : ndarray of shape (n_rows,)
        Labels or numbers.
    probabilities : ndarray of shape (n_rows,) or None
        Probability of each predicted label; None if numbers are predicted, or labels only.
    gives_reasons : bool
        Whether this kind of model knows which conditions led to a prediction.
    has_leads : bool
        Whether reasons raise the lead of a label in expected cost, not its probability.
    target : str
        Name of the target; empty if the model does not know it.
    is_weighted : bool
        Whether training rows had weights, so that ``support`` is a sum of weights.
    """

    labels: list[Any] | None
    predictions: NDArray[Any]
    probabilities: NDArray[np.float64] | None
    gives_reasons: bool = True
    has_leads: bool = False
    target: str = ""
    is_weighted: bool = False

    @abstractmethod
    def sentences(self, row: int) -> str:
        """Explain a row in a few sentences, one per line."""

    def conditions(self, row: int) -> tuple[Reason, ...]:  # noqa: ARG002
        """Return the conditions that a row meets, in the order in which the model tests them."""
        return ()

    def support(self, row: int) -> tuple[float | None, float | None]:  # noqa: ARG002
        """Return how many training rows ended where this one does, and the share of its label."""
        return None, None

    def is_proved(self, row: int, search: bool = True) -> bool | None:  # noqa: ARG002
        """Return whether the ensemble provably agrees wherever the same conditions hold, if known."""
        return None

    def ensemble_answer(self, row: int) -> EnsembleAnswer | None:  # noqa: ARG002
        """Return what the ensemble predicts, if there is one."""
        return None

    def rules(self, row: int) -> tuple[RuleVote, ...]:  # noqa: ARG002
        """Return the rules that take part, the strongest first."""
        return ()

    def cases(self, row: int) -> tuple[NearCase, ...]:  # noqa: ARG002
        """Return the nearest cases, the most similar first."""
        return ()

    def base_rate(self, row: int) -> float | None:  # noqa: ARG002
        """Return the share of a row's label among all training rows, if known."""
        return None

    def is_usual(self, row: int) -> bool:  # noqa: ARG002
        """Return whether more than half of the training rows get the label of a row, as far as is known."""
        return False

    @property
    def ensemble_labels(self) -> NDArray[Any] | None:
        """The labels that the ensemble gives the rows; None if there is none, or if it predicts numbers."""
        return None

    def objection(self, row: int) -> str:  # noqa: ARG002
        """Say why the reasons for a row's label are not those of the ensemble; empty if it agrees."""
        return ""

    @abstractmethod
    def columns(self, prove: bool) -> dict[str, NDArray[Any]]:
        """Return what a frame shows about all rows, besides their names, predictions and probabilities."""


class Explanation(Shown):
    """Why a model predicts what it predicts for one row.

    ``str()`` gives plain sentences; in a notebook it shows itself as a card.

    Parameters
    ----------
    findings : Findings
        What is known about this row and others.
    index : int
        Index of the row among them.
    row : object
        Name of the row; None if it has none.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> why = credit_tree().explain({"age": 25, "income": 1800, "purpose": "car"})
    >>> why.prediction, why.probability, why.support, why.precision
    ('bad', 0.8, 25.0, 0.8)
    >>> [(reason.condition, reason.value, round(reason.change, 2)) for reason in why.reasons]
    [('age <= 30', 25.0, 0.32), ('income <= 2000', 1800.0, 0.15)]
    >>> print(why)
    Predicted bad. 25 training rows took this path; 80% of them were "bad".
    Because age <= 30 (yours: 25) and income <= 2000 (yours: 1800).
    """

    def __init__(self, findings: Findings, index: int = 0, row: Any = None) -> None:
        self.findings = findings
        self.index = index
        self.row = row

    @property
    def prediction(self) -> Any:
        """The predicted label or number."""
        return plain(self.findings.predictions[self.index])

    @property
    def probability(self) -> float | None:
        """The probability of the predicted label; None if a number or only a label is predicted."""
        known = self.findings.probabilities
        return None if known is None else float(known[self.index])

    @property
    def is_number(self) -> bool:
        """Whether a number is predicted, not a label."""
        return self.findings.labels is None

    @property
    def conditions(self) -> tuple[Reason, ...]:
        """The conditions that the row meets, one per column, in the order in which the model tests them."""
        return self.findings.conditions(self.index)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """The conditions, ordered by how much they moved the probability or the number."""
        return tuple(sorted(self.conditions, key=lambda reason: -abs(reason.change)))

    @property
    def support(self) -> float | None:
        """How many training rows ended in the same leaf; None without a single leaf or without counts."""
        return self.findings.support(self.index)[0]

    @property
    def precision(self) -> float | None:
        """Share of those rows that have the predicted label; None if not known."""
        return self.findings.support(self.index)[1]

    @property
    def proved(self) -> bool | None:
        """Whether the ensemble provably agrees on every row that takes the same path.

        False if it provably does not, None if that is not known. The search takes half a second at most.
        """
        return self.findings.is_proved(self.index)

    @property
    def ensemble(self) -> EnsembleAnswer | None:
        """What the ensemble predicts; None if there is none."""
        return self.findings.ensemble_answer(self.index)

    @property
    def rules(self) -> tuple[RuleVote, ...]:
        """For a rule set: the rules that vote, the strongest first."""
        return self.findings.rules(self.index)

    @property
    def cases(self) -> tuple[NearCase, ...]:
        """For a case base: the nearest cases, then the nearest one against the prediction."""
        return self.findings.cases(self.index)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON.

        Returns
        -------
        dict
            The keys are ``row``, ``prediction``, ``probability``, ``support``, ``precision``, ``path`` (the
            conditions in words), ``reasons``, ``proved``, ``ensemble``, ``rules`` and ``cases``.
        """
        return self._to_dict(search=True)

    def _to_dict(self, search: bool) -> dict[str, Any]:
        conditions = self.conditions
        ordered = sorted(conditions, key=lambda reason: -abs(reason.change))
        ensemble = self.ensemble
        support, precision = self.findings.support(self.index)
        return {
            "row": plain(self.row),
            "prediction": self.prediction,
            "probability": self.probability,
            "support": plain(support),
            "precision": plain(precision),
            "path": [reason.condition for reason in conditions],
            "reasons": [reason.to_dict() for reason in ordered],
            "proved": self.findings.is_proved(self.index, search),
            "ensemble": None if ensemble is None else ensemble.to_dict(),
            "rules": [rule.to_dict() for rule in self.rules],
            "cases": [case.to_dict() for case in self.cases],
        }

    def to_frame(self, library: str = "pandas") -> Any:
        """Return the reasons as a data frame, the strongest first.

        Parameters
        ----------
        library : {"pandas", "polars"}, default="pandas"
            The library of the frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            One row per reason: its column, condition, the row's value (as a string), and the change.
        """
        return self._display().frame(library)

    def to_letter(
        self,
        template: str | None = None,
        *,
        names: Mapping[str, str] | None = None,
        target: str | None = None,
        changes: Any = None,
    ) -> str:
        """Write a plain letter to the person described by the row: the result and its main reasons.

        Parameters
        ----------
        template : str, optional
            The text, with placeholders: ``$row``, ``$prediction``, ``$target``, ``$result`` (such as
            ``default = yes``), ``$probability``, ``$reasons`` (a numbered list), ``$reason_1`` to
            ``$reason_4``, ``$evidence`` and ``$changes``; ``$$`` is a dollar sign. By default
            :data:`sightline.show.LETTER`, or with changes :data:`sightline.show.LETTER_WITH_CHANGES`.
        names : mapping of str to str, optional
            Plain names of columns, labels and the target, such as ``{"inc_m": "monthly income", "bad":
            "declined"}``. Values of columns stay as they are.
        target : str, optional
            Name of the target; by default the one that the model knows. ``$result`` has it before the
            label, unless the label has a plain name or the target is just called "outcome" or the like.
        changes : Counterfactuals, optional
            What :func:`sightline.counterfactuals` found for the row.

        Returns
        -------
        str
            The letter, with at most four reasons, all of which led to the result.

        Warns
        -----
        DataWarning
            If the ensemble gives the row another label: these are not the reasons for its decision.

        Examples
        --------
        >>> from sightline.show._example import credit_tree
        >>> why = credit_tree().explain({"age": 25, "income": 1800, "purpose": "car"})
        >>> print(why.to_letter("The result is $prediction because of: $reason_1"))
        The result is bad because of: age: 25 (30 or less)
        >>> import sightline as sl
        >>> found = sl.counterfactuals(credit_tree(), {"age": 25, "income": 1800, "purpose": "car"}, n=1)
        >>> print(why.to_letter("$changes", changes=found))
        The result would have been different with this change:
        <BLANKLINE>
        1. income: 2001 instead of 1800
        """
        letter: str = self._display().letter(template, names, target, changes)
        return letter

    def __str__(self) -> str:
        text: str = self._display().text()
        return text

    def __repr__(self) -> str:
        row = "" if self.row is None else f"row {self.row!r}: "
        probability = "" if self.probability is None else f", probability {self.probability:.3g}"
        return f"<Explanation of {row}{self.prediction!r}{probability}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Explanation):
            return NotImplemented
        return str(self) == str(other) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]


class Explanations(Shown, Sequence[Explanation]):
    """Explanations of many rows, one by one or as a frame.

    Like a list: index it, loop over it, take its length. Selecting several rows gives the same type.
    Predictions are computed for all rows at once; sentences are made only for the rows that are read.

    Parameters
    ----------
    findings : Findings
        What is known about the rows.
    names : sequence
        Names of the rows: identifiers, the labels of a frame's index, or row numbers.
    chosen : ndarray of int, optional
        Indices of the rows; all by default.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> why = credit_tree().explain([[25, 1800, "car"], [45, 900, "house"]])
    >>> len(why), [one.prediction for one in why]
    (2, ['bad', 'good'])
    >>> why.to_frame()[["row", "prediction", "reason_1"]].values.tolist()
    [[0, 'bad', 'age <= 30'], [1, 'good', 'age > 30']]
    """

    def __init__(
        self, findings: Findings, names: Sequence[Any], chosen: NDArray[np.intp] | None = None
    ) -> None:
        self.findings = findings
        self._names = names
        self.chosen = np.arange(len(names)) if chosen is None else chosen

    @property
    def rows(self) -> list[Any]:
        """Names of the rows."""
        return [self._names[i] for i in self.chosen.tolist()]

    @property
    def predictions(self) -> NDArray[Any]:
        """The predicted labels or numbers."""
        return np.asarray(self.findings.predictions[self.chosen])

    @property
    def probabilities(self) -> NDArray[np.float64] | None:
        """The probability of each predicted label; None if numbers or only labels are predicted."""
        known = self.findings.probabilities
        return None if known is None else known[self.chosen]

    @property
    def agrees(self) -> NDArray[np.bool_] | None:
        """Whether the ensemble gives each row the same label; None if there is none, or for numbers."""
        labels = self.findings.ensemble_labels
        return None if labels is None else np.asarray(labels == self.findings.predictions)[self.chosen]

    def named(self, name: Any) -> Explanation:
        """Return the explanation of the row with this name.

        Parameters
        ----------
        name : object
            An identifier, as in :attr:`rows`.

        Raises
        ------
        KeyError
            If no row has this name.
        DataError
            If several rows have it.
        """
        found = [index for index, row in enumerate(self.rows) if row == name]
        if not found:
            raise KeyError(f"There is no row {name!r}.")
        if len(found) > 1:
            listed = list_names([str(index) for index in found], _MAX_LISTED)
            raise DataError(
                f"{len(found):,} rows are named {name!r}: indices {listed}. Select one by its index, as in "
                f"explanations[{found[0]}]."
            )
        return self[found[0]]

    def to_dict(self, *, prove: bool = False) -> list[dict[str, Any]]:
        """Return one dictionary per row, as :meth:`Explanation.to_dict` does.

        Parameters
        ----------
        prove : bool, default=False
            Whether to search for a proof of every leaf that has none, up to half a second each.
        """
        return list(self.to_dicts(prove=prove))

    def to_dicts(self, *, prove: bool = False) -> Iterator[dict[str, Any]]:
        """Give the dictionaries of :meth:`to_dict` one by one.

        Parameters
        ----------
        prove : bool, default=False
            As in :meth:`to_dict`.
        """
        for explanation in self:
            yield explanation._to_dict(prove)

    def to_columns(self, *, prove: bool = False) -> dict[str, NDArray[Any]]:
        """Return the columns of :meth:`to_frame` as arrays by name.

        Parameters
        ----------
        prove : bool, default=False
            As in :meth:`to_dict`.
        """
        names = np.empty(len(self), dtype=object)
        names[:] = self.rows
        columns: dict[str, NDArray[Any]] = {"row": names, "prediction": self.predictions}
        if self.probabilities is not None:
            columns["probability"] = self.probabilities
        more = self.findings.columns(prove)
        return columns | {name: column[self.chosen] for name, column in more.items()}

    def to_frame(self, library: str = "pandas", *, prove: bool = False) -> Any:
        """Return a data frame with one row per explained row.

        Parameters
        ----------
        library : {"pandas", "polars"}, default="pandas"
            The library of the frame.
        prove : bool, default=False
            As in :meth:`to_dict`.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            Name of the row, prediction, probability, facts that the kind of model adds, the ensemble's
            prediction if there is one, and the four strongest reasons.
        """
        return self._display().frame(library, prove=prove)

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: Any) -> Any: ...
    def __getitem__(self, index: Any) -> Any:
        chosen = self.chosen[index]
        if np.ndim(chosen) == 0:
            return Explanation(self.findings, int(chosen), self._names[int(chosen)])
        return Explanations(self.findings, self._names, np.asarray(chosen))

    def __len__(self) -> int:
        return len(self.chosen)

    def __str__(self) -> str:
        text: str = self._display().text()
        return text

    def __repr__(self) -> str:
        return f"<Explanations of {len(self)} rows>"


def reworded(explained: Explanation | Explanations, tell: Callable[[int], str]) -> Any:
    """Return the same explanations with other sentences.

    Parameters
    ----------
    explained : Explanation or Explanations
        One or many.
    tell : callable
        Takes the index of a row in the findings and returns its sentences.
    """
    findings = copy(explained.findings)
    findings.sentences = tell  # type: ignore[method-assign,assignment]
    if isinstance(explained, Explanation):
        return Explanation(findings, explained.index, explained.row)
    return Explanations(findings, explained._names, explained.chosen)
