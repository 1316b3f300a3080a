"""Turn tests that only separate missing values into tests for them: ``x has a value``."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.model._nodes import ANY_NUMBER, LEAF, MULTIWAY, THRESHOLD, NodeModel
from sightline.model._tree import Tree

__all__ = ["with_presence_tests"]

_Model = TypeVar("_Model", bound=NodeModel)


class _Arriving(NamedTuple):
    """The values of one feature with which rows may arrive at a node.

    Numbers lie above ``low`` and up to ``high``; categories are ``codes``, None if there may be all.
    """

    low: float = -math.inf
    high: float = ANY_NUMBER
    codes: frozenset[int] | None = None
    may_be_missing: bool = True

    def joined(self, other: _Arriving) -> _Arriving:
        """Return what arrives if rows come from two nodes; at least that, for numbers."""
        both = None if self.codes is None or other.codes is None else self.codes | other.codes
        low, high = min(self.low, other.low), max(self.high, other.high)
        return _Arriving(low, high, both, self.may_be_missing or other.may_be_missing)


_ANYTHING = _Arriving()


def with_presence_tests(model: _Model) -> _Model:
    """Return a model that asks for missing values where a test separates nothing else.

    Below ``x <= 5``, a second test ``x <= 5`` sends every number one way. If missing values go the other way,
    it becomes the test ``x has a value``. Every row ends in the same leaf as before.

    Parameters
    ----------
    model : Tree or Graph
        The model; a graph has no numbers per node.

    Returns
    -------
    Tree or Graph
        The model itself if there is no such test. The nodes of a tree are numbered depth first.
    """
    core = model.core
    found = _presence_tests(core)
    if not found:
        return model
    threshold, child, share = np.array(core.threshold), np.array(core.child), np.array(core.share)
    sets = [core.category[begin:end] for begin, end in pairwise(core.category_begin.tolist())]
    for node, is_swapped in found.items():
        feature, begin = core.feature[node], core.branch_begin[node]
        if core.test[node] == THRESHOLD:
            threshold[node] = ANY_NUMBER
        else:
            sets[node] = np.arange(core.n_values[feature], dtype=np.int32)
        if is_swapped:
            child[begin : begin + 2] = child[begin : begin + 2][::-1]
            share[begin : begin + 2] = share[begin : begin + 2][::-1]
    changed = model._changed(
        threshold=threshold,
        child=child,
        share=share,
        category_begin=np.cumsum([0, *map(len, sets)], dtype=np.int64),
        category=np.concatenate(sets),
    )
    if not isinstance(model, Tree):
        return model._remade(changed)
    order = _depth_first(core.branch_begin, child)
    return model._remade(
        changed,
        numbers=None if model.numbers is None else model.numbers.at(order),
        probabilities=None if model.probabilities is None else model.probabilities[order],
        lines=None if model.lines is None else model.lines.at(order),
    )


def _presence_tests(core: _core.DecisionNodes) -> dict[int, bool]:
    """Return the tests that send known values one way and missing ones the other; True if known go right."""
    found: dict[int, bool] = {}
    arriving: list[dict[int, _Arriving] | None] = [None] * len(core.test)
    arriving[0] = {}
    test, feature, begin = core.test.tolist(), core.feature.tolist(), core.branch_begin.tolist()
    # Parents come before their children.
    for node, kind in enumerate(test):
        here = arriving[node]
        assert here is not None
        arriving[node] = None
        if kind == LEAF:
            continue
        own = here.get(feature[node], _ANYTHING)
        shares = core.share[begin[node] : begin[node + 1]].tolist()
        branches = [
            part._replace(may_be_missing=own.may_be_missing and share > 0)
            for part, share in zip(_branches(core, node, own), shares, strict=True)
        ]
        if kind != MULTIWAY and own.may_be_missing:
            has_known = [_has_known(part) for part in branches]
            if has_known[0] != has_known[1] and shares[has_known.index(False)] == 1:
                found[node] = has_known[1]
        for branch, child in zip(branches, core.child[begin[node] : begin[node + 1]].tolist(), strict=True):
            arriving[child] = _joined(arriving[child], {**here, feature[node]: branch})
    return {node: is_swapped for node, is_swapped in found.items() if not _asks(core, node)}


def _branches(core: _core.DecisionNodes, node: int, own: _Arriving) -> list[_Arriving]:
    """Return the known values of a feature that take each branch."""
    if core.test[node] == THRESHOLD:
        threshold = float(core.threshold[node])
        return [
            own._replace(high=min(own.high, threshold)),
            own._replace(low=max(own.low, threshold)),
        ]
    codes = frozenset(range(core.n_values[core.feature[node]])) if own.codes is None else own.codes
    if core.test[node] == MULTIWAY:
        return [own._replace(codes=codes & {code}) for code in range(core.n_values[core.feature[node]])]
    taken = set(core.category[core.category_begin[node] : core.category_begin[node + 1]].tolist())
    return [own._replace(codes=codes & taken), own._replace(codes=codes - taken)]


def _has_known(values: _Arriving) -> bool:
    return values.low < values.high and (values.codes is None or bool(values.codes))


def _asks(core: _core.DecisionNodes, node: int) -> bool:
    """Return whether a test already asks for missing values."""
    if core.test[node] == THRESHOLD:
        return bool(core.threshold[node] == ANY_NUMBER)
    n_taken = core.category_begin[node + 1] - core.category_begin[node]
    return bool(n_taken == core.n_values[core.feature[node]])


def _joined(first: dict[int, _Arriving] | None, second: dict[int, _Arriving]) -> dict[int, _Arriving]:
    """Return what arrives on two ways; a feature that one of them does not test may have any value."""
    if first is None:
        return second
    return {feature: first[feature].joined(values) for feature, values in second.items() if feature in first}


def _depth_first(begin: NDArray[np.int64], child: NDArray[np.int32]) -> NDArray[np.int32]:
    order, pending = [], [0]
    while pending:
        node = pending.pop()
        order.append(node)
        pending.extend(child[begin[node] : begin[node + 1]].tolist()[::-1])
    return np.array(order, dtype=np.int32)
