"""Layout of a graph in levels, with few crossings and short edges."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

_ORDER_SWEEPS = 8
_PLACE_SWEEPS = 24


def layered_positions(
    level: Sequence[int], breadth: Sequence[float], edges: Sequence[tuple[int, int]], gap: float
) -> list[float]:
    """Place items along the axis that runs across the levels.

    Parameters
    ----------
    level : sequence of int
        The level of each item, from 0; items of one level are first in the order given.
    breadth : sequence of float
        Extent of each item along the axis.
    edges : sequence of (int, int)
        Pairs of items on neighboring levels, upper one first.
    gap : float
        Free space between neighbors of one level.

    Returns
    -------
    list of float
        The middle of each item; the lowest edge of all is at 0.

    Notes
    -----
    Levels are ordered by the mean position of their neighbors, in sweeps down and up, and
    then drawn towards them without changing the order [1]_.

    References
    ----------
    .. [1] K. Sugiyama, S. Tagawa and M. Toda, "Methods for Visual Understanding of
       Hierarchical System Structures", IEEE Transactions on Systems, Man, and
       Cybernetics, 1981.

    Examples
    --------
    >>> layered_positions([0, 1, 1], [2.0, 4.0, 4.0], [(0, 1), (0, 2)], gap=1.0)
    [4.5, 2.0, 7.0]
    """
    levels: list[list[int]] = [[] for _ in range(max(level) + 1)]
    for item, its_level in enumerate(level):
        levels[its_level].append(item)
    above: list[list[int]] = [[] for _ in level]
    below: list[list[int]] = [[] for _ in level]
    for upper, lower in edges:
        above[lower].append(upper)
        below[upper].append(lower)
    _order(levels, above, below)
    middle = [0.0] * len(level)
    for items in levels:
        _put(items, [0.0] * len(items), breadth, gap, middle)
    for sweep in range(_PLACE_SWEEPS):
        for items in levels if sweep % 2 == 0 else levels[::-1]:
            near = [above[item] + below[item] for item in items]
            wanted = [
                sum(middle[other] for other in others) / len(others) if others else middle[item]
                for item, others in zip(items, near, strict=True)
            ]
            _put(items, wanted, breadth, gap, middle)
    lowest = min(position - extent / 2 for position, extent in zip(middle, breadth, strict=True))
    return [position - lowest for position in middle]


def _order(levels: list[list[int]], above: list[list[int]], below: list[list[int]]) -> None:
    """Sort every level by the mean position of its neighbors in the one before."""
    rank_of = {item: float(rank) for items in levels for rank, item in enumerate(items)}
    for sweep in range(_ORDER_SWEEPS):
        is_down = sweep % 2 == 0
        for items in levels[1:] if is_down else levels[-2::-1]:
            near = above if is_down else below
            means = {
                item: sum(rank_of[other] for other in near[item]) / len(near[item])
                if near[item]
                else rank_of[item]
                for item in items
            }
            items.sort(key=means.__getitem__)
            rank_of.update((item, float(rank)) for rank, item in enumerate(items))


def _put(
    items: list[int], wanted: list[float], breadth: Sequence[float], gap: float, middle: list[float]
) -> None:
    """Place the items of a level near their desired positions, in order, with gaps.

    Pushing everything up and pushing everything down both keep the gaps, and so does the
    mean of the two.
    """
    apart = [(breadth[one] + breadth[other]) / 2 + gap for one, other in pairwise(items)]
    pushed_up = list(wanted)
    for i in range(1, len(items)):
        pushed_up[i] = max(wanted[i], pushed_up[i - 1] + apart[i - 1])
    pushed_down = list(wanted)
    for i in range(len(items) - 2, -1, -1):
        pushed_down[i] = min(wanted[i], pushed_down[i + 1] - apart[i])
    for item, up, down in zip(items, pushed_up, pushed_down, strict=True):
        middle[item] = (up + down) / 2
