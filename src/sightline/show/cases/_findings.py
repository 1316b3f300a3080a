"""What a case base predicts for rows, and which cases are most alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import CaseBase, CaseExplanation, CaseMatch, NearCase, plain
from sightline.show._model_findings import ModelFindings
from sightline.show._row import Rows

_BLOCK = 256
"""Rows whose cases are found together."""


class CaseFindings(ModelFindings):
    """The predictions of a case base.

    Parameters
    ----------
    base : CaseBase
        The cases.
    rows : Rows
        The rows.
    n : int
        Maximum number of supporting cases.
    include_itself : bool, default=False
        Whether a row that is one of the cases may be explained by itself.
    """

    gives_reasons = False

    def __init__(self, base: CaseBase, rows: Rows, n: int, include_itself: bool = False) -> None:
        answers = base.given_answers(rows.given)
        super().__init__(rows, base.classes_, *answers, base.explained, mentions_ensemble=False)
        self.base = base
        self.n = n
        self.include_itself = include_itself
        self._block: tuple[int, list[CaseExplanation]] = (-1, [])

    def explanation(self, row: int) -> CaseExplanation:
        """Return the cases that explain a row."""
        block = row // _BLOCK
        if self._block[0] != block:
            chosen = slice(block * _BLOCK, (block + 1) * _BLOCK)
            found = self.base.explanations(
                self.rows.given[chosen],
                self.n,
                include_itself=self.include_itself,
                names=self.rows.given_names(chosen),
            )
            self._block = block, found
        return self._block[1][row % _BLOCK]

    def sentences(self, row: int) -> str:
        """Name the cases that support the prediction, and the nearest one against it."""
        return self.explanation(row).to_text()

    def cases(self, row: int) -> tuple[NearCase, ...]:
        """Return the supporting cases, the most alike first, then the nearest one against the prediction."""
        explanation = self.explanation(row)
        return tuple(
            self._case(match, match is not explanation.contrast, row) for match in explanation.matches
        )

    def _case(self, match: CaseMatch, supports: bool, row: int) -> NearCase:
        columns = self.base.cases.columns
        differences = {
            columns[feature].name: (columns[feature].value_at(match.case), self.rows.value(feature, row))
            for feature in [*match.differing, *match.near]
        }
        return NearCase(
            self.base.name_of(match.case),
            plain(self.base.outcomes[match.case]),
            supports,
            match.distance,
            differences,
        )

    def _own_columns(self, prove: bool) -> dict[str, NDArray[Any]]:  # noqa: ARG002
        """Return the nearest case of each row, and the nearest one against the prediction."""
        n_rows = len(self.codes)
        columns = {
            name: np.full(n_rows, None, dtype=object)
            for name in ("nearest_case", "nearest_outcome", "counterexample", "counterexample_outcome")
        }
        for row in range(n_rows):
            explanation = self.explanation(row)
            nearest = next(iter(explanation.supporting), None)
            for start, match in (("nearest_case", nearest), ("counterexample", explanation.contrast)):
                if match is not None:
                    columns[start][row] = self.base.name_of(match.case)
                    columns[f"{start.removesuffix('_case')}_outcome"][row] = self.base.outcomes[match.case]
        return columns
