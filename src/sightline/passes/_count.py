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
from sightline.table.rows import Arrays, Draw, Judges, Part, PartReader

__all__ = ["Count"]

_MAX_CALIBRATED = 20
"""With more classes than this, calibration per class is not counted."""


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
            is_judged = self.judges.among(batch.first, batch.table.n_rows, self.drawn)
            counted = Tally(dict(self._counts(batch.table, is_judged)), self._classes)
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

    def _counts(self, table: Table, is_judged: NDArray[np.bool_]) -> Iterator[tuple[str, NDArray[np.int64]]]:
        rows = table.X.aligned(self.model.schema, "the model")
        n_judged = int(is_judged.sum())
        yield "rows", np.array([n_judged, table.n_rows - n_judged], dtype=np.int64)
        yield "missing", np.array([int(column.is_missing.sum()) for column in table.columns], dtype=np.int64)
        if table.weights is not None:
            # Sums of zeros and ones are numbers of rows.
            yield "other weights", np.array([(~np.isin(table.weights, (0, 1))).sum()], dtype=np.int64)
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
                yield f"{first} {second}", self._pairs(one[is_judged], other[is_judged])
        if theirs is not None and isinstance(self.model, NodeModel) and self._classes is not None:
            yield "leaves", self._leaves(rows, theirs[0] != ours[0], is_judged)
        if truth is not None and self._classes is not None and len(self._classes) <= _MAX_CALIBRATED:
            for who, said in (("model", ours), ("ensemble", theirs)):
                if said is not None:
                    yield f"calibration {who}", _calibration(said[1][is_judged], truth[is_judged])

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

    def _pairs(self, first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.int64]:
        """Return rows by both labels; of numbers: sums of the first, its squares, and errors."""
        if self._classes is not None:
            n = len(self._classes)
            pairs = first.astype(np.int64) * n + second
            return np.bincount(pairs, minlength=n * n).reshape(n, n).astype(np.int64)
        gap, error = first - self.center, first - second
        terms = np.concatenate([gap, gap**2, error**2, np.abs(error)])
        return exact_sums(np.repeat(np.arange(4), len(first)), terms, 4)

    def _leaves(
        self, rows: Table, differs: NDArray[np.bool_], is_judged: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        leaf = self.model.apply(rows, self.n_jobs)
        n_nodes = self.model.n_nodes
        ends = np.bincount(leaf[is_judged], minlength=n_nodes)
        wrong = np.bincount(leaf[is_judged & differs], minlength=n_nodes)
        return np.stack([ends, wrong], axis=1).astype(np.int64)


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


def _calibration(probabilities: NDArray[np.float64], truth: NDArray[np.int32]) -> NDArray[np.int64]:
    n_classes = probabilities.shape[1]
    counts = np.zeros((n_classes, N_BINS, 2), dtype=np.int64)
    for code in range(n_classes):
        bins = np.minimum((probabilities[:, code] * N_BINS).astype(np.int64), N_BINS - 1)
        counts[code, :, 0] = np.bincount(bins, minlength=N_BINS)
        counts[code, :, 1] = np.bincount(bins[truth == code], minlength=N_BINS)
    return counts
