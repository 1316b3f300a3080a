"""Names for the classes of a loaded model, and its positive class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ParameterError, UnsupportedModelError
from sightline.model import Ensemble
from sightline.table import is_missing
from sightline.wording import list_names

_MAX_LISTED = 10
_SCALARS = (str, int, float, bool, np.generic)


def with_class_names(ensemble: Ensemble, classes: Any, positive: Any) -> Ensemble:
    """Name the classes of a loaded model.

    Parameters
    ----------
    ensemble : Ensemble
        The model, with the labels that it was trained on.
    classes : sequence, mapping or None
        A name for each class in their order, or a dict from labels to names.
    positive : label or None
        The class that matters, by its name.

    Returns
    -------
    Ensemble
        The same model with other labels.
    """
    if classes is None and positive is None:
        return ensemble
    if ensemble.classes_ is None:
        raise UnsupportedModelError(
            "The model is a regressor: it has no classes to name. Omit 'classes' and 'positive'."
        )
    if classes is not None:
        ensemble = ensemble.replaced(classes=_names(ensemble.classes_.tolist(), classes))
    if positive is not None:
        ensemble = ensemble.replaced(positive=_positive(ensemble, positive))
    return ensemble


def _names(known: list[Any], classes: Any) -> NDArray[Any]:
    if isinstance(classes, Mapping):
        names = _names_by_label(known, classes)
    elif isinstance(classes, str | bytes | Set) or not isinstance(classes, Iterable):  # a set has no order
        raise ParameterError(
            "The 'classes' parameter of load must be a list of names, or a dict from labels to names. "
            f"Got {classes!r} instead."
        )
    else:
        names = [_plain(name) for name in classes]
    if len(names) != len(known):
        raise ParameterError(
            f"The 'classes' parameter of load must give {len(known)} names, for {_listed(known)} in this "
            f"order. Got {len(names)} instead."
        )
    for name in names:
        if not isinstance(name, _SCALARS) or is_missing(name):
            raise ParameterError(
                "The 'classes' parameter of load must hold strings, numbers or booleans. "
                f"Got {name!r} instead."
            )
    if len(set(names)) < len(names):
        twice = next(name for index, name in enumerate(names) if name in names[:index])
        raise ParameterError(
            f"The 'classes' parameter of load gives the name {twice!r} twice. Names must be different."
        )
    array = np.array(names)
    return array if array.tolist() == names else np.array(names, dtype=object)


def _names_by_label(known: list[Any], classes: Mapping[Any, Any]) -> list[Any]:
    name_of = {_plain(label): _plain(name) for label, name in classes.items()}
    absent = [label for label in known if label not in name_of]
    if absent:
        raise ParameterError(
            f"The 'classes' parameter of load has no name for {_listed(absent)}. "
            f"The model's classes are {_listed(known)}."
        )
    strange = [label for label in name_of if label not in known]
    if strange:
        raise ParameterError(
            f"The 'classes' parameter of load names {_listed(strange)}, which is not a class of the model. "
            f"Its classes are {_listed(known)}."
        )
    return [name_of[label] for label in known]


def _positive(ensemble: Ensemble, positive: Any) -> Any:
    known = np.asarray(ensemble.classes_).tolist()
    if _plain(positive) not in known:
        raise ParameterError(
            f"The 'positive' parameter of load must be one of the classes {_listed(known)}. "
            f"Got {positive!r} instead."
        )
    return known[known.index(_plain(positive))]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _listed(labels: list[Any]) -> str:
    return list_names([repr(label) for label in labels], _MAX_LISTED)
