"""One decision tree with the names of its features and classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import UnsupportedModelError
from sightline.model._cut_tree import cut_tree
from sightline.model._graph import Graph
from sightline.model._leaf_lines import LeafLines
from sightline.model._node_numbers import NodeNumbers
from sightline.model._nodes import LEAF, LabelSource, NodeModel
from sightline.model._proof import Proof
from sightline.table import Schema
from sightline.wording import pluralize

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Tree(NodeModel):
    """A decision tree: numeric, subset and multiway tests over named features.

    Parameters
    ----------
    core : _core.Tree
        The node arrays, valid by construction.
    %(node_model)s
    lines : LeafLines, optional
        For a tree of numbers, lines in its leaves.
    probabilities : ndarray of shape (n_nodes, n_classes), optional
        The class probabilities of each node, if its outputs only decide the label: for trees
        whose labels follow a threshold, costs or class weights.
    label_costs : ndarray of shape (n_classes, n_classes), optional
        The costs that its labels follow, if costs or weights decide among more than two classes: of each
        label (second index) by true class.

    Attributes
    ----------
    core : _core.Tree
        The node arrays.
    %(node_model_attributes)s
    lines : LeafLines or None
        For a tree of numbers with lines in its leaves, these lines.
    probabilities : ndarray of shape (n_nodes, n_classes) or None
        The class probabilities of each node, if its outputs only decide the label.
    label_costs : ndarray of shape (n_classes, n_classes) or None
        The costs that its labels follow, if costs or weights decide among more than two classes.

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

    def __init__(
        self,
        core: _core.Tree,
        schema: Schema,
        classes: NDArray[Any] | None,
        tie_tolerance: float = 0.0,
        proof: Proof | None = None,
        label_source: LabelSource = "learnt",
        numbers: NodeNumbers | None = None,
        lines: LeafLines | None = None,
        probabilities: NDArray[np.float64] | None = None,
        label_costs: NDArray[np.float64] | None = None,
    ) -> None:
        super().__init__(core, schema, classes, tie_tolerance, proof, label_source, numbers)
        self.lines = lines
        self.probabilities = probabilities
        self.label_costs = label_costs
        if lines is not None:
            self._native_lines = lines.native(core)

    def _traits(self) -> dict[str, Any]:
        return {
            **super()._traits(),
            "lines": self.lines,
            "probabilities": self.probabilities,
            "label_costs": self.label_costs,
        }

    def with_leaves(self, nodes: Sequence[int]) -> Tree:
        """Return the tree with some nodes as leaves, each with its own output; nothing is proved about it.

        Parameters
        ----------
        nodes : sequence of int
            Nodes, none of them below another.

        Examples
        --------
        >>> import sightline as sl
        >>> tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]).tree_
        >>> tree.with_leaves([0]).size_["leaves"]
        1
        """
        core, kept = cut_tree(self.core, nodes)
        numbers = None if self.numbers is None else self.numbers.at(kept)
        probabilities = None if self.probabilities is None else self.probabilities[kept]
        return self._remade(core, proof=None, numbers=numbers, probabilities=probabilities, lines=None)

    @property
    def node_probabilities(self) -> NDArray[np.float64]:
        """The class probabilities of each node."""
        return super().node_probabilities if self.probabilities is None else self.probabilities

    def predict_proba(self, X: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the class probabilities of each row.

        If the tested value is missing, the branches are mixed by their shares.

        %(predict_proba_sections)s
        """
        if self.probabilities is None:
            return super().predict_proba(X, n_jobs)
        return self._probable.outputs(X, n_jobs)

    @cached_property
    def _probable(self) -> Tree:
        """The tree whose outputs are the probabilities."""
        return self.with_outputs(self.node_probabilities, self.classes_)

    @property
    def size_(self) -> dict[str, int]:
        """Size of the tree by several counts; rules are the paths to the leaves."""
        is_leaf = self.core.test == LEAF
        return {
            "nodes": self.core.n_nodes,
            "leaves": self.core.n_leaves,
            "depth": self.core.depth,
            "rules": self.core.n_leaves,
            "conditions": int(self.core.level[is_leaf].sum()),
            "features": len(self.core.used_features),
        }

    def to_text(
        self,
        *,
        style: Literal["sightline", "weka"] = "sightline",
        digits: int = 6,
        max_depth: int | None = None,
        title: str = "J48 pruned tree",
        binary_thresholds: bool | None = None,
    ) -> str:
        """Write the tree as indented text.

        Parameters
        ----------
        style : {"sightline", "weka"}, default="sightline"
            With "weka", the text is what Weka's J48 prints, byte for byte.
        %(digits)s
        max_depth : int, optional
            Deeper nodes are folded into one line; not for style="weka".
        title : str, default="J48 pruned tree"
            First line of style="weka".
        binary_thresholds : bool, optional
            Whether style="weka" writes thresholds in full, as under Weka's option ``-B``, or
            with up to six decimals. By default in full if the tree has a subset test.

        %(returns_text)s
        """
        text: str = self._display().text(
            style=style, digits=digits, max_depth=max_depth, title=title, binary_thresholds=binary_thresholds
        )
        return text

    def plot(
        self,
        ax: Axes | None = None,
        *,
        max_depth: int | None = None,
        max_leaves_shown: int | None = 64,
        direction: Literal["down", "right"] | None = None,
        digits: int = 6,
        marks: Mapping[int, str] | None = None,
        X: Any = None,
        y: Any = None,
    ) -> Axes:
        """Draw the tree with matplotlib.

        Parameters
        ----------
        %(ax)s
        max_depth : int, optional
            Deeper nodes are folded.
        max_leaves_shown : int or None, default=64
            Maximum number of leaves and folded nodes to draw; None draws all. The heaviest nodes open first.
        direction : {"down", "right"}, optional
            Direction of growth; by default down for up to 8 leaves, else right.
        %(digits)s
        marks : mapping of int to str, optional
            Leaves that are "proved", "refuted" or "open".
        %(rows_of_charts)s

        %(returns_axes)s
        """
        axes: Axes = self._display().plot(
            ax,
            max_depth=max_depth,
            max_leaves_shown=max_leaves_shown,
            direction=direction,
            digits=digits,
            marks=marks,
            X=X,
            y=y,
        )
        return axes

    def to_frame(self, library: str = "pandas", *, digits: int = 6) -> Any:
        """Return the tree as a data frame, one row per leaf.

        Parameters
        ----------
        library : {"pandas", "polars"}, default="pandas"
            The library of the frame.
        %(digits)s

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            Per leaf its node number (``leaf``, as :meth:`apply` gives it), the conditions of its
            path (``rule``), the predicted label or number (``label``; its mean, if the leaf has a
            line), the number of conditions (``n_conditions``), the training rows that reached it
            (``coverage``) and the share of them with its label (``precision``); NaN if unknown.

        Examples
        --------
        >>> from sightline.show._example import credit_tree
        >>> credit_tree().to_frame()[["leaf", "rule", "label", "precision"]].values.tolist()[0]
        [2, 'age <= 30 and income <= 2000', 'bad', 0.8]
        """
        return self._display().frame(library, digits=digits)

    def feature_importances(self) -> NDArray[np.float64]:
        """Return how much the tests of each feature lower the Gini impurity, or the squared error of numbers.

        Returns
        -------
        ndarray of shape (n_features,)
            Shares that sum to 1, each node weighted by its rows; zeros if no rows were counted
            or nothing is tested. Numbers are the target's means in the nodes, where these are known, else
            the outputs of the leaves. Lines in leaves do not count.
        """
        core = self.core
        drop = self._gini_drop() if self.classes_ is not None else self._squared_error_drop()
        is_test = core.test != LEAF
        # Probabilities of a summary come from other rows than its weights: ignore negative drops.
        gained = np.bincount(
            core.feature[is_test], weights=np.maximum(drop[is_test], 0.0), minlength=len(self.schema)
        )
        return np.asarray(gained / max(gained.sum(), np.finfo(np.float64).tiny), dtype=np.float64)

    def _gini_drop(self) -> NDArray[np.float64]:
        """Return per test how much less impure its branches are, in rows."""
        core = self.core
        output = np.clip(self.node_probabilities, 0.0, None)
        total = output.sum(axis=1, keepdims=True)
        shares = np.divide(output, total, out=np.zeros_like(output), where=total > 0)
        impurity = np.asarray(core.weight) * (1 - (shares**2).sum(axis=1))
        below = np.bincount(self._parent, weights=impurity[core.child], minlength=core.n_nodes)
        return np.asarray(impurity - below, dtype=np.float64)

    def _squared_error_drop(self) -> NDArray[np.float64]:
        """Return per test the squared distance of its branches' means from its own, times their rows."""
        core = self.core
        weight = np.asarray(core.weight)
        mean = self._means_of_outputs() if self.numbers is None else np.nan_to_num(self.numbers.mean)
        gap = mean[core.child] - mean[self._parent]
        drop = np.bincount(self._parent, weights=weight[core.child] * gap**2, minlength=core.n_nodes)
        return np.asarray(drop, dtype=np.float64)

    def _means_of_outputs(self) -> NDArray[np.float64]:
        """Return per node the mean output of the leaves below it, weighted by their rows."""
        core = self.core
        is_leaf = core.test == LEAF
        total = np.where(is_leaf, core.weight * core.output[:, 0], 0.0)
        rows = np.where(is_leaf, core.weight, 0.0)
        # Backwards: children come after their parents.
        for parent, child in zip(self._parent[::-1].tolist(), core.child[::-1].tolist(), strict=True):
            total[parent] += total[child]
            rows[parent] += rows[child]
        return np.divide(total, rows, out=np.zeros_like(total), where=rows > 0)

    @property
    def _parent(self) -> NDArray[np.int64]:
        """Per branch the node that it leaves."""
        return np.repeat(np.arange(self.core.n_nodes), np.diff(self.core.branch_begin))

    def boxed(self) -> _core.BoxedModel:
        """Return the tree in the form that proofs take."""
        if self.lines is not None:
            return _core.BoxedModel.of_lines(self.core, self._native_lines)
        return _core.BoxedModel.of_tree(self.core, self.tie_tolerance)

    def to_graph(self) -> Graph:
        """Return the graph that stores equal subtrees once.

        Returns
        -------
        Graph
            Gives every row the output of the tree, in as many nodes or fewer.
        """
        self.require_constant_leaves("A graph")
        return Graph(
            self.core.shared(), self.schema, self.classes_, self.tie_tolerance, label_source=self.label_source
        )

    def with_lines(self, lines: LeafLines | None) -> Tree:
        """Return the same tree with lines in its leaves; with none, for None."""
        return self._remade(self.core, lines=lines, proof=None)

    def with_probabilities(
        self, probabilities: NDArray[np.float64], label_costs: NDArray[np.float64] | None = None
    ) -> Tree:
        """Return the same tree, whose outputs decide labels only, with the probabilities of its nodes.

        A missing value takes the branch with the largest share, so that every row ends in a leaf and has its
        label.

        Parameters
        ----------
        probabilities : ndarray of shape (n_nodes, n_classes)
            The probabilities.
        label_costs : ndarray of shape (n_classes, n_classes), optional
            The costs that the labels follow.
        """
        begin, share = self.core.branch_begin, np.asarray(self.core.share)
        one_way = np.zeros_like(share)
        for node in np.flatnonzero(np.diff(begin)):
            one_way[begin[node] + share[begin[node] : begin[node + 1]].argmax()] = 1.0
        core = self._changed(share=one_way)
        return self._remade(core, probabilities=probabilities, label_costs=label_costs)

    def with_answers(self, output: NDArray[np.float64]) -> Tree:
        """Return the same tree with other outputs for the same classes; nothing is proved about it."""
        return self._remade(self._changed(output=output), proof=None, probabilities=None, label_costs=None)

    def require_constant_leaves(self, what: str, instead: str = "") -> None:
        """Refuse a tree with lines in its leaves: ``what`` needs none, ``instead`` is another way."""
        if self.lines is not None:
            raise UnsupportedModelError(
                f"{what} needs leaves that predict one number, but this tree has lines in its leaves. "
                f"Distill it with leaf='mean'{', or ' if instead else ''}{instead}."
            )

    @cached_property
    def _alone(self) -> _core.Ensemble:
        """The tree as an ensemble of one, so that there is only one way to predict."""
        n_outputs = self.core.n_outputs
        return _core.Ensemble(
            trees=[self.core],
            n_scores=n_outputs,
            votes=False,
            tree_weight=[1.0],
            vote_against=[],
            tree_score=[-1],
            base=[0.0] * n_outputs,
            single_precision=[False] * n_outputs,
            tie_tolerance=self.tie_tolerance,
            base_last=[False] * n_outputs,
        )

    def _outputs(self, rows: _core.Columns, n_threads: int) -> NDArray[np.float64]:
        if self.lines is not None:
            return self._native_lines.outputs(rows, n_threads)
        return self._alone.scores(rows, n_threads)

    def __repr__(self) -> str:
        leaves = pluralize(self.n_leaves, "leaf", "leaves")
        features = pluralize(len(self.schema), "feature")
        about = f", predicts {self.subject}" if self.subject else ""
        return f"Tree({leaves}, depth {self.depth}, {features}{about})"
