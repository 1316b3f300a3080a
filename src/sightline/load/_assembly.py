"""Build an ensemble from its parts. Errors name the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import DataError, ModelFormatError, UnsupportedModelError
from sightline.load._binary_nodes import BinaryNodes
from sightline.model import combined
from sightline.table import Feature, Schema

MAX_UNNAMED = 2**20
"""The most columns that a model may have without naming them."""


def build_trees(
    all_nodes: Iterable[BinaryNodes], n_values: Sequence[int], owner: str, first: int = 0
) -> list[_core.Tree]:
    """Check and build the trees of a model.

    Parameters
    ----------
    all_nodes : iterable of BinaryNodes
        The nodes of each tree.
    n_values : sequence of int
        Number of categories per feature, 0 where numeric.
    owner : str
        Name of the model, for error messages.
    first : int, default=0
        The number of the first of these trees, for error messages.

    Returns
    -------
    list of _core.Tree
        The trees, in the same order.

    Raises
    ------
    ModelFormatError
        Names the model, the tree and the node at fault.
    """
    trees = []
    for number, nodes in enumerate(all_nodes, first):
        try:
            trees.append(nodes.build(n_values))
        except ValueError as error:
            raise ModelFormatError(f"{owner}: tree {number}: {error}.") from error
    return some_trees(trees, owner)


def build_all_trees(
    nodes: BinaryNodes, tree_begin: NDArray[np.int64], n_values: Sequence[int], owner: str, first: int = 0
) -> list[_core.Tree]:
    """Check and build the trees of a model whose nodes lie one after the other.

    For large models: whatever is done once per tree takes longer than building it.

    Parameters
    ----------
    nodes : BinaryNodes
        The nodes of all trees.
    tree_begin : ndarray of int64, shape (n_trees + 1,)
        The first node of each tree, and the number of nodes.
    n_values : sequence of int
        Number of categories per feature, 0 where numeric.
    owner : str
        Name of the model, for error messages.
    first : int, default=0
        The number of the first of these trees, for error messages.

    Returns
    -------
    list of _core.Tree
        The trees, in the same order.

    Raises
    ------
    ModelFormatError
        Names the model, the tree and the node at fault.
    """
    try:
        trees = nodes.build_all(tree_begin, n_values, first)
    except ValueError as error:
        raise ModelFormatError(f"{owner}: {error}.") from error
    return some_trees(trees, owner)


def some_trees(trees: list[_core.Tree], owner: str) -> list[_core.Tree]:
    """Refuse a model without trees."""
    if not trees:
        raise ModelFormatError(f"{owner}: contains no tree.")
    return trees


def default_names(n_columns: int, owner: str) -> list[str]:
    """Return x0, x1, ... for columns that a model counts but does not name.

    Parameters
    ----------
    n_columns : int
        Number of columns; a few bytes of a file can claim billions.
    owner : str
        Name of the model, for error messages.

    Returns
    -------
    list of str
        The names.

    Raises
    ------
    UnsupportedModelError
        If there are more than :data:`MAX_UNNAMED`.
    """
    require_few_unnamed(n_columns, owner)
    return [f"x{column}" for column in range(n_columns)]


def require_few_unnamed(n_columns: int, owner: str) -> None:
    """Refuse a model with more columns without names than :data:`MAX_UNNAMED`."""
    if n_columns > MAX_UNNAMED:
        raise UnsupportedModelError(
            f"{owner}: has {n_columns:,} columns without names. Supported: up to {MAX_UNNAMED:,}."
        )


def named_schema(features: Sequence[Feature], owner: str, names_given: bool = False) -> Schema:
    """Return the schema of a model's features.

    Parameters
    ----------
    features : sequence of Feature
        Names and categories, as stored in the model.
    owner : str
        Name of the model, for error messages.
    names_given : bool, default=False
        Whether these are the names of the training rows, even if they are ``x0``, ``x1``, ….

    Returns
    -------
    Schema
        The schema. Its names are all different.

    Raises
    ------
    ModelFormatError
        If two features have the same name.
    """
    try:
        return Schema(tuple(features), names_given=names_given)
    except DataError as error:
        raise ModelFormatError(f"{owner}: {error}") from error


def build_sum(trees: Sequence[_core.Tree], owner: str, **how: Any) -> _core.Ensemble:
    """Check and build the sum over the trees of a model.

    Parameters
    ----------
    trees : sequence of _core.Tree
        At least one.
    owner : str
        Name of the model, for error messages.
    **how
        Weights, base and so on, as :func:`sightline.model.combined` takes them.

    Returns
    -------
    _core.Ensemble
        Valid by construction.

    Raises
    ------
    ModelFormatError
        If the parts do not fit together.
    """
    try:
        return combined(trees, **how)
    except ValueError as error:
        raise ModelFormatError(f"{owner}: {error}.") from error
