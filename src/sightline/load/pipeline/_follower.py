"""The transformers that can be undone, and how each makes its columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from sightline.exceptions import UnsupportedModelError
from sightline.load._registry import is_class_of
from sightline.load._unfitted import UnfittedModelError
from sightline.load.pipeline._trace import Block, Made, Step, Trace, column_of, describe

_MIXERS = frozenset(
    {
        "PCA", "IncrementalPCA", "KernelPCA", "SparsePCA", "TruncatedSVD", "FastICA", "NMF", "FactorAnalysis",
        "LinearDiscriminantAnalysis", "PolynomialFeatures", "Normalizer", "KNNImputer", "IterativeImputer",
        "KernelCenterer", "Nystroem", "RBFSampler", "FeatureAgglomeration", "RandomTreesEmbedding",
        "GaussianRandomProjection", "SparseRandomProjection", "KMeans", "MiniBatchKMeans", "FeatureHasher",
    }
)  # fmt: skip


class Follower(ABC):
    """Knows how one family of transformers makes its columns, each from one column.

    Attributes
    ----------
    library : str
        Top-level module of the classes.
    class_names : frozenset of str
        Names of the classes.
    parameters : frozenset of str
        Parameters that are understood. A transformer with others is refused.
    fitted : str
        An attribute that only fitted transformers have; empty if there is none.
    takes_numbers : bool
        Whether all that it refuses are infinite or missing numbers.
    """

    library: ClassVar[str] = "sklearn"
    class_names: ClassVar[frozenset[str]]
    parameters: ClassVar[frozenset[str]]
    fitted: ClassVar[str] = ""
    takes_numbers: ClassVar[bool] = True

    def accepts(self, transformer: Any) -> bool:
        """Whether the transformer is of a supported class, or of a subclass that transforms as it does."""
        for ancestor in type(transformer).__mro__:
            if is_class_of(ancestor, self.library, self.class_names):
                return True
            if "transform" in vars(ancestor):
                return False
        return False

    def follow(self, step: Step) -> tuple[list[Trace], Block]:
        """Return the columns behind a transformer."""
        self.check(step)
        made = self.made(step)
        block = Block(lambda probe: self.transformed(step, made, step.before.values(probe)))
        traces = [how.trace(step.inputs[how.position], block, index) for index, how in enumerate(made)]
        return traces, block

    def check(self, step: Step) -> None:
        """Raise if the transformer is not fitted, or has unknown parameters."""
        if self.fitted and not hasattr(step.transformer, self.fitted):
            raise not_fitted(step.path, step.transformer)
        unknown = sorted(set(step.transformer.get_params(deep=False)) - self.parameters)
        if unknown:
            raise refusal(step, f"has the unknown parameter {unknown[0]!r}")

    @abstractmethod
    def made(self, step: Step) -> list[Made]:
        """Return how each output column is made."""

    def transformed(self, step: Step, made: list[Made], X: Any) -> Any:
        """Return what the transformer makes of some rows.

        Where it refuses infinite or missing numbers, the largest number stands for infinity, and what is
        missing stays so: the pipeline would have raised an error.
        """
        if getattr(step.transformer, "copy", True) is False:
            X = X.copy()
        try:
            return self.transform(step.transformer, X)
        except ValueError:
            numbers = _as_numbers(X, len(step.inputs))
            if not self.takes_numbers or numbers is None or np.isfinite(numbers).all():
                raise
            return self._guarded(step, made, X, numbers)

    def transform(self, transformer: Any, X: Any) -> Any:
        """Return what the transformer itself makes of some rows."""
        return transformer.transform(X)

    def _guarded(self, step: Step, made: list[Made], X: Any, numbers: NDArray[np.float64]) -> Any:
        dtype = getattr(X, "dtype", None)
        if not isinstance(dtype, np.dtype) or dtype.kind != "f":  # A frame may have a column called dtype.
            dtype = np.dtype(np.float64)
        limits = np.finfo(dtype)
        finite = np.clip(numbers, limits.min, limits.max)
        is_missing = np.isnan(numbers)
        # A step that refuses only infinity knows what becomes of missing numbers: an imputer fills them.
        with suppress(ValueError):
            return self.transform(step.transformer, _like(X, finite.astype(dtype)))
        finite[is_missing] = 1.0
        result = self.transform(step.transformer, _like(X, finite.astype(dtype)))
        columns = [np.array(column_of(result, index), dtype=np.float64) for index in range(len(made))]
        for how, column in zip(made, columns, strict=True):
            column[is_missing[:, how.position]] = np.nan
        if not columns:
            return result
        return _like(result, np.column_stack(columns)) if issparse(result) else np.column_stack(columns)


def _as_numbers(X: Any, n_columns: int) -> NDArray[np.float64] | None:
    try:
        return np.column_stack(
            [np.asarray(column_of(X, index), dtype=np.float64) for index in range(n_columns)]
        )
    except (ValueError, TypeError):
        return None


def _like(X: Any, numbers: Any) -> Any:
    """Return numbers as a frame with the same columns, or a sparse matrix that stores the same cells."""
    if hasattr(X, "iloc"):
        return type(X)(numbers, columns=X.columns)
    if issparse(X):
        cells = X.tocoo()
        return csr_array((numbers[cells.row, cells.col], (cells.row, cells.col)), shape=X.shape)
    return numbers


_FOLLOWERS: list[Follower] = []

_Kind = TypeVar("_Kind", bound=type[Follower])


def follows(kind: _Kind) -> _Kind:
    """Register a follower."""
    _FOLLOWERS.append(kind())
    return kind


def follow(step: Step) -> tuple[list[Trace], Block]:
    """Return the columns behind a step of any supported kind.

    Raises
    ------
    UnsupportedModelError
        If the transformer is not supported. The message names the step.
    """
    for follower in _FOLLOWERS:
        if follower.accepts(step.transformer):
            return follower.follow(step)
    if type(step.transformer).__name__ in _MIXERS:
        raise refusal(
            step,
            "makes a column from several columns, and no test of one original column equals a test of it",
        )
    raise refusal(step, "is not supported")


def refusal(step: Step, what: str) -> UnsupportedModelError:
    """Return the error that a step cannot be undone."""
    return UnsupportedModelError(
        f"Cannot load the pipeline over its original columns: step {step.described()} {what}.",
        "Use sl.BlackBox(pipeline) to distill the pipeline as a whole.",
    )


NARROW = ("float16", "float32")
"""Types in which scikit-learn computes if rows have them. All others become doubles."""


def not_fitted(path: Sequence[str], transformer: Any) -> UnfittedModelError:
    """Return the error that a step is not fitted."""
    return UnfittedModelError(
        f"Step {describe(path, transformer)} of the pipeline is not fitted. "
        "Call 'fit' on the pipeline before you load it."
    )


def as_numbers(step: Step, positions: Sequence[int] | None = None, rounded_types: Sequence[str] = ()) -> None:
    """Note that a transformer takes columns as numbers, and with which types it computes differently."""
    for position in range(len(step.inputs)) if positions is None else positions:
        trace = step.inputs[position]
        trace.source.rounded_types.update(rounded_types)
        if trace.keeps_values:
            trace.source.number_uses += 1


__all__ = ["NARROW", "Follower", "as_numbers", "describe", "follow", "follows", "not_fitted", "refusal"]
