"""What a model predicts for rows: labels with probabilities, or numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import BlackBox


@dataclass(frozen=True, eq=False)
class Predicted:
    """The predictions of one model.

    Attributes
    ----------
    labels : ndarray of shape (n_rows,)
        Labels, or numbers.
    probabilities : ndarray of shape (n_rows, n_classes) or None
        Class probabilities; None for numbers, and for a black box that gives labels only.
    classes : ndarray of shape (n_classes,) or None
        The classes of the columns.
    """

    labels: NDArray[Any]
    probabilities: NDArray[np.float64] | None = None
    classes: NDArray[Any] | None = None

    @classmethod
    def by(cls, model: Any, rows: Any) -> Predicted:
        """Compute a model's labels and probabilities once."""
        if model.classes_ is None:
            return cls(np.asarray(model.predict(rows)))
        classes = np.asarray(model.classes_)
        if not hasattr(model, "answers"):
            return cls(np.asarray(model.predict(rows)), model.predict_proba(rows), classes)
        codes, probabilities = model.answers(rows)
        # A black box without probabilities gives its label a probability of 1.
        is_queried = isinstance(getattr(model, "predictor", model), BlackBox)
        has_labels_only = is_queried and bool((probabilities.max(axis=1) == 1).all())
        return cls(classes[codes], None if has_labels_only else probabilities, classes)

    def of_rows(self, chosen: NDArray[np.bool_]) -> Predicted:
        """Return the predictions for some of the rows."""
        probabilities = None if self.probabilities is None else self.probabilities[chosen]
        return Predicted(self.labels[chosen], probabilities, self.classes)

    def scores(self, classes: list[Any]) -> NDArray[np.float64] | None:
        """Return the probabilities of other classes: 0 for those that the model does not know."""
        if self.probabilities is None or self.classes is None:
            return None
        own = self.classes.tolist()
        if own == classes:
            return self.probabilities
        scores = np.zeros((len(self.labels), len(classes)))
        for column, label in enumerate(own):
            scores[:, classes.index(label)] = self.probabilities[:, column]
        return scores


def united_classes(*several: Iterable[Any] | None) -> list[Any]:
    """Return all labels, in the order in which they first appear.

    Examples
    --------
    >>> united_classes(["no", "yes"], None, ["yes", "maybe"])
    ['no', 'yes', 'maybe']
    """
    return list(dict.fromkeys(label for labels in several if labels is not None for label in labels))


def codes_among(labels: NDArray[Any], classes: list[Any]) -> NDArray[np.intp]:
    """Return the index of each label among the classes."""
    index_of = {label: index for index, label in enumerate(classes)}
    if labels.dtype.kind == "O":
        return np.array([index_of[label] for label in labels.tolist()], dtype=np.intp)
    distinct, inverse = np.unique(labels, return_inverse=True)
    indices = np.array([index_of[label] for label in distinct.tolist()], dtype=np.intp)
    return np.asarray(indices[inverse])
