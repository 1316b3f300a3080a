"""The tables of everything that was measured."""

from __future__ import annotations

from typing import Any

from sightline.measure import measure_notes, measure_table
from sightline.report._evidence import Evidence
from sightline.report._sample import Sample
from sightline.wording import capitalize


def measures_part(evidence: Evidence, sample: Sample) -> dict[str, Any] | None:  # noqa: ARG001
    """Return the measures of everyone; None if nothing was measured."""
    if evidence.measures is None:
        return None
    head, *lines = measure_table(evidence.measures)
    names = {"model": evidence.kind.noun, "ensemble": evidence.teacher_noun}
    return {
        "title": "How right and how faithful",
        "notes": measure_notes(evidence.measures),
        "head": [capitalize(names.get(name, name)) for name in head],
        "lines": lines,
    }
