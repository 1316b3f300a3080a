"""How a case base is shown, and the notes that end each of its explanations."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from sightline.model import CaseBase, CaseJudgement, members_text, n_members
from sightline.show._display import Display, shows
from sightline.show._model_findings import explained
from sightline.show._row import Rows
from sightline.show.cases._findings import CaseFindings
from sightline.show.cases._neighbors import plot_use
from sightline.wording import FeatureWording, list_names, number_text, percent, pluralize

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_USED = 5

_ORIGIN_OF_BOX_TEXT = {
    "cross-fitted": "each predicted by a copy of the black box fitted without it",
    "seen": "predicted by a black box that may have seen them, so this is too optimistic",
}
_ORIGIN_TEXT = {
    "leave-one-out": "each left out of its own neighbors",
    "out-of-bag": "each described only by trees that were not trained on it",
    "cross-fitted": "each described by an ensemble fitted without it",
    "seen": "described by an ensemble that may have seen them, so this is too optimistic",
}


@shows(CaseBase)
class CaseBaseDisplay(Display):
    """What the cases are, who gives the labels, and how well that works."""

    model: CaseBase

    def text(self) -> str:
        """Return a few lines about the case base."""
        return "\n".join(self._card()) + "\n"

    def html(self) -> str:
        """Return the same lines as one element."""
        heading, *lines = self._card()
        notes = "<br>".join(escape(line) for line in lines)
        return f"<div><p><b>{escape(heading)}</b><br>{notes}</p></div>\n"

    def plot(self, ax: Axes | None = None, *, max_features: int = 20) -> Axes:
        """Draw the share of members that use each feature."""
        return plot_use(self.model.ensemble, ax, max_features)

    def explain(self, rows: Any, *, n: int = 3, include_itself: bool = False, ids: Any = None) -> Any:
        """Explain the prediction for one row or many by the nearest cases."""
        read = Rows.of(rows, self.model.schema, "the case base", ids)
        return explained(CaseFindings(self.model, read, n, include_itself), read)

    def _card(self) -> list[str]:
        base, features = self.model, feature_wording(self.model)
        kept = "" if len(base.members) == n_members(base.ensemble) else f"{len(base.members):,} of "
        heading = (
            f"{pluralize(base.cases.n_rows, 'case')} described by {kept}{members_text(base.ensemble)}; "
            f"{_outcomes(base, features)}"
        )
        nearest = f"nearest {pluralize(base.k_meta, 'case')}"
        gives = f"{base.explained_noun} gives" if base.predict_with == "ensemble" else f"{nearest} give"
        what = "labels" if base.classes_ is not None else "numbers"
        lines = [heading, f"The {gives} the {what}."]
        if base.judgement is not None:
            lines.append(_judged(base, base.judgement, nearest))
        return [*lines, *about_stand_in(base), _use(base, features)]


def _outcomes(base: CaseBase, features: FeatureWording) -> str:
    if base.classes_ is None:
        low, high = float(base.outcomes.min()), float(base.outcomes.max())
        return f"numbers from {number_text(low)} to {number_text(high)}"
    return f"classes {list_names([features.text(label) for label in base.classes_], _MAX_USED)}"


def _judged(base: CaseBase, judged: CaseJudgement, nearest: str) -> str:
    start = f"On {pluralize(judged.n_cases, 'case')}, {_hidden(base)}: the {base.explained_noun} is"
    if base.classes_ is None:
        return (
            f"{start} off by {number_text(judged.ensemble_error, 3)} on average, the {nearest} by "
            f"{number_text(judged.meta_error, 3)}; the R² between them is {judged.fidelity:.3f}."
        )
    return (
        f"{start} wrong on {percent(judged.ensemble_error)}, the {nearest} on {percent(judged.meta_error)}; "
        f"they agree on {percent(judged.fidelity)}."
    )


def _hidden(base: CaseBase) -> str:
    """Say how cases were hidden from what predicts them."""
    return (_ORIGIN_OF_BOX_TEXT if base.stand_in else _ORIGIN_TEXT)[base.origin]


def about_stand_in(base: CaseBase) -> list[str]:
    """Return the sentence about substitutes for the members of a black box, if they describe the cases."""
    return [base.stand_in] if base.stand_in else []


def feature_wording(base: CaseBase, values: dict[int, list[float]] | None = None) -> FeatureWording:
    """Return how names and values of a case base read."""
    return FeatureWording(values=values, **base.schema.for_wording())


def case_notes(base: CaseBase, features: FeatureWording | None = None) -> list[str]:
    """Return the sentences that end every explanation, which hold for all of them."""
    notes = [*about_stand_in(base), _use(base, features or feature_wording(base))]
    if base.judgement is not None:
        given = f"label for {percent(base.judgement.fidelity)} of"
        if base.classes_ is None:
            given = f"number with an R² of {base.judgement.fidelity:.3f} on"
        nearest = "case gives" if base.k_meta == 1 else f"{base.k_meta:,} cases give"
        notes.append(
            f"The nearest {nearest} the {base.explained_noun}'s {given} "
            f"{pluralize(base.judgement.n_cases, 'case')}, {_hidden(base)}."
        )
    if base.names is not None:
        return [*notes, "Cases are named as in the training data."]
    return [*notes, "Case numbers are row numbers of the training data and start at 0."]


def _use(base: CaseBase, features: FeatureWording) -> str:
    """Say which features all members use, and which share of the members uses each other one."""
    use = base.use
    order = np.argsort(-use, kind="stable").tolist()
    by_all = [features.name(i) for i in order if use[i] == 1]
    by_some = [f"{features.name(i)} ({percent(float(use[i]))})" for i in order if 0 < use[i] < 1]
    unused = [features.name(i) for i in np.flatnonzero(use == 0).tolist()]
    if len(by_all) == len(use):
        return "All members use all features."
    parts = [f"All members use {list_names(by_all, _MAX_USED)}"] if by_all else []
    if by_some:
        parts.append(f"{'fewer use' if by_all else 'Most used features:'} {list_names(by_some, _MAX_USED)}")
    if unused:
        parts.append(f"no member uses {list_names(unused, _MAX_USED)}")
    return f"{'; '.join(parts)}."
