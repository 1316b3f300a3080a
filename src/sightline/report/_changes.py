"""What would have to change in each row of the page, for the model and its ensemble together."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from sightline.budget import Deadline
from sightline.judge import counterfactuals
from sightline.model import Ensemble, Graph, Tree
from sightline.report._evidence import Evidence

MAX_SECONDS, MAX_SECONDS_PER_ROW = 5.0, 1.0
"""A page of many rows and a large ensemble carries the changes of the first rows only."""


def nearest_changes(evidence: Evidence, chosen: NDArray[Any]) -> list[str | None] | None:
    """Return one sentence per row, checked with model and ensemble; a browser can only run the model.

    Parameters
    ----------
    evidence : Evidence
        The report's findings.
    chosen : ndarray of int
        Indices of the rows.

    Returns
    -------
    list of str or None, or None
        None for rows on which the time ran out, and None overall if the model is not a tree
        or graph of classes with an ensemble.
    """
    model, ensemble, rows = evidence.model, evidence.ensemble, evidence.rows
    if not isinstance(model, Tree | Graph) or not isinstance(ensemble, Ensemble):
        return None
    if evidence.task != "classes":
        return None
    deadline = Deadline(MAX_SECONDS)
    result: list[str | None] = []
    for row in chosen.tolist():
        if deadline.has_passed:
            result.append(None)
            continue
        seconds = max(min(deadline.seconds_left, MAX_SECONDS_PER_ROW), 0.01)
        found = counterfactuals(
            model, rows[row : row + 1], ensemble=ensemble, within=rows, n=1, max_seconds=seconds
        )
        result.append(found[0].text if len(found) else found.text)
    return result
