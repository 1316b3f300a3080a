"""The fitted steps between the columns of the caller and a model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sightline.load.pipeline._preprocessing import Preprocessing
from sightline.table import Schema


@dataclass(frozen=True)
class StepsInFront:
    """Fitted steps, and the columns that the first one gets.

    Parameters
    ----------
    steps : tuple of (name, transformer)
        The steps, in order.
    names : tuple of str
        The columns in front of them.
    has_names : bool
        Whether the steps were fitted on a frame.
    ignores_extra : bool
        Whether they take rows with further columns.
    """

    steps: tuple[tuple[str, Any], ...]
    names: tuple[str, ...]
    has_names: bool
    ignores_extra: bool

    def then(self, *steps: tuple[str, Any]) -> StepsInFront:
        """Return these steps, and others behind them."""
        return replace(self, steps=(*self.steps, *steps))

    def preprocessing(self, behind: Schema) -> Preprocessing:
        """Follow the steps to the columns of a model."""
        return Preprocessing(self.steps, self.names, self.has_names, behind, self.ignores_extra)
