"""Base class of distilled trees and graphs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

from sightline.distill._artificial_choice import without_harm
from sightline.distill._charges import Charges
from sightline.distill._decision import own_threshold
from sightline.distill._distillation_set import DistillationSet
from sightline.distill._remarks import about_columns, about_own_labels
from sightline.distill._screening import screened_out
from sightline.distill._teacher import Teacher
from sightline.distill._tree_distiller import Distiller
from sightline.distill._tree_limits import ROWS_OR_SHARE, TreeLimits, least_support
from sightline.sklearn_internals import Interval, StrOptions

N_ARTIFICIAL = 16_384
"""Default number of artificial rows."""

ARTIFICIAL_WEIGHT = 0.25
"""Weight of an artificial row; a training row has 1."""

MAX_ROWS_TO_AUGMENT = 30_000
"""With more training rows than this, artificial rows do harm."""

SEARCH_ROUNDS = 4
"""Rounds of refinement, after which hardly anything changes. Each starts from the best model so far,
overgrown by a different measure."""


class Distilled(Distiller):
    """Base class of distilled trees and graphs: the rows to learn from, and the limits of tests."""

    ensemble: Any
    augment: str | int
    refine: bool
    min_leaf: float | str
    max_depth: int | None
    max_features: int | None
    exclude: Sequence[Any] | None
    only: Sequence[Any] | None
    prefer: Sequence[Any] | None
    group: Any
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
    }

    @abstractmethod
    def _requested_size(self) -> int | None:
        """Return the requested size."""

    @abstractmethod
    def _chosen_size(self) -> int:
        """Return the default size."""

    @abstractmethod
    def _learn(self, size: int) -> None:
        """Set the fitted model, of at most this size."""

    @abstractmethod
    def _charges(self) -> Charges:
        """Return the loss of the model."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the model.

        The target y is counted in the nodes of the model but does not change its tests, with one exception:
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
        size = self._requested_size()
        self._learn(self._chosen_size() if size is None else size)
        return self

    def _prepared(self, rows: DistillationSet) -> DistillationSet:
        """Return the rows to learn from, without artificial ones if "auto" finds them harmful."""
        is_free = self.augment == "auto" and rows.n_near > 0
        return without_harm(rows) if is_free else rows

    def _resolve_teacher(self, X: Any, y: Any, sample_weight: Any) -> Teacher:
        teacher = self._decided(super()._resolve_teacher(X, y, sample_weight))
        self.ensemble_ = teacher.ensemble
        return teacher.labeled_by(self._label_rule(teacher))

    def _decided(self, teacher: Teacher) -> Teacher:
        """Return the teacher with the labels that the model imitates."""
        return teacher

    def _label_rule(self, teacher: Teacher) -> str:
        """Return a sentence that says how labels are decided; empty if the most probable class wins."""
        return about_own_labels(own_threshold(teacher.ensemble), teacher)

    @property
    def remarks_(self) -> list[str]:
        """Facts about the model, such as the threshold of its labels or the columns that it must not test."""
        rows = self.distillation_set_
        rule = rows.teacher.table.schema.subject.label_rule
        return [
            *([rule] if rule else []),
            *self._weight_remarks(),
            *about_columns(rows.limits, rows.teacher),
            *super().remarks_,
        ]

    def _weight_remarks(self) -> list[str]:
        """Say how the rows of each class were weighted."""
        return []

    def _artificial_weight(self, teacher: Teacher) -> float:  # noqa: ARG002 - the regressor needs it
        """Return the weight of an artificial row, a power of two."""
        return ARTIFICIAL_WEIGHT

    def _limits(self, teacher: Teacher) -> TreeLimits:
        return TreeLimits(
            self._least_support(teacher),
            self.max_depth,
            self.max_features,
            self.exclude,
            self.only,
            self.prefer,
            self.group,
            tuple(screened_out(teacher, self._artificial_seed())),
        )

    def _least_support(self, teacher: Teacher) -> float | None:
        """Return the least weight of training rows in a leaf; None if it depends on the tree's size."""
        if isinstance(self.min_leaf, str):
            return None
        return least_support(self.min_leaf, teacher.row_weights.sum())

    def _n_artificial(self, teacher: Teacher) -> int:
        if not isinstance(self.augment, str):
            return self.augment
        n_training = teacher.table.n_rows if teacher.weights is None else teacher.weights.sum()
        return N_ARTIFICIAL if n_training <= MAX_ROWS_TO_AUGMENT else 0
