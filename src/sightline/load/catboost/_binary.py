"""CatBoost's own binary files, which the library converts to JSON in a process of its own.

The library does not check these files, and a damaged one can crash it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._file import FileImporter, ModelFile, register_file
from sightline.load.catboost._importer import cannot_export, read_document
from sightline.model import Ensemble

_CANNOT_EXPORT = 3
_CONVERT = f"""
import sys
import catboost
try:
    model = catboost.CatBoost().load_model("model.cbm")
except Exception as error:
    sys.exit(f"{{type(error).__name__}}: {{error}}")
try:
    model.save_model("model.json", format="json")
except Exception as error:
    print(error, file=sys.stderr)
    sys.exit({_CANNOT_EXPORT})
"""


@register_file
class CatBoostBinaryImporter(FileImporter):
    """Reads ``save_model(path)``."""

    format_name: ClassVar[str] = "CatBoost .cbm"

    def recognizes(self, file: ModelFile) -> bool:
        """Check the first bytes."""
        return file.content.startswith(b"CBM1")

    def read(self, file: ModelFile) -> Ensemble:
        """Return the additive model."""
        if find_spec("catboost") is None:
            raise UnsupportedModelError(
                f"{file.name}: is a binary CatBoost model, which only CatBoost can decode. Install catboost, "
                f"or save the model with format='json'."
            )
        return read_document(ModelFile(file.name, _converted(file), file.options))


def _converted(file: ModelFile) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "model.cbm").write_bytes(file.content)
        run = subprocess.run([sys.executable, "-c", _CONVERT], cwd=folder, capture_output=True, check=False)
        lines = run.stderr.decode("utf-8", "replace").strip().splitlines()
        if run.returncode == _CANNOT_EXPORT and lines:
            raise cannot_export(file.name, lines[-1])
        if run.returncode:
            reason = lines[-1] if run.returncode > 0 and lines else "it crashes"
            raise ModelFormatError(f"{file.name}: CatBoost cannot read this file ({reason}).")
        return Path(folder, "model.json").read_bytes()
