"""Rows that arrive in parts, with one schema for all of them."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError, ParameterError
from sightline.table._schema import Schema
from sightline.table._table import Table
from sightline.table.rows._agreement import Agreement, PartFacts, agreed, columns_in_doubt, facts_of
from sightline.table.rows._checkpoint import Checkpoint, StoredForm
from sightline.table.rows._draw import (
    HELD_OUT,
    Draw,
    Judges,
    Keys,
    chunks,
    draw,
    draw_beside_judges,
    n_known,
)
from sightline.table.rows._part import Part, warn_of_empty
from sightline.table.rows._reader import PartReader
from sightline.table.rows._sample import Gather, Gathered, HashRange, Weigh
from sightline.table.rows._scheduling import LocalParts
from sightline.table.rows._sources import parts_of
from sightline.wording import pluralize

__all__ = ["Rows"]

SAMPLE_SIZE = 1_000_000
"""Default number of rows used to choose the tests."""

_JUDGING_SHARE = 0.5
"""Share of the rows outside the sample that is held out for judging a model; the rest refines it."""


class Rows:
    """Rows that arrive in parts and need not fit in memory.

    Every estimator takes them in place of X: ``fit(rows)`` draws a sample, chooses the model on it,
    lets the ensemble predict all rows, and counts them. See ``tally_`` of the fitted estimator.

    Parameters
    ----------
    source : path, pattern, folder, list of paths, frame, list or iterator of frames, or query
        Where the rows come from: files that :func:`sightline.read_table` reads, such as
        ``"folder/*.parquet"``; a pyarrow Dataset; a polars LazyFrame; a DuckDB relation, such as
        ``duckdb.sql("SELECT …")``; a Dask DataFrame; frames, one after the other. An iterator is read
        once and kept in a temporary folder. All others are read again in every pass and must then give
        the same rows in the same order.
    target : str, optional
        Column to predict.
    weights : str, optional
        Column of row weights. Rows are then drawn in proportion to them, nodes hold sums of weights, and
        measures count each row by its weight. Rows that judge the model are chosen at random before the
        draw: as many as the sample does not need, but at most half. A row of weight 0 counts for nothing.
    drop : sequence of str, default=()
        Columns to leave out.
    sample_size : int, default=1_000_000
        Number of rows used to choose the tests. If there are no more rows, all are used, as in memory.
    seed : int, default=0
        Seed of the sample. Whether a row is drawn depends on the seed and on its position alone, and on the
        weights if there are any.
    refine_passes : int, default=0
        Further passes over the rows in which a distilled tree moves its thresholds, and prunes what does not
        help, to be closer to the ensemble. Half of the rows outside the sample are then held out of these
        passes to judge the tree.
    checkpoint : path, optional
        Folder for the results of finished parts, so that a rerun continues after them.
    sheet : str or int, optional
        Name or index of the sheet of each workbook, as in :func:`sightline.read_table`.
    reading : mapping, optional
        Other keywords of :func:`sightline.read_table` for files, such as ``{"decimal": ","}``.

    Attributes
    ----------
    schema : Schema
        The columns besides target and weights, which all parts agree on.
    classes_ : ndarray or None
        The classes of the target; None if it holds numbers, or if there is none.
    n_rows : int
        Number of rows in all parts.

    Examples
    --------
    >>> import pandas as pd
    >>> first = pd.DataFrame({"age": [25, 31], "job": ["cook", "baker"]})
    >>> second = pd.DataFrame({"age": [4], "job": ["none"]})
    >>> rows = Rows([first, second])
    >>> rows
    <Rows: 3 rows in 2 parts; 1 numeric, 1 nominal>
    >>> rows.schema.features[1].categories
    ('baker', 'cook', 'none')
    """

    def __init__(
        self,
        source: Any,
        target: str | None = None,
        weights: str | None = None,
        *,
        drop: Sequence[str] = (),
        sample_size: int = SAMPLE_SIZE,
        seed: int = 0,
        refine_passes: int = 0,
        checkpoint: str | Path | None = None,
        sheet: str | int | None = None,
        reading: Mapping[str, Any] | None = None,
    ) -> None:
        for name, value, least in (
            ("sample_size", sample_size, 1),
            ("refine_passes", refine_passes, 0),
            ("seed", seed, 0),
        ):
            if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
                raise ParameterError(
                    f"The {name!r} parameter of Rows must be an int of at least {least}. "
                    f"Got {value!r} instead."
                )
        used = [name for name in (target, weights) if name is not None]
        if used[1:] == used[:1] != []:
            raise DataError(f"Column {target!r} cannot be both the target and the weights.")
        if wrong := [name for name in used if name in drop]:
            raise DataError(f"Column {wrong[0]!r} is needed, so it cannot be dropped.")
        self.source = source
        self.target_name = target
        self.weights_name = weights
        self.drop = tuple(drop)
        self.sample_size = sample_size
        self.seed = seed
        self.refine_passes = refine_passes
        self.checkpoint = None if checkpoint is None else Path(checkpoint)
        chosen = {} if sheet is None else {"sheet": sheet}
        self.parts = parts_of(source, {**(reading or {}), **chosen})

    @cached_property
    def agreement(self) -> Agreement:
        """What all parts agree on; the first use looks at every part."""
        look = _Look(self.target_name, self.weights_name, self.drop)
        facts = self.parts.run(look, _listed)
        # A column of numbers in one part and of text in another may have no value at all in the first.
        if in_doubt := columns_in_doubt(facts):
            facts = self.parts.run(replace(look, in_doubt=in_doubt), _listed)
        warn_of_empty([one.name for one in facts if not one.n_rows])
        return agreed(facts, self.target_name, self.weights_name, self.drop)

    @property
    def schema(self) -> Schema:
        """The columns besides target and weights."""
        return self.agreement.schema

    @property
    def classes_(self) -> NDArray[Any] | None:
        """The classes of the target; None if it holds numbers, or if there is none."""
        return self.agreement.classes

    @property
    def names(self) -> list[str]:
        """Names of the columns besides target and weights."""
        return self.schema.names

    @property
    def n_rows(self) -> int:
        """Number of rows in all parts."""
        return self.agreement.n_rows

    def __len__(self) -> int:
        return self.n_rows

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return self.n_rows, len(self.schema)

    @property
    def reader(self) -> PartReader:
        """What reads a part in the agreed columns, here or on a worker."""
        return PartReader(self.agreement, self.target_name, self.weights_name)

    def batches(self) -> Iterator[Table]:
        """Yield all rows as tables of bounded size, with target and weights; not for Dask frames."""
        if not isinstance(self.parts, LocalParts):
            raise DataError(
                "The rows of a Dask frame stay on its workers. Call compute() to get a local frame."
            )
        for index, part in enumerate(self.parts.parts):
            yield from (batch.table for batch in self.reader.batches(part, index))

    @property
    def judges(self) -> Judges:
        """Which of the rows outside the sample judge a model."""
        return Judges(self.seed, _JUDGING_SHARE if self.refine_passes else 1.0)

    def drawn(self, n_drawn: int | None = None) -> Draw:
        """Choose the rows of the sample.

        Parameters
        ----------
        n_drawn : int, optional
            How many; by default ``sample_size``.
        """
        n_drawn = self.sample_size if n_drawn is None else n_drawn
        if self.weights_name is None:
            keys = (Keys.of(self.seed, first, np.ones(length)) for first, length in chunks(self.n_rows))
            return draw(keys, n_drawn)
        all_rows = HashRange(0.0, 1.0, n_known(n_drawn) + 1)
        every, choosing = self._weighed(all_rows, HashRange(HELD_OUT, 1.0, n_drawn + 1))
        if not len(every.key):
            raise DataError(f"No row has a positive weight in column {self.weights_name!r}.")
        return draw_beside_judges(every, choosing, n_drawn, self.judges)

    def drawn_judges(self, chosen: Draw, n_drawn: int) -> Draw:
        """Choose some of the rows that judge a model.

        Parameters
        ----------
        chosen : Draw
            The sample, ``drawn()``; not all rows.
        n_drawn : int
            How many; if no more rows judge, all of them.
        """
        if chosen.held_out is None:
            both = self.drawn(self.sample_size + n_drawn)
            others = self.judges.of(np.setdiff1d(both.positions, chosen.positions))
            return Draw(others, None, is_complete=False)
        (keys,) = self._weighed(HashRange(0.0, chosen.held_out, n_drawn + 1))
        return replace(draw([keys], n_drawn), is_complete=False)

    def _weighed(self, *ranges: HashRange) -> tuple[Keys, ...]:
        weighing = Weigh(self.reader, self.judges, ranges)
        return self.parts.run(weighing, weighing.merged)

    def taken(self, drawn: Draw) -> Table:
        """Read some rows into memory, in their order.

        Parameters
        ----------
        drawn : Draw
            The rows.

        Returns
        -------
        Table
            With the target, and with the weights of the draw.
        """
        gather = Gather(self.reader, drawn)
        chosen = hashlib.sha256(np.ascontiguousarray(drawn.positions).tobytes()).hexdigest()
        title = f"sample {chosen} {self.schema!r} {self.target_name}"
        gathered = self.parts.run(gather, Gathered.joined, self.checkpoint_of(title, gather))
        weights_name = None if drawn.weights is None else self.weights_name
        return gathered.table(self.agreement, self.target_name, drawn.weights, weights_name)

    def selected(self, names: Sequence[str]) -> Rows:
        """Return the same rows with some of the columns, in this order.

        Parameters
        ----------
        names : sequence of str
            The columns, besides target and weights.
        """
        feature_of = dict(zip(self.names, self.schema.features, strict=True))
        other = copy.copy(self)
        schema = replace(self.schema, features=tuple(feature_of[name] for name in names))
        other.__dict__["agreement"] = replace(self.agreement, schema=schema)
        return other

    def in_memory_if_small(self) -> Table | Rows:
        """Return all rows as a table if they are no more than ``sample_size``, and these rows otherwise."""
        if self.n_rows > self.sample_size:
            return self
        everything = Draw(np.arange(self.n_rows), None, is_complete=True)
        return self.taken(everything)

    def checkpoint_of(self, title: str, form: StoredForm) -> Checkpoint | None:
        """Return the checkpoint of a pass; None if nothing is kept.

        Parameters
        ----------
        title : str
            What the results depend on besides the parts.
        form : StoredForm
            How results are stored.
        """
        return None if self.checkpoint is None else Checkpoint(self.checkpoint, title, form)

    def __array__(self, *_: Any, **__: Any) -> NDArray[Any]:
        """Refuse to be read at once, by all that takes an array."""
        raise DataError(
            "X is an sl.Rows. Only fit and sl.report read it part by part; a fitted estimator's tally_ has "
            "the measures. For anything else, pass rows that fit in memory, such as each table of "
            "X.batches()."
        )

    def __repr__(self) -> str:
        n_nominal = sum(feature.is_nominal for feature in self.schema.features)
        parts = pluralize(len(self.parts.names), "part")
        target = "" if self.target_name is None else f"; target {self.target_name!r}"
        if self.classes_ is not None:
            target += f" of {pluralize(len(self.classes_), 'class', 'classes')}"
        kinds = f"{len(self.schema) - n_nominal} numeric, {n_nominal} nominal"
        return f"<Rows: {pluralize(self.n_rows, 'row')} in {parts}; {kinds}{target}>"


@dataclass(frozen=True)
class _Look:
    """Looks at a part before it is used."""

    target: str | None
    weights: str | None
    drop: tuple[str, ...]
    in_doubt: frozenset[str] = frozenset()

    def __call__(self, part: Part, index: int) -> list[PartFacts]:  # noqa: ARG002
        return [facts_of(part, self.target, self.weights, self.drop, self.in_doubt)]


def _listed(above: list[PartFacts], below: list[PartFacts]) -> list[PartFacts]:
    return above + below
