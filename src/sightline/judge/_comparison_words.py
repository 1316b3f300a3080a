"""Wording of a comparison's tables and pages, for classes and for numbers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.measure import ClassBalance, NumberErrors, error_text, score_text
from sightline.table import Labels, Numbers, rare_classes
from sightline.wording import percent, pluralize, printable

if TYPE_CHECKING:
    from sightline.judge._comparison import MethodResult

UNKNOWN = "–"  # noqa: RUF001 - a dash
"""What tables show where there is no number."""


class ComparisonWords(ABC):
    """The words of one task.

    Attributes
    ----------
    quality_heads : tuple of str
        Column heads for the quality of a method.
    axis : str
        What the vertical axis of the plot shows.
    alike, best : str
        Words for a method that is about as accurate as another, and for the most accurate one.
    fidelity_head : str
        Column head for fidelity.
    plotted, better, dotted_line : str
        For the caption of the plot: what it shows, the word for a method with a higher score, and what its
        dotted line is, if it has one.
    quality_terms, fidelity_term : dict, str
        What the page explains; ``{noun}`` is the ensemble or black box.
    """

    fidelity_head: ClassVar[str] = "fidelity"

    quality_heads: ClassVar[tuple[str, ...]]
    axis: ClassVar[str]
    alike: ClassVar[str]
    best: ClassVar[str]
    measure: ClassVar[str]
    plotted: ClassVar[str]
    better: ClassVar[str] = "more accurate"
    dotted_line: ClassVar[str] = "The dotted line is the most frequent label."
    quality_terms: ClassVar[dict[str, str]]
    fidelity_term: ClassVar[str]
    kind_of_ensemble: ClassVar[str]

    @abstractmethod
    def score(self, value: float) -> str:
        """Return the score of a method."""

    @abstractmethod
    def quality(self, result: MethodResult) -> tuple[str, ...]:
        """Return the cells below ``quality_heads``."""

    @abstractmethod
    def fidelity(self, result: MethodResult) -> str:
        """Return the cell below ``fidelity_head``."""

    @property
    def reasons(self) -> list[str]:
        """Why methods are compared by an unusual measure."""
        return []

    @abstractmethod
    def achieved(self, result: MethodResult) -> str:
        """Say how accurate a method is on unseen rows."""

    @property
    @abstractmethod
    def guess(self) -> tuple[str, float]:
        """The prediction without a model, and its score."""

    @property
    @abstractmethod
    def guess_sentence(self) -> str:
        """The score of that prediction."""

    def is_guess(self, score: float) -> bool:
        """Return whether a score is not above that of the prediction without a model, as tables show them."""
        guess = self.guess[1]
        return score <= guess or self.score(score) == self.score(guess)

    def caption(self, front: Sequence[str]) -> str:
        """Say what the plot shows.

        Parameters
        ----------
        front : sequence of str
            The methods that no other one beats in both size and quality. A line joins them, if there are two.
        """
        if len(front) > 1:
            about = f"No method is both simpler and {self.better} than those on the dashed line."
        else:
            about = f"No method is simpler or {self.better} than {front[0]}." if front else ""
        return " ".join(filter(None, [self.plotted, about, self.dotted_line]))

    @property
    @abstractmethod
    def target_text(self) -> str:
        """The target in the title."""


_AUC_TERM = (
    "share of pairs of unseen rows of different classes that a model's probabilities rank right; 0.5 is "
    "chance. ? if a model gives labels only."
)


class ClassWords(ComparisonWords):
    """Accuracy of labels."""

    quality_heads: ClassVar[tuple[str, ...]] = ("accuracy", "AUC")
    axis = "accuracy on unseen rows"
    alike, best, measure = "about as accurate as", "most accurate", "accuracy"
    plotted = "the share of unseen rows that it labels correctly."
    quality_terms: ClassVar[dict[str, str]] = {
        "accuracy": "share of unseen rows that a model labels correctly, with its standard deviation over "
        "the folds.",
        "AUC": _AUC_TERM,
    }
    fidelity_term = (
        "share of unseen rows to which a model gives the same label as the {noun} ({what}), right or wrong."
    )
    kind_of_ensemble = "many models that vote"

    def __init__(self, labels: Labels, weights: NDArray[np.float64] | None = None) -> None:
        self.labels = labels
        self.balance = ClassBalance.of(labels.codes.astype(np.intp), labels.classes_, weights)

    def score(self, value: float) -> str:
        """Return an accuracy in percent."""
        return percent(value, 1)

    def quality(self, result: MethodResult) -> tuple[str, ...]:
        """Return the accuracy with its deviation, and the AUC."""
        return _share_with_deviation(result), _auc(result)

    def fidelity(self, result: MethodResult) -> str:
        """Return the share of equal labels in percent."""
        return percent(result.fidelity, 1)

    def achieved(self, result: MethodResult) -> str:
        """Say how many rows a method labels correctly."""
        return f"it labels {percent(result.score, 1)} of unseen rows correctly"

    @property
    def guess(self) -> tuple[str, float]:
        """The most frequent label, and its share of the rows."""
        return str(self.balance.majority_label), float(self.balance.shares.max())

    @property
    def guess_sentence(self) -> str:
        """How often the most frequent label is right."""
        label, share = self.guess
        return f"Always predicting {label} would be right for {percent(share, 1)}."

    @property
    def target_text(self) -> str:
        """The number of classes."""
        return pluralize(len(np.unique(self.labels.codes)), "class", "classes")


class ImbalancedWords(ClassWords):
    """Balanced accuracy of labels, if a class is rare."""

    quality_heads = ("balanced accuracy", "AUC", "accuracy")
    fidelity_head = "balanced fidelity"
    axis = "balanced accuracy on unseen rows"
    alike, best, measure = "about as accurate as", "most accurate", "balanced accuracy"
    plotted = "its balanced accuracy on unseen rows."
    quality_terms: ClassVar[dict[str, str]] = {
        "balanced accuracy": "share of the unseen rows of a class that a model labels correctly, averaged "
        "over the classes, with its standard deviation over the folds.",
        "AUC": _AUC_TERM,
        "accuracy": "share of all unseen rows that a model labels correctly. It says little about a rare "
        "class.",
    }
    fidelity_term = (
        "share of the unseen rows with a label of the {noun} ({what}) to which a model gives the same label, "
        "averaged over the labels."
    )

    def quality(self, result: MethodResult) -> tuple[str, ...]:
        """Return the balanced accuracy with its deviation, the AUC and the accuracy."""
        assert result.accuracy is not None
        return _share_with_deviation(result), _auc(result), percent(result.accuracy, 1)

    def fidelity(self, result: MethodResult) -> str:
        """Return the balanced fidelity in percent."""
        assert result.balanced_fidelity is not None
        return percent(result.balanced_fidelity, 1)

    def achieved(self, result: MethodResult) -> str:
        """Say which balanced accuracy a method reaches."""
        return f"its balanced accuracy on unseen rows is {percent(result.score, 1)}"

    @property
    def reasons(self) -> list[str]:
        """Which class is rare, and what follows."""
        balance = self.balance
        label, share = printable(str(balance.rarest_label)), float(balance.shares[balance.rarest])
        return [
            f"The classes are imbalanced: {percent(share, 1)} of the rows are "
            f"{label}. Methods are compared by balanced accuracy, which counts every class the same."
        ]

    @property
    def guess(self) -> tuple[str, float]:
        """The most frequent label, and its balanced accuracy: right for one of the classes."""
        return super().guess[0], 1 / len(np.unique(self.labels.codes))

    @property
    def guess_sentence(self) -> str:
        """The balanced accuracy of the most frequent label."""
        label, share = self.guess
        return f"Always predicting {label} would reach {percent(share, 1)}."


class NumberWords(ComparisonWords):
    """R² and errors of numbers."""

    quality_heads = ("R²", "MAE")
    axis = "R² on unseen rows"
    alike, best, measure = "about as good as", "best", "R²"
    plotted, better, dotted_line = "R² on unseen rows.", "better", ""
    quality_terms: ClassVar[dict[str, str]] = {
        "R²": "1 if every number is right, 0 if they are no better than always the mean; measured on unseen "
        "rows, with its standard deviation over the folds.",
        "MAE": "mean absolute error on unseen rows, in the unit of the target.",
    }
    fidelity_term = "R² of a model's numbers to those of the {noun} ({what}) on unseen rows, right or wrong."
    kind_of_ensemble = "many models whose numbers are combined"

    def __init__(self, numbers: Numbers, weights: NDArray[np.float64] | None = None) -> None:
        self.mean = NumberErrors.of_mean(numbers, weights=weights)

    def score(self, value: float) -> str:
        """Return an R²."""
        return f"R² {score_text(value)}"

    def quality(self, result: MethodResult) -> tuple[str, ...]:
        """Return R² with its deviation, and the mean absolute error."""
        assert result.mae is not None
        return f"{result.score:.3f} ± {result.deviation:.3f}", error_text(result.mae)

    def fidelity(self, result: MethodResult) -> str:
        """Return R² to the ensemble's numbers."""
        return score_text(result.fidelity)

    def achieved(self, result: MethodResult) -> str:
        """Say which R² a method reaches, and its mean error."""
        assert result.mae is not None
        return f"R² {score_text(result.score)} on unseen rows, {error_text(result.mae)} off on average"

    @property
    def guess(self) -> tuple[str, float]:
        """The mean, whose R² is 0."""
        return "the mean", 0.0

    @property
    def guess_sentence(self) -> str:
        """The error of the mean."""
        return f"Always the mean would be {error_text(self.mean.mae.value)} off."

    @property
    def target_text(self) -> str:
        """What the target is."""
        return "numbers"


def words_for(target: Labels | Numbers, weights: NDArray[np.float64] | None = None) -> ComparisonWords:
    """Return the words for a target, and for the weights of its rows.

    Examples
    --------
    >>> words_for(Labels.from_any(["a", "b", "b", "b"])).guess_sentence
    'Always predicting b would be right for 75.0%.'
    >>> words_for(Numbers.from_any([1.0, 3.0])).guess_sentence
    'Always the mean would be 1 off.'
    """
    if not isinstance(target, Labels):
        return NumberWords(target, weights)
    is_imbalanced = compared_by(target, weights) == "balanced_accuracy"
    return (ImbalancedWords if is_imbalanced else ClassWords)(target, weights)


def compared_by(target: Labels | Numbers, weights: NDArray[np.float64] | None = None) -> str:
    """Return what methods are compared by: a field of their results.

    Examples
    --------
    >>> compared_by(Labels.from_any(["no"] * 95 + ["yes"] * 5))
    'balanced_accuracy'
    """
    if not isinstance(target, Labels):
        return "r2"
    return "balanced_accuracy" if rare_classes(np.bincount(target.codes, weights)).any() else "accuracy"


def _share_with_deviation(result: MethodResult) -> str:
    return f"{100 * result.score:.1f} ± {100 * result.deviation:.1f}%"


def _auc(result: MethodResult) -> str:
    return UNKNOWN if result.auc is None or math.isnan(result.auc) else score_text(result.auc)
