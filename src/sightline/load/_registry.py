"""The importers: who reads which models."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, TypeVar

from sightline.exceptions import UnsupportedModelError
from sightline.load._options import Options
from sightline.model import Ensemble

_PREDICTING_METHODS = ("predict", "predict_proba", "decision_function")


class Importer(ABC):
    """Reads one family of models.

    A subclass names the classes that it understands and says how to read them. It must
    not import their library before it has accepted a model.

    Attributes
    ----------
    library : str
        Top-level module of the classes, such as ``"sklearn"``.
    class_names : frozenset of str
        Names of the classes.
    family : str
        What people call these models, for error messages; by default the classes.

    Examples
    --------
    An importer of lists of trees; decorated with :func:`register`, ``load`` would ask it.

    >>> from sightline.load import Importer
    >>> class ListImporter(Importer):
    ...     library = "builtins"
    ...     class_names = frozenset({"list"})
    ...
    ...     def read(self, model):
    ...         return Ensemble.average(model)
    >>> ListImporter().accepts([]), ListImporter().accepts("a text")
    (True, False)
    """

    library: ClassVar[str]
    class_names: ClassVar[frozenset[str]]
    family: ClassVar[str] = ""

    def accepts(self, model: Any) -> bool:
        """Say whether the model is of a known class, or of a subclass that predicts in the same way.

        Parameters
        ----------
        model : object
            Any object at all.

        Returns
        -------
        bool
            False for subclasses that bring a ``predict`` of their own: reading the trees
            would not tell what they do with them.
        """
        return predicts_as(type(model), self.library, self.class_names)

    @abstractmethod
    def read(self, model: Any) -> Ensemble:
        """Translate an accepted model.

        Parameters
        ----------
        model : object
            A model for which :meth:`accepts` is true.

        Returns
        -------
        Ensemble
            It gives the label and the score of the source for every row.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If there is nothing to read yet.
        UnsupportedModelError
            If the model uses something that is not understood.
        ModelFormatError
            If the model is damaged.
        """

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Translate an accepted model, with what the caller adds to it; by default nothing is needed."""
        del options
        return self.read(model)

    def description(self) -> str:
        """Name what the importer reads, for error messages."""
        return self.family or ", ".join(sorted(self.class_names))


_IMPORTERS: list[Importer] = []

_Kind = TypeVar("_Kind", bound=type[Importer])


def register(kind: _Kind) -> _Kind:
    """Make an importer known to :func:`sightline.load.load`.

    Parameters
    ----------
    kind : subclass of Importer
        Asked after those that are registered already.

    Returns
    -------
    subclass of Importer
        The same class, so that this works as a decorator.
    """
    _IMPORTERS.append(kind())
    return kind


def find_importer(model: Any) -> Importer:
    """Return the first importer that accepts a model.

    Parameters
    ----------
    model : object
        Any object at all.

    Returns
    -------
    Importer
        Its ``read`` translates the model.

    Raises
    ------
    UnsupportedModelError
        If nobody accepts it.
    """
    for importer in _IMPORTERS:
        if importer.accepts(model):
            return importer
    understood = ", ".join(dict.fromkeys(importer.description() for importer in _IMPORTERS))
    raise UnsupportedModelError(
        f"A model of type {type_name(model)} cannot be loaded; understood are tree models of {understood}."
    )


def predicts_as(kind: type, library: str, class_names: frozenset[str]) -> bool:
    """Say whether a class is a known one or inherits all of its predicting from it."""
    for ancestor in kind.__mro__:
        if is_class_of(ancestor, library, class_names):
            return True
        if any(name in vars(ancestor) for name in _PREDICTING_METHODS):
            return False
    return False


def is_class_of(kind: type, library: str, class_names: frozenset[str]) -> bool:
    """Say whether a class is one of the named classes of a library, without importing it."""
    return kind.__module__.partition(".")[0] == library and kind.__name__ in class_names


def type_name(model: Any) -> str:
    """Return the full name of a model's type."""
    return f"{type(model).__module__}.{type(model).__qualname__}"
