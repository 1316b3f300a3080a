"""Data frames of the library that the caller works with."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from sightline.exceptions import ParameterError


def data_frame(columns: Mapping[str, Any], library: str) -> Any:
    """Return columns as a frame of pandas or polars; the library is imported here."""
    if library not in ("pandas", "polars"):
        raise ParameterError(
            f"The 'library' parameter must be 'pandas' or 'polars'. Got {library!r} instead."
        )
    return importlib.import_module(library).DataFrame(columns)
