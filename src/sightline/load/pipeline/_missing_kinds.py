"""Missing values that steps of scikit-learn distinguish, and tables do not: NaN, None and pandas' NA."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.load.pipeline._source import Source
from sightline.table import missing_kind

__all__ = ["cell_of_kind", "expected_kind", "missing_cells"]


def missing_cells() -> list[Any]:
    """Return one cell of each kind that rows may hold."""
    try:
        import pandas as pd  # noqa: PLC0415 - optional
    except ImportError:
        # A column of polars holds no NaN beside text.
        return []
    return [np.nan, None, pd.NA]


def cell_of_kind(source: Source, cell: Any) -> NDArray[Any]:
    """Return a column of one missing cell, or of some value if the pipeline takes no missing one."""
    if source.refuses_missing:
        return source.probe([source.some_value()])
    if isinstance(cell, float):
        return source.probe([cell]) if source.is_nominal else np.full(1, cell)
    return np.full(1, cell, dtype=object)


def expected_kind(source: Source) -> str:
    """Return the kind of missing value that a loaded pipeline follows."""
    return missing_kind(source.missing) if source.is_nominal else "NaN"
