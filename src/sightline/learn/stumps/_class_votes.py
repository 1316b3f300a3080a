"""The votes of a stump ensemble: one among all classes, or one per class against the rest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import BudgetExceeded
from sightline.learn.stumps._vote import ChosenStumps, StumpVote, by_frequency, head_start
from sightline.model import Ensemble, Link, combined
from sightline.table import Labels, Table

if TYPE_CHECKING:
    from sightline.learn.stumps._classifier import StumpEnsembleClassifier


class ClassVotes:
    """The votes that a training set needs: one, or one per class.

    Parameters
    ----------
    table, labels : Table, Labels
        Training rows.
    options : StumpEnsembleClassifier
        Parameters of the search.
    seed : int
        Seed for the random order of the stumps.
    """

    def __init__(self, table: Table, labels: Labels, options: StumpEnsembleClassifier, seed: int) -> None:
        self.labels = labels
        self.schema = table.schema
        orders = _core.Orders(table.native())
        codes = labels.codes
        if options.multiclass == "native" or len(labels.classes_) <= 2:
            self.votes = [StumpVote(table, codes, labels.classes_, options, orders, seed)]
            return
        self.votes = [
            StumpVote(
                table,
                (codes == k).astype(np.int32),
                np.array([f"not {label}", str(label)]),
                options,
                orders,
                seed,
            )
            for k, label in enumerate(labels.classes_)
        ]

    def chosen(self, max_size: int | None) -> list[ChosenStumps]:
        """Return the chosen stumps of each vote."""
        return [vote.chosen(max_size) for vote in self.votes]

    def combined(self, ensembles: list[Ensemble]) -> Ensemble:
        """Return the ensemble that predicts: the only vote, or all votes together.

        A "yes" of a class's stump counts for that class, a "not" equally for all other classes.
        The sums then rank the classes by their share of "yes".
        """
        if len(ensembles) == 1:
            return ensembles[0]
        n_classes = len(ensembles)
        classes = self.labels.classes_
        cores, weights = [], []
        for k, ensemble in enumerate(ensembles):
            output = np.full((2, n_classes), 1 / (n_classes - 1))
            output[0, k] = 0
            output[1] = np.eye(n_classes)[k]
            cores += [tree.with_outputs(tree.core.output @ output, classes).core for tree in ensemble.trees]
            weights += [1 / ensemble.n_trees] * ensemble.n_trees
        base = head_start(by_frequency(self.labels.codes, n_classes))
        core = combined(cores, tree_weight=weights, base=base)
        return Ensemble(core, self.schema, classes, Link("mean", (n_classes + sum(base),)))

    def predict(self, max_size: int | None, rows: Table) -> NDArray[np.int32]:
        """Return the class indices that an ensemble of at most this size predicts."""
        ensemble = self.combined([chosen.ensemble for chosen in self.chosen(max_size)])
        labels: NDArray[Any] = ensemble.link.labels(ensemble.link.divided(ensemble.scores(rows)))
        return labels.astype(np.int32)


def integer_votes(ensemble: Ensemble, sizes: Sequence[int], tie_order: Sequence[int]) -> _core.VotingTrees:
    """Return the stumps with integer votes whose sum is the same for each class's ensemble."""
    total = math.lcm(*sizes)
    if total > 2**40:
        raise BudgetExceeded(
            f"The ensembles of the classes have {', '.join(map(str, sizes))} stumps. Their votes have no "
            "common multiple that is small enough. Fit with a smaller max_size."
        )
    votes = [total // n for n in sizes for _ in range(n)]
    return _core.VotingTrees(ensemble.core, votes, list(tie_order))
