"""Passes over rows in parts: draw a sample, fit a model to it, then count and judge on all rows."""

from sightline.passes._fit import accepts_rows, count_rows, fit_in_passes, judge
from sightline.passes._node_loss import NodeLoss
from sightline.passes._refine import Refinement
from sightline.passes._tally import Tally

__all__ = ["NodeLoss", "Refinement", "Tally", "accepts_rows", "count_rows", "fit_in_passes", "judge"]
