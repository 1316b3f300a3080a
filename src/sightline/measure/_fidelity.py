"""Fidelity: how similar the predictions of a model and its ensemble are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sightline.measure._agreement import agreement
from sightline.measure._class_balance import ClassBalance
from sightline.measure._estimate import Estimate
from sightline.measure._interval import Weights, mean_estimate, mean_of_estimates, z_value
from sightline.measure._number_errors import NumberErrors
from sightline.measure._ranking import rank_correlation
from sightline.measure._shares import share_of, shares_by_group
from sightline.wording import Share


@dataclass(frozen=True)
class ScoreAgreement:
    """How similar the probabilities of a model and an ensemble are.

    Attributes
    ----------
    spearman : Estimate
        Rank correlation of the probabilities: of the class in focus or, of more than two classes, the mean
        over the classes.
    mean_difference : Estimate
        Mean absolute difference of the probabilities; of more than two classes, half of what the
        differences of all classes add up to.
    """

    spearman: Estimate
    mean_difference: Estimate

    @classmethod
    def of(
        cls,
        theirs: NDArray[np.float64],
        ours: NDArray[np.float64],
        balance: ClassBalance,
        confidence: float = 0.95,
        weights: Weights = None,
    ) -> ScoreAgreement:
        """Compare probabilities of shape (n_rows, n_classes)."""
        correlations = [
            rank_correlation(theirs[:, one], ours[:, one], confidence, weights) for one in balance.scored
        ]
        distance = np.abs(theirs - ours).sum(axis=1) / 2
        spearman = correlations[0]
        if len(correlations) > 1:
            spearman = mean_of_estimates(correlations, len(theirs), "score", -1.0)
        return cls(spearman, mean_estimate(distance, z_value(confidence), weights))


@dataclass(frozen=True)
class Fidelity:
    """How often a model gives the same label as an ensemble.

    Attributes
    ----------
    overall : Share
        Share of all rows.
    by_class : dict of label to Share
        Per label of the ensemble, the share of the rows with that label.
    majority_label : label
        The ensemble's most frequent label.
    majority : Share
        Fidelity of always predicting that label.
    scores : ScoreAgreement or None
        How similar the probabilities are; None if one of the two has none.
    """

    overall: Share
    by_class: dict[Any, Share]
    majority_label: Any
    majority: Share
    scores: ScoreAgreement | None = None

    @property
    def balanced(self) -> Estimate:
        """The mean of the shares per label: every label of the ensemble counts the same."""
        return mean_of_estimates(list(self.by_class.values()), self.overall.n_rows)

    @property
    def balanced_majority(self) -> float:
        """Balanced fidelity of always predicting the most frequent label: all of one label, no other."""
        return 1 / len(self.by_class)

    @property
    def value(self) -> float:
        """The share of all rows."""
        return self.overall.value

    def lines(self) -> Iterator[tuple[str, Any, Share | Estimate]]:
        """Yield the name of each measure, the class that it is about or None, and the measure."""
        yield "fidelity", None, self.overall
        yield "balanced fidelity", None, self.balanced
        if self.scores is not None:
            yield "Spearman correlation of scores", None, self.scores.spearman
            yield "mean difference of scores", None, self.scores.mean_difference
        yield from (("fidelity", label, share) for label, share in self.by_class.items())

    def to_json(self) -> dict[str, Any]:
        """Return the numbers for other programs: those of all rows, and the others by name."""
        scores = self.scores
        return {
            **self.overall.to_json(),
            "balanced": self.balanced.to_json(),
            "by_class": {str(label): share.to_json() for label, share in self.by_class.items()},
            "majority": self.majority.to_json(),
            "spearman": None if scores is None else scores.spearman.to_json(),
            "mean_difference": None if scores is None else scores.mean_difference.to_json(),
        }


def fidelity(
    ensemble_labels: ArrayLike,
    model_labels: ArrayLike,
    confidence: float = 0.95,
    weights: NDArray[np.float64] | None = None,
) -> Fidelity:
    """Measure how often a model gives an ensemble's label, overall and per label of the ensemble.

    Use rows that the model has not seen: on training rows the number means little.

    Parameters
    ----------
    ensemble_labels : array-like of shape (n_rows,)
        Labels that the ensemble predicts.
    model_labels : array-like of shape (n_rows,)
        Labels that the model predicts.
    confidence : float, default=0.95
        Confidence of the intervals.
    weights : ndarray of shape (n_rows,), optional
        Weight of each row.

    Returns
    -------
    Fidelity
        Shares with their intervals.

    Examples
    --------
    >>> found = fidelity(["a"] * 8 + ["b"] * 2, ["a"] * 9 + ["b"])
    >>> found.overall.value, found.by_class["b"].value, found.balanced.value
    (0.9, 0.5, 0.75)
    """
    agrees = agreement(ensemble_labels, model_labels)
    labels, codes = np.unique(np.asarray(ensemble_labels), return_inverse=True)
    by_class = shares_by_group(codes, agrees, len(labels), confidence, weights)
    majority = int(np.bincount(codes, weights).argmax())
    return Fidelity(
        share_of(agrees, confidence, weights),
        dict(zip(labels.tolist(), by_class, strict=True)),
        labels.tolist()[majority],
        share_of(codes == majority, confidence, weights),
    )


def measured(
    truth: ArrayLike, predicted: ArrayLike, task: str, weights: Weights = None
) -> Share | NumberErrors:
    """Measure predictions: the share of right labels, or the errors of numbers.

    Parameters
    ----------
    truth, predicted : array-like of shape (n_rows,)
        Labels or numbers.
    task : {"classes", "numbers"}
        Which.
    weights : ndarray of shape (n_rows,), optional
        Weight of each row.

    Examples
    --------
    >>> measured(["a", "b"], ["a", "a"], "classes").value
    0.5
    >>> measured([1.0, 2.0], [1.0, 2.0], "numbers").value
    1.0
    """
    if task == "numbers":
        return NumberErrors.of(truth, predicted, weights=weights)
    return share_of(agreement(truth, predicted), weights=weights)
