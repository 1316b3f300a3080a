"""One decision tree with the names of its features and classes."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.model._graph import Graph
from sightline.model._nodes import LEAF, NodeModel
from sightline.model._rows import n_threads, native_rows
from sightline.wording import pluralize


class Tree(NodeModel):
    """A decision tree: numeric, subset and multiway tests over named features.

    Parameters
    ----------
    core : _core.Tree
        The node arrays, valid by construction.
    schema : Schema
        Names and categories of the features.
    classes : ndarray of shape (n_classes,) or None
        The labels that outputs stand for, or None if the outputs are numbers.
    tie_tolerance : float, default=0.0
        The label is the first class whose probability exceeds those of all classes
        before it by more than this.
    proof : Proof, optional
        What is proved about the tree, if it was made from an ensemble.
    label_source : {"learnt", "own", "ensemble", "passed"}, default="learnt"
        What weights and class counts are about: the rows that the model was learnt from; where it
        stands for an ensemble, training rows by their own or by the ensemble's labels; or rows
        that only passed.

    Attributes
    ----------
    core, schema, classes, tie_tolerance, proof, label_source
        As given.

    Examples
    --------
    >>> import sightline as sl
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
    >>> tree = sl.C45Classifier().fit(X, y).tree_
    >>> tree.predict([[2.5]])
    array(['yes'], dtype='<U3')
    >>> tree.size_["leaves"]
    2
    """

    core: _core.Tree

    @property
    def size_(self) -> dict[str, int]:
        """Counts by which models are compared; rules are the paths to the leaves."""
        is_leaf = self.core.test == LEAF
        return {
            "nodes": self.core.n_nodes,
            "leaves": self.core.n_leaves,
            "depth": self.core.depth,
            "rules": self.core.n_leaves,
            "conditions": int(self.core.level[is_leaf].sum()),
            "features": len(self.core.used_features),
        }

    def feature_importances(self) -> NDArray[np.float64]:
        """Return how much each feature's tests lower the Gini impurity.

        Returns
        -------
        ndarray of shape (n_features,)
            Shares that sum to 1, each node weighed by its rows; zeros where none were counted
            or nothing is tested.
        """
        core = self.core
        output = np.clip(core.output, 0.0, None)
        total = output.sum(axis=1, keepdims=True)
        shares = np.divide(output, total, out=np.zeros_like(output), where=total > 0)
        impurity = np.asarray(core.weight) * (1 - (shares**2).sum(axis=1))
        parent = np.repeat(np.arange(core.n_nodes), np.diff(core.branch_begin))
        drop = impurity - np.bincount(parent, weights=impurity[core.child], minlength=core.n_nodes)
        is_test = core.test != LEAF
        # A summary's probabilities come from other rows than its weights: no test counts less than nothing.
        gained = np.bincount(
            core.feature[is_test], weights=np.maximum(drop[is_test], 0.0), minlength=len(self.schema)
        )
        return np.asarray(gained / max(gained.sum(), np.finfo(np.float64).tiny), dtype=np.float64)

    def boxed(self) -> _core.BoxedModel:
        """Return the tree as a proof sees it."""
        return _core.BoxedModel.of_tree(self.core, self.tie_tolerance)

    def to_graph(self) -> Graph:
        """Return the graph in which equal subtrees are one.

        Returns
        -------
        Graph
            Gives every row the output of the tree, in as many nodes or fewer.
        """
        return Graph(
            self.core.shared(), self.schema, self.classes_, self.tie_tolerance, label_source=self.label_source
        )

    @cached_property
    def _alone(self) -> _core.Ensemble:
        """The tree as an ensemble of one: there is only one way to predict."""
        n_outputs = self.core.n_outputs
        return _core.Ensemble(
            trees=[self.core],
            n_scores=n_outputs,
            votes=False,
            tree_weight=[1.0],
            vote_against=[],
            tree_score=[-1],
            base=[0.0] * n_outputs,
            single_precision=False,
            tie_tolerance=self.tie_tolerance,
        )

    def _outputs(self, X: Any, n_jobs: int | None) -> NDArray[np.float64]:
        return self._alone.scores(native_rows(X, self.schema, "Tree"), n_threads(n_jobs))

    def __repr__(self) -> str:
        leaves = pluralize(self.n_leaves, "leaf", "leaves")
        features = pluralize(len(self.schema), "feature")
        return f"Tree({leaves}, depth {self.depth}, {features})"
