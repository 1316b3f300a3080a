"""skops files: models of scikit-learn without the dangers of a pickle.

Besides the types that skops itself trusts, only those of trees are allowed. The importer of the
model's class then checks its nodes.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any, ClassVar

from sightline.exceptions import ModelFormatError, SightlineError, UnsupportedModelError
from sightline.load._file import FileImporter, ModelFile, register_file
from sightline.load._stored_object import in_one_line, load_object
from sightline.model import Ensemble

_TRUSTED = frozenset(
    {
        "numpy.dtype",
        "sklearn.tree._tree.Tree",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
        "sklearn._loss.link.HalfLogitLink",
        "sklearn._loss.link.IdentityLink",
        "sklearn._loss.link.Interval",
        "sklearn._loss.link.LogitLink",
        "sklearn._loss.link.MultinomialLogit",
        "sklearn._loss.loss.AbsoluteError",
        "sklearn._loss.loss.ExponentialLoss",
        "sklearn._loss.loss.HalfBinomialLoss",
        "sklearn._loss.loss.HalfMultinomialLoss",
        "sklearn._loss.loss.HalfSquaredError",
        "sklearn._loss.loss.HuberLoss",
        "sklearn._loss.loss.PinballLoss",
        "sklearn._loss._loss.CyAbsoluteError",
        "sklearn._loss._loss.CyExponentialLoss",
        "sklearn._loss._loss.CyHalfBinomialLoss",
        "sklearn._loss._loss.CyHalfMultinomialLoss",
        "sklearn._loss._loss.CyHalfSquaredError",
        "sklearn._loss._loss.CyHuberLoss",
        "sklearn._loss._loss.CyPinballLoss",
        "_loss.CyHalfMultinomialLoss",  # as scikit-learn 1.6 and 1.7 name it
    }
)
_MAX_BYTES = 2**32
_MAX_RATIO = 200
_MAX_SHARING = 100
"""How often skops may visit an object on average: it visits one as often as others refer to it."""


@register_file
class SkopsImporter(FileImporter):
    """Reads what ``skops.io.dump`` writes."""

    format_name: ClassVar[str] = "skops"

    def recognizes(self, file: ModelFile) -> bool:
        """Check for the schema in the archive."""
        if not file.content.startswith(b"PK"):
            return False
        try:
            with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
                return "schema.json" in archive.namelist()
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise ModelFormatError(f"{file.name}: is a damaged zip archive ({error}).") from error

    def read(self, file: ModelFile) -> Ensemble:
        """Return the model, if it contains only trusted types."""
        try:
            import skops.io  # noqa: PLC0415
        except ImportError as error:
            raise UnsupportedModelError(
                f"{file.name}: is a skops file, and skops is not installed: pip install skops."
            ) from error
        _check_size(file)
        return load_object(lambda: _unpacked(file, skops.io), file)


def _check_size(file: ModelFile) -> None:
    """Raise if the archive would fill the memory."""
    with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > min(_MAX_BYTES, _MAX_RATIO * len(file.content) + 2**20):
        raise ModelFormatError(f"{file.name}: unpacks to {size} bytes, which is too large.")


def _unpacked(file: ModelFile, skops_io: Any) -> Any:
    try:
        _check_sharing(file)
        unknown = sorted(set(skops_io.get_untrusted_types(data=file.content)) - _TRUSTED)
        if unknown:
            name = in_one_line(unknown[0])
            raise UnsupportedModelError(f"{file.name}: contains the type {name}, which is not trusted.")
        return skops_io.loads(file.content, trusted=sorted(_TRUSTED))
    except (SightlineError, MemoryError):
        raise
    except json.JSONDecodeError as error:
        raise ModelFormatError(f"{file.name}: its schema is not valid JSON ({error}).") from error
    except Exception as error:  # a damaged archive raises anything
        raise ModelFormatError(
            f"{file.name}: cannot unpack the file ({type(error).__name__}: {in_one_line(error)})."
        ) from error


def _check_sharing(file: ModelFile) -> None:
    """Raise if objects share others at so many levels that skops would never end."""
    with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
        schema = json.loads(archive.read("schema.json"))
    visits: dict[Any, int] = {}
    if _count_visits(schema, visits) > _MAX_SHARING * len(visits):
        raise ModelFormatError(f"{file.name}: its objects share each other too often.")


def _count_visits(state: Any, visits: dict[Any, int]) -> int:
    """Count how many objects skops visits from here; ``visits`` has this number for those already seen."""
    if isinstance(state, list):
        return sum(_count_visits(entry, visits) for entry in state)
    if not isinstance(state, dict):
        return 0
    own = state.get("__id__", id(state))
    if own not in visits:
        visits[own] = 1  # that of an object inside itself
        visits[own] += sum(_count_visits(entry, visits) for entry in state.values())
    return visits[own]
