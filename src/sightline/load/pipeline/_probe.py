"""Rows made up to see what a pipeline does with them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import UnsupportedModelError
from sightline.load.pipeline._source import Source
from sightline.load.pipeline._trace import Block

_SOME_NUMBER = 1.0
"""What a column of numbers holds while others are probed."""


class Probe:
    """Rows in front of a pipeline, and what its steps have made of them.

    Parameters
    ----------
    rows : frame or array
        The rows.
    """

    def __init__(self, rows: Any) -> None:
        self.rows = rows
        self.found: dict[Block, Any] = {}


class ProbeMaker:
    """Makes probes like the rows that the pipeline was fitted on.

    Parameters
    ----------
    sources : sequence of Source
        The columns.
    has_names : bool
        Whether the pipeline was fitted on a frame.
    """

    def __init__(self, sources: Sequence[Source], has_names: bool) -> None:
        self.sources = sources
        self.has_names = has_names

    def probe(self, columns: Mapping[int, NDArray[Any]]) -> Probe:
        """Return rows with some columns given; shorter ones, and the others, are filled up."""
        n_rows = max(map(len, columns.values()))
        full = [self._filled(source, columns.get(source.index), n_rows) for source in self.sources]
        if not self.has_names:
            return Probe(np.column_stack(full))
        return Probe(_frame({source.name: column for source, column in zip(self.sources, full, strict=True)}))

    def _filled(self, source: Source, given: NDArray[Any] | None, n_rows: int) -> NDArray[Any]:
        if given is None:
            given = np.empty(0)
        if len(given) == n_rows:
            return given  # Missing values of a kind that its type does not hold among them.
        if source.is_nominal:
            filler = np.repeat(source.probe([source.some_value()]), n_rows - len(given))
            return filler if not len(given) else np.concatenate([given, filler])
        filled = np.full(n_rows, _SOME_NUMBER)
        filled[: len(given)] = given
        return filled


def values_of(block: Block, probe: Probe) -> Any:
    """Return a block's values for a probe, without the warnings that probes cause."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return block.values(probe)
        except (ValueError, TypeError) as error:
            raise UnsupportedModelError(
                f"Cannot load the pipeline: its steps reject the rows used to probe them ({error}).",
                "Use sl.BlackBox(pipeline) to distill the pipeline as a whole.",
            ) from error


def _frame(columns: dict[str, NDArray[Any]]) -> Any:
    """Return a frame of whichever library is there; the pipeline was fitted on one of them."""
    try:
        import pandas as pd  # noqa: PLC0415 - optional
    except ImportError:
        import polars as pl  # noqa: PLC0415 - optional

        return pl.DataFrame({name: list(column) for name, column in columns.items()})
    # As objects: a string type would make None of one kind with NaN, which encoders distinguish.
    # With one index for all, which pandas need not unite from those of the columns.
    index = pd.RangeIndex(len(next(iter(columns.values()))))
    typed = {
        name: pd.Series(column, index, dtype=object) if column.dtype == object else column
        for name, column in columns.items()
    }
    return pd.DataFrame(typed, index, copy=False)
