"""Transformers that replace or mark missing values."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar

from sightline.load.pipeline._follower import Follower, as_numbers, follows
from sightline.load.pipeline._trace import Made, Step
from sightline.table import is_missing


@follows
class SimpleImputerFollower(Follower):
    """Fills missing values, and marks them if requested."""

    class_names: ClassVar[frozenset[str]] = frozenset({"SimpleImputer"})
    parameters: ClassVar[frozenset[str]] = frozenset(
        {"missing_values", "strategy", "fill_value", "copy", "add_indicator", "keep_empty_features"}
    )
    fitted: ClassVar[str] = "statistics_"

    def made(self, step: Step) -> list[Made]:
        """Return the columns that are kept, then the marks."""
        imputer = step.transformer
        kept = [
            position
            for position, filling in enumerate(imputer.statistics_)
            # None is a value like any other, unless it is declared to be missing.
            if imputer.keep_empty_features or filling is None or not is_missing(filling)
        ]
        turns_at = _noted(step, kept)
        if imputer.strategy in ("mean", "median") or turns_at:
            as_numbers(step, kept)
        fills = is_missing(imputer.missing_values)
        filled = [
            Made(position, keeps_values=not turns_at, fills_missing=fills, turns_at=turns_at)
            for position in kept
        ]
        return filled + (_marks(step, imputer.indicator_, turns_at) if imputer.add_indicator else [])


@follows
class MissingIndicatorFollower(Follower):
    """Marks missing values."""

    class_names: ClassVar[frozenset[str]] = frozenset({"MissingIndicator"})
    parameters: ClassVar[frozenset[str]] = frozenset({"missing_values", "features", "sparse", "error_on_new"})
    fitted: ClassVar[str] = "features_"

    def made(self, step: Step) -> list[Made]:
        """Return one mark per column that had missing values, or per column."""
        return _marks(step, step.transformer, _noted(step, step.transformer.features_))

    def transform(self, transformer: Any, X: Any) -> Any:
        """Transform, also where columns have missing values that had none in training."""
        lenient = copy(transformer)
        lenient.error_on_new = False
        return lenient.transform(X)


def _marks(step: Step, indicator: Any, turns_at: tuple[float, ...]) -> list[Made]:
    for position in indicator.features_:
        step.inputs[position].source.is_marked = True
    return [Made(int(position), fills_missing=True, turns_at=turns_at) for position in indicator.features_]


def _noted(step: Step, positions: Any) -> tuple[float, ...]:
    """Record a value that marks missing ones, and return it if it is a number."""
    marker = step.transformer.missing_values
    if is_missing(marker):
        if marker is None:
            for position in positions:
                step.inputs[position].source.missing = None
        return ()
    for position in positions:
        trace = step.inputs[position]
        if trace.keeps_values:
            trace.source.replaces(marker)
    return () if isinstance(marker, str) else (float(marker),)
