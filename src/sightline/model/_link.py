"""How the sums over the trees of an ensemble become labels and probabilities."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from sightline import _core
from sightline.model._formula import Formula, FormulaBuilder
from sightline.model._nodes import first_largest

LinkKind = Literal["mean", "sigmoid", "softmax", "identity", "median", "mixture"]
Ties = Literal["scores", "softmax", "single softmax"]

_HARDLY_ABOVE = 1e-6
"""Log-odds up to this are those of a probability of one half, or of the number just below."""


@dataclass(frozen=True)
class Link:
    """How the sum over the trees becomes a label and a probability.

    Parameters
    ----------
    kind : {"mean", "sigmoid", "softmax", "identity", "median", "mixture"}
        *mean*: the divided scores are probabilities (of averaged trees or of votes).
        *sigmoid*: one score, the log-odds of class 1. *softmax*: one per class.
        *identity*: a regression, the divided score is the prediction. *median*: a
        regression, the weighted median of the trees' predictions. *mixture*: the scores of several
        models side by side, which a formula combines.
    divide_by : tuple of float, default=()
        Divisors of the scores, one after the other, as the source divides.
    label_above : float, default=0.0
        Under *sigmoid*: class 1 is predicted above this score. Sources that say
        ``score >= 0`` have the double just below zero here.
    probability_divisor : float, default=1.0
        Under *softmax*: divides the scores once more for the probabilities. Labels are
        decided before, since a division can round different scores to the same.
    exp : {"numpy", "libm"}, default="numpy"
        Under *softmax*: whose exponential the source uses, for models that contain this one. They differ
        in the last bit. Not stored.
    ties : {"scores", "softmax", "single softmax"}, default="scores"
        Under *softmax*: which scores tie. Equal ones, or those whose probabilities the source
        rounds to the same double or float. Ties go to the lowest class.
    formula : Formula, optional
        Decides labels and probabilities instead, as for models with a threshold of their own or
        with calibrated probabilities. The kind then only says what the trees add up.
    """

    kind: LinkKind
    divide_by: tuple[float, ...] = ()
    label_above: float = 0.0
    probability_divisor: float = 1.0
    exp: Literal["numpy", "libm"] = field(default="numpy", compare=False)
    formula: Formula | None = None
    ties: Ties = "scores"

    @property
    def predicts_most_probable(self) -> bool:
        """Whether the label is known to be the most probable class, not decided by a threshold or costs."""
        if self.formula is not None:
            return self.formula.label == self.formula.probabilities
        return self.kind != "sigmoid" or abs(self.label_above) < _HARDLY_ABOVE

    def rule(self, *, numbers: bool = False) -> _core.LabelRule:
        """Return how the kernels find the label of a row's scores, or the number of a regression."""
        formula = None if self.formula is None else self.formula.native
        answer = "label" if not numbers else "median" if self.kind == "median" else "number"
        return _core.LabelRule(
            self.kind == "sigmoid", self.label_above, list(self.divide_by), formula, self.ties, answer
        )

    def divided(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Apply the divisors."""
        for divisor in self.divide_by:
            scores = scores / divisor
        return scores

    def labels(self, divided: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the class index of each row; ties go to the lowest."""
        if self.formula is not None:
            return first_largest(self.formula.evaluated(divided, self.formula.label), 0.0)
        if self.kind == "sigmoid":
            return (divided[:, 0] > self.label_above).astype(np.intp)
        if self.ties != "scores":
            rule = _core.LabelRule(False, 0.0, [], ties=self.ties)
            return rule.labels(np.ascontiguousarray(divided, dtype=np.float64)).astype(np.intp)
        return first_largest(divided, 0.0)

    def probabilities(self, divided: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the class probabilities of each row; one column with the prediction of a regression."""
        if self.formula is not None:
            return self.formula.evaluated(divided, self.formula.probabilities)
        if self.kind == "sigmoid":
            positive = expit(divided[:, 0])
            return np.column_stack([1 - positive, positive])
        if self.kind == "softmax":
            return np.asarray(softmax(divided / self.probability_divisor, axis=1))
        return divided

    def as_formula(self, core: _core.Ensemble) -> Formula:
        """Return the link as a formula.

        Parameters
        ----------
        core : _core.Ensemble
            The sums. Those in single precision have their probabilities in single precision.

        Returns
        -------
        Formula
            Its own formula if there is one.
        """
        if self.formula is not None:
            return self.formula
        builder = FormulaBuilder(core.n_scores)
        single = core.single_precision[0]
        scores = divided = builder.add("scores", columns=range(core.n_scores), single=single)
        for divisor in self.divide_by:
            divided = builder.add("divide", divided, numbers=[divisor])
        if self.kind == "sigmoid":
            positive = builder.add("sigmoid", divided, single=single)
            both = builder.add("complement", positive, single=single)
            label = builder.add("above", divided, numbers=[self.label_above], columns=[0, 1])
            return builder.formula(both, label, scores)
        if self.kind == "softmax":
            scaled = divided
            if self.probability_divisor != 1:
                scaled = builder.add("divide", divided, numbers=[self.probability_divisor])
            op = "softmax" if single or self.exp == "libm" else "numpy_softmax"
            probabilities = builder.add(op, scaled, single=single)
            if core.n_scores > 2:
                label = divided if self.ties == "scores" else probabilities
                return builder.formula(probabilities, label, divided if core.votes else scores)
            # Two votes make one decision. Two sums never do: libraries keep one where there are two classes.
            decision = builder.add("difference", divided) if core.votes else None
            return builder.formula(probabilities, divided, decision)
        if self.kind == "median":
            raise ValueError("a median of trees is not a formula of sums")
        return builder.formula(divided, divided)
