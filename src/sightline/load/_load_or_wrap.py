"""Load a model, or wrap it as a black box if it cannot be read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sightline.exceptions import UnsupportedModelError
from sightline.load._file import ModelFile
from sightline.load._load import load
from sightline.load._options import CategoriesNeededError, Options
from sightline.load._pickle import PickleImporter
from sightline.model import BlackBox, Ensemble, can_be_queried
from sightline.table import Schema


def load_for(model: Any, rows: Any, **options: Any) -> Ensemble:
    """Load a model for certain rows, which show what the model itself may not store.

    Parameters
    ----------
    model : object or path-like
        As in :func:`load`.
    rows : Table, frame, Schema or None
        Rows, or their columns. They matter only if the model does not store which of its columns
        have categories.
    **options
        The options of :func:`load`.

    Returns
    -------
    Ensemble
        The trees.
    """
    try:
        return load(model, **options)
    except CategoriesNeededError as question:
        if rows is None or options.get("categories") is not None:
            raise
        if isinstance(rows, Schema):
            rows = {feature.name: feature.categories or () for feature in rows.features}
        try:
            return load(model, categories=rows, **options)
        except CategoriesNeededError:
            raise question from None


def load_or_wrap(model: Any, rows: Any = None, **options: Any) -> Ensemble | BlackBox:
    """Load a model as trees, or wrap it as a black box if :func:`load` must refuse it.

    Parameters
    ----------
    model : object, callable or path-like
        A fitted model, a function of rows, or a file.
    rows : Table, frame or Schema, optional
        Rows for the model, as in :func:`load_for`.
    **options
        The options of :func:`load`.

    Returns
    -------
    Ensemble or BlackBox
        A black box keeps the reason of the refusal.

    Raises
    ------
    UnsupportedModelError
        If the model can neither be read nor queried.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> load_or_wrap(SVC().fit(*load_iris(return_X_y=True)))
    BlackBox(SVC, 3 classes)
    """
    if isinstance(model, BlackBox):
        return model
    try:
        return load_for(model, rows, **options)
    except UnsupportedModelError as refusal:
        wrapped = model
        if isinstance(model, str | os.PathLike):
            wrapped = _unpickled(model, Options(allow_pickle=bool(options.get("allow_pickle"))))
        if not can_be_queried(wrapped):
            raise
        box = BlackBox(wrapped)
        box.refusal = str(refusal)
        return box


@contextmanager
def trees_needed(owner: str) -> Iterator[None]:
    """Say why an owner, such as ``certify``, cannot use a model that :func:`load` refuses."""
    try:
        yield
    except UnsupportedModelError as refusal:
        # Where only trees help, advice to wrap the model would lead to the next refusal.
        raise UnsupportedModelError(
            f"{refusal.reason} {owner} needs trees, because it proves what holds for every possible row."
        ) from refusal


def _unpickled(path: str | os.PathLike[str], options: Options) -> Any:
    """Return the object in a pickle that may be opened, or None."""
    if not options.allow_pickle:
        return None
    file = ModelFile.read(path, options)
    pickles = PickleImporter()
    return pickles.model_in(file) if pickles.recognizes(file) else None


def is_pickle(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a pickle or joblib file, which runs code when it is opened."""
    return PickleImporter().recognizes(ModelFile.read(path, Options()))
