"""Checkpoints: results of finished parts on disk, so that a rerun skips these parts."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError, SightlineError
from sightline.files import atomic_write
from sightline.table.rows._part import Part

__all__ = ["Arrays", "Checkpoint", "StoredForm"]

Arrays = dict[str, NDArray[Any]]


class StoredForm(Protocol):
    """How the results of a pass are stored."""

    def to_arrays(self, result: Any) -> Arrays:
        """Return a result as arrays by name."""

    def from_arrays(self, arrays: Arrays) -> Any:
        """Rebuild a result."""


@dataclass(frozen=True)
class Checkpoint:
    """A folder with one file per finished part of a pass.

    Attributes
    ----------
    folder : Path
        The folder; it is created.
    title : str
        What the results depend on besides the part: the pass, the models, the sample. A result is used only
        if this and the file of the part are as they were.
    form : StoredForm
        How results are stored.
    """

    folder: Path
    title: str
    form: StoredForm

    def result(self, part: Part, index: int, work: Callable[[Part, int], Any]) -> Any:
        """Return the stored result of a part, or compute and store it."""
        path = self.folder / f"{self._digest(part, index)}.npz"
        found = self._read(path)
        if found is None:
            found = work(part, index)
            self._write(path, self.form.to_arrays(found))
        return found

    def _read(self, path: Path) -> Any | None:
        if not path.exists():
            return None
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as stored:
                return self.form.from_arrays({name: stored[name] for name in stored.files})
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise SightlineError(f"{path}: the checkpoint is damaged ({error}). Delete the file.") from error

    def _write(self, path: Path, arrays: Arrays) -> None:
        content = io.BytesIO()
        # As np.savez does, which cannot refuse pickles before numpy 2.1.
        with zipfile.ZipFile(content, "w") as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, np.asanyarray(array), allow_pickle=False)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SightlineError(f"{self.folder}: cannot be written ({error.strerror}).") from error
        atomic_write(path, content.getvalue())

    def _digest(self, part: Part, index: int) -> str:
        version = part.version()
        if version is None:
            raise DataError(
                f"{part.name}: a checkpoint needs rows in files, because only files show whether they "
                "have changed. Omit the checkpoint, or write the rows to files first."
            )
        return hashlib.sha256(f"{self.title}\n{index}\n{version}".encode()).hexdigest()[:32]
