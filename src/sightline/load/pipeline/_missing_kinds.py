"""Missing values that steps of scikit-learn distinguish, and tables do not: NaN, None and pandas' NA."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sightline.load.pipeline._source import Source
from sightline.table import NULLABLE_BOOLEAN, missing_kind

__all__ = ["cell_of_kind", "expected_kind", "missing_kinds"]


def missing_kinds(sources: Sequence[Source], has_names: bool) -> list[str]:
    """Return the kinds of missing values that rows may hold."""
    try:
        import pandas as pd  # noqa: F401, PLC0415 - optional
    except ImportError:
        # A column of polars holds no NaN beside text.
        return [] if has_names else ["NaN", "None"]
    nullable = [NULLABLE_BOOLEAN] if has_names and any(map(_holds_booleans, sources)) else []
    return ["NaN", "None", "pd.NA", *nullable]


def cell_of_kind(source: Source, kind: str) -> Any:
    """Return a column of one missing cell, or of some value if the pipeline takes no missing one."""
    if source.refuses_missing:
        return source.probe([source.some_value()])
    if kind == "NaN":
        return source.probe([np.nan]) if source.is_nominal else np.full(1, np.nan)
    if kind == "None":
        return np.full(1, None, dtype=object)
    import pandas as pd  # noqa: PLC0415 - optional

    if kind == NULLABLE_BOOLEAN and _holds_booleans(source):
        return pd.array([pd.NA], dtype="boolean")
    return np.full(1, pd.NA, dtype=object)


def _holds_booleans(source: Source) -> bool:
    """Whether rows may hold booleans; with missing ones, the encoders of scikit-learn list 0.0 and 1.0."""
    return source.is_nominal and all(value in (False, True) for value in source.values)


def expected_kind(source: Source) -> str:
    """Return the kind of missing value that a loaded pipeline follows."""
    return missing_kind(source.missing) if source.is_nominal else "NaN"
