"""New figures, unknown to pyplot. Matplotlib is loaded only for them: it takes 25 MB and half a second."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def new_axes(width: float, height: float) -> Axes:
    """Return axes in a figure of the given size in inches, with room for labels.

    Parameters
    ----------
    width, height : float
        Of the figure, in inches.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 - large

    return Figure(figsize=(width, height), layout="constrained").add_subplot()


def filling_axes(width: float, height: float) -> Axes:
    """Return axes that fill a figure of the given size in inches.

    Parameters
    ----------
    width, height : float
        Of the figure, in inches.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415

    return Figure(figsize=(width, height)).add_axes((0.0, 0.0, 1.0, 1.0))
