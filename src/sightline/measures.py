"""How right, how faithful, how stable and how different models are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from sightline.exceptions import DataError, ParameterError

__all__ = ["Fidelity", "Share", "accuracy", "ambiguity", "complexity", "error_rate", "fidelity", "stability"]


@dataclass(frozen=True)
class Share:
    """A share of rows, with the interval in which it lies with some confidence.

    Attributes
    ----------
    n_rows : int
        Number of rows; the interval is wide where they are few.
    value : float
        The share; NaN where there is no row.
    low, high : float
        Wilson's score interval.

    Examples
    --------
    >>> Share.of(np.array([True] * 90 + [False] * 10))
    90.0 % of 100 rows (82.6 to 94.5)
    """

    n_rows: int
    value: float
    low: float
    high: float

    @classmethod
    def of(cls, holds: NDArray[np.bool_], confidence: float = 0.95) -> Share:
        """Return the share of the rows for which something holds.

        Parameters
        ----------
        holds : ndarray of shape (n_rows,), bool
            One entry per row.
        confidence : float, default=0.95
            Of the interval.
        """
        if not 0 < confidence < 1:
            raise ParameterError(
                "The 'confidence' parameter must be between 0 and 1, both excluded. "
                f"Got {confidence!r} instead."
            )
        n = len(holds)
        if n == 0:
            return cls(0, np.nan, 0.0, 1.0)
        interval = stats.binomtest(int(holds.sum()), n).proportion_ci(confidence, method="wilson")
        return cls(n, float(holds.mean()), float(interval.low), float(interval.high))

    def __repr__(self) -> str:
        interval = f"{100 * self.low:.1f} to {100 * self.high:.1f}"
        return f"{100 * self.value:.1f} % of {self.n_rows:,} rows ({interval})"


@dataclass(frozen=True)
class Fidelity:
    """How often a model gives a teacher's label.

    Attributes
    ----------
    overall : Share
        Over all rows.
    by_class : dict of label to Share
        Over the rows to which the teacher gives each label.
    """

    overall: Share
    by_class: dict[Any, Share]


def accuracy(truth: ArrayLike, answers: ArrayLike) -> float:
    """Return the share of the rows whose own label is given.

    Examples
    --------
    >>> accuracy(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.75
    """
    return float(_agreement(truth, answers).mean())


def error_rate(truth: ArrayLike, answers: ArrayLike) -> float:
    """Return the share of the rows that get another label than their own.

    Examples
    --------
    >>> error_rate(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.25
    """
    return 1 - accuracy(truth, answers)


def fidelity(taught: ArrayLike, answers: ArrayLike, confidence: float = 0.95) -> Fidelity:
    """Measure how often a model gives a teacher's label, overall and per label of the teacher.

    The rows must be such that the model has not seen, or the number says little.

    Parameters
    ----------
    taught : array-like of shape (n_rows,)
        The teacher's labels.
    answers : array-like of shape (n_rows,)
        The model's.
    confidence : float, default=0.95
        Of the intervals.

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
    agrees = _agreement(taught, answers)
    labels = np.asarray(taught)
    by_class = {label: Share.of(agrees[labels == label], confidence) for label in np.unique(labels).tolist()}
    return Fidelity(Share.of(agrees, confidence), by_class)


def complexity(model: Any) -> dict[str, int]:
    """Return by how much there is to read: nodes, leaves, depth, rules, conditions, features.

    Parameters
    ----------
    model : fitted estimator, Tree, Graph, Ensemble or RuleSet
        Models of scikit-learn are measured through :func:`sightline.load`; what it cannot read
        has no such numbers.

    Returns
    -------
    dict of str to int
        Empty where nothing is known.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> complexity(DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X, y))["nodes"]
    5
    """
    from sightline.exceptions import UnsupportedModelError  # noqa: PLC0415
    from sightline.load import load  # noqa: PLC0415 - judged models mostly know their own size

    if hasattr(model, "size_"):
        return dict(model.size_)
    # A pipeline is as complex as its last step.
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    try:
        return dict(load(last).size_)
    except UnsupportedModelError:
        return {}


def stability(answers: Sequence[ArrayLike]) -> float:
    r"""Return Turney's stability: how often models of the same learner give the same answer.

    .. math:: S = \frac{1}{m} \sum_i \frac{2}{n (n-1)} \sum_{k} \sum_{l < k}
       \delta(X_k(i), X_l(i))

    Parameters
    ----------
    answers : sequence of n array-likes of shape (m,)
        Labels that models learnt from different folds give to the same rows. Turney, and the
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
    Where one of three models answers differently, one of three pairs agrees:

    >>> stability([["a", "b"], ["a", "b"], ["a", "b"]])
    1.0
    >>> round(stability([["a"], ["a"], ["c"]]), 4)
    0.3333
    """
    table = np.array([np.asarray(column) for column in answers])
    n_models = len(table)
    if n_models < 2:
        raise ParameterError(f"Stability compares at least two models. Got {n_models}.")
    # Pairs that agree are counted per label: n_c (n_c - 1) / 2 of them share label c.
    agreeing = np.zeros(table.shape[1])
    for label in np.unique(table):
        votes = (table == label).sum(axis=0)
        agreeing += votes * (votes - 1) / 2
    return float(agreeing.mean() / (n_models * (n_models - 1) / 2))


def ambiguity(answers: Sequence[ArrayLike]) -> float:
    """Return how far the members of an ensemble are from its vote, on average.

    Parameters
    ----------
    answers : sequence of n_members array-likes of shape (n_rows,)
        Labels that each member gives.

    Returns
    -------
    float
        Share of the members' answers that differ from the majority's; the first label in
        sorted order counts as majority where votes tie. 0 where all members agree.

    Examples
    --------
    >>> round(ambiguity([["a", "b"], ["a", "b"], ["a", "c"]]), 3)  # one of six answers is another
    0.167
    """
    table = np.array([np.asarray(column) for column in answers])
    if len(table) == 0:
        raise ParameterError("Ambiguity is that of an ensemble of at least one member. Got none.")
    labels = np.unique(table)
    votes = np.array([(table == label).sum(axis=0) for label in labels])
    return float((1 - votes.max(axis=0) / len(table)).mean())


def _agreement(first: ArrayLike, second: ArrayLike) -> NDArray[np.bool_]:
    one, other = np.asarray(first), np.asarray(second)
    if one.shape != other.shape or one.ndim != 1:
        raise DataError(f"Labels of the same rows are compared. Got shapes {one.shape} and {other.shape}.")
    if not len(one):
        raise DataError("There are no rows to judge on.")
    same: NDArray[np.bool_] = one == other
    return same
