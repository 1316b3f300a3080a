"""The effect of one column as a plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sightline.exceptions import ParameterError
from sightline.inspection._effect import ColumnEffect, column_effects
from sightline.inspection._inspected import Inspected
from sightline.inspection._plotted import ENSEMBLE_COLOR, MODEL_COLOR, Plotted
from sightline.wording import instant_text, pluralize, printable, with_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_INSTANTS = 5
"""Dates take much room below an axis."""


class ColumnEffectDisplay(Plotted):
    """Mean prediction of a model as one column changes, beside its ensemble.

    Use :meth:`from_estimator` to make one.

    Parameters
    ----------
    effect : ColumnEffect
        The mean predictions by value.

    Attributes
    ----------
    effect : ColumnEffect
        The mean predictions by value.
    ax_ : matplotlib Axes
        Where it was drawn last.
    figure_ : matplotlib Figure
        The figure of these axes.

    Examples
    --------
    >>> import sightline as sl
    >>> from sightline.inspection import ColumnEffectDisplay
    >>> loans = sl.make_loans(600)
    >>> tree = sl.DistilledTreeClassifier(max_leaves=6, random_state=0).fit(loans[:400].X, loans[:400].y)
    >>> display = ColumnEffectDisplay.from_estimator(tree, loans[400:].X, "amount", label="yes")
    >>> display.ax_.get_ylabel()
    'mean probability of yes'
    """

    def __init__(self, effect: ColumnEffect) -> None:
        self.effect = effect

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        column: str | int,
        *,
        ensemble: Any = None,
        label: Any = None,
        max_rows: int = 500,
        ax: Axes | None = None,
    ) -> Self:
        """Predict with a model and its ensemble, and draw the mean predictions.

        Parameters
        ----------
        estimator : fitted estimator, Tree, RuleSet or other model
            The model.
        X : Table, frame or array of shape (n_rows, n_features)
            Rows, preferably not used for fitting.
        column : str or int
            Name or index of the column.
        ensemble : fitted model, function or BlackBox, optional
            What the model replaces; by default the ensemble that the estimator learned from.
        label : label, optional
            The class whose probability is drawn: by default the positive one, the second of two, or the
            one that is predicted most often.
        max_rows : int, default=500
            Maximum number of rows to average over, evenly spaced.
        %(ax)s

        Returns
        -------
        ColumnEffectDisplay
            With ``effect``, ``ax_`` and ``figure_``.

        Raises
        ------
        ParameterError
            If there is no such column or class, or if the rows have only one value of the column.
        """
        inspected = Inspected.of(estimator, X, ensemble, label, max_rows)
        index = inspected.index_of(column)
        effects = column_effects(inspected, [index])
        if not effects:
            raise ParameterError(
                f"Column {inspected.names[index]!r} has no two values that enough rows have. "
                "Choose another column."
            )
        return cls(effects[0]).plot(ax)

    def _draw(self, ax: Axes) -> None:
        effect, feature = self.effect, self.effect.feature
        draw = self._draw_categories if feature.is_nominal else self._draw_numbers
        draw(ax)
        ax.set_xlabel(printable(feature.name))
        what = "mean prediction" if effect.label is None else f"mean probability of {printable(effect.label)}"
        ax.set_ylabel(what)
        ax.set_title(f"mean over {pluralize(effect.n_rows, 'row')}", loc="left", fontsize="small")
        ax.legend(frameon=False)

    def _draw_numbers(self, ax: Axes) -> None:
        effect, feature = self.effect, self.effect.feature
        if effect.ensemble is not None:
            ax.plot(effect.values, effect.ensemble, color=ENSEMBLE_COLOR, label="ensemble")
        ax.plot(effect.values, effect.model, color=MODEL_COLOR, linewidth=2.2, label="model")
        if feature.kind:
            ax.locator_params(axis="x", nbins=_MAX_INSTANTS)
            ax.xaxis.set_major_formatter(lambda value, _: instant_text(value, feature.kind))
        elif feature.unit:
            ax.xaxis.set_major_formatter(lambda value, _: with_unit(f"{value:g}", printable(feature.unit)))

    def _draw_categories(self, ax: Axes) -> None:
        effect = self.effect
        places = np.arange(len(effect.values))
        if effect.ensemble is not None:
            ax.plot(places, effect.ensemble, "o", color=ENSEMBLE_COLOR, label="ensemble")
        ax.plot(places, effect.model, "_", color=MODEL_COLOR, markersize=18, markeredgewidth=3, label="model")
        assert effect.feature.categories is not None
        names = [printable(effect.feature.categories[int(code)]) for code in effect.values]
        is_long = sum(map(len, names)) > 50
        ax.set_xticks(places, names, rotation=30 if is_long else 0, ha="right" if is_long else "center")
        ax.margins(x=0.1)
