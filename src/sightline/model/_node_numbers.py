"""The target in the training rows of each node of a regression tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class NodeNumbers:
    """The rows' own numbers, summarized per node.

    Attributes
    ----------
    mean : ndarray of shape (n_nodes,)
        Weighted mean of the target; NaN in a node without rows.
    deviation : ndarray of shape (n_nodes,)
        Weighted standard deviation.
    """

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]

    def at(self, nodes: NDArray[np.int32]) -> NodeNumbers:
        """Return the summaries of some of the nodes."""
        return NodeNumbers(self.mean[nodes], self.deviation[nodes])

    @classmethod
    def of_sums(
        cls, weight: NDArray[np.float64], total: NDArray[np.float64], squares: NDArray[np.float64]
    ) -> NodeNumbers:
        """Summarize sums of weights, of numbers and of squares, each per node."""
        known = np.where(weight > 0, weight, np.nan)
        mean = total / known
        return cls(mean, np.sqrt(np.maximum(squares / known - mean**2, 0.0)))
