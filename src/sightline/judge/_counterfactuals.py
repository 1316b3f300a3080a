"""The nearest rows that get another answer: proved to be nearest, and checked by the models themselves."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.budget import Deadline, check_budget, check_tolerance
from sightline.estimator import SightlineEstimator
from sightline.exceptions import ParameterError, UnsupportedModelError
from sightline.judge._allowed_changes import ColumnLimits, Limits
from sightline.judge._comparable import Provable, comparable, provable, table_of, values_of
from sightline.judge._counterfactual import Change, Counterfactual, Counterfactuals, Distance
from sightline.judge._plausible import PlausibleRows
from sightline.judge._readable_row import with_round_numbers
from sightline.judge._wanted import Wanted
from sightline.model import BlackBox, CaseBase, NeighbourEnsemble, RuleSet
from sightline.table import Table, table_of_row

_OWNER = "counterfactuals"
_MAX_BOXES = 2**62
_MAX_KNOWN, _MAX_TRIED = 2_000, 8
"""Known rows to look at after a search that found none, and how many of them to bring nearer."""


def counterfactuals(
    model: Any,
    row: Any,
    *,
    to: Any = None,
    ensemble: Any = None,
    fixed: Sequence[Any] = (),
    monotone: Mapping[Any, int] | None = None,
    ranges: Mapping[Any, Any] | None = None,
    within: Any = None,
    near: float | None = None,
    missing: bool | Sequence[str] = False,
    max_changes: int | None = None,
    n: int = 3,
    distance: Literal["columns", "total"] = "columns",
    readable: bool = True,
    max_seconds: float = 10.0,
) -> Counterfactuals:
    """Find the nearest rows that get another prediction: what would have to change.

    The search covers every row that the limits allow, not a sample. So a counterfactual is proved to be
    nearest, the wanted prediction is proved to be impossible, or, if the time ends first, the result says how
    much nearer another row may be. The models themselves predict each row of the result.

    Parameters
    ----------
    model : Tree, Graph, RuleSet, Ensemble, fitted model, or path
        The model whose prediction is to change, as in :func:`sightline.certify`.
    row : dict, sequence, series, or table, frame or array of one row
        The row to start from.
    to : label, list of labels, or (low, high), optional
        The wanted label, or any of several. By default, any label but the present one. For regressors,
        the range of wanted numbers; None for no limit, such as ``(None, 1000)``.
    ensemble : Ensemble, fitted model, or path, optional
        A second model over the same columns that must also give the wanted prediction, such as the ensemble
        that a distilled tree summarizes.
    fixed : sequence of column
        Columns that must not change.
    monotone : mapping of column to int, optional
        1 for columns that may only rise, -1 for those that may only fall.
    ranges : mapping of column to range, optional
        Pairs (low, high) for numeric columns, None for no limit; lists of categories for nominal ones.
    within : Table, frame or array of shape (n_rows, n_features), optional
        Rows that show what is plausible, such as the training rows. Numbers stay between the smallest
        and the largest of their column, and only categories that occur are used.
    near : float, optional
        Keep every counterfactual near to a row of ``within``: in the columns that the models test, the
        numbers of some row there are at most this many scales away, and its categories are the same.
    missing : bool or sequence of str, default=False
        Columns whose value may be removed: all, none, or the named ones. A value that is missing may
        always be filled in, unless the column is fixed.
    max_changes : int, optional
        Most columns to change.
    n : int, default=3
        How many counterfactuals to find. They differ in what they change: each keeps at least one of the
        columns that any earlier one changes.
    distance : {"columns", "total"}, default="columns"
        What makes a row near: first the number of changed columns, then the total of the scaled
        changes; or the total only.
    readable : bool, default=True
        Whether to round changed numbers: by at most a hundredth of the column's scale, or by the last
        digit that numbers of the column have in ``within``.
    max_seconds : float, default=10.0
        Maximum duration of the search.

    Returns
    -------
    Counterfactuals
        A sequence of :class:`Counterfactual`, nearest first, each with ``row``, ``changes``,
        ``distance``, ``proved`` and ``gap``. One without changes if the row has the wanted prediction
        already; empty with ``impossible`` if no allowed row has it.

    Raises
    ------
    DataError
        If the row or ``within`` does not fit the model, or both models have different columns.
    ParameterError
        If a parameter names an unknown column or label, or is out of range.
    UnsupportedModelError
        If a model is not made of trees or rules.

    See Also
    --------
    sightline.certify : Prove that two models predict the same.

    Notes
    -----
    A change of a number counts with its size divided by the column's scale: the standard deviation
    in ``within``, or else of the thresholds in the models. Another category counts 1, as does a value
    that becomes missing or known. Columns that hold only whole numbers in ``within``, or that the models
    compare only with whole and half numbers, get whole numbers; in tens or hundreds if ``within`` has only
    such. Undeclared categories are never used.

    The search is branch and bound over boxes [1]_, the nearest box first. A box is done when bounds of the
    models' scores exclude the wanted prediction, or when its nearest row has it.

    References
    ----------
    .. [1] L. Devos, W. Meert and J. Davis, "Versatile verification of tree ensembles", ICML 2021.

    Examples
    --------
    >>> import sightline as sl
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    >>> found = sl.counterfactuals(forest, X.iloc[[0]], to=1, within=X, n=1)
    >>> print(found[0])
    Change petal width (cm) from 0.2 to 0.9: the prediction becomes 1. Proved to be the nearest.
    >>> found[0].proved
    True
    >>> sl.load(forest).predict([list(found[0].row.values())])
    array([1])
    """
    _check_parameters(max_seconds, n, max_changes, distance, near, within)
    deadline = Deadline(max_seconds)
    begin = time.perf_counter()
    models = _searchable(model, ensemble)
    start = _Start.of(row, models[0])
    wanted = [Wanted.of(to, each, start.table) for each in models]
    seen = None if within is None else Table.from_any(within).aligned(models[0].schema, _OWNER)
    columns = Limits(fixed, monotone, ranges, missing).of_columns(models, start.table, seen)
    plausible = PlausibleRows.of(seen, near, columns)
    search = _Search(models, wanted, start, columns, plausible)
    if search.has_wanted_answer:
        result = None
    else:
        result = _core.counterfactuals(
            [each.demand(one) for each, one in zip(wanted, models, strict=True)],
            [column.native() for column in columns],
            max_rows=n,
            max_changes=len(columns) if max_changes is None else max_changes,
            fewest_columns_first=distance == "columns",
            plausible=plausible.values,
            width=plausible.width,
            max_boxes=_MAX_BOXES,
            max_seconds=deadline.seconds_left,
        )
    if result is None:
        found = [search.unchanged()]
    elif not result.rows and not result.complete and seen is not None:
        found = search.among_known(seen, Distance(*result.bound), distance)
    else:
        found = search.found(result, readable, distance)
    return Counterfactuals(
        row=start.given,
        prediction=wanted[0].present,
        wanted=str(wanted[0]),
        found=tuple(found),
        complete=result is None or result.complete,
        bound=None if result is None or result.complete else Distance(*result.bound),
        n_boxes=0 if result is None else result.n_boxes,
        seconds=time.perf_counter() - begin,
    )


def _searchable(model: Any, ensemble: Any) -> Sequence[Provable]:
    """Return one or two models in the form that the search takes."""
    for each in (model, ensemble):
        noun = each.model_ if isinstance(each, SightlineEstimator) else each
        if isinstance(noun, BlackBox | CaseBase | NeighbourEnsemble):
            raise UnsupportedModelError(
                f"{_OWNER} cannot search a {type(noun).__name__}, because it has no trees or rules. "
                "Distill it with DistilledTreeClassifier or DistilledTreeRegressor, and pass the result."
            )
        if isinstance(noun, RuleSet) and noun.classes_ is None:
            raise UnsupportedModelError(
                f"{_OWNER} cannot search rules that predict numbers. Pass the ensemble that they summarize, "
                "or a DistilledTreeRegressor."
            )
    if ensemble is None:
        return (provable(model, _OWNER),)
    return comparable(model, ensemble, _OWNER)


def _check_parameters(
    max_seconds: float, n: int, max_changes: int | None, distance: str, near: float | None, within: Any
) -> None:
    check_budget(_OWNER, max_seconds=max_seconds, n=n)
    check_tolerance(_OWNER, near, "near")
    if near is not None and within is None:
        raise ParameterError("near needs rows to be near to. Pass them as within.")
    if distance not in ("columns", "total"):
        raise ParameterError(
            f"The 'distance' parameter of {_OWNER} must be 'columns' or 'total'. Got {distance!r} instead."
        )
    if max_changes is None:
        return
    check_budget(_OWNER, max_changes=max_changes)
    if distance == "total":
        raise ParameterError("max_changes needs distance='columns'. Leave one of them out.")


@dataclass(frozen=True)
class _Start:
    """The row to start from.

    ``given`` has the cells as the caller wrote them: another library may tell None from NaN, and 1 from
    1.0. ``known`` has None for whatever is missing.
    """

    given: dict[str, Any]
    known: dict[str, Any]
    names: list[str]
    table: Table

    @classmethod
    def of(cls, row: Any, model: Provable) -> _Start:
        original = table_of_row(row, model.schema, "the model")
        known: dict[str, Any] = original[0]
        names = model.schema.called(list(known))
        if not set(names) <= set(known):
            known = dict(zip(model.schema.names, known.values(), strict=True))
            names = model.schema.names
        cells = _cells_of(row)
        given = cells if cells.keys() == known.keys() else known
        return cls(given, known, names, original.aligned(model.schema, _OWNER))


def _cells_of(row: Any) -> dict[str, Any]:
    """Return the cells of a row with names, as they are; nothing for a row without."""
    if isinstance(row, Mapping):
        return {str(name): cell for name, cell in row.items()}
    if hasattr(row, "to_dict") and getattr(row, "ndim", None) == 1:
        return _cells_of(row.to_dict())
    frame = nw.from_native(row, eager_only=True, pass_through=True)
    return _cells_of(frame.rows(named=True)[0]) if isinstance(frame, nw.DataFrame) else {}


class _Search:
    """Turns what the kernel finds into counterfactuals, each predicted by the models themselves."""

    def __init__(
        self,
        models: Sequence[Provable],
        wanted: Sequence[Wanted],
        start: _Start,
        columns: Sequence[ColumnLimits],
        plausible: PlausibleRows,
    ) -> None:
        self._models = models
        self._wanted = wanted
        self._start = start
        self._columns = columns
        self._plausible = plausible
        self._own = [column.own for column in columns]

    @property
    def has_wanted_answer(self) -> bool:
        """Whether the row itself gets the wanted prediction."""
        return bool(self._is_wanted([self._own])[0])

    def _is_acceptable(self, rows: list[list[float]]) -> NDArray[np.bool_]:
        return self._is_wanted(rows) & self._plausible.include(rows)

    def _is_wanted(self, rows: list[list[float]]) -> NDArray[np.bool_]:
        """Return which rows get the wanted prediction from every model."""
        result = np.ones(len(rows), dtype=bool)
        for wanted, predicted in zip(self._wanted, self._predictions(rows), strict=True):
            result &= wanted.includes(predicted)
        return result

    def _predictions(self, rows: list[list[float]]) -> list[NDArray[Any]]:
        return [model.predict(table_of(rows, model.schema)) for model in self._models]

    def unchanged(self) -> Counterfactual:
        """Return the row itself, which has the wanted prediction."""
        nothing = Distance(0, 0.0)
        return self._counterfactual(self._own, nothing, nothing, True, 0.0)

    def found(self, result: _core.Counterfactuals, readable: bool, distance: str) -> list[Counterfactual]:
        """Return what the kernel found."""
        counterfactuals = []
        for nearest in result.rows:
            row = list(nearest.row)
            if readable:
                row = with_round_numbers(row, self._columns, self._is_acceptable)
            if not self._is_acceptable([row])[0]:
                raise AssertionError(f"{row!r} does not get {self._wanted[0]}: please report this bug")
            bound = Distance(*nearest.bound)
            gap = 0.0 if nearest.is_nearest else _gap(self._distance(nearest.row), bound, distance)
            counterfactuals.append(
                self._counterfactual(row, self._distance(row), bound, nearest.is_nearest, gap)
            )
        return counterfactuals

    def among_known(self, known: Table, bound: Distance, kind: str) -> list[Counterfactual]:
        """Return a row with values of some known row, after a search that ended without any."""
        rows = [
            [v if column.allows(v) else column.own for column, v in zip(self._columns, row, strict=True)]
            for row in values_of(known[: min(known.n_rows, _MAX_KNOWN)])
        ]
        rows = [row for row, is_met in zip(rows, self._is_acceptable(rows), strict=True) if is_met]
        if not rows:
            return []

        def order(row: list[float]) -> tuple[float, ...]:
            distance = self._distance(row)
            return distance if kind == "columns" else (distance.total,)

        best = min((self._with_fewer_changes(row) for row in sorted(rows, key=order)[:_MAX_TRIED]), key=order)
        distance = self._distance(best)
        return [self._counterfactual(best, distance, bound, False, _gap(distance, bound, kind))]

    def _with_fewer_changes(self, row: list[float]) -> list[float]:
        """Return a row with as many own values as it can have, the most expensive changes first."""
        pairs = list(zip(self._columns, row, strict=True))
        for index in sorted(range(len(row)), key=lambda index: -pairs[index][0].cost(row[index])):
            kept = [*row[:index], self._own[index], *row[index + 1 :]]
            if not self._columns[index].keeps(row[index]) and self._is_acceptable([kept])[0]:
                row = kept
        return row

    def _distance(self, row: Sequence[float]) -> Distance:
        costs = [column.cost(value) for column, value in zip(self._columns, row, strict=True)]
        n_changed = sum(not column.keeps(value) for column, value in zip(self._columns, row, strict=True))
        return Distance(n_changed, math.fsum(costs))

    def _counterfactual(
        self, row: Sequence[float], distance: Distance, bound: Distance, proved: bool, gap: float
    ) -> Counterfactual:
        predictions = [predicted.tolist()[0] for predicted in self._predictions([list(row)])]
        cells = dict(self._start.given)
        changes = []
        for name, column, value in zip(self._start.names, self._columns, row, strict=True):
            if column.keeps(value):
                continue
            before = self._start.known[name] if math.isnan(column.own) else column.cell(column.own)
            cells[name] = column.cell(value)
            changes.append(Change(name, before, cells[name]))
        return Counterfactual(cells, tuple(changes), distance, proved, gap, bound, *predictions)


def _gap(distance: Distance, bound: Distance, kind: str) -> float:
    """Return by which share of the distance another row may be nearer, at most."""
    if kind == "columns" and bound.columns < distance.columns:
        return 1 - bound.columns / distance.columns
    return 1 - bound.total / distance.total if distance.total > 0 else 0.0
