"""SET-GEN against the plain tree, on rows that neither has seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.significance import paired_t_test

MEASURES = ("error", "nodes", "features")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Trials of an outer cross-validation: the plain tree beside that of the chosen features.

    Attributes
    ----------
    plain, chosen : dict of str to ndarray of shape (n_trials,)
        Share of errors on the held-out rows, nodes, and features that the tree tests.
    level : float
        Level of significance.
    """

    plain: dict[str, NDArray[np.float64]]
    chosen: dict[str, NDArray[np.float64]]
    level: float = 0.05

    @property
    def n_trials(self) -> int:
        """Number of trials."""
        return len(self.plain["error"])

    def p_value(self, measure: str) -> float:
        """Return the p-value of a matched-pair t-test of ``"error"``, ``"nodes"`` or ``"features"``."""
        return paired_t_test(self.plain[measure], self.chosen[measure]).p_value

    def verdict(self, measure: str) -> str:
        """Return whether the chosen features are significantly "smaller", "larger", or the same."""
        if self.p_value(measure) >= self.level:
            return "no significant difference"
        return "smaller" if self.chosen[measure].mean() < self.plain[measure].mean() else "larger"

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return means, p-value and verdict of each measure."""
        return {
            measure: {
                "plain": float(self.plain[measure].mean()),
                "chosen": float(self.chosen[measure].mean()),
                "p_value": self.p_value(measure),
                "verdict": self.verdict(measure),
            }
            for measure in MEASURES
        }

    def to_text(self) -> str:
        """Return the comparison as a table of text."""
        lines = [f"{'':10}{'all features':>13}{'SET-GEN':>9}{'p':>8}"]
        for measure, row in self.to_dict().items():
            shown = [
                f"{row[side]:.1%}" if measure == "error" else f"{row[side]:.1f}"
                for side in ("plain", "chosen")
            ]
            lines.append(f"{measure:10}{shown[0]:>13}{shown[1]:>9}{row['p_value']:8.3f}  {row['verdict']}")
        note = f"{self.n_trials} trials, matched-pair t-tests at {self.level:g}, errors on held-out rows."
        return "\n".join([*lines, note])

    def __repr__(self) -> str:
        return self.to_text()
