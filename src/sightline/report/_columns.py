"""The columns that the page shows: those that its models test, renumbered."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.report._shown_rows import ShownRows
from sightline.show import MIN_ROWS_BEYOND, quantile_range, rounded_range
from sightline.table import Column, Feature, Table
from sightline.wording import printable, with_unit

N_BINS = 24


class Columns:
    """Features in use, with the distribution of their values.

    Without rows, a page shows no value of a single one: the ends of a range are rounded quantiles, and
    a category that few rows have is named only if the model's own words name it.

    Parameters
    ----------
    rows : Table
        The rows of the report.
    used : list of int
        Indices of the features that some model of the page tests.
    shown : ShownRows
        Which rows the page carries.
    """

    def __init__(self, rows: Table, used: list[int], shown: ShownRows) -> None:
        self.rows = rows
        self.used = used
        self.shown = shown
        self._index = {feature: index for index, feature in enumerate(used)}

    def renumbered(self, features: Any) -> list[int]:
        """Return the indices of features on the page; -1 for those that are not there."""
        return [self._index.get(feature, -1) for feature in features.tolist()]

    def to_json(self, models: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return name, kind and distribution of each column.

        Parameters
        ----------
        models : list of dict
            The page's models. Categories named in their text are not secret, and ranges cover
            the numbers at which predictions change.
        """
        has_categories = any(self.rows.columns[feature].feature.is_nominal for feature in self.used)
        words = "\n".join(strings_in(models)) if has_categories else ""
        turns: list[list[float]] = [[] for _ in self.used]
        for index, value, *_ in (turn for model in models for turn in model.get("turns", ())):
            turns[index].append(value)
        return [
            self._column(self.rows.columns[feature], words, turns[index])
            for index, feature in enumerate(self.used)
        ]

    def cells(self, row: int) -> list[float | None]:
        """Return the values of a row: numbers, codes of categories, None for missing."""
        columns = (self.rows.columns[feature] for feature in self.used)
        return [None if column.is_missing[row] else column.values[row].item() for column in columns]

    def _column(self, column: Column, words: str, turns: list[float]) -> dict[str, Any]:
        known = column.values[~column.is_missing]
        described = {"name": printable(column.name), "n_missing": int(column.is_missing.sum())}
        if column.feature.categories is None:
            numbers = _numbers(known, turns, column.feature.kind)
            return {**described, "values": None, **_style(column.feature), **numbers}
        counts = np.bincount(known, minlength=column.feature.n_values)
        names = [printable(value) for value in column.feature.categories]
        # The last one may be our own name for all values that the model has never seen.
        n_own = len(names) - (column.feature.unseen == "last")
        return {
            **described,
            "has_other": column.feature.has_other,
            "values": [
                name if count >= MIN_ROWS_BEYOND or self.shown.has_cells or _is_said(name, words) else None
                for name, count in zip(names[:n_own], counts.tolist(), strict=False)
            ]
            + names[n_own:],
            "counts": counts.tolist(),
        }


def _is_said(name: str, words: str) -> bool:
    """Whether a category occurs among some words, and not just as a part of one."""
    return name in words and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words) is not None


def strings_in(content: str | list[Any] | tuple[Any, ...] | dict[Any, Any]) -> Iterator[str]:
    """Yield all strings in nested lists and dicts, but not the keys of the dicts."""
    if isinstance(content, str):
        yield content
        return
    # Nearly all entries are numbers, and a generator for each is expensive.
    for entry in content.values() if isinstance(content, dict) else content:
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry, (list, tuple, dict)):
            yield from strings_in(entry)


def _numbers(known: NDArray[np.float64], turns: list[float], kind: str) -> dict[str, Any]:
    """Return range, median and histogram of numbers; values beyond the range count in the outer bins."""
    if not len(known):
        return _numbers_between(turns)
    low, high = _range(known, turns)
    # Halved first: the difference of two doubles may overflow.
    span = high / 2 - low / 2
    scaled = (known / 2 - low / 2) / span if span > 0 else np.zeros(len(known))
    bins = np.bincount(np.clip((scaled * N_BINS).astype(int), 0, N_BINS - 1), minlength=N_BINS)
    return {
        "low": low,
        "high": high,
        "middle": _middle_duration(known) if kind == "duration" else _middle(known, low, high),
        "bins": bins.tolist(),
        "whole": bool((known == np.floor(known)).all()),
    }


def _numbers_between(turns: list[float]) -> dict[str, Any]:
    """Return a range around the numbers at which predictions change, for columns without known values."""
    if not turns:
        return {"low": None, "high": None, "bins": [], "whole": False}
    reach = max(turns) - min(turns) or abs(turns[0]) or 1.0
    low, high = rounded_range(min(turns) - reach / 2, max(turns) + reach / 2)
    return {"low": low, "high": high, "middle": low, "bins": [], "whole": False}


def _range(known: NDArray[np.float64], turns: list[float]) -> tuple[float, float]:
    low, high = quantile_range(known)
    if all(low <= turn < high for turn in turns):
        return low, high
    return rounded_range(min(low, *turns), max(high, *turns))


def _middle(known: NDArray[np.float64], low: float, high: float) -> float:
    """Return the median to three digits, or to a hundredth of the range if that is more precise."""
    median, span = _median(known), high / 2 - low / 2
    if not 0 < span < abs(median) / _FAR:
        return min(max(float(f"{median:.3g}"), low), high)
    return low + 2 * span * min(max(round((median - low) / (2 * span), 2), 0.0), 1.0)


def _middle_duration(known: NDArray[np.float64]) -> float:
    """Return the median in whole days, hours, minutes or seconds, whichever are ten or more."""
    median = _median(known)
    unit = next((unit for unit in (86_400, 3_600, 60) if abs(median) >= 10 * unit), 1)
    return float(round(median / unit) * unit)


_FAR = 4.0
"""Numbers that are so many times as large as half their range, such as dates, need more than three digits."""


def _style(feature: Feature) -> dict[str, str]:
    """Return how the numbers of a column read: their kind, or a pattern with # for the number."""
    kind = "clock" if feature.unit == ":" else feature.kind
    if kind:
        return {"kind": kind}
    return {"pattern": with_unit("#", printable(feature.unit))} if feature.unit else {}


def _median(numbers: NDArray[np.float64]) -> float:
    """Return the median, even where the sum of the two middle numbers overflows."""
    with np.errstate(over="ignore"):
        median = float(np.median(numbers))
    return median if math.isfinite(median) else 2 * float(np.median(numbers / 2))
