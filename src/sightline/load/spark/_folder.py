"""A folder that Spark ML saved: metadata as JSON, data as Parquet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sightline.exceptions import ModelFormatError, SightlineError, UnsupportedModelError

_MAX_METADATA = 2**24
_MAX_RATIO, _FREE_SIZE = 200, 2**24
"""How far Parquet files may expand, in which equal values take next to no space; small ones always may."""


class SparkFolder:
    """One saved model or stage.

    Parameters
    ----------
    path : Path
        The folder.
    name : str
        Its name in messages.

    Attributes
    ----------
    kind : str
        Full name of its class.
    where : str
        Name and class, for messages.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.name = name
        self._content = self._metadata()
        self.kind = str(self._content.get("class"))
        self.where = f"{name} ({self.kind.rpartition('.')[2]})"
        set_by_user, by_default = (self._content.get(key, {}) for key in ("paramMap", "defaultParamMap"))
        if not isinstance(set_by_user, dict) or not isinstance(by_default, dict):
            raise self.fault("its parameters are not an object")
        self._params: dict[str, Any] = by_default | set_by_user
        self._set = set_by_user

    def fault(self, sentence: str) -> ModelFormatError:
        """Return an error about something that is wrong."""
        return ModelFormatError(f"{self.where}: {sentence}.")

    def unsupported(self, sentence: str) -> UnsupportedModelError:
        """Return an error about something that is not understood."""
        return UnsupportedModelError(f"{self.where}: {sentence}.")

    def _metadata(self) -> dict[str, Any]:
        self.where = self.name
        parts = sorted((self.path / "metadata").glob("part-*"))
        if not parts:
            raise self.fault("has no metadata")
        if sum(part.stat().st_size for part in parts) > _MAX_METADATA:
            raise self.fault("its metadata is too large")
        try:
            content = json.loads("".join(part.read_text(encoding="utf-8") for part in parts))
        except (OSError, ValueError, RecursionError) as error:
            raise self.fault(f"its metadata cannot be read ({error})") from error
        if not isinstance(content, dict):
            raise self.fault("its metadata is not an object")
        return content

    def param(self, name: str) -> Any:
        """Return a parameter, or None."""
        return self._params.get(name)

    def string(self, name: str) -> str:
        """Return a parameter that is a string."""
        value = self.param(name)
        if not isinstance(value, str):
            raise self.fault(f"the parameter {name!r} must be a string")
        return value

    def strings(self, one: str, many: str) -> list[str]:
        """Return a parameter that is one string, or another that is a list of them."""
        if many in self._set:
            value = self.param(many)
            if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
                raise self.fault(f"the parameter {many!r} must be a list of strings")
            return value
        return [self.string(one)]

    def refuse(self, *names: str) -> None:
        """Refuse parameters that were set."""
        for name in names:
            if name in self._set:
                raise self.unsupported(f"the parameter {name!r} is not supported")

    def whole(self, name: str, minimum: int, maximum: int) -> int:
        """Return a whole number of the metadata."""
        value = self._content.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= maximum:
            raise self.fault(f"{name!r} must be a whole number from {minimum} to {maximum}")
        return value

    def inner(self, name: str) -> SparkFolder:
        """Return a folder inside this one."""
        return SparkFolder(self.path / name, f"{self.name}/{name}")

    def stages(self) -> list[SparkFolder]:
        """Return the stages of a pipeline, in their order."""
        ids = self._params.get("stageUids")
        if not isinstance(ids, list) or not all(isinstance(entry, str) for entry in ids):
            raise self.fault("its stages are not listed")
        found = {path.name.partition("_")[2]: path for path in sorted((self.path / "stages").glob("*"))}
        missing = [entry for entry in ids if entry not in found]
        if missing:
            raise self.fault(f"the stage {missing[0]!r} is missing")
        return [SparkFolder(found[entry], f"{self.name}/stages/{found[entry].name}") for entry in ids]

    def table(self, name: str = "data") -> Any:
        """Return the Parquet files of a folder as one table."""
        try:
            import pyarrow as pa  # noqa: PLC0415 - optional
            import pyarrow.parquet as pq  # noqa: PLC0415
        except ImportError as error:
            raise UnsupportedModelError(
                f"{self.name}: reading folders of Spark needs pyarrow: pip install pyarrow."
            ) from error
        parts = sorted((self.path / name).glob("*.parquet"))
        if not parts:
            raise self.fault(f"has no Parquet file in {name!r}")
        try:
            for part in parts:
                self._check_size(part, pq.read_metadata(part))
            return pa.concat_tables([pq.read_table(part) for part in parts])
        except SightlineError:
            raise
        except (pa.ArrowException, OSError, ValueError) as error:
            raise self.fault(f"{name!r} cannot be read ({error})") from error

    def _check_size(self, part: Path, metadata: Any) -> None:
        """Raise if the file would fill the memory."""
        chunks = [
            metadata.row_group(group).column(column)
            for group in range(metadata.num_row_groups)
            for column in range(metadata.num_columns)
        ]
        size = sum(max(8 * chunk.num_values, chunk.total_uncompressed_size) for chunk in chunks)
        if size > max(_FREE_SIZE, _MAX_RATIO * part.stat().st_size):
            raise self.fault(f"{part.name} expands to {size:,} bytes or more, which is too large")
