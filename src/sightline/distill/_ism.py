"""ISM: one tree computed from an ensemble; the base class for classes and numbers."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.budget import Deadline
from sightline.distill._teacher import Teacher
from sightline.distill._tree_distiller import TreeDistiller
from sightline.distill._tree_limits import ROWS_OR_SHARE, least_support, within_columns
from sightline.exceptions import DataError, ParameterError, UnsupportedModelError
from sightline.model import LEAF, BlackBox, Link, Proof, Tree
from sightline.sklearn_internals import Interval, StrOptions
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
    """Base class of ISM trees, of classes or numbers."""

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
        """Whether a test decides only those ensemble nodes that have the same test."""
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
                f"{type(self).__name__} computes its tree from the trees of an ensemble, but {box.name} has "
                f"none that can be read. {why}Use {self._row_asker()}, which only needs predictions."
            )
        if teacher.trees.link.kind == "median":
            raise UnsupportedModelError(
                f"{type(self).__name__} sums the trees' predictions, but the ensemble predicts their "
                f"median. Use {self._row_asker()}, which only needs predictions."
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
        """Return the full growth, from which smaller trees are cut."""
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
        """Return what the trees' sums mean, for the kernel. A mixture is decided by its formula."""
        if self.task == "numbers":
            return "identity"
        return "mean" if link.kind == "mixture" else link.kind

    def _n_thresholds(self, teacher: Teacher) -> int:
        """Return the maximum number of thresholds per feature; 0 means all."""
        if self.max_thresholds == "auto":
            return BINS if self.stop == "data" and teacher.trees.n_nodes > MANY_NODES else 0
        return int(self.max_thresholds or 0)
