"""Numbers that the papers print."""

from __future__ import annotations

import csv
from importlib.resources import files


def printed(name: str) -> list[dict[str, str]]:
    """Return the rows of a paper's table, by column heading.

    Parameters
    ----------
    name : str
        Name of the file in ``numbers``, without ``.tsv``.

    Returns
    -------
    list of dict
        Cells as text; empty if the paper prints no usable number.

    Examples
    --------
    >>> printed("ism_accuracy")[0]["J48"]
    '92.65'
    """
    path = files("sightline.lab.papers") / "numbers" / f"{name}.tsv"
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))
