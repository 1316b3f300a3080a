"""Passes over rows in parts: draw a sample, fit a model to it, then count and judge on all rows."""

from sightline.passes._fit import accepts_rows, count_rows, fit_in_passes, judge
from sightline.passes._tally import Tally

__all__ = ["Tally", "accepts_rows", "count_rows", "fit_in_passes", "judge"]
