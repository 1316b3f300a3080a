"""Where the parts are worked on: here one after the other, or on a Dask cluster."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeVar

from sightline.exceptions import DataError, SightlineError
from sightline.table.rows._checkpoint import Checkpoint
from sightline.table.rows._frame_parts import FramePart
from sightline.table.rows._part import Part

__all__ = ["DaskParts", "LocalParts", "Parts", "is_dask_frame"]

Result = TypeVar("Result")
Work = Callable[[Part, int], Result]
"""Takes a part and its index. It is sent to workers, so it is an object that can be pickled."""
Merge = Callable[[Result, Result], Result]
"""Joins the results of two parts, the earlier one first."""


class Parts(ABC):
    """The parts of the rows, and who works on them."""

    names: list[str]

    @abstractmethod
    def run(self, work: Work[Result], merge: Merge[Result], checkpoint: Checkpoint | None = None) -> Result:
        """Do some work on every part, and merge the results of neighboring parts.

        Parameters
        ----------
        work : callable
            Takes a part and its index.
        merge : callable
            Joins two results, the earlier part's first. It must be associative, so that the result does
            not depend on how the parts are paired.
        checkpoint : Checkpoint, optional
            Keeps the results of finished parts.
        """


@dataclass(frozen=True)
class LocalParts(Parts):
    """Parts that this process reads one after the other; the kernels use its threads.

    Attributes
    ----------
    parts : sequence of Part
        The parts.
    kept : object
        What must not be deleted before the parts, such as a temporary folder.
    """

    parts: Sequence[Part]
    kept: Any = None

    @property
    def names(self) -> list[str]:  # type: ignore[override]
        """Names of the parts."""
        return [part.name for part in self.parts]

    def run(self, work: Work[Result], merge: Merge[Result], checkpoint: Checkpoint | None = None) -> Result:
        """Work on the parts in their order."""

        def result(index: int) -> Result:
            part = self.parts[index]
            return work(part, index) if checkpoint is None else checkpoint.result(part, index, work)

        return reduce(merge, map(result, range(len(self.parts))))


@dataclass(frozen=True)
class DaskParts(Parts):
    """The partitions of a Dask frame, worked on where Dask runs: on its client or default scheduler.

    Dask computes the part of a lost worker again. Partial results are merged pairwise, on the workers.
    """

    frame: Any

    @property
    def names(self) -> list[str]:  # type: ignore[override]
        """Names of the partitions."""
        return [f"partition {index}" for index in range(self.frame.npartitions)]

    def run(self, work: Work[Result], merge: Merge[Result], checkpoint: Checkpoint | None = None) -> Result:
        """Work on the partitions, wherever they are."""
        from dask.delayed import delayed  # noqa: PLC0415 - the caller has it

        if checkpoint is not None:
            raise DataError("A checkpoint needs rows in files. Dask keeps the results of its workers itself.")
        shared = delayed(work, traverse=False)
        on_partition = delayed(_on_partition, pure=False)
        results = [
            on_partition(shared, partition, name, index)
            for index, (partition, name) in enumerate(zip(self.frame.to_delayed(), self.names, strict=True))
        ]
        join = delayed(merge, pure=False)
        while len(results) > 1:
            pairs = [join(*results[first : first + 2]) for first in range(0, len(results) - 1, 2)]
            results = pairs + results[2 * len(pairs) :]
        computed: Result = self._computed(results[0])
        return computed

    @staticmethod
    def _computed(result: Any) -> Any:
        try:
            return result.compute()
        except SightlineError:
            raise
        except Exception as error:
            if type(error).__name__ != "KilledWorker":
                raise
            raise DataError(
                f"A Dask worker died repeatedly on the same part ({error}). It may be too large for the "
                "worker's memory: use smaller partitions, as in frame.repartition(partition_size='100MB')."
            ) from error


def _on_partition(work: Work[Result], frame: Any, name: str, index: int) -> Result:
    return work(FramePart(name, frame), index)


def is_dask_frame(source: object) -> bool:
    """Whether something is a Dask DataFrame; Dask is not imported."""
    return type(source).__module__.startswith("dask.") and hasattr(source, "to_delayed")
