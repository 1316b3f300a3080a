"""Whether artificial rows make distilled trees more faithful."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sightline.distill._distillation_set import DistillationSet
from sightline.distill._held_back import N_PARTS, HeldBack

MAX_ROWS = 4_000
"""Maximum number of training rows in the trial for classes."""

MAX_IN_TURN = 3_000
"""Maximum number of training rows in the trial for numbers, which costs four times as much per row."""

N_ARTIFICIAL = 2_048
"""Number of artificial rows in the trial. Together they weigh as much as in the real fit."""

SIZES = (8, 16)
"""Sizes of the trees in the trial."""

CLEARLY = 1.645
"""Standard errors by which trees of classes must be better without artificial rows."""


def without_harm(rows: DistillationSet) -> DistillationSet:
    """Return the rows, without the artificial ones if these reduce fidelity.

    A trial decides: trees of a few sizes, learned from three quarters of the training rows with and
    without artificial rows, are compared on the rest. For classes, only a significant difference
    counts, because artificial rows help on most data. For numbers the losses vary more, so each quarter
    is held back in turn, and the smaller mean loss decides.

    Parameters
    ----------
    rows : DistillationSet
        Training rows and artificial rows near them, with the answers of an ensemble.

    Returns
    -------
    DistillationSet
        With all artificial rows, or with none. It does not depend on the size of the final tree.
    """
    is_about_classes = bool(rows.teacher.n_classes)
    n_parts, max_rows, margin = (1, MAX_ROWS, CLEARLY) if is_about_classes else (N_PARTS, MAX_IN_TURN, 0.0)
    parts = [HeldBack.of(rows, max_rows, part) for part in range(n_parts)]
    gains = [_gain_without(part, rows) for part in parts if part is not None]
    if not gains:
        return rows
    gain = np.concatenate(gains)
    error = gain.std(ddof=1) / np.sqrt(len(gain))
    return replace(rows, n_near=0) if gain.mean() > margin * error else rows


def _gain_without(parts: HeldBack, rows: DistillationSet) -> NDArray[np.float64]:
    """Return, for each held-back row, how much smaller its loss is without artificial rows."""
    weight = rows.artificial_weight * rows.n_near / N_ARTIFICIAL
    with_rows, without = (
        replace(parts, kept=parts.kept.with_near(n_near, weight)) for n_near in (N_ARTIFICIAL, 0)
    )
    return _mean_losses(with_rows) - _mean_losses(without)


def _mean_losses(parts: HeldBack) -> NDArray[np.float64]:
    return np.asarray(np.mean([parts.losses(parts.grown(size)) for size in SIZES], axis=0))
