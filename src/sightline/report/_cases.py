"""Cases as the page holds them: per row those that explain it, with what is the same and what differs."""

from __future__ import annotations

from typing import Any

from sightline.model import CaseBase, CaseExplanation, CaseMatch
from sightline.report._columns import Columns
from sightline.report._evidence import Evidence
from sightline.report._lead import own_sentences
from sightline.report._models import model_json, model_parts, tested_features
from sightline.report._naming import noun_of
from sightline.report._sample import Sample
from sightline.show import case_notes
from sightline.wording import printable

Json = dict[str, Any]

N_SUPPORTING = 4


@tested_features.register
def _(base: CaseBase) -> set[int]:
    return set(range(len(base.schema)))


@model_parts.register
def _(base: CaseBase) -> dict[str, Json]:  # noqa: ARG001
    return {}


@model_json.register
def _(base: CaseBase, evidence: Evidence, columns: Columns) -> Json:  # noqa: ARG001
    return {"kind": "cases", "noun": noun_of(base)}


@own_sentences.register
def _(base: CaseBase) -> list[str]:
    _, *sentences = base.to_text().splitlines()
    return sentences[: 2 if base.judgement is not None else 1]


def cases_part(evidence: Evidence, sample: Sample) -> Json | None:
    """Return for every row of the page its nearest cases and the one that speaks against it."""
    base = evidence.model
    if not isinstance(base, CaseBase):
        return None
    explanations = base.explanations(evidence.rows[sample.chosen], N_SUPPORTING)
    used = sorted({match.case for explanation in explanations for match in explanation.matches})
    cases = Columns(base.cases, sample.columns.used)
    return {
        "title": "The nearest cases",
        "number": used,
        "cells": [cases.cells(case) for case in used],
        "label": base.labels.codes[used].tolist(),
        "n_cases": base.cases.n_rows,
        "rows": [_row(explanation) for explanation in explanations],
        "use": base.use.round(4).tolist(),
    }


def _row(explanation: CaseExplanation) -> Json:
    # What is said of the case base as a whole stands at the head of the page.
    n_general = len(case_notes(explanation.base))
    return {
        "said": explanation.code,
        "share": explanation.probability,
        "n_for": explanation.n_for,
        "n_members": explanation.n_members,
        "cases": [_match(match) for match in explanation.supporting],
        "contrast": None if explanation.contrast is None else _match(explanation.contrast),
        "sentences": [printable(line) for line in explanation.to_text().splitlines()[1:-n_general]],
    }


def _match(match: CaseMatch) -> Json:
    return {"case": match.case, "differing": match.differing, "near": match.near}
