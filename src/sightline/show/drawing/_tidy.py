"""Layout of a tree: Reingold and Tilford's tidy drawing, without recursion."""

from __future__ import annotations

from collections.abc import Sequence


class _Contour:
    """Both outlines of a placed subtree, deepest level first, relative to its root.

    The root's level is the last entry, so that a parent is added at the end at no cost;
    ``shift`` is added to every entry, so that moving a subtree costs nothing either.
    """

    __slots__ = ("high", "low", "shift")

    def __init__(self, half: float) -> None:
        self.low = [-half]
        self.high = [half]
        self.shift = 0.0


def tidy_positions(parent: Sequence[int], breadth: Sequence[float], gap: float) -> list[float]:
    """Place nodes along the axis that runs across the levels.

    Every parent stands in the middle of its first and last child, subtrees are as close
    as their outlines allow, and equal subtrees are drawn alike.

    Parameters
    ----------
    parent : sequence of int
        The parent of each node, which comes before it; -1 for the root.
    breadth : sequence of float
        Extent of each node along the axis.
    gap : float
        Free space between neighbors of one level.

    Returns
    -------
    list of float
        The middle of each node; the lowest edge of all is at 0.

    Notes
    -----
    Joining two subtrees looks only at levels that both have, so that the whole takes time
    in proportion to the number of nodes [1]_.

    References
    ----------
    .. [1] E. Reingold and J. Tilford, "Tidier Drawings of Trees", IEEE Transactions on
       Software Engineering, 1981.

    Examples
    --------
    >>> tidy_positions([-1, 0, 0], [2.0, 4.0, 4.0], gap=1.0)
    [4.5, 2.0, 7.0]
    """
    offset = _offsets_from_parents(parent, breadth, gap)
    middle = [0.0] * len(parent)
    for node in range(1, len(parent)):
        middle[node] = middle[parent[node]] + offset[node]
    lowest = min(position - extent / 2 for position, extent in zip(middle, breadth, strict=True))
    return [position - lowest for position in middle]


def _offsets_from_parents(parent: Sequence[int], breadth: Sequence[float], gap: float) -> list[float]:
    """Place each node relative to its parent, children before parents."""
    offset = [0.0] * len(parent)
    children: list[list[int]] = [[] for _ in parent]
    for node in range(1, len(parent)):
        children[parent[node]].append(node)
    contours: dict[int, _Contour] = {}
    for node in range(len(parent) - 1, -1, -1):
        below = children[node]
        if not below:
            contours[node] = _Contour(breadth[node] / 2)
            continue
        joined = contours.pop(below[0])
        for child in below[1:]:
            offset[child] = _distance(joined, contours[child], gap)
            joined = _joined(joined, contours.pop(child), offset[child])
        centre = offset[below[-1]] / 2
        for child in below:
            offset[child] -= centre
        joined.shift -= centre
        joined.low.append(-breadth[node] / 2 - joined.shift)
        joined.high.append(breadth[node] / 2 - joined.shift)
        contours[node] = joined
    return offset


def _distance(first: _Contour, second: _Contour, gap: float) -> float:
    """How far the second root must stand from the first's frame to keep the gap on every level."""
    n_common = min(len(first.low), len(second.low))
    return gap + max(
        first.high[-level] + first.shift - second.low[-level] - second.shift
        for level in range(1, n_common + 1)
    )


def _joined(first: _Contour, second: _Contour, distance: float) -> _Contour:
    """Outline of two subtrees side by side; the deeper one is extended, never copied."""
    second.shift += distance
    n_common = min(len(first.low), len(second.low))
    if len(first.low) >= len(second.low):
        change = second.shift - first.shift
        first.high[-n_common:] = [value + change for value in second.high[-n_common:]]
        return first
    change = first.shift - second.shift
    second.low[-n_common:] = [value + change for value in first.low[-n_common:]]
    return second
