"""Columns on their way through a pipeline, and the pipeline's own arithmetic on probes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sightline.load.pipeline._probe import Probe
    from sightline.load.pipeline._source import Source


class Block:
    """The columns at one point of a pipeline.

    Parameters
    ----------
    compute : callable
        Returns the matrix or frame of these columns for a probe.
    """

    def __init__(self, compute: Callable[[Probe], Any]) -> None:
        self._compute = compute

    def values(self, probe: Probe) -> Any:
        """Return the matrix or frame of a probe, computed once."""
        if self not in probe.found:
            probe.found[self] = self._compute(probe)
        return probe.found[self]


@dataclass(frozen=True, eq=False)
class Trace:
    """One column at one point of a pipeline.

    Parameters
    ----------
    source : Source
        The caller's column that it is made from.
    block, index : Block, int
        Where its values are.
    keeps_values : bool, default=True
        Whether every known value is still the source's own, so that an encoder that meets the column
        tells the source's categories.
    fills_missing : bool, default=False
        Whether a missing value has become something else.
    breaks : tuple of (Trace, values), default=()
        Earlier points of the column, and values there at which a later function may turn.
    is_exact : bool, default=True
        See :class:`FromNumbers`.
    joined : Trace, optional
        The column when it was last put beside others. If that made a sparse matrix, its zeros are not stored.
    """

    source: Source
    block: Block
    index: int
    keeps_values: bool = True
    fills_missing: bool = False
    breaks: tuple[tuple[Trace, tuple[float, ...]], ...] = ()
    is_exact: bool = True
    joined: Trace | None = None

    @property
    def is_unchanged(self) -> bool:
        """Whether known values and missing ones are the source's own."""
        return self.keeps_values and not self.fills_missing

    def turning_at(self, values: Sequence[float]) -> tuple[tuple[Trace, tuple[float, ...]], ...]:
        """Return the breaks of a column that is made from this one by a function that turns there."""
        return (*self.breaks, (self, tuple(values))) if len(values) else self.breaks


@dataclass(frozen=True, eq=False)
class Step:
    """A transformer and the columns that it gets.

    Parameters
    ----------
    transformer : object
        The fitted transformer.
    path : tuple of str
        Names of the steps that lead to it.
    inputs : list of Trace
        The columns.
    before : Block
        The same columns as the matrix or frame that the transformer gets.
    """

    transformer: Any
    path: tuple[str, ...]
    inputs: list[Trace]
    before: Block

    def described(self) -> str:
        """Return the step's place and class, for error messages."""
        return describe(self.path, self.transformer)


def describe(path: Sequence[str], transformer: Any) -> str:
    """Return the place and class of a step, for error messages.

    Examples
    --------
    >>> describe(["prepare", "numbers"], 1)
    "'prepare' > 'numbers' (int)"
    """
    return f"{' > '.join(repr(name) for name in path)} ({type(transformer).__name__})"


@dataclass(frozen=True)
class Made:
    """How one output column of a transformer is made.

    Parameters
    ----------
    position : int
        The input column.
    keeps_values : bool, default=False
        Whether known values stay as they are.
    fills_missing : bool, default=False
        Whether a missing value becomes something else.
    turns_at : sequence of float, default=()
        Values at which the function may turn or jump back. Between them it is monotone.
    is_exact : bool, default=True
        See :class:`FromNumbers`.
    """

    position: int
    keeps_values: bool = False
    fills_missing: bool = False
    turns_at: Sequence[float] = field(default=())
    is_exact: bool = True

    def trace(self, before: Trace, block: Block, index: int) -> Trace:
        """Return the output column."""
        return replace(
            before,
            block=block,
            index=index,
            keeps_values=before.keeps_values and self.keeps_values,
            fills_missing=before.fills_missing or self.fills_missing,
            breaks=before.turning_at(self.turns_at),
            is_exact=before.is_exact and self.is_exact,
        )


def column_of(matrix: Any, index: int) -> NDArray[Any]:
    """Return one column of an array, sparse matrix or frame."""
    if hasattr(matrix, "iloc"):
        return np.asarray(matrix.iloc[:, index])
    if hasattr(matrix, "to_numpy"):
        return np.asarray(matrix[:, index].to_numpy())
    if hasattr(matrix, "tocsc"):
        return np.asarray(matrix[:, [index]].toarray()).ravel()
    return np.asarray(matrix)[:, index]


Numbers = Mapping[int, NDArray[np.float64]]
