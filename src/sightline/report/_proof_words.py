"""Which rows a proof is about, in words: the same on the page and in the command."""

from __future__ import annotations

from sightline.judge import Certificate
from sightline.wording import list_names, printable

_MAX_NAMES = 5
"""Columns to name before saying how many more there are."""


def covered_rows(certificate: Certificate, where: str = "") -> str:
    """Say which rows a proof covers.

    Parameters
    ----------
    certificate : Certificate
        What was proved.
    where : str, default=""
        Words after the noun, as in ``every possible row there``.

    Returns
    -------
    str
        As in ``every possible row with values missing only in segment and income``.
    """
    rows = f"every possible row{where}"
    if len(certificate.missing) == certificate.model.schema.n_used:
        return f"{rows}, with or without missing values"
    if not certificate.missing:
        return f"{rows} without missing values"
    return f"{rows} with values missing only in {missing_names(certificate, _MAX_NAMES)}"


def missing_names(certificate: Certificate, max_names: int | None = None) -> str:
    """List the columns in which values may be missing."""
    return list_names([printable(name) for name in certificate.missing], max_names)
