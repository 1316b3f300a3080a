"""What an ensemble predicts for rows and why: how its trees vote, and what each column adds."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sightline.model import THRESHOLD, Ensemble, Reason, are_cuts
from sightline.show._conditions import Conditions
from sightline.show._model_findings import ModelFindings, missing_text
from sightline.show._node_wording import NodeWording
from sightline.show._row import Rows
from sightline.show.ensembles._effects import moved_answers
from sightline.show.ensembles._explain import ensemble_sentences, has_stumps, value_text
from sightline.show.nodes import Routes
from sightline.wording import FeatureWording, quote_if_odd

_MAX_CELLS = 1_000_000
"""Cells of a matrix of rows and columns that are worked on together."""


class EnsembleFindings(ModelFindings):
    """The predictions of an ensemble.

    Parameters
    ----------
    model : Ensemble
        The ensemble.
    rows : Rows
        The rows.
    reasons : bool, default=True
        Whether the sentences name the features that contribute most.
    """

    is_ensemble = True

    def __init__(self, model: Ensemble, rows: Rows, reasons: bool = True) -> None:
        super().__init__(rows, model.classes_, *model.answers(rows.table), model, mentions_ensemble=False)
        self.model = model
        self.target = model.schema.subject.target
        self.reasons = reasons
        self._block: tuple[int, NDArray[np.float64]] = (-1, np.empty(0))
        self._joined_known: dict[tuple[int, ...], dict[int, Reason]] = {}

    def sentences(self, row: int) -> str:
        """Say how the trees vote, and which features matter most."""
        return ensemble_sentences(self.model, self.rows.row(row), self.reasons)

    def conditions(self, row: int) -> tuple[Reason, ...]:
        """Return the columns that the trees test on the row's paths, the strongest first."""
        moved = self._moved(row)
        order = [int(f) for f in np.argsort(-np.abs(moved), kind="stable") if moved[f]]
        joined = self._joined(row)
        return tuple(self._reason(feature, row, float(moved[feature]), joined) for feature in order)

    def _moved(self, row: int) -> NDArray[np.float64]:
        n_rows = max(1, _MAX_CELLS // max(len(self.model.schema), 1))
        block = row // n_rows
        if self._block[0] != block:
            chosen = slice(block * n_rows, (block + 1) * n_rows)
            self._block = block, moved_answers(self.model, self.rows.table[chosen], self.codes[chosen])
        return np.asarray(self._block[1][row - block * n_rows])

    def _reason(self, feature: int, row: int, change: float, joined: dict[int, Reason]) -> Reason:
        column, value = self.model.schema.features[feature], self.rows.value(feature, row)
        if feature in joined:
            return replace(joined[feature], value=value, change=change)
        if self.rows.is_missing(feature, row):
            text = missing_text(column)
        else:
            text = f"{quote_if_odd(column.name)} = {value_text(column, value)}"
        return Reason(column.name, text, value, change, unit=column.unit)

    def _joined(self, row: int) -> dict[int, Reason]:
        """Return the joint condition of a few stumps on each column; of many trees it would be tiny."""
        if self._stumps is None:
            return {}
        key = tuple(int(routes.of_row[row]) for routes in self._stumps)
        if key not in self._joined_known:
            paths = [
                routes[index].known(wording)
                for routes, index, wording in zip(self._stumps, key, self._wordings, strict=True)
            ]
            features = sorted({feature for path in paths for feature in path.features})
            self._joined_known[key] = {
                feature: self._both(feature, [path for path in paths if feature in path])
                for feature in features
            }
        return self._joined_known[key]

    @cached_property
    def _stumps(self) -> list[Routes] | None:
        if not has_stumps(self.model):
            return None
        return [Routes(stump, self.rows.table) for stump in self.model.trees]

    @cached_property
    def _wordings(self) -> list[NodeWording]:
        return [NodeWording(stump) for stump in self.model.trees]

    @cached_property
    def _wording(self) -> FeatureWording:
        """How conditions of all stumps together read."""
        schema = self.model.schema
        bounds: dict[int, list[float]] = {}
        for stump in self.model.trees:
            core = stump.core
            is_bound = (core.test == THRESHOLD) & are_cuts(core.threshold)
            for node in np.flatnonzero(is_bound).tolist():
                bounds.setdefault(int(core.feature[node]), []).append(float(core.threshold[node]))
        return FeatureWording(bounds=bounds, **schema.for_wording())

    def _both(self, feature: int, paths: list[Conditions]) -> Reason:
        """Join the conditions of several paths on one feature."""
        column = self.model.schema.features[feature]
        name, declared = column.name, column.categories
        if declared is not None:
            left = set.intersection(*(set(path.values(feature) or ()) for path in paths))
            codes = [code for code, value in enumerate(declared) if value in left]
            text = self._wording.membership(feature, codes)
            values = tuple(declared[code] for code in codes)
            excluded = self._wording.excluded(feature, codes)
            return Reason(name, text, None, 0.0, values=values, excluded=excluded)
        if any(path.is_missing(feature) for path in paths):
            text = self._wording.presence(feature, is_present=False)
            return Reason(name, text, None, 0.0, unit=column.unit)
        ends = [path.bounds(feature) for path in paths]
        low = max((low for low, _ in ends if low is not None), default=None)
        high = min((high for _, high in ends if high is not None), default=None)
        text = self._wording.interval(
            feature, -math.inf if low is None else low, math.inf if high is None else high
        )
        return Reason(name, text, None, 0.0, low, high, unit=column.unit, kind=column.kind)
