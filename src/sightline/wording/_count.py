"""Counts with their nouns, and lists of names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache


def pluralize(count: int, singular: str, plural: str | None = None) -> str:
    """Write a count with its noun.

    Parameters
    ----------
    count : int
        How many there are.
    singular : str
        The noun for one of them.
    plural : str, optional
        The noun for several; by default the singular with an "s".

    Returns
    -------
    str
        The count, with thousands separators, and the noun that fits it.

    Examples
    --------
    >>> pluralize(1, "leaf", "leaves"), pluralize(1200, "leaf", "leaves"), pluralize(0, "rule")
    ('1 leaf', '1,200 leaves', '0 rules')
    """
    return f"{count:,} {singular if count == 1 else plural or f'{singular}s'}"


@lru_cache(maxsize=1 << 12)
def pluralize_rows(weight: float, noun: str = "row", is_weighted: bool = False) -> str:
    """Write a training weight as a number of rows or, if rows have weights, as what it is.

    Examples
    --------
    >>> pluralize_rows(1.0), pluralize_rows(1200.0), pluralize_rows(15.274, "training row")
    ('1 row', '1,200 rows', '15.3 training rows')
    >>> pluralize_rows(15.274, is_weighted=True), pluralize_rows(15.274, "training row", is_weighted=True)
    ('weight 15.3', 'training rows of weight 15.3')
    """
    number = f"{weight:,.0f}" if weight == round(weight) or weight >= 1000 else f"{weight:,.3g}"
    if is_weighted:
        return f"weight {number}" if noun == "row" else f"{noun}s of weight {number}"
    return f"{number} {noun}{'' if number == '1' else 's'}"


def list_names(names: Sequence[str], max_names: int | None = None) -> str:
    """Join names; beyond a limit, say how many more there are.

    Examples
    --------
    >>> list_names(["a", "b", "c"]), list_names(["a", "b", "c", "d", "e"], max_names=2)
    ('a, b and c', 'a, b and 3 more')
    """
    shown = list(names[:max_names])
    if len(names) > len(shown):
        return f"{', '.join(shown)} and {len(names) - len(shown):,} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))


def list_choices(names: Sequence[str]) -> str:
    """Join names of which one applies.

    Examples
    --------
    >>> list_choices(["a", "b", "c"]), list_choices(["a"])
    ('a, b or c', 'a')
    """
    return " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def capitalize(sentence: str) -> str:
    """Make the first letter of a sentence a capital and leave the others alone.

    Examples
    --------
    >>> capitalize("trained on NASA data")
    'Trained on NASA data'
    """
    return sentence[:1].upper() + sentence[1:]
