"""Model files that the command reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from rich.console import Console

import sightline as sl
from sightline.cli._options import FileOptions
from sightline.exceptions import DataError, ParameterError
from sightline.wording import list_names, printable

_MAX_LISTED = 10
_AS_FOUND = FileOptions()
Model = TypeVar("Model")


@dataclass(frozen=True)
class ModelRequest:
    """A model file, and how to read it.

    Attributes
    ----------
    path : Path
        The file.
    allow_pickle : bool
        Whether it may be a pickle.
    classes : str, optional
        Names for its classes in their order, separated by commas: many files store class numbers only.
    positive : str, optional
        The positive class.
    data : Path, optional
        Rows for the model, which show what it may not store.
    file : FileOptions
        How to read them.
    """

    path: Path
    allow_pickle: bool = False
    classes: str | None = None
    positive: str | None = None
    data: Path | None = None
    file: FileOptions = _AS_FOUND

    def read(self, load: Callable[..., Model]) -> Model:
        """Load the file. If it does not store which columns have categories, let the rows show it."""
        from sightline.load import CategoriesNeededError

        _warn(self.path, self.allow_pickle)
        try:
            return load(self.path, rows=None, allow_pickle=self.allow_pickle)
        except CategoriesNeededError:
            if self.data is None:
                raise
            from sightline.cli._data import read_rows

            rows = read_rows(self.data, None, self.file)[0]
            return load(self.path, rows=rows, allow_pickle=self.allow_pickle)


def read_any(request: ModelRequest) -> Any:
    """Read a sightline model of any kind, or another library's model as an ensemble."""
    from sightline.load import load_any

    return request.read(load_any)


def _warn(path: Path, allow_pickle: bool) -> None:
    """Warn on stderr, also with --quiet, before code in the file may run."""
    from sightline.load import is_pickle

    if allow_pickle and is_pickle(path):
        sentence = f"Warning: --allow-pickle runs any code in {path}. Use it only for files that you trust."
        Console(stderr=True).print(printable(sentence), markup=False, highlight=False, soft_wrap=True)


def model_task(model: Any) -> Literal["classes", "numbers"]:
    """Return what a model predicts; a black box does not always name its classes."""
    if isinstance(model, sl.BlackBox):
        return model.task
    return "numbers" if model.classes_ is None else "classes"


def read_teacher(request: ModelRequest) -> sl.Ensemble | sl.BlackBox:
    """Read a model: its trees, or as a black box if it has none and comes in a pickle."""
    from sightline.load import load_or_wrap

    teacher = request.read(load_or_wrap)
    if not isinstance(teacher, sl.BlackBox):
        return _with_names(request, teacher)
    if request.positive is not None:
        raise ParameterError(f"{request.path}: --positive works only for models of trees.")
    # The steps of the command are on the screen already.
    names = None if request.classes is None else [name.strip() for name in request.classes.split(",")]
    named = sl.BlackBox(teacher.model, names, show_progress=False)
    named.refusal = teacher.refusal
    return named


def read_ensemble(request: ModelRequest) -> sl.Ensemble:
    """Read an ensemble of sightline or of another library."""
    from sightline.load import load_for

    return _with_names(request, request.read(load_for))


def _with_names(request: ModelRequest, ensemble: sl.Ensemble) -> sl.Ensemble:
    if request.classes is not None:
        ensemble = _named(request.path, ensemble, request.classes)
    return ensemble if request.positive is None else _with_positive(request.path, ensemble, request.positive)


def check_common_class(first: Path, model: Any, second: Path, other: Any) -> None:
    """Raise if two models share no class: many model files store class numbers only."""
    own, others = _classes_of(model), _classes_of(other)
    if own and others and not set(own) & set(others):
        raise DataError(
            f"{second}: its classes are {list_some(others)}, but the classes of {first} are "
            f"{list_some(own)}. Rename them with --classes, in this order."
        )


def _classes_of(model: Any) -> list[Any]:
    """Return the classes of a model; none for a regression, or if a black box does not name them."""
    return [] if model.classes_ is None else list(model.classes_.tolist())


def list_some(names: Sequence[Any]) -> str:
    """List names in quotes, at most ten.

    Examples
    --------
    >>> list_some(["no", "yes"]), list_some(range(12))
    ("'no' and 'yes'", '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more')
    """
    return list_names([*map(repr, names)], _MAX_LISTED)


def _named(path: Path, ensemble: sl.Ensemble, classes: str) -> sl.Ensemble:
    import numpy as np

    if ensemble.classes_ is None:
        raise ParameterError(f"{path}: --classes names classes, but this model predicts numbers.")
    names = [name.strip() for name in classes.split(",")]
    if len(set(names)) != len(names) or len(names) != ensemble.n_classes:
        known = ", ".join(map(str, np.asarray(ensemble.classes_)))
        raise ParameterError(
            f"{path}: --classes must give {ensemble.n_classes} different names, for {known} in this order. "
            f"Got {classes!r} instead."
        )
    return sl.load(ensemble, classes=names)


def _with_positive(path: Path, ensemble: sl.Ensemble, positive: str) -> sl.Ensemble:
    import numpy as np

    if ensemble.classes_ is None:
        raise ParameterError(f"{path}: --positive names a class, but this model predicts numbers.")
    known = np.asarray(ensemble.classes_).tolist()
    named = {str(label): label for label in known}
    if positive not in named:
        raise ParameterError(
            f"{path}: --positive must be one of the classes {list_some(known)}. Got {positive!r} instead."
        )
    return sl.load(ensemble, positive=named[positive])
