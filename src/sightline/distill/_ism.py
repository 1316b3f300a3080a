"""ISM: one tree computed from the class distributions of an ensemble."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from sightline import _core
from sightline.distill._teacher import Teacher
from sightline.distill._tree_distiller import TreeDistiller
from sightline.estimator import SightlineClassifier
from sightline.exceptions import DataError, ParameterError, UnsupportedModelError
from sightline.model import LEAF, BlackBox, Proof, Tree
from sightline.table import Table

MANY_NODES = 20_000
"""For ensembles with more nodes than this, ``max_thresholds="auto"`` is ``BINS``."""

BINS = 255
"""Thresholds per feature for large ensembles."""

PROVED = 1
"""In ``rest_``: the ensemble gives every possible row at this leaf the same label."""


@dataclass(frozen=True, eq=False)
class GrownTree:
    """The tree before siblings were joined, with the order of its splits.

    Attributes
    ----------
    tree : Tree
        The tree.
    step : ndarray of shape (n_nodes,)
        Step in which each node was split; -1 at leaves.
    rest : ndarray of shape (n_nodes,)
        Why each leaf was not split, as in ``rest_``.
    """

    tree: Tree
    step: NDArray[np.int32]
    rest: NDArray[np.uint8]


class ISMClassifier(TreeDistiller, SightlineClassifier):
    """Compute one decision tree from the class distributions of an ensemble, without artificial rows.

    The tree uses the tests of the ensemble. The next test is the one with the largest
    information gain according to the ensemble itself: each of its trees gives the class
    distribution under the tests so far, and a node that they do not decide passes on both
    sides by its training shares.

    Parameters
    ----------
    %(ensemble)s
    variant : {"t", "td", "d", "hybrid"}, default="td"
        Source of the probabilities. *t*: the trees. *td*: the trees, but the probability of a
        test comes from the rows. *d*: the class distributions come from the ensemble's
        predictions for the rows, too. *hybrid*: as *d*, with the trees' distribution counting
        as ``m`` rows.
    gain : {"mixture", "literal"}, default="mixture"
        Entropy before the test: of the mixture of both sides, so that no gain is negative,
        or of the ensemble's own distribution, as in the paper's formula.
    criterion : {"information_gain", "gain_ratio"}, default="information_gain"
        Measure that the best test maximizes.
    matching : {"implication", "literal"}, default="implication"
        Whether x <= 5 decides a node that tests x <= 7, or only nodes that test x <= 5. The
        stop *safe* requires *implication*.
    test_probability : {"pooled", "marginal"}, default="pooled"
        With variant *t*: estimate the probability of a test from the nodes that have it, or
        from the training values of its feature.
    stop : {"data", "safe"}, default="data"
        *data*: a node becomes a leaf when the ensemble gives all its rows the same label.
        *safe*: only when the ensemble gives the same label to every possible row without
        missing values. With variant *t*, and if no limit stops the growth, the tree then
        equals the ensemble on all such rows, and can be very large.
    prune : {"pessimistic"} or None, default=None
        Whether to prune the grown tree as C4.5 does, against the ensemble's labels.
    confidence : float, default=0.25
        Confidence of that pruning.
    m : float, default=20
        With variant *hybrid*: the weight of the trees' distribution, in rows.
    collapse : bool, default=True
        Whether to join sibling leaves that have the same label. It changes no label. Leaves are
        counted afterwards, so that ``max_leaves`` is spent on leaves that differ.
    max_leaves : int, optional
        Maximum number of leaves. The most useful splits are made first.
    max_depth : int, optional
        Maximum number of tests on a path.
    max_thresholds : int, "auto" or None, default="auto"
        Maximum number of thresholds per feature, spread evenly over the ensemble's; None uses
        all of them. *auto* uses all, or 255 if the ensemble has more than 20,000 nodes and
        the stop is *data*.
    max_nodes : int, default=1_000_000
        Number of nodes at which growth ends; ``complete_`` is then False.
    max_seconds : float, optional
        Time after which growth ends; ``complete_`` is then False.
    %(categorical_features)s
    %(n_jobs)s
    %(random_state)s

    Attributes
    ----------
    tree_ : Tree
        The tree. Its class counts are those of the training rows: by y, or by the ensemble's
        labels if y was not passed. Its probabilities are the means of the ensemble's over the
        rows.
    %(ensemble_)s
    grown_ : GrownTree
        The tree before siblings were joined, kept for :meth:`resized`.
    proved_ : ndarray of shape (n_nodes,)
        For each node, whether it is a leaf at which the ensemble provably gives every possible
        row without missing values the leaf's label.
    split_step_ : ndarray of shape (n_nodes,)
        For each node, the step in which it was split, the most useful split first; -1 at leaves.
    rest_ : ndarray of shape (n_nodes,)
        For each node: 0 split, 1 proved, 2 the rows agree, 3 no test left, 4 a limit was
        reached, 5 all leaves below it had the same label.
    complete_ : bool
        False if ``max_nodes`` or ``max_seconds`` ended the growth.
    %(fitted_columns)s

    See Also
    --------
    sightline.merge : The exactly equivalent tree or graph.

    Notes
    -----
    All tests of a node are evaluated together in one pass over the nodes of the ensemble that
    are still compatible with the path, instead of one pass per test. A row whose tested value
    is missing follows the majority, so that every training row has one path. It gets the
    ensemble's label wherever the ensemble's tests can separate rows of different labels.

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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
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
        "max_depth": [Interval(Integral, 0, None, closed="left"), None],
        "max_thresholds": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
        "max_nodes": [Interval(Integral, 1, None, closed="left")],
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
        %(X)s
        %(optional_y)s
        %(sample_weight)s
        X_unlabeled : Table, frame or array, optional
            More rows on which the tree should agree with the ensemble, for instance those to be
            predicted (the paper's transductive setting).

        Returns
        -------
        %(fitted_self)s
        """
        teacher = self._resolve_teacher(X, y, sample_weight)
        if isinstance(teacher.ensemble, BlackBox):
            raise UnsupportedModelError(
                f"ISMClassifier computes its tree from the trees of an ensemble, and {teacher.ensemble.name} "
                "has none that can be read. Use DistilledTreeClassifier, which only asks about rows."
            )
        growth = self._grow(teacher, X_unlabeled)
        if self.prune == "pessimistic":
            growth = growth.pruned(_core.C45Options(confidence=self.confidence))
        self.complete_ = growth.complete
        grown = Tree(growth.tree, teacher.table.schema, self.ensemble_.classes_)
        grown = self._with_target_counts(grown, teacher)
        self.grown_ = GrownTree(grown, np.array(growth.step), np.array(growth.rest))
        self._use(self._growth())
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
        # Splits are undone in the reverse order of their usefulness.
        self._use(self._growth().truncated(n_leaves, self.collapse))

    def _growth(self) -> _core.IsmGrowth:
        """Return the growth that smaller trees are cut from."""
        return _core.IsmGrowth(self.grown_.tree.core, self.grown_.step, self.grown_.rest, self.complete_)

    def _use(self, growth: _core.IsmGrowth) -> None:
        if self.collapse:
            growth = growth.joined()
        self.split_step_, self.rest_ = np.array(growth.step), np.array(growth.rest)
        is_leaf = growth.tree.test == LEAF
        self.proved_ = is_leaf & (growth.rest == PROVED)
        proof = Proof(self.proved_, bool(self.proved_[is_leaf].all()), (), growth.tree.n_nodes)
        label_source = self.grown_.tree.label_source
        self.tree_ = Tree(
            growth.tree, self.grown_.tree.schema, self.ensemble_.classes_, 0.0, proof, label_source
        )

    def _grow(self, teacher: Teacher, X_unlabeled: Any) -> _core.IsmGrowth:
        rows, weights = teacher.table, teacher.row_weights
        labels, probabilities = teacher.ensemble_labels, teacher.ensemble_probabilities
        if X_unlabeled is not None:
            more = Table.from_any(X_unlabeled).aligned(teacher.trees.schema, "X_unlabeled")
            if more.n_rows == 0:
                raise DataError("X_unlabeled has no rows. Omit it, or pass some rows.")
            more_labels, more_probabilities = teacher.predict(more)
            rows, weights = rows.stacked(more), np.concatenate([weights, np.ones(more.n_rows)])
            labels = np.concatenate([labels, more_labels])
            probabilities = np.concatenate([probabilities, more_probabilities])
        link = teacher.trees.link
        prepared = _core.IsmEnsemble(
            teacher.trees.core,
            "mean" if link.kind == "mixture" else link.kind,
            list(link.divide_by),
            link.label_above,
            max_thresholds=self._n_thresholds(teacher),
            formula=None if link.formula is None else link.formula.native,
            ties=link.ties,
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
        """Return the maximum number of thresholds per feature; 0 means all."""
        if self.max_thresholds == "auto":
            return BINS if self.stop == "data" and teacher.trees.n_nodes > MANY_NODES else 0
        return int(self.max_thresholds or 0)
