"""Pickles and joblib files: opened only if the caller says that they may run code."""

from __future__ import annotations

import io
import pickle
from typing import Any, ClassVar

import joblib

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._file import FileImporter, ModelFile, register_file
from sightline.load._registry import find_importer
from sightline.model import Ensemble

# Protocols 2 to 5 begin with their number; joblib's compressed files with that of the compressor.
_PICKLES = tuple(b"\x80" + bytes([protocol]) for protocol in range(2, 6))
_COMPRESSED = (
    b"x\x01",
    b"x\x5e",
    b"x\x9c",
    b"x\xda",
    b"BZh",
    b"\xfd7zXZ",
    b"]\x00\x00",
    b"\x04\x22\x4d\x18",
    b"\x1f\x8b",
)


@register_file
class PickleImporter(FileImporter):
    """Reads pickled models, with permission."""

    format_name: ClassVar[str] = "pickles and joblib files (with allow_pickle=True)"

    def recognises(self, file: ModelFile) -> bool:
        """Look at the first bytes."""
        return file.content.startswith((*_PICKLES, *_COMPRESSED))

    def read(self, file: ModelFile) -> Ensemble:
        """Return the model inside."""
        if not file.options.allow_pickle:
            raise UnsupportedModelError(
                f"{file.name}: is a pickle or of joblib, and opening it runs whatever code is in it; "
                f"if you trust it, use sl.load(path, allow_pickle=True) or the command's --allow-pickle."
            )
        model = _unpickled(file)
        return find_importer(model).read_with(model, file.options)


def _unpickled(file: ModelFile) -> Any:
    try:
        return joblib.load(io.BytesIO(file.content))
    except MemoryError:
        raise
    except ModuleNotFoundError as error:
        raise ModelFormatError(
            f"{file.name}: needs the module {error.name!r}, which is not installed."
        ) from error
    except (pickle.UnpicklingError, Exception) as error:  # a damaged pickle raises anything
        raise ModelFormatError(
            f"{file.name}: cannot be unpickled ({type(error).__name__}: {error})."
        ) from error
