"""The ordinary tree that a model is measured beside: as large, and learned from the same rows."""

from __future__ import annotations

from typing import Any, Literal

from sightline.distill import learn_ordinary_tree

DEFAULT_LEAVES = 16
"""Leaves of the ordinary tree beside a model that has no leaves or rules to count."""


def leaves_of(model: Any, default: int = DEFAULT_LEAVES) -> int:
    """Return how many leaves a tree as large as a model has: a leaf is a rule.

    Examples
    --------
    >>> from sightline import C45Classifier
    >>> leaves_of(C45Classifier().fit([[0.0], [1.0]] * 5, ["no", "yes"] * 5).tree_)
    2
    """
    size = model.size_
    return int(size.get("leaves") or size.get("rules") or default)


def ordinary_tree_for(est: Any, model: Any) -> Any:
    """Learn an ordinary tree from the rows that an estimator learned from.

    Parameters
    ----------
    est : estimator or model
        What made the model.
    model : Tree, RuleSet or other model
        The model.

    Returns
    -------
    fitted estimator or None
        None if the rows or their own labels are not known.
    """
    rows = getattr(getattr(est, "distillation_set_", None), "teacher", None)
    if rows is None or rows.given is None:
        return None
    seed = est.random_state if isinstance(est.random_state, int) else 0
    task: Literal["classes", "numbers"] = "classes" if rows.n_classes else "numbers"
    return learn_ordinary_tree(task, rows.table, rows.given, leaves_of(model), seed, rows.weights)
