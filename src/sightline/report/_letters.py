"""Letters on the page of a tree: the texts of :mod:`sightline.show`, and what orders the reasons."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import LEAF, THRESHOLD, Tree
from sightline.report._kind import Json
from sightline.show import (
    FEW_CASES,
    GENERIC_TARGETS,
    LETTER,
    LETTER_FRAMES,
    LETTER_SENTENCES,
    N_REASONS,
    SEPARATED_FROM,
    Outline,
    compared_shares,
    counts_own_labels,
    label_merits,
)
from sightline.wording import FEW_VALUES, MAX_VALUES, shown_bounds

MAX_MERITS = 4_000
"""Merits of labels in nodes that a page may carry for its letters, about 100 kB."""


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
        "few_cases": FEW_CASES,
        "max_values": MAX_VALUES,
    }


def letter_facts(tree: Tree) -> Json | None:
    """Return what letters need beside the nodes of the page; None if that is too much.

    Reasons are ordered by how much they moved the answer, so nodes have unrounded merits of the labels.
    Where these are probabilities, leaves do without: their outputs are the same. Numbers of inner nodes are
    on the page anyway.
    """
    merits = None
    if tree.classes_ is not None:
        values = label_merits(tree)
        is_sent = (tree.core.test != LEAF) | (tree.label_costs is not None)
        if np.count_nonzero(values[is_sent]) > MAX_MERITS:
            return None
        merits = _by_class(values, is_sent)
    outline = Outline.of(tree)
    compared = _compared(tree, outline)
    return {
        "merits": merits,
        "usual": outline.usual,
        "has_rows": outline.has_rows,
        "has_labels": counts_own_labels(tree),
        "has_probabilities": tree.classes_ is not None and not tree.schema.subject.has_labels_only,
        "is_weighted": outline.is_weighted,
        "compared": compared,
        "without": [leaf for leaf in compared if outline.share_of_best(leaf) == 0],
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


def _by_class(merits: NDArray[np.float64], is_sent: NDArray[np.bool_]) -> list[dict[int, float] | None]:
    """Return for some nodes the merits that are not zero: of many classes, most probabilities are."""
    found: list[dict[int, float] | None] = [{} if sent else None for sent in is_sent.tolist()]
    nodes, codes = np.nonzero(merits)
    for node, code, merit in zip(nodes.tolist(), codes.tolist(), merits[nodes, codes].tolist(), strict=True):
        if (of_node := found[node]) is not None:
            of_node[code] = merit
    return found
