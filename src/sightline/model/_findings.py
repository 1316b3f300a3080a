"""What is known about rows whose predictions are explained, as data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model._plain import plain

__all__ = ["EnsembleAnswer", "Findings", "NearCase", "Reason", "RuleVote"]


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
