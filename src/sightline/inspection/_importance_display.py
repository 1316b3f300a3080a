"""The importance of columns as a plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sightline.inspection._importance import ColumnImportance, column_importances
from sightline.inspection._inspected import Inspected
from sightline.inspection._plotted import ENSEMBLE_COLOR, MODEL_COLOR, Plotted
from sightline.measure import Estimate
from sightline.wording import pluralize, printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ColumnImportanceDisplay(Plotted):
    """Loss of fidelity when a column is shuffled: for the model, and for the ensemble itself.

    Use :meth:`from_estimator` to make one.

    Parameters
    ----------
    columns : sequence of ColumnImportance
        The columns, the most important first.

    Attributes
    ----------
    columns : sequence of ColumnImportance
        The columns with the fidelity that shuffling each one loses, the most important first.
    ax_ : matplotlib Axes
        Where it was drawn last.
    figure_ : matplotlib Figure
        The figure of these axes.

    Examples
    --------
    >>> import sightline as sl
    >>> from sightline.inspection import ColumnImportanceDisplay
    >>> loans = sl.make_loans(600)
    >>> tree = sl.DistilledTreeClassifier(max_leaves=6, random_state=0).fit(loans[:400].X, loans[:400].y)
    >>> display = ColumnImportanceDisplay.from_estimator(tree, loans[400:].X)
    >>> display.columns[0].name
    'checking account'
    >>> display.columns[0].lost.low > 0
    True
    """

    def __init__(self, columns: Sequence[ColumnImportance]) -> None:
        self.columns = columns
        self._size = (6.0, 1.2 + 0.42 * len(columns))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        ensemble: Any = None,
        max_columns: int = 15,
        n_repeats: int = 5,
        max_rows: int = 1000,
        random_state: Any = 0,
        ax: Axes | None = None,
    ) -> Self:
        """Shuffle the columns one by one, and draw what that costs.

        Parameters
        ----------
        estimator : fitted estimator, Tree, RuleSet or other model
            The model.
        X : Table, frame or array of shape (n_rows, n_features)
            Rows that were not used for fitting; otherwise the losses are too large.
        ensemble : fitted model, function or BlackBox, optional
            What the model replaces; by default the ensemble that the estimator learned from.
        max_columns : int, default=15
            Maximum number of columns: those that the model tests, then those that the ensemble tests most.
        n_repeats : int, default=5
            How often each column is shuffled.
        max_rows : int, default=1000
            Maximum number of rows to use, evenly spaced.
        random_state : int or Generator, default=0
            Seed for shuffling.
        %(ax)s

        Returns
        -------
        ColumnImportanceDisplay
            With ``columns``, ``ax_`` and ``figure_``.
        """
        inspected = Inspected.of(estimator, X, ensemble, None, max_rows)
        columns = column_importances(
            inspected, max_columns=max_columns, n_repeats=n_repeats, random_state=random_state
        )
        return cls(columns).plot(ax)

    def _draw(self, ax: Axes) -> None:
        has_ensemble = any(column.ensemble_lost is not None for column in self.columns)
        places = np.arange(len(self.columns), dtype=float)
        height = 0.38 if has_ensemble else 0.6
        offset = height / 2 if has_ensemble else 0.0
        _bars(ax, places - offset, [column.lost for column in self.columns], height, "model", MODEL_COLOR)
        theirs = [column.ensemble_lost for column in self.columns if column.ensemble_lost is not None]
        if has_ensemble:
            _bars(ax, places + offset, theirs, height, "ensemble", ENSEMBLE_COLOR)
        ax.set_yticks(places, [printable(column.name) for column in self.columns])
        ax.invert_yaxis()
        first = self.columns[0].lost if self.columns else None
        unit = "% of rows" if first is None or first.style == "share" else "R²"
        rows = "" if first is None else f", {pluralize(first.n_rows, 'row')}"
        ax.set_xlabel(f"fidelity lost when shuffled ({unit}{rows})")
        ax.legend(frameon=False, loc="lower right")


def _bars(ax: Axes, places: Any, losses: Sequence[Estimate], height: float, label: str, color: str) -> None:
    factor = 100 if losses and losses[0].style == "share" else 1
    values = factor * np.array([loss.value for loss in losses])
    ends = factor * np.array([[loss.low for loss in losses], [loss.high for loss in losses]])
    errors = np.abs(ends - values)
    ax.barh(places, values, height, color=color, label=label)
    ax.errorbar(values, places, xerr=errors, fmt="none", ecolor="#333333", elinewidth=1, capsize=2)
