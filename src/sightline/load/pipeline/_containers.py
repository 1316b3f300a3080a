"""Transformers made of transformers, and those that only choose columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array, hstack, issparse

from sightline.load.pipeline._follower import NARROW, Follower, follow, follows, refusal
from sightline.load.pipeline._probe import Probe
from sightline.load.pipeline._trace import Block, Made, Step, Trace, column_of
from sightline.sklearn_internals import safe_indexing, stored


def steps_of(pipeline: Any) -> Iterator[tuple[str, Any]]:
    """Yield the steps of a pipeline that do something to rows that are predicted."""
    for name, transformer in pipeline.steps:
        # imbalanced-learn's samplers only change the training rows.
        if not (isinstance(transformer, str) or transformer is None or hasattr(transformer, "fit_resample")):
            yield name, transformer


def follow_steps(
    steps: Iterable[tuple[str, Any]], path: tuple[str, ...], inputs: list[Trace], before: Block
) -> tuple[list[Trace], Block]:
    """Return the columns behind some steps, one after the other."""
    for name, transformer in steps:
        inputs, before = follow(Step(transformer, (*path, name), inputs, before))
    return inputs, before


class _Container(Follower):
    def made(self, step: Step) -> list[Made]:
        raise NotImplementedError  # `follow` does all

    def _part(
        self, step: Step, name: str, transformer: Any, columns: Any, weight: float | None
    ) -> list[Trace]:
        """Return the columns of one part, which gets some of the columns."""
        if isinstance(transformer, str) and transformer == "drop":
            return []
        inputs, before = step.inputs, step.before
        if columns is not None:
            positions = [int(position) for position in columns]
            inputs = [inputs[position] for position in positions]
            before = Block(lambda probe: safe_indexing(step.before.values(probe), positions, axis=1))
        if not inputs:
            return []
        if not isinstance(transformer, str):
            inputs, before = follow(Step(transformer, (*step.path, name), inputs, before))
        return inputs if weight is None else _weighted(inputs, before, weight)


def _joined(whole: Any, before: Block, traces: list[Trace]) -> tuple[list[Trace], Block]:
    """Return the columns of all parts, and the matrix or frame that the whole makes of them."""

    def compute(probe: Probe) -> Any:
        try:
            return whole.transform(before.values(probe))
        except (ValueError, TypeError):
            # A part refuses infinite or missing numbers, or their type, which its follower knows to replace.
            return _side_by_side(traces, probe, getattr(whole, "sparse_output_", True))

    return [replace(trace, joined=trace) for trace in traces], Block(compute)


def _side_by_side(traces: list[Trace], probe: Probe, may_be_sparse: bool) -> Any:
    matrices = [trace.block.values(probe) for trace in traces]
    if not may_be_sparse or not any(map(issparse, matrices)):
        pairs = zip(traces, matrices, strict=True)
        return np.column_stack([column_of(matrix, trace.index) for trace, matrix in pairs])
    columns = [
        matrix[:, [trace.index]] if issparse(matrix) else column_of(matrix, trace.index)[:, np.newaxis]
        for trace, matrix in zip(traces, matrices, strict=True)
    ]
    return hstack([csr_array(column, dtype=np.float64) for column in columns], format="csr")


def _weighted(inputs: list[Trace], before: Block, weight: float) -> list[Trace]:
    block = Block(lambda probe: before.values(probe) * weight)
    for trace in inputs:
        trace.source.rounded_types.update(NARROW)
        if trace.keeps_values:
            trace.source.number_uses += 1
    return [Made(index).trace(trace, block, index) for index, trace in enumerate(inputs)]


@follows
class PipelineFollower(_Container):
    """One step after the other."""

    class_names: ClassVar[frozenset[str]] = frozenset({"Pipeline"})
    parameters: ClassVar[frozenset[str]] = frozenset({"steps", "transform_input", "memory", "verbose"})

    def accepts(self, transformer: Any) -> bool:
        """Whether the transformer is a pipeline, also one of imbalanced-learn."""
        return super().accepts(transformer) or type(transformer).__module__.startswith("imblearn.pipeline")

    def follow(self, step: Step) -> tuple[list[Trace], Block]:
        """Return the columns behind the last step."""
        self.check(step)
        return follow_steps(steps_of(step.transformer), step.path, step.inputs, step.before)


@follows
class ColumnTransformerFollower(_Container):
    """Different transformers for different columns."""

    class_names: ClassVar[frozenset[str]] = frozenset({"ColumnTransformer"})
    parameters: ClassVar[frozenset[str]] = frozenset(
        {
            "transformers", "remainder", "sparse_threshold", "n_jobs", "transformer_weights", "verbose",
            "verbose_feature_names_out", "force_int_remainder_cols",
        }
    )  # fmt: skip
    fitted: ClassVar[str] = "transformers_"

    def follow(self, step: Step) -> tuple[list[Trace], Block]:
        """Return the columns of all parts."""
        self.check(step)
        whole = step.transformer
        positions = stored(whole, "_transformer_to_input_indices")
        weights = whole.transformer_weights or {}
        traces = [
            trace
            for name, transformer, _ in whole.transformers_
            for trace in self._part(step, name, transformer, positions[name], weights.get(name))
        ]
        return _joined(whole, step.before, traces)


@follows
class FeatureUnionFollower(_Container):
    """Several transformers for the same columns."""

    class_names: ClassVar[frozenset[str]] = frozenset({"FeatureUnion"})
    parameters: ClassVar[frozenset[str]] = frozenset(
        {"transformer_list", "n_jobs", "transformer_weights", "verbose", "verbose_feature_names_out"}
    )

    def follow(self, step: Step) -> tuple[list[Trace], Block]:
        """Return the columns of all parts."""
        self.check(step)
        whole = step.transformer
        weights = whole.transformer_weights or {}
        traces = [
            trace
            for name, transformer in whole.transformer_list
            for trace in self._part(step, name, transformer, None, weights.get(name))
        ]
        return _joined(whole, step.before, traces)


@follows
class SelectorFollower(Follower):
    """Everything that chooses columns by scikit-learn's own means."""

    class_names: ClassVar[frozenset[str]] = frozenset({"SelectorMixin"})
    parameters: ClassVar[frozenset[str]] = frozenset()

    def made(self, step: Step) -> list[Made]:
        """Return the chosen columns as they are."""
        return [Made(int(index), keeps_values=True) for index in np.flatnonzero(_support(step))]

    def follow(self, step: Step) -> tuple[list[Trace], Block]:
        """Return the chosen columns."""
        made = self.made(step)
        return [step.inputs[how.position] for how in made], Block(
            lambda probe: self.transformed(step, made, step.before.values(probe))
        )


def _support(step: Step) -> Sequence[bool]:
    support = np.asarray(step.transformer.get_support())
    if len(support) != len(step.inputs):
        raise refusal(step, f"chooses from {len(support)} columns but gets {len(step.inputs)}")
    return list(support)


@dataclass(frozen=True)
class ChosenColumns:
    """A step that passes on some columns, as a bag does for each of its models.

    Parameters
    ----------
    columns : list of int
        Their positions. Some may come twice.
    """

    columns: list[int]


@follows
class ChosenColumnsFollower(_Container):
    """Some of the columns, as they are."""

    def accepts(self, transformer: Any) -> bool:
        """Whether the step only chooses columns by position."""
        return isinstance(transformer, ChosenColumns)

    def follow(self, step: Step) -> tuple[list[Trace], Block]:
        """Return the chosen columns."""
        columns = step.transformer.columns
        return [step.inputs[column] for column in columns], Block(
            lambda probe: safe_indexing(step.before.values(probe), columns, axis=1)
        )


@follows
class FrozenFollower(_Container):
    """A transformer that is not fitted again."""

    class_names: ClassVar[frozenset[str]] = frozenset({"FrozenEstimator"})
    parameters: ClassVar[frozenset[str]] = frozenset({"estimator"})

    def accepts(self, transformer: Any) -> bool:
        """Whether the transformer is frozen; it passes on all methods."""
        return type(transformer).__name__ == "FrozenEstimator"

    def follow(self, step: Step) -> tuple[list[Trace], Block]:
        """Return the columns behind the frozen transformer."""
        return follow(Step(step.transformer.estimator, step.path, step.inputs, step.before))
