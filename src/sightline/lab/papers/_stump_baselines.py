"""What the stump paper asks to be compared with: trees averaged over their prunings, and boosting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from sightline.distill import merge
from sightline.lab._learner import Trial
from sightline.learn import BoostedTreesClassifier, C45Classifier
from sightline.model import Tree

PRIOR = 0.5
"""Probability, before the rows are seen, that the true tree ends at a node where this one goes on."""


class AveragedTreeClassifier(C45Classifier):
    """The Bayesian average of all prunings of a C4.5 tree, as of Buntine and of Oliver and Hand.

    Each pruning counts by its probability given the training rows, with a uniform prior over the class
    shares of a leaf. The average over all of them is one tree with the same tests: a row gets the mean of
    the nodes on its path, by the probability that the true tree ends there.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree and average."""
        super().fit(X, y, sample_weight)
        self.tree_ = averaged(self.tree_)
        return self


def averaged(tree: Tree) -> Tree:
    """Return the average of all prunings of a tree.

    Parameters
    ----------
    tree : Tree
        A tree with class counts.

    Returns
    -------
    Tree
        The same tests with other class shares.
    """
    counts = np.asarray(tree.core.counts).reshape(tree.n_nodes, -1)
    alone, shares = _log_likelihood(counts), (counts + 1) / (counts + 1).sum(axis=1, keepdims=True)
    children = [
        tree.core.child[begin:end].tolist()
        for begin, end in zip(tree.core.branch_begin[:-1], tree.core.branch_begin[1:], strict=True)
    ]
    # Children come after their parents.
    together = alone.copy()
    for node in reversed(range(tree.n_nodes)):
        if children[node]:
            below = np.log(1 - PRIOR) + together[children[node]].sum()
            together[node] = np.logaddexp(np.log(PRIOR) + alone[node], below)
    reach, output = np.ones(tree.n_nodes), np.zeros_like(shares)
    for node in range(tree.n_nodes):
        here = reach[node]
        if children[node]:
            here *= np.exp(np.log(PRIOR) + alone[node] - together[node])
        output[node] += here * shares[node]
        for child in children[node]:
            reach[child], output[child] = reach[node] - here, output[node]
    # A node in the middle answers only if there are no rows below: what its path says so far, scaled up.
    return tree.with_outputs(output / output.sum(axis=1, keepdims=True), tree.classes_)


def _log_likelihood(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the log probability of the classes of each node's rows, under a uniform prior of the shares."""
    n_classes = counts.shape[1]
    inside = gammaln(counts + 1).sum(axis=1) + gammaln(n_classes)
    return np.asarray(inside - gammaln(counts.sum(axis=1) + n_classes))


def boosted_notes(model: BoostedTreesClassifier, trial: Trial, max_nodes: int = 2_000) -> Mapping[str, Any]:
    """Record the number of trees and, in the first cross-validation, the nodes of the equal graph."""
    n_trees = model.ensemble_.n_trees
    notes: dict[str, Any] = {"stumps": n_trees}
    if trial.fold_id.repeat:
        return notes
    graph = merge(model, to="graph", missing=False, max_nodes=max_nodes)
    return {**notes, "graph": int(graph.n_nodes)} if graph.complete else notes
