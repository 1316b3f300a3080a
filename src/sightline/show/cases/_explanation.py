"""How an explanation by cases is shown: sentences, a table of row and cases, a plot."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from sightline.exceptions import ParameterError
from sightline.model import CaseExplanation, CaseMatch
from sightline.show._display import Display, shows
from sightline.show._frame import data_frame
from sightline.show.cases._display import case_notes
from sightline.show.cases._plot import plot_cases
from sightline.show.cases._wording import MAX_CELL, CaseWording
from sightline.wording import answer_text, percent, pluralize, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW_DIFFERENCES = 3
"""Up to this many differences, the sentence says "only"."""


@shows(CaseExplanation)
class CaseExplanationDisplay(Display):
    """The cases that support a prediction, and the nearest one against it."""

    model: CaseExplanation

    def text(self, *, style: str = "sentences") -> str:
        """Return sentences, or a table with one column per case."""
        if style == "table":
            return self._table()
        if style != "sentences":
            raise ParameterError(
                f"The 'style' parameter must be 'sentences' or 'table'. Got {style!r} instead."
            )
        explanation, wording = self.model, CaseWording(self.model)
        lines = [_prediction(explanation, wording), *_explained(explanation, wording)]
        lines += [_support(match, wording) for match in explanation.supporting]
        if not explanation.supporting:
            is_numbers = explanation.base.classes_ is None
            what = "is within a standard deviation of it" if is_numbers else f"was {wording.outcome(None)}"
            lines.append(f"No case {what}.")
        if explanation.contrast is not None:
            lines.append(_contrast(explanation.contrast, wording))
        return "\n".join([*lines, *case_notes(explanation.base, wording.features)])

    def _table(self) -> str:
        heads, lines = _cells(self.model)
        cells = [heads] + [
            [f"{shortened(cell, MAX_CELL)}{' *' if differs else ''}" for cell, differs in line]
            for line in lines
        ]
        widths = [max(len(line[i]) for line in cells) for i in range(len(heads))]
        table = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in cells
        ]
        return "\n".join([*table, "* differs from yours"]) + "\n"

    def html(self) -> str:
        """Return the table; differences are bold."""
        heads, lines = _cells(self.model)
        top = "".join(f"<th>{escape(head)}</th>" for head in heads)
        body = ""
        for line in lines:
            cells = (f"<b>{escape(text)}</b>" if differs else escape(text) for text, differs in line)
            body += "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
        sentence = escape(_prediction(self.model, CaseWording(self.model)))
        return f"<div><p>{sentence} Differences are bold.</p><table><tr>{top}</tr>{body}</table></div>\n"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw a line per case through the values of all features."""
        return plot_cases(self.model, ax)

    def frame(self, library: str = "pandas") -> Any:
        """Return a frame with the row first, then one row per case."""
        explanation = self.model
        table = explanation.to_table()
        columns: dict[str, list[Any]] = {
            "who": ["yours", *(f"case {explanation.base.name_of(m.case)}" for m in explanation.matches)],
            "outcome": np.array(explanation.outcomes).tolist(),
        }
        return data_frame(columns | {column.name: column.to_list() for column in table.columns}, library)


def _prediction(explanation: CaseExplanation, wording: CaseWording) -> str:
    base = explanation.base
    is_explained = base.predict_with == "ensemble"
    votes = f"{explanation.n_for:,} of {pluralize(explanation.n_members, 'member')}"
    if base.stand_in:
        votes += " that learned its labels agree" if is_explained else " that learned the black box's labels"
    label = wording.outcome(None)
    nearest = pluralize(base.k_meta, "case")
    if is_explained:
        by = " by the black box" if base.stand_in else ""
        return f"Predicted {label}{by}{'' if base.classes_ is None else f' ({votes})'}."
    if base.classes_ is None:
        return f"Predicted {label}, the mean of the nearest {nearest}."
    assert explanation.probability is not None
    share = percent(explanation.probability)
    return f"Predicted {label} ({share} of the votes of the nearest {nearest}; {votes})."


def _explained(explanation: CaseExplanation, wording: CaseWording) -> list[str]:
    """Say what the explained model predicts, if the cases predict something else."""
    other, noun = explanation.explained, explanation.base.explained_noun
    if other is None or other == explanation.label:
        return []
    if explanation.base.classes_ is None:
        return [f"The {noun} predicts {answer_text(float(other))}."]
    return [f"For this row, the {noun} disagrees: it predicts {wording.features.text(other)}."]


def _support(match: CaseMatch, wording: CaseWording) -> str:
    verb = "had" if wording.base.classes_ is None else "was also"
    start = f"Case {wording.case(match)} {verb} {wording.outcome(match)} and"
    rest = wording.rest(match)
    if not match.differing:
        return f"{start} is {rest}."
    only = "only " if len(match.differing) <= _FEW_DIFFERENCES else ""
    ending = f"; it is {rest}" if rest else ""
    return f"{start} differs {only}in {wording.differences(match)}{ending}."


def _contrast(match: CaseMatch, wording: CaseWording) -> str:
    who, verb = ("case of a different class", "was")
    if wording.base.classes_ is None:
        who, verb = "case more than a standard deviation away", "had"
    start = f"Counterexample: case {wording.case(match)}, the nearest {who}, {verb} {wording.outcome(match)}"
    if not match.differing:
        return f"{start} and is {wording.rest(match)}."
    return f"{start} and differs in {wording.differences(match)}."


def _cells(explanation: CaseExplanation) -> tuple[list[str], list[list[tuple[str, bool]]]]:
    """Return heads, and per line cells with a mark where a case differs from the row."""
    wording = CaseWording(explanation)
    matches = explanation.matches
    heads = ["", "yours"]
    for match in matches:
        kind = "counterexample: " if match is explanation.contrast else ""
        heads.append(f"{kind}case {wording.case(match)}")
    outcome = [("outcome", False), (f"{wording.outcome(None)} (predicted)", False)]
    contrast = explanation.contrast
    lines = [[*outcome, *((wording.outcome(match), match is contrast) for match in matches)]]
    for feature in range(len(explanation.base.schema)):
        line = [(wording.features.name(feature), False), (wording.value(feature, None), False)]
        line += [(wording.value(feature, match), feature in match.differing) for match in matches]
        lines.append(line)
    return heads, lines
