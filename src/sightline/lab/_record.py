"""The record of one learner in one fold: its predictions and its numbers."""

from __future__ import annotations

import json
import math
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.lab._data_set import LoadedSet
from sightline.lab._learner import Learner, Trial
from sightline.measure import NumberErrors, complexity, measured
from sightline.table import Labels, Numbers, Table

RECIPE = 1
"""Raise it when a change here alters what is measured: results of other recipes are not found."""

SIZES = ("nodes", "leaves", "depth", "rules", "conditions", "features")


@dataclass(frozen=True, eq=False)
class Record:
    """The result of one cell of an experiment.

    Attributes
    ----------
    numbers : dict
        Measures and notes, by name. Times are CPU seconds, so that a busy machine gives the same
        numbers as an idle one.
    answers : ndarray of shape (n_test,)
        Codes of the labels, or the numbers, that the model predicts for the test rows.
    uniform_answers : ndarray of shape (n_uniform,)
        The same for the uniformly drawn rows.
    """

    numbers: Mapping[str, Any]
    answers: NDArray[Any]
    uniform_answers: NDArray[Any] = field(default_factory=lambda: np.zeros(0, dtype=np.int16))

    def to_row(self) -> tuple[str, bytes, bytes]:
        """Return the record as columns of the results file."""
        numbers = json.dumps(dict(self.numbers), sort_keys=True, allow_nan=False)
        return numbers, _packed(self.answers), _packed(self.uniform_answers)

    @classmethod
    def from_row(cls, numbers: str, answers: bytes, uniform_answers: bytes) -> Record:
        """Return the record from columns of the results file."""
        read = json.loads(numbers)
        dtype = _NUMBERS if "mae" in read else _CODES
        return cls(read, _unpacked(answers, dtype), _unpacked(uniform_answers, dtype))


_CODES, _NUMBERS = "<i2", "<f8"


def _packed(answers: NDArray[Any]) -> bytes:
    return zlib.compress(answers.astype(_NUMBERS if answers.dtype.kind == "f" else _CODES).tobytes(), 6)


def _unpacked(packed: bytes, dtype: str) -> NDArray[Any]:
    return np.frombuffer(zlib.decompress(packed), dtype=dtype).astype(dtype[1:])


class TrialFailed(Exception):  # noqa: N818 - what happened, not what is wrong
    """A learner raised; the records of the others are kept."""

    def __init__(self, learner: str, reason: str) -> None:
        super().__init__(learner, reason)
        self.learner = learner
        self.reason = reason


def run_trial(
    trial: Trial, learners: Sequence[Learner], wanted: frozenset[str]
) -> tuple[list[tuple[str, Record]], TrialFailed | None]:
    """Fit the requested learners, and those that they need, to one trial.

    Parameters
    ----------
    trial : Trial
        The rows.
    learners : sequence of Learner
        All learners of the experiment, teachers first.
    wanted : frozenset of str
        Names of the learners to record.

    Returns
    -------
    records : list of (str, Record)
        Names and records, in the order of the learners.
    failure : TrialFailed or None
        The failure, if a learner raised.
    """
    records: list[tuple[str, Record]] = []
    fitted: dict[str, Any] = {}
    required = _with_needs(learners, wanted)
    uniform = trial.protocol.uniform_rows(trial.data)
    for learner in learners:
        if learner.name not in required:
            continue
        try:
            start = time.process_time()
            model = fitted[learner.name] = learner.fit(trial, fitted)
            seconds = time.process_time() - start
            if learner.name in wanted:
                teacher = fitted[learner.teacher] if learner.teacher else None
                records.append((learner.name, _record(learner, model, teacher, trial, uniform, seconds)))
        except Exception as error:
            return records, TrialFailed(learner.name, f"{type(error).__name__}: {error}")
    return records, None


def _with_needs(learners: Sequence[Learner], wanted: frozenset[str]) -> set[str]:
    required = set(wanted)
    for learner in reversed(learners):
        if learner.name in required and learner.needs is not None:
            required.add(learner.needs)
    return required


def _record(
    learner: Learner, model: Any, teacher: Any, trial: Trial, uniform: Table | None, fit_seconds: float
) -> Record:
    start = time.process_time()
    answers = _answers(model.predict(trial.X_test), trial.data)
    predict_seconds = time.process_time() - start
    numbers: dict[str, Any] = {
        **quality(_truth(trial.y_test), answers, trial.test_weights),
        "fit_seconds": round(fit_seconds, 4),
        "predict_seconds": round(predict_seconds, 4),
    }
    size = complexity(model)
    numbers |= {name: int(size[name]) for name in SIZES if name in size}
    if teacher is not None:
        theirs, ours = (_answers(one.predict(trial.X_train), trial.data) for one in (teacher, model))
        fidelity = measured(theirs, ours, trial.data.task, trial.train_weights).value
        numbers |= {} if math.isnan(fidelity) else {"training_fidelity": fidelity}
    if learner.notes is not None:
        numbers |= learner.notes(model, trial)
    if uniform is None:
        return Record(numbers, answers)
    return Record(numbers, answers, _answers(model.predict(uniform), trial.data))


def _truth(target: Labels | Numbers) -> NDArray[Any]:
    return target.codes if isinstance(target, Labels) else target.values


def _answers(answers: Any, data: LoadedSet) -> NDArray[Any]:
    """Return codes of labels, or numbers."""
    if isinstance(data.y, Labels):
        return coded(np.asarray(answers), data.y.classes_)
    return np.asarray(answers, dtype=np.float64)


def quality(
    truth: NDArray[Any], answers: NDArray[Any], weights: NDArray[np.float64] | None = None
) -> dict[str, float]:
    """Measure answers: the accuracy of codes, or R², MAE and RMSE of numbers.

    R² is left out if the true numbers do not define it.
    """
    if answers.dtype.kind != "f":
        return {"accuracy": float(np.average(answers == truth, weights=weights))}
    errors = NumberErrors.of(truth, answers, weights=weights)
    named = {"r2": errors.r2.value, "mae": errors.mae.value, "rmse": errors.rmse.value}
    return {name: value for name, value in named.items() if not math.isnan(value)}


def coded(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int16]:
    """Return the indices of labels among the declared classes.

    Examples
    --------
    >>> coded(np.array(["no", "yes"]), np.array(["yes", "no"]))
    array([1, 0], dtype=int16)
    """
    code_of = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([code_of[label] for label in np.asarray(labels).tolist()], dtype=np.int16)
