"""LightGBM's ``zero_as_missing``: tests that send numbers near zero where missing values go.

Such a test accepts two intervals of numbers. It becomes several tests of one interval each, with
copies of the subtrees below. On a path, each feature is split at most once: after that, it is known
whether its value is negative, zero or positive.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._binary_nodes import BinaryNodes, Subsets

ABOUT_ZERO = float(np.float32(1e-35))
BELOW_ZERO = float(np.nextafter(-ABOUT_ZERO, -np.inf))
_MAX_NODES = 2**20
_NEGATIVE, _NEAR_ZERO, _POSITIVE = "negative", "about zero", "positive"


def without_zero_as_missing(nodes: BinaryNodes, zero_nodes: NDArray[np.intp], where: str) -> BinaryNodes:
    """Replace tests that treat zero as missing with plain tests.

    Parameters
    ----------
    nodes : BinaryNodes
        The nodes of a tree. ``missing_goes_left`` is also the direction of zero.
    zero_nodes : ndarray of int
        The tests that treat zero as missing.
    where : str
        The tree, for the error message.

    Returns
    -------
    BinaryNodes
        The same function of every number.

    Raises
    ------
    UnsupportedModelError
        If the result has too many nodes.
    """
    return _Rewriting(nodes, set(zero_nodes.tolist()), where).run()


class _Rewriting:
    def __init__(self, nodes: BinaryNodes, zero_nodes: set[int], where: str) -> None:
        self.nodes = nodes
        self.zero_nodes = zero_nodes
        self.where = where
        # Per new node: the old node, and its own threshold, children and direction.
        self.source: list[int] = []
        self.is_leaf: list[bool] = []
        self.threshold: list[float] = []
        self.children: list[list[int]] = []
        self.missing_left: list[bool] = []
        # Work left: an old node, what is known on the path to it, its new parent and its side.
        self.pending: list[tuple[int, dict[int, str], int, int]] = []

    def run(self) -> BinaryNodes:
        self.pending.append((0, {}, -1, 0))
        while self.pending:
            old, known, parent, side = self.pending.pop()
            n_old = len(self.nodes.is_leaf)
            if not 0 <= old < n_old or len(self.source) > _MAX_NODES:
                self._refuse(old, n_old)
            new = len(self.source)
            if parent >= 0:
                self.children[parent][side] = new
            self._write(old, known)
        return self._result()

    def _refuse(self, old: int, n_old: int) -> None:
        if not 0 <= old < n_old:
            raise ModelFormatError(f"{self.where}: child {old} does not exist (the tree has {n_old} nodes).")
        raise UnsupportedModelError(
            f"{self.where}: needs more than {_MAX_NODES} nodes without zero_as_missing."
        )

    def _add(self, old: int, threshold: float, missing_left: bool) -> int:
        self.source.append(old)
        self.is_leaf.append(bool(self.nodes.is_leaf[old]))
        self.threshold.append(threshold)
        self.children.append([-1, -1])
        self.missing_left.append(missing_left)
        return len(self.source) - 1

    def _write(self, old: int, known: dict[int, str]) -> None:
        threshold, to_left = float(self.nodes.threshold[old]), bool(self.nodes.missing_goes_left[old])
        new = self._add(old, threshold, to_left)
        if self.nodes.is_leaf[old]:
            return
        left, right = int(self.nodes.left[old]), int(self.nodes.right[old])
        feature = int(self.nodes.feature[old])
        if old not in self.zero_nodes or known.get(feature) in (_NEGATIVE, _POSITIVE):
            self._then(new, (left, known), (right, known))
        elif known.get(feature) == _NEAR_ZERO:
            # Every row here goes the same way, so the threshold lies above or below all of them.
            self.threshold[new] = ABOUT_ZERO if to_left else BELOW_ZERO
            self._then(new, (left, known), (right, known))
        elif -ABOUT_ZERO <= threshold <= ABOUT_ZERO or (threshold > 0) == to_left:
            # Zero already goes the right way. A threshold within the range near zero moves to its edge.
            inside = -ABOUT_ZERO <= threshold <= ABOUT_ZERO
            self.threshold[new] = (ABOUT_ZERO if to_left else BELOW_ZERO) if inside else threshold
            self._then(new, (left, known), (right, known))
        else:
            self._split(new, old, known)

    def _then(self, new: int, left: tuple[int, dict[int, str]], right: tuple[int, dict[int, str]]) -> None:
        self.pending.append((*right, new, 1))
        self.pending.append((*left, new, 0))

    def _split(self, new: int, old: int, known: dict[int, str]) -> None:
        """Test for negative numbers, then for zero, then as the old test does."""
        threshold, to_left = float(self.nodes.threshold[old]), bool(self.nodes.missing_goes_left[old])
        left, right, feature = (int(getattr(self.nodes, name)[old]) for name in ("left", "right", "feature"))
        negative, zero, positive = ({**known, feature: sign} for sign in (_NEGATIVE, _NEAR_ZERO, _POSITIVE))
        self.threshold[new], self.missing_left[new] = BELOW_ZERO, False
        about_zero = self._add(old, ABOUT_ZERO, True)
        self.children[new][1] = about_zero
        self.pending.append((left if to_left else right, zero, about_zero, 0))
        if threshold > 0:
            # All negative numbers pass the test, and some positive ones.
            last = self._add(old, threshold, False)
            self.children[about_zero][1] = last
            self.pending.append((left, negative, new, 0))
            self._then(last, (left, positive), (right, positive))
        else:
            first = self._add(old, threshold, False)
            self.children[new][0] = first
            self.pending.append((right, positive, about_zero, 1))
            self._then(first, (left, negative), (right, negative))

    def _result(self) -> BinaryNodes:
        source = np.array(self.source)
        subsets = self.nodes.subsets
        if subsets is not None:
            begin, end = subsets.category_begin[source], subsets.category_begin[source + 1]
            parts = [subsets.category[b:e] for b, e in zip(begin, end, strict=True)]
            ends = np.concatenate([[0], (end - begin).cumsum()])
            subsets = Subsets(subsets.is_subset[source], ends, np.concatenate(parts))
        children = np.array(self.children, dtype=np.int64)
        return replace(
            self.nodes,
            is_leaf=np.array(self.is_leaf),
            feature=self.nodes.feature[source],
            threshold=np.array(self.threshold),
            left=children[:, 0],
            right=children[:, 1],
            missing_goes_left=np.array(self.missing_left),
            weight=self.nodes.weight[source],
            output=self.nodes.output[source],
            subsets=subsets,
        )
