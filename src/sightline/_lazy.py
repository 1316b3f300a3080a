"""A package whose names are loaded when they are first asked for."""

from importlib import import_module
from sys import modules
from types import ModuleType


class LazyPackage(ModuleType):
    """A package that knows where its public names live, and looks there once one is needed.

    A function may have the name of the folder that it lives in: the function is what the package shows,
    ``from package.folder import …`` finds the folder all the same.

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
        if home is not None:
            found: object = getattr(import_module(f"{self.__name__}.{home}"), name)
        elif name in self.__stages__:
            found = import_module(f"{self.__name__}.{name}")
        elif name == "__version__":
            found = import_module("importlib.metadata").version(self.__name__)
        else:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        super().__setattr__(name, found)
        return found

    def __setattr__(self, name: str, value: object) -> None:
        # An import of package.report would otherwise put the folder in the place of the function.
        if not (isinstance(value, ModuleType) and name in self.__homes__):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.__homes__, *self.__stages__, "__version__"})


def load_lazily(package: str, **names: str) -> list[str]:
    """Let a package load its names lazily, and return them all.

    Parameters
    ----------
    package : str
        Its name.
    **names : str
        Public names, with blanks between them, by the submodule that they live in.
    """
    module = modules[package]
    module.__class__ = LazyPackage
    homes = {name: home for home, living in names.items() for name in living.split()}
    module.__dict__.update(__homes__=homes, __stages__=frozenset(names))
    return list(homes)
