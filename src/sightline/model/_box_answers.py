"""Check what a black box returns for some rows: labels, probabilities or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError
from sightline.model._nodes import first_largest
from sightline.wording import list_names, pluralize

SUM_TOLERANCE = 1e-3
"""How far the probabilities of a row may be from 1: models round them to a few digits."""

_MAX_LISTED = 10
_LABELS_OR_PROBABILITIES = "one label per row, or one column of probabilities per class"


@dataclass(frozen=True)
class Batch:
    """A batch of rows for a model to predict.

    Attributes
    ----------
    owner : str
        Name of the model, for messages.
    begin, end : int
        The rows, without the last.
    """

    owner: str
    begin: int
    end: int

    def __len__(self) -> int:
        return self.end - self.begin

    def __str__(self) -> str:
        last = self.end - 1
        return f"row {self.begin:,}" if last == self.begin else f"rows {self.begin:,} to {last:,}"

    def array(self, answer: Any, expected: str = _LABELS_OR_PROBABILITIES) -> NDArray[Any]:
        """Return an answer as an array with one entry, or one line of entries, per row."""
        array = np.asarray(answer)
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim not in (1, 2) or len(array) != len(self):
            raise DataError(
                f"{self.owner} returned an array of shape {np.shape(answer)} for {self}. It must return "
                f"{expected}."
            )
        return array

    def labels(self, answer: Any) -> NDArray[Any]:
        """Return an answer as labels."""
        labels = self.array(answer)
        if labels.ndim != 1:
            raise DataError(
                f"{self.owner} returned {labels.shape[1]} labels per row for {self}. "
                "A black box must give one label per row."
            )
        if labels.dtype.kind == "f":
            self._refuse_fractions(labels)
        return labels

    def numbers(self, answer: Any) -> NDArray[np.float64]:
        """Return an answer as finite numbers."""
        array = self.array(answer, "one number per row")
        if array.ndim != 1:
            raise DataError(
                f"{self.owner} returned {array.shape[1]} numbers per row for {self}. "
                "A black box must give one number per row: pass one model per number."
            )
        try:
            numbers = array.astype(np.float64)
        except (TypeError, ValueError):
            raise DataError(
                f"{self.owner} returned {array.tolist()[0]!r} for row {self.begin:,}, which is not a number. "
                "A model that predicts classes needs a classifier, such as DistilledTreeClassifier."
            ) from None
        if not np.isfinite(numbers).all():
            row = int((~np.isfinite(numbers)).argmax())
            what = "no number (NaN)" if np.isnan(numbers[row]) else "an infinite number"
            raise DataError(f"{self.owner} gave row {self.begin + row:,} {what}.")
        return numbers

    def codes(self, answer: Any, classes: NDArray[Any]) -> NDArray[np.int32]:
        """Return an answer of labels as codes of classes."""
        labels = self.labels(answer)
        code_of = {value: code for code, value in enumerate(classes.tolist())}
        codes = np.array([code_of.get(label, -1) for label in labels.tolist()], dtype=np.int32)
        if (codes < 0).any():
            row = int((codes < 0).argmax())
            raise DataError(
                f"{self.owner} gave row {self.begin + row:,} the label {labels.tolist()[row]!r}, which is "
                f"not one of its classes: {_listed(classes.tolist())}. Pass all of them as classes."
            )
        return codes

    def probabilities(self, answer: Any, classes: NDArray[Any] | None) -> NDArray[np.float64]:
        """Return an answer of class probabilities, in the order of the classes."""
        array = self.array(answer)
        if classes is not None and len(classes) == 1:
            array = array.reshape(len(self), -1)
        if classes is None:
            raise DataError(
                f"{self.owner} returned probabilities, but the order of its classes is not known. "
                "Pass them: sl.BlackBox(model, classes=[…])."
            )
        if array.ndim != 2 or array.shape[1] != len(classes):
            n_columns = 1 if array.ndim == 1 else array.shape[1]
            raise DataError(
                f"{self.owner} returned {pluralize(n_columns, 'column')} of probabilities for {self}, "
                f"but it has {len(classes)} classes: {_listed(classes.tolist())}."
            )
        try:
            numbers = _in_order(answer, array, classes.tolist()).astype(np.float64)
        except (TypeError, ValueError):
            raise DataError(f"{self.owner} returned probabilities that are not numbers for {self}.") from None
        self._check_probabilities(numbers)
        return numbers

    def _check_probabilities(self, numbers: NDArray[np.float64]) -> None:
        wrong = {
            "missing (NaN)": np.isnan(numbers).any(axis=1),
            "negative": (numbers < 0).any(axis=1),
            "infinite": np.isinf(numbers).any(axis=1),
        }
        for what, rows in wrong.items():
            if rows.any():
                row = int(rows.argmax())
                raise DataError(f"{self.owner} gave row {self.begin + row:,} a probability that is {what}.")
        sums = numbers.sum(axis=1)
        off = np.abs(sums - 1) > SUM_TOLERANCE
        if off.any():
            row = int(off.argmax())
            raise DataError(
                f"{self.owner} gave row {self.begin + row:,} probabilities that sum to {sums[row]:.6g}. "
                "They must sum to 1."
            )

    def _refuse_fractions(self, labels: NDArray[Any]) -> None:
        if np.isnan(labels).any():
            row = int(np.isnan(labels).argmax())
            raise DataError(f"{self.owner} gave row {self.begin + row:,} no label (NaN).")
        fractional = labels != np.rint(labels)
        if fractional.any():
            row = int(fractional.argmax())
            raise DataError(
                f"{self.owner} returned the number {labels[row]:.6g} for row {self.begin + row:,}, which is "
                "not a label. It must return labels, or one column of probabilities per class. To imitate "
                "numbers use a regressor, such as DistilledTreeRegressor."
            )


def is_probabilities(answer: Any) -> bool:
    """Return whether an answer has several columns, so that it cannot be labels."""
    shape = np.shape(answer)
    return len(shape) == 2 and shape[1] > 1


def one_hot(codes: NDArray[np.int32], n_classes: int) -> NDArray[np.float64]:
    """Return probabilities of 0 and 1 for a model that gives labels only."""
    return np.eye(n_classes)[codes]


def most_probable(probabilities: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the code of the most probable class; ties go to the first."""
    return first_largest(probabilities, 0.0).astype(np.int32)


def _in_order(answer: Any, array: NDArray[Any], classes: list[Any]) -> NDArray[Any]:
    """Order the columns of a frame by its names, if those are the classes."""
    names = list(getattr(answer, "columns", ()))
    if names == classes or set(names) != set(classes):
        return array
    return array[:, [names.index(label) for label in classes]]


def _listed(classes: Sequence[Any]) -> str:
    return list_names([repr(label) for label in classes], _MAX_LISTED)
