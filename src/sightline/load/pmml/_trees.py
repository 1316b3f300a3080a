"""The TreeModels of a PMML document as trees with two branches.

A PMML node asks its children one after the other, and the first whose predicate is true is taken. So
each child becomes a test: its true branch is the child, its false branch the test of the next one. Behind
the last child comes what ``noTrueChildStrategy`` says. Where the document gives no answer at all for a
row (a null prediction), the row goes with the last child.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._binary_nodes import BinaryNodes
from sightline.load._codes import left_sets
from sightline.load._computed_columns import LARGEST_DOUBLE
from sightline.load.pmml._inputs import Inputs
from sightline.load.pmml._predicates import FALSE, SUBSET, TRUE, Predicates, stable_order
from sightline.load.pmml._xml import Xml

_PREDICATES = ("SimplePredicate", "True", "False", "SimpleSetPredicate", "CompoundPredicate")
_IN_NODES = (*_PREDICATES, "Node", "ScoreDistribution", "Extension")
_MISSING = {
    None: "none",
    "none": "none",
    "lastPrediction": "last",
    "nullPrediction": "null",
    "defaultChild": "default",
}
_MODEL_ATTRIBUTES = frozenset(
    {
        "modelName",
        "functionName",
        "algorithmName",
        "missingValueStrategy",
        "missingValuePenalty",
        "noTrueChildStrategy",
        "splitCharacteristic",
        "isScorable",
        "x-mathContext",
    }
)


_NODES_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class PmmlTrees:
    """The trees, and what their leaves refer to.

    Parameters
    ----------
    nodes : list of BinaryNodes
        One per TreeModel. The output of a leaf is the number of its node.
    score : ndarray of int32
        Per node of the document: the string of its score, -1 if it has none.
    element : ndarray of int64
        Per node of the document: its element.
    """

    nodes: list[BinaryNodes]
    score: NDArray[np.int32]
    element: NDArray[np.int64]


def read_trees(xml: Xml, fields: Inputs, models: list[int]) -> PmmlTrees:
    """Read TreeModels, given by their elements in the order of the document."""
    return _Trees(xml, fields, np.array(models, dtype=np.int64)).read()


class _Trees:
    def __init__(self, xml: Xml, fields: Inputs, models: NDArray[np.int64]) -> None:
        self.xml = xml
        self.models = models
        nodes = np.flatnonzero(xml.named("Node"))
        owner = np.searchsorted(models, nodes, side="right") - 1
        is_inside = (owner >= 0) & (nodes < xml.end[models][owner])
        self.node, self.model = nodes[is_inside], owner[is_inside]
        self.n_nodes = len(self.node)
        self.index_of = np.full(len(xml) + 1, -1, dtype=np.int64)
        self.index_of[self.node] = np.arange(self.n_nodes)
        self.parent = self.index_of[xml.parent[self.node]]
        self._refuse_other_content()
        self.predicates = Predicates(xml, fields, self._predicate_elements())
        self._find_relatives()
        self.strategies = [self._strategies(model) for model in models.tolist()]

    def _refuse_other_content(self) -> None:
        allowed = np.zeros(len(self.xml), dtype=np.bool_)
        for name in _IN_NODES:
            allowed |= self.xml.named(name)
        is_inside = self.index_of[self.xml.parent] >= 0
        other = np.flatnonzero(is_inside & ~allowed)
        if len(other):
            raise UnsupportedModelError(
                f"{self.xml.where(int(other[0]))}: it is not supported inside a Node."
            )
        roots = np.bincount(self.model[self.parent < 0], minlength=len(self.models))
        if (roots != 1).any():
            raise self.xml.fault(int(self.models[np.flatnonzero(roots != 1)[0]]), "must contain one Node")

    def _predicate_elements(self) -> NDArray[np.int64]:
        is_predicate = np.zeros(len(self.xml), dtype=np.bool_)
        for name in _PREDICATES:
            is_predicate |= self.xml.named(name)
        elements = np.flatnonzero(is_predicate & (self.index_of[self.xml.parent] >= 0))
        owner = self.index_of[self.xml.parent[elements]]
        count = np.bincount(owner, minlength=self.n_nodes)
        if (count != 1).any():
            bad = int(self.node[np.flatnonzero(count != 1)[0]])
            raise self.xml.fault(bad, "must contain one predicate")
        result = np.zeros(self.n_nodes, dtype=np.int64)
        result[owner] = elements
        return result

    def _find_relatives(self) -> None:
        """Find the next sibling and the first child of each node, -1 if there is none.

        Nodes are numbered in the order of their start tags. So the first child comes directly behind its
        parent, and the next sibling directly behind all descendants.
        """
        n = self.n_nodes
        number = np.arange(n)
        parent = np.append(self.parent, [-1, -1])
        self.first = np.where(parent[1 : n + 1] == number, number + 1, -1)
        starts = np.zeros(len(self.xml) + 1, dtype=np.int64)
        starts[self.node + 1] = 1
        behind = starts.cumsum()[self.xml.end[self.node]]
        self.next = np.where((parent[behind] == self.parent) & (self.parent >= 0), behind, -1)

    def _strategies(self, model: int) -> tuple[str, bool]:
        """Return the strategy for missing values, and whether a node answers if no child does."""
        attributes = self.xml.attributes(model)
        unknown = sorted(set(attributes) - _MODEL_ATTRIBUTES)
        if unknown:
            raise UnsupportedModelError(
                f"{self.xml.where(model)}: the attribute {unknown[0]!r} is not supported."
            )
        missing = attributes.get("missingValueStrategy")
        fallback = attributes.get("noTrueChildStrategy", "returnNullPrediction")
        if missing not in _MISSING or fallback not in ("returnNullPrediction", "returnLastPrediction"):
            raise UnsupportedModelError(
                f"{self.xml.where(model)}: missingValueStrategy {missing!r} with noTrueChildStrategy "
                f"{fallback!r} is not supported."
            )
        return _MISSING[missing], fallback == "returnLastPrediction"

    def read(self) -> PmmlTrees:
        score = self.xml.column("score")[self.node]
        nodes = [
            tree
            for begin, end, strategies in self._ranges()
            for tree in _Range(self, score, begin, end, *strategies).trees_of_nodes()
        ]
        return PmmlTrees(nodes, score, self.node)

    def _ranges(self) -> Iterator[tuple[int, int, tuple[str, bool]]]:
        """Yield runs of trees with the same strategies, of as many nodes as the cache holds."""
        begin = np.searchsorted(self.model, np.arange(len(self.models) + 1)).tolist()
        first = 0
        for tree, strategies in enumerate(self.strategies):
            is_last = tree + 1 == len(self.strategies) or self.strategies[tree + 1] != strategies
            if is_last or begin[tree + 1] - first >= _NODES_AT_ONCE:
                yield first, begin[tree + 1], strategies
                first = begin[tree + 1]


class _Range:
    """The nodes of one or more trees with the same strategies while they are translated.

    Every node of the document may become up to four nodes: the test of its predicate, a leaf with its own
    score, a test for missing values in front of its children, and the leaf of that test. They have the
    numbers i, n + i, 2n + i and 3n + i.
    """

    def __init__(
        self, trees: _Trees, score: NDArray[np.int32], begin: int, end: int, missing: str, answers: bool
    ) -> None:
        self.trees = trees
        self.part = slice(begin, end)
        self.begin, self.n = begin, end - begin
        self.missing = missing
        self.score = score[self.part]
        self.parent, self.next, self.first = (
            np.where(ids[self.part] >= 0, ids[self.part] - begin, -1)
            for ids in (trees.parent, trees.next, trees.first)
        )
        self.has_children = self.first >= 0
        # Whether a row that no child takes has an answer: the score of the node.
        has_score = self.score >= 0
        self.falls_back = self.has_children & answers & has_score
        if answers or missing == "last":
            self._refuse_some_scores(has_score)
        self.roots = np.flatnonzero(self.parent < 0)
        wrong = self.roots[trees.predicates.kind[begin + self.roots] != TRUE]
        if len(wrong):
            raise UnsupportedModelError(
                f"{trees.xml.where(int(trees.node[begin + wrong[0]]))}: the predicate of the first Node "
                "must be True."
            )

    def _refuse_some_scores(self, has_score: NDArray[np.bool_]) -> None:
        """Refuse trees in which only some of the nodes with children have a score."""
        tree = self.trees.model[self.part]
        with_score, without = (tree[self.has_children & has] for has in (has_score, ~has_score))
        mixed = np.intersect1d(with_score, without)
        if len(mixed):
            silent = np.flatnonzero(self.has_children & ~has_score & (tree == mixed[0]))
            raise UnsupportedModelError(
                f"{self.trees.xml.where(int(self.trees.node[self.begin + silent[0]]))}: has no score, unlike "
                "other nodes with children."
            )

    def trees_of_nodes(self) -> list[BinaryNodes]:
        """Return the nodes of each tree. The output of a leaf is the number of its node in the document."""
        n, predicates = self.n, self.trees.predicates
        kind = predicates.kind[self.part]
        entry = np.where(self.has_children, self.first, n + np.arange(n))
        otherwise = np.where(self.next >= 0, self.next, np.where(self.parent >= 0, n + self.parent, -1))
        is_asked_missing = self._asks_missing()
        entry[is_asked_missing] += 2 * n - self.first[is_asked_missing] + np.flatnonzero(is_asked_missing)
        goes_in = (kind == TRUE) | ((self.next < 0) & (self.parent >= 0) & ~self.falls_back[self.parent])
        goes_in[self.roots] = True
        skips = ~goes_in & (kind == FALSE)
        self.n_slots = (4 if is_asked_missing.any() else 2) * n
        jump = np.arange(self.n_slots)
        jump[:n] = np.where(goes_in, entry, np.where(skips, otherwise, jump[:n]))
        while (jump != jump[jump]).any():
            jump = jump[jump]
        true, false = np.full(self.n_slots, -1), np.full(self.n_slots, -1)
        tests = np.flatnonzero(~goes_in & ~skips)
        true[tests], false[tests] = jump[entry[tests]], jump[otherwise[tests]]
        asking = np.flatnonzero(is_asked_missing)
        true[2 * n + asking], false[2 * n + asking] = 3 * n + asking, jump[self.first[asking]]
        return self._assembled(jump[self.roots], true, false)

    def _asks_missing(self) -> NDArray[np.bool_]:
        """Return the nodes that answer themselves if the tested value is missing."""
        asks = np.zeros(self.n, dtype=np.bool_)
        if self.missing not in ("last", "default"):
            return asks
        predicates = self.trees.predicates
        is_unknown = predicates.if_missing[self.part] < 0
        fields = predicates.field[self.part]
        children = np.flatnonzero(is_unknown & (self.parent >= 0))
        parents = self.parent[children]
        differs = fields[children] != fields[self.first[parents]]
        if differs.any():
            bad = int(self.trees.node[self.begin + parents[np.flatnonzero(differs)[0]]])
            raise UnsupportedModelError(
                f"{self.trees.xml.where(bad)}: its children test different fields, which is not supported "
                "with this missingValueStrategy."
            )
        if self.missing == "last":
            asks[parents[self.score[parents] >= 0]] = True
        return asks

    def _missing_is_true(self, if_missing: NDArray[np.int8]) -> NDArray[np.bool_]:
        is_true = np.equal(if_missing, 1)
        if self.missing != "default":
            return is_true
        ids, wanted = self.trees.xml.column("id"), self.trees.xml.column("defaultChild")
        node = self.trees.node[self.part]
        own, of_parent = ids[node], wanted[node[self.parent]]
        is_default = (own == of_parent) & (own >= 0) & (self.parent >= 0)
        named = np.flatnonzero(self.has_children & (wanted[node] >= 0))
        found = np.bincount(self.parent[is_default], minlength=self.n)
        if (found[named] != 1).any():
            bad = int(node[named[found[named] != 1][0]])
            raise ModelFormatError(f"{self.trees.xml.where(bad)}: its defaultChild does not exist.")
        result: NDArray[np.bool_] = is_true | ((if_missing < 0) & is_default)
        return result

    def _assembled(
        self, roots: NDArray[np.int64], true: NDArray[np.int64], false: NDArray[np.int64]
    ) -> list[BinaryNodes]:
        n, predicates = self.n, self.trees.predicates
        is_used = np.zeros(self.n_slots, dtype=np.bool_)
        is_used[true[true >= 0]] = is_used[false[false >= 0]] = is_used[roots] = True
        order = np.flatnonzero(is_used)
        is_root = np.zeros(self.n_slots, dtype=np.bool_)
        is_root[roots] = True
        kind = np.repeat(np.arange(4), np.diff(np.searchsorted(order, n * np.arange(5))))
        node = order - kind * n
        tree = self.trees.model[self.part][node]
        sorting = stable_order(2 * tree + ~is_root[order])
        order, kind, node, tree = order[sorting], kind[sorting], node[sorting], tree[sorting]
        begin = np.flatnonzero(np.diff(tree, prepend=-1))
        size = np.diff(begin, append=len(order))
        index = np.full(self.n_slots + 1, -1)
        index[order] = np.arange(len(order)) - np.repeat(begin, size)
        is_leaf, asks = (kind == 1) | (kind == 3), kind == 2
        self._require_scores(node[is_leaf])
        # A test for missing values has the field of the first child.
        source = np.where(asks, self.first[node], node) + self.begin
        # All numbers are on the left of its test, and missing values go right.
        true_is_right = predicates.true_is_right[source] | asks
        missing_is_true = self._missing_is_true(predicates.if_missing[self.part])[node] | asks
        whole = BinaryNodes(
            is_leaf=is_leaf,
            feature=predicates.field[source],
            threshold=np.where(asks, LARGEST_DOUBLE, predicates.threshold[source]),
            left=index[np.where(true_is_right, false[order], true[order])],
            right=index[np.where(true_is_right, true[order], false[order])],
            missing_goes_left=missing_is_true ^ true_is_right,
            weight=np.zeros(len(order)),
            output=(self.begin + node).astype(np.float64)[:, np.newaxis],
            leaves_only=True,
        )
        is_subset = ~is_leaf & (predicates.kind[source] == SUBSET)
        sources = np.where(asks, -1 - predicates.field[source], source)
        return [
            self._one(whole, slice(first, first + length), is_subset, sources)
            for first, length in zip(begin.tolist(), size.tolist(), strict=True)
        ]

    def _one(
        self, whole: BinaryNodes, part: slice, is_subset: NDArray[np.bool_], source: NDArray[np.int64]
    ) -> BinaryNodes:
        """Return the nodes of one tree."""
        subsets = None
        if is_subset[part].any():
            chosen = source[part][is_subset[part]].tolist()
            sets = [self._codes(node) for node in chosen]
            subsets = left_sets(is_subset[part], sets)
        nodes = BinaryNodes(
            whole.is_leaf[part],
            whole.feature[part],
            whole.threshold[part],
            whole.left[part],
            whole.right[part],
            whole.missing_goes_left[part],
            whole.weight[part],
            whole.output[part],
            subsets=subsets,
            leaves_only=True,
        )
        return nodes if 2 * int(nodes.is_leaf.sum()) == len(nodes.is_leaf) + 1 else nodes.reachable()

    def _codes(self, node: int) -> NDArray[np.int32]:
        """Return the categories on the left; below 0, all those of a field whose missing values go right."""
        if node >= 0:
            return self.trees.predicates.codes(node)
        n_values = len(self.trees.predicates.fields.at(-1 - node).all_values)
        return np.arange(n_values, dtype=np.int32)

    def _require_scores(self, nodes: NDArray[np.int64]) -> None:
        silent = nodes[self.score[nodes] < 0]
        if len(silent):
            raise self.trees.xml.fault(int(self.trees.node[self.begin + silent[0]]), "has no score")
