"""Foreign text made safe to look at: names, labels and values come from anywhere."""

from __future__ import annotations

import unicodedata

_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def printable(text: object) -> str:
    r"""Return a text without characters that steer a terminal, a page or the reading order.

    Control characters, line and paragraph separators, lone surrogates, non-characters and
    marks that reverse the reading order become visible escapes; all else stays.

    Parameters
    ----------
    text : object
        A name, label or value; anything but a string is turned into one.

    Returns
    -------
    str
        One line that any XML document may contain, too, once escaped.

    Examples
    --------
    >>> printable("red\x1b[31m alert\n")
    'red\\x1b[31m alert\\n'
    >>> printable("größer 😀")
    'größer 😀'
    """
    string = str(text)
    if string.isascii() and string.isprintable():
        return string
    return "".join(_escaped(character) if _is_unsafe(character) else character for character in string)


def shortened(text: str, length: int) -> str:
    """Cut a text to a number of characters, the last one an ellipsis.

    Examples
    --------
    >>> shortened("wage-increase-first-year", 12)
    'wage-increa…'
    """
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def _is_unsafe(character: str) -> bool:
    is_noncharacter = ord(character) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(character) <= 0xFDEF
    return (
        unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}
        or character in _BIDI_CONTROLS
        or is_noncharacter
    )


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
