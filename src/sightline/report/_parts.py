"""The parts of a page, in reading order; each appears only if it applies."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from sightline.report._card import card_part
from sightline.report._cases import cases_part
from sightline.report._columns import Columns
from sightline.report._curve import curve_part
from sightline.report._disagreement import difference_link, disagreement_part
from sightline.report._drawing import DRAWING
from sightline.report._effects import effects_part
from sightline.report._evidence import Evidence
from sightline.report._importance import importance_part
from sightline.report._kind import kind_of
from sightline.report._lead import lead_sentences
from sightline.report._letters import letter_texts
from sightline.report._measured import measures_part
from sightline.report._number_scale import scale_json, scatter_part
from sightline.report._sample import Sample
from sightline.report._stumps import equal_part
from sightline.report._words import words
from sightline.show import class_colors
from sightline.wording import printable

Json = dict[str, Any]
Part = Callable[[Evidence, Sample], Json | None]

GENERAL_PARTS: dict[str, Part] = {
    "equal": equal_part,
    "cases": cases_part,
    "curve": curve_part,
    "scatter": scatter_part,
    "measures": measures_part,
    "disagreement": disagreement_part,
    "importance": importance_part,
    "effects": effects_part,
    "card": card_part,
}
"""Parts that any model may have, by the name under which the page's script knows them. A part
that returns None does not appear. ``Kind.parts`` adds those of one kind of model."""

_ORDER = (
    "tree",
    "rules",
    "stumps",
    "cases",
    "whatif",
    "curve",
    "equal",
    "leaves",
    "measures",
    "scatter",
    "disagreement",
    "importance",
    "effects",
    "card",
)


class Summary:
    """The findings of a report, ready to become plain data, from which the page draws itself.

    Ensembles and black boxes are queried here, not in :meth:`to_json`: that may run while the cycle collector
    is paused.

    Parameters
    ----------
    evidence : Evidence
        The report's findings.
    only : collection of str
        Parts that may appear; by default all.
    """

    def __init__(self, evidence: Evidence, only: Collection[str] = _ORDER) -> None:
        self.evidence = evidence
        others = [model for model in evidence.sizes.values() if model is not evidence.model]
        self._kinds = [kind_of(model) for model in (evidence.model, *others)]
        used = sorted(set().union(*(kind.features for kind in self._kinds)))
        self._columns = Columns(evidence.rows, used, evidence.shown_rows)
        self._sample = Sample(evidence, self._columns)
        made = {name: part(evidence, self._sample) for name, part in GENERAL_PARTS.items() if name in only}
        parts = {name: {"title": title} for name, title in evidence.kind.parts.items()}
        parts |= {name: part for name, part in made.items() if part is not None}
        self._parts = [{"kind": name, **parts[name]} for name in _ORDER if name in parts and name in only]

    def to_json(self) -> Json:
        """Return strings, numbers, lists and dicts only."""
        evidence = self.evidence
        models = [kind.to_json(evidence, self._columns) for kind in self._kinds]
        return {
            "title": printable(evidence.title),
            "lead": lead_sentences(evidence),
            "notice": evidence.shown_rows.notice(len(self._sample.chosen)),
            "words": words(
                evidence.teacher_noun, evidence.task, evidence.classes_.tolist(), evidence.is_imbalanced
            ),
            "task": evidence.task,
            "numbers": scale_json(evidence),
            "difference_link": difference_link(evidence),
            "classes": _classes(evidence),
            "letter": letter_texts(evidence.model),
            "target": printable(evidence.naming.target),
            "columns": self._columns.to_json(models),
            "models": models,
            "drawing": DRAWING,
            "rows": self._sample.to_json(),
            "parts": self._parts,
        }


def _classes(evidence: Evidence) -> list[Json]:
    labels, naming = evidence.classes_.tolist(), evidence.naming
    colors = class_colors(labels, naming.positive, naming.colors)
    return [
        {"name": printable(label), "color": color, "is_rare": label in evidence.rare_labels}
        for label, color in zip(labels, colors, strict=True)
    ]
