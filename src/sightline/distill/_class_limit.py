"""A limit for distillers that store a number for every class of every row and every node."""

from __future__ import annotations

from sightline.exceptions import DataError

MANY_CLASSES = 200
"""Fewer are never refused."""
MAX_NUMBERS = 100_000_000
"""Most numbers, for 16 bytes each at the peak: less than 2 GB."""


def check_class_numbers(estimator: object, n_rows: int, n_classes: int, n_nodes: int | None = None) -> None:
    """Raise if an estimator would store too many numbers for a thousand classes.

    Parameters
    ----------
    estimator : object
        Only those with a true ``_stores_every_class`` are checked.
    n_rows, n_classes : int
        Training rows, and classes.
    n_nodes : int, optional
        Nodes of the ensemble. None if it is yet to be learned: its trees then have at least as many
        nodes as there are rows.

    Raises
    ------
    DataError
        If there are more than 200 classes and too many rows or nodes for them.
    """
    if not getattr(estimator, "_stores_every_class", False) or n_classes <= MANY_CLASSES:
        return
    n_numbers = (n_rows + (n_rows if n_nodes is None else n_nodes)) * n_classes
    if n_numbers > MAX_NUMBERS:
        name, nodes = type(estimator).__name__, "" if n_nodes is None else f" and {n_nodes:,} nodes"
        raise DataError(
            f"{name} stores every class of every row and node: {n_rows:,} rows{nodes} with {n_classes:,} "
            "classes are too many. Use DistilledTreeClassifier, or fewer rows and smaller trees."
        )
