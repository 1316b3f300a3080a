"""The stored form of labels: their numpy type and JSON values that it reads back."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError, ModelFormatError
from sightline.model._document import Document, get

# Per kind of numpy type, the JSON types that its labels are stored as.
_LABEL_TYPES: dict[str, set[type]] = {
    "b": {bool},
    "i": {int},
    "u": {int},
    "f": {float},
    "U": {str},
    "T": {str},
    "S": {str},
    "M": {int},
    "m": {int},
    "O": {str, int, float, bool},
}
_LABEL_DTYPE = re.compile(r"[<>|][biufSUMmO]\d{0,9}(\[\d{0,3}[A-Za-z]{1,2}\])?")
_MAX_LABEL_BYTES = 2**28


def write_classes(classes: NDArray[Any] | None) -> Any:
    """Return labels with their numpy type, so that they come back as they were."""
    if classes is None:
        return None
    kind, values = classes.dtype.kind, _label_values(classes)
    for value in values:
        if type(value) not in _LABEL_TYPES.get(kind, ()):
            raise DataError(
                f"Labels such as {value!r} of type {type(value).__name__} cannot be stored. Use strings, "
                "numbers, booleans, or numpy's bytes and dates."
            )
    return {"dtype": "T" if kind == "T" else classes.dtype.str, "values": values}


def _label_values(classes: NDArray[Any]) -> list[Any]:
    """Return labels as values that JSON can hold."""
    if classes.dtype.kind in "Mm":
        classes = classes.astype(np.int64)
    if classes.dtype.kind == "S":
        return [value.decode("latin-1") for value in classes.tolist()]
    return list(classes.tolist())


def read_classes(document: Document) -> NDArray[Any] | None:
    """Return the labels of a document, None if its outputs are numbers."""
    stored = get(document, "classes", dict, type(None))
    if stored is None:
        return None
    name, values = get(stored, "dtype", str), get(stored, "values", list)
    dtype = _label_dtype(name)
    if dtype.itemsize * len(values) > _MAX_LABEL_BYTES:
        raise ModelFormatError(f"'classes' of type {name!r} are too large")
    if not set(map(type, values)) <= _LABEL_TYPES[dtype.kind]:
        raise ModelFormatError(f"'classes' do not match their type {name!r}")
    try:
        plain = [value.encode("latin-1") for value in values] if dtype.kind == "S" else values
        with np.errstate(all="ignore"):
            classes = np.array(plain, dtype=np.int64 if dtype.kind in "Mm" else dtype).astype(
                dtype, copy=False
            )
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelFormatError(f"'classes' do not match their type {name!r}") from error
    if (
        classes.dtype != dtype
        or _label_values(classes) != values
        or any(value in (math.inf, -math.inf) for value in values)
    ):
        raise ModelFormatError(f"'classes' do not match their type {name!r}")
    if len(set(values)) < len(values):
        raise ModelFormatError("'classes' must be different labels")
    return classes


def _label_dtype(name: str) -> Any:
    if name == "T":
        return np.dtypes.StringDType()
    try:
        if _LABEL_DTYPE.fullmatch(name):
            return np.dtype(name)
    except (TypeError, ValueError):
        pass
    raise ModelFormatError(f"{name!r} is not a type of labels")
