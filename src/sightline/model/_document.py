"""Members of a JSON document, checked as they are read."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError

Document = dict[str, Any]


def parse_document(text: str) -> Document:
    """Parse strict JSON: no NaN, no repeated keys, an object at the top."""
    try:
        document = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique_keys)
    except ModelFormatError:
        raise
    except RecursionError as error:
        raise ModelFormatError("the JSON is nested too deeply") from error
    except ValueError as error:
        raise ModelFormatError(f"is not valid JSON ({error})") from error
    if not isinstance(document, dict):
        raise ModelFormatError("a model is a JSON object")
    return document


def _refuse_constant(name: str) -> None:
    raise ModelFormatError(f"is not valid JSON ({name} is not a number)")


def _unique_keys(pairs: list[tuple[str, Any]]) -> Document:
    result = dict(pairs)
    if len(result) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise ModelFormatError(f"the key {twice!r} occurs twice in one object")
    return result


def get(document: Document, key: str, *types: type) -> Any:
    """Return a member of one of some types."""
    if key not in document:
        raise ModelFormatError(f"{key!r} is missing")
    value = document[key]
    if type(value) not in types:
        names = " or ".join(t.__name__ for t in types)
        raise ModelFormatError(f"{key!r} must be {names}, not {type(value).__name__}")
    return value


def get_number(document: Document, key: str, least: float = -math.inf) -> float:
    """Return a finite number."""
    try:
        number = float(get(document, key, float, int))
    except OverflowError as error:
        raise ModelFormatError(f"{key!r} is too large") from error
    if not math.isfinite(number):
        raise ModelFormatError(f"{key!r} is too large")
    if number < least:
        raise ModelFormatError(f"{key!r} must be at least {least:g}")
    return number


def get_count(document: Document, key: str) -> int:
    """Return a count of at least one."""
    count: int = get(document, key, int)
    if not 1 <= count < 2**31:
        raise ModelFormatError(f"{key!r} must be at least 1 and less than 2147483648")
    return count


def get_array(document: Document, key: str, dtype: type) -> NDArray[Any]:
    """Return a list of finite numbers as an array."""
    values = get(document, key, list)
    allowed = {int} if np.issubdtype(dtype, np.integer) else {int, float}
    if not set(map(type, values)) <= allowed:
        raise ModelFormatError(f"{key!r} must hold only {'integers' if allowed == {int} else 'numbers'}")
    try:
        array: NDArray[Any] = np.array(values, dtype=dtype)
    except OverflowError as error:
        raise ModelFormatError(f"{key!r} holds a number that is too large") from error
    if not np.isfinite(array).all():
        raise ModelFormatError(f"{key!r} holds a number that is too large")
    return array
