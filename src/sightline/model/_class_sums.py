"""Contributions of the trees of combined models to each class, to first order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.model._ensemble import Ensemble, combined
from sightline.model._link import Link
from sightline.model._nodes import LEAF


def class_sums(ensemble: Ensemble) -> Ensemble:
    """Return an ensemble whose trees add to one score per class.

    The scores of combined models mean different things: a forest's are probabilities, a
    booster's are log-odds. Rules, explanations and cases need to know which class a tree favors, and
    how much. So each score counts by how far the class probabilities move between its lowest and
    highest value. Labels and probabilities of the result are approximate.

    Parameters
    ----------
    ensemble : Ensemble
        A classifier.

    Returns
    -------
    Ensemble
        The same ensemble unless it combines several models.
    """
    if ensemble.link.kind != "mixture" or ensemble.classes_ is None:
        return ensemble
    core = ensemble.core
    effects = _effects(ensemble)
    trees = [tree.with_output(np.ascontiguousarray(np.asarray(tree.output) @ effects)) for tree in core.trees]
    base = (np.asarray(core.base) @ effects).tolist()
    return ensemble.replaced(
        core=combined(trees, tree_weight=core.tree_weight, base=base), link=Link("softmax")
    )


def _effects(ensemble: Ensemble) -> NDArray[np.float64]:
    """Return the effect of one unit of each score on each class, of shape (n_scores, n_classes)."""
    low, high = _ranges(ensemble.core)
    middle = (low + high) / 2
    probabilities = ensemble.link.probabilities
    effects = np.zeros((len(low), ensemble.n_classes))
    for score in np.flatnonzero(high > low):
        ends = np.stack([middle, middle])
        ends[:, score] = low[score], high[score]
        at_low, at_high = probabilities(ends)
        effects[score] = (at_high - at_low) / (high[score] - low[score])
    return effects


def _ranges(core: _core.Ensemble) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return bounds of each score."""
    low, high = np.array(core.base), np.array(core.base)
    for tree, weight in zip(core.trees, core.tree_weight, strict=True):
        leaves = weight * np.asarray(tree.output)[np.asarray(tree.test) == LEAF]
        low += leaves.min(axis=0)
        high += leaves.max(axis=0)
    return low, high
