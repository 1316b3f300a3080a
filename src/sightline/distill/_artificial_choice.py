"""Whether artificial rows make distilled trees more faithful."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sightline.distill._distillation_set import DistillationSet
from sightline.distill._held_back import HeldBack

MAX_ROWS = 4_000
"""Most training rows in the trial."""

N_ARTIFICIAL = 2_048
"""Artificial rows in the trial. All together they weigh as much as they would in earnest."""

SIZES = (8, 16)
"""Leaves of the trees that are judged."""

CLEARLY = 1.645
"""Standard errors by which trees without artificial rows must be ahead."""


def without_harm(rows: DistillationSet) -> DistillationSet:
    """Return the rows without the artificial ones if these do harm, else as they are.

    A trial decides: trees of a few sizes, learned from three quarters of the training rows with and
    without artificial rows, are compared on the rest. Only a difference that chance would hardly make
    counts, because artificial rows help on most data.

    Parameters
    ----------
    rows : DistillationSet
        Training rows and artificial rows near them, labeled by a classifier.

    Returns
    -------
    DistillationSet
        With all artificial rows, or with none. It does not depend on the size of the final tree.
    """
    parts = HeldBack.of(rows, MAX_ROWS)
    if parts is None:
        return rows
    weight = rows.artificial_weight * rows.n_near / N_ARTIFICIAL
    with_rows, without = (
        replace(parts, kept=replace(parts.kept, n_near=n_near, artificial_weight=weight))
        for n_near in (N_ARTIFICIAL, 0)
    )
    gain = _agreement(without) - _agreement(with_rows)
    error = gain.std(ddof=1) / np.sqrt(len(gain))
    return replace(rows, n_near=0) if gain.mean() > CLEARLY * error else rows


def _agreement(parts: HeldBack) -> NDArray[np.float64]:
    """Return for each row held back the share of the trees that agree with the ensemble."""
    return np.asarray(np.mean([parts.agreement(parts.grown(size)) for size in SIZES], axis=0))
