"""Where missing values go at the tests of a tree or graph, as far as training rows had any."""

from __future__ import annotations

from dataclasses import dataclass

from sightline.model import LEAF, NodeModel


@dataclass(frozen=True)
class MissingWays:
    """The ways of missing values through a tree or graph.

    Only columns with missing values in the training rows count, and only tests that such a value reaches: if
    a test above sends it elsewhere, it does not.

    Attributes
    ----------
    branch : list of int
        Per node the branch that every missing value takes, -1 if there is none.
    mixed : list of int
        The features for which a test splits a row with a missing value among several branches.
    """

    branch: list[int]
    mixed: list[int]

    @classmethod
    def of(cls, model: NodeModel) -> MissingWays:
        """Follow the missing values from the root."""
        core = model.core
        ways, mixed = [-1] * core.n_nodes, set()
        incomplete = {f for f in core.used_features if model.schema.features[f].complete is False}
        if not incomplete:
            return cls(ways, [])
        test, feature, begin = core.test.tolist(), core.feature.tolist(), core.branch_begin.tolist()
        child, share = core.child.tolist(), core.share.tolist()
        # The features without a value that may arrive at each node. Parents come before their children.
        arriving: list[frozenset[int]] = [frozenset()] * core.n_nodes
        arriving[0] = frozenset(incomplete)
        for node, kind in enumerate(test):
            if kind == LEAF:
                continue
            tested, shares = feature[node], share[begin[node] : begin[node + 1]]
            if tested in arriving[node]:
                if max(shares) == 1:
                    ways[node] = shares.index(1)
                else:
                    mixed.add(tested)
            for below, part in zip(child[begin[node] : begin[node + 1]], shares, strict=True):
                arriving[below] |= arriving[node] if part > 0 else arriving[node] - {tested}
        return cls(ways, sorted(mixed))
