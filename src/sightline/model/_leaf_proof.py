"""Check whether an ensemble gives every row of one leaf the label of the leaf."""

from __future__ import annotations

from sightline import _core
from sightline.model._coverage import Coverage
from sightline.model._ensemble import Ensemble
from sightline.model._nodes import NodeModel
from sightline.model._proof import Status

_MAX_BOXES = 4096
"""Limit that ends nearly every search, so that an explanation reads the same on a busy machine."""

_MAX_SECONDS = 5.0
"""Time limit for ensembles so large that a box takes long."""


def leaf_agreement(
    model: NodeModel, ensemble: Ensemble, steps: list[tuple[int, int]], missing: tuple[str, ...] = ()
) -> Status:
    """Check within a small budget whether an ensemble agrees on all rows of one path.

    Parameters
    ----------
    model : Tree or Graph
        The model, over the features and classes of the ensemble.
    ensemble : Ensemble
        The ensemble that it summarizes.
    steps : list of (int, int)
        The tests on the path, from the root, and the branches that it takes.
    missing : tuple of str, default=()
        Features whose values may be missing in the rows that count.

    Returns
    -------
    Status
        *proved* and *refuted* are certain.

    Examples
    --------
    >>> import sightline as sl
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
    >>> tree = sl.C45Classifier().fit(X, y).tree_
    >>> leaf_agreement(tree, sl.Ensemble.average([tree]), [(0, 0)])
    <Status.PROVED: 0>
    """
    box = Coverage.of(missing, model.schema).box()
    for node, branch in steps:
        box.narrow(model.core, node, branch)
    if box.empty:
        return Status.PROVED
    numbers = list(range(ensemble.n_classes))
    found = _core.certify(
        model.boxed(),
        ensemble.boxed(),
        box,
        first_label=numbers,
        second_label=numbers,
        max_boxes=_MAX_BOXES,
        max_seconds=_MAX_SECONDS,
        stop_at_first=True,
        one_part_per_leaf=False,
        refuted=[],
    )
    if found.witness:
        return Status.REFUTED
    return Status.PROVED if found.complete else Status.OPEN
