"""Inputs of a proof about two models: models over the same columns, and rows as kernels see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.budget import Deadline
from sightline.exceptions import DataError, UnsupportedModelError
from sightline.load import load, load_any, trees_needed
from sightline.model import Coverage, Ensemble, Graph, NodeModel, RuleSet, Tree, second_noun, with_categories
from sightline.table import NUMBER_NOUNS, Column, Feature, Schema, Table
from sightline.wording import list_names, pluralize

Provable = Tree | Graph | Ensemble | RuleSet
Predictions = tuple[NDArray[Any], NDArray[Any]]

_MAX_SHOWN = 5


@dataclass(frozen=True)
class ProofTask:
    """What to prove, and how long to try.

    Attributes
    ----------
    first, second : Tree, Graph, Ensemble or RuleSet
        The models, over the same columns.
    coverage : Coverage
        The rows that the proof is about.
    rows : Table or None
        Rows to try first.
    predictions : pair of ndarray or None
        What both models predict for them, if known.
    max_boxes, deadline
        The budget.
    every_leaf : bool
        Whether to decide every leaf of the first model separately.
    """

    first: Provable
    second: Provable
    coverage: Coverage
    rows: Table | None
    predictions: Predictions | None
    max_boxes: int
    deadline: Deadline
    every_leaf: bool

    def predicted(self) -> Predictions:
        """Return what both models predict for the rows."""
        return self.predictions or (self.first.predict(self.rows), self.second.predict(self.rows))

    def leaves(self) -> NDArray[np.int32] | None:
        """Return the leaf of the first model that each row reaches wholly; None if it has no leaves."""
        if self.rows is None or not isinstance(self.first, NodeModel):
            return None
        return self.first.core.find_whole_leaves(self.rows.native(), 1)


def comparable(
    model: Any, ensemble: Any, owner: str = "certify", rows: Table | None = None
) -> tuple[Provable, Provable]:
    """Return two models in the form that proofs take.

    Parameters
    ----------
    model, ensemble : Tree, Graph, RuleSet, Ensemble, fitted model, or path
        The models.
    owner : str, default="certify"
        The function that needs them, for messages.
    rows : Table, optional
        Rows for both: they show which columns have categories.

    Returns
    -------
    tuple of two Tree, Graph, RuleSet or Ensemble
        Both classifiers or both regressors, over the same columns and categories.

    Raises
    ------
    DataError
        If their columns differ.
    UnsupportedModelError
        If one is a regressor and the other a classifier, or one cannot be read.
    """
    first = provable(model, owner, rows)
    first, second = _in_same_categories(first, provable(ensemble, owner, first.schema))
    noun = second_noun(first, second)
    if (first.classes_ is None) != (second.classes_ is None):
        what = ("regressor", "classifier") if first.classes_ is None else ("classifier", "regressor")
        raise UnsupportedModelError(
            f"The model is a {what[0]}, but the {noun} is a {what[1]}. "
            "Both must predict classes, or both numbers."
        )
    _check_columns(first.schema, second.schema, noun)
    return first, second


def other_labels(first: Provable, second: Provable) -> str:
    """Say that the first model was distilled for a threshold or costs that the second does not follow.

    Returns
    -------
    str
        Empty if there is no such rule, or if the second model may follow it.
    """
    if not first.label_rule or not isinstance(second, Ensemble) or not second.link.predicts_most_probable:
        return ""
    return (
        f"The ensemble compared here predicts its most probable class, but the model imitates other labels: "
        f'"{first.label_rule}" To compare it with those, pass the ensemble_ of the estimator, or the file '
        "ensemble.json that sightline distill writes."
    )


def provable(model: Any, owner: str = "certify", rows: Table | Schema | None = None) -> Provable:
    """Return the model that a proof is about.

    Parameters
    ----------
    model : Tree, Graph, RuleSet, Ensemble, fitted model, or path
        The model. For a sightline estimator, it is the model that the estimator predicts with.
    owner : str, default="certify"
        The function that needs it, for messages.
    rows : Table or Schema, optional
        Rows for it, or the columns of a model that it is compared with: they show which have categories.

    Returns
    -------
    Tree, Graph, RuleSet or Ensemble
        A classifier or regressor.

    Raises
    ------
    UnsupportedModelError
        If the model cannot be read.
    """
    with trees_needed(owner):
        noun = load_any(model, rows=rows)
        if not isinstance(noun, Provable):
            noun = load(noun)
    answering: Provable = noun
    return answering


def _in_same_categories(first: Provable, second: Provable) -> tuple[Provable, Provable]:
    """Name categories that one model knows only by their hash, using the other model."""
    if isinstance(second, Ensemble):
        second = with_categories(second, first.schema)
    if isinstance(first, Ensemble):
        first = with_categories(first, second.schema)
    return first, second


def _check_columns(first: Schema, second: Schema, noun: str) -> None:
    if len(first) != len(second):
        raise DataError(
            f"The model has {pluralize(len(first), 'column')}, the {noun} {len(second)}. "
            "Both must have the same columns."
        )
    both_named = first.has_given_names and second.has_given_names
    called = second.called(first.names)
    for index, (one, other) in enumerate(zip(first.features, second.features, strict=True)):
        if both_named and called[index] != one.name:
            raise DataError(
                f"Column {index} is {one.name!r} in the model and {other.name!r} in the {noun}. "
                "Both must have the same columns in the same order."
            )
        if one.kind != other.kind:
            raise DataError(
                f"Column {one.name!r} holds {NUMBER_NOUNS[one.kind]} in the model and "
                f"{NUMBER_NOUNS[other.kind]} in the {noun}. Train both on the same columns."
            )
        if one.categories != other.categories:
            raise DataError(_different_categories(one, other, noun))


def _different_categories(one: Feature, other: Feature, noun: str) -> str:
    """Say which categories only one of two models knows, and how to train them for a comparison."""
    own, others = one.categories or (), other.categories or ()
    only = {
        "the model": [value for value in own if value not in others],
        f"the {noun}": [value for value in others if value not in own],
    }
    listed = [
        f"{list_names([*map(repr, values)], _MAX_SHOWN)} only in {where}"
        for where, values in only.items()
        if values
    ]
    how = " and ".join(listed) or "they are in another order"
    return (
        f"Column {one.name!r} has different categories: {how}. "
        "A proof needs the same ones in both. Declare them before you train: as the dtype of the column "
        "(pd.CategoricalDtype), or as categories of a pipeline's encoder."
    )


def values_of(rows: Table) -> list[list[float]]:
    """Return rows as the kernels see them: numbers, category codes, NaN for missing values."""
    columns = [np.where(column.is_missing, np.nan, column.values) for column in rows.columns]
    values: list[list[float]] = np.column_stack(columns).tolist()
    return values


def table_of(rows: Sequence[Sequence[float]], schema: Schema) -> Table:
    """Return a table from rows in the form of :func:`values_of`."""
    columns = []
    for feature, values in zip(schema.features, np.array(rows, dtype=np.float64).T, strict=True):
        codes = (
            np.where(np.isnan(values), -1, values).astype(np.int32) if feature.is_nominal else values.copy()
        )
        columns.append(Column(feature, codes))
    return Table(columns)
