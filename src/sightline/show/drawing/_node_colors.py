"""The colors of a drawing: by class, or by number."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sightline.model import NodeModel, Tree
from sightline.show._outline import Outline
from sightline.show.drawing._palette import NEUTRAL, class_colors, number_color
from sightline.wording import answer_text

Bar = tuple[tuple[float, str], ...]
"""Parts of a bar from the left: share of its width, and color."""


@dataclass(frozen=True)
class NodeColors:
    """How the nodes of a tree or graph are colored.

    Parameters
    ----------
    tree : Tree or Graph
        The model.
    outline : Outline
        Its outline.
    """

    tree: NodeModel
    outline: Outline

    def color(self, node: int) -> str:
        """Return the color of a leaf's answer."""
        if self.tree.classes_ is not None:
            return self.of_class[int(self.outline.best[node])]
        return number_color(self._share(node)) if self.outline.is_leaf[node] else NEUTRAL

    def of_key(self, key: float) -> str:
        """Return the color of a part of a chart: of a class, or of a number."""
        if self.tree.classes_ is not None:
            return self.of_class[int(key)]
        return number_color(min(max(self._place(key), 0.0), 1.0))

    def bar(self, node: int) -> Bar:
        """Return the classes of the training rows, or how far up the scale the number of a leaf is."""
        if self.tree.classes_ is not None:
            shares = self.outline.mix[node].tolist()
            return tuple((share, self.of_class[k]) for k, share in enumerate(shares) if share > 0)
        return ((self._share(node), self.color(node)),) if self.outline.is_leaf[node] else ()

    def has_bar(self, node: int) -> bool:
        """Return whether the bar of a node has any part."""
        if self.tree.classes_ is not None:
            return self.outline.has_mix[node]
        return bool(self.outline.is_leaf[node])

    @cached_property
    def of_class(self) -> list[str]:
        """The colors of the classes; the positive class has the same color in every drawing."""
        classes = [] if self.tree.classes_ is None else self.tree.classes_.tolist()
        return class_colors(classes, self.tree.positive)

    def scale(self) -> list[tuple[str, str]]:
        """Return the ends of the scale of numbers, each as its color and its name."""
        low, high = self._ends
        if low == high:
            return []
        what = " mean" if isinstance(self.tree, Tree) and self.tree.lines is not None else ""
        return [
            (number_color(0.0), f"lowest{what}: {answer_text(low)}"),
            (number_color(1.0), f"highest{what}: {answer_text(high)}"),
        ]

    def _share(self, node: int) -> float:
        return self._place(float(self.tree.core.output[node, 0]))

    def _place(self, number: float) -> float:
        """Return the position of a number on the scale from the lowest prediction, 0, to the highest, 1."""
        low, high = self._ends
        # Halves, because the distance of large numbers may overflow.
        span = high / 2 - low / 2
        return (number / 2 - low / 2) / span if span > 0 else 1.0

    @cached_property
    def _ends(self) -> tuple[float, float]:
        numbers = np.asarray(self.tree.core.output)[self.outline.is_leaf, 0]
        return float(numbers.min()), float(numbers.max())
