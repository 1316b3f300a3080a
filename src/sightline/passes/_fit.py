"""One way in which every estimator takes rows in parts: sample, fit, count."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from sightline.exceptions import DataError
from sightline.model import BlackBox, CaseBase, Ensemble, with_presence_tests
from sightline.passes._count import Count
from sightline.passes._recount import RECOUNTS, Recount
from sightline.passes._refine import RefiningPass
from sightline.passes._tally import Tally
from sightline.table import Labels, Numbers, Table
from sightline.table.rows import Checkpoint, Draw, Rows, is_query

__all__ = ["accepts_rows", "count_rows", "fit_in_passes", "judge"]

Fit = Callable[..., Any]

_WEIGHTS = (
    "The training rows are weighted by {}. Nodes show sums of weights instead of numbers of training rows. "
    "Measures on rows outside the sample count each row by its weight."
)


def accepts_rows(fit: Fit) -> Fit:
    """Return a ``fit`` that also takes rows in parts in place of X.

    Parameters
    ----------
    fit : function
        The method of an estimator, which takes a table.
    """

    @functools.wraps(fit)
    def fit_any(self: Any, X: Any, *args: Any, **options: Any) -> Any:
        if isinstance(X, Rows):
            _check_rest(*args, **options)
            return fit_in_passes(self, fit, X)
        if is_query(X):
            raise DataError(
                f"A {type(X).__name__} holds no rows yet. Pass sl.Rows(X, target=…), or collect it first."
            )
        return fit(self, X, *args, **options)

    return fit_any


def _check_rest(y: Any = None, sample_weight: Any = None, **others: Any) -> None:
    if y is not None:
        raise DataError(
            "The target of rows in parts is one of their columns. Pass sl.Rows(source, target=…)."
        )
    if sample_weight is not None:
        raise DataError("The weights of rows in parts are a column too. Pass sl.Rows(source, weights=…).")
    if any(value is not None for value in others.values()):
        raise DataError(f"{next(iter(others))!r} cannot be combined with rows in parts. Leave it out.")


def fit_in_passes(estimator: Any, fit: Fit, rows: Rows) -> Any:
    """Fit an estimator to a sample, and count and judge on all rows.

    If the sample holds all rows, the model is that of the rows in memory.

    Parameters
    ----------
    estimator : SightlineEstimator
        The estimator. It gets ``tally_``, and its model the counts of all rows.
    fit : function
        Its method for a table.
    rows : Rows
        The rows.
    """
    _check_refinable(estimator, rows)
    drawn = rows.drawn()
    sample = rows.taken(drawn)
    fitted = fit(estimator, sample.X, _target(sample, estimator.task), **_weights(sample))
    if not drawn.is_complete:
        _refine(estimator, rows, drawn)
    judge(estimator, rows, drawn, sample, getattr(estimator, "ensemble_", None))
    return fitted


def _check_refinable(estimator: Any, rows: Rows) -> None:
    if rows.refine_passes and not hasattr(estimator, "_refinement"):
        raise DataError(
            f"refine_passes works for distilled trees, not for {type(estimator).__name__}. Leave it out."
        )


def _remark_on_weights(estimator: Any, rows: Rows) -> None:
    """Say that the model now has sums of the weights of all rows; those of the sample mean something else."""
    # Only trees are counted again with weights, and they remark on nothing else here.
    if hasattr(estimator, "training_remarks_"):
        estimator.training_remarks_ = [_WEIGHTS.format(rows.weights_name)]


def _refine(estimator: Any, rows: Rows, drawn: Draw) -> None:
    """Move thresholds and prune, as long as passes are left and something changes."""
    if not rows.refine_passes:
        return
    ensemble, n_jobs = estimator.ensemble_, estimator.n_jobs
    work = RefiningPass(rows.reader, estimator._refinement(), ensemble, drawn, rows.judges, n_jobs)
    start = tree = work.refinement.tree
    for _ in range(rows.refine_passes):
        counts = rows.parts.run(work, work.added, _checkpoint(rows, work, tree, work.refinement.options))
        tree = work.refinement.improved(counts)
        if tree is work.refinement.tree:
            break
        work = work.with_tree(tree)
    _replace_model(estimator, start, with_presence_tests(tree))


def _replaced(model: Any, ensemble: Ensemble | BlackBox | None) -> Ensemble | BlackBox | None:
    """Return what a model replaces; None if it gives the ensemble's own answers."""
    if isinstance(model, CaseBase):
        return model.replaced
    return None if ensemble is model else ensemble


def judge(
    summary: Any, rows: Rows, drawn: Draw, sample: Table, ensemble: Ensemble | BlackBox | None
) -> Tally:
    """Count all rows for a fitted estimator, or for a model.

    Parameters
    ----------
    summary : estimator or model
        What was fitted to the sample. An estimator gets ``tally_`` and, in its model, the counts of all rows.
    rows : Rows
        All rows, in the columns of the sample.
    drawn : Draw
        Which of them are the sample.
    sample : Table
        The sample.
    ensemble : Ensemble, BlackBox or None
        What the model replaces.
    """
    model = getattr(summary, "_model", summary)
    ensemble = _replaced(model, ensemble)
    recount = None if drawn.is_complete else _recount(model, ensemble, rows, sample)
    n_jobs = getattr(summary, "n_jobs", None)
    tally = count_rows(rows, model, ensemble, drawn, recount=recount, sample=sample, n_jobs=n_jobs)
    if model is not summary:
        summary.tally_ = tally
        if recount is not None:
            _replace_model(summary, model, recount.applied(tally.counts["recount"], tally.has_weights))
            if tally.has_weights:
                _remark_on_weights(summary, rows)
    return tally


def count_rows(
    rows: Rows,
    model: Any,
    ensemble: Ensemble | BlackBox | None,
    drawn: Draw,
    *,
    recount: Recount | None = None,
    sample: Table | None = None,
    n_jobs: int | None = None,
) -> Tally:
    """Let a model and the ensemble that it replaces answer all rows, and count.

    Parameters
    ----------
    rows : Rows
        The rows.
    model : Tree, RuleSet, CaseBase or Ensemble
        The model.
    ensemble : Ensemble, BlackBox or None
        What it replaces.
    drawn : Draw
        The rows used to choose the model; all others judge it, or those that it holds out.
    recount : Recount, optional
        What else to count.
    sample : Table, optional
        Rows whose mean number is near that of all.
    n_jobs : int, optional
        Threads per part.
    """
    center = _center(sample)
    count = Count(rows.reader, model, ensemble, drawn, rows.judges, recount, center, n_jobs)
    return rows.parts.run(count, count.added, _checkpoint(rows, count, model, center))


def _checkpoint(rows: Rows, work: Count | RefiningPass, model: Any, *others: Any) -> Checkpoint | None:
    """Return where the results of a pass are kept; None if nowhere.

    They depend on both models, the sample and the columns. Nobody can tell whether a black box is still the
    same, so what it answers is not kept.
    """
    if rows.checkpoint is None or isinstance(work.ensemble, BlackBox):
        return None
    content = hashlib.sha256()
    for one in (model, work.ensemble):
        content.update(b"" if one is None else one.to_json().encode())
    content.update(np.ascontiguousarray(work.drawn.positions).tobytes())
    columns = (rows.schema, rows.target_name, rows.weights_name)
    if work.drawn.held_out is not None:
        others = (*others, work.drawn.held_out)
    content.update(repr((columns, work.judges, others)).encode())
    return rows.checkpoint_of(f"{type(work).__name__} {content.hexdigest()}", work)


def _target(sample: Table, task: str) -> Any:
    if sample.y is None or task == "classes" or not isinstance(sample.y, Labels):
        return sample.y
    numbers = sample.y.classes_
    if numbers.dtype.kind not in "iuf":
        raise DataError(f"The target {sample.target_name!r} holds classes, not numbers.")
    return numbers[sample.y.codes].astype(np.float64)


def _weights(sample: Table) -> dict[str, Any]:
    return {} if sample.weights is None else {"sample_weight": sample.weight_column}


def _recount(model: Any, ensemble: Any, rows: Rows, sample: Table) -> Recount | None:
    kind = RECOUNTS.get(model)
    uses_truth = rows.target_name is not None
    if kind is None or not (uses_truth or ensemble is not None):
        return None
    return kind.for_model(model, uses_truth, _center(sample), rows.weights_name is not None)


def _center(sample: Table | None) -> float:
    """Return a number near the mean of the target, 0 without numbers."""
    if sample is None or sample.y is None:
        return 0.0
    target = sample.y
    if isinstance(target, Labels):
        known = target.classes_.dtype.kind in "iuf"
        return float(np.mean(target.classes_[target.codes])) if known else 0.0
    return float(np.mean(Numbers.from_any(target).values))


def _replace_model(estimator: Any, old: Any, new: Any) -> None:
    """Replace the fitted model, whatever its attribute is called."""
    for name, value in list(vars(estimator).items()):
        if value is old:
            setattr(estimator, name, new)
