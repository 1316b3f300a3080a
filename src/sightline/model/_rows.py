"""How a model receives rows: any table, brought to the columns that the model knows."""

from __future__ import annotations

from typing import Any

from joblib import effective_n_jobs

from sightline import _core
from sightline.table import Schema, Table, without_ignored


def native_rows(X: Any, schema: Schema, owner: str) -> _core.Columns:
    """Return the rows of X with the columns of a schema, as kernels read them.

    Parameters
    ----------
    X : Table, frame or array
        The rows. Infinite numbers are larger, or smaller, than every threshold.
    schema : Schema
        The columns that the model knows; unseen categories become missing.
    owner : str
        Who asks, for the error messages.

    Returns
    -------
    _core.Columns
        Columns borrowed from X wherever they need no conversion.
    """
    return Table.from_any(without_ignored(X, schema), infinite="largest").aligned(schema, owner).native()


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that joblib gives to ``n_jobs``."""
    return int(effective_n_jobs(n_jobs))
