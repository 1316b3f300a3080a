"""The ordinary tree for comparison: as large as the model, and learned from the same rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from sightline.distill import learn_ordinary_tree, own_threshold
from sightline.load import decided, load
from sightline.model import BlackBox, Ensemble, Graph

DEFAULT_LEAVES = 16
"""Leaves of the ordinary tree beside a model that has no leaves or rules to count."""


def leaves_of(model: Any, default: int = DEFAULT_LEAVES) -> int:
    """Return how many leaves a tree as large as a model has: a leaf is a rule.

    The paths of a graph share its leaves, so a tree as large as a graph has as many tests.

    Examples
    --------
    >>> from sightline import C45Classifier
    >>> leaves_of(C45Classifier().fit([[0.0], [1.0]] * 5, ["no", "yes"] * 5).tree_)
    2
    """
    size = model.size_
    if isinstance(model, Graph):
        return int(size["nodes"] - size["leaves"] + 1)
    return int(size.get("leaves") or size.get("rules") or default)


def with_threshold_of(ensemble: Ensemble | BlackBox | None, tree: Any) -> Any:
    """Return a fitted tree with the threshold that an ensemble decides by.

    Beside an ensemble that says "yes" from a probability of 0.05 on, a tree that waits for 0.5 would look
    much worse than it is.

    Parameters
    ----------
    ensemble : Ensemble, BlackBox or None
        The ensemble; its threshold may come from a classifier of scikit-learn, or from costs of two classes.
    tree : fitted estimator
        The tree.

    Returns
    -------
    Ensemble or fitted estimator
        The tree as it is if the ensemble has no threshold.

    Examples
    --------
    >>> from sklearn.model_selection import FixedThresholdClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from sightline import load
    >>> X, y = [[0.0], [0.0], [0.0], [1.0]], ["no", "no", "yes", "no"]
    >>> tree = DecisionTreeClassifier().fit(X, y)
    >>> careful = FixedThresholdClassifier(tree, threshold=0.3, pos_label="yes").fit(X, y)
    >>> tree.predict([[0.0]]), with_threshold_of(load(careful), tree).predict([[0.0]])
    (array(['no'], dtype='<U3'), array(['yes'], dtype='<U3'))
    """
    decision = None if ensemble is None else own_threshold(ensemble)
    if ensemble is None or decision is None:
        return tree
    loaded = load(tree)
    assert loaded.classes_ is not None
    labels = loaded.classes_.tolist()
    positive = np.asarray(ensemble.classes_).tolist()[decision.positive]
    if len(labels) != 2 or positive not in labels:
        return tree
    return decided(loaded, replace(decision, positive=labels.index(positive)))


def ordinary_tree_for(est: Any, model: Any, ensemble: Ensemble | BlackBox | None) -> Any:
    """Learn an ordinary tree from the rows that an estimator learned from.

    Parameters
    ----------
    est : estimator or model
        What made the model.
    model : Tree, RuleSet or other model
        The model.
    ensemble : Ensemble, BlackBox or None
        What the model replaces. The tree's label follows its threshold.

    Returns
    -------
    Ensemble, fitted estimator or None
        None if the rows or their own labels are not known.
    """
    rows = getattr(getattr(est, "distillation_set_", None), "teacher", None)
    if rows is None or rows.given is None:
        return None
    seed = est.random_state if isinstance(est.random_state, int) else 0
    task: Literal["classes", "numbers"] = "classes" if rows.n_classes else "numbers"
    tree = learn_ordinary_tree(task, rows.table, rows.given, leaves_of(model), seed, rows.weights)
    return with_threshold_of(ensemble, tree)
