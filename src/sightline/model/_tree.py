"""One decision tree with the names of its features and classes."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.model._readable import Readable
from sightline.model._rows import n_threads, native_rows
from sightline.table import Schema

LEAF, THRESHOLD, SUBSET, MULTIWAY = range(4)
"""Kinds of nodes in ``Tree.core.test``."""


class Tree(Readable):
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

    Attributes
    ----------
    core, schema, classes, tie_tolerance
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

    def __init__(
        self,
        core: _core.Tree,
        schema: Schema,
        classes: NDArray[Any] | None,
        tie_tolerance: float = 0.0,
    ) -> None:
        self.core = core
        self.schema = schema
        self.classes = classes
        self.tie_tolerance = tie_tolerance

    @property
    def feature_names(self) -> list[str]:
        """Names of the features, in the order of the columns."""
        return self.schema.names

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return self.core.n_nodes

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self.core.n_leaves

    @property
    def depth(self) -> int:
        """Number of tests on the longest path."""
        return self.core.depth

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

    def predict(self, X: Any, n_jobs: int | None = None) -> NDArray[Any]:
        """Return the label (or number) of each row.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows; unseen categories count as missing.
        n_jobs : int, optional
            Threads to use, as in joblib.

        Returns
        -------
        ndarray of shape (n_rows,)
            Labels, of the type of ``classes``.
        """
        outputs = self._outputs(X, n_jobs)
        if self.classes is None:
            return outputs[:, 0]
        return self.classes[self.vote(outputs)]

    def vote(self, probabilities: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the index of the class that probabilities of this tree speak for."""
        return first_largest(probabilities, self.tie_tolerance)

    def predict_proba(self, X: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the class probabilities of each row.

        Where the tested value is missing, the branches are mixed by their shares.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows; unseen categories count as missing.
        n_jobs : int, optional
            Threads to use, as in joblib.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Probabilities, in the order of ``classes``.
        """
        return self._outputs(X, n_jobs)

    def apply(self, X: Any, n_jobs: int | None = None) -> NDArray[np.int32]:
        """Return the leaf that each row reaches.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows. A missing value follows the branch with the largest share.
        n_jobs : int, optional
            Threads to use, as in joblib.

        Returns
        -------
        ndarray of shape (n_rows,)
            Node numbers.
        """
        rows = native_rows(X, self.schema, "Tree")
        return self._alone.find_leaves(rows, n_threads(n_jobs))[:, 0]

    def children(self, node: int) -> NDArray[np.int32]:
        """Return the nodes to which the branches of a node lead."""
        begin, end = self.core.branch_begin[node : node + 2]
        return self.core.child[begin:end]

    def shares(self, node: int) -> NDArray[np.float64]:
        """Return the share of each branch in rows whose tested value is missing."""
        begin, end = self.core.branch_begin[node : node + 2]
        return self.core.share[begin:end]

    def categories(self, node: int) -> list[object]:
        """Return the values of a subset test that take branch 0."""
        begin, end = self.core.category_begin[node : node + 2]
        values = self.schema.features[self.core.feature[node]].categories or ()
        return [values[code] for code in self.core.category[begin:end]]

    def label(self, node: int) -> Any:
        """Return the label (or number) that a node would give as a leaf."""
        output = self.core.output[node]
        if self.classes is None:
            return float(output[0])
        return self.classes[self.vote(output[None, :])[0]]

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
        return f"Tree({self.n_leaves} leaves, depth {self.depth}, {len(self.schema)} features)"

    def __getstate__(self) -> dict[str, Any]:
        # Labels apart: a pickle can hold those that JSON cannot.
        places = None if self.classes is None else np.arange(len(self.classes))
        numbered = Tree(self.core, self.schema, places, self.tie_tolerance)
        return {"json": numbered.to_json(), "classes": self.classes}

    def __setstate__(self, state: dict[str, Any]) -> None:
        from sightline.model._format import parse_model  # noqa: PLC0415 - the format knows every noun

        self.__dict__.update(parse_model(state["json"], "a pickle").__dict__)
        self.classes = state["classes"]


def first_largest(values: NDArray[np.float64], tolerance: float) -> NDArray[np.intp]:
    """Return per row the first column that exceeds all before it by more than a tolerance.

    Examples
    --------
    >>> first_largest(np.array([[0.3, 0.4, 0.4]]), 0.0)
    array([1])
    >>> first_largest(np.array([[0.3, 0.3 + 1e-9]]), 1e-6)
    array([0])
    """
    if tolerance == 0:
        return np.asarray(values.argmax(axis=1))
    best = np.zeros(len(values), dtype=np.intp)
    highest = values[:, 0].copy()
    for column in range(1, values.shape[1]):
        higher = values[:, column] - highest > tolerance
        best[higher] = column
        highest[higher] = values[higher, column]
    return best
