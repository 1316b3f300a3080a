"""How the answers of model and ensemble change with each column: positions and words for the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.inspection import ColumnEffect, column_effects
from sightline.report._evidence import Evidence
from sightline.report._importance import inspected_rows
from sightline.report._sample import Sample
from sightline.table import Feature
from sightline.wording import answer_text, instant_text, number_text, percent, pluralize, printable, with_unit

MAX_ROWS = 200
"""Rows that are averaged, evenly spaced."""
MAX_COLUMNS = 12
"""Columns that are drawn, the most used ones."""
_N_TICKS = 4
_TICK_DIGITS = 12

Json = dict[str, Any]


def effects_part(evidence: Evidence, sample: Sample) -> Json | None:  # noqa: ARG001
    """Return one chart per column of the model, the largest effect first; None without an ensemble."""
    inspected = inspected_rows(evidence, MAX_ROWS)
    if inspected is None:
        return None
    effects = column_effects(inspected, inspected.used_features[:MAX_COLUMNS])
    effects.sort(key=lambda effect: effect.range[0] - effect.range[1])
    if not effects:
        return None
    axis = _Axis([end for effect in effects for end in effect.range], evidence.task == "classes")
    noun, other = evidence.kind.predictor_noun, evidence.teacher_noun
    what = "number" if evidence.task == "numbers" else f"probability of {_label(evidence, effects[0])}"
    note = (
        f"The mean {what} over {pluralize(inspected.rows.n_rows, 'row')}, with one column set to the "
        "same value in all of them. Such rows need not occur in practice."
    )
    return {
        "title": "How each column moves the prediction",
        "note": note,
        "key": [noun, other],
        "ticks": [[axis.place(tick), axis.tick_text(tick)] for tick in axis.ticks],
        "charts": [_chart(effect, axis, (noun, other)) for effect in effects],
    }


def _label(evidence: Evidence, effect: ColumnEffect) -> str:
    label, target = printable(effect.label), evidence.naming.target
    return f"{printable(target)} = {label}" if target else label


class _Axis:
    """The axis that all charts share, so that their effects can be compared."""

    def __init__(self, values: Sequence[float], are_shares: bool) -> None:
        self._are_shares = are_shares
        low, high = min(values), max(values)
        self.ticks = round_ticks(low, high, _N_TICKS)
        self._low, self._high = self.ticks[0], self.ticks[-1]
        self._step = (self._high / 2 - self._low / 2) / max(1, len(self.ticks) - 1) * 2
        if are_shares:
            self.ticks = [tick for tick in self.ticks if -1e-9 <= tick <= 1 + 1e-9]

    def place(self, value: float) -> float:
        """Return the position of a value: 0 at the lower end, 1 at the upper."""
        return round((value - self._low) / (self._high - self._low or 1.0), 4)

    def places(self, values: NDArray[np.float64] | None) -> list[float] | None:
        """Return the positions of several values."""
        return None if values is None else [self.place(float(value)) for value in values]

    def text(self, value: float) -> str:
        """Write a value, with digits as small as those of the ticks."""
        power = _power(self._step) if self._step else _power(value) - 2
        if self._are_shares:
            return percent(round(value, 12), max(0, -2 - power))
        return answer_text(value, max(3, _power(value) - power + 1))

    def tick_text(self, tick: float) -> str:
        """Write a tick, with all its digits: those of neighbors may differ only in the last one."""
        digits = 3 if len(self.ticks) == 1 else _TICK_DIGITS
        return f"{number_text(100 * tick, digits)}%" if self._are_shares else answer_text(tick, digits)


def _power(value: float) -> int:
    # The difference of two ticks is round but for its last bits.
    return math.floor(math.log10(abs(value)) + 1e-9) if value else 0


def round_ticks(low: float, high: float, n_steps: int) -> list[float]:
    """Return round numbers at even distances, from at most ``low`` to at least ``high``.

    Matplotlib can do that too, but takes 10 MB and as long to import as a small page takes to make.

    Parameters
    ----------
    low, high : float
        The range that the numbers must cover.
    n_steps : int
        Maximum number of steps between them.

    Examples
    --------
    >>> round_ticks(0.13, 0.82, 4)
    [0.0, 0.25, 0.5, 0.75, 1.0]
    >>> round_ticks(7.0, 7.0, 4)
    [7.0]
    """
    # Halved first: the difference of two doubles may overflow.
    least = (high / 2 - low / 2) / n_steps
    if not least:
        return [low]
    power = 10.0 ** math.floor(math.log10(least))
    for step in (power * factor for factor in (1, 2, 2.5, 5, 10, 20, 25, 50, 100)):
        # Quotients of round numbers are whole but for their last bits.
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if last - first <= n_steps:
            break
    return [float(f"{index * step:.{_TICK_DIGITS}g}") for index in range(first, last + 1)]


def _chart(effect: ColumnEffect, axis: _Axis, nouns: tuple[str, str]) -> Json:
    spans = [
        f"the {noun}'s from {axis.text(float(means.min()))} to {axis.text(float(means.max()))}"
        for noun, means in zip(nouns, (effect.model, effect.ensemble), strict=True)
        if means is not None
    ]
    name = printable(effect.feature.name)
    chart: Json = {
        "name": name,
        "described": f"{name}: {' and '.join(spans)}",
        "model": axis.places(effect.model),
        "ensemble": axis.places(effect.ensemble),
    }
    if effect.feature.categories is not None:
        names = [printable(effect.feature.categories[int(code)]) for code in effect.values]
        return {**chart, "categories": names}
    low, high = float(effect.values[0]), float(effect.values[-1])

    def place(value: float) -> float:
        # Halved first: the difference of two doubles may overflow.
        return round((value / 2 - low / 2) / (high / 2 - low / 2), 4)

    return {
        **chart,
        "categories": None,
        "x": [place(value) for value in effect.values.tolist()],
        "ends": [_text(effect.feature, low), _text(effect.feature, high)],
        "cuts": [[place(cut), _text(effect.feature, cut)] for cut in effect.cuts.tolist()],
    }


def _text(feature: Feature, value: float) -> str:
    if feature.kind:
        return instant_text(value, feature.kind)
    text = number_text(value, 4)
    return with_unit(text, printable(feature.unit)) if feature.unit else text
