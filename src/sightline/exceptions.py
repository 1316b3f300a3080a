"""What sightline raises. All are ``ValueError``, so that scikit-learn's callers catch them as usual."""

__all__ = [
    "BudgetExceeded",
    "DataError",
    "ModelFormatError",
    "ParameterError",
    "SightlineError",
    "UnsupportedModelError",
]


class SightlineError(ValueError):
    """Base of every error that sightline raises on purpose."""


class DataError(SightlineError):
    """Rows, columns, labels or weights that cannot be used as they are."""


class ParameterError(SightlineError):
    """A parameter of an estimator or function outside its range."""


class ModelFormatError(SightlineError):
    """A stored model that is damaged, malformed or of an unknown version."""


class UnsupportedModelError(SightlineError):
    """A model of a kind that sightline does not read, named in the message."""


class BudgetExceeded(SightlineError):  # noqa: N818 - the name is part of the public contract
    """A limit of nodes or seconds was reached where no partial result can be given."""
