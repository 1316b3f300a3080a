"""Model files. The importer is chosen by the content of a file, not by its name."""

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
from sightline.wording import list_names

_MAX_HINT = 12
_MAX_KEYS = 3


@dataclass(frozen=True)
class ModelFile:
    """The content of a file that may hold a model.

    Parameters
    ----------
    name : str
        Path as the caller gave it, for error messages.
    content : bytes
        The content.
    options : Options
        Options of ``load``.
    folder : Path, optional
        The folder, if the model is stored as one; the content is then empty.
    """

    name: str
    content: bytes = field(repr=False)
    options: Options = field(default_factory=Options)
    folder: Path | None = None

    @classmethod
    def read(cls, path: str | os.PathLike[str], options: Options) -> ModelFile:
        """Read a file, or note a folder that holds a model."""
        try:
            if (Path(path) / "metadata").is_dir():
                return cls(os.fspath(path), b"", options, Path(path))
            return cls(os.fspath(path), _whole_content(path), options)
        except OSError as error:
            raise ModelFormatError(f"{path}: cannot read the file ({error.strerror}).") from error

    @cached_property
    def document(self) -> Any:
        """The parsed document, or None if the content is neither JSON nor UBJSON."""
        start = self.content[:64].lstrip(b" \t\r\n")
        if not start.startswith(b"{"):
            return None
        is_ubjson = self.content[1:2] in (b"i", b"U", b"I", b"l", b"L")
        try:
            if is_ubjson:
                return _core.parse_ubjson(self.content, _WITH_NAN)
            unread = [way for kind in _FILE_IMPORTERS for way in kind.unread]
            return _core.parse_json(self.content, unread, _WITH_NAN)
        except ValueError as error:
            raise ModelFormatError(
                f"{self.name}: is not valid {'UBJSON' if is_ubjson else 'JSON'} ({error})."
            ) from error

    def parsed(self, kept: str = "") -> Any:
        """Return the document as Python objects, except nested trees that importers leave unparsed.

        Parameters
        ----------
        kept : str, optional
            Arrays under this key stay in the document, for :class:`JoinedFields`.

        Returns
        -------
        object
            The root.
        """
        document = self.document
        try:
            return document.value(kept)
        except ValueError as error:
            raise ModelFormatError(f"{self.name}: is malformed ({error}).") from error

    @cached_property
    def keys(self) -> frozenset[str]:
        """Names of the top-level members of the document, if it is one."""
        document = self.document
        try:
            return frozenset() if document is None else frozenset(document.keys())
        except ValueError as error:
            raise ModelFormatError(f"{self.name}: contains a name that is not UTF-8.") from error


_WITH_NAN = ["split_conditions"]
"""Arrays that may hold NaN and minus infinity. XGBoost before 3.0.1 writes NaN where a test lists categories,
and since 3.4 minus infinity where a test only asks whether there is a value."""


def _whole_content(path: str | os.PathLike[str]) -> bytes:
    """Read a file as ``Path.read_bytes`` does, in half the time if it is large."""
    with Path(path).open("rb", buffering=0) as file:
        content = _core.bytes_filled_by(os.fstat(file.fileno()).st_size, file.readinto)
        # A pipe has no size, and one call reads at most 2 GB.
        return content + rest if (rest := file.read()) else content


class FileImporter(ABC):
    """Reads one format of files.

    Attributes
    ----------
    format_name : str
        Name of the format, for error messages.
    unread : tuple of str
        Paths of nested trees in a document, as dotted names. These become ``_core.JsonValue``
        instead of dictionaries, and are flattened one by one.
    """

    format_name: ClassVar[str]
    unread: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def recognizes(self, file: ModelFile) -> bool:
        """Whether the content has this format, judging by its beginning."""

    @abstractmethod
    def read(self, file: ModelFile) -> Ensemble:
        """Read a recognized file; same errors as :meth:`Importer.read`."""


_FILE_IMPORTERS: list[FileImporter] = []

_Kind = TypeVar("_Kind", bound=type[FileImporter])


def register_file(kind: _Kind) -> _Kind:
    """Register a file format for :func:`sightline.load.load`; a decorator."""
    _FILE_IMPORTERS.append(kind())
    return kind


def supported_formats() -> str:
    """List the formats that can be read."""
    return ", ".join(sorted((importer.format_name for importer in _FILE_IMPORTERS), key=str.casefold))


def load_file(file: ModelFile) -> Ensemble:
    """Read a model from the content of a file.

    Parameters
    ----------
    file : ModelFile
        The file.

    Returns
    -------
    Ensemble
        The model.

    Raises
    ------
    UnsupportedModelError
        If no importer recognizes the content. The message says what it looks like.
    ModelFormatError
        If the content is damaged. The message names the file and the location.
    """
    try:
        for importer in _FILE_IMPORTERS:
            if importer.recognizes(file):
                return importer.read(file)
    except MemoryError as error:
        raise ModelFormatError(f"{file.name}: does not fit in memory.") from error
    raise UnsupportedModelError(f"{file.name}: {_looks_like(file)}. Supported: {supported_formats()}.")


_BEGINNINGS = {
    b"binf": "is a binary XGBoost model; save it as .json or .ubj instead",
    b"bs64": "is a binary XGBoost model; save it as .json or .ubj instead",
    b"\x1f\x8b": "is compressed with gzip; decompress it first",
    b"PK": "is a zip archive, but not a skops file",
    b"<": "begins like XML or HTML",
}


def _looks_like(file: ModelFile) -> str:
    if not file.content:
        return "is empty"
    if file.document is not None:
        keys = list_names([repr(key) for key in sorted(file.keys)], _MAX_KEYS)
        return f"is JSON of an unknown kind (its keys are {keys})" if keys else "is an empty JSON object"
    for beginning, meaning in _BEGINNINGS.items():
        if file.content.startswith(beginning):
            return meaning
    return f"is not a known model (it begins with {file.content[:_MAX_HINT]!r})"
