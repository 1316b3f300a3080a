"""What Sightline uses of scikit-learn's private modules and attributes, and how versions differ.

Modules are named here and nowhere else; importers read attributes by `stored`. scikit-learn may move them
in any release. Until Sightline follows, people read a sentence that tells them which version to install.
"""

from __future__ import annotations

from typing import Any

import sklearn

__all__ = [
    "Interval",
    "InvalidParameterError",
    "MovedAttributeError",
    "RealNotInt",
    "StrOptions",
    "native_tree",
    "one_vs_rest_prefers_last",
    "safe_indexing",
    "standard_scaler_inverts_in_double",
    "stored",
    "validate_parameter_constraints",
]

_NEWEST_TRIED = "1.9"


class MovedAttributeError(AttributeError):
    """An attribute that is not there, in a sentence about versions; the cause names it."""


def _moved(error: Exception) -> str:
    return (
        f"scikit-learn {sklearn.__version__} no longer has what Sightline needs ({error}). Install a "
        f"newer Sightline, or the newest scikit-learn that was tested with this version: "
        f"pip install 'scikit-learn=={_NEWEST_TRIED}.*'"
    )


try:
    from sklearn.utils import _safe_indexing as safe_indexing
    from sklearn.utils._param_validation import (
        Interval,
        InvalidParameterError,
        RealNotInt,
        StrOptions,
        validate_parameter_constraints,
    )
except ImportError as error:
    raise ImportError(_moved(error)) from error


def stored(model: Any, name: str) -> Any:
    """Return a private attribute of a fitted model or transformer.

    Examples
    --------
    >>> from sklearn.preprocessing import OneHotEncoder
    >>> stored(OneHotEncoder().fit([["a"], ["b"]]), "_n_features_outs")
    [2]
    """
    try:
        return getattr(model, name)
    except AttributeError as error:
        raise MovedAttributeError(_moved(error)) from error


def native_tree() -> Any:
    """Return the class of scikit-learn's fitted trees."""
    try:
        from sklearn.tree._tree import Tree  # noqa: PLC0415 (few need it, and it takes a while)
    except ImportError as error:
        raise ImportError(_moved(error)) from error
    return Tree


def one_vs_rest_prefers_last() -> bool:
    """Return whether a tie in OneVsRestClassifier goes to the last class: to the first since 1.8."""
    return _is_before_1_8()


def standard_scaler_inverts_in_double() -> bool:
    """Return whether StandardScaler inverts with constants in double precision, whatever the numbers have.

    Since 1.8, it rounds them to the precision of the numbers.
    """
    return _is_before_1_8()


def _is_before_1_8() -> bool:
    return tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 8)
