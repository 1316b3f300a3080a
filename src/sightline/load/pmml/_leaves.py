"""The leaves of PMML trees that know classes: a score, and usually a distribution."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import UnsupportedModelError
from sightline.load._binary_nodes import BinaryNodes
from sightline.load.pmml._trees import PmmlTrees
from sightline.load.pmml._xml import Xml


class ClassLeaves:
    """Class information in the nodes of some trees.

    Parameters
    ----------
    xml : Xml
        The document.
    trees : PmmlTrees
        The trees.
    declared : tuple of str
        The declared values of the target. If there are none, the classes are those of the leaves.
    as_listed : bool, default=False
        Whether the classes come in the order in which the distributions list them, if all agree.

    Attributes
    ----------
    classes : tuple of str
        The classes.
    """

    def __init__(
        self, xml: Xml, trees: PmmlTrees, declared: tuple[str, ...], *, as_listed: bool = False
    ) -> None:
        self.xml = xml
        self.trees = trees
        node_of = np.full(len(xml) + 1, -1, dtype=np.int64)
        node_of[trees.element] = np.arange(len(trees.element))
        entries = np.flatnonzero(xml.named("ScoreDistribution") & (node_of[xml.parent] >= 0))
        self._entry, self._node = entries, node_of[xml.parent[entries]]
        value = xml.column("value")[entries]
        if (value < 0).any():
            raise xml.fault(int(entries[np.flatnonzero(value < 0)[0]]), "has no value")
        used = np.unique(np.concatenate([value, trees.score[trees.score >= 0]])).tolist()
        names = {string: xml.string(string) for string in used}
        self.classes = declared or tuple(sorted(set(names.values())))
        index = {name: k for k, name in enumerate(self.classes)}
        unknown = [name for name in names.values() if name not in index]
        if unknown:
            raise UnsupportedModelError(
                f"{xml.file}: a score is {unknown[0]!r}, which is not a declared value of the target."
            )
        code_of = np.full(max(used, default=0) + 2, -1, dtype=np.int64)
        for string, name in names.items():
            code_of[string] = index[name]
        self._class = code_of[value]
        self._winner = np.where(trees.score >= 0, code_of[trees.score], -1)
        if as_listed and self.agree_on_an_order:
            listed = self._class[: len(self.classes)]
            self.classes = tuple(self.classes[code] for code in listed.tolist())
            new_code = np.append(np.argsort(listed), -1)
            self._class, self._winner = new_code[self._class], new_code[self._winner]

    @property
    def agree_on_an_order(self) -> bool:
        """Whether all distributions list all classes in one order.

        JPMML then breaks ties by this order: it takes the class that the first tree lists first.
        """
        n_classes = len(self.classes)
        if not len(self._class) or len(self._class) % n_classes:
            return False
        node, listed = (values.reshape(-1, n_classes) for values in (self._node, self._class))
        is_complete = len(np.unique(listed[0])) == n_classes and bool((node == node[:, :1]).all())
        return is_complete and bool((listed == listed[0]).all())

    def with_votes(self) -> list[BinaryNodes]:
        """Return trees whose leaves vote for the class that is their score."""
        return self._with(self._votes())

    def with_shares(self, is_single_tree: bool) -> list[BinaryNodes]:
        """Return trees whose leaves have probabilities.

        The label of a single tree is its score. So the largest probability must be that of the score.
        """
        shares, has_shares = self._shares()
        if not is_single_tree:
            nodes = self._with(shares)
            for tree in nodes:
                self._require(tree, has_shares, "has no ScoreDistribution")
            return nodes
        shares[~has_shares] = self._votes()[~has_shares]
        nodes = self._with(shares)
        is_best = shares.argmax(axis=1) == self._winner
        self._require(nodes[0], is_best, "its score is not the class of its largest probability")
        return nodes

    def _require(self, tree: BinaryNodes, is_right: NDArray[np.bool_], complaint: str) -> None:
        node = self._leaf_numbers[id(tree)]
        wrong = node[tree.is_leaf & ~is_right[node]]
        if len(wrong):
            element = int(self.trees.element[wrong[0]])
            raise UnsupportedModelError(f"{self.xml.where(element)}: {complaint}.")

    def _votes(self) -> NDArray[np.float64]:
        votes = np.zeros((len(self._winner), len(self.classes)))
        known = np.flatnonzero(self._winner >= 0)
        votes[known, self._winner[known]] = 1.0
        return votes

    def _shares(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the probabilities of every node, and which nodes have any."""
        xml, shape = self.xml, (len(self._winner), len(self.classes))
        count, share = (self._numbers(name) for name in ("recordCount", "probability"))
        if len(np.unique(self._node * shape[1] + self._class)) < len(self._node):
            raise UnsupportedModelError(f"{xml.file}: a Node has two ScoreDistributions of one class.")
        given = np.zeros(shape)
        given[self._node, self._class] = np.nan_to_num(share)
        counts = np.zeros(shape)
        counts[self._node, self._class] = np.nan_to_num(count)
        has_any = np.zeros(shape[0], dtype=np.bool_)
        has_any[self._node] = True
        has_given = np.zeros(shape[0], dtype=np.bool_)
        has_given[self._node[~np.isnan(share)]] = True
        partly = np.flatnonzero(np.isnan(share) & has_given[self._node])
        if len(partly):
            element = int(self.trees.element[self._node[partly[0]]])
            raise UnsupportedModelError(
                f"{xml.where(element)}: only some of its ScoreDistributions have a probability."
            )
        # In the order of the document, as the sum of an evaluator.
        total = np.bincount(self._node, np.nan_to_num(count), minlength=shape[0])
        usable = has_given | (total > 0)
        with np.errstate(all="ignore"):
            result = np.where(has_given[:, np.newaxis], given, counts / total[:, np.newaxis])
        result[~usable] = 0.0
        return result, has_any & usable

    def _numbers(self, attribute: str) -> NDArray[np.float64]:
        strings = self.xml.column(attribute)[self._entry]
        return np.where(strings >= 0, self.xml.numbers[strings], np.nan)

    def _with(self, output: NDArray[np.float64]) -> list[BinaryNodes]:
        result = []
        self._leaf_numbers: dict[int, NDArray[np.int64]] = {}
        for nodes in self.trees.nodes:
            node = nodes.output[:, 0].astype(np.int64)
            made = replace(nodes, output=output[node] * nodes.is_leaf[:, np.newaxis])
            self._leaf_numbers[id(made)] = node
            result.append(made)
        return result
