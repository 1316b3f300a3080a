"""Frames as parts: a list of them, a function that makes them, or an iterator that can be read once."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals.stable.v1 as nw

from sightline.exceptions import DataError
from sightline.table._frames import is_frame
from sightline.table._schema import Schema
from sightline.table._table import Table
from sightline.table.rows._files import ParquetPart
from sightline.table.rows._part import Part

__all__ = ["FramePart", "frame_parts"]


@dataclass(frozen=True)
class FramePart(Part):
    """One frame or table in memory."""

    name: str
    frame: Any

    def names(self) -> list[str]:
        """Return the names of the columns, as a table would have them."""
        if isinstance(self.frame, Table):
            return self.frame.names
        return [str(name) for name in nw.from_native(self.frame, eager_only=True).columns]

    def frames(self, columns: Sequence[str] | None, like: Schema | None) -> Iterator[Any]:  # noqa: ARG002
        """Yield the frame."""
        yield (
            self.frame if columns is None or isinstance(self.frame, Table) else _selected(self.frame, columns)
        )


def _selected(frame: Any, columns: Sequence[str]) -> Any:
    return nw.from_native(frame, eager_only=True).select(list(columns)).to_native()


def frame_parts(frames: Iterable[Any]) -> tuple[list[Part], Any]:
    """Return one part per frame, and what must be kept as long as they are used.

    A list of frames stays as it is. What can be iterated only once is written to a temporary folder, one
    Parquet file per frame, because choosing tests and counting read the rows again.
    """
    if isinstance(frames, list | tuple):
        for index, frame in enumerate(frames):
            _check_frame(f"frame {index}", _whole(frame))
        return [FramePart(f"frame {index}", _whole(frame)) for index, frame in enumerate(frames)], None
    folder = _TemporaryFolder()
    return [_stored(_whole(frame), index, folder.path) for index, frame in enumerate(frames)], folder


def _whole(frame: Any) -> Any:
    """Return the batches of a pyarrow reader as tables, and all other frames as they are."""
    if type(frame).__module__.startswith("pyarrow.") and type(frame).__name__ == "RecordBatch":
        import pyarrow as pa  # noqa: PLC0415 - the caller has it

        return pa.Table.from_batches([frame])
    return frame


class _TemporaryFolder:
    """A folder that is deleted together with this object."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="sightline-rows-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _check_frame(name: str, frame: Any) -> None:
    if not (isinstance(frame, Table) or is_frame(frame)):
        raise DataError(f"{name}: must be a frame of pandas, polars or pyarrow. Got {type(frame)} instead.")


def _stored(frame: Any, index: int, folder: Path) -> Part:
    import pyarrow as pa  # noqa: PLC0415 - optional
    import pyarrow.parquet as pq  # noqa: PLC0415

    name = f"frame {index}"
    _check_frame(name, frame)
    if isinstance(frame, Table):
        frame = frame.to_pandas()
    path = folder / f"{index:06d}.parquet"
    try:
        pq.write_table(nw.from_native(frame, eager_only=True).to_arrow(), path)
    except OSError as error:
        raise DataError(
            f"{name}: cannot be stored in {folder} ({error.strerror or error}). Rows from an iterator are "
            f"stored on "
            "disk, because they are read several times. Free some space, or set TMPDIR to a larger disk."
        ) from error
    except (pa.ArrowException, TypeError) as error:
        raise DataError(f"{name}: cannot be stored as Parquet ({str(error).splitlines()[0]}).") from error
    return ParquetPart(name, path)
