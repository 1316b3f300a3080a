"""Complexity: how much there is to read in a model."""

from __future__ import annotations

from typing import Any


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
