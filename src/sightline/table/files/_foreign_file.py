"""Binary files of other programs: read through pandas, or refused by name."""

from pathlib import Path
from typing import Any

from sightline.exceptions import DataError

__all__ = ["check_readable", "read_statistics_file"]

_SAS_MAGIC = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
_TRANSPORT_MAGIC = b"HEADER RECORD*******"
_STATA_MAGIC = b"<stata_dta>"

_CSV = "Save the table as CSV."
_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"BZh", "a bzip2 archive. Unpack it first."),
    (b"\xfd7zXZ", "an xz archive. Unpack it first."),
    (b"\x28\xb5\x2f\xfd", "a zstd archive. Unpack it first."),
    (b"7z\xbc\xaf", "a 7z archive. Unpack it first."),
    (b"SQLite format 3", f"an SQLite database. {_CSV}"),
    (b"PGDMP", f"a PostgreSQL dump. {_CSV}"),
    (b"\x89HDF", f"an HDF5 file. {_CSV}"),
    (b"\x93NUMPY", f"a NumPy array. {_CSV}"),
    (b"RDX", "an R workspace. Write the table with write.csv() in R."),
    (b"RDA", "an R workspace. Write the table with write.csv() in R."),
    (b"X\n\0", "an R object. Write the table with write.csv() in R."),
    (b"$FL", f"an SPSS file. {_CSV}"),
    (b"%PDF", f"a PDF file. {_CSV}"),
    (b"ORC", "an ORC file. Save the table as Parquet or CSV."),
    (b"FEA1", "a Feather file of version 1. Write it again with pyarrow, or as Parquet."),
    (b"\xff\xff\xff\xff", "an Arrow stream. Save the table as Feather, Parquet or CSV."),
    (b"Obj\x01", "an Avro file. Save the table as Parquet or CSV."),
)
_TEXT_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"{\\RTF", f"an RTF document. {_CSV}"),
    (b"{", f"JSON. {_CSV}"),
    (b"[", f"JSON. {_CSV}"),
    (b"<", "HTML or XML, which some programs save as .xls. Open it in Excel and save it as .xlsx or CSV."),
    (b"--", f"a database dump, which holds commands. {_CSV}"),
    (b"/*", f"a database dump, which holds commands. {_CSV}"),
    (b"CREATE TABLE", f"a database dump, which holds commands. {_CSV}"),
    (b"INSERT INTO", f"a database dump, which holds commands. {_CSV}"),
)


def check_readable(path: Path, content: bytes) -> None:
    """Raise if a file belongs to another program; the message says which one and what to do."""
    for magic, kind in _KINDS:
        if content.startswith(magic):
            raise DataError(f"{path}: this is {kind}")
    begin = content[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    for magic, kind in _TEXT_KINDS:
        if begin.upper().startswith(magic) and not begin.startswith((b"---", b"--|", b"--+")):
            raise DataError(f"{path}: this is {kind}")


def read_statistics_file(path: Path, content: bytes) -> Any | None:
    """Return the pandas frame in a SAS or Stata file; None for any other file."""
    is_sas = content.startswith((_SAS_MAGIC, _TRANSPORT_MAGIC))
    # Until version 12, Stata's files begin with the version alone.
    is_stata = content.startswith(_STATA_MAGIC) or (
        path.suffix.lower() == ".dta" and content[:1] in b"\x69\x6c\x6e\x6f\x71\x72\x73"
    )
    if not (is_sas or is_stata):
        return None
    program = "SAS" if is_sas else "Stata"
    try:
        import pandas as pd  # noqa: PLC0415 - optional
    except ImportError as error:
        raise ImportError(f"{path}: {program} files need pandas: pip install pandas.") from error
    from io import BytesIO  # noqa: PLC0415

    try:
        if is_stata:
            frame = pd.read_stata(BytesIO(content))
        else:
            kind = "sas7bdat" if content.startswith(_SAS_MAGIC) else "xport"
            frame = pd.read_sas(BytesIO(content), format=kind, encoding="utf-8")
    except Exception as error:  # pandas raises anything on damaged files
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"{path}: pandas cannot read this {program} file ({reason}).") from error
    # Missing text is empty there.
    texts = [
        name for name in frame.columns if frame[name].dtype.kind not in "biufcmM" and not frame[name].empty
    ]
    return frame.assign(**{name: frame[name].mask(frame[name] == "") for name in texts})
