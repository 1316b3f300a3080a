"""Measures of models: accuracy, fidelity, size, stability and ambiguity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sightline.exceptions import DataError, ParameterError
from sightline.wording import Share

__all__ = ["Fidelity", "Share", "accuracy", "ambiguity", "complexity", "error_rate", "fidelity", "stability"]


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
    one, other = np.asarray(first), np.asarray(second)
    if one.shape != other.shape or one.ndim != 1:
        raise DataError(f"Both arrays must hold one label per row. Got shapes {one.shape} and {other.shape}.")
    if not len(one):
        raise DataError("There are no rows to measure on.")
    same: NDArray[np.bool_] = one == other
    return same
