"""Writers of small workbooks in the formats that no library here writes: .xls, .xlsb and .ods; and a reader.

Cells are text, numbers, dates, or errors such as "#VALUE!"; an error in a tuple is the result of a formula.
"""

from __future__ import annotations

import datetime as dt
import struct
import warnings
import zipfile

import sightline as sl

CODES = {"#NULL!": 0, "#DIV/0!": 7, "#VALUE!": 15, "#REF!": 23, "#NAME?": 29, "#NUM!": 36, "#N/A": 42}
FREE, END, TABLE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def read_book(tmp_path, book, target=None):
    """Save a book of openpyxl, and return its table with what is told about it."""
    path = tmp_path / "rows.xlsx"
    book.save(path)
    with warnings.catch_warnings(record=True, action="always") as caught:
        table = sl.read_table(path, target)
    return table, [str(warning.message).removeprefix(f"{path}: ") for warning in caught]


def write_workbook(path, rows, sheet="rows"):
    {".xls": write_xls, ".xlsb": write_xlsb, ".ods": write_ods}[path.suffix](path, rows, sheet)
    return path


def write_xls(path, rows, sheet):
    def record(kind, *parts):
        content = b"".join(parts)
        return struct.pack("<HH", kind, len(content)) + content

    def cell(row, column, value):
        place = struct.pack("<HHH", row, column, 0)
        if isinstance(value, tuple):
            result = struct.pack("<BBBBBBH", 2, 0, CODES[value[0]], 0, 0, 0, 0xFFFF)
            return record(0x06, place, result, struct.pack("<HIH", 0, 0, 0))
        if value in CODES:
            return record(0x205, place, bytes([CODES[value], 1]))
        if isinstance(value, str):
            return record(0x204, place, struct.pack("<HB", len(value), 0), value.encode("latin-1"))
        return record(0x203, place, struct.pack("<d", value))

    cells = b"".join(cell(r, c, value) for r, row in enumerate(rows) for c, value in enumerate(row))
    begin = struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 0x600)
    body = record(0x809, begin) + cells + record(0x0A)
    top = record(0x809, begin[:2], b"\x05\x00", begin[4:])
    offset = len(top) + 4 + 8 + len(sheet) + 4
    bound = record(0x85, struct.pack("<IHBB", offset, 0, len(sheet), 0), sheet.encode())
    stream = top + bound + record(0x0A) + body
    n_bytes = max(len(stream), 4096)
    n_sectors = -(-n_bytes // 512)
    # The sectors: the table, the folder, then the stream backwards, so that their order matters.
    order = list(range(2 + n_sectors - 1, 1, -1))
    following = [TABLE, END] + [FREE] * 126
    for one, other in zip(order, [*order[1:], END], strict=True):
        following[one] = other
    padded = stream.ljust(n_sectors * 512, b"\0")
    sectors = {one: padded[512 * i : 512 * (i + 1)] for i, one in enumerate(order)}

    def entry(name, kind, child, first, size):
        label = name.encode("utf-16-le")
        return (
            label.ljust(64, b"\0")
            + struct.pack("<HBBIII", len(label) + 2, kind, 1, FREE, FREE, child)
            + bytes(36)
            + struct.pack("<IQ", first, size)
        )

    folder = entry("Root Entry", 5, 1, END, 0) + entry("Workbook", 2, FREE, order[0], n_bytes) + bytes(256)
    header = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6)
    header += bytes(6) + struct.pack("<9I", 0, 1, 1, 0, 4096, END, 0, END, 0)
    header += struct.pack("<109I", 0, *[FREE] * 108)
    table = struct.pack("<128I", *following)
    path.write_bytes(header + table + folder + b"".join(sectors[one] for one in sorted(sectors)))


def write_xlsb(path, rows, sheet):
    def record(kind, content=b""):
        size, length = b"", len(content)
        while True:
            length, byte = length >> 7, length & 0x7F
            size += bytes([byte | (0x80 if length else 0)])
            if not length:
                break
        number = bytes([kind]) if kind < 0x80 else bytes([(kind & 0x7F) | 0x80, kind >> 7])
        return number + size + content

    def string(text):
        return struct.pack("<I", len(text)) + text.encode("utf-16-le")

    def cell(column, value):
        place = struct.pack("<II", column, 0)
        if isinstance(value, tuple):
            return record(11, place + bytes([CODES[value[0]]]) + struct.pack("<HII", 0, 0, 0))
        if value in CODES:
            return record(3, place + bytes([CODES[value]]))
        if isinstance(value, str):
            return record(6, place + string(value))
        return record(5, place + struct.pack("<d", value))

    size = struct.pack("<IIII", 0, len(rows) - 1, 0, len(rows[0]) - 1)
    body = record(129) + record(148, size) + record(145)
    for row, cells in enumerate(rows):
        body += record(0, struct.pack("<I", row) + bytes(13))
        body += b"".join(cell(column, value) for column, value in enumerate(cells))
    body += record(146) + record(130)
    bundle = record(156, struct.pack("<II", 0, 1) + string("rId1") + string(sheet))
    workbook = record(131) + record(143) + bundle + record(144) + record(132)
    relation = '<Relationship Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.bin"/>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.bin", workbook)
        archive.writestr("xl/_rels/workbook.bin.rels", f"<Relationships>{relation}</Relationships>")
        archive.writestr("xl/worksheets/sheet1.bin", body)


def write_ods(path, rows, sheet):
    def cell(value):
        if isinstance(value, tuple):
            # OpenOffice stored 0 as the result.
            return _ods_cell('table:formula="of:=1/0" office:value-type="float" office:value="0"', value[0])
        if value in CODES:
            kind = 'office:value-type="string" office:string-value="" calcext:value-type="error"'
            return _ods_cell(f'table:formula="of:=1/0" {kind}', value)
        if isinstance(value, dt.date):
            return _ods_cell(f'office:value-type="date" office:date-value="{value}"', value)
        if isinstance(value, str):
            return _ods_cell('office:value-type="string"', value)
        return _ods_cell(f'office:value-type="float" office:value="{value}"', value)

    lines = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    kinds = {"office": "office", "table": "table", "text": "text"}
    spaces = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for short, name in kinds.items()
    )
    calc = 'xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
    table = f'<table:table table:name="{sheet}">{lines}</table:table>'
    body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    space = 'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"'
    entry = f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", kind)
        manifest = f"<manifest:manifest {space}>{entry}</manifest:manifest>"
        archive.writestr("META-INF/manifest.xml", manifest)
        archive.writestr(
            "content.xml", f"<office:document-content {spaces} {calc}>{body}</office:document-content>"
        )


def _ods_cell(attributes, text):
    return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"
