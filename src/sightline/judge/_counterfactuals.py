"""Find the nearest rows with a different prediction: proved to be nearest, and checked by the models."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sightline.budget import Deadline, check_budget, check_count, check_tolerance
from sightline.estimator import SightlineEstimator
from sightline.exceptions import ParameterError, UnsupportedModelError
from sightline.judge._allowed_changes import Limits
from sightline.judge._comparable import Provable, comparable, other_labels, provable
from sightline.judge._counterfactual import Counterfactuals
from sightline.judge._counterfactual_search import Demands, Search, SearchRequest, StartRow
from sightline.judge._plausible import PlausibleRows
from sightline.judge._wanted import Wanted
from sightline.model import BlackBox, CaseBase, NeighbourEnsemble, RuleSet
from sightline.table import Table

_OWNER = "counterfactuals"


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
    """Find the nearest rows with a different prediction: what would have to change.

    The search covers every row that the limits allow, not a sample. So a counterfactual is proved to be
    nearest, the wanted prediction is proved to be impossible, or, if time runs out first, the result says how
    much nearer another row may be. The models themselves predict each row of the result.

    Parameters
    ----------
    model : Tree, Graph, RuleSet, Ensemble, fitted model, or path
        The model whose prediction is to change, as in :func:`sightline.certify`.
    row : dict, sequence, series, or table, frame or array of one row
        The row to start from.
    to : label, list of labels, or (low, high), optional
        The wanted label, or any of several. By default, any label but the one that the model gives
        now. For regressors, the range of wanted numbers; None for no limit, such as ``(None, 1000)``.
    ensemble : Ensemble, fitted model, or path, optional
        A second model over the same columns that must also give the wanted prediction, such as the ensemble
        that a distilled tree summarizes.
    fixed : sequence of column, default=()
        Columns that must not change.
    monotone : mapping of column to int, optional
        1 for columns that may only rise, -1 for those that may only fall. Their values are neither removed
        nor filled in.
    ranges : mapping of column to range, optional
        Pairs (low, high) for numbers and dates, None for no limit; lists of categories for nominal columns.
    within : Table, frame or array of shape (n_rows, n_features), optional
        Rows that show what is plausible, such as the training rows. Numbers stay between the smallest
        and the largest of their column, and only categories that occur are used.
    near : float, optional
        Keep every counterfactual near to a row of ``within``: in the columns that the models test, the
        numbers of some row there are at most this many scales away, and its categories are the same.
    missing : bool or sequence of str, default=False
        Columns whose value may be removed: all, none, or the named ones. A value that is missing may
        always be filled in, unless the column is fixed or monotone.
    max_changes : int, optional
        Maximum number of columns to change.
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
        If the row or ``within`` does not match the model, or the two models have different columns.
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
    in ``within``, or else of the thresholds in the models. A different category counts 1, as does a value
    that becomes missing or known. Columns that hold only whole numbers in ``within``, or that the models
    compare only with whole and half numbers, get whole numbers; in tens or hundreds if ``within`` has only
    such. Dates get whole days, times and durations at least whole microseconds. Undeclared categories are
    never used.

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
    rows = None if within is None else Table.from_any(within)
    models = _searchable(model, ensemble, rows)
    start = StartRow.of(row, models[0], _OWNER)
    wanted = Wanted.of_models(to, models, start.table)
    seen = None if rows is None else rows.aligned(models[0].schema, _OWNER)
    columns = Limits(fixed, monotone, ranges, missing).of_columns(models, start.table, seen)
    demands = Demands(models, wanted, PlausibleRows.of(seen, near, columns))
    request = SearchRequest(n, len(columns) if max_changes is None else max_changes, distance, readable)
    search = Search(demands, start, columns, request)
    result = search.run(seen, deadline)
    return Counterfactuals(
        row=start.given,
        prediction=wanted[0].present,
        goal=wanted[0],
        found=tuple(result.found),
        complete=result.complete,
        bound=None if result.complete else result.bound,
        n_boxes=result.n_boxes,
        seconds=time.perf_counter() - begin,
        note="" if ensemble is None else other_labels(*models),
    )


def _searchable(model: Any, ensemble: Any, rows: Table | None) -> Sequence[Provable]:
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
        return (provable(model, _OWNER, rows),)
    return comparable(model, ensemble, _OWNER, rows)


def _check_parameters(
    max_seconds: float, n: int, max_changes: int | None, distance: str, near: float | None, within: Any
) -> None:
    check_budget(_OWNER, max_seconds=max_seconds)
    check_count(_OWNER, n=n)
    check_tolerance(_OWNER, near, "near")
    if near is not None and within is None:
        raise ParameterError("near needs rows to be near to. Pass them as within.")
    if not isinstance(distance, str) or distance not in ("columns", "total"):
        raise ParameterError(
            f"The 'distance' parameter of {_OWNER} must be 'columns' or 'total'. Got {distance!r} instead."
        )
    if max_changes is None:
        return
    check_count(_OWNER, max_changes=max_changes)
    if distance == "total":
        raise ParameterError("max_changes needs distance='columns'. Leave one of them out.")
