"""Letters on the page of a tree: the texts of :mod:`sightline.show`, and what orders the reasons."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import LEAF, THRESHOLD, Tree
from sightline.report._kind import Json
from sightline.show import (
    GENERIC_TARGETS,
    LETTER,
    LETTER_FRAMES,
    LETTER_SENTENCES,
    N_REASONS,
    SEPARATED_FROM,
    Outline,
    compared_shares,
    counts_own_labels,
)
from sightline.wording import FEW_VALUES, MAX_VALUES, shown_bounds

MAX_PROBABILITIES = 4_000
"""Probabilities of inner nodes that a page may carry for its letters, about 100 kB."""


def letter_texts(model: Any) -> Json | None:
    """Return the template and its sentences; None for models other than trees."""
    if not isinstance(model, Tree):
        return None
    return {
        "template": LETTER,
        "frames": LETTER_FRAMES,
        "sentences": LETTER_SENTENCES,
        "generic_targets": GENERIC_TARGETS,
        "n_reasons": N_REASONS,
        "separated_from": SEPARATED_FROM,
        "few_values": FEW_VALUES,
        "max_values": MAX_VALUES,
    }


def letter_facts(tree: Tree) -> Json | None:
    """Return what letters need beside the nodes of the page; None if that is too much.

    Reasons are ordered by how much they moved the answer, so inner nodes have unrounded probabilities
    by class, those of leaves being in the outputs. Numbers of inner nodes are on the page anyway.
    """
    is_inner = tree.core.test != LEAF
    inner = None
    if tree.classes_ is not None:
        shares = tree.node_probabilities
        if np.count_nonzero(shares[is_inner]) > MAX_PROBABILITIES:
            return None
        inner = _by_class(shares, is_inner)
    outline = Outline.of(tree)
    return {
        "inner": inner,
        "has_rows": outline.has_rows,
        "has_labels": counts_own_labels(tree),
        "has_probabilities": tree.classes_ is not None and not tree.schema.subject.has_labels_only,
        "is_weighted": outline.is_weighted,
        "compared": _compared(tree, outline),
        "shown": _shown_bounds(tree),
    }


def _shown_bounds(tree: Tree) -> dict[int, tuple[float, bool]]:
    """Return, by node, the number to write for its threshold where that is another one.

    Beside it stands whether ``x <= threshold`` means less than that number.
    """
    nodes = np.flatnonzero(tree.core.test == THRESHOLD)
    bounds = tree.core.threshold[nodes].tolist()
    found = zip(nodes.tolist(), bounds, shown_bounds(bounds), strict=True)
    return {node: shown for node, bound, shown in found if shown[0] != bound}


def _compared(tree: Tree, outline: Outline) -> dict[int, Json]:
    """Return, by leaf, the shares of its label in the leaf and in all rows, where letters give both."""
    if not outline.has_rows or not counts_own_labels(tree):
        return {}
    shares = {
        leaf: compared_shares(outline.share_of_best(leaf), float(outline.mix[0, outline.best[leaf]]))
        for leaf in np.flatnonzero(outline.is_leaf & (outline.weight > 0)).tolist()
    }
    return {leaf: both for leaf, both in shares.items() if both is not None}


def _by_class(shares: NDArray[np.float64], is_inner: NDArray[np.bool_]) -> list[dict[int, float] | None]:
    """Return per inner node the probabilities that are not zero: of many classes, most are."""
    found: list[dict[int, float] | None] = [{} if inner else None for inner in is_inner.tolist()]
    nodes, codes = np.nonzero(shares)
    for node, code, share in zip(nodes.tolist(), codes.tolist(), shares[nodes, codes].tolist(), strict=True):
        if (of_node := found[node]) is not None:
            of_node[code] = share
    return found
