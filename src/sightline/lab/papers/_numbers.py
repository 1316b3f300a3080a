"""Numbers as the papers print them."""

from __future__ import annotations

import csv
from importlib.resources import files


def printed(name: str) -> list[dict[str, str]]:
    """Return the rows of a table of a paper, by the headings of its columns.

    Parameters
    ----------
    name : str
        Name of the file in the folder ``numbers``, without ``.tsv``.

    Returns
    -------
    list of dict
        Cells as text; empty where the paper has nothing that could be used.

    Examples
    --------
    >>> printed("ism_accuracy")[0]["J48"]
    '92.65'
    """
    path = files("sightline.lab.papers") / "numbers" / f"{name}.tsv"
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))
