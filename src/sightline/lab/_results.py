"""The results of an experiment, read from the results file."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import SightlineError
from sightline.lab._learner import Trial
from sightline.lab._record import Record
from sightline.lab._runner import Plan
from sightline.lab._store import ResultStore
from sightline.measure import fidelity, measured, stability
from sightline.significance import PairedComparison, WinDrawLoss, corrected_resampled_t_test, win_draw_loss
from sightline.table import Labels

Numbers = NDArray[np.float64]


class Results:
    """The numbers of every learner on every data set, by fold.

    Parameters
    ----------
    plan : Plan
        The cells of the experiment.
    store : ResultStore
        Their records. Data sets with missing records are left out.

    Attributes
    ----------
    plan : Plan
        The plan.
    sets : list of str
        Names of the complete data sets, in the plan's order.
    finished : str or None
        When the last record was stored.
    """

    def __init__(self, plan: Plan, store: ResultStore) -> None:
        self.plan = plan
        self._fold_ids = {
            (data.name, learner.name): [
                fold_id for fold_id in plan.protocol.fold_ids(data) if learner.runs_in(fold_id.repeat)
            ]
            for data in plan.data_sets
            for learner in plan.learners
        }
        self._records: dict[tuple[str, str], dict[tuple[int, int], Record]] = {}
        keys = [cell.key for cell in plan.cells]
        for cell, record in store.read(keys):
            folds = self._records.setdefault((cell.data, cell.learner), {})
            folds[cell.repeat, cell.fold] = record
        self.finished = store.last_finished(keys)
        self.sets = [data.name for data in plan.data_sets if self._is_complete(data.name)]

    def on(self, names: Iterable[str]) -> Results:
        """Return the same results, but only of some data sets."""
        some, wanted = copy.copy(self), set(names)
        some.sets = [name for name in self.sets if name in wanted]
        return some

    @property
    def learners(self) -> list[str]:
        """Names of the learners, in the plan's order."""
        return [learner.name for learner in self.plan.learners]

    @property
    def missing(self) -> list[str]:
        """Names of the incomplete data sets."""
        return [data.name for data in self.plan.data_sets if data.name not in self.sets]

    def fold_numbers(self, data: str, learner: str, measure: str) -> Numbers:
        """Return a measure per fold, one repeat after the other.

        Parameters
        ----------
        data, learner : str
            Names.
        measure : str
            Name of a number in the records; ``"error"`` is 1 - accuracy, ``"balanced_accuracy"`` the mean
            recall of the classes of the fold's rows.

        Returns
        -------
        ndarray of shape (n_repeats * n_folds,)
            The repeats of this learner; NaN if it has no such number.
        """
        if measure == "error":
            return 1 - self.fold_numbers(data, learner, "accuracy")
        if measure == "balanced_accuracy":
            return self._balanced_accuracies(data, learner)
        return np.array([record.numbers.get(measure, np.nan) for record in self._folds(data, learner)])

    def fold_lists(self, data: str, learner: str, measure: str) -> Numbers:
        """Return a recorded list of numbers per fold.

        Returns
        -------
        ndarray of shape (n_repeats * n_folds, …)
            In the recorded shape.
        """
        return np.array([record.numbers[measure] for record in self._folds(data, learner)])

    def repeat_means(self, data: str, learner: str, measure: str) -> Numbers:
        """Return the mean of a measure over the folds of each cross-validation."""
        numbers = self.fold_numbers(data, learner, measure)
        return np.asarray(numbers.reshape(-1, self.plan.protocol.n_folds).mean(axis=1))

    def mean(self, data: str, learner: str, measure: str) -> float:
        """Return the mean of a measure over all folds."""
        return float(self.fold_numbers(data, learner, measure).mean())

    def means(self, learner: str, measure: str) -> Numbers:
        """Return the mean over the folds of every complete data set."""
        return np.array([self.mean(data, learner, measure) for data in self.sets])

    def shared_numbers(self, data: str, first: str, second: str, measure: str) -> tuple[Numbers, Numbers]:
        """Return a measure of two learners in the folds that both ran in."""
        one, other = (self.fold_numbers(data, name, measure) for name in (first, second))
        # Repeats come one after the other, so that a learner with fewer of them has the first ones.
        n_shared = min(len(one), len(other))
        return one[:n_shared], other[:n_shared]

    def shared_means(self, learner: str, other: str, measure: str) -> tuple[Numbers, Numbers]:
        """Return the means of two learners on every complete data set, over the folds that both ran in."""
        pairs = [self.shared_numbers(data, learner, other, measure) for data in self.sets]
        return np.array([one.mean() for one, _ in pairs]), np.array([two.mean() for _, two in pairs])

    def fidelity(self, data: str, learner: str, teacher: str) -> float:
        """Return how often a learner gives the teacher's label to test rows, averaged over the folds.

        For numbers, R² to the teacher's; folds to whose rows it gives one number only do not count.
        """
        folds = self.fold_fidelities(data, learner, teacher)
        known = folds[~np.isnan(folds)]
        return float(known.mean()) if len(known) else math.nan

    def fold_fidelities(self, data: str, learner: str, teacher: str) -> Numbers:
        """Return the fidelity in every fold of the learner; NaN where the teacher gives one number to all."""
        # A learner never runs in more repeats than its teacher.
        trials = self._trials(data, learner)
        folds = zip(self._folds(data, learner), self._folds(data, teacher), trials, strict=False)
        return np.array(
            [_fidelity(ours.answers, theirs.answers, trial.test_weights) for ours, theirs, trial in folds]
        )

    def balanced_fidelity(self, data: str, learner: str, teacher: str) -> float:
        """Return the fidelity that counts every label of the teacher the same.

        The folds of a cross-validation are measured together, because the teacher may give a rare label in
        few of them: elsewhere, a learner that never gives it would be perfect.
        """
        trials = self._trials(data, learner)
        folds = [
            (theirs.answers, ours.answers, trial.test_weights)
            for ours, theirs, trial in zip(
                self._folds(data, learner), self._folds(data, teacher), trials, strict=True
            )
        ]
        n_folds = self.plan.protocol.n_folds
        repeats = [folds[start : start + n_folds] for start in range(0, len(folds), n_folds)]
        return float(np.mean([_balanced(*map(_joined, zip(*repeat, strict=True))) for repeat in repeats]))

    def fidelities(self, learner: str, teacher: str) -> Numbers:
        """Return the fidelity on every complete data set."""
        return np.array([self.fidelity(data, learner, teacher) for data in self.sets])

    def stability(self, data: str, learner: str) -> float:
        """Return Turney's stability of the models of one cross-validation, averaged over the repeats."""
        n_folds = self.plan.protocol.n_folds
        answers = [record.uniform_answers for record in self._folds(data, learner)]
        repeats = [answers[start : start + n_folds] for start in range(0, len(answers), n_folds)]
        return float(np.mean([stability(repeat) for repeat in repeats]))

    def stabilities(self, learner: str) -> Numbers:
        """Return the stability on every complete data set."""
        return np.array([self.stability(data, learner) for data in self.sets])

    def compare(self, data: str, first: str, second: str, measure: str = "accuracy") -> PairedComparison:
        """Compare two learners on one data set with the corrected resampled t-test."""
        return self._test(*self.shared_numbers(data, first, second, measure))

    def win_draw_loss(
        self,
        first: str,
        second: str,
        level: float,
        measure: str = "accuracy",
        test: Callable[[Numbers, Numbers], PairedComparison] | None = None,
    ) -> WinDrawLoss:
        """Count the data sets on which the second learner is significantly better, no different, worse.

        By default with the corrected resampled t-test.
        """
        pairs = [self.shared_numbers(data, first, second, measure) for data in self.sets]
        return win_draw_loss(pairs, test or self._test, level)

    @property
    def _test(self) -> partial[PairedComparison]:
        return partial(corrected_resampled_t_test, test_share=self.plan.protocol.test_share)

    def _balanced_accuracies(self, data: str, learner: str) -> Numbers:
        folds = zip(self._trials(data, learner), self._folds(data, learner), strict=True)
        return np.array(
            [_balanced(_codes(trial.y_test), record.answers, trial.test_weights) for trial, record in folds]
        )

    def _trials(self, data: str, learner: str) -> list[Trial]:
        """Return the rows of every fold in which a learner ran."""
        rows = next(one for one in self.plan.data_sets if one.name == data)
        return [Trial(rows, self.plan.protocol, fold_id) for fold_id in self._fold_ids[data, learner]]

    def _folds(self, data: str, learner: str) -> list[Record]:
        folds = self._records.get((data, learner), {})
        try:
            return [folds[fold_id] for fold_id in self._fold_ids[data, learner]]
        except KeyError as error:
            raise SightlineError(f"The results of {learner} on {data} are incomplete.") from error

    def _is_complete(self, data: str) -> bool:
        return all(
            len(self._records.get((data, learner), {})) == len(self._fold_ids[data, learner])
            for learner in self.learners
        )


def _codes(target: Any) -> NDArray[np.int32]:
    assert isinstance(target, Labels)
    return target.codes


def _balanced(truth: NDArray[Any], answers: NDArray[Any], weights: Numbers | None) -> float:
    return fidelity(truth, answers, weights=weights).balanced.value


def _joined(arrays: Sequence[NDArray[Any] | None]) -> Any:
    """Return the numbers of all folds, or None if they have none."""
    known = [array for array in arrays if array is not None]
    return np.concatenate(known) if known else None


def _fidelity(ours: NDArray[Any], theirs: NDArray[Any], weights: Numbers | None) -> float:
    return measured(theirs, ours, "numbers" if ours.dtype.kind == "f" else "classes", weights).value
