"""The parts of a page, in the order in which they are read; each joins in where it fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sightline.report import _rule_sets  # noqa: F401 - registers what the page does with rule sets
from sightline.report._card import card_part
from sightline.report._cases import cases_part
from sightline.report._columns import Columns
from sightline.report._curve import curve_part
from sightline.report._disagreement import disagreement_part
from sightline.report._evidence import Evidence
from sightline.report._lead import lead_sentences
from sightline.report._models import model_parts, page_models, used_features
from sightline.report._sample import Sample
from sightline.report._stumps import equal_part
from sightline.show import class_color
from sightline.wording import printable

Json = dict[str, Any]
Part = Callable[[Evidence, Sample], Json | None]

GENERAL_PARTS: dict[str, Part] = {
    "equal": equal_part,
    "cases": cases_part,
    "curve": curve_part,
    "disagreement": disagreement_part,
    "card": card_part,
}
"""Parts that any model may have, by the name under which the page's script knows them. A part
that returns None does not appear. Parts of one kind of model come from ``model_parts``."""

_ORDER = ("tree", "rules", "stumps", "cases", "whatif", "curve", "equal", "leaves", "disagreement", "card")


def summarise(evidence: Evidence) -> Json:
    """Turn what was found into plain data, from which the page draws itself.

    Parameters
    ----------
    evidence : Evidence
        What was found.

    Returns
    -------
    dict
        Strings, numbers, lists and dicts only.
    """
    columns = Columns(evidence.rows, used_features(evidence))
    sample = Sample(evidence, columns)
    made = {kind: part(evidence, sample) for kind, part in GENERAL_PARTS.items()}
    parts = {**model_parts(evidence.model), **{kind: part for kind, part in made.items() if part is not None}}
    return {
        "title": printable(evidence.title),
        "lead": lead_sentences(evidence),
        "n_wrong": None if evidence.agrees is None else int((~evidence.agrees).sum()),
        "classes": [
            {"name": printable(label), "colour": class_color(place)}
            for place, label in enumerate(evidence.classes_.tolist())
        ],
        "columns": columns.to_json(),
        "models": page_models(evidence, columns),
        "rows": sample.to_json(),
        "parts": [{"kind": kind, **parts[kind]} for kind in _ORDER if kind in parts],
    }
