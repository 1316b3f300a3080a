"""Base class of the displays, as in scikit-learn: ``plot``, ``ax_`` and ``figure_``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

from sightline.shared_docs import fill_docstrings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MODEL_COLOR = "#0072b2"
ENSEMBLE_COLOR = "#c77700"


class Plotted(ABC):
    """A display that draws itself into given axes or into a new figure.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn last.
    figure_ : matplotlib Figure
        The figure of these axes.
    """

    ax_: Axes
    figure_: Any
    _size: tuple[float, float] = (6.0, 4.0)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        fill_docstrings(cls)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw with matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        display
            Itself, with ``ax_`` and ``figure_``.
        """
        if ax is None:
            import matplotlib.pyplot as plt  # noqa: PLC0415 - chooses a backend, only where a figure is asked for

            _, ax = plt.subplots(figsize=self._size, layout="constrained")
        self._draw(ax)
        ax.spines[["top", "right"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @abstractmethod
    def _draw(self, ax: Axes) -> None:
        """Draw into axes."""
