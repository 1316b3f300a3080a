"""An explanation by cases: what they share with a row, and where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline.model._readable import Shown
from sightline.table import Labels, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sightline.model._case_base import CaseBase

TOLERANCE = 0.05
"""Numbers that differ by at most this share of the range are nearly the same."""


def gaps_between(
    rows: Table, cases: Table, found: NDArray[np.int32], ranges: Sequence[float]
) -> NDArray[np.float64]:
    """Return the distances between values of rows and cases, in shares of the range: (rows, cases, features).

    Two missing values are equal; one missing value has the largest distance.

    Parameters
    ----------
    rows, cases : Table
        Both with the same columns.
    found : ndarray of shape (n_rows, n_found)
        Indices of the cases beside each row.
    ranges : sequence of float
        Of every feature.
    """
    gaps = np.empty((*found.shape, len(cases.columns)))
    for feature, (own, column) in enumerate(zip(rows.columns, cases.columns, strict=True)):
        mine, theirs = own.values[:, None], column.values[found]
        is_missing = own.is_missing[:, None].astype(int) + column.is_missing[found]
        if column.feature.is_nominal:
            apart = (mine != theirs).astype(np.float64)
        else:
            apart = np.abs(mine / 2 - theirs / 2) / (ranges[feature] / 2)
        gaps[:, :, feature] = np.where(is_missing == 0, apart, is_missing == 1)
    return gaps


@dataclass(frozen=True, eq=False)
class CaseMatch:
    """One case beside a row.

    Attributes
    ----------
    case : int
        Index of the case in the case base.
    code : int
        Its class.
    distance : float
        Euclidean distance between the features.
    gaps : ndarray of shape (n_features,)
        How far the values are apart: shares of the range, 0 or 1 for categories.
    """

    case: int
    code: int
    distance: float
    gaps: NDArray[np.float64]

    @cached_property
    def equal(self) -> list[int]:
        """Features of the same value."""
        return np.flatnonzero(self.gaps == 0).tolist()

    @cached_property
    def near(self) -> list[int]:
        """Features whose numbers are nearly the same: within a twentieth of the range."""
        return np.flatnonzero((self.gaps > 0) & (self.gaps <= TOLERANCE)).tolist()

    @cached_property
    def differing(self) -> list[int]:
        """Features with a different value, the most different first."""
        order = np.argsort(-self.gaps, kind="stable")
        return [int(feature) for feature in order[self.gaps[order] > TOLERANCE]]


@dataclass(frozen=True, eq=False, repr=False)
class CaseExplanation(Shown):
    """The cases that support the label of a row, and the nearest case against it.

    Attributes
    ----------
    base : CaseBase
        Where the cases are from.
    all_given, all_rows : Table
        The rows that are explained together: as they were handed in, and in the columns of the cases.
    index : int
        Which of them is explained here.
    code : int
        The predicted class; 0 if a number is predicted.
    probability : float or None
        Its probability, or the predicted number; None if a black box gives labels only.
    n_for, n_members : int
        Members of the ensemble that are for it, of how many.
    supporting : tuple of CaseMatch
        Cases of the predicted class, the most similar first.
    contrast : CaseMatch or None
        The most similar case of a different class, or with a distant number; None if there is none.
    explained : object or None
        What the explained model predicts; None if it is what predicts here, or is not at hand.
    """

    base: CaseBase
    all_given: Table
    all_rows: Table
    index: int
    code: int
    probability: float | None
    n_for: int
    n_members: int
    supporting: tuple[CaseMatch, ...]
    contrast: CaseMatch | None
    explained: Any = None

    @cached_property
    def given(self) -> Table:
        """The row as it was handed in."""
        one: Table = self.all_given[self.index : self.index + 1]
        return one

    @cached_property
    def row(self) -> Table:
        """The row in the columns of the cases."""
        one: Table = self.all_rows[self.index : self.index + 1]
        return one

    @property
    def label(self) -> Any:
        """The predicted label or number."""
        return self.probability if self.base.classes_ is None else self.base.classes_[self.code]

    @property
    def outcomes(self) -> list[Any]:
        """The predicted label or number, then the outcomes of the cases."""
        return [self.label, *(self.base.outcomes[match.case] for match in self.matches)]

    @property
    def matches(self) -> tuple[CaseMatch, ...]:
        """All cases: the supporting ones, then the contrast."""
        return self.supporting if self.contrast is None else (*self.supporting, self.contrast)

    def to_text(self, *, style: Literal["sentences", "table"] = "sentences") -> str:
        """Write the explanation as sentences, or as a table with one column per case.

        Parameters
        ----------
        style : {"sentences", "table"}, default="sentences"
            A table marks the values that differ from the row's.

        Returns
        -------
        str
            The text. Names and labels cannot control the terminal.
        """
        text: str = self._display().text(style=style)
        return text

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw row and cases with matplotlib, a line each through the values of all features.

        Parameters
        ----------
        %(ax)s

        %(returns_axes)s
        """
        axes: Axes = self._display().plot(ax)
        return axes

    def to_frame(self, library: str = "pandas") -> Any:
        """Return row and cases as a data frame, the row first.

        Parameters
        ----------
        library : {"pandas", "polars"}, default="pandas"
            The library of the frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            Who it is (``who``: "yours" or the case), the predicted label or the known outcome
            (``outcome``), and a column per feature.
        """
        return self._display().frame(library)

    def to_table(self) -> Table:
        """Return row and cases as a table with their own columns, the row first.

        Returns
        -------
        Table
            The row, the supporting cases, the contrast; the target holds the label that was
            predicted for the row, and the outcomes of the cases.
        """
        rows = self.row.stacked(
            self.base.cases[np.array([match.case for match in self.matches], dtype=np.intp)]
        )
        if self.base.classes_ is None:
            return Table(rows.columns, np.array(self.outcomes, dtype=float), has_names=rows.has_names)
        codes = np.array([self.code, *(match.code for match in self.matches)], dtype=np.int32)
        return Table(rows.columns, Labels(codes, self.base.classes_), has_names=rows.has_names)

    def __repr__(self) -> str:
        cases = ", ".join(str(self.base.name_of(match.case)) for match in self.supporting)
        against = (
            "" if self.contrast is None else f", against it case {self.base.name_of(self.contrast.case)}"
        )
        return f"CaseExplanation({self.label!r} by the cases {cases or 'none'}{against})"
