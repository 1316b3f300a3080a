"""Read a file that may be compressed, with limits against decompression bombs."""

import gzip
import zlib
from pathlib import Path
from typing import IO

from sightline.exceptions import DataError

__all__ = ["file_content"]

GZIP_MAGIC = b"\x1f\x8b"
CHUNK_SIZE = 1 << 20
MAX_UNPACKED_SIZE = 4 << 30
# Deflate reaches at most 1032 : 1, tables rarely more than 100 : 1.
MAX_UNPACKED_RATIO = 500
# Below this size any ratio is harmless.
FREE_UNPACKED_SIZE = 64 << 20


def file_content(path: Path) -> bytes:
    """Return the content of a regular file, unpacked if it begins like gzip."""
    if not path.exists():
        raise DataError(f"{path}: there is no such file.")
    if not path.is_file():
        raise DataError(f"{path}: this is not a regular file.")
    try:
        with path.open("rb") as file:
            is_packed = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
            file.seek(0)
            return _unpacked(path, file) if is_packed else file.read()
    except OSError as error:
        raise DataError(f"{path}: the file cannot be read ({error.strerror or error}).") from error
    except MemoryError:
        raise DataError(f"{path}: the file does not fit in memory.") from None


def _unpacked(path: Path, file: IO[bytes]) -> bytes:
    packed_size = path.stat().st_size
    chunks: list[bytes] = []
    size = 0
    try:
        with gzip.GzipFile(fileobj=file) as stream:
            while chunk := stream.read(CHUNK_SIZE):
                chunks.append(chunk)
                size += len(chunk)
                if size > MAX_UNPACKED_SIZE or (
                    size > FREE_UNPACKED_SIZE and size > MAX_UNPACKED_RATIO * packed_size
                ):
                    raise DataError(
                        f"{path}: {packed_size} compressed bytes expand to {size} or more. "
                        "Decompress the file yourself if you trust it."
                    )
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(f"{path}: the gzip data is damaged or cut off ({error}).") from error
    return b"".join(chunks)
