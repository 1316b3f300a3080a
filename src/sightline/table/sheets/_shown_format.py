"""What the number formats of Excel show beside the stored number: leading zeros of codes, and units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import unescape

from sightline import _core

__all__ = ["ShownFormat", "shown_formats"]

_MAX_FORMATS = 1 << 16  # of Excel
_MAX_LENGTH = 255  # of Excel
_MAX_UNIT = 30
_MAX_DIGITS = 10
_GENERAL = 0
# Excel writes < in attributes as an entity, so that a tag ends before the next one begins.
_TAG = r"""<(?:\w+:)?%s\s((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>"""
_NUMBER_FORMAT = re.compile(_TAG % "numFmt")
_CELL_FORMAT = re.compile(_TAG % "xf")
_CELL_FORMATS = re.compile(r"<(?:\w+:)?cellXfs\b")
_CELL_FORMATS_END = re.compile(r"</(?:\w+:)?cellXfs>")
_ATTRIBUTE = re.compile(r"""\b(numFmtId|formatCode)=(?:"([^"]*)"|'([^']*)')""")
_BUILT_IN = dict.fromkeys((5, 6, 7, 8, 42, 44), '"$"#,##0')
"""Formats of amounts that a file need not declare. Those of other currencies are declared."""
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|[_*](?P<space>.)|\[\$(?P<currency>[^\]-]*)(?:-[^\]]*)?\]'
    r"|\[(?P<bracket>[^\]]*)\]|(?P<digits>[0#?.,]+|General)|(?P<plain>[ $+()^&'~{}=!-]|[^\x00-\x7f])"
    r"|(?P<other>.)",
    re.DOTALL,
)
_COLOR = re.compile(r"(?:[A-Za-z]+|Color ?\d+)\Z")
_ELAPSED = re.compile(r"(?:h+|m+|s+)\Z", re.IGNORECASE)
_CODE = re.compile(r"(?:[A-Z]{1,3}-)?0+(?:[- ]0+)*\Z")
_SCALED = re.compile(r",(?:\.|\Z)")
_UNFIT = re.compile('[\\d,;|^~"#\x00-\x1f]')
"""What no unit holds, and what would divide the cell when the reader is asked for the unit."""
_SAMPLE = 12


@dataclass(frozen=True)
class ShownFormat:
    """A number format that shows more than the number: a code with leading zeros, or a unit.

    Parameters
    ----------
    zeros : str
        What a code of only zeros looks like, such as ``"00000-0000"``; empty if numbers are no codes.
    before, after : str
        What stands before and after the number.

    Examples
    --------
    >>> ShownFormat(zeros="00000").code_of(1067.0)
    '01067'
    >>> ShownFormat(after="kg").unit
    'kg'
    """

    zeros: str = ""
    before: str = ""
    after: str = ""

    @cached_property
    def unit(self) -> str:
        """The unit by the rules for text, such as "kg" or "€"; empty if there is none."""
        if self.zeros or not 0 < len(self.before + self.after) <= _MAX_UNIT:
            return ""
        if _UNFIT.search(self.before + self.after):
            return ""
        # The second column keeps the blank before the unit from dividing columns.
        parsed = _core.parse_delimited(
            f"x\ty\n{self.with_unit(str(_SAMPLE))}\t1\n".encode(), "", "", "", [], []
        )
        column = parsed[0]
        # The stored number counts: what means another one, such as (12), is no unit.
        is_unit = not column.is_nominal and len(parsed) == 2 and parsed.cells(0).tolist() == [_SAMPLE]
        return str(column.unit) if is_unit else ""

    def with_unit(self, number: str) -> str:
        """Return a number as text with its unit."""
        # A blank, because 12 M is a number with a unit, but 12M is twelve million.
        return f"{self.before}{number}{' ' if self.after else ''}{self.after}"

    def code_of(self, number: float) -> str | None:
        """Return the code that is shown for a number, None if it is not a code."""
        if not self.zeros or number < 0 or not number.is_integer():
            return None
        digits = str(int(number)).zfill(self.zeros.count("0"))
        shown = []
        for mark in reversed(self.zeros):
            shown.append(digits[-1] if mark == "0" else mark)
            digits = digits[:-1] if mark == "0" else digits
        # More digits than zeros stand before the first of them.
        at = self.zeros.index("0")
        text = "".join(reversed(shown))
        return text[:at] + digits + text[at:]


def shown_formats(styles: bytes) -> dict[int, ShownFormat]:
    """Return the formats that show a code or a unit, by their index among the formats of cells.

    Parameters
    ----------
    styles : bytes
        The part ``xl/styles.xml`` of a workbook.
    """
    text = styles.decode(errors="replace")
    codes = dict(_BUILT_IN)
    for tag in _NUMBER_FORMAT.finditer(text):
        found = _attributes(tag[1])
        codes[_identifier(found)] = unescape(found.get("formatCode", ""))
    codes[_GENERAL] = ""
    used = list(_cell_formats(text))
    # Not those of all codes: a file may declare any number.
    known = {identifier: _shown_format(codes[identifier]) for identifier in set(used) & codes.keys()}
    return {index: shown for index, identifier in enumerate(used) if (shown := known.get(identifier))}


def _cell_formats(text: str) -> Iterator[int]:
    """Yield the identifier of the number format of each format of cells."""
    begin = _CELL_FORMATS.search(text)
    if begin is None:
        return
    end = _CELL_FORMATS_END.search(text, begin.end())
    tags = _CELL_FORMAT.finditer(text, begin.end(), len(text) if end is None else end.start())
    for _, tag in zip(range(_MAX_FORMATS), tags, strict=False):
        yield _identifier(_attributes(tag[1]))


def _identifier(attributes: Mapping[str, str]) -> int:
    """Return the identifier of a number format, that of General if it is broken."""
    text = attributes.get("numFmtId", "")
    return int(text) if len(text) < _MAX_DIGITS and text.isdecimal() else _GENERAL


def _attributes(tag: str) -> dict[str, str]:
    return {name: double or single for name, double, single in _ATTRIBUTE.findall(tag)}


def _shown_format(code: str) -> ShownFormat | None:
    """Return what a number format shows, None if it is no more than the number, or something else than it."""
    parts = _first_section(code) if len(code) <= _MAX_LENGTH else None
    numbers = [index for index, (_, is_number) in enumerate(parts or ()) if is_number]
    if not parts or not numbers or any(re.search(r"\d", text) for text, is_number in parts if not is_number):
        return None
    template = "".join(text for text, _ in parts).strip()
    if _CODE.match(template) and template.count("0") > 1:
        return ShownFormat(zeros=template)
    if len(numbers) > 1 or _SCALED.search(parts[numbers[0]][0]):
        return None
    before, after = (
        "".join(text for text, _ in some).strip() for some in (parts[: numbers[0]], parts[numbers[0] + 1 :])
    )
    shown = ShownFormat(before=before, after=after)
    return shown if shown.unit else None


def _first_section(code: str) -> list[tuple[str, bool]] | None:
    """Return the texts of a format for positive numbers, and whether each stands for digits.

    None if it has a condition, or shows a date, a share or another number than the stored one.
    """
    parts = []
    for token in _TOKEN.finditer(code):
        kind, text = token.lastgroup, token[token.lastgroup or 0]
        if kind == "other" and text == ";":
            break
        if kind == "other" or (kind == "bracket" and (not _COLOR.match(text) or _ELAPSED.match(text))):
            return None
        if kind != "bracket":
            parts.append((" " if kind == "space" else text, kind == "digits"))
    return parts
