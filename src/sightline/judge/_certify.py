"""Proof that two models give every row the same label, or a row on which they differ."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.budget import Deadline, check_budget, check_count, check_tolerance
from sightline.exceptions import DataError, ParameterError
from sightline.judge._certificate import Certificate
from sightline.judge._certify_numbers import certified_numbers
from sightline.judge._comparable import ProofTask, Provable, comparable, table_of, values_of
from sightline.judge._plain_witness import with_plain_numbers, with_possible_numbers
from sightline.model import Coverage, NodeModel, Status, Tree, second_noun
from sightline.table import Table


def certify(
    model: Any,
    ensemble: Any,
    X: Any = None,
    *,
    max_nodes: int = 10_000_000,
    max_seconds: float = 60.0,
    missing: bool | Sequence[str] = True,
    every_leaf: bool = True,
    predictions: tuple[NDArray[Any], NDArray[Any]] | None = None,
    tolerance: float | None = None,
) -> Certificate:
    """Prove that a model gives an ensemble's label for every row, or find a row on which they differ.

    The proof covers every row of finite numbers, declared categories and missing values,
    not a sample. If the budget runs out first, the certificate says which leaves of the model
    are decided. For regressors, it finds the largest difference over all these rows, or bounds
    it from both sides.

    Parameters
    ----------
    model : Tree, Graph, RuleSet, Ensemble, fitted model, or path
        What to certify. Files may hold any model that :func:`sightline.load` reads, or one that
        sightline wrote.
    ensemble : Ensemble, Tree, Graph, RuleSet, fitted model, or path
        The model to compare with, over the same features. If a model was distilled with ``threshold`` or
        ``cost_matrix``, the ``ensemble_`` of its estimator follows them, too.
    X : Table, frame or array of shape (n_rows, n_features), optional
        Rows for ``proved_share``. Rows on which the labels differ refute their leaves at once.
    max_nodes : int, default=10_000_000
        Maximum number of boxes to visit.
    max_seconds : float, default=60.0
        Maximum duration of the search.
    missing : bool or sequence of str, default=True
        Features whose values may be missing: all, none, or the named ones. The proof does
        not cover rows in which any other value is missing.
    every_leaf : bool, default=True
        Whether to decide every leaf of the model. If not, the search stops at the first row
        on which the labels differ. For regressors, it then bounds only the largest difference
        over all leaves.
    predictions : pair of ndarray of shape (n_rows,), optional
        What model and ensemble predict for X, if known; otherwise they are computed.
    tolerance : float, optional
        For regressors: prove that no row differs by more than this, or find a row that does.
        Without it, the search is for the largest difference itself, which takes longer.

    Returns
    -------
    Certificate
        ``equivalent`` is True only if proved, False only with a ``witness`` that both
        models have predicted, None if the budget ran out. For regressors, ``max_difference``
        and ``max_difference_bound`` bound the largest difference; they are equal if the search finished.

    Raises
    ------
    DataError
        If the models have different columns or no class in common.
    ParameterError
        If a budget is not positive, or the tolerance is negative or given for classifiers.
    UnsupportedModelError
        If only one of the models is a regressor, or one cannot be read.

    See Also
    --------
    sightline.merge : Make an equivalent tree.

    Examples
    --------
    >>> import sightline as sl
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, y)
    >>> sl.certify(sl.merge(forest), forest).equivalent
    True
    >>> tree = sl.C45Classifier().fit(X, y)
    >>> certificate = sl.certify(tree, forest, X)
    >>> certificate.equivalent
    False
    >>> row = [list(certificate.witness.values())]
    >>> bool(tree.predict(row)[0] == forest.predict(row)[0])
    False

    The largest difference of two regressors:

    >>> from sklearn.ensemble import RandomForestRegressor
    >>> forest = RandomForestRegressor(5, max_depth=2, random_state=0).fit(X[:, :3], X[:, 3])
    >>> tree = sl.DistilledTreeRegressor(forest, max_leaves=4, random_state=0).fit(X[:, :3])
    >>> certificate = sl.certify(tree, forest)
    >>> certificate.max_difference == certificate.max_difference_bound
    True
    >>> sl.certify(tree, forest, tolerance=1.0).equivalent
    True
    """
    check_count("certify", max_nodes=max_nodes)
    check_budget("certify", max_seconds=max_seconds)
    check_tolerance("certify", tolerance)
    deadline = Deadline(max_seconds)
    table = None if X is None else Table.from_any(X)
    first, second = comparable(model, ensemble, rows=table)
    coverage = Coverage.of(missing, first.schema)
    rows = None if table is None else table.aligned(first.schema, "certify")
    task = ProofTask(first, second, coverage, rows, predictions, max_nodes, deadline, every_leaf)
    if first.classes_ is None:
        return certified_numbers(task, tolerance)
    if tolerance is not None:
        raise ParameterError(
            "The 'tolerance' parameter of certify is for regressors, but both models are classifiers. "
            "Leave it out."
        )
    return _certified_labels(task)


def _certified_labels(task: ProofTask) -> Certificate:
    """Prove that two classifiers agree, or find rows on which they differ."""
    begin = time.perf_counter()
    first, second, coverage = task.first, task.second, task.coverage
    labels = _Labels(_classes(first), _classes(second), second_noun(first, second))
    seen = _SeenRows(task)
    result = _core.certify(
        first.boxed(),
        second.boxed(),
        coverage.box(),
        first_label=labels.first,
        second_label=labels.second,
        max_boxes=task.max_boxes,
        max_seconds=task.deadline.seconds_left,
        stop_at_first=not task.every_leaf or (not isinstance(first, NodeModel) and bool(seen.witnesses)),
        one_part_per_leaf=isinstance(first, Tree),
        refuted=sorted(seen.witnesses),
    )
    # A given row says more to a reader than one that the search made up.
    found = {**seen.witnesses, **with_possible_numbers(result.witness, task)}
    shown = next(iter(found), None)
    if shown is not None and shown not in seen.witnesses:
        found[shown] = with_plain_numbers(found[shown], task)
    witnesses = _Witnesses(found, first, second)
    statuses = {leaf: Status(status) for leaf, status in result.status.items()}
    equivalent = False if witnesses.rows else True if result.complete else None
    return Certificate(
        model=first,
        ensemble=second,
        equivalent=equivalent,
        witness=next(iter(witnesses.rows.values()), None),
        answers=next(iter(witnesses.answers), None),
        proved_share=seen.proved_share(statuses, result.complete, equivalent),
        leaf_status=_leaf_status(first, statuses, result.complete),
        mixed_status=statuses.get(-1) if isinstance(first, NodeModel) else None,
        witnesses=witnesses.rows,
        n_rows=seen.n_rows,
        n_differing=seen.n_differing,
        missing=coverage.names,
        n_boxes=result.n_boxes,
        seconds=time.perf_counter() - begin,
    )


def _classes(model: Provable) -> list[Any]:
    labels = model.classes_
    assert labels is not None
    return list(labels.tolist())


class _Labels:
    """Codes for the labels of both models, with one code per label."""

    def __init__(self, first: list[Any], second: list[Any], noun: str) -> None:
        if not set(first) & set(second):
            raise DataError(
                f"The model has the classes {first}, the {noun} {second}. They have no class in common. "
                "Give both the same class names: sl.load(ensemble, classes=[…])."
            )
        number = {label: index for index, label in enumerate(dict.fromkeys([*first, *second]))}
        self.first = [number[label] for label in first]
        self.second = [number[label] for label in second]


class _SeenRows:
    """The given rows: the leaves that they reach, and the rows on which the models differ."""

    def __init__(self, task: ProofTask) -> None:
        self.witnesses: dict[int, list[float]] = {}
        self.leaf = task.leaves()
        self.n_rows = self.n_differing = 0
        rows = task.rows
        if rows is None:
            return
        self.is_covered = task.coverage.rows(rows)
        differ = _differ(*task.predicted())
        self.n_rows, self.n_differing = rows.n_rows, int(differ.sum())
        first_row: dict[int, int] = {}
        for row in np.flatnonzero(self.is_covered & differ).tolist():
            first_row.setdefault(-1 if self.leaf is None else int(self.leaf[row]), row)
        if first_row:
            values = values_of(rows[np.array([*first_row.values()])])
            self.witnesses = dict(zip(first_row, values, strict=True))

    def proved_share(
        self, statuses: dict[int, Status], complete: bool, equivalent: bool | None
    ) -> float | None:
        if self.leaf is None:
            return 1.0 if equivalent else None
        unseen = Status.PROVED if complete else Status.OPEN
        is_proved = [statuses.get(leaf, unseen) is Status.PROVED for leaf in self.leaf.tolist()]
        return float((np.array(is_proved) & self.is_covered).mean())


def _leaf_status(model: Provable, statuses: dict[int, Status], complete: bool) -> dict[int, Status]:
    """Return the status per leaf. After a complete search, a leaf that no row can reach is proved."""
    if not isinstance(model, NodeModel):
        return {}
    unseen = Status.PROVED if complete else Status.OPEN
    leaves = np.flatnonzero(np.asarray(model.core.test) == 0).tolist()
    return {leaf: statuses.get(leaf, unseen) for leaf in leaves}


class _Witnesses:
    """Rows on which the models differ, with the labels that both predict."""

    def __init__(self, witness: dict[int, list[float]], first: Provable, second: Provable) -> None:
        self.rows: dict[int, dict[str, Any]] = {}
        self.answers: list[tuple[Any, Any]] = []
        if not witness:
            return
        table = table_of(list(witness.values()), first.schema)
        as_second = table_of(list(witness.values()), second.schema)
        # Only what both models predict themselves counts as a difference.
        self.answers = list(
            zip(first.predict(table).tolist(), second.predict(as_second).tolist(), strict=True)
        )
        for index, (leaf, (one, other)) in enumerate(zip(witness, self.answers, strict=True)):
            if one == other:
                raise AssertionError(f"both predict {one!r} for {table[index]!r}: please report this bug")
            self.rows[leaf] = table[index]


def _differ(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.bool_]:
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    return np.array([one != other for one, other in pairs], dtype=bool)
