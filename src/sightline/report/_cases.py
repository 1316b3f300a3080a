"""Case bases on the page: for every row the cases that explain it, and what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.model import BlackBox, CaseBase, CaseExplanation, CaseMatch, members_text
from sightline.report._columns import Columns
from sightline.report._kind import KINDS, Json, Kind
from sightline.show import case_notes
from sightline.wording import pluralize, printable

if TYPE_CHECKING:
    from sightline.report._evidence import Evidence
    from sightline.report._sample import Sample

N_SUPPORTING = 4
NO_CASES = (
    "Cases are rows of the training data, and this page carries no rows. To see rows beside their nearest "
    'cases, pass rows="sample" (--rows sample in the command).'
)


@KINDS.register(CaseBase)
class Cases(Kind):
    """A case base; its part of the page is :func:`cases_part`."""

    model: CaseBase
    noun = "case base"
    heading = "Case base"
    unit = ("case", "cases")
    max_size = None

    @property
    def size(self) -> int:
        """Number of cases."""
        return self.model.cases.n_rows

    @property
    def features(self) -> set[int]:
        """All features: every one may differ between row and case."""
        return set(range(len(self.model.schema)))

    def predictor(self, with_size: bool = True) -> str:
        """Return the explained model if it gives the labels."""
        by = self.model.predictor
        if by is self.model:
            return super().predictor(with_size)
        if isinstance(by, BlackBox):
            return f"the black box ({by.name})"
        return f"the ensemble ({members_text(by)})"

    @property
    def predictor_noun(self) -> str:
        """The noun for the explained model if it gives the labels."""
        return self.noun if self.model.predictor is self.model else self.model.explained_noun

    @property
    def size_text(self) -> str:
        """Say how many cases there are, and what describes them."""
        base = self.model
        columns = pluralize(len(base.schema), "column")
        return f"{pluralize(self.size, *self.unit)} of {columns}, described by {members_text(base.ensemble)}"

    def to_json(self, evidence: Evidence, columns: Columns) -> Json:  # noqa: ARG002
        """Return the noun alone: the page does not predict with cases."""
        return {"kind": "cases", "noun": self.predictor_noun}

    def sentences(self) -> list[str]:
        """Say whether the ensemble or the cases give the labels, and how accurate the cases are."""
        _, *sentences = self.model.to_text().splitlines()
        return sentences[: 2 if self.model.judgement is not None else 1]


def cases_part(evidence: Evidence, sample: Sample) -> Json | None:
    """Return for every row of the page its nearest cases and the nearest one against its label or number."""
    base = evidence.model
    if not isinstance(base, CaseBase):
        return None
    if not evidence.shown_rows.has_cells:
        return {"title": "The nearest cases", "note": NO_CASES}
    explanations = base.explanations(evidence.rows[sample.chosen], N_SUPPORTING, names=sample.names())
    used = sorted({match.case for explanation in explanations for match in explanation.matches})
    cases = Columns(base.cases, sample.columns.used, evidence.shown_rows)
    return {
        "title": "The nearest cases",
        "number": used,
        "name": None if base.names is None else [printable(base.names[case]) for case in used],
        "cells": [cases.cells(case) for case in used],
        "label": (base.outcomes if base.classes_ is None else base.codes)[used].tolist(),
        "n_cases": base.cases.n_rows,
        "rows": [_row(explanation) for explanation in explanations],
        "use": base.use.round(4).tolist(),
    }


def _row(explanation: CaseExplanation) -> Json:
    # The sentences about the case base as a whole are already at the top of the page.
    n_general = len(case_notes(explanation.base))
    return {
        "label": explanation.probability if explanation.base.classes_ is None else explanation.code,
        "share": explanation.probability,
        "n_for": explanation.n_for,
        "n_members": explanation.n_members,
        "cases": [_match(match) for match in explanation.supporting],
        "contrast": None if explanation.contrast is None else _match(explanation.contrast),
        "sentences": [printable(line) for line in explanation.to_text().splitlines()[1:-n_general]],
    }


def _match(match: CaseMatch) -> Json:
    return {"case": match.case, "differing": match.differing, "near": match.near}
