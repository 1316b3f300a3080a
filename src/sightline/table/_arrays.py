"""Columns from two-dimensional arrays and nested lists."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from sightline.exceptions import DataError
from sightline.table._cells import column_of_cells
from sightline.table._column import Column, Container, Source, numeric_column
from sightline.table._whole_numbers import source_of
from sightline.table.dates import column_of_instants

__all__ = ["columns_of_array", "matrix_of"]


def matrix_of(X: object) -> NDArray[Any]:
    """Return a two-dimensional array, or raise with the messages of scikit-learn."""
    if issparse(X):
        raise DataError(
            "Sparse data was passed, but dense data is required. Use X.toarray() to convert it. "
            "For an XGBoost model, fill in NaN instead of 0: it treats cells that are not stored as missing."
        )
    if isinstance(X, Mapping) or getattr(getattr(X, "dtype", None), "names", None):
        kind = "a dictionary" if isinstance(X, Mapping) else "a structured array"
        raise DataError(f"X is {kind}. Convert it to a frame: pandas.DataFrame(X).")
    matrix = _array_of(X)
    if matrix.ndim == 1 and matrix.size and isinstance(matrix[0], Mapping):
        raise DataError("X is a list of dictionaries. Convert it to a frame: pandas.DataFrame(X).")
    if matrix.dtype.kind == "c":
        raise DataError("Complex data not supported. Pass real numbers, for instance in two columns.")
    if matrix.dtype.kind == "f" and matrix.dtype.itemsize > np.dtype(np.float64).itemsize:
        raise DataError(
            f"X has the type {matrix.dtype}, which is not supported. Convert it to doubles: X.astype(float)."
        )
    if matrix.ndim == 0 and matrix.dtype == object:
        kind = "None" if X is None else f"a {type(X).__name__}"
        read = " Read a file with sl.read_table." if isinstance(X, str | os.PathLike) else ""
        raise DataError(
            f"X is {kind}, not rows. Pass an array, nested lists, an sl.Table, or a frame of pandas, polars "
            f"or pyarrow.{read}"
        )
    if matrix.ndim < 2:
        kind = "scalar" if matrix.ndim == 0 else "1D"
        raise DataError(
            f"Expected 2D array, got {kind} array instead. "
            "Reshape your data either using array.reshape(-1, 1) if your data has a single feature "
            "or array.reshape(1, -1) if it contains a single sample."
        )
    if matrix.ndim > 2:
        raise DataError(f"Found array with dim {matrix.ndim}, while dim <= 2 is required.")
    return matrix


def columns_of_array(
    matrix: NDArray[Any], names: Sequence[str], container: Container = "array"
) -> list[Column]:
    """Return the columns of a matrix: views of a float64 one, converted copies of any other.

    Numbers and booleans are numeric. In an object or string matrix the cells decide: columns of
    numbers are numeric, columns of strings and booleans nominal.
    """
    if matrix.dtype.kind in "mM":
        return [column_of_instants(name, matrix[:, index]) for index, name in enumerate(names)]
    if matrix.dtype.kind in "OUST":
        cells = matrix.astype(object, copy=False)
        return [column_of_cells(name, cells[:, index].tolist()) for index, name in enumerate(names)]
    numbers = np.require(matrix, np.float64, ["ALIGNED"])
    number_type = "" if matrix.dtype == np.float64 else matrix.dtype.name
    columns = [numeric_column(name, numbers[:, index], number_type) for index, name in enumerate(names)]
    if source_of(matrix, container) is None:
        return columns
    return [replace(column, source=Source(matrix[:, k], container)) for k, column in enumerate(columns)]


def _array_of(X: object) -> NDArray[Any]:
    if isinstance(X, np.ma.MaskedArray):
        cells = np.array(X.data, dtype=object)
        cells[np.ma.getmaskarray(X)] = None
        return cells
    if isinstance(X, np.ndarray):
        return np.asarray(X)
    try:
        array = np.asarray(X)
        # numpy would turn [1, "a"] into strings, so look at the cells themselves.
        return np.asarray(X, dtype=object) if array.dtype.kind in "US" else array
    except DataError:
        raise  # an X that says itself why it is no array
    except ValueError as error:
        raise DataError(f"X cannot be converted to an array: {error}") from error
