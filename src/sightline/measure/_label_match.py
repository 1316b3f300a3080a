"""Labels of rows compared with the classes of a model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError
from sightline.table import Labels
from sightline.wording import list_names, pluralize

_MAX_SHOWN = 5
_MANY = ("These rows count as errors", "them")


def label_notes(labels: Labels, classes: NDArray[Any]) -> list[str]:
    """Say which labels are no class of a model, and that their rows count as errors.

    Parameters
    ----------
    labels : Labels
        Labels of rows, none missing.
    classes : ndarray
        The classes of the model.

    Returns
    -------
    list of str
        Empty if the model knows all labels.

    Raises
    ------
    DataError
        If most labels or rows are unknown: then they are probably coded differently.

    Examples
    --------
    >>> label_notes(Labels.from_any(["yes", "no", "no", "open"]), np.array(["no", "yes"]))[0]
    "y has labels that the model does not know: 'open' (1 row). This row counts as an error. Drop it to..."
    """
    counts = _counts(labels)
    known = classes.tolist()
    unknown = {label: n_rows for label, n_rows in counts.items() if label not in known}
    if not unknown:
        return []
    n_unknown, n_absent = sum(unknown.values()), sum(label not in counts for label in known)
    # A label for each class that is absent: 1 and 2 instead of 0 and 1.
    are_renamed = 2 * len(unknown) >= len(counts) and n_absent >= len(unknown)
    if are_renamed or 2 * n_unknown > len(labels):
        raise DataError(_mismatch(labels, classes, "the model"))
    listed = list_names(
        [f"{label!r} ({pluralize(n_rows, 'row')})" for label, n_rows in unknown.items()], _MAX_SHOWN
    )
    rows_count, them = ("This row counts as an error", "it") if n_unknown == 1 else _MANY
    return [
        f"y has labels that the model does not know: {listed}. {rows_count}. "
        f"Drop {them} to measure the other rows only."
    ]


def check_known(labels: Labels, classes: NDArray[Any], owner: str) -> None:
    """Raise unless all labels are classes of an owner that must learn from their rows."""
    if set(_counts(labels)).difference(classes.tolist()):
        raise DataError(_mismatch(labels, classes, owner))


def _mismatch(labels: Labels, classes: NDArray[Any], owner: str) -> str:
    """Say how labels and classes are coded, and how to rename the labels."""
    counts, known = _counts(labels), classes.tolist()
    n_unknown = sum(n_rows for label, n_rows in counts.items() if label not in known)
    given, theirs = (list_names([*map(repr, some)], _MAX_SHOWN) for some in (counts, known))
    rows, have = pluralize(len(labels), "row"), "has" if n_unknown == 1 else "have"
    return (
        f"y has the labels {given}, but the classes of {owner} are {theirs}: {n_unknown:,} of {rows} {have} "
        f"a label that {owner} does not know. If y is coded differently, rename its labels"
        f"{_renaming(list(counts), known)}, or name the ensemble's classes as in y: "
        "sl.load(ensemble, classes=[…]). Otherwise drop these rows."
    )


def _counts(labels: Labels) -> dict[Any, int]:
    """Return the number of rows of every label that occurs."""
    counts = np.bincount(labels.codes, minlength=len(labels.classes_)).tolist()
    return {label: n_rows for label, n_rows in zip(labels.classes_.tolist(), counts, strict=True) if n_rows}


def _renaming(given: list[Any], known: list[Any]) -> str:
    """Return the code for it if labels and classes may correspond in their order.

    Text in both means the same, while the number 1 may be the first of 1 and 2, or the second of 0 and 1.
    """
    has_same_text = any(isinstance(label, str) and label in known for label in given)
    if len(given) != len(known) or len(known) > _MAX_SHOWN or has_same_text:
        return ""
    return f", for example with y.map({dict(zip(given, known, strict=True))!r})"
