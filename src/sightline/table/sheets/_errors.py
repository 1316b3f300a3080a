"""Errors such as #VALUE! in .xls, .xlsb and .ods workbooks, whose cells calamine leaves empty."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree as ET

import numpy as np

from sightline import _core
from sightline.table.sheets._xml import DAMAGE

__all__ = ["stored_errors"]

Errors = dict[tuple[int, int], str]

_CODES = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DAMAGE = (*DAMAGE, ET.ParseError, struct.error, IndexError)


def stored_errors(content: bytes, name: str, shape: tuple[int, int]) -> Errors:
    """Return the cells of a sheet that show an error, by row and column from 0.

    Parameters
    ----------
    content : bytes
        The file, which another library has read without error.
    name : str
        The sheet.
    shape : (int, int)
        How many rows and columns the other library found: an .ods file can repeat a cell a trillion times.
    """
    try:
        if content.startswith(_OLE):
            return _errors_of_xls(_workbook_stream(content), name)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if "xl/workbook.bin" in archive.namelist():
                return _errors_of_xlsb(archive, name)
            return _errors_of_ods(archive, name, shape) if "content.xml" in archive.namelist() else {}
    except _DAMAGE:
        return {}


# LibreOffice's files: OpenDocument.

_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
_TABLE, _TEXT = _OFFICE % "table", _OFFICE % "text"
_MAY_BE_ERROR = re.compile(rb">\s*(?:#|Err:)")


def _errors_of_ods(archive: zipfile.ZipFile, name: str, shape: tuple[int, int]) -> Errors:
    """Read the text that cells show: their value is empty, or 0 in files of old programs."""
    xml = archive.read("content.xml")
    if _MAY_BE_ERROR.search(xml) is None:
        return {}
    errors: Errors = {}
    (end_row, end_column), row, is_wanted = shape, 0, False
    for event, element in ET.iterparse(io.BytesIO(xml), ("start", "end")):
        if element.tag == f"{_TABLE}table":
            is_wanted = event == "start" and element.get(f"{_TABLE}name") == name
            row = 0
        elif is_wanted and event == "end" and element.tag == f"{_TABLE}table-row":
            n_rows = int(element.get(f"{_TABLE}number-rows-repeated", 1))
            for column, text in _errors_of_row(element, end_column):
                errors.update({(one, column): text for one in range(row, min(row + n_rows, end_row))})
            row += n_rows
            element.clear()
    return errors


def _errors_of_row(row: ET.Element, end_column: int) -> Iterator[tuple[int, str]]:
    column = 0
    for cell in row:
        text = "".join(part for line in cell.iter(f"{_TEXT}p") for part in line.itertext()).strip()
        n_columns = int(cell.get(f"{_TABLE}number-columns-repeated", 1))
        if text and _core.is_spreadsheet_error(text):
            yield from ((one, text) for one in range(column, min(column + n_columns, end_column)))
        column += n_columns


# Excel's binary files since 2007: records with a type and a length, both in bytes of 7 bits.

_ROW_HEADER, _ERROR, _FORMULA_ERROR, _SHEET = 0, 3, 11, 156


def _errors_of_xlsb(archive: zipfile.ZipFile, name: str) -> Errors:
    relations = archive.read("xl/_rels/workbook.bin.rels").decode(errors="replace")
    for kind, record in _xlsb_records(archive.read("xl/workbook.bin")):
        if kind != _SHEET:
            continue
        identifier, rest = _wide_string(record[8:])
        if _wide_string(rest)[0] != name:
            continue
        for relation in re.findall(r"<(?:\w+:)?Relationship\b[^<>]*>", relations):
            found = dict(re.findall(r'\b(Id|Target)="([^"]*)"', relation))
            if found.get("Id") == identifier:
                target = found["Target"]
                return _errors_of_part(archive.read(target[1:] if target[0] == "/" else f"xl/{target}"))
    return {}


def _errors_of_part(part: bytes) -> Errors:
    errors, row = {}, 0
    for kind, record in _xlsb_records(part):
        if kind == _ROW_HEADER:
            (row,) = struct.unpack_from("<I", record)
        elif kind in (_ERROR, _FORMULA_ERROR):
            (column,) = struct.unpack_from("<I", record)
            errors[row, column] = _CODES.get(record[8], "#N/A")
    return errors


def _xlsb_records(part: bytes) -> Iterator[tuple[int, bytes]]:
    begin = 0
    while begin < len(part):
        kind, begin = part[begin], begin + 1
        if kind & 0x80:
            kind, begin = (kind & 0x7F) | (part[begin] & 0x7F) << 7, begin + 1
        length = 0
        for shift in (0, 7, 14, 21):
            byte, begin = part[begin], begin + 1
            length |= (byte & 0x7F) << shift
            if not byte & 0x80:
                break
        yield kind, part[begin : begin + length]
        begin += length


def _wide_string(record: bytes) -> tuple[str, bytes]:
    (length,) = struct.unpack_from("<I", record)
    end = 4 + 2 * length
    return record[4:end].decode("utf-16-le"), record[end:]


# Excel's files before 2007: a file system in a file, with one stream of records.

_SHEET_BEGIN, _BOOL_OR_ERROR, _FORMULA, _SHEET_END = 0x85, 0x205, 0x06, 0x0A
_MAX_SECTOR = 0xFFFFFFF0
_MINI_CUTOFF, _MINI_SECTOR = 4096, 64


def _errors_of_xls(stream: bytes, name: str) -> Errors:
    for kind, record in _xls_records(stream, 0):
        if kind == _SHEET_END:
            break
        if kind == _SHEET_BEGIN:
            begin, _, length, is_wide = struct.unpack_from("<IHBB", record)
            text = record[8 : 8 + length * (1 + (is_wide & 1))]
            if text.decode("utf-16-le" if is_wide & 1 else "latin-1") == name:
                return _errors_of_records(_xls_records(stream, begin))
    return {}


def _errors_of_records(records: Iterator[tuple[int, bytes]]) -> Errors:
    errors = {}
    for kind, record in records:
        if kind == _SHEET_END:
            break
        is_error = kind == _BOOL_OR_ERROR and record[7] == 1
        # The result of a formula is a double, or 0xFFFF at the end and its kind at the begin.
        is_error_of_formula = kind == _FORMULA and record[12:14] == b"\xff\xff" and record[6] == 2
        if is_error or is_error_of_formula:
            row, column = struct.unpack_from("<HH", record)
            errors[row, column] = _CODES.get(record[6] if is_error else record[8], "#N/A")
    return errors


def _xls_records(stream: bytes, begin: int) -> Iterator[tuple[int, bytes]]:
    while begin + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, begin)
        yield kind, stream[begin + 4 : begin + 4 + length]
        begin += 4 + length


def _workbook_stream(content: bytes) -> bytes:
    """Return the stream of the workbook, which is scattered over sectors of the file."""
    size = {9: 512, 12: 4096}[struct.unpack_from("<H", content, 30)[0]]
    n_tables, first_entry, _, _, first_mini, _, next_list, _ = struct.unpack_from("<8I", content, 44)
    tables = list(struct.unpack_from("<109I", content, 76))
    seen: set[int] = set()
    while next_list < _MAX_SECTOR and next_list not in seen:
        seen.add(next_list)
        *more, next_list = struct.unpack_from(f"<{size // 4}I", content, (next_list + 1) * size)
        tables += more
    following = np.concatenate(
        [np.frombuffer(content, "<u4", size // 4, (table + 1) * size) for table in tables[:n_tables]]
    )

    def chain(sector: int) -> bytes:
        return b"".join(content[(one + 1) * size : (one + 2) * size] for one in _followed(following, sector))

    entries = chain(first_entry)
    root: tuple[int, int] | None = None
    for begin in range(0, len(entries), 128):
        length = struct.unpack_from("<H", entries, begin + 64)[0]
        label = entries[begin : begin + max(length - 2, 0)].decode("utf-16-le", errors="replace")
        first, n_bytes = struct.unpack_from("<II", entries, begin + 116)
        root = root or (first, n_bytes)
        if label in ("Workbook", "Book"):
            if n_bytes >= _MINI_CUTOFF:
                return chain(first)[:n_bytes]
            small, minis = chain(root[0]), np.frombuffer(chain(first_mini), "<u4")
            parts = (small[one * _MINI_SECTOR : (one + 1) * _MINI_SECTOR] for one in _followed(minis, first))
            return b"".join(parts)[:n_bytes]
    return b""


def _followed(following: np.ndarray, sector: int) -> Iterator[int]:
    """Yield the sectors of a chain; one that goes around in a circle ends after all of them."""
    for _ in range(len(following)):
        if sector >= _MAX_SECTOR:
            return
        yield sector
        sector = int(following[sector])
