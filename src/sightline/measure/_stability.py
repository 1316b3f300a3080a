"""How often models of the same learner, or the members of an ensemble, agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from sightline.exceptions import ParameterError


def stability(predicted: Sequence[ArrayLike]) -> float:
    """Return Turney's stability: how often models of the same learner agree.

    It is the share of the pairs of models that give a row the same label, averaged over the rows [1]_.

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
