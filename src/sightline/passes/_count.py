"""The pass that lets model and ensemble answer every row and counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import BlackBox, Ensemble, NodeModel
from sightline.passes._exact_sums import exact_sums
from sightline.passes._recount import Recount
from sightline.passes._tally import N_BINS, Tally
from sightline.table import Labels, Table
from sightline.table.rows import Arrays, Batch, Draw, Judges, Part, PartReader

__all__ = ["Count"]

_MAX_CALIBRATED = 20
"""With more classes than this, calibration per class is not counted."""

_MAX_WEIGHTED_PAIRS = 100
"""With more classes than this, weights are not added up by both labels: an exact sum takes 544 bytes."""


@dataclass(frozen=True, eq=False)
class Count:
    """Counts the rows of a part. It is sent to the workers.

    Attributes
    ----------
    reader : PartReader
        Reads a part in the agreed columns.
    model : Tree, RuleSet, CaseBase or Ensemble
        The fitted model.
    ensemble : Ensemble, BlackBox or None
        What it replaces.
    drawn : Draw
        The rows used to choose the model.
    judges : Judges
        Which of the others judge it.
    recount : Recount or None
        What else is counted for this kind of model.
    center : float
        Near the mean of the numbers, so that sums of squares lose nothing.
    n_jobs : int or None
        Threads.
    """

    reader: PartReader
    model: Any
    ensemble: Ensemble | BlackBox | None
    drawn: Draw
    judges: Judges
    recount: Recount | None
    center: float
    n_jobs: int | None

    def __call__(self, part: Part, index: int) -> Tally:
        """Return the counts of a part."""
        tally: Tally | None = None
        for batch in self.reader.batches(part, index):
            table = batch.table
            is_judged = self.judges.among(batch.first, table.n_rows, self.drawn, table.weights)
            counts = {"rows": self._rows(batch, is_judged), **dict(self._counts(table, is_judged))}
            counted = Tally(counts, self._classes)
            tally = counted if tally is None else Tally.added(tally, counted)
        return self.nothing() if tally is None else tally

    def nothing(self) -> Tally:
        """Return the counts of no rows."""
        return Tally({}, self._classes)

    def added(self, above: Tally, below: Tally) -> Tally:
        """Return the counts of two parts."""
        if not above.counts or not below.counts:
            return above if above.counts else below
        return Tally.added(above, below)

    def to_arrays(self, tally: Tally) -> Arrays:
        """Return a tally for the checkpoint."""
        return tally.counts

    def from_arrays(self, arrays: Arrays) -> Tally:
        """Rebuild a tally."""
        return Tally(arrays, self._classes)

    @property
    def _classes(self) -> NDArray[Any] | None:
        return None if self.model.classes_ is None else np.asarray(self.model.classes_)

    def _rows(self, batch: Batch, is_judged: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the numbers of rows that judge, that chose the model and, with weights, that did neither."""
        n_rows, n_judged, weights = batch.table.n_rows, int(is_judged.sum()), batch.table.weights
        if weights is None:
            return np.array([n_judged, n_rows - n_judged], dtype=np.int64)
        drawn = self.drawn.between(batch.first, batch.first + n_rows)
        # All rows that do not judge may refine, if any do.
        n_chose = int((weights > 0).sum()) - n_judged if self.judges.share < 1 else drawn.stop - drawn.start
        return np.array([n_judged, n_chose, n_rows - n_judged - n_chose], dtype=np.int64)

    def _counts(self, table: Table, is_judged: NDArray[np.bool_]) -> Iterator[tuple[str, NDArray[np.int64]]]:
        rows = table.X.aligned(self.model.schema, "the model")
        weights = None if table.weights is None else table.weights[is_judged]
        yield "missing", np.array([int(column.is_missing.sum()) for column in table.columns], dtype=np.int64)
        if table.weights is not None:
            yield from self._weights(table.weights, is_judged)
        theirs = None if self.ensemble is None else self.ensemble.answers(rows, self.n_jobs)
        ours = answers_of(self.model, rows, self.n_jobs)
        truth = self._truth(table)
        if self.recount is not None:
            target = truth if self.recount.uses_truth else self._answer(theirs)
            yield "recount", self.recount.of(rows, target, table.weights, self.n_jobs)
        answers = {"truth": truth, "ensemble": self._answer(theirs), "model": self._answer(ours)}
        for first, second in (("truth", "model"), ("truth", "ensemble"), ("ensemble", "model")):
            one, other = answers[first], answers[second]
            if one is not None and other is not None:
                yield from self._pairs(f"{first} {second}", one[is_judged], other[is_judged], weights)
        if theirs is not None and isinstance(self.model, NodeModel) and self._classes is not None:
            yield "leaves", self._leaves(rows, theirs[0] != ours[0], is_judged, weights)
        if truth is not None and self._classes is not None and len(self._classes) <= _MAX_CALIBRATED:
            for who, predicted in (("model", ours), ("ensemble", theirs)):
                if predicted is not None:
                    yield (
                        f"calibration {who}",
                        _calibration(predicted[1][is_judged], truth[is_judged], weights),
                    )

    def _answer(self, answers: tuple[NDArray[Any], NDArray[np.float64]] | None) -> NDArray[Any] | None:
        if answers is None:
            return None
        return answers[1][:, 0] if self._classes is None else answers[0]

    def _truth(self, table: Table) -> NDArray[Any] | None:
        if table.y is None:
            return None
        if self._classes is None:
            target = table.y
            return np.asarray(target.classes_[target.codes] if isinstance(target, Labels) else target, float)
        assert isinstance(table.y, Labels)
        return table.y.recoded(self._classes, "the model").codes

    def _weights(
        self, weights: NDArray[np.float64], is_judged: NDArray[np.bool_]
    ) -> Iterator[tuple[str, NDArray[np.int64]]]:
        """Yield what the intervals depend on, and whether sums of weights are no numbers of rows."""
        scaled = weights[is_judged] / self.drawn.unit
        yield "weights", _sums_of([scaled, scaled**2])
        yield "other weights", np.array([(~np.isin(weights, (0, 1))).sum()], dtype=np.int64)

    def _pairs(
        self, name: str, first: NDArray[Any], second: NDArray[Any], weights: NDArray[np.float64] | None
    ) -> Iterator[tuple[str, NDArray[np.int64]]]:
        """Yield rows or weights by both labels; of numbers: sums of the first, its squares, and errors.

        If rows have weights, also by the first label: rows; weights of equal labels, of all, and squared, in
        the unit of the draw, which does not matter for shares.
        """
        scaled = None if weights is None else weights / self.drawn.unit
        if self._classes is None:
            yield name, self._terms(first, second, 1.0 if scaled is None else scaled)
            return
        n, code = len(self._classes), first.astype(np.int64)
        if weights is None or scaled is None:
            yield name, np.bincount(code * n + second, minlength=n * n).reshape(n, n).astype(np.int64)
            return
        if n <= _MAX_WEIGHTED_PAIRS:
            yield name, exact_sums(code * n + second, weights, n * n).reshape(n, n, -1)
        yield f"{name} rows", np.bincount(code, minlength=n).astype(np.int64)
        terms = [scaled * (first == second), scaled, scaled**2]
        yield f"{name} hits", np.stack([exact_sums(code, term, n) for term in terms], axis=1)

    def _terms(
        self, first: NDArray[Any], second: NDArray[Any], weights: NDArray[np.float64] | float
    ) -> NDArray[np.int64]:
        gap, error = first - self.center, first - second
        return _sums_of([weights * term for term in (gap, gap**2, error**2, np.abs(error))])

    def _leaves(
        self,
        rows: Table,
        differs: NDArray[np.bool_],
        is_judged: NDArray[np.bool_],
        weights: NDArray[np.float64] | None,
    ) -> NDArray[np.int64]:
        leaf = self.model.apply(rows, self.n_jobs)[is_judged]
        return _all_and_some(leaf, differs[is_judged], self.model.n_nodes, weights)


def answers_of(model: Any, rows: Table, n_jobs: int | None) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return codes and probabilities of a model, or 0 and its numbers."""
    if not isinstance(model, NodeModel):
        codes, outputs = model.answers(rows, n_jobs)
        return codes, outputs
    if model.classes_ is None:
        numbers = model.predict(rows, n_jobs)
        return np.zeros(len(numbers), dtype=np.int32), numbers[:, None]
    outputs = model.outputs(rows, n_jobs)
    has_own = getattr(model, "probabilities", None) is not None
    probabilities = model.predict_proba(rows, n_jobs) if has_own else outputs
    return model.vote(outputs).astype(np.int32), probabilities


def _calibration(
    probabilities: NDArray[np.float64], truth: NDArray[np.int32], weights: NDArray[np.float64] | None
) -> NDArray[np.int64]:
    bins = np.minimum((probabilities * N_BINS).astype(np.int64), N_BINS - 1)
    columns = enumerate(bins.T)
    return np.stack([_all_and_some(column, truth == code, N_BINS, weights) for code, column in columns])


def _all_and_some(
    group: NDArray[np.integer], holds: NDArray[np.bool_], n_groups: int, weights: NDArray[np.float64] | None
) -> NDArray[np.int64]:
    """Return per group all rows and those for which something holds; with weights, their exact sums."""
    if weights is None:
        counts = [np.bincount(some, minlength=n_groups) for some in (group, group[holds])]
        return np.stack(counts, axis=1).astype(np.int64)
    sums = [exact_sums(group, weights, n_groups), exact_sums(group[holds], weights[holds], n_groups)]
    return np.stack(sums, axis=1)


def _sums_of(terms: list[NDArray[np.float64]]) -> NDArray[np.int64]:
    """Return the exact sum of each of some arrays of the same length."""
    return exact_sums(np.repeat(np.arange(len(terms)), len(terms[0])), np.concatenate(terms), len(terms))
