"""The fitted steps in front of a model, as functions of the columns in front of the steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from sightline.exceptions import UnsupportedModelError
from sightline.load._column_order import refuse_other_order
from sightline.load.pipeline._change_points import refined
from sightline.load.pipeline._containers import follow_steps
from sightline.load.pipeline._derived import Derived, Evaluate, FromCategories, FromNumbers, Unchanged
from sightline.load.pipeline._missing_kinds import cell_of_kind, expected_kind, missing_kinds
from sightline.load.pipeline._ordered_doubles import finite
from sightline.load.pipeline._probe import Probe, ProbeMaker, values_of
from sightline.load.pipeline._pull_back import pull_back
from sightline.load.pipeline._source import Source, feature_of
from sightline.load.pipeline._trace import Block, Trace, column_of
from sightline.model import Ensemble
from sightline.table import Feature, Schema, codes_of

_MAX_DENSE = 1 << 22
"""Entries up to which a sparse matrix of probes is made dense."""


class Preprocessing:
    """Fitted steps, and the columns behind them as functions of those in front.

    Parameters
    ----------
    steps : sequence of (name, transformer)
        The steps.
    names : sequence of str
        The columns in front of them.
    has_names : bool
        Whether the steps were fitted on a frame.
    behind : Schema
        The columns of the model behind them.
    ignores_extra : bool, default=False
        Whether the steps take rows with further columns.
    """

    def __init__(
        self,
        steps: Sequence[tuple[str, Any]],
        names: Sequence[str],
        has_names: bool,
        behind: Schema,
        ignores_extra: bool = False,
    ) -> None:
        self.behind = behind
        self.ignores_extra = ignores_extra
        self.sources = [Source(index, name) for index, name in enumerate(names)]
        front = Block(lambda probe: probe.rows)
        inputs = [Trace(source, front, source.index) for source in self.sources]
        self.traces, self._last = follow_steps(steps, (), inputs, front)
        if len(self.traces) != len(behind):
            raise UnsupportedModelError(
                f"The steps of the pipeline make {len(self.traces)} columns, but its model has {len(behind)}."
            )
        self._note_uses_of_model()
        self._probes = ProbeMaker(self.sources, has_names)
        self._evaluations: dict[Block, Evaluate] = {}
        self._breaks: dict[tuple[int, tuple[float, ...]], NDArray[np.float64]] = {}

    def undone(self, ensemble: Ensemble, unstored_is_missing: bool = False) -> Ensemble:
        """Return an ensemble behind the steps over the columns in front of them.

        Parameters
        ----------
        ensemble : Ensemble
            The ensemble behind the steps.
        unstored_is_missing : bool, default=False
            Whether it treats cells that a sparse matrix does not store as missing, not as zeros.

        Returns
        -------
        Ensemble
            It gives for every row in front what the ensemble gives for the row behind.
        """
        self._check_order()
        if unstored_is_missing and self.makes_sparse_rows:
            self._drop_unstored()
        features = tuple(feature_of(source, self._has_other(source)) for source in self.sources)
        schema = Schema(
            tuple(map(self._with_missing_kinds, features, self.sources)),
            self.ignores_extra,
            names_given=self._probes.has_names,
        )
        columns = [self._derived(position, schema) for position in range(len(self.traces))]
        return pull_back(ensemble, schema, columns)

    @cached_property
    def makes_sparse_rows(self) -> bool:
        """Whether the model gets a sparse matrix."""
        return bool(issparse(self._some_row_behind))

    @cached_property
    def _some_row_behind(self) -> Any:
        """A row as the model gets it."""
        first = self.sources[0]
        some_row = self._probes.probe(
            {0: first.probe([first.some_value()]) if first.is_nominal else np.ones(1)}
        )
        return values_of(self._last, some_row)

    def _check_order(self) -> None:
        """Refuse columns in another order than the model's: some models find them by name, others do not."""
        if not self.behind.has_given_names:
            return
        try:
            row = self._some_row_behind
        except UnsupportedModelError:
            return  # The steps need other rows as probes.
        made = [str(name) for name in getattr(row, "columns", ())]
        refuse_other_order(
            "the pipeline", ("its steps make", made), ("its model was trained on", self.behind.names)
        )

    def _drop_unstored(self) -> None:
        """Make the cells missing that the sparse matrix does not store."""
        rows = Block(lambda probe: _by_stored_columns(self._last.values(probe)))
        self.traces = [
            replace(
                trace,
                block=Block(_without_unstored(trace, rows, position)),
                index=0,
                keeps_values=False,
                # A later step may have made zeros of numbers that are stored.
                breaks=(*trace.turning_at([0.0]), (trace.joined or trace, (0.0,))),
            )
            for position, trace in enumerate(self.traces)
        ]

    def _note_uses_of_model(self) -> None:
        for position, (trace, feature) in enumerate(zip(self.traces, self.behind.features, strict=True)):
            trace.source.reaches_model = True
            if not trace.keeps_values:
                continue
            if self.behind.n_unnamed(position):
                raise UnsupportedModelError(
                    f"The pipeline's model knows categories of {feature.name!r} only by their hash. Name "
                    f"them: sl.load(pipeline, categories={{{feature.name!r}: [...]}}).",
                    "Or use sl.BlackBox.",
                )
            if feature.categories is None:
                trace.source.number_uses += 1
            else:
                values = list(feature.categories[:-1] if feature.has_other else feature.categories)
                trace.source.is_category = True
                trace.source.lists(values)

    @cached_property
    def _tables(self) -> dict[int, NDArray[np.float64]]:
        """Per column made from categories: its value for each, for a missing and for any other value."""
        nominal = [source for source in self.sources if source.is_nominal]
        if not nominal:
            return {}
        rows = {source.index: source.probe_rows() for source in nominal}
        probe = self._probes.probe(rows)
        if not self._accepts(probe):
            self._find_refused(nominal)
            rows = {source.index: source.probe_rows() for source in nominal}
            probe = self._probes.probe(rows)
        tables = {}
        matrices: dict[Block, Any] = {}
        for position, (trace, feature) in enumerate(zip(self.traces, self.behind.features, strict=True)):
            source = trace.source
            if source.is_nominal:
                if trace.block not in matrices:
                    matrices[trace.block] = _by_columns(values_of(trace.block, probe))
                column = column_of(matrices[trace.block], trace.index)[: len(rows[source.index])]
                tables[position] = _as_model_reads(column, feature)
                if source.refuses_missing:
                    tables[position][len(source.values)] = -1 if feature.is_nominal else np.nan
        return tables

    def _accepts(self, probe: Probe) -> bool:
        try:
            for block in {trace.block for trace in self.traces}:
                values_of(block, probe)
        except UnsupportedModelError:
            return False
        return True

    def _find_refused(self, nominal: list[Source]) -> None:
        """Find the values for which the pipeline raises an error: try all of a column, then each alone."""
        plain = self._probes.probe({source.index: source.probe([source.some_value()]) for source in nominal})
        for block in {trace.block for trace in self.traces}:
            values_of(block, plain)
        for source in nominal:

            def accepts(*values: Any, source: Source = source) -> bool:
                return self._accepts(self._probes.probe({source.index: source.probe(list(values))}))

            if not accepts(*source.values):
                source.refuse([value for value in source.values if not accepts(value)])
            # Beside a value: of missing cells alone, a step cannot tell text from numbers.
            source.refuses_missing = not accepts(source.some_value(), source.missing)
            other = source.other()
            source.refuses_other |= other is not None and not accepts(other)

    def _has_other(self, source: Source) -> bool:
        """Whether some value takes a different branch than a missing one."""
        n_values = len(source.values)
        return any(
            _differ(float(table[n_values]), float(table[n_values + 1]))
            for position, table in self._tables.items()
            if self.traces[position].source is source and len(table) > n_values + 1
        )

    def _with_missing_kinds(self, feature: Feature, source: Source) -> Feature:
        """Note the missing values that the steps treat as the loaded ensemble does, if not all."""
        different = self._different_kinds.get(source.index)
        if not different:
            return feature
        expected = expected_kind(source)
        others = [kind for kind in self._missing_kinds if kind not in {expected, *different}]
        return replace(feature, missing_kinds=(expected, *others))

    @cached_property
    def _missing_kinds(self) -> list[str]:
        return missing_kinds(self.sources, self._probes.has_names)

    @cached_property
    def _different_kinds(self) -> dict[int, set[str]]:
        """Per column: kinds of missing values from which the steps make something else for the model."""
        different: dict[int, set[str]] = {}
        for kind in self._missing_kinds:
            if all(expected_kind(source) == kind for source in self.sources):
                continue
            for position, value in self._made_of_kind(kind).items():
                source = self.traces[position].source
                if not source.refuses_missing and _differ(value, self._made_of_missing(position)):
                    different.setdefault(source.index, set()).add(kind)
        return different

    def _made_of_kind(self, kind: str) -> dict[int, float]:
        """Return what the model gets if every column holds a kind of missing value.

        A step rejects all its columns because of one, as of a number that is pandas' NA. Then those are tried
        again that got as far as the step.
        """
        probe = self._probe_of_kind(kind, self.sources)
        made = self._made_of_row(probe)
        stopped = {trace.source for trace in self.traces if not _gets_joined(trace, probe)}
        lost = {trace.source for position, trace in enumerate(self.traces) if position not in made}
        again = [source for source in lost - stopped if source.is_nominal]
        if not again:
            return made
        rest = self._made_of_row(self._probe_of_kind(kind, again))
        return made | {index: rest[index] for index in rest if self.traces[index].source in again}

    def _probe_of_kind(self, kind: str, sources: Sequence[Source]) -> Probe:
        return self._probes.probe({source.index: cell_of_kind(source, kind) for source in sources})

    def _made_of_row(self, probe: Probe) -> dict[int, float]:
        """Return what the model gets for the only row of a probe, without what the steps reject."""
        matrices: dict[Block, Any] = {}
        for block in {trace.block for trace in self.traces}:
            with suppress(UnsupportedModelError):
                matrices[block] = _by_columns(values_of(block, probe))
        made = {}
        for position, (trace, feature) in enumerate(zip(self.traces, self.behind.features, strict=True)):
            if trace.block in matrices:
                with suppress(TypeError, ValueError):  # pandas' NA is no number.
                    column = column_of(matrices[trace.block], trace.index)
                    made[position] = float(_as_model_reads(column, feature)[0])
        return made

    def _made_of_missing(self, position: int) -> float:
        trace = self.traces[position]
        if trace.source.is_nominal:
            return float(self._tables[position][len(trace.source.values)])
        return np.nan if trace.is_unchanged else self._value_of_missing(trace)

    def _derived(self, position: int, schema: Schema) -> Derived:
        trace, feature = self.traces[position], self.behind.features[position]
        source = trace.source
        if source.is_nominal:
            table, n_values = self._tables[position], len(source.values)
            known = [*range(n_values), *([n_values + 1] if schema.features[source.index].has_other else [])]
            return FromCategories(source.index, table[[*known, n_values]])
        missing = self._made_of_missing(position)
        if trace.keeps_values and feature.categories is None:
            return Unchanged(source.index, missing)
        return self._from_numbers(trace, missing)

    def _value_of_missing(self, trace: Trace) -> float:
        column = np.asarray(column_of(values_of(trace.block, self._nothing_known), trace.index))
        return float(finite(column)[0])

    @cached_property
    def _nothing_known(self) -> Probe:
        """A row without any number."""
        return self._probes.probe(
            {source.index: np.full(1, np.nan) for source in self.sources if not source.is_nominal}
        )

    def _from_numbers(self, trace: Trace, missing: float = np.nan) -> FromNumbers:
        evaluate, index = self._evaluation(trace.block), trace.index
        if trace.keeps_values:
            evaluate, index = _identity(trace.source.index), 0
        return FromNumbers(
            trace.source.index,
            evaluate,
            index,
            missing,
            self._breaks_of(trace),
            trace.is_exact,
            trace.source.name,
        )

    def _breaks_of(self, trace: Trace) -> NDArray[np.float64]:
        found = [self._refined_at(before, values) for before, values in trace.breaks]
        return np.unique(np.concatenate(found)) if found else np.empty(0)

    def _refined_at(self, before: Trace, values: tuple[float, ...]) -> NDArray[np.float64]:
        key = id(before), values
        if key not in self._breaks:
            self._breaks[key] = refined(self._from_numbers(before), values).breaks
        return self._breaks[key]

    def _evaluation(self, block: Block) -> Evaluate:
        if block not in self._evaluations:
            self._evaluations[block] = lambda numbers: _as_array(
                values_of(block, self._probes.probe(numbers))
            )
        return self._evaluations[block]


def _gets_joined(trace: Trace, probe: Probe) -> bool:
    """Whether the steps in front of those that get several parts of a row take the probe."""
    try:
        values_of((trace.joined or trace).block, probe)
    except UnsupportedModelError:
        return False
    return True


def _differ(first: float, second: float) -> bool:
    return first != second and not (math.isnan(first) and math.isnan(second))


def _identity(source: int) -> Evaluate:
    return lambda numbers: numbers[source][:, np.newaxis]


def _without_unstored(trace: Trace, rows: Block, position: int) -> Callable[[Probe], NDArray[np.float64]]:
    def compute(probe: Probe) -> NDArray[np.float64]:
        values = np.asarray(column_of(trace.block.values(probe), trace.index), dtype=np.float64)
        # Some steps store zeros, such as the mean 0 that fills a missing value.
        is_stored = values != 0
        is_stored[_stored(rows.values(probe), position)] = True
        return np.where(is_stored, values, np.nan)[:, np.newaxis]

    return compute


def _by_stored_columns(matrix: Any) -> Any:
    return matrix.tocsc() if issparse(matrix) else None


def _stored(by_columns: Any, position: int) -> NDArray[Any]:
    """Return the rows in which a column is stored; none if followers have replaced the sparse matrix."""
    if by_columns is None:
        return np.empty(0, dtype=np.intp)
    begin, end = by_columns.indptr[position : position + 2]
    return np.asarray(by_columns.indices[begin:end])


def _as_array(matrix: Any) -> NDArray[Any]:
    return np.asarray(matrix.toarray() if issparse(matrix) else matrix)


def _by_columns(matrix: Any) -> Any:
    """Return a matrix whose columns are quickly found: sparse only if it is large."""
    if not issparse(matrix):
        return matrix
    return matrix.toarray() if np.prod(matrix.shape) <= _MAX_DENSE else matrix.tocsc()


def _as_model_reads(column: NDArray[Any], feature: Feature) -> NDArray[np.float64]:
    """Return values as numbers, or as the codes of a nominal column of the model."""
    if feature.categories is None:
        return finite(np.asarray(column))
    return codes_of(column.tolist(), feature).astype(np.float64)
