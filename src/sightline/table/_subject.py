"""What a model predicts: the name of its target, the positive class, and how labels are decided."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sightline.wording import quote_if_odd

__all__ = ["Subject", "target_name"]


@dataclass(frozen=True)
class Subject:
    """The name of the target, the positive class and the rule of the labels, where they are known.

    Parameters
    ----------
    target : str, default=""
        Name of the target.
    positive : int, optional
        Index of the positive class among the classes.
    label_rule : str, default=""
        A sentence that says how labels are decided, if the most probable class does not always win.
    is_weighted : bool, default=False
        Whether training rows had weights, so that their numbers are sums of weights.
    has_labels_only : bool, default=False
        Whether labels have no probabilities: the summarized model gives none, or was merged into labels.
    counts_ensemble : bool, default=False
        Whether rules count which labels the ensemble gives to training rows, not which ones they have.

    Examples
    --------
    >>> Subject("default", 1).text(["no", "yes"])
    'default = yes'
    >>> Subject("default").answer("no"), Subject().answer("no")
    ('default = no', 'no')
    """

    target: str = ""
    positive: int | None = None
    label_rule: str = ""
    is_weighted: bool = False
    has_labels_only: bool = False
    counts_ensemble: bool = False

    def label(self, classes: Any) -> Any:
        """Return the positive class itself; None if there is none."""
        return None if self.positive is None or classes is None else list(classes)[self.positive]

    def answer(self, text: str) -> str:
        """Return an answer with the name of the target before it."""
        return f"{quote_if_odd(self.target)} = {text}" if self.target else text

    def text(self, classes: Any) -> str:
        """Return what the model is about, as in ``default = yes``; empty if the target has no name."""
        label = self.label(classes)
        if not self.target or label is None:
            return quote_if_odd(self.target) if self.target else ""
        return self.answer(quote_if_odd(label))


def target_name(y: Any, columns: Collection[str], sample_weight: Any = None) -> str:
    """Return the name of a target; empty without one.

    pandas names ``claims / exposure`` after the exposure, and ``income > 5000`` after the income. The name
    of a column or of the weights is not the target's.

    Parameters
    ----------
    y : object
        The target. A series may have a name.
    columns : collection of str
        Names of the other columns.
    sample_weight : object
        The weights, which may have a name as well.

    Examples
    --------
    >>> import pandas as pd
    >>> income = pd.Series([4000, 6000], name="income")
    >>> target_name(income, ["age"]), target_name(income > 5000, ["age", "income"])
    ('income', '')
    """
    name = getattr(y, "name", None)
    is_taken = name in columns or name == getattr(sample_weight, "name", None)
    return name if isinstance(name, str) and not is_taken else ""
