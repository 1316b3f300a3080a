"""Base class of distilled trees, of classes or numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from sightline import _core
from sightline.distill._distilled import SEARCH_ROUNDS, Distilled
from sightline.distill._monotone import checked_directions
from sightline.distill._remarks import about_directions
from sightline.distill._tree_distiller import TreeDistiller
from sightline.exceptions import ParameterError
from sightline.model import Tree, with_presence_tests
from sightline.passes import Refinement


class DistilledTree(Distilled, TreeDistiller):
    """Base class of distilled trees, of classes or numbers."""

    max_leaves: int | None
    monotone: Mapping[Any, int] | None

    _parameter_constraints: ClassVar[dict[str, Any]] = {"monotone": [Mapping, None]}

    def _requested_size(self) -> int | None:
        return self.max_leaves

    def _learn(self, size: int) -> None:
        self.tree_ = self._refined(size)

    @property
    def remarks_(self) -> list[str]:
        """Facts about the tree that it does not show, such as the columns that it must not test."""
        directions, schema = self._directions(), self.distillation_set_.teacher.table.schema
        words = about_directions(directions, schema, self._monotone_answer()) if directions else []
        return [*super().remarks_, *words]

    @abstractmethod
    def _monotone_answer(self) -> str:
        """Name what only rises or falls."""

    def _resize(self, n_leaves: int) -> None:
        self.max_leaves = n_leaves
        self.tree_ = self._refined(n_leaves)

    def _refined(self, n_leaves: int) -> Tree:
        small = self.distillation_set_.distilled(n_leaves, refine=self.refine, search_rounds=SEARCH_ROUNDS)
        return with_presence_tests(self._tree_of(small))

    def _tree_of(self, small: _core.SmallTree) -> Tree:
        rows = self.distillation_set_
        classes, source = getattr(self, "classes_", None), rows.teacher.label_source
        return Tree(small.tree(rows.native), rows.teacher.table.schema, classes, label_source=source)

    def _refinement(self) -> Refinement:
        """Return what further passes over the rows may change in the tree."""
        rows, tree = self.distillation_set_, self.tree_
        charges, teacher = rows.charges, rows.teacher
        if self.monotone or tree.lines is not None or charges.by_cost:
            raise ParameterError(
                "refine_passes does not work with monotone, cost_matrix or lines in leaves. Omit it."
            )
        bins = rows.bins
        cuts = [np.array(bins.cuts(feature)) for feature in range(len(teacher.table.columns))]
        total = float(teacher.row_weights.sum())
        least = rows.limits.min_leaf_of(tree.size_["leaves"], total) / total
        return Refinement(tree, cuts, charges.node_loss(teacher, rows.shift), least)

    def _directions(self) -> dict[int, int]:
        return checked_directions(self.distillation_set_.teacher.table.schema, self.monotone or {})
