"""Checksums, so that a damaged file is never taken for a good one."""

from __future__ import annotations

import re
import zlib

__all__ = ["checksum_of", "has_right_checksum", "with_checksum"]

_LAST_ENTRY = re.compile(r',"checksum":"([0-9a-f]{8})"\}\s*\Z')


def checksum_of(content: bytes) -> str:
    """Return the CRC-32 of some bytes as eight digits.

    Examples
    --------
    >>> checksum_of(b"sightline")
    'b6378297'
    """
    return f"{zlib.crc32(content):08x}"


def with_checksum(text: str) -> str:
    """Return the text of a JSON object with its checksum as the last entry.

    Parameters
    ----------
    text : str
        A JSON object with at least one entry, and nothing after its brace.

    Examples
    --------
    >>> with_checksum('{"a":1}')
    '{"a":1,"checksum":"a702fc6e"}'
    """
    body = text.removesuffix("}")
    return f'{body},"checksum":"{checksum_of(body.encode())}"}}'


def has_right_checksum(text: str) -> bool:
    """Whether a text of `with_checksum` is as it was written.

    Parameters
    ----------
    text : str
        The text, with or without white space at its end.

    Examples
    --------
    >>> text = with_checksum('{"a":1}')
    >>> has_right_checksum(text), has_right_checksum(text.replace("1", "2", 1))
    (True, False)
    """
    found = _LAST_ENTRY.search(text[-80:])
    if found is None:
        return False
    body = text[: len(text) - len(found[0])]
    return found[1] == checksum_of(body.encode("utf-8", "surrogatepass"))
