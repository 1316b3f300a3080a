"""How the values of the tested column are distributed at every split, by class or by number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sightline.model import LEAF, MULTIWAY, SUBSET, THRESHOLD, NodeModel, are_cuts
from sightline.show._column_scale import open_ends, quantile_range, rounded_range
from sightline.show.drawing._layout import CHART_HEIGHT, SMALL_CHART_HEIGHT
from sightline.table import Column, Feature, Table
from sightline.wording import branch_words, instant_text, number_text, printable, with_unit

N_BINS = 20
MAX_BARS = 16
"""Categories with a bar of their own; the others of the same branch share one."""

MAX_CLASSES = 7
"""Classes with a color of their own in a chart; the others are gray."""

_OTHERS = -1
_GAP_OF_BINS, _GAP_OF_CATEGORIES = 0.06, 0.24


class ChartBar(NamedTuple):
    """A bar: its left edge and width as shares of the chart, and its parts from below.

    Each part is a share of the height with the class, or the mean number, that colors it.
    """

    left: float
    width: float
    parts: tuple[tuple[float, float], ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars over a range, with marks at thresholds, and the strings at both ends of its axis."""

    bars: tuple[ChartBar, ...]
    marks: tuple[float, ...]
    low: str = ""
    high: str = ""
    is_small: bool = False

    @property
    def height(self) -> float:
        """Height of the bars."""
        return SMALL_CHART_HEIGHT if self.is_small else CHART_HEIGHT


class SplitCharts:
    """The charts of a tree or graph for some rows.

    Parameters
    ----------
    model : Tree or Graph
        The model.
    rows : Table
        Rows in the model's columns.
    target : ndarray
        Per row the index of its class, or its number.
    """

    def __init__(self, model: NodeModel, rows: Table, target: NDArray[Any]) -> None:
        self.model = model
        self.rows = rows
        self.target = target
        self.predicts_numbers = model.classes_ is None
        self._keys = self._classes_shown()

    @classmethod
    def of(cls, model: NodeModel, X: Any, y: Any = None) -> SplitCharts:
        """Return the charts for rows as they come, by their labels or by what the model predicts."""
        rows = Table.from_any(X).aligned(model.schema, type(model).__name__)
        target = np.asarray(model.predict(rows) if y is None else y)
        if model.classes_ is None:
            return cls(model, rows, target.astype(np.float64))
        code = {label: code for code, label in enumerate(model.classes_.tolist())}
        return cls(model, rows, np.array([code.get(label, _OTHERS) for label in target.tolist()]))

    def charts(self) -> dict[int, Chart]:
        """Return a chart for every test, and for every leaf that predicts a number.

        A node without a row, or without a known value of its column, has none.
        """
        core = self.model.core
        found: dict[int, Chart] = {}
        for feature in {int(feature) for feature in core.feature[core.test != LEAF]}:
            nodes = np.flatnonzero((core.test != LEAF) & (core.feature == feature)).tolist()
            column = self.rows.columns[feature]
            is_nominal = column.feature.is_nominal
            found |= self._nominal(nodes, column) if is_nominal else self._numeric(nodes, column)
        found |= self._leaves() if self.predicts_numbers else {}
        return {node: chart for node, chart in found.items() if chart.bars}

    def _numeric(self, nodes: list[int], column: Column) -> dict[int, Chart]:
        known = np.asarray(column.values, dtype=np.float64)[~column.is_missing]
        thresholds = self._thresholds(nodes)
        finite = [threshold for threshold in thresholds if threshold is not None]
        if not len(known):
            return {}
        scale = _Scale.of(known, finite)
        bins = np.where(column.is_missing, scale.n_bins, scale.bins(np.asarray(column.values, float)))
        counts = self._counts(nodes, bins.astype(np.int32), scale.n_bins)
        ends = open_ends(
            axis_ends(column.feature, scale.low_text, scale.high_text),
            bool((known < scale.low).any()),
            bool((known > scale.high).any()),
            is_instant=bool(column.feature.kind) and column.feature.kind != "duration",
        )
        return {
            node: Chart(bars, () if threshold is None else (scale.mark(threshold),), *ends)
            for node, threshold, bars in zip(nodes, thresholds, self._bars(counts, scale.places), strict=True)
        }

    def _thresholds(self, nodes: list[int]) -> list[float | None]:
        test, threshold = self.model.core.test[nodes], self.model.core.threshold[nodes]
        is_number = (test == THRESHOLD) & are_cuts(threshold)
        pairs = zip(threshold.tolist(), is_number.tolist(), strict=True)
        return [threshold if is_number else None for threshold, is_number in pairs]

    def _nominal(self, nodes: list[int], column: Column) -> dict[int, Chart]:
        n_values = column.feature.n_values
        codes = np.where(column.is_missing, n_values, column.values).astype(np.int32)
        counts = self._counts(nodes, codes, n_values)
        return {node: self._categories(node, counts[i], n_values) for i, node in enumerate(nodes)}

    def _categories(self, node: int, counts: NDArray[np.float64], n_values: int) -> Chart:
        """Return a bar per category, those of each branch side by side, with marks between the branches."""
        totals = self._totals(counts)
        groups = []
        for branch in self._branches(node, n_values):
            order = sorted((code for code in branch if totals[code] > 0), key=lambda code: -totals[code])
            alone, others = order[: MAX_BARS - 1], order[MAX_BARS - 1 :]
            groups.append([*([code] for code in alone), *([others] if others else [])])
        groups = [group for group in groups if group]
        slots = sum(len(group) for group in groups) + max(0, len(groups) - 1)
        if not slots:
            return Chart((), ())
        merged, places, marks, at = [], [], [], 0
        for group in groups:
            if at:
                marks.append((at + 0.5) / slots)
                at += 1
            for bar in group:
                merged.append(counts[bar].sum(axis=0))
                places.append(((at + _GAP_OF_CATEGORIES / 2) / slots, (1 - _GAP_OF_CATEGORIES) / slots))
                at += 1
        is_binary = self.model.core.test[node] != MULTIWAY
        (bars,) = self._bars(np.array([merged]), places)
        if not is_binary or not marks:
            return Chart(bars, ())
        return Chart(bars, tuple(marks), *branch_words(self._class_names))

    @property
    def _class_names(self) -> list[str]:
        return [] if self.model.classes_ is None else [str(label) for label in self.model.classes_]

    def _branches(self, node: int, n_values: int) -> list[list[int]]:
        core = self.model.core
        if core.test[node] != SUBSET:
            return [[code] for code in range(n_values)]
        inside = set(core.category[core.category_begin[node] : core.category_begin[node + 1]].tolist())
        return [sorted(inside), [code for code in range(n_values) if code not in inside]]

    def _leaves(self) -> dict[int, Chart]:
        """Return the distribution of the numbers in every leaf, with a mark at what it predicts."""
        core = self.model.core
        leaves = np.flatnonzero(core.test == LEAF).tolist()
        scale = _Scale.of(self.target, [])
        counts = self._counts(leaves, scale.bins(self.target), scale.n_bins)
        return {
            leaf: Chart(bars, (scale.share(float(core.output[leaf, 0])),), is_small=True)
            for leaf, bars in zip(leaves, self._bars(counts, scale.places), strict=True)
        }

    def _classes_shown(self) -> list[int]:
        """Return the classes with a color of their own: the most frequent ones, in their order."""
        if self.predicts_numbers:
            return []
        n_classes = len(np.asarray(self.model.classes_))
        if n_classes <= MAX_CLASSES:
            return list(range(n_classes))
        frequency = np.bincount(self.target[self.target >= 0], minlength=n_classes)
        return sorted(np.argsort(-frequency, kind="stable")[:MAX_CLASSES].tolist())

    def _counts(self, nodes: list[int], bins: NDArray[Any], n_bins: int) -> NDArray[np.float64]:
        """Count rows per node, bin and class; of numbers, the rows and the sum of their numbers.

        The bin after the last one holds rows without a value and is left out.
        """
        native, core = self.rows.native(), self.model.core
        if self.predicts_numbers:
            labels = np.ascontiguousarray(bins, dtype=np.int32)
            tables = [core.passing(native, labels, n_bins + 1, weights) for weights in (None, self.target)]
            return np.stack([np.asarray(table)[nodes, :n_bins] for table in tables], axis=-1)
        n_keys = len(self._keys) + 1
        place = {key: place for place, key in enumerate(self._keys)}
        keys = np.array([place.get(code, n_keys - 1) for code in range(_OTHERS, int(self.target.max()) + 1)])
        labels = np.ascontiguousarray(bins * n_keys + keys[self.target - _OTHERS], dtype=np.int32)
        counts = np.asarray(core.passing(native, labels, (n_bins + 1) * n_keys))[nodes]
        return counts.reshape(len(nodes), n_bins + 1, n_keys)[:, :n_bins]

    def _totals(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(counts[..., 0] if self.predicts_numbers else counts.sum(axis=-1))

    def _bars(
        self, counts: NDArray[np.float64], places: list[tuple[float, float]]
    ) -> list[tuple[ChartBar, ...]]:
        """Return per node the bars that are not empty; the highest one fills the chart."""
        rounded = [(round(left, 4), round(width, 4)) for left, width in places]
        most = self._totals(counts).max(axis=1, initial=0.0)
        at, amounts, keys = self._number_parts(counts) if self.predicts_numbers else self._class_parts(counts)
        n_nodes, n_bins = counts.shape[:2]
        parts = list(zip(_rounded(amounts / most[at // n_bins]), keys, strict=True))
        filled, begins = np.unique(at, return_index=True)
        filled_places = [rounded[place] for place in (filled % n_bins).tolist()]
        bounds = [*begins.tolist(), len(parts)]
        bars = [
            ChartBar(left, width, tuple(parts[begin:end]))
            for (left, width), (begin, end) in zip(filled_places, pairwise(bounds), strict=True)
        ]
        of_node = np.searchsorted(filled, np.arange(n_nodes + 1) * n_bins).tolist()
        return [tuple(bars[begin:end]) for begin, end in pairwise(of_node)]

    def _class_parts(
        self, counts: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64], list[int]]:
        """Return the bar, the number of rows and the class of each part, bars numbered through all nodes."""
        found = np.nonzero(counts > 0)
        at = np.ravel_multi_index(found[:2], counts.shape[:2])
        return at, counts[found], np.array([*self._keys, _OTHERS])[found[2]].tolist()

    def _number_parts(
        self, counts: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64], list[float]]:
        """Return the same for bars of one part: the number of rows and their mean number."""
        flat = counts.reshape(-1, 2)
        at = np.flatnonzero(flat[:, 0] > 0)
        means = flat[at, 1] / flat[at, 0]
        # Two digits are enough for a color, and do not tell the number of a single row.
        return at, flat[at, 0], [float(f"{mean:.2g}") for mean in means.tolist()]


def _rounded(shares: NDArray[np.float64]) -> list[float]:
    """Round each distinct share once to three digits, as Python does: NumPy may err in the last one."""
    distinct, inverse = np.unique(shares, return_inverse=True)
    rounded: list[float] = np.array([round(share, 3) for share in distinct.tolist()])[inverse].tolist()
    return rounded


def axis_ends(feature: Feature, low: float, high: float) -> tuple[str, str]:
    """Write the ends of an axis in the unit of its column; dates as briefly as their distance allows.

    Examples
    --------
    >>> axis_ends(Feature("opened", kind="date"), 17900, 19400)
    ('2019-01', '2023-02')
    >>> axis_ends(Feature("share", unit="%"), 0, 30)
    ('0%', '30%')
    """
    if not feature.kind:
        # Three digits of an hour are not its minutes.
        unit, digits = printable(feature.unit), 6 if feature.unit == ":" else 3
        return with_unit(number_text(low, digits), unit), with_unit(number_text(high, digits), unit)
    first, last = instant_text(low, feature.kind), instant_text(high, feature.kind)
    if feature.kind == "duration":
        return first, last
    days = (high - low) / (1 if feature.kind == "date" else _SECONDS_PER_DAY)
    part = next(part for least, part in _PARTS_OF_A_DATE if days >= least)
    return first[part], last[part]


_SECONDS_PER_DAY = 86_400
_PARTS_OF_A_DATE = ((62, slice(0, 7)), (2, slice(5, 10)), (0, slice(5, 16)))
"""Days between the ends from which on the year and month, or the day, are enough."""


@dataclass(frozen=True)
class _Scale:
    """A range in bins; those of a few whole numbers are one number wide."""

    low: float
    high: float
    n_bins: int
    is_whole: bool

    @classmethod
    def of(cls, known: NDArray[np.float64], thresholds: list[float]) -> _Scale:
        low, high = quantile_range(known)
        if any(not low <= threshold < high for threshold in thresholds):
            low, high = rounded_range(min(low, *thresholds), max(high, *thresholds))
        is_whole = high - low < N_BINS and bool((known == np.floor(known)).all())
        # Rows beyond the last threshold need a bar beyond its mark.
        most = known.max()
        last = max((threshold for threshold in thresholds if threshold < most), default=-np.inf)
        if is_whole:
            low, high = np.floor(low) - 0.5, max(np.ceil(high), np.floor(last) + 1) + 0.5
            return cls(float(low), float(high), max(1, round(high - low)), True)
        if last >= high:
            wider = high + (high / (N_BINS - 2) - low / (N_BINS - 2))
            low, high = rounded_range(low, wider) if math.isfinite(wider) else (low, high)
        return cls(low, high, N_BINS, False) if low < high else cls(low - 0.5, high + 0.5, 1, False)

    @property
    def low_text(self) -> float:
        return self.low + 0.5 if self.is_whole else self.low

    @property
    def high_text(self) -> float:
        return self.high - 0.5 if self.is_whole else self.high

    @property
    def places(self) -> list[tuple[float, float]]:
        """Left edge and width of each bar."""
        return [
            ((b + _GAP_OF_BINS / 2) / self.n_bins, (1 - _GAP_OF_BINS) / self.n_bins)
            for b in range(self.n_bins)
        ]

    def mark(self, threshold: float) -> float:
        """Return the position of a threshold; of whole numbers, after the last bar that goes left."""
        return self.share(math.floor(threshold) + 0.5 if self.is_whole else threshold)

    def share(self, value: float) -> float:
        # Halved first: the difference of two doubles may overflow.
        share = (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        return round(min(max(share, 0.0), 1.0), 4)

    def bins(self, numbers: NDArray[np.float64]) -> NDArray[np.int32]:
        shares = (numbers / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        bins = np.clip(np.nan_to_num(np.floor(shares * self.n_bins)), 0, self.n_bins - 1)
        return np.asarray(bins, dtype=np.int32)
