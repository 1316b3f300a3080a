"""The stumps of an ensemble one by one, each with its contribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sightline.model._readable import Shown
from sightline.model._tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class StumpTable(Shown):
    """Small trees that vote, the error of each alone and that of the others without it.

    Parameters
    ----------
    stumps : tuple of Tree
        The stumps, in the order in which they joined the ensemble.
    alone : ndarray of shape (n_stumps,)
        Share of the training rows on which each stump is wrong.
    without : ndarray of shape (n_stumps,)
        Share on which the others are wrong when they vote without it.
    loss_without : ndarray of shape (n_stumps,)
        Mean over rows of the squared distances of the others' shares of votes from the truth,
        NaN where there are no others.
    error : float
        Share on which all of them together are wrong.
    n_rows : int
        Number of training rows.
    tie_to : object
        The class that wins a tie with any other.
    note : str, default=""
        A sentence to write above the stumps.
    numbers : tuple of int, default=()
        Numbers to show the stumps with; by default 1, 2, 3, …

    Examples
    --------
    >>> import sightline as sl
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
    >>> table = sl.StumpEnsembleClassifier().fit(X, y).tables_[0]
    >>> print(table.to_text(), end="")
    1 stump, wrong on 0.0% of 4 training rows
    <BLANKLINE>
    (1) wrong on 0.0% alone; always predicting no is wrong on 50.0%
        ├─ x0 <= 2.5: no (100% of 2 rows)
        └─ x0 > 2.5: yes (100% of 2 rows)
    """

    stumps: tuple[Tree, ...]
    alone: NDArray[np.float64]
    without: NDArray[np.float64]
    loss_without: NDArray[np.float64]
    error: float
    n_rows: int
    tie_to: Any
    note: str = ""
    numbers: tuple[int, ...] = ()

    def number(self, index: int) -> int:
        """Return the number that a stump is shown with."""
        return self.numbers[index] if self.numbers else index + 1

    def to_text(self, *, digits: int = 6) -> str:
        """Write the stumps one below the other.

        Parameters
        ----------
        %(digits)s

        %(returns_text)s
        """
        text: str = self._display().text(digits=digits)
        return text

    def plot(self, ax: Axes | None = None, *, digits: int = 6) -> Axes:
        """Draw the stumps side by side with matplotlib.

        Parameters
        ----------
        %(ax)s
        %(digits)s

        %(returns_axes)s
        """
        axes: Axes = self._display().plot(ax, digits=digits)
        return axes

    def __len__(self) -> int:
        return len(self.stumps)

    def __repr__(self) -> str:
        return f"StumpTable({len(self)} stumps, {self.n_rows} rows, wrong on {100 * self.error:.1f}%)"
