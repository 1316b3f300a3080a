"""What the values of an ONNX graph mean: columns of the caller, or answers of the trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from sightline.load._forest import Column, Forest

FLOAT, INT32, INT64, STRING, BOOL, DOUBLE = 1, 6, 7, 8, 9, 11
"""Codes of the types of tensors."""
WHOLE = (INT32, INT64, BOOL)
"""Types that hold whole numbers only."""


@dataclass(frozen=True)
class TextColumn:
    """Text of the caller, as it is.

    Parameters
    ----------
    source : int
        The caller's column.
    """

    source: int


@dataclass(frozen=True)
class Matrix:
    """A tensor with one row per row of the caller.

    Parameters
    ----------
    columns : tuple
        Its columns. A tensor of three axes has those of its last axis, block by block.
    dtype : int
        Code of its type.
    n_blocks : int, default=0
        Length of the axis in the middle, 0 if there are two axes.
    """

    columns: tuple[Column | TextColumn, ...]
    dtype: int
    n_blocks: int = 0


@dataclass(frozen=True)
class Scores:
    """The scores of the trees, or the probabilities that follow from them."""

    forest: Forest


@dataclass(frozen=True)
class Labels:
    """The labels of the trees.

    Parameters
    ----------
    forest : Forest
        The trees.
    classes : tuple
        Their names, in the order of the scores.
    """

    forest: Forest
    classes: tuple[object, ...]


@dataclass(frozen=True)
class LeafTable:
    """One entry per leaf of a single tree: a number, a label, or a row of probabilities."""

    forest: Forest
    entries: NDArray[Any]


@dataclass(frozen=True)
class Refusal:
    """What a node computes that is not understood. The error is raised if an answer depends on it."""

    error: Exception


Value = Matrix | Scores | Labels | LeafTable | Refusal | NDArray[Any]
