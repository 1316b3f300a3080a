"""Names of the target and its classes in a report, the positive class, and the colors of the classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sightline.exceptions import ParameterError
from sightline.table import target_name
from sightline.wording import list_names, printable, quote_if_odd


@dataclass(frozen=True)
class Naming:
    """Names and colors of what is predicted.

    Attributes
    ----------
    target : str
        Name of the target; empty if it is not known.
    positive : label or None
        The positive class.
    colors : mapping of label to str
        Colors, as in ``"#d55e00"``, of classes that should not have the usual ones.

    Examples
    --------
    >>> Naming("default", "yes").subject
    'default = yes'
    """

    target: str = ""
    positive: Any = None
    colors: Mapping[Any, str] = field(default_factory=dict)

    @classmethod
    def of(cls, target: str | None, positive: Any, colors: Mapping[Any, str] | None) -> Naming:
        """Take the names that the caller gives."""
        return cls(target if isinstance(target, str) else "", positive, colors or {})

    def completed(self, *models: Any, y: Any = None, sample_weight: Any = None) -> Naming:
        """Fill in missing names from the labels and the models: their target and positive class."""
        schema = getattr(models[0], "schema", None)
        own = target_name(y, () if schema is None else schema.names, sample_weight)
        known = [] if models[0].classes_ is None else np.asarray(models[0].classes_).tolist()
        targets = [self.target, own, *(getattr(model, "target", "") for model in models)]
        positives = [getattr(model, "positive", None) for model in models]
        return replace(
            self,
            target=next(filter(None, targets), ""),
            positive=next((one for one in positives if one in known), None)
            if self.positive is None
            else self.positive,
        )

    @property
    def subject(self) -> str:
        """What the report is about, as in ``default = yes``; empty if the target has no name."""
        if not self.target or self.positive is None:
            return quote_if_odd(self.target) if self.target else ""
        return f"{quote_if_odd(self.target)} = {quote_if_odd(self.positive)}"

    def answer(self, label: object) -> str:
        """Return a label with the name of the target before it, as in ``default = no``."""
        plain = printable(str(label))
        return f"{quote_if_odd(self.target)} = {plain}" if self.target else plain

    def check(self, classes: list[Any]) -> None:
        """Raise if the positive class, or one with a color, does not exist."""
        named = [
            ("positive", [] if self.positive is None else [self.positive]),
            ("colors", list(self.colors)),
        ]
        for parameter, labels in named:
            for label in labels:
                if label not in classes:
                    known = list_names([repr(one) for one in classes], 10) if classes else "numbers"
                    raise ParameterError(f"{parameter} names {label!r}, but the model predicts {known}.")
