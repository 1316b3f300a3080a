"""ISM: one tree computed from the class distributions, or the numbers, of an ensemble."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from sightline import _core
from sightline.budget import Deadline
from sightline.distill._teacher import Teacher
from sightline.distill._tree_distiller import TreeDistiller
from sightline.distill._tree_limits import ROWS_OR_SHARE, least_support, within_columns
from sightline.estimator import SightlineClassifier, SightlineRegressor
from sightline.exceptions import DataError, ParameterError, UnsupportedModelError
from sightline.model import LEAF, BlackBox, Link, Proof, Tree
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


class ISMTree(TreeDistiller):
    """What ISM trees of classes and of numbers share."""

    variant: str
    matching: str | None
    test_probability: str
    stop: str
    prune: str | None
    m: float
    max_leaves: int | None
    max_depth: int | None
    max_thresholds: int | str | None
    min_leaf: float
    max_features: int | None
    max_nodes: int
    max_seconds: float | None

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "variant": [StrOptions({"t", "td", "d", "hybrid"})],
        "matching": [StrOptions({"implication", "literal"})],
        "test_probability": [StrOptions({"pooled", "marginal"})],
        "stop": [StrOptions({"data", "safe"})],
        "prune": [StrOptions({"pessimistic"}), None],
        "m": [Interval(Real, 0, None, closed="left")],
        "max_depth": [Interval(Integral, 0, None, closed="left"), None],
        "max_thresholds": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None],
        "min_leaf": [*ROWS_OR_SHARE],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
        "max_nodes": [Interval(Integral, 1, None, closed="left")],
    }

    @property
    @abstractmethod
    def _joins(self) -> bool:
        """Whether sibling leaves of the same label are joined."""

    @property
    def _matches_literally(self) -> bool:
        """Whether a test decides only the nodes of the ensemble that have it."""
        return self.matching == "literal"

    @abstractmethod
    def _measures(self) -> dict[str, Any]:
        """Return the options that only classes, or only numbers, have."""

    @abstractmethod
    def _pruned(self, growth: _core.IsmGrowth) -> _core.IsmGrowth:
        """Return the growth without the splits that pessimistic pruning removes."""

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
            box = teacher.ensemble
            why = f"{box.refusal} " if box.refusal else ""
            raise UnsupportedModelError(
                f"{type(self).__name__} computes its tree from the trees of an ensemble, and {box.name} has "
                f"none that can be read. {why}Use {self._row_asker()}, which only asks about rows."
            )
        if teacher.trees.link.kind == "median":
            raise UnsupportedModelError(
                f"{type(self).__name__} adds up what the trees predict, but the ensemble predicts their "
                f"median. Use {self._row_asker()}, which only asks about rows."
            )
        growth = within_columns(
            lambda banned: self._grow(teacher, X_unlabeled, banned), attrgetter("tree"), self.max_features
        )
        if self.prune == "pessimistic":
            growth = self._pruned(growth)
        self.complete_ = growth.complete
        grown = Tree(growth.tree, teacher.table.schema, self._classes)
        grown = self._with_target_counts(grown, teacher)
        self.grown_ = GrownTree(grown, np.array(growth.step), np.array(growth.rest))
        self._use(self._growth())
        return self

    @property
    def _classes(self) -> NDArray[Any] | None:
        return getattr(self, "classes_", None)

    def _row_asker(self) -> str:
        """Name the estimator that needs no trees."""
        return type(self).__name__.replace("ISM", "DistilledTree")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._check_support()
        if self.stop == "safe" and self._matches_literally:
            # Nodes that the path implies stay in the trees but may not be tested again, so that
            # growth ends without a test where the labels still differ.
            raise ParameterError(
                f"stop='safe' of {type(self).__name__} requires matching='implication': with "
                "matching='literal' the tree would not equal the ensemble. "
                "Use stop='data' for literal matching."
            )

    def _check_support(self) -> None:
        if self.min_leaf and self.variant == "t" and self.test_probability == "marginal":
            raise ParameterError(
                f"min_leaf of {type(self).__name__} counts the rows of a node, but variant='t' with "
                "test_probability='marginal' counts all rows. Use test_probability='pooled'."
            )

    def _resize(self, n_leaves: int) -> None:
        # Splits are undone in the reverse order of their usefulness.
        self._use(self._growth().truncated(n_leaves, self._joins))

    def _growth(self) -> _core.IsmGrowth:
        """Return the growth that smaller trees are cut from."""
        return _core.IsmGrowth(self.grown_.tree.core, self.grown_.step, self.grown_.rest, self.complete_)

    def _use(self, growth: _core.IsmGrowth) -> None:
        if self._joins:
            growth = growth.joined()
        self.split_step_, self.rest_ = np.array(growth.step), np.array(growth.rest)
        is_leaf = growth.tree.test == LEAF
        self.proved_ = is_leaf & (growth.rest == PROVED)
        proof = Proof(self.proved_, bool(self.proved_[is_leaf].all()), (), growth.tree.n_nodes)
        grown = self.grown_.tree
        numbers = None if grown.numbers is None else grown.numbers.at(growth.source)
        self.tree_ = Tree(growth.tree, grown.schema, self._classes, 0.0, proof, grown.label_source, numbers)

    def _grow(self, teacher: Teacher, X_unlabeled: Any, banned: list[int]) -> _core.IsmGrowth:
        deadline = Deadline(self.max_seconds)
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
            self._sum_kind(link),
            list(link.divide_by),
            link.label_above,
            max_thresholds=self._n_thresholds(teacher),
            formula=None if link.formula is None else link.formula.native,
            ties=link.ties,
        )
        options = _core.IsmOptions(
            variant=self.variant,
            literal_matching=self._matches_literally,
            pooled_probability=self.test_probability == "pooled",
            stop_on_rows=self.stop == "data",
            stop_when_safe=True,
            m=float(self.m),
            max_leaves=self.max_leaves or 0,
            join_siblings=self._joins,
            max_nodes=self.max_nodes,
            max_depth=-1 if self.max_depth is None else self.max_depth,
            max_seconds=deadline.seconds_left,
            min_leaf=least_support(self.min_leaf, teacher.row_weights.sum()),
            banned=[int(column in banned) for column in range(len(teacher.table.columns))] if banned else [],
            **self._measures(),
        )
        flat = np.ascontiguousarray(probabilities).ravel()
        return prepared.grow(rows.native(), labels, flat, weights, options)

    def _sum_kind(self, link: Link) -> str:
        """Return what the sums of the trees are, for the kernel. A formula decides about a mixture."""
        if self.task == "numbers":
            return "identity"
        return "mean" if link.kind == "mixture" else link.kind

    def _n_thresholds(self, teacher: Teacher) -> int:
        """Return the maximum number of thresholds per feature; 0 means all."""
        if self.max_thresholds == "auto":
            return BINS if self.stop == "data" and teacher.trees.n_nodes > MANY_NODES else 0
        return int(self.max_thresholds or 0)


class ISMClassifier(ISMTree, SightlineClassifier):
    """Compute one decision tree from the class distributions of an ensemble, without artificial rows.

    The tree uses the tests of the ensemble. The next test is the one with the largest
    information gain according to the ensemble itself: each of its trees gives the class
    distribution under the tests so far, and a node that they do not decide passes on both
    sides by its training shares.

    Parameters
    ----------
    %(ensemble)s
    preset : {"default", "paper"}, default="default"
        The values of ``gain``, ``without_gain``, ``matching`` and ``collapse`` that are None. *paper*: those
        of the paper, with all thresholds of the ensemble.
    variant : {"t", "td", "d", "hybrid"}, default="td"
        Source of the probabilities. *t*: the trees. *td*: the trees, but the probability of a
        test comes from the rows. *d*: the class distributions come from the ensemble's
        predictions for the rows, too. *hybrid*: as *d*, with the trees' distribution counting
        as ``m`` rows.
    gain : {"mixture", "literal"}, optional
        Entropy before the test: of the mixture of both sides, so that no gain is negative (default
        preset), or of the ensemble's own distribution, as in the paper's formula.
    without_gain : {"split", "stop"}, optional
        What to do if no test has a positive gain although the labels differ: take the best test
        (default preset), or leave the node unsplit, as in the paper.
    criterion : {"information_gain", "gain_ratio"}, default="information_gain"
        Measure that the best test maximizes.
    matching : {"implication", "literal"}, optional
        Whether x <= 5 decides a node that tests x <= 7 (default preset), or only nodes that test
        x <= 5 (paper). The stop *safe* requires *implication*.
    %(ism_test_probability)s
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
    collapse : bool, optional
        Whether to join sibling leaves that have the same label (default preset: True; paper: False).
        It changes no label. Leaves are counted afterwards, so that ``max_leaves`` is spent on leaves
        that differ.
    %(ism_limits)s
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
    %(ism_growth)s
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
        "gain": [StrOptions({"mixture", "literal"})],
        "without_gain": [StrOptions({"split", "stop"})],
        "criterion": [StrOptions({"information_gain", "gain_ratio"})],
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "collapse": ["boolean"],
    }

    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "default": {
            "gain": "mixture",
            "without_gain": "split",
            "matching": "implication",
            "collapse": True,
        },
        "paper": {
            "gain": "literal",
            "without_gain": "stop",
            "matching": "literal",
            "collapse": False,
        },
    }

    def __init__(
        self,
        ensemble: Any = None,
        *,
        preset: str = "default",
        variant: str = "td",
        gain: str | None = None,
        without_gain: str | None = None,
        criterion: str = "information_gain",
        matching: str | None = None,
        test_probability: str = "pooled",
        stop: str = "data",
        prune: str | None = None,
        confidence: float = 0.25,
        m: float = 20,
        collapse: bool | None = None,
        max_leaves: int | None = None,
        max_depth: int | None = None,
        max_features: int | None = None,
        min_leaf: float = 0,
        max_thresholds: int | str | None = "auto",
        max_nodes: int = 1_000_000,
        max_seconds: float | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.ensemble = ensemble
        self.preset = preset
        self.variant = variant
        self.gain = gain
        self.without_gain = without_gain
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
        self.max_features = max_features
        self.min_leaf = min_leaf
        self.max_thresholds = max_thresholds
        self.max_nodes = max_nodes
        self.max_seconds = max_seconds
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def _joins(self) -> bool:
        return bool(self._setting("collapse"))

    @property
    def _matches_literally(self) -> bool:
        return bool(self._setting("matching") == "literal")

    def _measures(self) -> dict[str, Any]:
        return {
            "mixture_gain": self._setting("gain") == "mixture",
            "split_without_gain": self._setting("without_gain") == "split",
            "gain_ratio": self.criterion == "gain_ratio",
        }

    def _n_thresholds(self, teacher: Teacher) -> int:
        if self.preset == "paper" and self.max_thresholds == "auto":
            return 0
        return super()._n_thresholds(teacher)

    def _pruned(self, growth: _core.IsmGrowth) -> _core.IsmGrowth:
        return growth.pruned(_core.C45Options(confidence=self.confidence))


class ISMRegressor(ISMTree, SightlineRegressor):
    """Compute one tree of numbers from the trees of an ensemble, without artificial rows.

    The tree uses the tests of the ensemble. The next test is the one with the largest reduction
    of variance according to the ensemble itself: each of its trees gives the mean of its
    numbers under the tests so far, and a node that they do not decide passes on both sides by
    its training shares.

    Parameters
    ----------
    %(ensemble)s
    variant : {"t", "td", "d", "hybrid"}, default="td"
        Source of the probabilities. *t*: the trees. *td*: the trees, but the probability of a
        test comes from the rows. *d*: the means come from the ensemble's predictions for the
        rows, too. *hybrid*: as *d*, with the trees' mean counting as ``m`` rows.
    matching : {"implication", "literal"}, default="implication"
        Whether x <= 5 decides a node that tests x <= 7, or only nodes that test x <= 5. The
        stop *safe* requires *implication*.
    %(ism_test_probability)s
    stop : {"data", "safe"}, default="data"
        *data*: a node becomes a leaf when the ensemble's numbers for its rows are nearly the
        same; see ``min_deviation``. *safe*: only when the ensemble gives the same number to
        every possible row without missing values. With variant *t*, and if no limit stops the
        growth, the tree then equals the ensemble on all such rows, and can be very large.
    min_deviation : float, default=0.05
        With the stop *data*: numbers are nearly the same if their standard deviation is at most
        this share of that of all rows' numbers.
    prune : {"pessimistic"} or None, default=None
        Whether to prune the grown tree as M5 does, against the ensemble's numbers: the absolute
        errors of a leaf with n rows count (n + 1) / (n - 1) times.
    m : float, default=20
        With variant *hybrid*: the weight of the trees' mean, in rows.
    %(ism_limits)s
    %(categorical_features)s
    %(n_jobs)s
    %(random_state)s

    Attributes
    ----------
    tree_ : Tree
        The tree. A leaf answers with the mean of the ensemble's numbers over its rows.
        ``tree_.numbers`` has the mean and deviation of y in the training rows of each node, or of
        the ensemble's numbers if y was not passed.
    %(ensemble_)s
    %(ism_growth)s
    %(fitted_regression)s

    See Also
    --------
    ISMClassifier : The same for classes.
    DistilledTreeRegressor : A more faithful tree of the same size, from artificial rows.

    Notes
    -----
    The gain of a test is the variance between its sides: the sum, over its outcomes, of their
    probability times the squared distance of their mean from the common mean. By the law of
    total variance that is the whole reduction of variance. The variance that remains on each side
    cancels, so that the dependence between the trees does not matter.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from sightline import ISMRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> forest = RandomForestRegressor(50, random_state=0).fit(X, y)
    >>> ism = ISMRegressor(forest, max_leaves=8).fit(X, y)
    >>> ism.tree_.n_leaves
    8
    >>> ism.score(X, forest.predict(X)) > 0.6
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "min_deviation": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        ensemble: Any = None,
        *,
        variant: str = "td",
        matching: str = "implication",
        test_probability: str = "pooled",
        stop: str = "data",
        min_deviation: float = 0.05,
        prune: str | None = None,
        m: float = 20,
        max_leaves: int | None = None,
        max_depth: int | None = None,
        max_features: int | None = None,
        min_leaf: float = 0,
        max_thresholds: int | str | None = "auto",
        max_nodes: int = 1_000_000,
        max_seconds: float | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.ensemble = ensemble
        self.variant = variant
        self.matching = matching
        self.test_probability = test_probability
        self.stop = stop
        self.min_deviation = min_deviation
        self.prune = prune
        self.m = m
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.max_features = max_features
        self.min_leaf = min_leaf
        self.max_thresholds = max_thresholds
        self.max_nodes = max_nodes
        self.max_seconds = max_seconds
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def _joins(self) -> bool:
        return False

    def _measures(self) -> dict[str, Any]:
        return {"mixture_gain": True, "gain_ratio": False, "min_deviation": float(self.min_deviation)}

    def _pruned(self, growth: _core.IsmGrowth) -> _core.IsmGrowth:
        return growth.pruned_numbers()
