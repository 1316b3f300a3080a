"""ISM: one tree computed from an ensemble's class distributions."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from sklearn.utils._param_validation import Interval, StrOptions

from sightline import _core
from sightline.distill._distiller import TreeDistiller
from sightline.distill._size_dial import LeafDial
from sightline.distill._teacher import Teacher
from sightline.exceptions import DataError, ParameterError
from sightline.model import LEAF, Proof, Tree
from sightline.table import Table

MANY_NODES = 20_000
"""From so many nodes of the ensemble on, ``max_thresholds="auto"`` takes a part of its thresholds."""

BINS = 255

PROVED = 1
"""In ``rest_``: every possible row that comes here gets one label from the ensemble."""


@dataclass(frozen=True, eq=False)
class GrownTree:
    """The tree as it grew.

    Attributes
    ----------
    tree : Tree
        The tree before siblings were joined.
    step : ndarray of shape (n_nodes,)
        In which step each node was split; -1 at leaves.
    rest : ndarray of shape (n_nodes,)
        Why the others were not, as in ``rest_``.
    """

    tree: Tree
    step: NDArray[np.int32]
    rest: NDArray[np.uint8]


class ISMClassifier(LeafDial, TreeDistiller):
    """One decision tree from the class distributions of an ensemble, without artificial rows.

    The tests are those of the ensemble. Which of them is asked next is decided by the
    information gain that the ensemble itself expects: its trees are asked for the class
    distribution under the tests answered so far, every undecided node passing on both sides
    by its training shares.

    Parameters
    ----------
    ensemble : estimator, Ensemble or None, default=None
        What to summarise. None learns 25 bagged C4.5 trees, an estimator that is not fitted
        is fitted, and anything fitted that :func:`sightline.load` reads is used as it is.
    variant : {"t", "td", "d", "hybrid"}, default="td"
        Where probabilities come from. *t*: all from the trees. *td*: the probability of a
        test from the rows. *d*: the class distributions as well, from the ensemble's answers
        on the rows. *hybrid*: as *d*, with the trees' expectation counting as ``m`` rows.
    gain : {"mixture", "literal"}, default="mixture"
        Entropy before the test: of the mixture of both sides, so that no gain is negative,
        or of the ensemble's expectation, as the paper's formula reads.
    criterion : {"information_gain", "gain_ratio"}, default="information_gain"
        What the best test has most of.
    matching : {"implication", "literal"}, default="implication"
        Whether x <= 5 decides a node that tests x <= 7, or only nodes that test x <= 5. The
        stop *safe* requires *implication*.
    test_probability : {"pooled", "marginal"}, default="pooled"
        With variant *t*: from the nodes that ask the test, or from the training values of its
        feature.
    stop : {"data", "safe"}, default="data"
        *data*: a node becomes a leaf when the ensemble gives all its rows the same label.
        *safe*: only when the ensemble gives the same label to every possible row without
        missing values. With variant *t*, and if no limit stops the growth, the tree then
        equals the ensemble on all such rows, and can be very large.
    prune : {"pessimistic"} or None, default=None
        Prune afterwards as C4.5 does, against the ensemble's labels.
    confidence : float, default=0.25
        Confidence of that pruning.
    m : float, default=20
        With variant *hybrid*: what the trees' expectation weighs.
    collapse : bool, default=True
        Make one leaf of siblings that say the same. It changes no label; leaves are counted
        afterwards, so that ``max_leaves`` are spent on leaves that differ.
    max_leaves : int, optional
        Most leaves; the most useful splits are made first.
    max_depth : int, optional
        Most tests on a path.
    max_thresholds : int, "auto" or None, default="auto"
        Most thresholds per feature that may be asked, spread evenly over the ensemble's; None
        is all of them. *auto* is all, or 255 where the ensemble has more than 20,000 nodes and
        the stop is *data*.
    max_nodes : int, default=1_000_000
        Growth ends there, and says so in ``complete_``.
    max_seconds : float, optional
        Likewise.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are nominal; see :class:`C45Classifier`.
    n_jobs : int, optional
        Threads to learn and ask the ensemble with.
    random_state : int, RandomState or None, default=None
        For learning the ensemble.

    Attributes
    ----------
    tree_ : Tree
        The tree. Its class counts are those of the training rows' labels, or of the ensemble's
        where y is left out; its probabilities are the ensemble's means over the rows.
    ensemble_ : Ensemble
        What was summarised.
    grown_ : GrownTree
        The tree before siblings were joined; smaller trees are made of it.
    proved_ : ndarray of shape (n_nodes,)
        Per node of the tree: a leaf at which the ensemble is proved to give every possible
        row of known values the leaf's label.
    split_step_ : ndarray of shape (n_nodes,)
        Per node: in which step it was split, the most useful split first; -1 at leaves.
    rest_ : ndarray of shape (n_nodes,)
        Per node: 0 split, 1 proved, 2 the rows agree, 3 no test left, 4 a limit was met, 5 all
        leaves below said the same.
    complete_ : bool
        Whether growth ended by itself, not by ``max_nodes`` or ``max_seconds``.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had any.

    See Also
    --------
    sightline.merge : The exactly equivalent tree or graph.

    Notes
    -----
    All tests of a node are weighed together in one pass over the ensemble's nodes that are
    still compatible with the path, instead of one pass per test. Rows whose tested value is
    missing follow most of the others, so that every training row has one path, and gets the
    ensemble's label wherever the ensemble's tests can tell rows of different labels apart.

    References
    ----------
    .. [1] A. Van Assche and H. Blockeel, "Seeing the Forest through the Trees: Learning a
       Comprehensible Model from an Ensemble", ECML 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sightline import ISMClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(50, random_state=0).fit(X, y)
    >>> ism = ISMClassifier(forest, max_leaves=4).fit(X)
    >>> ism.tree_.n_leaves <= 4
    True
    >>> round(float((ism.predict(X) == forest.predict(X)).mean()), 2) > 0.9
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "ensemble": "no_validation",  # type: ignore[dict-item]
        "variant": [StrOptions({"t", "td", "d", "hybrid"})],
        "gain": [StrOptions({"mixture", "literal"})],
        "criterion": [StrOptions({"information_gain", "gain_ratio"})],
        "matching": [StrOptions({"implication", "literal"})],
        "test_probability": [StrOptions({"pooled", "marginal"})],
        "stop": [StrOptions({"data", "safe"})],
        "prune": [StrOptions({"pessimistic"}), None],
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "m": [Interval(Real, 0, None, closed="left")],
        "collapse": ["boolean"],
        "max_leaves": [Interval(Integral, 1, None, closed="left"), None],
        "max_depth": [Interval(Integral, 0, None, closed="left"), None],
        "max_thresholds": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
        "max_nodes": [Interval(Integral, 1, None, closed="left")],
        "max_seconds": [Interval(Real, 0, None, closed="neither"), None],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        ensemble: Any = None,
        *,
        variant: str = "td",
        gain: str = "mixture",
        criterion: str = "information_gain",
        matching: str = "implication",
        test_probability: str = "pooled",
        stop: str = "data",
        prune: str | None = None,
        confidence: float = 0.25,
        m: float = 20,
        collapse: bool = True,
        max_leaves: int | None = None,
        max_depth: int | None = None,
        max_thresholds: int | str | None = "auto",
        max_nodes: int = 1_000_000,
        max_seconds: float | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.ensemble = ensemble
        self.variant = variant
        self.gain = gain
        self.criterion = criterion
        self.matching = matching
        self.test_probability = test_probability
        self.stop = stop
        self.prune = prune
        self.confidence = confidence
        self.m = m
        self.collapse = collapse
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.max_thresholds = max_thresholds
        self.max_nodes = max_nodes
        self.max_seconds = max_seconds
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, X_unlabeled: Any = None) -> Self:
        """Compute the tree.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The training rows; NaN and None are missing values.
        y : array-like of shape (n_rows,), optional
            Their labels; needed only where an ensemble must be learnt.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights.
        X_unlabeled : Table, frame or array, optional
            More rows that the tree shall decide as the ensemble does, for instance those that
            are to be predicted (the paper's transductive setting).

        Returns
        -------
        ISMClassifier
            Itself, fitted.
        """
        teacher = self._learn_from(X, y, sample_weight)
        rows, weights = self._rows_to_decide(teacher, X_unlabeled)
        growth = self._grow(teacher, rows, weights)
        if self.prune == "pessimistic":
            growth = growth.pruned(self.confidence, float(ndtri(1 - float(np.float32(self.confidence)))))
        self.complete_ = growth.complete
        grown = Tree(growth.tree, self.ensemble_.schema, self.ensemble_.classes_)
        self.grown_ = GrownTree(self._counted(grown, teacher), np.array(growth.step), np.array(growth.rest))
        self._take(self._growth())
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.stop == "safe" and self.matching == "literal":
            # Nodes that the path implies stay in the trees but may not be tested again, so that
            # growth ends without a test where the labels still differ.
            raise ParameterError(
                "stop='safe' of ISMClassifier requires matching='implication': with matching='literal' "
                "the tree would not equal the ensemble. Use stop='data' for literal matching."
            )

    def _resize(self, n_leaves: int) -> None:
        # Splits are taken back in the reverse order of their usefulness.
        self._take(self._growth().truncated(n_leaves, self.collapse))

    def _growth(self) -> _core.IsmGrowth:
        """Return the tree before siblings were joined: smaller ones begin as it does."""
        return _core.IsmGrowth(self.grown_.tree.core, self.grown_.step, self.grown_.rest, self.complete_)

    def _take(self, growth: _core.IsmGrowth) -> None:
        if self.collapse:
            growth = growth.joined()
        self.split_step_, self.rest_ = np.array(growth.step), np.array(growth.rest)
        is_leaf = growth.tree.test == LEAF
        self.proved_ = is_leaf & (growth.rest == PROVED)
        proof = Proof(self.proved_, bool(self.proved_[is_leaf].all()), (), growth.tree.n_nodes)
        label_source = self.grown_.tree.label_source
        self.tree_ = Tree(
            growth.tree, self.ensemble_.schema, self.ensemble_.classes_, 0.0, proof, label_source
        )

    def _rows_to_decide(self, teacher: Teacher, X_unlabeled: Any) -> tuple[Table, NDArray[np.float64]]:
        weights = np.ones(teacher.table.n_rows) if teacher.weights is None else teacher.weights
        if X_unlabeled is None:
            return teacher.table, weights
        more = Table.from_any(X_unlabeled).aligned(teacher.ensemble.schema, "X_unlabeled")
        if more.n_rows == 0:
            raise DataError("X_unlabeled has no rows: leave it out, or give some.")
        return teacher.table.stacked(more), np.concatenate([weights, np.ones(more.n_rows)])

    def _grow(self, teacher: Teacher, rows: Table, weights: NDArray[np.float64]) -> _core.IsmGrowth:
        link = teacher.ensemble.link
        labels, probabilities = teacher.answers(rows)
        prepared = _core.IsmEnsemble(
            teacher.ensemble.core,
            link.kind,
            list(link.divide_by),
            link.label_above,
            max_thresholds=self._n_thresholds(teacher),
        )
        options = _core.IsmOptions(
            variant=self.variant,
            mixture_gain=self.gain == "mixture",
            gain_ratio=self.criterion == "gain_ratio",
            literal_matching=self.matching == "literal",
            pooled_probability=self.test_probability == "pooled",
            stop_on_rows=self.stop == "data",
            stop_when_safe=True,
            m=float(self.m),
            max_leaves=self.max_leaves or 0,
            join_siblings=self.collapse,
            max_nodes=self.max_nodes,
            max_depth=-1 if self.max_depth is None else self.max_depth,
            max_seconds=float("inf") if self.max_seconds is None else float(self.max_seconds),
        )
        flat = np.ascontiguousarray(probabilities).ravel()
        return prepared.grow(rows.native(), labels, flat, weights, options)

    def _n_thresholds(self, teacher: Teacher) -> int:
        """Zero stands for all."""
        if self.max_thresholds == "auto":
            return BINS if self.stop == "data" and teacher.ensemble.n_nodes > MANY_NODES else 0
        return int(self.max_thresholds or 0)
