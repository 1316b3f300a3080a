"""Model files: who reads which, told apart by what they contain and not by how they are called."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from sightline import _core
from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._options import Options
from sightline.model import Ensemble

_LONGEST_HINT = 12


@dataclass(frozen=True)
class ModelFile:
    """The content of a file that may hold a model.

    Parameters
    ----------
    name : str
        Path as the caller gave it, for error messages.
    content : bytes
        All of it.
    options : Options
        What the caller allows and adds.
    """

    name: str
    content: bytes = field(repr=False)
    options: Options = field(default_factory=Options)

    @classmethod
    def read(cls, path: str | os.PathLike[str], options: Options) -> ModelFile:
        """Read a file whole."""
        try:
            return cls(os.fspath(path), Path(path).read_bytes(), options)
        except OSError as error:
            raise ModelFormatError(f"{path}: cannot be read ({error.strerror}).") from error

    @cached_property
    def document(self) -> Any:
        """The parsed document, or None if the content is neither JSON nor UBJSON."""
        start = self.content[:64].lstrip(b" \t\r\n")
        if not start.startswith(b"{"):
            return None
        is_ubjson = self.content[1:2] in (b"i", b"U", b"I", b"l", b"L")
        try:
            if is_ubjson:
                return _core.parse_ubjson(self.content)
            return _core.parse_json(self.content, [way for kind in _FILE_IMPORTERS for way in kind.unread])
        except ValueError as error:
            raise ModelFormatError(
                f"{self.name}: is not valid {'UBJSON' if is_ubjson else 'JSON'} ({error})."
            ) from error

    def parsed(self) -> Any:
        """Return the document as Python's types, except the nested trees that importers leave unread."""
        document = self.document
        try:
            return document.value()
        except ValueError as error:
            raise ModelFormatError(f"{self.name}: cannot be understood ({error}).") from error

    @cached_property
    def keys(self) -> frozenset[str]:
        """Names of the members of the document; none if it is not one."""
        document = self.document
        try:
            return frozenset() if document is None else frozenset(document.keys())
        except ValueError as error:
            raise ModelFormatError(f"{self.name}: a name in it is not UTF-8 text.") from error


class FileImporter(ABC):
    """Reads one format of files.

    Attributes
    ----------
    format_name : str
        What people call the format, for error messages.
    unread : tuple of str
        Where in a document nested trees lie, as names with points between them. They become
        ``_core.JsonValue`` instead of dictionaries, to be flattened one after the other.
    """

    format_name: ClassVar[str]
    unread: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def recognises(self, file: ModelFile) -> bool:
        """Say whether the content is of this format, by a look at how it begins."""

    @abstractmethod
    def read(self, file: ModelFile) -> Ensemble:
        """Translate a file that was recognised; same errors as :meth:`Importer.read`."""


_FILE_IMPORTERS: list[FileImporter] = []

_Kind = TypeVar("_Kind", bound=type[FileImporter])


def register_file(kind: _Kind) -> _Kind:
    """Make a format of files known to :func:`sightline.load.load`; a decorator."""
    _FILE_IMPORTERS.append(kind())
    return kind


def known_formats() -> str:
    """Name the formats that can be read."""
    return ", ".join(importer.format_name for importer in _FILE_IMPORTERS)


def load_file(file: ModelFile) -> Ensemble:
    """Read a model from the content of a file.

    Parameters
    ----------
    file : ModelFile
        What may be a model.

    Returns
    -------
    Ensemble
        The model.

    Raises
    ------
    UnsupportedModelError
        If nobody recognises the content; the message says what it looks like.
    ModelFormatError
        If the content is damaged; the message names the file and the place.
    """
    try:
        for importer in _FILE_IMPORTERS:
            if importer.recognises(file):
                return importer.read(file)
    except MemoryError as error:
        raise ModelFormatError(f"{file.name}: is too large for the memory of this machine.") from error
    raise UnsupportedModelError(
        f"{file.name}: {_looks_like(file)}; formats that can be loaded: {known_formats()}."
    )


_BEGINNINGS = {
    b"CBM1": "is a binary model of CatBoost, to be saved with format='json' instead",
    b"binf": "is a binary model of XGBoost, to be saved as .json or .ubj instead",
    b"bs64": "is a binary model of XGBoost, to be saved as .json or .ubj instead",
    b"\x1f\x8b": "is compressed with gzip",
    b"PK": "is a zip archive, but not one of skops",
    b"<": "begins like XML or HTML",
}


def _looks_like(file: ModelFile) -> str:
    if not file.content:
        return "is empty"
    if file.document is not None:
        keys = ", ".join(repr(key) for key in sorted(file.keys)[:3])
        return (
            f"is JSON of an unknown kind (its first keys are {keys})"
            if keys
            else "is an empty object of JSON"
        )
    for beginning, meaning in _BEGINNINGS.items():
        if file.content.startswith(beginning):
            return meaning
    return f"is no known model (it begins with {file.content[:_LONGEST_HINT]!r})"
