"""Pickles and joblib files, opened only with permission because they may run any code."""

from __future__ import annotations

import io
import pickle
from typing import Any, ClassVar

import joblib

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._file import FileImporter, ModelFile, register_file
from sightline.load._registry import find_importer
from sightline.model import Ensemble

# Pickles of protocols 2 to 5 begin with their number, compressed joblib files with the compressor's.
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

    def recognizes(self, file: ModelFile) -> bool:
        """Check the first bytes."""
        return file.content.startswith((*_PICKLES, *_COMPRESSED))

    def read(self, file: ModelFile) -> Ensemble:
        """Return the model inside."""
        if not file.options.allow_pickle:
            raise UnsupportedModelError(
                f"{file.name}: is a pickle or joblib file, and opening it runs any code in it. "
                f"If you trust it, pass allow_pickle=True, or --allow-pickle on the command line."
            )
        model = self.model_in(file)
        return find_importer(model).read_with(model, file.options)

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
                f"{file.name}: cannot unpickle the file ({type(error).__name__}: {error})."
            ) from error
