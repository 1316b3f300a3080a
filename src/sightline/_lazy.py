"""A package that loads its public names on first use."""

from __future__ import annotations

from importlib import import_module
from sys import modules
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:  # An import of typing or inspect would take longer than that of this package.
    from inspect import Signature
    from typing import Any


class CallablePackage(ModuleType):
    """A subpackage that is also the function of its name: ``sl.load(…)`` and ``sl.load.Importer``.

    Without this, ``import sightline.load as l`` would give the function instead of the package.
    """

    @property
    def _function(self) -> Any:
        return getattr(self, self.__name__.rpartition(".")[2])

    @property
    def __signature__(self) -> Signature:
        from inspect import signature  # noqa: PLC0415

        return signature(self._function)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._function(*arguments, **options)

    def __reduce__(self) -> Any:
        return import_module, (self.__name__,)


class LazyPackage(ModuleType):
    """A package that imports the home of a public name when the name is first used.

    A function with the name of its subpackage makes that subpackage callable.

    Attributes
    ----------
    __homes__ : dict of str to str
        The submodule of each public name.
    __stages__ : frozenset of str
        Submodules that can be reached by their name.
    """

    __homes__: dict[str, str]
    __stages__: frozenset[str]

    def __getattr__(self, name: str) -> object:
        home = self.__homes__.get(name)
        if name in self.__stages__:
            value: object = import_module(f"{self.__name__}.{name}")
        elif home is not None:
            value = getattr(import_module(f"{self.__name__}.{home}"), name)
        elif name == "__version__":
            value = import_module("importlib.metadata").version(self.__name__)
        else:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        setattr(self, name, value)
        return value

    def __setattr__(self, name: str, value: object) -> None:
        # The import system hands over each loaded submodule here.
        if self.__homes__.get(name) == name and isinstance(value, ModuleType):
            value.__class__ = CallablePackage
            value.__doc__ = getattr(value, name).__doc__
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.__homes__, *self.__stages__, "__version__"})


def load_lazily(package: str, **names: str) -> list[str]:
    """Make a package load its public names on first use, and return these names.

    Parameters
    ----------
    package : str
        Its name.
    **names : str
        Public names, separated by blanks, by the submodule that defines them.
    """
    module = modules[package]
    module.__class__ = LazyPackage
    homes = {name: home for home, living in names.items() for name in living.split()}
    module.__dict__.update(__homes__=homes, __stages__=frozenset(names))
    return list(homes)
