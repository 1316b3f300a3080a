"""SET-GEN against the plain tree, on rows that neither was trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from sightline.significance import paired_t_test
from sightline.table import Labels, Table, stratified_folds

if TYPE_CHECKING:
    from sightline.learn.setgen._classifier import SetGenClassifier

MEASURES = ("error", "nodes", "features")


@dataclass(frozen=True, eq=False)
class Comparison:
    """An outer cross-validation of two trees: the plain one, and the one with the chosen features.

    Attributes
    ----------
    plain, chosen : dict of str to ndarray of shape (n_trials,)
        By measure: error rate on the held-out rows, number of nodes, and number of features tested.
    level : float
        Significance level.
    """

    plain: dict[str, NDArray[np.float64]]
    chosen: dict[str, NDArray[np.float64]]
    level: float = 0.05

    @property
    def n_trials(self) -> int:
        """Number of trials."""
        return len(self.plain["error"])

    def p_value(self, measure: str) -> float:
        """Return the p-value of a paired t-test on ``"error"``, ``"nodes"`` or ``"features"``."""
        return paired_t_test(self.plain[measure], self.chosen[measure]).p_value

    def verdict(self, measure: str) -> str:
        """Return "smaller" or "larger" if the tree of the chosen features differs significantly."""
        if self.p_value(measure) >= self.level:
            return "no significant difference"
        return "smaller" if self.chosen[measure].mean() < self.plain[measure].mean() else "larger"

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the means, p-value and verdict of each measure."""
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
        """Return the comparison as a text table."""
        lines = [f"{'':10}{'all features':>13}{'SET-GEN':>9}{'p':>8}"]
        for measure, row in self.to_dict().items():
            shown = [
                f"{row[side]:.1%}" if measure == "error" else f"{row[side]:.1f}"
                for side in ("plain", "chosen")
            ]
            lines.append(f"{measure:10}{shown[0]:>13}{shown[1]:>9}{row['p_value']:8.3f}  {row['verdict']}")
        note = f"{self.n_trials} trials, paired t-tests at level {self.level:g}, errors on held-out rows."
        return "\n".join([*lines, note])

    def __repr__(self) -> str:
        return self.to_text()


def cross_validated_comparison(
    estimator: SetGenClassifier, table: Table, labels: Labels, folds: int, random_state: Any
) -> Comparison:
    """Run the whole search in every fold and measure both trees on the held-out rows."""
    n_folds = min(folds, table.n_rows)
    fold_of_row = stratified_folds(labels.codes, n_folds, check_random_state(random_state))
    trials: dict[str, list[dict[str, float]]] = {"plain": [], "chosen": []}
    for fold in range(n_folds):
        train, test = np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)
        trial = clone(estimator).set_params(checkpoint=None).fit(table[train], labels[train])
        for side, tree in (("plain", trial.plain_tree_), ("chosen", trial.tree_)):
            wrong = tree.vote(tree.predict_proba(table[test])) != labels.codes[test]
            size = tree.size_
            trials[side].append({"error": wrong.mean(), "nodes": size["nodes"], "features": size["features"]})
    plain, chosen = (
        {name: np.array([trial[name] for trial in side]) for name in MEASURES} for side in trials.values()
    )
    return Comparison(plain, chosen)
