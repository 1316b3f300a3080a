"""Allowed changes of a counterfactual, column by column, and their costs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.distill import checked_directions, columns_named
from sightline.exceptions import ParameterError
from sightline.judge._comparable import Provable
from sightline.model import THRESHOLD, Coverage, Ensemble, RuleSet, are_cuts
from sightline.table import Column, Feature, Schema, Table, table_of_row

_COST_OF_CHANGE = 1.0
"""Cost of a different category, and of a value that becomes missing or known."""
_NEAR_HALF = 1e-6
"""Libraries store 5036.5 as 5036.500000000001, and 0 as 1e-35."""
_KINDS = {
    "date": "date",
    "datetime": "date and time",
    "datetime UTC": "date and time",
    "duration": "duration",
}
_POWERS_OF_TEN = tuple(10.0**power for power in range(16))
_UNITS_OF_TIME = (1.0, 60.0, 3_600.0, 86_400.0)
_TIMED = ("datetime", "datetime UTC", "duration")
"""Kinds whose numbers are seconds; cells hold them to the microsecond."""
_ROUND = {"date": (1.0,), **dict.fromkeys(_TIMED, _UNITS_OF_TIME)}
_OWNER = "ranges"
_MAX_DIGITS = 4
"""For columns whose numbers have few digits after the decimal point."""


@dataclass(frozen=True)
class ColumnLimits:
    """The values that one column may get.

    Attributes
    ----------
    feature : Feature
        Name and kind.
    own : float
        The row's value: a number, the code of a category, or NaN if it is missing.
    scale : float
        A change by this much costs 1.
    anchor : float
        What a number that was missing is set near to.
    unit : float
        Only multiples of it count: 1 for dates and whole numbers, 10 for amounts in tens; 0 for all numbers.
    step : float
        The last digit that numbers of this column have, such as 0.1; 0 if they have many digits.
    low, high : float
        Smallest and largest new number.
    codes : tuple of int
        New categories, the most common first.
    may_become_missing, is_fixed : bool
        Whether the value may be removed, and whether it must stay as it is.
    is_tested : bool
        Whether some model tests the column.
    """

    feature: Feature
    own: float
    scale: float = 1.0
    anchor: float = 0.0
    unit: float = 0.0
    step: float = 0.0
    low: float = -math.inf
    high: float = math.inf
    codes: tuple[int, ...] = ()
    may_become_missing: bool = False
    is_fixed: bool = False
    is_tested: bool = True

    def native(self) -> _core.ColumnChange:
        """Return the limits as the search takes them."""
        return _core.ColumnChange(
            own=self.own,
            anchor=self.anchor,
            scale=self.scale,
            unit=self.unit,
            low=self.low,
            high=self.high,
            values=list(self.codes),
            n_values=self.feature.n_values,
            may_become_missing=self.may_become_missing,
            is_fixed=self.is_fixed,
        )

    def keeps(self, value: float) -> bool:
        """Return whether a value is the row's own."""
        return value == self.own or (math.isnan(value) and math.isnan(self.own))

    def cost(self, value: float) -> float:
        """Return the cost of giving the column a value."""
        if self.keeps(value):
            return 0.0
        if self.feature.is_nominal or math.isnan(value) or math.isnan(self.own):
            return _COST_OF_CHANGE
        return abs(value - self.own) / self.scale

    def allows(self, value: float) -> bool:
        """Return whether the column may have a value."""
        if self.keeps(value):
            return True
        if self.is_fixed or math.isnan(value):
            return not self.is_fixed and self.may_become_missing
        if self.feature.is_nominal:
            return int(value) in self.codes
        return self.low <= value <= self.high and (not self.unit or value % self.unit == 0)

    def writable(self, value: float) -> float:
        """Return a new number as cells can hold it: of times and durations, a whole microsecond.

        It is the next one as seen from the row's own, so that no threshold between the two is crossed back.
        """
        if self.feature.kind not in _TIMED or math.isnan(value) or self.keeps(value):
            return value
        step = 1 if value > (self.anchor if math.isnan(self.own) else self.own) else -1
        micro = round(value * 1e6)
        while step * (micro / 1e6 - value) < 0:
            micro += step
        return micro / 1e6

    def cell(self, value: float) -> Any:
        """Return a value as the row has it: a number, a date, a category or None."""
        is_number = not (self.feature.is_nominal or self.feature.kind or math.isnan(value))
        if is_number and self.unit:
            return int(value)
        code = value if not self.feature.is_nominal else -1 if math.isnan(value) else value
        values = np.array([code], dtype=np.int32 if self.feature.is_nominal else np.float64)
        return Column(self.feature, values).value_at(0)


@dataclass(frozen=True)
class Limits:
    """The changes that the caller allows; see :func:`sightline.counterfactuals` for the parameters."""

    fixed: Sequence[Any] = ()
    monotone: Mapping[Any, int] | None = None
    ranges: Mapping[Any, Any] | None = None
    missing: bool | Sequence[str] = False

    def of_columns(
        self, models: Sequence[Provable], row: Table, within: Table | None
    ) -> tuple[ColumnLimits, ...]:
        """Return the limits per column.

        Parameters
        ----------
        models : sequence of Tree, Graph, RuleSet or Ensemble
            The models that must give the wanted prediction.
        row : Table
            The row, aligned with them.
        within : Table or None
            Rows that show which values occur.

        Returns
        -------
        tuple of ColumnLimits
            In the order of the columns.

        Raises
        ------
        ParameterError
            If a parameter names a column that does not exist, or requires something impossible.
        """
        schema = models[0].schema
        fixed = set(columns_named(schema, self.fixed, "fixed"))
        directions = checked_directions(schema, {} if self.monotone is None else self.monotone)
        ranges = _checked_ranges(schema, {} if self.ranges is None else self.ranges)
        may_be_missing = Coverage.of(self.missing, schema).may_be_missing
        result = []
        for index, (feature, column) in enumerate(zip(schema.features, row.columns, strict=True)):
            own = math.nan if column.is_missing[0] else float(column.values[0])
            cuts, is_tested = cuts_of(models, index)
            seen = None if within is None else within.columns[index]
            direction = directions.get(index, 0)
            limits = ColumnLimits(
                feature,
                own,
                # A value that is missing, or becomes so, neither rises nor falls.
                may_become_missing=may_be_missing[index] and not math.isnan(own) and direction == 0,
                is_fixed=index in fixed or not is_tested or (direction != 0 and math.isnan(own)),
                is_tested=is_tested,
            )
            if feature.is_nominal:
                limits = replace(limits, codes=_codes(feature, seen, ranges.get(index)))
            else:
                limits = _number_limits(limits, cuts, seen, ranges.get(index), direction)
            result.append(limits)
        return tuple(result)


def _number_limits(
    limits: ColumnLimits,
    cuts: NDArray[np.float64],
    seen: Column | None,
    ends: tuple[float, float] | None,
    direction: int,
) -> ColumnLimits:
    numbers = cuts if seen is None else seen.values[~seen.is_missing]
    low, high = ends or (-math.inf, math.inf)
    if seen is not None and len(numbers):
        low, high = max(low, float(numbers.min())), min(high, float(numbers.max()))
    if direction > 0:
        low = max(low, limits.own)
    elif direction < 0:
        high = min(high, limits.own)
    kind = limits.feature.kind
    unit = 1.0 if kind == "date" else _unit(numbers, limits.own, kind, are_cuts=seen is None)
    anchor = float(np.median(numbers)) if len(numbers) else 0.0
    return replace(
        limits,
        scale=_spread(numbers),
        anchor=round(anchor / unit) * unit if unit else anchor,
        unit=unit,
        step=0.0 if seen is None else _last_digit(numbers),
        low=low,
        high=high,
    )


def cuts_of(models: Iterable[Provable], index: int) -> tuple[NDArray[np.float64], bool]:
    """Return the numbers that some model compares a column with, ascending, and whether any model tests it.

    The numbers of tests that only ask whether there is a value are left out.
    """
    cuts: list[NDArray[np.float64]] = []
    is_tested = False
    for model in models:
        if isinstance(model, RuleSet):
            here = model.core.feature == index
            is_tested |= bool(here.any())
            cuts += [model.core.low[here], model.core.high[here]]
            continue
        for core in model.core.trees if isinstance(model, Ensemble) else [model.core]:
            here = core.feature == index
            is_tested |= bool(here.any())
            cuts.append(core.threshold[here & (core.test == THRESHOLD)])
        if getattr(model, "lines", None) is not None:
            is_tested = True
    found = np.unique(np.concatenate(cuts))
    return found[are_cuts(found)], is_tested


def _codes(feature: Feature, seen: Column | None, wanted: tuple[int, ...] | None) -> tuple[int, ...]:
    """Return the categories that a column may get, the most common first."""
    n_named = feature.n_values - feature.has_other
    codes = range(n_named) if wanted is None else wanted
    if seen is None:
        return tuple(codes)
    count = np.bincount(seen.values[~seen.is_missing], minlength=feature.n_values)
    return tuple(sorted((code for code in codes if count[code]), key=lambda code: -count[code]))


def _spread(numbers: NDArray[np.float64]) -> float:
    """Return the standard deviation, or the size of a single number."""
    if not len(numbers):
        return 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        spread = float(np.std(numbers))
    if not (spread > 0 and math.isfinite(spread)):
        spread = float(np.abs(numbers).max())
    return spread if spread > 0 and math.isfinite(spread) else 1.0


def _unit(numbers: NDArray[np.float64], own: float, kind: str, are_cuts: bool) -> float:
    """Return the largest round number that divides a column's numbers; 0 if they are not whole.

    Round numbers are powers of ten; of times and durations, whole minutes, hours and days. Learners compare
    whole numbers with whole numbers and halves.
    """
    if not len(numbers) or (np.abs(numbers) >= 2.0**52).any() or not (math.isnan(own) or own.is_integer()):
        return 0.0
    if are_cuts:
        halves = 2 * numbers
        # Seconds since 1970 are so many that a share of them would be hours.
        size = 1.0 if kind in _TIMED else np.maximum(1.0, np.abs(halves))
        is_whole = np.abs(halves - np.round(halves)) <= _NEAR_HALF * size
        return float(is_whole.all())
    known = numbers if math.isnan(own) else np.append(numbers, own)
    if not known.any():
        return 1.0
    return max((unit for unit in _ROUND.get(kind, _POWERS_OF_TEN) if (known % unit == 0).all()), default=0.0)


def _last_digit(numbers: NDArray[np.float64]) -> float:
    """Return the step between numbers with few decimals; 0 if they have more."""
    for digits in range(_MAX_DIGITS + 1):
        if len(numbers) and (np.round(numbers, digits) == numbers).all():
            return float(10.0**-digits)
    return 0.0


def _checked_ranges(schema: Schema, ranges: Mapping[Any, Any]) -> dict[int, Any]:
    """Return ends of numbers and codes of categories, by index of the column."""
    if not isinstance(ranges, Mapping):
        raise ParameterError(
            f"ranges must be a dictionary, such as {{'age': (18, 65)}}. Got {ranges!r} instead."
        )
    checked: dict[int, Any] = {}
    for column, wanted in ranges.items():
        (index,) = columns_named(schema, [column], "ranges")
        feature = schema.features[index]
        checked[index] = _category_range(feature, wanted) if feature.is_nominal else _ends(feature, wanted)
    return checked


def _ends(feature: Feature, wanted: Any) -> tuple[float, float]:
    try:
        low, high = (_end(feature, end) if end is not None else None for end in wanted)
    except (TypeError, ValueError):
        kind = _KINDS.get(feature.kind, "numeric")
        raise ParameterError(
            f"ranges must give the {kind} column {feature.name!r} a pair (low, high), None for no limit. "
            f"Got {wanted!r} instead."
        ) from None
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    if not low <= high:
        raise ParameterError(f"ranges gives {feature.name!r} the range {wanted!r}, which is empty.")
    return low, high


def _end(feature: Feature, end: Any) -> float:
    """Read the end of a range like a cell of a row: dates as dates or as strings."""
    if not feature.kind:
        return float(end)
    schema = Schema((feature,))
    column = table_of_row({feature.name: end}, schema, _OWNER).aligned(schema, _OWNER).columns[0]
    if column.is_missing[0]:
        raise ValueError(end)
    return float(column.values[0])


def _category_range(feature: Feature, wanted: Any) -> tuple[int, ...]:
    assert feature.categories is not None
    values = [wanted] if isinstance(wanted, str) or not isinstance(wanted, Iterable) else list(wanted)
    unknown = [value for value in values if value not in feature.categories]
    if unknown:
        raise ParameterError(
            f"ranges gives {feature.name!r} the value {unknown[0]!r}, which the model does not know."
        )
    return tuple(feature.categories.index(value) for value in values)
