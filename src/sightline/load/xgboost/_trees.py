"""The trees of an XGBoost document, read many at once.

Numbers of large models take less time to read than whatever is done once per tree. So each member is
one array over the nodes of many trees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._assembly import build_all_trees, build_trees, some_trees
from sightline.load._binary_nodes import BinaryNodes, Subsets
from sightline.load._codes import OTHER, left_sets
from sightline.load._fields import Fields
from sightline.load._thresholds import float32_below
from sightline.load.xgboost._joined_fields import JoinedFields
from sightline.table import Feature

_NO_CHILD = -1
_NODES_AT_ONCE = 2**15
"""So few that their arrays stay in the processor's cache."""


class XGBoostTrees:
    """The first trees of a document.

    Parameters
    ----------
    stored : JoinedFields
        The trees.
    n_used : int
        How many of them the model uses.
    owner : str
        Name of the model, for error messages.
    """

    def __init__(self, stored: JoinedFields, n_used: int, owner: str) -> None:
        self.stored, self.owner = stored, owner
        self.n_nodes = stored.parsed_wholes("tree_param", "num_nodes", n_used, minimum=1)
        leaf_sizes = stored.parsed_wholes("tree_param", "size_leaf_vector", n_used, absent=1)
        if (leaf_sizes > 1).any():
            number = int((leaf_sizes > 1).argmax())
            raise UnsupportedModelError(
                f"{owner}: tree {number}: has leaves with several numbers, which are not supported."
            )
        self.has_deleted = stored.parsed_wholes("tree_param", "num_deleted", n_used) > 0
        self.begin = np.concatenate([np.zeros(1, dtype=np.int64), self.n_nodes.cumsum()])
        self.condition = stored.singles("split_conditions", 0, self.n_nodes)

    def build(
        self, leaf_value: NDArray[np.float32], features: list[Feature], n_values: Sequence[int]
    ) -> list[_core.Tree]:
        """Return the native trees.

        Parameters
        ----------
        leaf_value : ndarray of float32, shape (n_nodes,)
            Values of the leaves of all trees.
        features : list of Feature
            The features of the model.
        n_values : sequence of int
            Number of categories per feature, 0 where numeric.

        Returns
        -------
        list of _core.Tree
            Valid by construction.
        """
        trees: list[_core.Tree] = []
        while len(trees) < len(self.n_nodes):
            first = len(trees)
            last = max(first + 1, int(np.searchsorted(self.begin, self.begin[first] + _NODES_AT_ONCE)))
            trees += self._built(slice(first, min(last, len(self.n_nodes))), leaf_value, features, n_values)
        return some_trees(trees, self.owner)

    def _built(
        self, part: slice, leaf_value: NDArray[np.float32], features: list[Feature], n_values: Sequence[int]
    ) -> list[_core.Tree]:
        """Return some of the trees."""
        nodes = self._nodes(part, leaf_value, features)
        begin = self.begin[part.start : part.stop + 1] - self.begin[part.start]
        if not self.has_deleted[part].any():
            return build_all_trees(nodes, begin, n_values, self.owner, part.start)
        trees = (nodes.part(*ends) for ends in pairwise(begin.tolist()))
        kept = (
            tree.reachable() if has_deleted else tree
            for tree, has_deleted in zip(trees, self.has_deleted[part], strict=True)
        )
        return build_trees(kept, n_values, self.owner, part.start)

    def listed_codes(self) -> dict[int, set[int]]:
        """Return per feature the codes that some test lists."""
        result: dict[int, set[int]] = {}
        for number in range(len(self.n_nodes)):
            tree = self.stored[number]
            if "categories_nodes" not in tree:
                continue
            feature = tree.integers("split_indices")
            for node, codes in _category_lists(tree, len(feature)):
                result.setdefault(int(feature[node]), set()).update(codes.tolist())
        return result

    def _nodes(self, part: slice, leaf_value: NDArray[np.float32], features: list[Feature]) -> BinaryNodes:
        stored, first, n_nodes = self.stored, part.start, self.n_nodes[part]
        nodes = slice(self.begin[first], self.begin[part.stop])
        left = stored.integers("left_children", first, n_nodes)
        right = stored.integers("right_children", first, n_nodes)
        missing_goes_left = stored.flags("default_left", first, n_nodes)
        threshold = float32_below(self.condition[nodes])
        feature = stored.integers("split_indices", first, n_nodes)
        is_leaf = left == _NO_CHILD
        asks_for_value = np.isneginf(self.condition[nodes]) & ~is_leaf
        if asks_for_value.any():
            # A test of categories has no threshold, whatever is stored.
            asks_for_value &= ~stored.flags("split_type", first, n_nodes, is_optional=True)
            # No number is below minus infinity, so all go right. Swapped, all are at most the largest one.
            left, right = np.where(asks_for_value, right, left), np.where(asks_for_value, left, right)
            missing_goes_left = missing_goes_left ^ asks_for_value
            threshold[asks_for_value] = np.finfo(np.float64).max
        return BinaryNodes(
            is_leaf=is_leaf,
            feature=feature,
            threshold=threshold,
            left=left,
            right=right,
            missing_goes_left=missing_goes_left,
            weight=stored.singles("sum_hessian", first, n_nodes).astype(np.float64),
            output=leaf_value[nodes].astype(np.float64)[:, np.newaxis],
            subsets=self._subsets(part, is_leaf, feature, features),
            leaves_only=True,
        )

    def _subsets(
        self, part: slice, is_leaf: NDArray[np.bool_], feature: NDArray[np.int64], features: list[Feature]
    ) -> Subsets | None:
        is_subset = (
            self.stored.flags("split_type", part.start, self.n_nodes[part], is_optional=True) & ~is_leaf
        )
        if not is_subset.any():
            return None
        sets: list[NDArray[np.int32]] = []
        for number in range(part.start, part.stop):
            begin, end = (self.begin[number : number + 2] - self.begin[part.start]).tolist()
            nodes = np.flatnonzero(is_subset[begin:end]).tolist()
            listed = dict(_category_lists(self.stored[number], end - begin)) if nodes else {}
            for node in nodes:
                where = f"{self.owner}: tree {number}: node {node}"
                column = int(feature[begin + node])
                if node not in listed or not 0 <= column < len(features):
                    raise ModelFormatError(f"{where}: its set of categories does not exist.")
                sets.append(_codes_on_the_left(features[column], listed[node], where))
        return left_sets(is_subset, sets)


def _category_lists(tree: Fields, n_nodes: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield each categorical node with its sorted codes."""
    nodes = tree.integers("categories_nodes")
    begin = tree.integers("categories_segments", len(nodes))
    size = tree.integers("categories_sizes", len(nodes))
    categories = tree.integers("categories")
    if not ((nodes >= 0) & (nodes < n_nodes)).all() or len(set(nodes.tolist())) < len(nodes):
        raise tree.fault("'categories_nodes' must be different nodes")
    if not ((begin >= 0) & (size >= 0) & (size <= len(categories)) & (begin <= len(categories) - size)).all():
        raise tree.fault("'categories_segments' point outside 'categories'")
    if not ((categories >= 0) & (categories < 2**24)).all():
        raise tree.fault("'categories' must be from 0 to 16777215")
    for node, start, count in zip(nodes.tolist(), begin.tolist(), size.tolist(), strict=True):
        yield node, np.unique(categories[start : start + count])


def _codes_on_the_left(feature: Feature, listed: NDArray[np.int64], where: str) -> NDArray[np.int32]:
    """Return every category that is not listed. Unknown ones go left."""
    if feature.coded:
        return np.array(
            [
                code
                for code, value in enumerate(feature.categories or ())
                if value == OTHER or value not in listed
            ],
            dtype=np.int32,
        )
    if len(listed) and listed[-1] >= feature.n_values:
        raise ModelFormatError(
            f"{where}: category {listed[-1]} does not exist (there are {feature.n_values})."
        )
    return np.setdiff1d(np.arange(feature.n_values), listed).astype(np.int32)
