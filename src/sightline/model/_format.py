"""The file format: one versioned, strict JSON for every kind of model.

A document is an object with ``format``, ``version``, ``kind`` and what the kind needs. Node arrays
are stored flat, as in :class:`sightline._core.Tree`, so that depth costs no nesting. Doubles are
written as Python's ``repr``: they round-trip, and writing what was read gives the same bytes. The last
entry, ``checksum``, is that of the text before it. It may be removed, as after an edit by hand.

To change the format: raise ``VERSION``, teach the reader of the changed kind both forms, store a
file of the old version under ``tests/data`` and read it in ``tests/model/test_format.py``. An optional
key, such as ``proof`` and ``counted`` of trees and graphs or ``deviance_power`` of ensembles, needs no new
version: readers ignore unknown keys. To add a kind of model, write its :class:`KindFormat`.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from sightline.checksums import has_right_checksum, with_checksum
from sightline.exceptions import ModelFormatError
from sightline.files import atomic_write, checked_path
from sightline.model._document import Document, get, parse_document
from sightline.model._kinds import KindTable

FORMAT = "sightline"
VERSION = 1

_SURROGATE = re.compile("[\ud800-\udfff]")


class KindFormat(ABC):
    """The stored form of one kind of model; a subclass per kind, registered with :func:`stores`.

    Attributes
    ----------
    kind : str
        Its name in files.
    """

    kind: ClassVar[str]

    @staticmethod
    @abstractmethod
    def write(model: Any) -> Document:
        """Return what the kind stores."""

    @staticmethod
    @abstractmethod
    def read(document: Document) -> Any:
        """Build the model, or raise a ModelFormatError that names the key."""


_FORMATS: KindTable[type[KindFormat]] = KindTable("stored form")
_BY_NAME: dict[str, type[KindFormat]] = {}
_Format = TypeVar("_Format", bound=type[KindFormat])


def stores(noun: type) -> Callable[[_Format], _Format]:
    """Return a decorator that registers the format of a kind of model."""

    def register(stored: _Format) -> _Format:
        _BY_NAME[stored.kind] = stored
        _FORMATS.register(noun)(stored)
        return stored

    return register


def write_model(model: Any, path: str | Path | None = None) -> str:
    """Return the JSON text of a model, and write it to a file if there is a path."""
    document = {"format": FORMAT, "version": VERSION, **write_document(model)}
    text = json.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    # Half a surrogate pair has no UTF-8 form, but JSON can escape it.
    text = with_checksum(_SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)) + "\n"
    if path is not None:
        atomic_write(path, text)
    return text


def write_document(model: Any) -> Document:
    """Return a model as a document: its kind and what the kind stores."""
    stored = _FORMATS.entry(model)
    return {"kind": stored.kind, **stored.write(model)}


def read_model(path: str | Path) -> Any:
    """Read a model that ``to_json`` wrote.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    Tree, Graph, Ensemble, RuleSet, NeighbourEnsemble or CaseBase
        The stored model.

    Raises
    ------
    ModelFormatError
        If the file is not a sightline model, is damaged, or has a newer version. The message
        names the file and the key.

    Examples
    --------
    >>> import tempfile
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]).tree_
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = tree.to_json(f"{folder}/tree.json")
    ...     again = sl.read_model(f"{folder}/tree.json")
    >>> again.predict([[1.5], [3.5]])
    array([0, 1])
    """
    if str(path).lstrip().startswith("{"):
        raise ModelFormatError(
            "read_model takes the path of a file. Got JSON text instead: write it to a file first."
        )
    try:
        text = checked_path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ModelFormatError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise ModelFormatError(
            f"{path}: is not a sightline model: byte {error.start} is not UTF-8."
        ) from error
    return parse_model(text, str(path))


def parse_model(text: str, where: str) -> Any:
    """Build the model that a JSON text describes; `where` names the text in errors."""
    try:
        document = parse_document(text)
        _check_header(document)
        model = read_document(document)
        _check_integrity(document, text)
        return model
    except ModelFormatError as error:
        raise ModelFormatError(f"{where}: {str(error).removesuffix('.')}.") from error
    except MemoryError as error:
        raise ModelFormatError(f"{where}: does not fit in memory.") from error


def read_document(document: Document) -> Any:
    """Build the model of the kind that a document names."""
    kind = get(document, "kind", str)
    if kind not in _BY_NAME:
        raise ModelFormatError(f"unknown kind of model {kind!r}; choose from: {', '.join(sorted(_BY_NAME))}")
    return _BY_NAME[kind].read(document)


def _check_integrity(document: Document, text: str) -> None:
    """Raise if the text is not what was written. Files of version 0.1 have no checksum."""
    if "checksum" in document and not has_right_checksum(text):
        raise ModelFormatError(
            "was damaged or edited: its content does not match its 'checksum'. If it was edited on "
            "purpose, remove the entry 'checksum'"
        )


def _check_header(document: Document) -> None:
    if document.get("format") != FORMAT:
        raise ModelFormatError(f"is not a sightline model (its 'format' is not {FORMAT!r})")
    version = get(document, "version", int)
    if not 1 <= version <= VERSION:
        raise ModelFormatError(
            f"has version {version}, but this sightline reads up to {VERSION}; update sightline"
        )
