"""Comparison of all methods on the user's own rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline.distill import weights_for
from sightline.exceptions import DataError, ParameterError
from sightline.judge._compared_ensemble import ComparedEnsemble
from sightline.judge._comparison import MethodComparison, MethodResult
from sightline.judge._comparison_words import compared_by
from sightline.judge._method_scores import SCORES, method_scores
from sightline.judge._methods import (
    BASELINES,
    FORMER_NAMES,
    TEACHER,
    UNCOUNTED,
    Method,
    built_in_methods,
    with_options,
)
from sightline.measure import RowWeights
from sightline.model import BlackBox, Ensemble, is_regressor
from sightline.table import Labels, Numbers, Table

if TYPE_CHECKING:
    from sightline.lab import LoadedSet, Results

__all__ = ["compare"]

SIZES = ("nodes", "leaves", "conditions")


def compare(
    X: Any,
    y: Any = None,
    *,
    task: Literal["auto", "classes", "numbers"] = "auto",
    methods: Sequence[str] | None = None,
    extra: Mapping[str, Any] | None = None,
    ensemble: Any = None,
    options: Mapping[str, Any] | None = None,
    n_folds: int = 10,
    n_repeats: int = 1,
    level: float = 0.05,
    categorical_features: Any = "from_dtype",
    n_jobs: int | None = None,
    random_state: int = 0,
    sample_weight: Any = None,
    results: str | Path | None = None,
    show_progress: bool | None = None,
) -> MethodComparison:
    """Compare every method of this library with C4.5 and scikit-learn's trees and ensembles.

    All methods are trained and tested on the same folds. Accuracy and AUC, or R² and errors of numbers,
    and fidelity are measured on held-out rows. If a class has less than a fifth of the rows of the most
    frequent one, methods are compared and chosen by balanced accuracy, the mean recall of the classes.

    Parameters
    ----------
    X : Table, frame or array of shape (n_rows, n_features)
        The rows. A table with a target serves as both X and y.
    y : array-like of shape (n_rows,), optional
        Their labels, or numbers.
    task : {"auto", "classes", "numbers"}, default="auto"
        What y holds. By default, fractions and the numeric target of a table are numbers, as is
        the target of an ensemble that predicts numbers; everything else is classes.
    methods : sequence of str, optional
        Names of the built-in methods to compare; all by default.
    extra : dict of name to estimator, optional
        More scikit-learn classifiers, or regressors. Pipelines get the rows as a pandas frame; other
        estimators get one column per category.
    ensemble : estimator, Ensemble, function or BlackBox, optional
        The ensemble that summaries imitate and that fidelity is measured against. A clone is
        fitted in every fold; an `Ensemble` or a function is used as it is, and may have seen the
        rows. By default 25 bagged C4.5 trees or, for numbers, scikit-learn's random forest. If an
        ensemble from another library cannot be fitted to the categories of X, every method gets
        one column per category. A model without trees is a black box: methods that need trees
        are left out.
    options : dict of parameter to value, optional
        Parameters of the trees that imitate the ensemble, such as ``{"min_leaf": 5, "exclude": ["age"]}``.
        Each method gets those that its estimator has. ``threshold`` and ``cost_matrix`` are refused:
        the labels of a tree that follows them are not comparable with the others'.
    n_folds : int, default=10
        Folds of each cross-validation. There are never more folds than rows.
    n_repeats : int, default=1
        Number of cross-validations.
    level : float, default=0.05
        Significance level of the corrected resampled t-tests.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are nominal; see :class:`sightline.C45Classifier`.
    n_jobs : int, optional
        Number of folds to run at a time, as in joblib.
    random_state : int, default=0
        Seed for the folds.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row, in training and in every measure; those of a table by default. A Series gives
        them their name. Methods that cannot learn from weighted rows are left out.
    results : path-like, optional
        SQLite file that stores every result, so that an interrupted comparison can resume.
    show_progress : bool, optional
        False for no progress bar. By default there is one if stderr is a terminal.

    Returns
    -------
    MethodComparison
        Prints as a table; ``plot()`` draws size against accuracy or R², ``to_html(path)`` writes a page.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import sightline as sl
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> comparison = sl.compare(X, y, methods=["C4.5 tree", "distilled tree, 16 leaves"], n_folds=3)
    >>> [result.name for result in comparison.results]
    ['C4.5 tree', 'the ensemble', 'distilled tree, 16 leaves']
    """
    # Only a comparison loads the lab; proofs and measures work without it.
    from sightline.lab import Learner, Plan, Protocol, Results, ResultStore, for_tables, run  # noqa: PLC0415

    data = _loaded(X, y, categorical_features, task, ensemble)
    own_weights = X.weight_column if isinstance(X, Table) else None
    data, weights = _weighted(data, own_weights if sample_weight is None else sample_weight)
    teacher = ComparedEnsemble.of(ensemble, X, data)
    data = teacher.data
    baseline = BASELINES[data.task]
    usual, left_out = _chosen(methods, teacher)
    chosen = [*with_options(usual, options or {}), *_added(extra or {}, data)]
    kind = "black box" if teacher.is_black_box else "ensemble"
    named = {TEACHER: Method(TEACHER, kind, teacher.estimator, teacher.description)}
    named |= {method.name: method for method in chosen}
    # The baseline first, then the ensemble, so that summaries find it fitted.
    order = sorted(named.values(), key=lambda method: (method.name != baseline, method.name != TEACHER))
    learners = [
        Learner(
            method.name,
            method.estimator if method.name == TEACHER else for_tables(method.estimator),
            teacher=TEACHER if method.is_summary else None,
            notes=method_scores if data.task == "classes" else None,
        )
        for method in order
    ]
    protocol = Protocol(n_repeats, min(n_folds, len(data.y)), seed=random_state)
    plan = Plan([data], learners, protocol)
    with ResultStore(results) as store:
        run(plan, store, n_jobs, "Comparing", show_progress)
        stored = Results(plan, store)
    measured = tuple(_measured(stored, data, method, level) for method in order)
    return MethodComparison(data.name, data.X, data.y, protocol, level, measured, weights, left_out)


def _loaded(X: Any, y: Any, categorical_features: Any, task: str, ensemble: Any) -> LoadedSet:
    from sightline.lab import LoadedSet  # noqa: PLC0415

    if y is None:
        if not isinstance(X, Table) or X.y is None:
            raise DataError("compare needs labels or numbers. Pass y, or a table with a target.")
        y = X.y if isinstance(X.y, Labels) or task == "classes" else Numbers.from_any(X.y)
    table = Table.from_any(X, categorical_features=categorical_features)
    name = getattr(X, "name", None) or "the data"
    target = Numbers.from_any(y) if _are_numbers(y, task, ensemble) else Labels.from_any(y)
    noun = "label" if isinstance(target, Labels) else "number"
    if len(target) != table.n_rows:
        raise DataError(f"X has {table.n_rows:,} rows, but y has {len(target):,} {noun}s.")
    if len(np.unique(target.codes if isinstance(target, Labels) else target.values)) < 2:
        raise DataError(f"All {len(target):,} rows have the same {noun}. There is nothing to compare.")
    return LoadedSet(str(name), table.X, target)


def _weighted(data: LoadedSet, sample_weight: Any) -> tuple[LoadedSet, RowWeights | None]:
    """Return the rows that count, with their weights."""
    weights = RowWeights.of(sample_weight, data.X.n_rows)
    if weights is None:
        return data, None
    # A row of weight 0 must not change anything, so it is dropped.
    rows = np.flatnonzero(weights.values)
    weights = replace(weights, values=weights.values[rows])
    return replace(data, X=data.X[rows], y=data.y[rows], weights=weights.values), weights


def _takes_weights(estimator: Any) -> bool:
    try:
        return bool(weights_for(estimator, np.ones(1)))
    except DataError:
        return False


def _are_numbers(y: Any, task: str, ensemble: Any) -> bool:
    """Whether a target is numeric: by its type, by the ensemble, or because it holds fractions."""
    if task not in ("auto", "classes", "numbers"):
        raise ParameterError(
            f"The 'task' parameter of compare must be 'auto', 'classes' or 'numbers'. Got {task!r} instead."
        )
    if task != "auto" or isinstance(y, Labels):
        return task == "numbers"
    values = np.asarray(y)
    has_fractions = values.dtype.kind == "f" and bool((values != np.floor(values)).any())
    return isinstance(y, Numbers) or has_fractions or _predicts_numbers(ensemble)


def _predicts_numbers(ensemble: Any) -> bool:
    if isinstance(ensemble, Ensemble):
        return ensemble.classes_ is None
    return ensemble is not None and is_regressor(
        ensemble.model if isinstance(ensemble, BlackBox) else ensemble
    )


def _chosen(names: Sequence[str] | None, teacher: ComparedEnsemble) -> tuple[list[Method], tuple[str, ...]]:
    """Return the methods to compare, and the names of those that cannot learn from weighted rows."""
    by_name = {method.name: method for method in built_in_methods(teacher.data.task)}
    names = None if names is None else [FORMER_NAMES.get(name, name) for name in names]
    for name in names or ():
        if name not in by_name:
            raise ParameterError(f"There is no method {name!r}. Choose from: {'; '.join(by_name)}.")
        if teacher.is_black_box and by_name[name].needs_trees:
            raise ParameterError(
                f"The method {name!r} needs the trees of an ensemble, and {teacher.description} has none "
                "that can be read."
            )
        _check_weights(name, by_name[name].estimator, teacher.data)
    methods = list(by_name.values()) if names is None else [by_name[name] for name in names]
    methods = [method for method in methods if not (teacher.is_black_box and method.needs_trees)]
    if teacher.data.weights is None:
        return methods, ()
    left_out = tuple(method.name for method in methods if not _takes_weights(method.estimator))
    return [method for method in methods if method.name not in left_out], left_out


def _check_weights(name: str, estimator: Any, data: LoadedSet) -> None:
    if data.weights is not None and not _takes_weights(estimator):
        raise ParameterError(f"The method {name!r} cannot learn from weighted rows. Leave it out.")


def _added(extra: Mapping[str, Any], data: LoadedSet) -> list[Method]:
    known = {TEACHER, *FORMER_NAMES, *(method.name for method in built_in_methods(data.task))}
    for name, estimator in extra.items():
        if name in known:
            raise ParameterError(f"There is already a method {name!r}. Choose another name.")
        if isinstance(estimator, type) or not hasattr(estimator, "fit"):
            raise ParameterError(
                f"The method {name!r} must be an unfitted estimator. Got {estimator!r} instead."
            )
        _check_weights(name, estimator, data)
    return [Method(name, "other", estimator, type(estimator).__name__) for name, estimator in extra.items()]


def _measured(results: Results, data: LoadedSet, method: Method, level: float) -> MethodResult:
    measure = compared_by(data.y, data.weights)
    name = data.name

    def verdict(reference: str) -> str | None:
        if method.name == reference or reference not in results.learners:
            return None
        return results.compare(name, reference, method.name, measure).verdict(level)

    scores = results.fold_numbers(name, method.name, measure)
    if np.isnan(scores).any():
        raise DataError("The numbers of a fold are all the same, so that it has no R². Use fewer folds.")
    return MethodResult(
        name=method.name,
        kind=method.kind,
        description=method.description,
        measure=measure,
        deviation=float(scores.std(ddof=1)) if len(scores) > 1 else 0.0,
        fidelity=results.fidelity(name, method.name, TEACHER),
        tests=np.nan if method.kind in UNCOUNTED else _tests(results, name, method.name),
        seconds=results.mean(name, method.name, "fit_seconds"),
        against_baseline=verdict(BASELINES[data.task]),
        against_teacher=verdict(TEACHER),
        # The statistic is the difference in units of its standard error.
        is_near_teacher=results.compare(name, TEACHER, method.name, measure).statistic >= -1,
        **(_class_measures if data.task == "classes" else _number_measures)(results, name, method.name),
    )


def _class_measures(results: Results, data: str, learner: str) -> dict[str, float]:
    means = {key: results.mean(data, learner, key) for key in ("accuracy", "balanced_accuracy")}
    # A fold without a row of a class has no AUC.
    scores = {key: _known_mean(results.fold_numbers(data, learner, key)) for key in SCORES}
    return {**means, **scores, "balanced_fidelity": results.balanced_fidelity(data, learner, TEACHER)}


def _number_measures(results: Results, data: str, learner: str) -> dict[str, float]:
    return {key: results.mean(data, learner, key) for key in ("r2", "mae", "rmse")}


def _known_mean(folds: NDArray[np.float64]) -> float:
    known = folds[~np.isnan(folds)]
    return float(known.mean()) if len(known) else math.nan


def _tests(results: Results, data: str, learner: str) -> float:
    nodes, leaves, conditions = (results.mean(data, learner, size) for size in SIZES)
    return nodes - leaves if nodes else conditions
