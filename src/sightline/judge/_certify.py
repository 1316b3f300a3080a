"""Proof that two models give every row the same label, or a row on which they differ."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.budget import Deadline, check_budget
from sightline.exceptions import DataError, UnsupportedModelError
from sightline.judge._certificate import Certificate
from sightline.load import load, load_any, trees_needed
from sightline.model import Coverage, Ensemble, Graph, NodeModel, RuleSet, Status, Tree, with_categories
from sightline.table import Column, Schema, Table
from sightline.wording import pluralize

Provable = Tree | Graph | Ensemble | RuleSet


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
) -> Certificate:
    """Prove that a model gives an ensemble's label for every row, or find a row on which they differ.

    The proof covers every row of finite numbers, declared categories and missing values,
    not a sample. If the budget runs out first, the certificate says which leaves of the model
    are decided.

    Parameters
    ----------
    model : Tree, Graph, RuleSet, Ensemble, fitted model, or path
        What to certify. Files may hold any model that :func:`sightline.load` reads, or one that
        sightline wrote.
    ensemble : Ensemble, Tree, Graph, RuleSet, fitted model, or path
        The model to compare with, over the same features.
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
        on which the labels differ.
    predictions : pair of ndarray of shape (n_rows,), optional
        What model and ensemble predict for X, if known; otherwise they are asked.

    Returns
    -------
    Certificate
        ``equivalent`` is True only if proved, False only with a ``witness`` that both
        models have predicted, None if the budget ran out.

    Raises
    ------
    DataError
        If the models have different columns or no class in common.
    ParameterError
        If a budget is not positive.
    UnsupportedModelError
        If a model is a regressor, or cannot be read.

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
    """
    check_budget("certify", max_nodes=max_nodes, max_seconds=max_seconds)
    deadline = Deadline(max_seconds)
    first, second = _in_same_categories(provable(model), provable(ensemble))
    _check_columns(first.schema, second.schema)
    begin = time.perf_counter()
    coverage = Coverage.of(missing, first.schema)
    labels = _Labels(_classes(first), _classes(second))
    rows = None if X is None else Table.from_any(X).aligned(first.schema, "certify")
    seen = _SeenRows(first, second, rows, coverage, predictions)
    result = _core.certify(
        first.boxed(),
        second.boxed(),
        coverage.box(),
        first_label=labels.first,
        second_label=labels.second,
        max_boxes=max_nodes,
        max_seconds=deadline.seconds_left,
        stop_at_first=not every_leaf or (not isinstance(first, NodeModel) and bool(seen.witnesses)),
        one_part_per_leaf=isinstance(first, Tree),
        refuted=sorted(seen.witnesses),
    )
    witnesses = _Witnesses({**result.witness, **seen.witnesses}, first, second)
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
        missing=coverage.names,
        n_boxes=result.n_boxes,
        seconds=time.perf_counter() - begin,
    )


def provable(model: Any) -> Provable:
    """Return the model that a proof is about.

    Parameters
    ----------
    model : Tree, Graph, RuleSet, Ensemble, fitted model, or path
        The model. For a sightline estimator, it is the model that the estimator predicts with.

    Returns
    -------
    Tree, Graph, RuleSet or Ensemble
        A classifier.

    Raises
    ------
    UnsupportedModelError
        If the model is a regressor, or cannot be read.
    """
    with trees_needed("certify"):
        noun = load_any(model)
        if not isinstance(noun, Provable):
            noun = load(noun)
    if noun.classes_ is None:
        raise UnsupportedModelError("A regressor cannot be certified. Both models must be classifiers.")
    answering: Provable = noun
    return answering


def _in_same_categories(first: Provable, second: Provable) -> tuple[Provable, Provable]:
    """Give categories that one model knows by their hash the names that they have in the other."""
    if isinstance(second, Ensemble):
        second = with_categories(second, first.schema)
    if isinstance(first, Ensemble):
        first = with_categories(first, second.schema)
    return first, second


def _classes(model: Provable) -> list[Any]:
    labels = model.classes_
    assert labels is not None
    return list(labels.tolist())


def _check_columns(first: Schema, second: Schema) -> None:
    if len(first) != len(second):
        raise DataError(
            f"The model has {pluralize(len(first), 'column')}, the ensemble {len(second)}. "
            "Both must have the same columns."
        )
    both_named = first.has_given_names and second.has_given_names
    called = second.called(first.names)
    for index, (one, other) in enumerate(zip(first.features, second.features, strict=True)):
        if both_named and called[index] != one.name:
            raise DataError(
                f"Column {index} is {one.name!r} in the model and {other.name!r} in the ensemble. "
                "Both must have the same columns in the same order."
            )
        if one.categories != other.categories:
            raise DataError(
                f"Column {one.name!r} has different categories in the model and in the ensemble. "
                "Both must declare the same categories in the same order."
            )


class _Labels:
    """Codes for the labels of both models, with one code per label."""

    def __init__(self, first: list[Any], second: list[Any]) -> None:
        if not set(first) & set(second):
            raise DataError(
                f"The model has the classes {first}, the ensemble {second}. They have no class in common. "
                "Give both the same class names."
            )
        number = {label: index for index, label in enumerate(dict.fromkeys([*first, *second]))}
        self.first = [number[label] for label in first]
        self.second = [number[label] for label in second]


class _SeenRows:
    """The given rows: the leaves that they reach, and the rows on which the models differ."""

    def __init__(
        self,
        first: Provable,
        second: Provable,
        rows: Table | None,
        coverage: Coverage,
        predictions: tuple[NDArray[Any], NDArray[Any]] | None,
    ) -> None:
        self.witnesses: dict[int, list[float]] = {}
        self.leaf: NDArray[np.int32] | None = None
        if rows is None:
            return
        self.is_covered = coverage.rows(rows)
        if isinstance(first, NodeModel):
            self.leaf = first.core.find_whole_leaves(rows.native(), 1)
        differ = _differ(*(predictions or (first.predict(rows), second.predict(rows))))
        first_row: dict[int, int] = {}
        for row in np.flatnonzero(self.is_covered & differ).tolist():
            first_row.setdefault(-1 if self.leaf is None else int(self.leaf[row]), row)
        if first_row:
            values = _values_of(rows[np.array([*first_row.values()])])
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
        table = _table_of(list(witness.values()), first.schema)
        as_second = _table_of(list(witness.values()), second.schema)
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


def _values_of(rows: Table) -> list[list[float]]:
    """Return rows as the kernels see them: numbers, category codes, NaN for missing values."""
    columns = [np.where(column.is_missing, np.nan, column.values) for column in rows.columns]
    values: list[list[float]] = np.column_stack(columns).tolist()
    return values


def _table_of(rows: Sequence[Sequence[float]], schema: Schema) -> Table:
    """Return a table from rows in the form of :func:`_values_of`."""
    columns = []
    for feature, values in zip(schema.features, np.array(rows, dtype=np.float64).T, strict=True):
        codes = (
            np.where(np.isnan(values), -1, values).astype(np.int32) if feature.is_nominal else values.copy()
        )
        columns.append(Column(feature, codes))
    return Table(columns)
