"""Explanations in a notebook: a card for one row, a table for many."""

from __future__ import annotations

from html import escape

from sightline.model import Explanation, Explanations, NearCase, Reason
from sightline.wording import answer_text, percent, pluralize, printable, with_unit

_MAX_ROWS = 10
_MAX_REASONS = 8
_N_MAIN = 3
_BAR_WIDTH = 7.0
"""Width of the longest bar, in em."""

_TOWARD, _AGAINST = "#4477aa", "#cc6677"
_CELL = "text-align:left;padding:2px 14px 2px 0;vertical-align:top;white-space:normal"


def card(explanation: Explanation) -> str:
    """Return one row as a card: what is predicted, the reasons as bars, and the sentences."""
    row = "" if explanation.row is None else f"Row {_text(explanation.row)}: "
    heading = f"<b>{row}{_prediction(explanation)}</b>{_probability(explanation)}"
    sentences = "<br>".join(_text(line) for line in str(explanation).splitlines())
    body = _reasons(explanation) + _cases(explanation.cases)
    folded = f"<details><summary>In sentences</summary><p>{sentences}</p></details>"
    plain = f"<p>{sentences}</p>"
    return (
        f'<div style="max-width:52em"><p style="font-size:1.1em">{heading}</p>'
        f"{_agreement(explanation)}{body}{folded if body else plain}</div>\n"
    )


def overview(explanations: Explanations) -> str:
    """Return the first rows as a table with their main reasons."""
    has_shares = explanations.probabilities is not None
    heads = ["row", "prediction", *(["probability"] if has_shares else []), "main reasons"]
    lines = []
    for one in explanations[:_MAX_ROWS]:
        share = [_text(percent(one.probability))] if one.probability is not None else []
        reasons = "; ".join(_text(reason.condition) for reason in one.reasons[:_N_MAIN])
        lines.append([_text(one.row), _prediction(one), *share, reasons])
    n_more = len(explanations) - len(lines)
    more = f"<p>… and {pluralize(n_more, 'more row')}</p>" if n_more > 0 else ""
    return f"<div>{_table(heads, lines)}{more}</div>\n"


def _text(value: object) -> str:
    return escape(printable(value))


def _prediction(explanation: Explanation) -> str:
    predicted = explanation.prediction
    return _text(answer_text(predicted) if explanation.is_number else predicted)


def _probability(explanation: Explanation) -> str:
    known = explanation.probability
    return "" if known is None else f" with probability {percent(known)}"


def _agreement(explanation: Explanation) -> str:
    """Say what the ensemble predicts, if there is one."""
    answer = explanation.ensemble
    if answer is None or answer.agrees is None:
        return ""
    is_itself = answer.agrees and answer.probability == explanation.probability is not None
    if is_itself:
        return ""
    if answer.agrees:
        share = "" if answer.probability is None else f" (probability {percent(answer.probability)})"
        return f"<p>The ensemble agrees{share}.</p>"
    return f"<p><b>The ensemble disagrees: {_text(answer.prediction)}.</b></p>"


def _reasons(explanation: Explanation) -> str:
    reasons = explanation.reasons
    if not reasons:
        return ""
    what = "number" if explanation.is_number else "lead" if explanation.findings.has_leads else "probability"
    widest = max(abs(reason.change) for reason in reasons) or 1.0
    lines = [
        [_text(reason.condition), _value(reason), _bar(reason, widest, what)]
        for reason in reasons[:_MAX_REASONS]
    ]
    n_more = len(reasons) - len(lines)
    if n_more > 0:
        lines.append([f"… and {pluralize(n_more, 'more column')}", "", ""])
    head = "change of the label's lead in expected cost" if what == "lead" else f"change of the {what}"
    return _table(["because", "this row", head], lines)


def _value(reason: Reason) -> str:
    if reason.value is None:
        return "missing"
    if isinstance(reason.value, float):
        return _text(with_unit(answer_text(reason.value), reason.unit))
    return _text(reason.value)


def _bar(reason: Reason, widest: float, what: str) -> str:
    """Draw how much a reason moved the answer; its length and sign say it, too."""
    width = _BAR_WIDTH * abs(reason.change) / widest
    color = _TOWARD if reason.change > 0 else _AGAINST
    change = abs(reason.change)
    size = f"{100 * change:.1f} points" if what == "probability" else answer_text(change, 3)
    sign = "+" if reason.change > 0 else "-" if reason.change < 0 else ""
    bar = f"display:inline-block;height:0.7em;width:{width:.2f}em;background:{color};margin-right:0.5em"
    return f'<span style="{bar}"></span>{sign}{size}'


def _cases(cases: tuple[NearCase, ...]) -> str:
    if not cases:
        return ""
    lines = []
    for case in cases:
        differences = "; ".join(
            f"{_text(name)} {_cell(theirs)} (this row: {_cell(own)})"
            for name, (theirs, own) in case.differences.items()
        )
        kind = "" if case.supports else " (counterexample)"
        lines.append([f"{_text(case.case)}{kind}", _cell(case.outcome), differences or "none"])
    return _table(["nearest case", "outcome", "differences"], lines)


def _cell(value: object) -> str:
    if value is None:
        return "missing"
    return _text(answer_text(value) if isinstance(value, float) else value)


def _table(heads: list[str], lines: list[list[str]]) -> str:
    top = "".join(f'<th style="{_CELL}">{head}</th>' for head in heads)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_CELL}">{cell}</td>' for cell in line) + "</tr>" for line in lines
    )
    style = "border-collapse:collapse;color:inherit;font-size:inherit"
    return f'<table style="{style}"><tr>{top}</tr>{body}</table>'
