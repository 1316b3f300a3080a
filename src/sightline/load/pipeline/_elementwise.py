"""Transformers that map each number to a number: scalers, transforms, bins and numpy's functions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import copy
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.load.pipeline._follower import NARROW, Follower, as_numbers, follows, refusal
from sightline.load.pipeline._trace import Block, Made, Step, Trace
from sightline.sklearn_internals import stored
from sightline.wording import list_choices


class _Elementwise(Follower):
    """One output per input, monotone."""

    is_exact: ClassVar[bool] = True

    def made(self, step: Step) -> list[Made]:
        """Return one column per column."""
        as_numbers(step, rounded_types=NARROW)
        return [Made(position, is_exact=self.is_exact) for position in range(len(step.inputs))]


@follows
class ScalerFollower(_Elementwise):
    """Sums and products: rounding keeps their order."""

    class_names: ClassVar[frozenset[str]] = frozenset(
        {"StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler", "Binarizer"}
    )
    parameters: ClassVar[frozenset[str]] = frozenset(
        {
            "copy", "with_mean", "with_std", "feature_range", "clip", "with_centering", "with_scaling",
            "quantile_range", "unit_variance", "threshold",
        }
    )  # fmt: skip
    fitted: ClassVar[str] = "n_features_in_"


@follows
class PowerFollower(_Elementwise):
    """Powers, logarithms and quantiles, which the library rounds almost, but not quite, in order."""

    class_names: ClassVar[frozenset[str]] = frozenset({"PowerTransformer", "QuantileTransformer"})
    parameters: ClassVar[frozenset[str]] = frozenset(
        {
            "method", "standardize", "copy", "n_quantiles", "output_distribution", "ignore_implicit_zeros",
            "subsample", "random_state",
        }
    )  # fmt: skip
    fitted: ClassVar[str] = "n_features_in_"
    is_exact: ClassVar[bool] = False

    def transform(self, transformer: Any, X: Any) -> Any:
        """Transform; Box-Cox refuses what is not positive, so the smallest positive one replaces it."""
        if getattr(transformer, "method", "") == "box-cox":
            X = X.clip(np.finfo(np.float64).tiny)
        try:
            return transformer.transform(X)
        except ValueError:
            if not getattr(transformer, "standardize", False):
                raise
        # A power that is too large for a double cannot be standardized: the largest double stands for it.
        powers = copy(transformer)
        powers.standardize = False
        limits = np.finfo(np.float64)
        return stored(transformer, "_scaler").transform(np.clip(powers.transform(X), limits.min, limits.max))


@follows
class BinsFollower(Follower):
    """Bins as ordinals, which rise with the number, or as one column each."""

    class_names: ClassVar[frozenset[str]] = frozenset({"KBinsDiscretizer"})
    parameters: ClassVar[frozenset[str]] = frozenset(
        {"n_bins", "encode", "strategy", "quantile_method", "dtype", "subsample", "random_state"}
    )
    fitted: ClassVar[str] = "bin_edges_"

    def made(self, step: Step) -> list[Made]:
        """Return one column per column, or one per bin, which turns at the edges."""
        as_numbers(step)
        bins = step.transformer
        if bins.encode == "ordinal":
            return [Made(position) for position in range(len(step.inputs))]
        return [
            Made(position, turns_at=_turns(bins.bin_edges_[position][1:-1], bins.dtype).tolist())
            for position in range(len(step.inputs))
            for _ in range(bins.n_bins_[position])
        ]

    def transform(self, transformer: Any, X: Any) -> Any:
        """Transform; a number that is too large for single precision lies in the last bin."""
        if transformer.dtype is not None:
            limits = np.finfo(transformer.dtype)
            X = X.clip(limits.min, limits.max)
        return transformer.transform(X)


def _turns(edges: NDArray[Any], dtype: Any) -> NDArray[np.float64]:
    """Return the numbers at which the next bin begins, if all numbers are first rounded to a type.

    Two edges may be rounded away from each other, so that both ends of the bin between them lie in others.
    """
    if dtype is None:
        return edges.astype(np.float64)
    rounded = edges.astype(dtype)
    first = np.where(rounded >= edges, rounded, np.nextafter(rounded, np.inf, dtype=dtype))
    last = np.nextafter(first, -np.inf, dtype=dtype)
    return (first.astype(np.float64) + last.astype(np.float64)) / 2


_EXACT = {
    np.sqrt: (0.0,),
    np.square: (0.0,),
    np.absolute: (0.0,),
    np.negative: (),
    np.floor: (),
    np.ceil: (),
    np.trunc: (),
    np.rint: (),
    np.round: (),
    np.around: (),
    np.clip: (),
    np.sign: (),
    np.float32: (),
    np.float64: (),
    np.asarray: (),
    np.array: (),
}
_ROUNDED = {
    np.log: (0.0,),
    np.log2: (0.0,),
    np.log10: (0.0,),
    np.log1p: (-1.0,),
    np.exp: (),
    np.exp2: (),
    np.expm1: (),
    np.cbrt: (),
    np.arctan: (),
    np.arcsinh: (),
    np.tanh: (),
}
"""numpy's functions, and where each begins or turns. The latter may be rounded out of order."""

_KEYWORDS = {
    np.clip: {"a_min", "a_max", "min", "max"},
    np.round: {"decimals"},
    np.around: {"decimals"},
    np.asarray: {"dtype"},
    np.array: {"dtype"},
}


@follows
class FunctionFollower(Follower):
    """Some of numpy's functions of one number."""

    class_names: ClassVar[frozenset[str]] = frozenset({"FunctionTransformer"})
    parameters: ClassVar[frozenset[str]] = frozenset(
        {
            "func", "inverse_func", "validate", "accept_sparse", "check_inverse", "feature_names_out",
            "kw_args", "inv_kw_args",
        }
    )  # fmt: skip

    def follow(self, step: Step) -> tuple[list[Trace], Block]:
        """Return the same columns if there is no function."""
        self.check(step)
        return (step.inputs, step.before) if step.transformer.func is None else super().follow(step)

    def made(self, step: Step) -> list[Made]:
        """Return one column per column."""
        function = step.transformer.func
        is_exact = _is_key(function, _EXACT)
        if not is_exact and not _is_key(function, _ROUNDED):
            name = getattr(function, "__name__", repr(function))
            raise refusal(
                step, f"calls {name!r}, which is not one of numpy's supported functions of one number"
            )
        unknown = sorted(set(step.transformer.kw_args or ()) - _KEYWORDS.get(function, set()))
        if unknown:
            raise refusal(step, f"has the keyword {unknown[0]!r} in kw_args, which is not supported")
        _check_type(step)
        as_numbers(step, rounded_types=_rounded_types(step.transformer))
        turns_at = _EXACT[function] if is_exact else _ROUNDED[function]
        return [Made(position, turns_at=turns_at, is_exact=is_exact) for position in range(len(step.inputs))]


def _check_type(step: Step) -> None:
    """Refuse casts that are not monotone: whole numbers wrap around, and 0.5 is as true as 1."""
    dtype = (step.transformer.kw_args or {}).get("dtype")
    if dtype is not None and np.dtype(dtype).name not in _FLOATS:
        raise refusal(step, f"converts numbers to {np.dtype(dtype).name}. Supported: {list_choices(_FLOATS)}")


_FLOATS = (*NARROW, "float64")
"""Types to which every larger number is converted to a larger one, or to the same."""

_WHOLE = tuple(f"{sign}int{size}" for sign in ("", "u") for size in (8, 16, 32, 64))
_TYPES = ("bool", "object", *NARROW, *_WHOLE, *(f"{name}[pyarrow]" for name in _WHOLE))
"""Types of numbers that a column may have, other than double."""


def _rounded_types(transformer: Any) -> list[str]:
    """Return the types with which a function computes differently than with doubles, as seen on examples."""
    function = partial(transformer.func, **(transformer.kw_args or {}))
    return [name for name in _TYPES if _differs(function, name)]


def _differs(function: Callable[[Any], Any], name: str) -> bool:
    examples = _examples(name)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = function(examples.astype(np.float64))
        for rows in _rows_of_type(examples, name):
            try:
                found = np.asarray(function(rows)).astype(np.float64)
            except (TypeError, ValueError, OverflowError, NotImplementedError):
                continue  # the pipeline refuses such rows itself
            if not np.array_equal(found, expected, equal_nan=True):
                return True
    return False


def _examples(name: str) -> NDArray[Any]:
    """Return a column of numbers that a type can hold."""
    dtype = np.dtype(np.float64 if name == "object" else name.partition("[")[0])
    if dtype.kind == "b":
        return np.array([[False], [True]])
    limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    # Not to the limits of 64 bits: squares of such numbers are no reason to doubt every column.
    largest = min(float(limits.max), 2.0**31)
    examples = np.array([[1 / 3], [2 / 3], [2], [3], [7], [100], [largest]]).astype(dtype)
    return np.concatenate([examples, -examples]) if limits.min < 0 else examples


def _rows_of_type(examples: NDArray[Any], name: str) -> Iterator[Any]:
    """Yield an array and a frame of a type: pandas rounds, clips and negates some in a way of its own."""
    if not name.endswith("[pyarrow]"):
        yield examples.astype(name)
    with suppress(ImportError):  # pandas and pyarrow are optional
        import pandas as pd  # noqa: PLC0415

        yield pd.DataFrame({"x": pd.Series(examples[:, 0]).astype(name)})


def _is_key(function: Any, table: dict[Any, Any]) -> bool:
    try:
        return function in table
    except TypeError:
        return False
