"""Thresholds that are easier to read, where no row and no other threshold lies between."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError, UnsupportedModelError
from sightline.judge import Certificate, certify
from sightline.load import load
from sightline.model import ANY_NUMBER, THRESHOLD, Ensemble, NodeModel
from sightline.table import Table

_MOST_DIGITS = 17


@dataclass(frozen=True)
class Rounding:
    """A model with shorter thresholds.

    Attributes
    ----------
    model : Tree or Graph
        The model.
    certificate : Certificate or None
        Whether it still gives every possible row the label of the original, with a row that
        shows it where not; None for a regression.
    n_changed : int
        Number of tests whose threshold is another.
    """

    model: NodeModel
    certificate: Certificate | None
    n_changed: int

    @property
    def is_unchanged(self) -> bool | None:
        """Whether the function is proved to be the same; None where that is not known."""
        if self.n_changed == 0:
            return True
        return None if self.certificate is None else self.certificate.equivalent


def round_thresholds(
    model: Any, X: Any = None, ensemble: Any = None, *, max_seconds: float = 10.0
) -> Rounding:
    """Shorten the thresholds of a tree or graph without moving a row to the other side of one.

    A threshold becomes the number with fewest digits between the values of X around it. It also
    stays between the thresholds of the same feature around it, those of the ensemble included.
    So every row of X takes the way it took before. Of rows that are not in X, those whose value
    lies between an old and a new threshold may not: the certificate tells.

    Parameters
    ----------
    model : Tree or Graph, or an estimator that holds one
        What to shorten.
    X : Table, frame or array of shape (n_rows, n_features), optional
        Rows that must not change sides.
    ensemble : Ensemble or fitted model, optional
        What the model summarises: its thresholds are borders, too.
    max_seconds : float, default=10.0
        How long the proof may take.

    Returns
    -------
    Rounding
        The new model and the certificate.

    Raises
    ------
    DataError
        If neither X nor an ensemble is given: then nothing says how far a threshold may move.
    UnsupportedModelError
        If the model is neither a tree nor a graph.

    Examples
    --------
    >>> import sightline as sl
    >>> X, y = [[1.0], [2.0], [3.21], [4.0]], ["no", "no", "yes", "yes"]
    >>> tree = sl.C45Classifier().fit(X, y).tree_
    >>> rounding = sl.round_thresholds(tree, [[1.0], [2.34], [3.21]])
    >>> tree.core.threshold[0].item(), rounding.model.core.threshold[0].item()
    (2.0, 2.0)
    """
    noun = model if isinstance(model, NodeModel) else getattr(model, "_model", model)
    if not isinstance(noun, NodeModel):
        raise UnsupportedModelError(
            f"Thresholds of trees and graphs can be rounded. Got a {type(noun).__name__} instead."
        )
    if X is None and ensemble is None:
        raise DataError("Rounding thresholds needs rows or an ensemble: give X, ensemble or both.")
    rows = None if X is None else Table.from_any(X).aligned(noun.schema, type(noun).__name__)
    threshold = _rounded(noun, rows, None if ensemble is None else _ensemble_of(ensemble))
    n_changed = int((threshold != noun.core.threshold).sum())
    new = noun.with_thresholds(threshold)
    certificate = None if noun.classes is None else certify(new, noun, max_seconds=max_seconds, every_leaf=False)
    return Rounding(new, certificate, n_changed)


def _ensemble_of(ensemble: Any) -> Ensemble | NodeModel:
    return ensemble if isinstance(ensemble, NodeModel) else load(ensemble)


def _rounded(model: NodeModel, rows: Table | None, ensemble: Ensemble | NodeModel | None) -> NDArray[np.float64]:
    result = np.array(model.core.threshold)
    for feature in range(len(model.schema)):
        mine = _tests_of([model.core], feature)
        if not mine:
            continue
        cores = [] if ensemble is None else [ensemble.core] if isinstance(ensemble, NodeModel) else ensemble.core.trees
        borders = sorted({*mine, *_tests_of(cores, feature)})
        values = None if rows is None else rows.columns[feature].values
        new = shortened_thresholds(mine, borders, values)
        is_test = (model.core.feature == feature) & (model.core.test == THRESHOLD)
        result[is_test] = [new.get(old, old) for old in result[is_test].tolist()]
    return result


def _tests_of(cores: Iterable[Any], feature: int) -> list[float]:
    found: set[float] = set()
    for core in cores:
        found.update(core.threshold[(core.feature == feature) & (core.test == THRESHOLD)].tolist())
    return sorted(found - {ANY_NUMBER})


def shortened_thresholds(
    thresholds: Sequence[float], borders: Sequence[float], values: NDArray[np.float64] | None
) -> dict[float, float]:
    """Return a short number for each threshold of one feature.

    Parameters
    ----------
    thresholds : sequence of float
        The thresholds, ascending, all different.
    borders : sequence of float
        Thresholds that none may reach or pass, ascending; its own place is among them.
    values : ndarray of float or None
        Values that must stay on their side; NaN is ignored.

    Returns
    -------
    dict of float to float
        By old threshold; the order of thresholds is kept.

    Examples
    --------
    >>> shortened_thresholds([2.4871], [2.4871, 3.0], np.array([2.31, 2.62]))
    {2.4871: 2.5}
    """
    known = np.sort(values[~np.isnan(values)]) if values is not None else np.empty(0)
    result: dict[float, float] = {}
    last = -math.inf
    for old in thresholds:
        place = int(np.searchsorted(borders, old))
        below = max(borders[place - 1] if place else -math.inf, last)
        above = borders[place + 1] if place + 1 < len(borders) else math.inf
        split = int(np.searchsorted(known, old, side="right"))
        # Rows at most the threshold stay at most it; rows above stay above.
        least = known[split - 1] if split else -math.inf
        most = known[split] if split < len(known) else math.inf
        new = _shortest(old, below, above, float(least), float(most)) if len(known) or len(borders) > 1 else old
        result[old] = last = new
    return result


def _shortest(old: float, below: float, above: float, least: float, most: float) -> float:
    """Return the number with fewest digits in (below, above) and [least, most), the nearest of them."""
    exact = Decimal(repr(old))
    for digits in range(1, _MOST_DIGITS):
        for rounding in (ROUND_HALF_EVEN, ROUND_FLOOR, ROUND_CEILING):
            new = float(Context(prec=digits, rounding=rounding).plus(exact))
            if below < new < above and least <= new < most and math.isfinite(new):
                return new
    return old
