"""Shorten thresholds without moving a row or another threshold to the other side."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError, UnsupportedModelError
from sightline.judge import Certificate, certify
from sightline.load import load_any
from sightline.model import THRESHOLD, Ensemble, NodeModel, RuleSet, are_cuts
from sightline.table import Table

_MAX_DIGITS = 17
_ABOUT_ZERO = 1.1e-35
"""LightGBM takes smaller numbers for zero."""


@dataclass(frozen=True)
class Rounding:
    """A model with shorter thresholds.

    Attributes
    ----------
    model : Tree, Graph or RuleSet
        The model.
    certificate : Certificate or None
        Whether it still gives every possible row the same label as the original, with a
        counterexample if not; None for a regression.
    n_changed : int
        Number of tests, or bounds of conditions, with a new threshold.

    Examples
    --------
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]).tree_
    >>> sl.round_thresholds(tree, [[1.0], [2.0], [3.0], [4.0]]).n_changed
    0
    """

    model: NodeModel | RuleSet
    certificate: Certificate | None
    n_changed: int

    @property
    def is_unchanged(self) -> bool | None:
        """Whether the model is proved to give the same labels; None if that is not known."""
        if self.n_changed == 0:
            return True
        return None if self.certificate is None else self.certificate.equivalent


def round_thresholds(
    model: Any, X: Any = None, ensemble: Any = None, *, max_seconds: float = 10.0
) -> Rounding:
    """Shorten the thresholds of a model without moving a row to the other side of one.

    A threshold becomes the number with the fewest digits between its two neighboring values in X.
    It also stays between the neighboring thresholds of its feature, including those of the
    ensemble. So every row of X takes the same path and satisfies the same conditions as before.
    Other rows may not, if a value lies between an old and a new threshold: see the certificate.

    Parameters
    ----------
    model : Tree, Graph or RuleSet, or an estimator that holds one
        The model.
    X : Table, frame or array of shape (n_rows, n_features), optional
        Rows that must not change sides.
    ensemble : Ensemble or fitted model, optional
        The ensemble behind the model. Its thresholds are limits too.
    max_seconds : float, default=10.0
        Limit of the proof.

    Returns
    -------
    Rounding
        The new model and the certificate.

    Raises
    ------
    DataError
        If neither X nor an ensemble is given, because nothing limits the rounding then.
    UnsupportedModelError
        If the model is not a tree, graph or rule set.

    Examples
    --------
    >>> import sightline as sl
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = sl.merge(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y))
    >>> tree.core.threshold[tree.core.test == 1].tolist()
    [0.8000000417232512, 1.7500000596046448]
    >>> rounding = sl.round_thresholds(tree, X)
    >>> rounding.model.core.threshold[tree.core.test == 1].tolist()
    [0.8, 1.7]
    >>> rounding.is_unchanged
    False
    """
    noun = load_any(model)
    mine = _thresholds_of(noun)
    if X is None and ensemble is None:
        raise DataError("Rounding thresholds needs rows or an ensemble. Pass X, ensemble or both.")
    rows = None if X is None else Table.from_any(X).aligned(noun.schema, type(noun).__name__)
    others = _borders_of(ensemble) or [set[float]() for _ in mine]
    shorter = [
        shortened_thresholds(
            sorted(mine[feature]),
            sorted(mine[feature] | others[feature]),
            None if rows is None or not mine[feature] else rows.columns[feature].values,
        )
        for feature in range(len(mine))
    ]
    new, n_changed = _changed(noun, shorter)
    has_classes = not isinstance(noun, NodeModel) or noun.classes_ is not None
    certificate = certify(new, noun, max_seconds=max_seconds, every_leaf=False) if has_classes else None
    return Rounding(new, certificate, n_changed)


def _borders_of(ensemble: Any) -> list[set[float]]:
    """Return per feature the thresholds of the ensemble behind a model."""
    if ensemble is None:
        return []
    whole = load_any(ensemble)
    if isinstance(whole, Ensemble):
        return _gathered(whole.core.trees, len(whole.schema))
    return _thresholds_of(whole)


@singledispatch
def _thresholds_of(model: Any) -> list[set[float]]:
    """Return per feature the distinct thresholds of a model."""
    raise UnsupportedModelError(
        f"Cannot round the thresholds of a model of type {type(model).__name__}. "
        "Supported: trees, graphs and rule sets."
    )


@_thresholds_of.register
def _(model: NodeModel) -> list[set[float]]:
    return _gathered([model.core], len(model.schema))


@_thresholds_of.register
def _(model: RuleSet) -> list[set[float]]:
    # A condition is low < x <= high, so both bounds are thresholds of tests x <= t.
    thresholds: list[set[float]] = [set() for _ in range(len(model.schema))]
    for feature, *bounds in zip(
        model.core.feature.tolist(), model.core.low.tolist(), model.core.high.tolist(), strict=True
    ):
        if not model.schema.features[feature].is_nominal:
            thresholds[feature].update(bound for bound in bounds if are_cuts(bound))
    return thresholds


def _gathered(cores: Iterable[Any], n_features: int) -> list[set[float]]:
    thresholds: list[set[float]] = [set() for _ in range(n_features)]
    for core in cores:
        is_test = (core.test == THRESHOLD) & are_cuts(core.threshold)
        for feature in np.unique(core.feature[is_test]).tolist():
            thresholds[feature].update(core.threshold[is_test & (core.feature == feature)].tolist())
    return thresholds


_Shorter = list[dict[float, float]]
"""Per feature: the new threshold by the old one."""


@singledispatch
def _changed(model: Any, new: _Shorter) -> tuple[Any, int]:
    """Return a model with new thresholds, and how many differ."""
    raise TypeError(f"{type(model).__name__} with {len(new)} features")


@_changed.register
def _(model: NodeModel, new: _Shorter) -> tuple[NodeModel, int]:
    threshold = np.where(
        model.core.test == THRESHOLD,
        _looked_up(model.core.feature, model.core.threshold, new),
        model.core.threshold,
    )
    return model.with_thresholds(threshold), int((threshold != model.core.threshold).sum())


@_changed.register
def _(model: RuleSet, new: _Shorter) -> tuple[RuleSet, int]:
    low, high = (_looked_up(model.core.feature, bounds, new) for bounds in (model.core.low, model.core.high))
    n_changed = int((low != model.core.low).sum() + (high != model.core.high).sum())
    return model.with_bounds(low, high), n_changed


def _looked_up(feature: NDArray[np.int32], old: NDArray[np.float64], new: _Shorter) -> NDArray[np.float64]:
    return np.array(
        [
            new[f].get(value, value) if f >= 0 else value
            for f, value in zip(feature.tolist(), old.tolist(), strict=True)
        ],
        dtype=np.float64,
    )


def shortened_thresholds(
    thresholds: Sequence[float], borders: Sequence[float], values: NDArray[np.float64] | None
) -> dict[float, float]:
    """Return a short number for each threshold of one feature.

    Parameters
    ----------
    thresholds : sequence of float
        The thresholds, ascending and all different.
    borders : sequence of float
        All thresholds of the feature, ascending. None may reach or pass a neighbor.
    values : ndarray of float or None
        Values that must stay on their side. NaN is ignored.

    Returns
    -------
    dict of float to float
        The new threshold by the old one, in the same order.

    Examples
    --------
    >>> shortened_thresholds([2.4871], [2.4871, 3.0], np.array([2.31, 2.62]))
    {2.4871: 2.5}
    """
    known = np.sort(values[~np.isnan(values)]) if values is not None else np.empty(0)
    result: dict[float, float] = {}
    last = -math.inf
    for old in thresholds:
        index = int(np.searchsorted(borders, old))
        below = max(borders[index - 1] if index else -math.inf, last)
        above = borders[index + 1] if index + 1 < len(borders) else math.inf
        split = int(np.searchsorted(known, old, side="right"))
        # Rows up to the threshold stay below it, rows above stay above.
        least = known[split - 1] if split else -math.inf
        most = known[split] if split < len(known) else math.inf
        new = (
            _shortest(old, below, above, float(least), float(most)) if len(known) or len(borders) > 1 else old
        )
        result[old] = last = new
    return result


def _shortest(old: float, below: float, above: float, least: float, most: float) -> float:
    """Return the nearest number with the fewest digits in (below, above) and [least, most)."""
    if abs(old) < _ABOUT_ZERO and below < 0 < above and least <= 0 < most:
        return 0.0
    exact = Decimal(repr(old))
    for digits in range(1, _MAX_DIGITS):
        for rounding in (ROUND_HALF_EVEN, ROUND_FLOOR, ROUND_CEILING):
            new = float(Context(prec=digits, rounding=rounding).plus(exact))
            if below < new < above and least <= new < most and math.isfinite(new):
                return new
    return old
