"""Untrusted text made safe to show: names, labels and values come from anywhere."""

from __future__ import annotations

import unicodedata

_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

_MISREAD = frozenset(',"<>=≤≥≠')
"""Characters of lists, quotes and comparisons, between which a value must not look like a part of them."""


def printable(text: object) -> str:
    r"""Escape the characters that control a terminal, a page or the reading order.

    Control characters, line and paragraph separators, lone surrogates, non-characters and
    marks that reverse the reading order become visible escapes; everything else stays.

    Parameters
    ----------
    text : object
        A name, label or value; converted to a string if it is not one.

    Returns
    -------
    str
        A single line. Once escaped, it is valid in XML documents, too.

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


def quote_if_odd(text: object) -> str:
    r"""Quote a name that could be misread: an empty one, outer spaces, a list, a comparison, or quotes.

    Examples
    --------
    >>> quote_if_odd("age"), quote_if_odd("a, b"), quote_if_odd(""), quote_if_odd(">=7")
    ('age', '"a, b"', '""', '">=7"')
    >>> print(quote_if_odd('5" pipe'))
    "5\" pipe"
    """
    plain = printable(text)
    is_odd = not plain or plain != plain.strip() or not _MISREAD.isdisjoint(plain)
    return '"' + plain.replace('"', '\\"') + '"' if is_odd else plain


def shortened(text: str, length: int) -> str:
    """Cut a text to a number of characters; a cut text ends with an ellipsis.

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
