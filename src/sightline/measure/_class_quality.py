"""Quality of predicted classes and probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.measure._calibration import CalibrationBin, calibration_curve
from sightline.measure._class_balance import ClassBalance
from sightline.measure._difference import GradedRows
from sightline.measure._estimate import UNDEFINED, Estimate
from sightline.measure._interval import Weights, mean_estimate, mean_of_estimates, z_value
from sightline.measure._ranking import Auc, average_precision
from sightline.measure._shares import share_of, shares_by_group
from sightline.wording import Share


@dataclass(frozen=True, eq=False, repr=False)
class ClassQuality:
    """Quality of a model's labels and, if it has them, its probabilities.

    Attributes
    ----------
    balance : ClassBalance
        The classes and their rows.
    accuracy : Share
        Share of the rows that get their own label.
    balanced_accuracy : Estimate
        Mean recall of the classes that have rows.
    recall, precision : dict of label to Share
        Share of the rows of a class that get its label, and share of the rows with its label that are of
        the class.
    confusion : ndarray of shape (n_classes, n_classes)
        Rows, or their weight, by true class (first axis) and predicted class.
    scores : ScoreQuality or None
        Quality of the probabilities; None for a model that gives only labels.
    n_rows : int
        Number of rows.
    rows : GradedRows
        Its result on every row, for comparisons. Not in :meth:`to_json`.
    """

    balance: ClassBalance
    accuracy: Share
    balanced_accuracy: Estimate
    recall: dict[Any, Share]
    precision: dict[Any, Share]
    confusion: NDArray[Any]
    scores: ScoreQuality | None
    n_rows: int
    rows: GradedRows

    @classmethod
    def of(
        cls,
        truth: NDArray[np.intp],
        codes: NDArray[np.intp],
        probabilities: NDArray[np.float64] | None,
        balance: ClassBalance,
        confidence: float = 0.95,
        weights: Weights = None,
    ) -> ClassQuality:
        """Measure labels and probabilities.

        Parameters
        ----------
        truth, codes : ndarray of shape (n_rows,)
            Indices of the true and of the predicted classes.
        probabilities : ndarray of shape (n_rows, n_classes) or None
            The predicted probabilities.
        balance : ClassBalance
            The classes and their rows.
        confidence : float, default=0.95
            Confidence of the intervals.
        weights : ndarray of shape (n_rows,), optional
            Weight of each row.
        """
        n, labels = balance.n_classes, balance.classes.tolist()
        right = truth == codes
        recall = shares_by_group(truth, right, n, confidence, weights)
        precision = shares_by_group(codes, right, n, confidence, weights)
        confusion = np.bincount(truth * n + codes, weights, minlength=n * n).reshape(n, n)
        scores = None
        if probabilities is not None:
            scores = ScoreQuality.of(truth, probabilities, balance, confidence, weights)
        return cls(
            balance=balance,
            accuracy=share_of(right, confidence, weights),
            balanced_accuracy=mean_of_estimates(recall, len(truth)),
            recall=dict(zip(labels, recall, strict=True)),
            precision=dict(zip(labels, precision, strict=True)),
            confusion=confusion,
            scores=scores,
            n_rows=len(truth),
            rows=GradedRows(truth, right, *((None,) * 3 if scores is None else scores.by_row)),
        )

    @property
    def value(self) -> float:
        """The accuracy."""
        return self.accuracy.value

    @property
    def headline(self) -> Share | Estimate:
        """The accuracy or, where classes are imbalanced, the balanced accuracy."""
        return self.balanced_accuracy if self.balance.is_imbalanced else self.accuracy

    @property
    def auc(self) -> Estimate | None:
        """Area under the ROC curve; None without probabilities."""
        return None if self.scores is None else self.scores.auc

    @property
    def average_precision(self) -> Estimate | None:
        """Average precision; None without probabilities."""
        return None if self.scores is None else self.scores.average_precision

    @property
    def brier(self) -> Estimate | None:
        """Brier score; None without probabilities."""
        return None if self.scores is None else self.scores.brier

    @property
    def log_loss(self) -> Estimate | None:
        """Logarithmic loss; None without probabilities."""
        return None if self.scores is None else self.scores.log_loss

    def lines(self) -> Iterator[tuple[str, Any, Share | Estimate]]:
        """Yield the name of each measure, the class that it is about or None, and the measure."""
        yield "accuracy", None, self.accuracy
        yield "balanced accuracy", None, self.balanced_accuracy
        if self.scores is not None:
            yield from self.scores.lines()
        yield from (("recall", label, share) for label, share in self.recall.items())
        yield from (("precision", label, share) for label, share in self.precision.items())
        if self.scores is not None and self.balance.n_classes > 2:
            yield from (("AUC", label, one) for label, one in self.scores.auc_by_class.items())
            precisions = self.scores.average_precision_by_class
            yield from (("average precision", label, one) for label, one in precisions.items())

    def to_json(self) -> dict[str, Any]:
        """Return the numbers for other programs; classes are named by their text."""
        labels = [str(label) for label in self.balance.classes.tolist()]
        return {
            "accuracy": self.accuracy.to_json(),
            "balanced_accuracy": self.balanced_accuracy.to_json(),
            "recall": {str(label): share.to_json() for label, share in self.recall.items()},
            "precision": {str(label): share.to_json() for label, share in self.precision.items()},
            "confusion": {
                label: {
                    other: _whole(rows) for other, rows in zip(labels, line.tolist(), strict=True) if rows
                }
                for label, line in zip(labels, self.confusion, strict=True)
                if line.any()
            },
            **(ScoreQuality.nothing() if self.scores is None else self.scores.to_json()),
        }


@dataclass(frozen=True, eq=False, repr=False)
class ScoreQuality:
    """Quality of predicted probabilities.

    Attributes
    ----------
    auc, average_precision : Estimate
        Of two classes: for ``balance.focus``. Of more: the mean over the classes, each against the rest.
    auc_by_class, average_precision_by_class : dict of label to Estimate
        The same per class.
    brier : Estimate
        Brier score: the mean squared distance of the probability of ``balance.focus`` from 0 or 1; of more
        than two classes, the squared distances of all classes added up.
    log_loss : Estimate
        Mean negative logarithm of the true class's probability. A probability of 0 counts as 2.2e-16, as in
        scikit-learn.
    calibration : dict of label to tuple of CalibrationBin
        Calibration curve per class.
    by_row : tuple
        What each row contributes to the AUC, its Brier score and its log loss.
    """

    auc: Estimate
    average_precision: Estimate
    auc_by_class: dict[Any, Estimate]
    average_precision_by_class: dict[Any, Estimate]
    brier: Estimate
    log_loss: Estimate
    calibration: dict[Any, tuple[CalibrationBin, ...]] = field(default_factory=dict)
    by_row: tuple[Auc | None, NDArray[np.float64], NDArray[np.float64]] = field(kw_only=True)

    @classmethod
    def of(
        cls,
        truth: NDArray[np.intp],
        probabilities: NDArray[np.float64],
        balance: ClassBalance,
        confidence: float = 0.95,
        weights: Weights = None,
    ) -> ScoreQuality:
        """Measure probabilities; the parameters are those of :meth:`ClassQuality.of`."""
        labels, z = balance.classes.tolist(), z_value(confidence)
        total: Auc | None = None
        n_ranked = 0
        areas, precisions, curves = {}, {}, {}
        for one in balance.scored:
            scores, is_class = probabilities[:, one], truth == one
            area = Auc.of(scores, is_class, weights)
            areas[labels[one]] = UNDEFINED if area is None else area.estimate(confidence)
            # Without a row of either kind there is no precision to speak of.
            precisions[labels[one]] = (
                UNDEFINED if area is None else average_precision(scores, is_class, confidence, weights)
            )
            curves[labels[one]] = calibration_curve(scores, is_class, confidence, weights)
            if area is not None:
                total, n_ranked = area if total is None else total + area, n_ranked + 1
        of_true = probabilities[np.arange(len(truth)), truth]
        surprise = -np.log(np.clip(of_true, np.finfo(np.float64).eps, 1.0))
        squared = _squared_distances(truth, probabilities)
        area = None if total is None else total / n_ranked
        return cls(
            UNDEFINED if area is None else area.estimate(confidence),
            mean_of_estimates(list(precisions.values()), len(truth), "score"),
            areas,
            precisions,
            mean_estimate(squared, z, weights),
            mean_estimate(surprise, z, weights),
            curves,
            by_row=(area, squared, surprise),
        )

    def lines(self) -> Iterator[tuple[str, Any, Estimate]]:
        """Yield the measures of all classes together, as :meth:`ClassQuality.lines` does."""
        yield "AUC", None, self.auc
        yield "average precision", None, self.average_precision
        yield "Brier score", None, self.brier
        yield "log loss", None, self.log_loss

    def to_json(self) -> dict[str, Any]:
        """Return the numbers for other programs."""
        return {
            "auc": self.auc.to_json(),
            "average_precision": self.average_precision.to_json(),
            "auc_by_class": {str(label): one.to_json() for label, one in self.auc_by_class.items()},
            "average_precision_by_class": {
                str(label): one.to_json() for label, one in self.average_precision_by_class.items()
            },
            "brier": self.brier.to_json(),
            "log_loss": self.log_loss.to_json(),
            "calibration": {
                str(label): [one.to_json() for one in curve] for label, curve in self.calibration.items()
            },
        }

    @staticmethod
    def nothing() -> dict[str, None]:
        """Return the same names for a model without probabilities."""
        names = ("auc", "average_precision", "auc_by_class", "average_precision_by_class")
        return dict.fromkeys((*names, "brier", "log_loss", "calibration"))


def _squared_distances(truth: NDArray[np.intp], probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Brier score of each row."""
    of_true = probabilities[np.arange(len(truth)), truth]
    squares = np.einsum("ij,ij->i", probabilities, probabilities) - 2 * of_true + 1
    return np.asarray(np.maximum(squares, 0.0) / (2 if probabilities.shape[1] == 2 else 1))


def _whole(rows: float) -> float:
    return int(rows) if float(rows).is_integer() else rows
