"""Prepares docstrings for the reference.

It fills the slots for shared text, as importing sightline does, and links names. griffe takes the first of
the choices ``{"a", "b"}`` for the default, and the type and the default of ``a`` in ``a, b`` for both, so
choices are written as a list and every parameter gets an entry of its own.
"""

import re
from pathlib import Path
from typing import Any

import griffe

from docs.tools.reference_pages import listed, short
from sightline.shared_docs import fill_slots

_DOCS = Path(__file__).resolve().parents[1]
_ROLE = re.compile(r":\w+:`~?([\w.]+)`")
_FOOTNOTE = re.compile(r"\[(\d+)\]_|^(?P<indent> *)\.\. \[(?P<number>\d+)\] ", re.MULTILINE)
_TYPE = re.compile(r"^( *\w+(?:, \w+)* : )(.*\{.*)$", re.MULTILINE)
_LIKE = re.compile(r"^( *\w+ : .*\w)-like\b", re.MULTILINE)
_CHOICES = re.compile(r"\{([^{}]+)\}")
_TOGETHER = re.compile(r"^( *)(\w+(?:, \w+)+)((?: : .*)?\n(?:\1    .*\n?)+)", re.MULTILINE)
_SEE_ALSO = re.compile(r"^( *)See Also\n\1-+\n(?:\1\S.*(?:\n|$))+", re.MULTILINE)
_ENTRY = re.compile(r"^( *)([\w.]+) : ", re.MULTILINE)
_PAGES = {short(path): path for path in listed(_DOCS)}


class SharedDocs(griffe.Extension):
    """Hook of griffe, which reads sources instead of importing them."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Fill the docstring of a class or function."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(fill_slots(obj.docstring.value))


def as_markdown(text: str) -> str:
    """Return a docstring with links and footnotes of Markdown, and entries that griffe understands.

    Examples
    --------
    >>> as_markdown("As in the paper [1]_.")
    'As in the paper [1].'
    >>> as_markdown('rows : {"all", "some"} or int, default="some"')
    'rows : one of "all", "some" or int, default="some"'
    """
    linked = _SEE_ALSO.sub(_list_of_links, _ROLE.sub(_link, text))
    marked = _FOOTNOTE.sub(_footnote, linked)
    listed_choices = _TYPE.sub(_without_braces, _TOGETHER.sub(_one_by_one, marked))
    return _LIKE.sub("\\1\N{NON-BREAKING HYPHEN}like", listed_choices)  # not a difference: path - like


def _one_by_one(entry: re.Match[str]) -> str:
    """Return an entry about several parameters as one entry for each."""
    rest = entry[3] if entry[3].endswith("\n") else entry[3] + "\n"
    return "".join(f"{entry[1]}{name}{rest}" for name in entry[2].split(", "))


def _without_braces(line: re.Match[str]) -> str:
    """Return the line of a parameter or an attribute with its choices as a list."""
    return line[1] + _CHOICES.sub(
        lambda found: f"one of {found[1]}" if "," in found[1] else found[1], line[2]
    )


def _footnote(found: re.Match[str]) -> str:
    """Return a reference such as [1], or the beginning of the note that it refers to."""
    return f"[{found[1]}]" if found["number"] is None else f"{found['indent']}[{found['number']}] "


def _list_of_links(section: re.Match[str]) -> str:
    """Return a section See Also as a list, each name with a link to its page."""
    return _ENTRY.sub(lambda entry: f"{entry[1]}- {_linked(entry[2])}: ", section[0])


def _link(role: re.Match[str]) -> str:
    return _linked(role[1])


def _linked(path: str) -> str:
    """Return a link to the page of a name, or the name where it has none."""
    name = short(path)
    return f"[`{name}`][{_PAGES[name]}]" if name in _PAGES else f"`{name}`"
