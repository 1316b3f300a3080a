"""Decision rules: the label as a function of class probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline.model._formula import Formula


@dataclass(frozen=True)
class Decision:
    """A threshold of one of two classes, or costs of labels.

    Parameters
    ----------
    threshold : float, optional
        The class at ``positive`` is the label if its probability is at least this; the other one
        if not.
    positive : int, default=1
        Index of that class.
    costs : tuple of tuple of float, optional
        For more than two classes: the cost of a label (second index) if a class is the true one
        (first index). The label is the one with the lowest expected cost, the first of equal
        ones.

    Examples
    --------
    >>> cautious = Decision.by_costs(np.array([[0.0, 1.0], [9.0, 0.0]]))
    >>> cautious.threshold
    0.1
    >>> cautious.labels(np.array([[0.85, 0.15], [0.95, 0.05]]))
    array([1, 0])
    """

    threshold: float | None = None
    positive: int = 1
    costs: tuple[tuple[float, ...], ...] | None = None

    @classmethod
    def by_costs(cls, costs: NDArray[np.float64]) -> Decision:
        """Return the decision of least expected cost; that of two classes is a threshold."""
        if len(costs) > 2:
            return cls(costs=tuple(tuple(row) for row in costs.tolist()))
        wrongly_positive, wrongly_negative = costs[0, 1] - costs[0, 0], costs[1, 0] - costs[1, 1]
        return cls(threshold=float(wrongly_positive / (wrongly_positive + wrongly_negative)))

    @classmethod
    def of_formula(cls, formula: Formula) -> Decision | None:
        """Return the threshold or the costs by which a formula turns its probabilities into the label.

        Parameters
        ----------
        formula : Formula
            The formula of an ensemble.

        Returns
        -------
        Decision or None
            None if its label follows another rule. Costs come without those of right labels, in any unit.
        """
        step = formula.steps[formula.label]
        if step.of != (formula.probabilities,):
            return None
        if step.op == "mix":
            worth = np.reshape(step.numbers, (-1, math.isqrt(len(step.numbers))))
            return cls(costs=tuple(map(tuple, (worth.max() - worth).tolist())))
        if step.op != "above" or len(set(step.columns)) != 1:
            return None
        # The formula asks for more than the number just below the threshold.
        threshold = float(np.nextafter(step.numbers[0], np.inf))
        return cls(threshold, step.columns[0]) if 0 < threshold < 1 else None

    def worth(self) -> NDArray[np.float64]:
        """Return what a unit of the probability of a class (first index) is worth to each label."""
        if self.costs is not None:
            costs = np.asarray(self.costs)
            return np.asarray((costs.max() - costs) / costs.max())
        assert self.threshold is not None
        worth = np.diag([2 * self.threshold, 2 * (1 - self.threshold)])
        return worth if self.positive == 1 else worth[::-1, ::-1].copy()

    def labels(self, probabilities: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the index of each row's label."""
        if self.costs is not None:
            return np.asarray((probabilities @ self.worth()).argmax(axis=1))
        assert self.threshold is not None
        is_positive = probabilities[:, self.positive] >= self.threshold
        return np.where(is_positive, self.positive, 1 - self.positive)
