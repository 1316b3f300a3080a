"""The fidelity of summaries of several sizes as a plot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sightline.distill import SizePath
from sightline.exceptions import DataError, UnsupportedModelError
from sightline.inspection._plotted import Plotted
from sightline.model import FidelityCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class FidelityCurveDisplay(Plotted):
    """Fidelity and accuracy by the size of the summary.

    Use :meth:`from_estimator` or :meth:`from_predictions` to make one.

    Parameters
    ----------
    curve : FidelityCurve
        What was measured.

    Attributes
    ----------
    curve : FidelityCurve
        Fidelity and accuracy at each size.
    ax_ : matplotlib Axes
        Where it was drawn last.
    figure_ : matplotlib Figure
        The figure of these axes.

    Examples
    --------
    >>> import sightline as sl
    >>> from sightline.inspection import FidelityCurveDisplay
    >>> loans = sl.make_loans(600)
    >>> tree = sl.DistilledTreeClassifier(max_leaves=6, random_state=0).fit(loans[:400].X, loans[:400].y)
    >>> display = FidelityCurveDisplay.from_estimator(tree, loans[400:].X, loans[400:].y, sizes=(2, 6))
    >>> display.curve.sizes.tolist(), display.ax_.get_xlabel()
    ([2, 6], 'leaves')
    """

    def __init__(self, curve: FidelityCurve) -> None:
        self.curve = curve

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        sizes: Iterable[int] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Measure summaries of several sizes, and draw the curve.

        Parameters
        ----------
        estimator : fitted estimator
            One that can be resized, such as :class:`sightline.DistilledTreeClassifier`.
        X : Table, frame or array of shape (n_rows, n_features)
            Rows that were not used for fitting; otherwise the curve is too optimistic.
        y : array-like of shape (n_rows,), optional
            Their labels or numbers. Without them only the fidelity is measured.
        sizes : iterable of int, optional
            Numbers of leaves, or of rules, to try.
        %(ax)s

        Returns
        -------
        FidelityCurveDisplay
            With ``curve``, ``ax_`` and ``figure_``.

        Raises
        ------
        UnsupportedModelError
            If the estimator has one size only.
        """
        if not isinstance(estimator, SizePath):
            raise UnsupportedModelError(
                f"{type(estimator).__name__} has one size only. Pass a fitted DistilledTreeClassifier, "
                "RuleSetClassifier or another estimator with fidelity_curve()."
            )
        return cls(estimator.fidelity_curve(X, y, sizes)).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        predictions: Mapping[int, Any],
        ensemble_predictions: Any,
        y: Any = None,
        *,
        unit: str = "leaves",
        ax: Axes | None = None,
    ) -> Self:
        """Draw the curve of predictions that are known.

        Parameters
        ----------
        predictions : mapping of int to array-like of shape (n_rows,)
            What the summaries predict for the same rows, by their size.
        ensemble_predictions : array-like of shape (n_rows,)
            What the ensemble predicts.
        y : array-like of shape (n_rows,), optional
            The labels or numbers of the rows.
        unit : str, default="leaves"
            What the sizes count.
        %(ax)s

        Returns
        -------
        FidelityCurveDisplay
            With ``curve``, ``ax_`` and ``figure_``.

        Raises
        ------
        DataError
            If predictions are missing, or have different numbers of rows.
        """
        if not predictions:
            raise DataError("There are no predictions to draw. Pass those of at least one size.")
        by_size = {int(size): np.asarray(labels) for size, labels in predictions.items()}
        ensemble_labels = np.asarray(ensemble_predictions)
        labels = None if y is None else np.asarray(y)
        lengths = {len(one) for one in (*by_size.values(), ensemble_labels, labels) if one is not None}
        if len(lengths) > 1:
            raise DataError(f"All predictions must be for the same rows. Got {sorted(lengths)} rows.")
        is_number = ensemble_labels.dtype.kind == "f"
        curve = FidelityCurve.from_labels(
            by_size, ensemble_labels, labels, unit, "R²" if is_number else "share"
        )
        return cls(curve).plot(ax)

    def _draw(self, ax: Axes) -> None:
        self.curve.plot(ax)
