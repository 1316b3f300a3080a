"""A parsed XML document: elements as numbers, attributes as columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import ModelFormatError

_ENCODING = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")


class Xml:
    """The elements of a document, numbered in the order of their start tags.

    Parameters
    ----------
    content : bytes
        The file. Document types, and so entities of its own, are refused.
    file : str
        Name of the file, for messages.

    Examples
    --------
    >>> xml = Xml(b'<a><b x="1"/><b>two</b></a>', "f")
    >>> [xml.get(element, "x") for element in xml.children(0)], xml.text(2)
    (['1', None], 'two')
    """

    def __init__(self, content: bytes, file: str) -> None:
        self.file = file
        utf8 = _as_utf8(content, file)
        try:
            self._core = _core.XmlElements(utf8)
        except ValueError as error:
            raise ModelFormatError(f"{file}: is not valid XML ({error}).") from error
        self.name = self._core.name
        self.parent = self._core.parent
        self.end = self._core.end
        self._columns: dict[str, NDArray[np.int32]] = {}

    def __len__(self) -> int:
        return len(self.name)

    def fault(self, element: int, sentence: str) -> ModelFormatError:
        """Return an error about an element."""
        return ModelFormatError(f"{self.where(element)}: {sentence}.")

    def where(self, element: int) -> str:
        """Return the location of an element: the file, its name, and its id if it has one."""
        name = self.string(int(self.name[element]))
        number = self.get(element, "id") or self.get(element, "name")
        return f"{self.file}: {name}" + (f" {number!r}" if number else f" (element {element})")

    def string(self, index: int) -> str:
        """Return a string of the document."""
        return self._core.string(index)

    def find(self, string: str) -> int:
        """Return the index of a string, -1 if the document does not contain it."""
        return self._core.find(string)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The number that each string spells, NaN if none."""
        return self._core.numbers()

    @cached_property
    def singles(self) -> NDArray[np.float64]:
        """The same numbers in single precision."""
        return self._core.singles()

    def named(self, name: str) -> NDArray[np.bool_]:
        """Return which elements have a name."""
        return np.equal(self.name, self.find(name))

    def column(self, attribute: str) -> NDArray[np.int32]:
        """Return per element the string of an attribute, -1 where it is absent."""
        if attribute not in self._columns:
            self._columns[attribute] = self._core.column(self.find(attribute))
        return self._columns[attribute]

    def get(self, element: int, attribute: str) -> str | None:
        """Return an attribute of an element."""
        index = self._core.attribute(element, self.find(attribute))
        return None if index < 0 else self.string(index)

    def attributes(self, element: int) -> dict[str, str]:
        """Return all attributes of an element."""
        return self._core.attributes(element)

    def require(self, element: int, attribute: str) -> str:
        """Return an attribute that must be there."""
        value = self.get(element, attribute)
        if value is None:
            raise self.fault(element, f"the attribute {attribute!r} is missing")
        return value

    def number(self, element: int, attribute: str, default: float) -> float:
        """Return an attribute that is a finite number."""
        value = self.get(element, attribute)
        if value is None:
            return default
        number = self._core.number(self.find(value))
        if np.isnan(number):
            raise self.fault(element, f"the attribute {attribute!r} must be a number. Got {value!r} instead")
        return number

    def text(self, element: int) -> str:
        """Return the text directly inside an element."""
        index = int(self._core.text[element])
        return "" if index < 0 else self.string(index)

    def kind(self, element: int) -> str:
        """Return the name of an element."""
        return self.string(int(self.name[element]))

    def children(self, element: int, name: str | None = None) -> Iterator[int]:
        """Yield the elements directly inside an element, but no extensions."""
        child = element + 1
        while child < self.end[element]:
            kind = self.kind(child)
            if kind != "Extension" and (name is None or kind == name):
                yield child
            child = int(self.end[child])

    def child(self, element: int, name: str) -> int | None:
        """Return the first element of a name directly inside an element."""
        return next(self.children(element, name), None)


def _as_utf8(content: bytes, file: str) -> bytes:
    """Return the document in UTF-8, if its declaration names another encoding."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        declared = "utf-16"
    else:
        found = _ENCODING.match(content[:200].removeprefix(b"\xef\xbb\xbf"))
        declared = "utf-8" if found is None else found[1].decode().lower()
    if declared in ("utf-8", "utf8", "us-ascii", "ascii"):
        _require_utf8(content, file)
        return content
    if declared not in ("utf-16", "iso-8859-1", "latin-1", "latin1", "windows-1252", "iso-8859-15"):
        raise ModelFormatError(f"{file}: the encoding {declared!r} is not supported.")
    try:
        return content.decode(declared).encode()
    except ValueError as error:
        raise ModelFormatError(f"{file}: is not valid {declared} ({error}).") from error


def _require_utf8(content: bytes, file: str) -> None:
    if content.isascii():
        return
    try:
        content.decode()
    except UnicodeDecodeError as error:
        raise ModelFormatError(f"{file}: contains text that is not UTF-8.") from error
