"""Errors and warnings. All errors are ``ValueError``, which users of scikit-learn expect."""

__all__ = [
    "BudgetExceeded",
    "DataError",
    "DataWarning",
    "ModelFormatError",
    "ParameterError",
    "SightlineError",
    "UnsupportedModelError",
]


class SightlineError(ValueError):
    """Base class of all errors that sightline raises on purpose."""


class DataError(SightlineError):
    """Rows, columns, labels or weights that cannot be used."""


class DataWarning(UserWarning):
    """Data that probably needs conversion, or a model whose labels change: usable, but worth a look."""


class ParameterError(SightlineError):
    """A parameter of an estimator or function with an invalid value."""


class ModelFormatError(SightlineError):
    """A stored model that is damaged, malformed, or of an unknown version."""


class UnsupportedModelError(SightlineError):
    """A model of a kind that sightline does not support; the message names it.

    Parameters
    ----------
    reason : str
        What is not supported, and what to do about it.
    black_box : str, default=""
        A last sentence that advises querying the model instead. Omitted where trees are needed.
    """

    def __init__(self, reason: str, black_box: str = "") -> None:
        super().__init__(f"{reason} {black_box}" if black_box else reason)
        self.reason = reason
        self.black_box = black_box


class BudgetExceeded(SightlineError):  # noqa: N818 - the name is part of the public contract
    """A limit of nodes or seconds was reached, and there is no partial result."""
