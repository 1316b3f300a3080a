"""Base class of decision trees and graphs: nodes that test named features."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.model._node_numbers import NodeNumbers
from sightline.model._pickled import PickledAsJson
from sightline.model._proof import Proof
from sightline.model._readable import Interactive, Readable
from sightline.model._rows import n_threads, native_rows, row_blocks
from sightline.model._subject import AboutTarget
from sightline.table import Schema

if TYPE_CHECKING:
    from sightline.model._black_box import BlackBox
    from sightline.model._ensemble import Ensemble

LEAF, THRESHOLD, SUBSET, MULTIWAY = _core.LEAF, _core.THRESHOLD, _core.SUBSET, _core.MULTIWAY
"""Kinds of nodes in ``Tree.core.test``."""

ANY_NUMBER = float(np.finfo(np.float64).max)
"""The threshold of a test for missing numbers: every number is at most this."""

_BEYOND_CUTS = 3.4e38
"""CatBoost tests for missing numbers with the largest number of single precision, or its negative."""

_LOWEST_SINGLE, _LARGEST_SINGLE = _core.single_at_most(
    np.array([np.finfo(np.float32).min, np.finfo(np.float32).max], dtype=np.float64)
).tolist()
"""The thresholds of these tests as the importer writes them: no number that occurs in rows is one of them."""


LabelSource = Literal["learnt", "own", "ensemble", "passed"]
"""Which rows the weights and class counts of nodes refer to: *learnt*, the rows that the model was trained
on; for a summary of an ensemble, training rows with their *own* labels or with the *ensemble*'s; *passed*,
rows that were only counted, without labels."""

_SHAPE_ARRAYS = (
    "test",
    "feature",
    "threshold",
    "branch_begin",
    "child",
    "share",
    "category_begin",
    "category",
)


class NodeModel(PickledAsJson, AboutTarget, Interactive, Readable):
    """Base of :class:`Tree` and :class:`Graph`.

    Parameters
    ----------
    core : _core.DecisionNodes
        The node arrays, valid by construction.
    %(node_model)s
    """

    def __init__(
        self,
        core: _core.DecisionNodes,
        schema: Schema,
        classes: NDArray[Any] | None,
        tie_tolerance: float = 0.0,
        proof: Proof | None = None,
        label_source: LabelSource = "learnt",
        numbers: NodeNumbers | None = None,
    ) -> None:
        self.core = core
        self.schema = schema
        self.classes_ = classes
        self.tie_tolerance = tie_tolerance
        self.proof = proof
        self.label_source: LabelSource = label_source
        self.numbers = numbers

    @abstractmethod
    def _outputs(self, rows: _core.Columns, n_threads: int) -> NDArray[np.float64]:
        """Return the outputs for each row, mixed if a tested value is missing."""

    @property
    @abstractmethod
    def size_(self) -> dict[str, int]:
        """Size of the model by several counts; rules are the paths to the leaves."""

    @abstractmethod
    def boxed(self) -> _core.BoxedModel:
        """Return the model in the form that proofs take."""

    @property
    def complete(self) -> bool | None:
        """Whether the model is proved to equal the one it was merged from; None if there is none."""
        return None if self.proof is None else self.proof.complete

    @property
    def optimal(self) -> bool | None:
        """Whether no equal model of this kind is smaller: proved by ``merge``; None if it was not merged."""
        return None if self.proof is None else self.proof.optimal

    @property
    def proved_share(self) -> float | None:
        """Share of the rows given to ``merge`` that end in proved leaves; None if not known."""
        return None if self.proof is None else self.proof.share

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

    def predict(self, X: Any, n_jobs: int | None = None) -> NDArray[Any]:
        """Return the label (or number) of each row.

        %(predict_sections)s
        """
        rows = native_rows(X, self.schema, type(self).__name__)
        blocks = row_blocks(rows.n_rows, self.core.n_outputs)
        outputs = (self._outputs(rows.part(begin, end), n_threads(n_jobs)) for begin, end in blocks)
        if self.classes_ is None:
            return np.concatenate([numbers[:, 0] for numbers in outputs])
        return np.asarray(self.classes_[np.concatenate([self.vote(shares) for shares in outputs])])

    def vote(self, probabilities: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the index of the class that these probabilities predict."""
        return first_largest(probabilities, self.tie_tolerance)

    def predict_proba(self, X: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the class probabilities of each row.

        If the tested value is missing, the branches are mixed by their shares.

        %(predict_proba_sections)s
        """
        return self.outputs(X, n_jobs)

    def outputs(self, X: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the outputs for each row: n_outputs numbers, mixed if a tested value is missing.

        Parameters
        ----------
        %(rows)s
        %(n_jobs)s

        Returns
        -------
        ndarray of shape (n_rows, n_outputs)
            The outputs of the leaves.
        """
        return self._outputs(native_rows(X, self.schema, type(self).__name__), n_threads(n_jobs))

    @property
    def node_probabilities(self) -> NDArray[np.float64]:
        """The class probabilities of each node."""
        return self.core.output

    def apply(self, X: Any, n_jobs: int | None = None) -> NDArray[np.int32]:
        """Return the leaf that each row reaches.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows. A missing value follows the branch with the largest share.
        %(n_jobs)s

        Returns
        -------
        ndarray of shape (n_rows,)
            Node numbers.
        """
        rows = native_rows(X, self.schema, type(self).__name__)
        return self.core.find_leaves(rows, n_threads(n_jobs))

    def explain(self, rows: Any, *, ensemble: Ensemble | BlackBox | None = None, ids: Any = None) -> Any:
        """Explain the prediction for one row, or for many, by the path.

        Parameters
        ----------
        %(explained_rows)s
        ensemble : Ensemble or BlackBox, optional
            The ensemble that the model summarizes. The explanation then says whether it agrees, on
            this row and on every row of the path, and how its trees vote. A black box is queried only
            for this row.
        %(ids)s

        %(returns_explanations)s
        """
        return self._display().explain(rows, ensemble=ensemble, ids=ids)

    def with_rows(self, X: Any, proof: Proof | None = None) -> Self:
        """Return the same model with weights that count the rows passing each node.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows. A row that missing values split counts in parts.
        proof : Proof, optional
            What is proved about the model; by default as in this one.

        Returns
        -------
        Tree or Graph
            A model without class counts.
        """
        rows = native_rows(X, self.schema, type(self).__name__)
        passing = self.core.passing(rows)[:, 0]
        return self._counting(passing, np.empty(0), "passed", proof or self.proof)

    def with_labels(
        self,
        X: Any,
        labels: NDArray[np.int32],
        weights: NDArray[np.float64] | None = None,
        label_source: LabelSource = "own",
    ) -> Self:
        """Return the same model with class counts from the labels of given rows.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows. A row that missing values split counts in parts.
        labels : ndarray of shape (n_rows,)
            Indices of their labels among the classes.
        weights : ndarray of shape (n_rows,), optional
            Their weights.
        label_source : {"own", "ensemble"}, default="own"
            Whose labels they are.

        Returns
        -------
        Tree or Graph
            A model with the same outputs.
        """
        rows = native_rows(X, self.schema, type(self).__name__)
        counts = self.core.passing(rows, labels, self.core.n_outputs, weights)
        return self._counting(counts.sum(axis=1), counts, label_source, self.proof)

    def with_counts(
        self,
        weight: NDArray[np.float64],
        counts: NDArray[np.float64] | None,
        label_source: LabelSource,
        numbers: NodeNumbers | None = None,
    ) -> Self:
        """Return the same model with other weights and class counts, or numbers, in its nodes.

        Parameters
        ----------
        weight : ndarray of shape (n_nodes,)
            Weight of the rows that pass each node.
        counts : ndarray of shape (n_nodes, n_outputs) or None
            The same by class.
        label_source : {"learnt", "own", "ensemble"}
            Whose labels, or numbers, they are.
        numbers : NodeNumbers, optional
            Mean and deviation of the rows' numbers.
        """
        arrays = {"weight": weight} if counts is None else {"weight": weight, "counts": counts}
        return self._remade(self._changed(**arrays), label_source=label_source, numbers=numbers)

    def _counting(
        self,
        weight: NDArray[np.float64],
        counts: NDArray[np.float64],
        label_source: LabelSource,
        proof: Proof | None,
    ) -> Self:
        core = self._changed(weight=weight, counts=counts)
        return self._remade(core, proof=proof, label_source=label_source, numbers=None)

    def with_numbers(
        self,
        X: Any,
        numbers: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
        label_source: LabelSource = "own",
    ) -> Self:
        """Return the same model with the weight, mean and deviation of given rows' own numbers.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows. A row that missing values split counts in parts.
        numbers : ndarray of shape (n_rows,)
            Their target.
        weights : ndarray of shape (n_rows,), optional
            Their weights.
        label_source : {"own", "ensemble"}, default="own"
            Whose numbers they are.

        Returns
        -------
        Tree or Graph
            A model with the same outputs.
        """
        rows = native_rows(X, self.schema, type(self).__name__)
        weights = np.ones(len(numbers)) if weights is None else weights
        # About the mean, so that the squares of large numbers do not swallow their differences, and in
        # units of the largest difference, so that they do not overflow.
        middle = float(np.average(numbers, weights=weights))
        unit = float(np.abs(numbers - middle).max()) or 1.0
        gap = (numbers - middle) / unit
        sums = [
            self.core.passing(rows, weights=weights * factor)[:, 0]
            for factor in (np.ones_like(gap), gap, gap**2)
        ]
        about = NodeNumbers.of_sums(*sums)
        core = self._changed(weight=sums[0])
        return self._remade(
            core,
            label_source=label_source,
            numbers=NodeNumbers(about.mean * unit + middle, about.deviation * unit),
        )

    def _remade(self, core: _core.DecisionNodes, **changes: Any) -> Self:
        """Return a copy with new nodes and other changes."""
        return type(self)(core, self.schema, **{**self._traits(), **changes})

    def _traits(self) -> dict[str, Any]:
        """Return what a model has beside its nodes and features, as the constructor takes it."""
        return {
            "classes": self.classes_,
            "tie_tolerance": self.tie_tolerance,
            "proof": self.proof,
            "label_source": self.label_source,
            "numbers": self.numbers,
        }

    def with_outputs(self, output: NDArray[np.float64], classes: NDArray[Any] | None) -> Self:
        """Return the same tests with other outputs.

        Parameters
        ----------
        output : ndarray of shape (n_nodes, n_outputs)
            The output of each node.
        classes : ndarray of shape (n_outputs,) or None
            The labels of the outputs, or None if they are numbers.

        Returns
        -------
        Tree or Graph
            A model without class counts.
        """
        core = self._changed(output=output, counts=np.empty(0))
        return type(self)(core, self.schema, classes, self.tie_tolerance)

    def with_thresholds(self, threshold: NDArray[np.float64]) -> Self:
        """Return the same model with other thresholds; nothing is proved about it.

        Parameters
        ----------
        threshold : ndarray of shape (n_nodes,)
            The thresholds; those of nodes without a numeric test are ignored.

        Returns
        -------
        Tree or Graph
            A model with the weights and counts of this one.
        """
        return self._remade(self._changed(threshold=threshold), proof=None)

    def _changed(self, **arrays: NDArray[Any]) -> _core.DecisionNodes:
        """Rebuild the nodes with some arrays replaced."""
        kept = {
            name: np.ravel(getattr(self.core, name))
            for name in (*_SHAPE_ARRAYS, "weight", "output", "counts")
        }
        n_outputs = arrays["output"].shape[1] if "output" in arrays else self.core.n_outputs
        changed = {**kept, **{name: np.ravel(array) for name, array in arrays.items()}}
        return type(self.core)(n_values=self.core.n_values, n_outputs=n_outputs, **changed)  # type: ignore[call-arg]

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
        if self.classes_ is None:
            return float(output[0])
        return self.classes_[self.vote(output[None, :])[0]]


def are_cuts(thresholds: NDArray[np.float64] | float) -> NDArray[np.bool_]:
    """Return which thresholds divide numbers; the others only ask whether there is one.

    Examples
    --------
    >>> are_cuts(np.array([30.0, ANY_NUMBER, -np.inf]))
    array([ True, False, False])
    """
    return np.asarray(np.abs(thresholds) < _BEYOND_CUTS)


def stated_bounds(bounds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return bounds for people to read, with CatBoost's tests for missing numbers as tests that say so.

    These compare with an end of the numbers: every number is at most ``ANY_NUMBER``, and none is at most
    -infinity, so that only missing values are on the other side.

    Examples
    --------
    >>> stated_bounds(np.array([30.0, -3.402823364973241e38]))
    array([ 30., -inf])
    """
    stated = np.where(bounds == _LOWEST_SINGLE, -np.inf, bounds)
    return np.where(bounds == _LARGEST_SINGLE, ANY_NUMBER, stated)


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
