"""Pickles and joblib files, opened only with permission because they may run any code."""

from __future__ import annotations

import bz2
import io
import lzma
import pickle
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import joblib

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._file import FileImporter, ModelFile, register_file
from sightline.load._stored_object import in_one_line, load_object
from sightline.model import Ensemble

# Pickles of protocols 2 to 5 begin with their number.
_PICKLES = tuple(b"\x80" + bytes([protocol]) for protocol in range(2, 6))
_N_PEEKED = 4096
_DECOMPRESSORS: dict[bytes, Callable[[], Any]] = {
    b"x": zlib.decompressobj,
    b"\x1f\x8b": partial(zlib.decompressobj, zlib.MAX_WBITS | 16),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ": lzma.LZMADecompressor,
    b"]\x00\x00": lzma.LZMADecompressor,
}
"""How files of joblib's compressors begin. LZ4, which needs a package, is not looked into."""
_LZ4 = b"\x04\x22\x4d\x18"


@register_file
class PickleImporter(FileImporter):
    """Reads pickled models, with permission."""

    format_name: ClassVar[str] = "pickles and joblib files (with allow_pickle=True)"

    def recognizes(self, file: ModelFile) -> bool:
        """Check the first bytes, after decompression."""
        return file.content.startswith(_LZ4) or _beginning(file.content).startswith(_PICKLES)

    def read(self, file: ModelFile) -> Ensemble:
        """Return the model inside."""
        if not file.options.allow_pickle:
            raise UnsupportedModelError(
                f"{file.name} is a pickle or joblib file, and opening it runs any code in it. "
                f"If you trust it, pass allow_pickle=True, or --allow-pickle on the command line."
            )
        return load_object(lambda: self.model_in(file), file)

    @staticmethod
    def model_in(file: ModelFile) -> Any:
        """Return the object in a pickle."""
        try:
            return joblib.load(io.BytesIO(file.content))
        except MemoryError:
            raise
        except ModuleNotFoundError as error:
            raise ModelFormatError(
                f"{file.name}: needs the package {error.name!r}, which is not installed."
            ) from error
        except (pickle.UnpicklingError, Exception) as error:  # a damaged pickle raises anything
            raise ModelFormatError(
                f"{file.name}: cannot unpickle the file ({type(error).__name__}: {in_one_line(error)})."
            ) from error


def _beginning(content: bytes) -> bytes:
    """Return the first bytes, decompressed if possible."""
    for magic, decompressor in _DECOMPRESSORS.items():
        if content.startswith(magic):
            try:
                return bytes(decompressor().decompress(content[:_N_PEEKED])[:2])
            except (zlib.error, OSError, lzma.LZMAError):
                break
    return content[:2]
