"""Models that hold a model which was trained on the same columns in another order."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.exceptions import UnsupportedModelError
from sightline.wording import list_names

_MAX_SHOWN = 6


def refuse_other_order(
    owner: str, first: tuple[str, Sequence[str]], second: tuple[str, Sequence[str]]
) -> None:
    """Refuse columns whose order differs between a model and what passes rows to it.

    CatBoost finds columns by name, LightGBM takes them by position, others raise an error.

    Parameters
    ----------
    owner : str
        The model that holds the others, for the error message.
    first, second : tuple of (str, sequence of str)
        Columns, and the words of the error message in front of them.

    Raises
    ------
    UnsupportedModelError
        If the names are the same, but not their order.

    Examples
    --------
    >>> columns = ["age", "income"]
    >>> refuse_other_order("Pipeline", ("its steps make", columns), ("its model was trained on", columns))
    """
    (words, names), (other_words, other_names) = first, second
    if list(names) == list(other_names) or sorted(names) != sorted(other_names):
        return
    here, there = (list_names([*map(repr, listed)], _MAX_SHOWN) for listed in (names, other_names))
    raise UnsupportedModelError(
        f"{owner}: the same columns in two orders: {words} {here}, {other_words} {there}. Some models find "
        "columns by name, others by position. Train all on one order.",
        "sl.BlackBox takes any model.",
    )
