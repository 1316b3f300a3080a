"""The default ensemble, and the ordinary tree that one would learn without an ensemble."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sightline.distill._class_limit import MANY_CLASSES
from sightline.distill._standard_units import fit_in_standard_units
from sightline.learn import BaggedTreesClassifier
from sightline.load import LEARNED_SCHEMA
from sightline.sklearn_internals import safe_indexing
from sightline.table import (
    MAX_CATEGORIES,
    MIN_ROWS_PER_CATEGORY,
    Labels,
    Numbers,
    Table,
    frame_of,
    group_categories,
    is_large_category,
)

LEARNED_TREES = 200
"""Number of trees if only a distilled tree explains the ensemble, which can then be large for accuracy."""


def n_learned_trees(estimator: Any, target: Labels | Numbers) -> int | None:
    """Return how many trees the default ensemble of an estimator has; None for the learner's own default.

    With hundreds of classes, it is the latter. A node stores the classes of its rows, so a full tree of
    100,000 rows and 1,000 classes takes more than 10 MB.
    """
    if isinstance(target, Labels) and len(target.classes_) > MANY_CLASSES:
        return None
    return getattr(estimator, "n_learned_trees", None)


def learn_ensemble(
    task: Literal["classes", "numbers"],
    table: Table,
    target: Labels | Numbers,
    weights: NDArray[np.float64] | None = None,
    **options: Any,
) -> Any:
    """Learn the default ensemble: bagged C4.5 trees or, for numbers, scikit-learn's random forest.

    Parameters
    ----------
    task : {"classes", "numbers"}
        What to predict.
    table : Table
        The training rows.
    target : Labels or Numbers
        Their target.
    weights : ndarray of shape (n_rows,), optional
        Weight of each row.
    **options
        Of the ensemble: ``n_trees``, ``n_jobs``, ``random_state``.

    Returns
    -------
    fitted estimator
        It can be loaded.
    """
    table = group_categories(table) if task == "classes" else table
    learner = default_learner(task, table, **options)
    return fitted_to(learner, table, np.asarray(target), table, target, **_weighted(learner, weights))


def learn_ordinary_tree(
    task: Literal["classes", "numbers"],
    table: Table,
    target: Labels | Numbers,
    max_leaves: int,
    random_state: Any = None,
    weights: NDArray[np.float64] | None = None,
) -> Any:
    """Learn an ordinary tree, without an ensemble: scikit-learn's, grown best-first.

    It is not pruned, so that it has as many leaves as it may, also if a class is rare.

    Parameters
    ----------
    task, table, target
        As in :func:`learn_ensemble`.
    max_leaves : int
        Maximum number of leaves.
    random_state : int, optional
        Seed for all random choices.
    weights : ndarray of shape (n_rows,), optional
        Weight of each row.
    """
    learner = DecisionTreeRegressor if task == "numbers" else DecisionTreeClassifier
    tree = learner(max_leaf_nodes=max(max_leaves, 2), random_state=random_state)
    encoded = _for_nominal(tree, table)
    return fitted_to(encoded, table, np.asarray(target), table, target, **_weighted(encoded, weights))


def _weighted(learner: Any, weights: NDArray[np.float64] | None) -> dict[str, Any]:
    """Return weights as ``fit`` takes them: in a pipeline, for its last step."""
    prefix = f"{learner.steps[-1][0]}__" if isinstance(learner, Pipeline) else ""
    return {} if weights is None else {f"{prefix}sample_weight": weights}


def default_learner(task: str, table: Table, n_trees: int | None = None, **options: Any) -> Any:
    """Return the unfitted default ensemble."""
    learner: Any = BaggedTreesClassifier(**options) if task == "classes" else RandomForestRegressor(**options)
    if n_trees is not None:
        learner.set_params(**{"n_trees" if task == "classes" else "n_estimators": n_trees})
    return learner if task == "classes" else _for_nominal(learner, table)


def _for_nominal(learner: Any, table: Table) -> Any:
    """Put an encoder for nominal columns in front of a learner that accepts only numbers."""
    is_nominal = [column.feature.is_nominal for column in table.columns]
    if not any(is_nominal):
        return learner
    is_large = [is_large_category(column) for column in table.columns]
    is_small = [one and not large for one, large in zip(is_nominal, is_large, strict=True)]
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), is_small),
        *([(_LARGE_ENCODER, is_large)] if any(is_large) else []),
        remainder="passthrough",
    )
    return make_pipeline(encoder, learner)


_LARGE_ENCODER = OneHotEncoder(
    min_frequency=MIN_ROWS_PER_CATEGORY,
    max_categories=MAX_CATEGORIES + 1,
    handle_unknown="infrequent_if_exist",
    sparse_output=False,
)
"""Groups the values of large categories by the same rule as :func:`group_categories`."""


def fitted_to(
    learner: Any,
    X: Any,
    y: Any,
    table: Table,
    target: Labels | Numbers,
    rows: NDArray[np.intp] | None = None,
    **options: Any,
) -> Any:
    """Fit our own learners to the checked table, and other learners to the user's input.

    Other libraries do not know our tables: they get a frame.
    """
    is_own = type(learner).__module__.partition(".")[0] == "sightline"
    is_foreign_to_table = isinstance(X, Table) and not is_own
    if is_own:
        X, y = table, target
    elif isinstance(X, Table):
        X = frame_of(X)
    if rows is not None:
        X, y = (X[rows], y[rows]) if is_own else (safe_indexing(X, rows), np.asarray(y)[rows])
    fit = fit_in_standard_units if isinstance(target, Numbers) else type(learner).fit
    fitted = fit(learner, X, y, **options)
    if is_foreign_to_table:
        # Its frame holds dates as numbers.
        setattr(fitted, LEARNED_SCHEMA, table.schema)
    return fitted
