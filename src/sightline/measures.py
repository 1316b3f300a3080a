"""Measures of models: accuracy, errors of numbers, fidelity, size, stability and ambiguity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sightline.exceptions import DataError, ParameterError
from sightline.wording import Share, number_text

__all__ = [
    "Estimate",
    "Fidelity",
    "NumberErrors",
    "Share",
    "accuracy",
    "ambiguity",
    "complexity",
    "error_rate",
    "error_text",
    "fidelity",
    "measured",
    "r2_text",
    "stability",
]


@dataclass(frozen=True)
class Fidelity:
    """How often a model gives the same label as an ensemble.

    Attributes
    ----------
    overall : Share
        Share of all rows.
    by_class : dict of label to Share
        Per label of the ensemble, the share of the rows with that label.
    """

    overall: Share
    by_class: dict[Any, Share]


@dataclass(frozen=True)
class Estimate:
    """A measure on some rows, with the interval in which its true value lies.

    Attributes
    ----------
    value, low, high : float
        The measure and its interval; NaN if the rows do not define it.
    """

    value: float
    low: float
    high: float

    def to_json(self) -> dict[str, float | None]:
        """Return the numbers for other programs; None if they are not defined."""
        numbers = {"value": self.value, "low": self.low, "high": self.high}
        return {name: number if math.isfinite(number) else None for name, number in numbers.items()}


@dataclass(frozen=True, repr=False)
class NumberErrors:
    """How far predicted numbers lie from those that they should be.

    The intervals are normal ones for means over rows; that of R², a ratio of two means, is by the delta
    method. They cover the chance in sampling the rows and nothing else.

    Attributes
    ----------
    r2 : Estimate
        R²: 1 if all numbers are right, 0 if they are no better than always their mean. NaN if the
        true numbers are all the same, or if there is one row only.
    mae, rmse : Estimate
        Mean absolute error and root of the mean squared error, in the unit of the numbers.
    n_rows : int
        Number of rows.

    Examples
    --------
    >>> errors = NumberErrors.of([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 5.0])
    >>> errors.r2.value, errors.mae.value, errors.rmse.value
    (0.8, 0.25, 0.5)
    >>> errors
    R² 0.800, MAE 0.25, RMSE 0.5 on 4 rows
    """

    r2: Estimate
    mae: Estimate
    rmse: Estimate
    n_rows: int

    @classmethod
    def of(cls, truth: ArrayLike, predicted: ArrayLike, confidence: float = 0.95) -> NumberErrors:
        """Measure predicted numbers against true ones.

        Parameters
        ----------
        truth, predicted : array-like of shape (n_rows,)
            The numbers.
        confidence : float, default=0.95
            Confidence of the intervals.
        """
        true, found = _pair(truth, predicted, "number")
        true, found = true.astype(np.float64), found.astype(np.float64)
        middle = float(true.mean())
        gap, error = true - middle, found - true
        # Squares of very large numbers overflow, and those of very small ones vanish.
        scale = float(max(np.abs(gap).max(), np.abs(error).max())) or 1.0
        squared, spread = (error / scale) ** 2, (gap / scale) ** 2
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        return cls(
            _r_squared(squared, spread, z),
            _scaled(_mean(np.abs(error) / scale, z), scale),
            _scaled(_root(_mean(squared, z)), scale),
            len(true),
        )

    @classmethod
    def of_mean(cls, truth: ArrayLike, confidence: float = 0.95) -> NumberErrors:
        """Measure the baseline: always the mean of the true numbers."""
        numbers = np.asarray(truth, dtype=np.float64)
        return cls.of(numbers, np.full(len(numbers), numbers.mean()), confidence)

    @property
    def value(self) -> float:
        """R²."""
        return self.r2.value

    @property
    def text(self) -> str:
        """R² as people read it."""
        return r2_text(self.r2.value)

    @property
    def interval_text(self) -> str:
        """The interval of R²."""
        return f"{r2_text(self.r2.low)} to {r2_text(self.r2.high)}"

    @property
    def error_text(self) -> str:
        """The two errors, as in ``MAE 0.25, RMSE 0.5``."""
        return f"MAE {error_text(self.mae.value)}, RMSE {error_text(self.rmse.value)}"

    def to_json(self) -> dict[str, Any]:
        """Return the numbers for other programs."""
        estimates = {"r2": self.r2, "mae": self.mae, "rmse": self.rmse}
        return {**{name: one.to_json() for name, one in estimates.items()}, "rows": self.n_rows}

    def __repr__(self) -> str:
        rows = f"{self.n_rows:,} row{'' if self.n_rows == 1 else 's'}"
        return f"R² {self.text}, {self.error_text} on {rows}"


def r2_text(value: float) -> str:
    """Write an R²; only a perfect one reads 1.

    Examples
    --------
    >>> r2_text(0.87349), r2_text(0.99996), r2_text(1.0), r2_text(0.0), r2_text(-12.3)
    ('0.873', 'over 0.999', '1', '0', '-12.300')
    """
    if math.isnan(value):
        return "undefined"
    if value in (0, 1):
        return str(int(value))
    text = f"{value:.3f}"
    return "over 0.999" if text == "1.000" else text


def error_text(value: float) -> str:
    """Write an error with three significant digits."""
    return number_text(value, 3)


def measured(truth: ArrayLike, predicted: ArrayLike, task: str) -> Share | NumberErrors:
    """Measure predictions: the share of right labels, or the errors of numbers.

    Parameters
    ----------
    truth, predicted : array-like of shape (n_rows,)
        Labels or numbers.
    task : {"classes", "numbers"}
        Which.

    Examples
    --------
    >>> measured(["a", "b"], ["a", "a"], "classes").value
    0.5
    >>> measured([1.0, 2.0], [1.0, 2.0], "numbers").value
    1.0
    """
    if task == "numbers":
        return NumberErrors.of(truth, predicted)
    return Share.of(_agreement(truth, predicted))


def accuracy(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Return the share of rows whose predicted label is their own.

    Examples
    --------
    >>> accuracy(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.75
    """
    return float(_agreement(truth, predicted).mean())


def error_rate(truth: ArrayLike, predicted: ArrayLike) -> float:
    """Return the share of rows whose predicted label is not their own.

    Examples
    --------
    >>> error_rate(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.25
    """
    return 1 - accuracy(truth, predicted)


def fidelity(ensemble_labels: ArrayLike, model_labels: ArrayLike, confidence: float = 0.95) -> Fidelity:
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

    Returns
    -------
    Fidelity
        Shares with their intervals.

    Examples
    --------
    >>> found = fidelity(["a"] * 8 + ["b"] * 2, ["a"] * 9 + ["b"])
    >>> found.overall.value, found.by_class["b"].value
    (0.9, 0.5)
    """
    agrees = _agreement(ensemble_labels, model_labels)
    labels = np.asarray(ensemble_labels)
    by_class = {label: Share.of(agrees[labels == label], confidence) for label in np.unique(labels).tolist()}
    return Fidelity(Share.of(agrees, confidence), by_class)


def complexity(model: Any) -> dict[str, int]:
    """Return how much there is to read: nodes, leaves, depth, rules, conditions, features.

    Parameters
    ----------
    model : fitted estimator, Tree, Graph, Ensemble or RuleSet
        Models of other libraries are measured through :func:`sightline.load`.

    Returns
    -------
    dict of str to int
        Empty for models that :func:`sightline.load` cannot read.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> complexity(DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X, y))["nodes"]
    5
    """
    from sightline.exceptions import UnsupportedModelError  # noqa: PLC0415
    from sightline.load import load  # noqa: PLC0415 - most models know their own size

    if hasattr(model, "size_"):
        return dict(model.size_)
    # A pipeline is as complex as its last step.
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    try:
        return dict(load(last).size_)
    except UnsupportedModelError:
        return {}


def stability(predicted: Sequence[ArrayLike]) -> float:
    r"""Return Turney's stability: how often models of the same learner agree.

    .. math:: S = \frac{1}{m} \sum_i \frac{2}{n (n-1)} \sum_{k} \sum_{l < k}
       \delta(X_k(i), X_l(i))

    Parameters
    ----------
    predicted : sequence of n array-likes of shape (m,)
        Labels that models trained on different folds give to the same rows. Turney, and the
        paper on ISM, draw m = 1000 rows uniformly.

    Returns
    -------
    float
        From 0 to 1.

    References
    ----------
    .. [1] P. Turney, "Bias and the Quantification of Stability", Machine Learning 20, 1995.

    Examples
    --------
    If one of three models disagrees, one of three pairs agrees:

    >>> stability([["a", "b"], ["a", "b"], ["a", "b"]])
    1.0
    >>> round(stability([["a"], ["a"], ["c"]]), 4)
    0.3333
    """
    table = np.array([np.asarray(labels) for labels in predicted])
    n_models = len(table)
    if n_models < 2:
        raise ParameterError(f"Stability needs at least two models. Got {n_models}.")
    # Count agreeing pairs per label: n_c (n_c - 1) / 2 of them share label c.
    agreeing = np.zeros(table.shape[1])
    for label in np.unique(table):
        votes = (table == label).sum(axis=0)
        agreeing += votes * (votes - 1) / 2
    return float(agreeing.mean() / (n_models * (n_models - 1) / 2))


def ambiguity(predicted: Sequence[ArrayLike]) -> float:
    """Return how often the members of an ensemble differ from its vote.

    Parameters
    ----------
    predicted : sequence of n_members array-likes of shape (n_rows,)
        Labels that each member predicts.

    Returns
    -------
    float
        Share of the members' labels that differ from the majority's; 0 if all members agree.
        Ties go to the first label in sorted order.

    Examples
    --------
    >>> round(ambiguity([["a", "b"], ["a", "b"], ["a", "c"]]), 3)  # one of six labels differs
    0.167
    """
    table = np.array([np.asarray(labels) for labels in predicted])
    if len(table) == 0:
        raise ParameterError("Ambiguity needs at least one member. Got none.")
    labels = np.unique(table)
    votes = np.array([(table == label).sum(axis=0) for label in labels])
    return float((1 - votes.max(axis=0) / len(table)).mean())


def _agreement(first: ArrayLike, second: ArrayLike) -> NDArray[np.bool_]:
    one, other = _pair(first, second, "label")
    same: NDArray[np.bool_] = one == other
    return same


def _pair(first: ArrayLike, second: ArrayLike, noun: str) -> tuple[NDArray[Any], NDArray[Any]]:
    one, other = np.asarray(first), np.asarray(second)
    if one.shape != other.shape or one.ndim != 1:
        shapes = f"{one.shape} and {other.shape}"
        raise DataError(f"Both arrays must hold one {noun} per row. Got shapes {shapes}.")
    if not len(one):
        raise DataError("There are no rows to measure on.")
    return one, other


def _mean(values: NDArray[np.float64], z: float) -> Estimate:
    """Return the mean of values that are 0 or more, with its interval."""
    mean = float(values.mean())
    half = z * _standard_error(values)
    return Estimate(mean, max(mean - half, 0.0), mean + half)


def _r_squared(squared: NDArray[np.float64], spread: NDArray[np.float64], z: float) -> Estimate:
    if len(spread) < 2 or not spread.any():
        return Estimate(math.nan, math.nan, math.nan)
    ratio = float(squared.mean() / spread.mean())
    half = z * _standard_error(squared - ratio * spread) / float(spread.mean())
    return Estimate(1 - ratio, 1 - ratio - half, min(1 - ratio + half, 1.0))


def _standard_error(values: NDArray[np.float64]) -> float:
    return float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.inf


def _root(estimate: Estimate) -> Estimate:
    return Estimate(*(math.sqrt(part) for part in (estimate.value, estimate.low, estimate.high)))


def _scaled(estimate: Estimate, scale: float) -> Estimate:
    return Estimate(*(scale * part for part in (estimate.value, estimate.low, estimate.high)))
