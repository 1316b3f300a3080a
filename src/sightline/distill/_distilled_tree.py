"""What distilled trees of classes and of numbers share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

from sightline import _core
from sightline.distill._artificial_choice import without_harm
from sightline.distill._charges import Charges
from sightline.distill._distillation_set import DistillationSet
from sightline.distill._monotone import checked_directions
from sightline.distill._remarks import about_columns, about_directions
from sightline.distill._screening import unhelpful_columns
from sightline.distill._teacher import Teacher
from sightline.distill._tree_distiller import TreeDistiller
from sightline.distill._tree_limits import ROWS_OR_SHARE, TreeLimits, least_support
from sightline.model import Tree
from sightline.sklearn_internals import Interval, StrOptions

N_ARTIFICIAL = 16_384
"""Default number of artificial rows."""

ARTIFICIAL_WEIGHT = 0.25
"""Weight of an artificial row; a training row has 1."""

MAX_ROWS_TO_AUGMENT = 30_000
"""With more training rows than this, artificial rows do harm."""

SEARCH_ROUNDS = 4
"""Rounds of refinement, after which hardly anything changes. Each starts from the best tree so far,
overgrown by another measure."""


class DistilledTree(TreeDistiller):
    """What distilled trees of classes and of numbers share."""

    ensemble: Any
    max_leaves: int | None
    augment: str | int
    refine: bool
    min_leaf: float | str
    max_depth: int | None
    max_features: int | None
    exclude: Sequence[Any] | None
    only: Sequence[Any] | None
    prefer: Sequence[Any] | None
    group: Any
    monotone: Mapping[Any, int] | None
    n_jobs: int | None
    distillation_set_: DistillationSet

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "augment": [StrOptions({"auto"}), Interval(Integral, 0, None, closed="left")],
        "refine": ["boolean"],
        "min_leaf": [*ROWS_OR_SHARE, StrOptions({"auto"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
        "exclude": ["array-like", None],
        "only": ["array-like", None],
        "prefer": ["array-like", None],
        "group": [Mapping, "array-like", None],
        "monotone": [Mapping, None],
    }

    @abstractmethod
    def _chosen_size(self) -> int:
        """Return the number of leaves of a tree of which none is given."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the tree.

        The target y is counted in the nodes of the tree but does not change its tests, with one exception:
        dates, identifiers and large categories are tested only if they help to predict held-out rows.

        %(distill_sections)s
        """
        teacher = self._resolve_teacher(X, y, sample_weight)
        rows = DistillationSet(
            teacher,
            self._artificial_seed(),
            n_near=self._n_artificial(teacher),
            artificial_weight=self._artificial_weight(teacher),
            charges=self._charges(),
            limits=self._limits(teacher),
        )
        self.distillation_set_ = self._prepared(rows)
        self.tree_ = self._refined(self._chosen_size() if self.max_leaves is None else self.max_leaves)
        return self

    def _prepared(self, rows: DistillationSet) -> DistillationSet:
        """Return the rows to learn from: without artificial ones if these are not asked for and do harm."""
        is_free = self.augment == "auto" and rows.n_near > 0
        return without_harm(rows) if is_free else rows

    @property
    def remarks_(self) -> list[str]:
        """Sentences about the tree that one cannot see in it, such as the columns that it must not test."""
        rows, directions = self.distillation_set_, self._directions()
        schema = rows.teacher.table.schema
        return [
            *about_columns(rows.limits, rows.teacher),
            *(about_directions(directions, schema, self._monotone_answer()) if directions else []),
        ]

    @abstractmethod
    def _monotone_answer(self) -> str:
        """Name what only rises or falls."""

    def _artificial_weight(self, teacher: Teacher) -> float:  # noqa: ARG002 - the regressor needs it
        """Return the weight of an artificial row, a power of two."""
        return ARTIFICIAL_WEIGHT

    @abstractmethod
    def _charges(self) -> Charges:
        """Return what the tree is charged for."""

    def _limits(self, teacher: Teacher) -> TreeLimits:
        return TreeLimits(
            self._least_support(teacher),
            self.max_depth,
            self.max_features,
            self.exclude,
            self.only,
            self.prefer,
            self.group,
            tuple(unhelpful_columns(teacher, self._artificial_seed())),
        )

    def _least_support(self, teacher: Teacher) -> float | None:
        """Return the least weight of training rows in a leaf; None if it depends on the tree's size."""
        if isinstance(self.min_leaf, str):
            return None
        return least_support(self.min_leaf, teacher.row_weights.sum())

    def _resize(self, n_leaves: int) -> None:
        self.max_leaves = n_leaves
        self.tree_ = self._refined(n_leaves)

    def _refined(self, n_leaves: int) -> Tree:
        small = self.distillation_set_.distilled(n_leaves, refine=self.refine, search_rounds=SEARCH_ROUNDS)
        return self._tree_of(small)

    def _tree_of(self, small: _core.SmallTree) -> Tree:
        rows = self.distillation_set_
        classes, source = getattr(self, "classes_", None), rows.teacher.label_source
        return Tree(small.tree(rows.native), rows.teacher.table.schema, classes, label_source=source)

    def _directions(self) -> dict[int, int]:
        return checked_directions(self.distillation_set_.teacher.table.schema, self.monotone or {})

    def _n_artificial(self, teacher: Teacher) -> int:
        if not isinstance(self.augment, str):
            return self.augment
        n_training = teacher.table.n_rows if teacher.weights is None else teacher.weights.sum()
        return N_ARTIFICIAL if n_training <= MAX_ROWS_TO_AUGMENT else 0
