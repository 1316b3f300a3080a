"""Estimators that were stored whole, in a pickle or a skops file."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import sklearn
from sklearn.exceptions import InconsistentVersionWarning

from sightline.exceptions import ModelFormatError, SightlineError, UnsupportedModelError
from sightline.load._file import ModelFile
from sightline.load._registry import find_importer
from sightline.model import Ensemble
from sightline.sklearn_internals import MovedAttributeError

_MAX_LETTERS = 200


def load_object(unpack: Callable[[], Any], file: ModelFile) -> Ensemble:
    """Read the model that a file held.

    Parameters
    ----------
    unpack : callable
        Returns the model.
    file : ModelFile
        Where it came from.

    Returns
    -------
    Ensemble
        The model.

    Raises
    ------
    ModelFormatError
        If an attribute of the model is missing or damaged.
    UnsupportedModelError
        If another version of scikit-learn stored the model, and this one cannot use it.
    """
    model, version = _unpacked(unpack)
    importer = find_importer(model)
    name = type(model).__name__
    try:
        return importer.read_with(model, file.options)
    except SightlineError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        # The file names the version that stored it: that says more than what may have moved since.
        cause = error.__cause__ if isinstance(error, MovedAttributeError) else None
        reason = in_one_line(cause or error)
        if version is not None:
            raise UnsupportedModelError(
                f"{file.name}: its {name} was stored by scikit-learn {version}, and scikit-learn "
                f"{sklearn.__version__} cannot use it ({reason}). Install "
                f"scikit-learn=={version}, or fit the model again."
            ) from error
        # Only damage can cause these: a library sets all attributes of an estimator that it fits.
        raise ModelFormatError(f"{file.name}: its {name} is incomplete ({reason}).") from error


def _unpacked(unpack: Callable[[], Any]) -> tuple[Any, str | None]:
    """Return the model, and the version of scikit-learn that stored it if that is another one."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = unpack()
    version = None
    for warning in caught:
        if isinstance(warning.message, InconsistentVersionWarning):
            version = warning.message.original_sklearn_version
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return model, version


def in_one_line(error: BaseException | str) -> str:
    """Return the message of another library's error, or a text of a file, as one short line.

    Examples
    --------
    >>> in_one_line(ValueError("two" + chr(10) + "  lines."))
    'two lines'
    """
    text = " ".join(str(error).split()).rstrip(".")
    return text if len(text) <= _MAX_LETTERS else f"{text[:_MAX_LETTERS]} …"
