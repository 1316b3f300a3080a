"""Convert the bytes of a text file to UTF-8, with a note if the encoding was guessed."""

import codecs
import re
from pathlib import Path

from sightline.exceptions import DataError, ParameterError
from sightline.wording import printable

__all__ = ["utf8_of"]

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ESCAPE = re.compile(rb"\x1b[$(][@-DIJ]")
"""Changes the letters in ISO-2022-JP, which has no byte above 127."""
_SAMPLE_SIZE = 4096
_NAMES = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}
_MAX_EXAMPLE = 15
_WINDOW = 1 << 20


def utf8_of(path: Path, content: bytes, encoding: str | None = None) -> tuple[bytes, list[str]]:
    r"""Return the text as UTF-8 without byte order mark, and what had to be guessed.

    Parameters
    ----------
    path : Path
        The file, for error messages.
    content : bytes
        Its bytes.
    encoding : str, optional
        The encoding. None detects it: from a byte order mark, else else UTF-8, UTF-16 if every second
        byte is zero, else Windows-1252 or Latin-1.

    Raises
    ------
    DataError
        If the bytes are not text in this encoding. The message gives line and column.
    ParameterError
        If Python has no such encoding, or it is not one of files.

    Examples
    --------
    >>> utf8_of(Path("a.csv"), b"\xff\xfea\x00")
    (b'a', [])
    >>> utf8_of(Path("a.csv"), b"\xfcber")[1]
    ["The file is not UTF-8 and was read as Windows-1252 (for example, 'über' in line 1). ..."]
    """
    marked = next(((mark, name) for mark, name in _MARKS if content.startswith(mark)), None)
    notes: list[str] = []
    if encoding is not None:
        content = _decoded(path, content, encoding).encode()
    elif marked is not None:
        mark, name = marked
        content = (
            content[len(mark) :] if name == "utf-8" else _decoded(path, content[len(mark) :], name).encode()
        )
    elif wide := _wide_encoding(content[:_SAMPLE_SIZE]):
        content = _decoded(path, content, wide).encode()
    # Ctrl+Z ends the text files of DOS.
    content = content.removeprefix(codecs.BOM_UTF8).removesuffix(b"\x1a")
    _check_no_nul(path, content)
    if not content.isascii():
        content, notes = _checked(path, content)
    elif encoding is None and (found := _ESCAPE.search(content)):
        line = content.count(_line_end(content), 0, found.start()) + 1
        notes = [
            f"Line {line} has escape sequences, as in Japanese text. They are read as characters. If letters "
            "look wrong, pass encoding='iso2022_jp' (--encoding iso2022_jp)."
        ]
    return content, notes


def _decoded(path: Path, content: bytes, encoding: str) -> str:
    try:
        b"\xff".decode(encoding, "replace")  # which encodings of text can do
        return content.decode(encoding)
    except LookupError:
        raise ParameterError(f"Python has no encoding {encoding!r}.") from None
    except UnicodeDecodeError as error:
        before = content[: error.start].decode(encoding, "replace")
        where = f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}"
        raise DataError(f"{path}: {where} is not {encoding}. Pass another encoding (--encoding).") from None
    except ValueError:  # of encodings for other purposes, such as names of domains
        raise ParameterError(f"Python cannot read a file with the encoding {encoding!r}.") from None


def _wide_encoding(sample: bytes) -> str:
    """Return UTF-16 of either order if every second byte of most characters is zero."""
    n_pairs = len(sample) // 2
    first, second = sample[: 2 * n_pairs : 2].count(0), sample[1 : 2 * n_pairs : 2].count(0)
    if n_pairs and second > 0.6 * n_pairs and not first:
        return "utf-16-le"
    return "utf-16-be" if n_pairs and first > 0.6 * n_pairs and not second else ""


def _check_no_nul(path: Path, content: bytes) -> None:
    position = content.find(b"\0")
    if position >= 0:
        where = _position_text(content, position)
        raise DataError(f"{path}: {where} is a NUL byte, so this is not a text file.")


def _checked(path: Path, content: bytes) -> tuple[bytes, list[str]]:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        position = error.start
    else:
        return content, []
    # Errors are slow to decode, and the text around the first one is enough.
    replaced = content[max(0, position - _WINDOW) : position + _WINDOW].decode("utf-8", "replace")
    n_wrong = replaced.count("\ufffd")
    n_right = len(replaced) - len(replaced.encode("ascii", "ignore")) - n_wrong
    if n_right >= n_wrong:
        raise DataError(
            f"{path}: {_position_text(content, position)} is not UTF-8, but other lines are. "
            "Correct the file, or pass encoding= (--encoding)."
        )
    text, encoding = _single_byte_text(content)
    line = content.count(_line_end(content), 0, position) + 1
    word = _word_at(text, position)
    return text.encode(), [
        f"The file is not UTF-8 and was read as {_NAMES[encoding]} (for example, {word!r} in line {line}). "
        "Pass encoding= (--encoding) if letters look wrong."
    ]


def _single_byte_text(content: bytes) -> tuple[str, str]:
    try:
        return content.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        return content.decode("latin-1"), "latin-1"


def _word_at(text: str, position: int) -> str:
    begin = end = position
    while begin > max(0, position - _MAX_EXAMPLE) and text[begin - 1].isalpha():
        begin -= 1
    while end < min(len(text), position + _MAX_EXAMPLE) and text[end].isalpha():
        end += 1
    return printable(text[begin : max(end, position + 1)])


def _line_end(content: bytes) -> bytes:
    return b"\n" if b"\n" in content else b"\r"


def _position_text(content: bytes, position: int) -> str:
    line = content.count(_line_end(content), 0, position) + 1
    begin = content.rfind(_line_end(content), 0, position) + 1
    column = len(content[begin:position].decode("utf-8", "replace")) + 1
    return f"line {line}, column {column}"
