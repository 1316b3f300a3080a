"""Fills the slots for shared text in docstrings, as importing sightline does, and links the names in them."""

import re
from pathlib import Path
from typing import Any

import griffe

from docs.tools.reference_pages import listed, short
from sightline.shared_docs import fill_slots

_DOCS = Path(__file__).resolve().parents[1]
_ROLE = re.compile(r":\w+:`~?([\w.]+)`")
_FOOTNOTE = re.compile(r"\[(\d+)\]_|^(?P<indent> *)\.\. \[(?P<number>\d+)\] ", re.MULTILINE)
_PAGES = {short(path): path for path in listed(_DOCS)}


class SharedDocs(griffe.Extension):
    """Hook of griffe, which reads sources instead of importing them."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Fill the docstring of a class or function."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(fill_slots(obj.docstring.value))


def as_markdown(text: str) -> str:
    """Return a docstring with the markup of Markdown for links and footnotes.

    Examples
    --------
    >>> as_markdown("As in the paper [1]_.")
    'As in the paper [1].'
    """
    return _FOOTNOTE.sub(_footnote, _ROLE.sub(_link, text))


def _footnote(found: re.Match[str]) -> str:
    """Return a reference such as [1], or the beginning of the note that it refers to."""
    return f"[{found[1]}]" if found["number"] is None else f"{found['indent']}[{found['number']}] "


def _link(role: re.Match[str]) -> str:
    """Return a link to the page of a name, or the name where it has none."""
    name = short(role[1])
    return f"[`{name}`][{_PAGES[name]}]" if name in _PAGES else f"`{name}`"
