"""Estimators that were stored whole, in a pickle or a skops file."""

from __future__ import annotations

from typing import Any

from sightline.exceptions import ModelFormatError, SightlineError
from sightline.load._file import ModelFile
from sightline.load._registry import find_importer
from sightline.model import Ensemble

_MAX_LETTERS = 200


def load_object(model: Any, file: ModelFile) -> Ensemble:
    """Read the model that a file held.

    Parameters
    ----------
    model : object
        The model.
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
    """
    importer = find_importer(model)
    try:
        return importer.read_with(model, file.options)
    except SightlineError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        # Only damage can cause these: a library sets all attributes of an estimator that it fits.
        raise ModelFormatError(
            f"{file.name}: its {type(model).__name__} is incomplete ({in_one_line(error)})."
        ) from error


def in_one_line(error: BaseException) -> str:
    """Return the message of another library's error as one short line.

    Examples
    --------
    >>> in_one_line(ValueError("two" + chr(10) + "  lines."))
    'two lines'
    """
    text = " ".join(str(error).split()).rstrip(".")
    return text if len(text) <= _MAX_LETTERS else f"{text[:_MAX_LETTERS]} …"
