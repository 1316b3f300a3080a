"""The importers, and the models that each one reads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from sightline.exceptions import ParameterError, UnsupportedModelError
from sightline.load._options import Options
from sightline.model import Ensemble, can_be_queried

BLACK_BOX_ADVICE = "sl.BlackBox(model) can still be distilled."
_PREDICTING_METHODS = ("predict", "predict_proba", "decision_function")


class Importer:
    """Reads one family of models.

    A subclass names the classes that it supports and reads them. It must not import their library
    before it has accepted a model.

    Attributes
    ----------
    library : str
        Top-level module of the classes, such as ``"sklearn"``.
    class_names : frozenset of str
        Names of the classes.
    family : str
        Name of these models, for error messages; by default the classes.
    holds_models : bool
        Whether the models only pass rows on to other models. Their importer reads those with
        :func:`read_model` and the same options.
    unstored_is_missing : bool
        Whether the models treat cells that a sparse matrix does not store as missing, not as zeros.

    Examples
    --------
    An importer of lists of trees. With the decorator :func:`register`, ``load`` would use it.

    >>> from sightline.load import Importer
    >>> class ListImporter(Importer):
    ...     library = "builtins"
    ...     class_names = frozenset({"list"})
    ...
    ...     def read(self, model):
    ...         return Ensemble.average(model)
    >>> ListImporter().accepts([]), ListImporter().accepts("a string")
    (True, False)
    """

    library: ClassVar[str]
    class_names: ClassVar[frozenset[str]]
    family: ClassVar[str] = ""
    holds_models: ClassVar[bool] = False
    unstored_is_missing: ClassVar[bool] = False

    def accepts(self, model: Any) -> bool:
        """Whether the model is of a supported class, or of a subclass with the same predictions.

        Parameters
        ----------
        model : object
            Any object.

        Returns
        -------
        bool
            False for subclasses and objects with their own ``predict``, because the trees do not
            determine their predictions.
        """
        return not _replaced_methods(model) and predicts_as(type(model), self.library, self.class_names)

    def read(self, model: Any) -> Ensemble:
        """Read an accepted model.

        A subclass that needs the options of ``load`` defines ``read_with`` instead.

        Parameters
        ----------
        model : object
            A model for which :meth:`accepts` is true.

        Returns
        -------
        Ensemble
            It gives the same label and score as the source for every row.

        Raises
        ------
        UnfittedModelError
            If the model is not fitted.
        UnsupportedModelError
            If the model uses something that is not supported.
        ModelFormatError
            If the model is damaged.
        """
        return self.read_with(model, Options())

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Read an accepted model, with the options of ``load``; by default they are not needed."""
        del options
        return self.read(model)

    def description(self) -> str:
        """Return the name of the models, for error messages."""
        return self.family or ", ".join(sorted(self.class_names))


_IMPORTERS: list[Importer] = []

_Kind = TypeVar("_Kind", bound=type[Importer])


def register(kind: _Kind) -> _Kind:
    """Register an importer for :func:`sightline.load.load`.

    Parameters
    ----------
    kind : subclass of Importer
        Tried after the importers that are already registered.

    Returns
    -------
    subclass of Importer
        The same class, so that this is a decorator.

    Raises
    ------
    ParameterError
        If the class defines neither ``read`` nor ``read_with``.
    """
    if kind.read is Importer.read and kind.read_with is Importer.read_with:
        raise ParameterError(f"{kind.__name__} must define read or read_with.")
    _IMPORTERS.append(kind())
    return kind


def find_importer(model: Any) -> Importer:
    """Return the first importer that accepts a model.

    Parameters
    ----------
    model : object
        Any object.

    Returns
    -------
    Importer
        Its ``read`` reads the model.

    Raises
    ------
    UnsupportedModelError
        If no importer accepts it.
    """
    for importer in _IMPORTERS:
        if importer.accepts(model):
            return importer
    if isinstance(model, type):
        raise UnsupportedModelError(
            f"{model.__name__} is a class. Pass a fitted model: {model.__name__}(…).fit(X, y)."
        )
    for name in _replaced_methods(model):
        raise UnsupportedModelError(
            f"Cannot load this {type_name(model)}: the object has its own {name!r}, so its trees do not "
            "determine its predictions.",
            BLACK_BOX_ADVICE,
        )
    supported = ", ".join(sorted({importer.description() for importer in _IMPORTERS}, key=str.casefold))
    raise UnsupportedModelError(
        f"Cannot load a model of type {type_name(model)}. Supported: tree models of {supported}.",
        BLACK_BOX_ADVICE if can_be_queried(model) else "",
    )


def read_model(model: Any, options: Options) -> Ensemble:
    """Read a model of any supported kind, over the columns in front of all steps.

    Parameters
    ----------
    model : object
        The fitted model.
    options : Options
        The options of ``load``, and the steps in front of the model.

    Returns
    -------
    Ensemble
        It gives for every row in front of the steps what the model gives for the row behind them.
    """
    importer = find_importer(model)
    if options.in_front is None or importer.holds_models:
        return importer.read_with(model, options)
    ensemble = importer.read_with(model, replace(options, in_front=None))
    return options.in_front.preprocessing(ensemble.schema).undone(ensemble, importer.unstored_is_missing)


def _replaced_methods(model: Any) -> list[str]:
    """Return the predicting methods that were set on the object itself."""
    if isinstance(model, type):
        return []
    return [name for name in _PREDICTING_METHODS if name in getattr(model, "__dict__", ())]


def predicts_as(kind: type, library: str, class_names: frozenset[str]) -> bool:
    """Whether a class is a named one, or inherits all its predictions from one."""
    for ancestor in kind.__mro__:
        if is_class_of(ancestor, library, class_names):
            return True
        if any(name in vars(ancestor) for name in _PREDICTING_METHODS):
            return False
    return False


def is_class_of(kind: type, library: str, class_names: frozenset[str]) -> bool:
    """Whether a class is one of the named classes of a library; does not import the library."""
    return kind.__module__.partition(".")[0] == library and kind.__name__ in class_names


def type_name(model: Any) -> str:
    """Return the full name of a model's type."""
    return f"{type(model).__module__}.{type(model).__qualname__}"
