"""The prediction that a counterfactual must get: some labels, or a range of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import ParameterError
from sightline.judge._comparable import Provable
from sightline.table import Table
from sightline.wording import answer_text, list_names, quote_if_odd

_MAX_LISTED = 10


@dataclass(frozen=True)
class Wanted:
    """What one model must predict.

    Attributes
    ----------
    present : object
        What the model predicts for the row itself.
    labels : ndarray or None
        The wanted labels; None for numbers.
    low, high : float
        The wanted numbers, both ends included.
    any_other : bool
        Whether every label but the present one is wanted.
    """

    present: Any
    labels: NDArray[Any] | None = None
    low: float = -math.inf
    high: float = math.inf
    any_other: bool = False

    @classmethod
    def of_models(cls, to: Any, models: Sequence[Provable], row: Table) -> list[Wanted]:
        """Read the parameter ``to`` for a row; ParameterError if the model cannot predict it.

        Parameters
        ----------
        to : label, list of labels, pair of numbers, or None
            What is wanted; None for any label but the one that the first model gives the row.
        models : sequence of Tree, Graph, RuleSet or Ensemble
            The models that must predict it.
        row : Table
            The row.

        Returns
        -------
        list of Wanted
            One per model.
        """
        present = [model.predict(row).tolist()[0] for model in models]
        return [cls._of(to, model, own, present[0]) for model, own in zip(models, present, strict=True)]

    @classmethod
    def _of(cls, to: Any, model: Provable, present: Any, unwanted: Any) -> Wanted:
        if model.classes_ is None:
            return cls(present, None, *_checked_range(to))
        classes = model.classes_
        others = [label for label in classes.tolist() if label != unwanted]
        if to is None:
            return cls(present, classes[[label in others for label in classes.tolist()]], any_other=True)
        labels = list(to) if isinstance(to, list | set | frozenset | tuple | np.ndarray) else [to]
        unknown = [label for label in labels if label not in classes.tolist()]
        if unknown or not labels:
            names = list_names([repr(label) for label in classes.tolist()], _MAX_LISTED)
            raise ParameterError(
                f"The 'to' parameter of counterfactuals must be a label of the model: {names}. "
                f"Got {to!r} instead."
            )
        included = [label in labels for label in classes.tolist()]
        return cls(present, classes[included], any_other=set(labels) == set(others))

    def includes(self, predicted: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which predictions are wanted."""
        if self.labels is None:
            return (predicted >= self.low) & (predicted <= self.high)
        wanted = set(self.labels.tolist())
        return np.array([label in wanted for label in predicted.tolist()], dtype=bool)

    def demand(self, model: Provable) -> _core.Demand:
        """Return the demand on a model, as the search takes it."""
        if self.labels is None:
            return _core.Demand.of_numbers(model.boxed(), self.low, self.high)
        assert model.classes_ is not None
        codes = np.flatnonzero(self.includes(model.classes_)).tolist()
        return _core.Demand.of_labels(model.boxed(), codes)

    def __str__(self) -> str:
        if self.labels is not None:
            return " or ".join(quote_if_odd(label) for label in self.labels)
        if math.isinf(self.low):
            return f"{answer_text(self.high)} or less"
        if math.isinf(self.high):
            return f"{answer_text(self.low)} or more"
        return f"a number from {answer_text(self.low)} to {answer_text(self.high)}"


def _checked_range(to: Any) -> tuple[float, float]:
    try:
        low, high = to
        low = -math.inf if low is None else float(low)
        high = math.inf if high is None else float(high)
    except (TypeError, ValueError):
        raise ParameterError(
            "The model predicts numbers, so 'to' must be a pair (low, high), None for no limit, such as "
            f"(None, 1000). Got {to!r} instead."
        ) from None
    if not low <= high:
        raise ParameterError(f"No number lies between the ends of to={to!r}. The first must not be larger.")
    return low, high
