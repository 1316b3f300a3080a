"""Which rows of the data a page may carry: none, unless the caller asks for them."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

from sightline.exceptions import ParameterError
from sightline.wording import pluralize

SAMPLE_SIZE = 200


@dataclass(frozen=True)
class ShownRows:
    """How many rows a page carries, and whether it shows their cells.

    Attributes
    ----------
    n_max : int
        Maximum number of rows to include.
    has_cells : bool
        Whether their values and true labels are on the page; otherwise only their numbers.
    """

    n_max: int = 0
    has_cells: bool = False

    @classmethod
    def of(cls, rows: Any) -> ShownRows:
        """Read the parameter ``rows`` of :func:`sightline.report`.

        Examples
        --------
        >>> ShownRows.of(None), ShownRows.of(30)
        (ShownRows(n_max=0, has_cells=False), ShownRows(n_max=30, has_cells=True))
        """
        if rows is None:
            return cls()
        if isinstance(rows, str) and rows in {"sample", "ids"}:
            return cls(SAMPLE_SIZE, rows == "sample")
        if isinstance(rows, Integral) and not isinstance(rows, bool) and int(rows) >= 0:
            return cls(int(rows), int(rows) > 0)
        raise ParameterError(
            "The 'rows' parameter of report must be None, 'sample', 'ids' or a number of rows. "
            f"Got {rows!r} instead."
        )

    def notice(self, n_rows: int) -> str:
        """Say what the page carries; empty if it carries no rows."""
        if not n_rows:
            return ""
        count = pluralize(n_rows, "row")
        if not self.has_cells:
            return f"This page names {count} of the data, with what the models predict for them."
        return f"This page contains {count} of the data, with their values. Share it like the data itself."
