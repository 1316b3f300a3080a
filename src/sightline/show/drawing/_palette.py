"""Colors of classes and of numbers: the same everywhere, and distinct for color-blind readers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sightline.exceptions import ParameterError

# Okabe and Ito, "Color Universal Design", 2008, without black, which is for text. The
# first two are the pair that differs most in hue and lightness.
_OKABE_ITO = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")

NEUTRAL = "#8a8f98"
"""For what belongs to no class."""


MARK_FILL = {"proved": "#e3f4ea", "refuted": "#fbe3e0", "open": "#eceef2"}
"""Background of leaves by their status in a certificate."""

DARK_MARK_FILL = {"proved": "#173a2a", "refuted": "#4a201c", "open": "#2b3038"}


def class_color(index: int) -> str:
    """Return the colour of a class; every further round of seven is lighter.

    Examples
    --------
    >>> class_color(0), class_color(7), class_color(-1)
    ('#0072b2', '#4c9cc9', '#8a8f98')
    """
    if index < 0:
        return NEUTRAL
    rounds, color = divmod(index, len(_OKABE_ITO))
    lightness = min(0.3 * rounds, 0.6)
    channels = bytes.fromhex(_OKABE_ITO[color][1:])
    return "#" + "".join(f"{round(channel + (255 - channel) * lightness):02x}" for channel in channels)


def class_colors(
    labels: Sequence[object], positive: object = None, colors: Mapping[Any, str] | None = None
) -> list[str]:
    """Return the colors of classes: the positive one always has the second color, which stands out.

    Parameters
    ----------
    labels : sequence
        The classes in their order.
    positive : label, optional
        The positive class. None leaves all colors in the order of the classes.
    colors : mapping of label to str, optional
        Colors of some classes, as in ``"#d55e00"``.

    Raises
    ------
    ParameterError
        If a color has a different form.

    Examples
    --------
    >>> class_colors(["bad", "good"], positive="bad")
    ['#e69f00', '#0072b2']
    >>> class_colors(["bad", "good"], colors={"bad": "#aa0000"})
    ['#aa0000', '#e69f00']
    """
    order = list(range(len(labels)))
    if positive is not None and len(labels) > 1:
        index = list(labels).index(positive)
        order[1], order[index] = order[index], order[1]
    color_of = dict(zip(order, map(class_color, range(len(labels))), strict=True))
    given = colors or {}
    for color in given.values():
        if not re.fullmatch("#[0-9a-fA-F]{6}", color):
            raise ParameterError(f"A color must have the form '#d55e00'. Got {color!r} instead.")
    return [given.get(label, color_of[index]) for index, label in enumerate(labels)]


_LOWEST, _HIGHEST = "#86bfe8", "#1b5aa6"
"""Ends of the scale of numbers: one hue, from light to dark, visible on white and on black."""


def number_color(share: float) -> str:
    """Return the color of a number by its place on the scale from the lowest, 0, to the highest, 1.

    Examples
    --------
    >>> number_color(0.0), number_color(0.5), number_color(1.0)
    ('#86bfe8', '#508cc7', '#1b5aa6')
    """
    ends = zip(bytes.fromhex(_LOWEST[1:]), bytes.fromhex(_HIGHEST[1:]), strict=True)
    return "#" + "".join(f"{round(low + (high - low) * share):02x}" for low, high in ends)
