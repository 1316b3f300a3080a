"""A rule set as text, table, picture and HTML."""

from __future__ import annotations

import importlib
from html import escape
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sightline.exceptions import ParameterError
from sightline.model import RuleSet
from sightline.show._palette import class_color
from sightline.show._plot import drawable
from sightline.show._rule_wording import RuleWording, strongest_first, voting_text
from sightline.show._text import classes_text
from sightline.show._verbs import plot, to_frame, to_html, to_text
from sightline.wording import percent, pluralize, shortened

_MAX_CONFLICTS = 10
_MAX_PREMISE = 70
_MAX_LEGEND = 8
_ROOM_FOR_NOTES = 1.6
"""Width of the axes, in lengths of the longest bar."""


@to_text.register
def _(rules: RuleSet, *, max_rules: int | None = 50, digits: int = 6, show_missing: bool = False) -> str:
    _check_max(max_rules)
    wording = RuleWording(rules, digits, show_missing)
    order = strongest_first(rules)
    shown = order[:max_rules]
    lines = _heading(rules, wording)
    for code, name in enumerate(wording.class_names()):
        own = [rule for rule in shown if rules.core.label[rule] == code]
        if own:
            lines += ["", f"{name}:", *(f"  {_rule_line(wording, rule)}" for rule in own)]
    if len(order) > len(shown):
        lines += ["", f"… and {len(order) - len(shown):,} weaker rules"]
    return "\n".join(lines + _conflict_lines(rules, wording)) + "\n"


def _heading(rules: RuleSet, wording: RuleWording) -> list[str]:
    count = pluralize(rules.n_rules, "rule")
    trees = f" from {pluralize(rules.n_trees, 'tree')}" if rules.n_trees else ""
    lines = [f"{count}{trees} that predict {classes_text(wording.class_names())}", voting_text(rules)]
    if np.any(rules.core.accepts_missing) and not wording._show_missing:
        lines.append("Some conditions also hold where the value is missing (show_missing=True says which)")
    if wording.precision:
        lines.append(f"{wording.precision[:1].upper()}{wording.precision[1:]}")
    return lines


def _rule_line(wording: RuleWording, rule: int) -> str:
    details = "; ".join(filter(None, [wording.evidence(rule), f"weight {wording.weight(rule)}"]))
    against = "against: " if wording.rules.core.weight[rule] < 0 else ""
    return f"{against}{wording.premise(rule)}  ({details})"


def _conflict_lines(rules: RuleSet, wording: RuleWording) -> list[str]:
    """Show rules with the same conditions but different classes side by side."""
    conflicts = rules.conflicts()
    if not conflicts:
        return []
    lines = ["", "Same conditions, different classes:"]
    for group in conflicts[:_MAX_CONFLICTS]:
        sides = " | ".join(f"{wording.label(rule)} (weight {wording.weight(rule)})" for rule in group)
        lines.append(f"  {wording.premise(group[0])}: {sides}")
    n_more = len(conflicts) - _MAX_CONFLICTS
    return [*lines, f"  … and {n_more:,} more"] if n_more > 0 else lines


@to_frame.register
def _(rules: RuleSet, library: str = "pandas", *, digits: int = 6, show_missing: bool = False) -> Any:
    if library not in ("pandas", "polars"):
        raise ParameterError(
            f"The 'library' parameter must be 'pandas' or 'polars'. Got {library!r} instead."
        )
    wording = RuleWording(rules, digits, show_missing)
    numbers = range(rules.n_rules)
    conflicts: dict[int, list[int]] = {}
    for group in rules.conflicts():
        conflicts |= {rule: [other for other in group if other != rule] for rule in group}
    begin = rules.core.source_begin
    content = {
        "rule": [wording.premise(rule) for rule in numbers],
        "label": rules.classes_[rules.core.label],
        "weight": np.array(rules.core.weight),
        "n_conditions": rules.lengths,
        "n_trees": rules.multiplicity,
        "coverage": rules.statistics.coverage,
        "precision": rules.statistics.precision,
        "oob_coverage": rules.statistics.oob_coverage,
        "oob_precision": rules.statistics.oob_precision,
        "trees": [rules.core.source[begin[rule] : begin[rule + 1]].tolist() for rule in numbers],
        "conflicts_with": [conflicts.get(rule, []) for rule in numbers],
    }
    return importlib.import_module(library).DataFrame(content)


@to_html.register
def _(rules: RuleSet, *, max_rules: int | None = 20, digits: int = 6, show_missing: bool = False) -> str:
    _check_max(max_rules)
    wording = RuleWording(rules, digits, show_missing)
    heading, *sentences = _heading(rules, wording)
    order = strongest_first(rules)
    shown = order[:max_rules]
    left = 'style="text-align:left"'
    body = "".join(
        f"<tr><td {left}>{escape(wording.premise(rule))}</td><td {left}>{escape(wording.label(rule))}</td>"
        f"<td>{wording.weight(rule)}</td><td {left}>{escape(wording.evidence(rule))}</td></tr>"
        for rule in shown
    )
    n_more = len(order) - len(shown)
    more = f'<tr><td colspan="4" {left}>… and {n_more:,} weaker rules</td></tr>' if n_more else ""
    columns = "".join(f"<th {left}>{name}</th>" for name in ("if", "then", "weight", "evidence"))
    said = "<br>".join(escape(sentence) for sentence in sentences)
    return (
        f"<div><p><b>{escape(heading)}</b><br>{said}</p><table><tr>{columns}</tr>{body}{more}</table></div>\n"
    )


@plot.register
def _(rules: RuleSet, ax: Axes | None = None, *, max_rules: int = 20, digits: int = 4) -> Axes:
    _check_max(max_rules)
    wording = RuleWording(rules, digits)
    shown = strongest_first(rules)[:max_rules]
    is_covered = np.isfinite(rules.statistics.coverage[shown]).all()
    lengths = rules.statistics.coverage[shown] if is_covered else np.abs(rules.core.weight[shown])
    if ax is None:
        figure = Figure(figsize=(9.6, 1.2 + 0.3 * len(shown)), layout="constrained")
        ax = figure.add_subplot()
    places = np.arange(len(shown))
    codes = [int(rules.core.label[rule]) for rule in shown]
    ax.barh(places, lengths, color=[class_color(code) for code in codes])
    ax.set_yticks(
        places, [drawable(shortened(wording.premise(rule), _MAX_PREMISE)) for rule in shown], parse_math=False
    )
    ax.invert_yaxis()
    _annotate(ax, rules, wording, shown, lengths)
    ax.set_xlim(0, _ROOM_FOR_NOTES * max(float(np.max(lengths, initial=0.0)), 1e-12))
    ax.set_xlabel("training rows that satisfy the rule" if is_covered else "weight of the rule")
    ax.spines[["top", "right"]].set_visible(False)
    _class_legend(ax, rules, wording, codes)
    return ax


def _annotate(ax: Axes, rules: RuleSet, wording: RuleWording, shown: list[int], lengths: Any) -> None:
    for place, (rule, length) in enumerate(zip(shown, lengths, strict=True)):
        precision = float(rules.statistics.precision[rule])
        right = f", {percent(precision)} right" if np.isfinite(precision) else ""
        text = drawable(f" weight {wording.weight(rule)}{right}")
        ax.text(float(length), place, text, va="center", fontsize=8, color="#4a515c", parse_math=False)


def _class_legend(ax: Axes, rules: RuleSet, wording: RuleWording, codes: list[int]) -> None:
    """Name the classes that are drawn, below the picture, where no bar can be."""
    drawn = sorted(set(codes))[:_MAX_LEGEND]
    names = wording.class_names()
    against = bool(np.any(rules.core.weight < 0))
    handles = [
        Patch(color=class_color(code), label=drawable(shortened(names[code], 24)).replace("$", r"\$"))
        for code in drawn
    ]
    title = "votes for or against" if against else None
    ax.legend(handles=handles, title=title, loc="lower right", frameon=False, fontsize=9)


def _check_max(max_rules: int | None) -> None:
    if max_rules is not None and max_rules < 1:
        raise ParameterError(
            f"The 'max_rules' parameter must be None or at least 1. Got {max_rules!r} instead."
        )
