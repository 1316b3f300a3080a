"""Monotone trees: the prediction never falls, or never rises, with some columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.distill._tree_limits import columns_named
from sightline.exceptions import ParameterError
from sightline.model import LEAF, SUBSET, Tree
from sightline.table import Schema


def checked_directions(schema: Schema, monotone: Mapping[Any, int]) -> dict[int, int]:
    """Return the direction, 1 or -1, by index of the column.

    Parameters
    ----------
    schema : Schema
        The columns.
    monotone : mapping of column to int
        1 for columns with which the prediction may only rise, -1 for those with which it may only fall; 0 for
        neither.

    Returns
    -------
    dict of int to int
        Without the columns of direction 0.

    Raises
    ------
    ParameterError
        If a column does not exist or is nominal, or a direction is a different number.
    """
    if not isinstance(monotone, Mapping):
        raise ParameterError(
            f"monotone must be a dictionary, such as {{'age': 1}}. Got {monotone!r} instead."
        )
    directions = {}
    for column, direction in monotone.items():
        (index,) = columns_named(schema, [column], "monotone")
        feature = schema.features[index]
        if direction not in (-1, 0, 1):
            raise ParameterError(f"monotone must give {feature.name!r} 1, 0 or -1, not {direction!r}.")
        if feature.is_nominal:
            raise ParameterError(
                f"monotone names {feature.name!r}, which is nominal: its values have no order."
            )
        if direction:
            directions[index] = int(direction)
    return directions


def monotone_values(
    tree: Tree, values: NDArray[np.float64], directions: Mapping[int, int]
) -> NDArray[np.float64]:
    """Return values of the leaves that are monotone, near the given ones.

    Leaves in the wrong order are pooled, each with its weight, by the generalized
    pool-adjacent-violators algorithm [1]_.

    Parameters
    ----------
    tree : Tree
        A tree of numeric and subset tests.
    values : ndarray of shape (n_nodes,)
        What each node predicts.
    directions : mapping of int to int
        Direction, 1 or -1, by column.

    Returns
    -------
    ndarray of shape (n_nodes,)
        The given values, except at leaves that had to change.

    References
    ----------
    .. [1] O. Burdakov, O. Sysoev, A. Grimvall and M. Hussian, "An O(n²) algorithm for isotonic
       regression", in: Large-Scale Nonlinear Optimization, 2006.
    """
    regions = LeafRegions.of(tree)
    changed = values.copy()
    weight = np.maximum(np.asarray(tree.core.weight)[regions.leaves], 1.0)
    changed[regions.leaves] = _pooled(values[regions.leaves], weight, regions.not_above(directions))
    return changed


@dataclass(frozen=True, eq=False)
class LeafRegions:
    """The values that lead to each leaf of a tree, per column.

    Attributes
    ----------
    leaves : ndarray of shape (n_leaves,)
        Node numbers.
    low, high : ndarray of shape (n_leaves, n_features)
        Numbers above ``low`` and up to ``high``.
    categories : dict of int to ndarray of shape (n_leaves, n_values)
        Per nominal column that is tested, its values.
    missing : ndarray of shape (n_leaves, n_features)
        Whether a missing value leads there.
    parted_by : ndarray of shape (n_leaves, n_leaves)
        The column whose test separates the paths to two leaves.
    """

    leaves: NDArray[np.intp]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    categories: dict[int, NDArray[np.bool_]]
    missing: NDArray[np.bool_]
    parted_by: NDArray[np.int32]

    @classmethod
    def of(cls, tree: Tree) -> LeafRegions:
        """Follow every path of a tree."""
        core, features = tree.core, tree.schema.features
        n_nodes, n_features = core.n_nodes, len(features)
        low, high = np.full((n_nodes, n_features), -np.inf), np.full((n_nodes, n_features), np.inf)
        missing = np.ones((n_nodes, n_features), dtype=bool)
        nominal = {int(f) for f in core.feature[core.test == SUBSET]}
        categories = {f: np.ones((n_nodes, features[f].n_values), dtype=bool) for f in nominal}
        arrays = [low, high, missing, *categories.values()]
        for node in range(n_nodes):
            if core.test[node] == LEAF:
                continue
            feature, children = int(core.feature[node]), tree.children(node)
            for array in arrays:
                array[children] = array[node]
            missing[children, feature] &= tree.shares(node) > 0
            if core.test[node] == SUBSET:
                begin, end = core.category_begin[node : node + 2]
                first = np.isin(np.arange(features[feature].n_values), core.category[begin:end])
                categories[feature][children[0]] &= first
                categories[feature][children[1]] &= ~first
            else:
                high[children[0], feature] = min(high[node, feature], core.threshold[node])
                low[children[1], feature] = max(low[node, feature], core.threshold[node])
        leaves = np.flatnonzero(core.test == LEAF)
        at_leaves = {f: values[leaves] for f, values in categories.items()}
        parted_by = _parted_by(tree, leaves)
        return cls(leaves, low[leaves], high[leaves], at_leaves, missing[leaves], parted_by)

    def not_above(self, directions: Mapping[int, int]) -> NDArray[np.bool_]:
        """Return the pairs of leaves whose values must be in order.

        It must not if a row of the first becomes one of the second by a change of one of these
        columns in its direction. Their paths then part at a test of this column.
        """
        n_leaves, n_features = self.low.shape
        overlaps = {feature: self._overlap(feature) for feature in range(n_features)}
        apart = sum((~overlap).astype(np.int32) for overlap in overlaps.values())
        must = np.zeros((n_leaves, n_leaves), dtype=bool)
        for feature, direction in directions.items():
            others_meet = (apart - ~overlaps[feature] == 0) & (self.parted_by == feature)
            least = np.nextafter(self.low[:, feature], np.inf)
            rises = others_meet & (least[:, None] < self.high[:, feature])
            must |= rises if direction > 0 else rises.T
        np.fill_diagonal(must, False)
        return must

    def _overlap(self, feature: int) -> NDArray[np.bool_]:
        """Return which two leaves have a value of a column in common."""
        both_missing = self.missing[:, feature, None] & self.missing[:, feature]
        if feature in self.categories:
            values = self.categories[feature].astype(np.int32)
            return (values @ values.T > 0) | both_missing
        low = np.maximum(self.low[:, feature, None], self.low[:, feature])
        high = np.minimum(self.high[:, feature, None], self.high[:, feature])
        return (low < high) | both_missing


def _parted_by(tree: Tree, leaves: NDArray[np.intp]) -> NDArray[np.int32]:
    core = tree.core
    below: dict[int, NDArray[np.intp]] = {int(leaf): np.array([i]) for i, leaf in enumerate(leaves)}
    parted_by = np.full((len(leaves), len(leaves)), -1, dtype=np.int32)
    # Children come after their parents.
    for node in range(core.n_nodes - 1, -1, -1):
        if core.test[node] == LEAF:
            continue
        first, second = (below.pop(int(child)) for child in tree.children(node))
        for pair in (np.ix_(first, second), np.ix_(second, first)):
            parted_by[pair] = core.feature[node]
        below[node] = np.concatenate([first, second])
    return parted_by


def _pooled(
    values: NDArray[np.float64], weight: NDArray[np.float64], not_above: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the values with those in the wrong order replaced by weighted means."""
    order, before = _in_order(not_above)
    block = np.full(len(values), -1)
    total, mass = values * weight, weight.copy()
    for new in order:
        block[new] = new
        while True:
            members = block == new
            ahead = np.unique(block[before[:, members].any(axis=1) & (block >= 0) & ~members])
            means = total[ahead] / mass[ahead]
            if not len(ahead) or means.max() <= total[new] / mass[new]:
                break
            worst = ahead[means.argmax()]
            total[new] += total[worst]
            mass[new] += mass[worst]
            block[block == worst] = new
    return np.asarray(total[block] / mass[block])


def _in_order(not_above: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the leaves in topological order, and the transitive closure of the order.

    Leaves that must have equal values are before each other.
    """
    before = not_above.copy()
    for middle in range(len(before)):
        before |= before[:, middle, None] & before[middle]
    np.fill_diagonal(before, False)
    return np.argsort(before.sum(axis=0), kind="stable"), before
