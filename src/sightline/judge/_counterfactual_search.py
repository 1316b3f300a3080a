"""The search for counterfactuals: call the kernel, round numbers, and check every row with the models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.budget import Deadline
from sightline.judge._allowed_changes import ColumnLimits
from sightline.judge._comparable import Provable, table_of, values_of
from sightline.judge._counterfactual import Change, Counterfactual, Distance
from sightline.judge._plausible import PlausibleRows
from sightline.judge._readable_row import with_round_numbers
from sightline.judge._wanted import Wanted
from sightline.table import Table, table_of_row

_MAX_BOXES = 2**62
_MAX_KNOWN, _MAX_TRIED = 2_000, 3
"""Known rows to look at after a search that found none, and how many of them to bring nearer."""
_SHARE_OF_SEARCH = 0.75
"""Share of the time for the search, if known rows can be brought nearer in the rest."""


@dataclass(frozen=True)
class StartRow:
    """The row to start from.

    Attributes
    ----------
    given : dict
        The cells as the caller wrote them: other libraries may distinguish None from NaN, and 1 from 1.0.
    known : dict
        The same with None for whatever is missing.
    names : list of str
        Names of the model's columns in these, also of those that it ignores and that the row lacks.
    table : Table
        The row as the model reads it.
    """

    given: dict[str, Any]
    known: dict[str, Any]
    names: list[str]
    table: Table

    @classmethod
    def of(cls, row: Any, model: Provable, owner: str) -> StartRow:
        """Read a row in any form for a model; DataError if it does not match."""
        original = table_of_row(row, model.schema, "the model")
        table = original.aligned(model.schema, owner)
        known: dict[str, Any] = original[0]
        names = model.schema.called(list(known))
        needed = {
            name for name, feature in zip(names, model.schema.features, strict=True) if not feature.ignored
        }
        if not needed <= set(known):
            known = dict(zip(model.schema.names, known.values(), strict=True))
            names = model.schema.names
        cells = _cells_of(row)
        given = cells if cells.keys() == known.keys() else known
        return cls(given, known, names, table)


def _cells_of(row: Any) -> dict[str, Any]:
    """Return the cells of a row with names, as they are; nothing for a row without."""
    if isinstance(row, Mapping):
        return {str(name): cell for name, cell in row.items()}
    if hasattr(row, "to_dict") and getattr(row, "ndim", None) == 1:
        return _cells_of(row.to_dict())
    frame = nw.from_native(row, eager_only=True, pass_through=True)
    return _cells_of(frame.rows(named=True)[0]) if isinstance(frame, nw.DataFrame) else {}


@dataclass(frozen=True)
class Demands:
    """Requirements on a counterfactual: every model predicts what is wanted, and it is plausible."""

    models: Sequence[Provable]
    wanted: Sequence[Wanted]
    plausible: PlausibleRows

    def predictions(self, rows: list[list[float]]) -> list[NDArray[Any]]:
        """Return what each model predicts."""
        return [model.predict(table_of(rows, model.schema)) for model in self.models]

    def are_predicted(self, rows: list[list[float]]) -> NDArray[np.bool_]:
        """Return which rows get the wanted prediction from every model."""
        result = np.ones(len(rows), dtype=bool)
        for wanted, predicted in zip(self.wanted, self.predictions(rows), strict=True):
            result &= wanted.includes(predicted)
        return result

    def are_met(self, rows: list[list[float]]) -> NDArray[np.bool_]:
        """Return which rows are also plausible."""
        return self.are_predicted(rows) & self.plausible.include(rows)

    def native(self) -> list[_core.Demand]:
        """Return the demands on the models as the kernel takes them."""
        return [wanted.demand(model) for wanted, model in zip(self.wanted, self.models, strict=True)]


@dataclass(frozen=True)
class SearchRequest:
    """How many rows to find, and which are near; see :func:`sightline.counterfactuals`."""

    n: int
    max_changes: int
    distance: str
    readable: bool


@dataclass(frozen=True)
class SearchResult:
    """What a search found, and what it proved."""

    found: list[Counterfactual]
    complete: bool
    bound: Distance
    n_boxes: int


class Search:
    """Looks for counterfactuals of one row.

    Parameters
    ----------
    demands : Demands
        What they have to be.
    start : StartRow
        The row.
    columns : sequence of ColumnLimits
        What may change.
    request : SearchRequest
        How many, and which are near.
    """

    def __init__(
        self, demands: Demands, start: StartRow, columns: Sequence[ColumnLimits], request: SearchRequest
    ) -> None:
        self._demands = demands
        self._start = start
        self._columns = columns
        self._request = request
        self._own = [column.own for column in columns]

    def run(self, known: Table | None, deadline: Deadline) -> SearchResult:
        """Find the nearest rows.

        Parameters
        ----------
        known : Table or None
            Rows to start from if the search itself finds none in time.
        deadline : Deadline
            When to stop.

        Returns
        -------
        SearchResult
            The rows, each predicted by the models themselves.
        """
        if self._demands.are_predicted([self._own])[0]:
            nothing = Distance(0, 0.0)
            unchanged = self._counterfactual(self._own, nothing, None)
            return SearchResult([unchanged], True, nothing, 0)
        share = 1.0 if known is None else _SHARE_OF_SEARCH
        result = self._ask_kernel(self._columns, self._request.n, share * deadline.seconds_left)
        found, lost = self._written(result.rows)
        complete = result.complete and lost is None
        bound = lost or Distance(*result.bound)
        if not found and not complete and known is not None:
            found = self._among_known(known, bound, deadline)
        return SearchResult(found, complete, bound, result.n_boxes)

    def _written(self, rows: Sequence[_core.Counterfactual]) -> tuple[list[Counterfactual], Distance | None]:
        """Return rows that cells can hold, and the distance of the first that none can.

        There is none where less than a microsecond lies between two thresholds. The search does not go on
        from there, so nothing beyond that distance is proved.
        """
        found: list[Counterfactual] = []
        lost: Distance | None = None
        for row in rows:
            made = self._writable(row.row)
            if made is None:
                lost = lost or Distance(*row.bound)
            else:
                is_proved = row.is_nearest and lost is None
                bound = lost or Distance(*row.bound)
                found.append(self._counterfactual(made, bound, None if is_proved else made))
        return found, lost

    def _writable(self, row: Sequence[float]) -> list[float] | None:
        made = [column.writable(value) for column, value in self._pairs(row)]
        return made if self._demands.are_met([made])[0] else None

    def _ask_kernel(
        self, columns: Sequence[ColumnLimits], n: int, max_seconds: float
    ) -> _core.Counterfactuals:
        return _core.counterfactuals(
            self._demands.native(),
            [column.native() for column in columns],
            max_rows=n,
            max_changes=self._request.max_changes,
            fewest_columns_first=self._request.distance == "columns",
            plausible=self._demands.plausible.values,
            width=self._demands.plausible.width,
            max_boxes=_MAX_BOXES,
            max_seconds=max_seconds,
        )

    def _among_known(self, known: Table, bound: Distance, deadline: Deadline) -> list[Counterfactual]:
        """Bring known rows nearer, then look for the nearest row that changes the same columns or fewer."""
        rows = [
            [value if column.allows(value) else column.own for column, value in self._pairs(row)]
            for row in values_of(known[: min(known.n_rows, _MAX_KNOWN)])
        ]
        rows = [row for row, is_met in zip(rows, self._demands.are_met(rows), strict=True) if is_met]
        if not rows:
            return []
        best = min(map(self._with_fewer_changes, sorted(rows, key=self._order)[:_MAX_TRIED]), key=self._order)
        columns = [
            replace(column, is_fixed=column.is_fixed or column.keeps(value))
            for column, value in self._pairs(best)
        ]
        nearer = self._ask_kernel(columns, 1, max(deadline.seconds_left, 0.0)).rows
        if nearer:
            best = self._writable(nearer[0].row) or best
        if self._distance(best).columns > self._request.max_changes:
            return []
        return [self._counterfactual(best, bound, best)]

    def _with_fewer_changes(self, row: list[float]) -> list[float]:
        """Restore as many of the row's own values as possible, undoing the most expensive changes first."""
        costs = [column.cost(value) for column, value in self._pairs(row)]
        for index in sorted(range(len(row)), key=lambda index: -costs[index]):
            kept = [*row[:index], self._own[index], *row[index + 1 :]]
            if not self._columns[index].keeps(row[index]) and self._demands.are_met([kept])[0]:
                row = kept
        return row

    def _pairs(self, row: Sequence[float]) -> list[tuple[ColumnLimits, float]]:
        return list(zip(self._columns, row, strict=True))

    def _distance(self, row: Sequence[float]) -> Distance:
        pairs = self._pairs(row)
        n_changed = sum(not column.keeps(value) for column, value in pairs)
        return Distance(n_changed, math.fsum(column.cost(value) for column, value in pairs))

    def _order(self, row: Sequence[float]) -> tuple[float, ...]:
        distance = self._distance(row)
        return distance if self._request.distance == "columns" else (distance.total,)

    def _gap(self, row: Sequence[float], bound: Distance) -> float:
        """Return the largest share of the distance by which another row may be nearer."""
        distance = self._distance(row)
        if self._request.distance == "columns" and bound.columns < distance.columns:
            return 1 - bound.columns / distance.columns
        return 1 - bound.total / distance.total if distance.total > 0 else 0.0

    def _counterfactual(
        self, row: Sequence[float], bound: Distance, unproved: Sequence[float] | None
    ) -> Counterfactual:
        """Return a row with its changes; ``unproved`` is the row before rounding if another may be nearer."""
        made = list(row)
        if self._request.readable:
            made = with_round_numbers(made, self._columns, self._demands.are_met)
        is_own = all(column.keeps(value) for column, value in self._pairs(made))
        if not is_own and not self._demands.are_met([made])[0]:
            raise AssertionError(f"{made!r} does not get {self._demands.wanted[0]}: please report this bug")
        predictions = [predicted.tolist()[0] for predicted in self._demands.predictions([made])]
        ensemble_before = [wanted.present for wanted in self._demands.wanted[1:]]
        cells = dict(self._start.given)
        changes = []
        for name, (column, value) in zip(self._start.names, self._pairs(made), strict=True):
            if column.keeps(value):
                continue
            before = self._start.known[name] if math.isnan(column.own) else column.cell(column.own)
            cells[name] = column.cell(value)
            changes.append(Change(name, before, cells[name], column.feature.unit))
        gap = 0.0 if unproved is None else self._gap(unproved, bound)
        return Counterfactual(
            cells,
            tuple(changes),
            self._distance(made),
            unproved is None,
            gap,
            bound,
            *predictions,
            *ensemble_before,
        )
