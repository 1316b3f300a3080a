"""What sightline raises and warns of. Errors are ``ValueError``: scikit-learn's callers catch them."""

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
    """Base of every error that sightline raises on purpose."""


class DataError(SightlineError):
    """Rows, columns, labels or weights that cannot be used as they are."""


class DataWarning(UserWarning):
    """Columns that can be used as they are, but probably should not be."""


class ParameterError(SightlineError):
    """A parameter of an estimator or function outside its range."""


class ModelFormatError(SightlineError):
    """A stored model that is damaged, malformed or of an unknown version."""


class UnsupportedModelError(SightlineError):
    """A model of a kind that sightline does not read, named in the message."""


class BudgetExceeded(SightlineError):  # noqa: N818 - the name is part of the public contract
    """A limit of nodes or seconds was reached where no partial result can be given."""
