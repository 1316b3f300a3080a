"""How a rule set is shown: as text, table, plot and frame."""

from __future__ import annotations

from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from sightline.model import BlackBox, Ensemble, RuleSet
from sightline.show._display import Display, shows
from sightline.show._frame import data_frame
from sightline.show._model_findings import explained
from sightline.show._outline import check_limit
from sightline.show._row import Rows
from sightline.show._tree_text import label_rule_lines, predicted_text
from sightline.show.drawing import class_colors, drawable, new_axes
from sightline.show.rules._findings import RuleFindings
from sightline.show.rules._wording import RuleWording, counted_lines, strongest_first, voting_text
from sightline.wording import capitalize, number_text, percent, pluralize, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_CONFLICTS = 10
_MAX_PREMISE = 70
_LEGEND_WIDTH = 90
"""Characters that fit beside each other above the plot."""
_MAX_LEGEND = 8
_MAX_LINE = 100
_ROOM_FOR_NOTES = 1.6
"""Width of the axes, in lengths of the longest bar."""


@shows(RuleSet)
class RuleSetDisplay(Display):
    """The strongest rules first, with the rows that support them."""

    model: RuleSet

    def text(self, *, max_rules: int | None = 50, digits: int = 6, show_missing: bool = False) -> str:
        """Return one line per rule, grouped by class."""
        rules, wording = self.model, RuleWording(self.model, digits, show_missing)
        shown = _strongest(rules, max_rules)
        lines = _heading(rules, wording)
        if rules.values is not None:
            by_value = sorted(shown, key=lambda rule: -rules.labels[rule])
            lines += ["", *(f"{wording.label(rule)} if {_rule_line(wording, rule)}" for rule in by_value)]
        for code, name in enumerate(wording.class_names):
            own = [rule for rule in shown if rules.core.label[rule] == code]
            if own:
                lines += ["", f"{name}:", *(f"  {_rule_line(wording, rule)}" for rule in own)]
        if rules.n_rules > len(shown):
            lines += ["", _weaker(rules, shown)]
        return "\n".join(lines + _conflict_lines(rules, wording)) + "\n"

    def html(self, *, max_rules: int | None = 20, digits: int = 6, show_missing: bool = False) -> str:
        """Return a table with one row per rule."""
        rules, wording = self.model, RuleWording(self.model, digits, show_missing)
        heading, *sentences = _heading(rules, wording)
        shown = _strongest(rules, max_rules)
        left = 'style="text-align:left"'
        body = "".join(
            f"<tr><td {left}>{escape(wording.premise(rule))}</td>"
            f"<td {left}>{escape(wording.label(rule))}</td><td>{wording.weight(rule)}</td>"
            f"<td {left}>{escape(wording.evidence(rule))}</td></tr>"
            for rule in shown
        )
        if rules.n_rules > len(shown):
            body += f'<tr><td colspan="4" {left}>{_weaker(rules, shown)}</td></tr>'
        columns = "".join(f"<th {left}>{name}</th>" for name in ("if", "then", "weight", "evidence"))
        notes = "<br>".join(escape(sentence) for sentence in sentences)
        return (
            f"<div><p><b>{escape(heading)}</b><br>{notes}</p><table><tr>{columns}</tr>{body}</table></div>\n"
        )

    def plot(self, ax: Axes | None = None, *, max_rules: int = 20, digits: int = 4) -> Axes:
        """Draw a bar per rule: the rows that it covers, or its weight if they are unknown."""
        rules, wording = self.model, RuleWording(self.model, digits)
        shown = _strongest(rules, max_rules)
        is_covered = np.isfinite(rules.statistics.coverage[shown]).all()
        lengths = rules.statistics.coverage[shown] if is_covered else np.abs(rules.core.weight[shown])
        if ax is None:
            ax = new_axes(9.6, 1.2 + 0.3 * len(shown))
        positions = np.arange(len(shown))
        codes = [int(rules.core.label[rule]) for rule in shown]
        colors = _colors(rules)
        ax.barh(positions, lengths, color=[colors[code] for code in codes])
        premises = [drawable(shortened(wording.premise(rule), _MAX_PREMISE)) for rule in shown]
        ax.set_yticks(positions, premises, parse_math=False)
        ax.invert_yaxis()
        _annotate(ax, rules, wording, shown, lengths)
        ax.set_xlim(0, _ROOM_FOR_NOTES * max(float(np.max(lengths, initial=0.0)), 1e-12))
        quantity = "training rows that satisfy the rule" if is_covered else "weight of the rule"
        notes = [line for rule in label_rule_lines(rules) for line in wrap(drawable(rule), _MAX_LINE)]
        ax.set_xlabel("\n".join([quantity, *notes]), parse_math=False)
        ax.spines[["top", "right"]].set_visible(False)
        if rules.values is None:
            _class_legend(ax, rules, wording, codes)
        return ax

    def explain(
        self,
        rows: Any,
        *,
        ensemble: Ensemble | BlackBox | None = None,
        ids: Any = None,
        mentions_ensemble: bool = True,
    ) -> Any:
        """Name the rules that hold for rows, and those that nearly do."""
        read = Rows.of(rows, self.model.schema, "the rule set", ids)
        return explained(RuleFindings(self.model, read, ensemble, mentions_ensemble), read)

    def frame(self, library: str = "pandas", *, digits: int = 6, show_missing: bool = False) -> Any:
        """Return a frame with one row per rule."""
        rules, wording = self.model, RuleWording(self.model, digits, show_missing)
        numbers = range(rules.n_rules)
        conflicts: dict[int, list[int]] = {}
        for group in rules.conflicts():
            conflicts |= {rule: [other for other in group if other != rule] for rule in group}
        begin = rules.core.source_begin
        return data_frame(
            {
                "rule": [wording.premise(rule) for rule in numbers],
                "label": rules.labels,
                "weight": np.array(rules.core.weight),
                "n_conditions": rules.lengths,
                "n_trees": rules.multiplicity,
                **rules.statistics.columns(),
                "trees": [rules.core.source[begin[rule] : begin[rule + 1]].tolist() for rule in numbers],
                "conflicts_with": [conflicts.get(rule, []) for rule in numbers],
            },
            library,
        )


def _strongest(rules: RuleSet, max_rules: int | None) -> list[int]:
    check_limit("max_rules", max_rules, 1)
    return strongest_first(rules)[:max_rules]


def _weaker(rules: RuleSet, shown: list[int]) -> str:
    return f"… and {pluralize(rules.n_rules - len(shown), 'weaker rule')}"


def _heading(rules: RuleSet, wording: RuleWording) -> list[str]:
    trees = f" from {pluralize(rules.n_trees, 'tree')}" if rules.n_trees else ""
    what = predicted_text(rules, [] if rules.values is not None else wording.class_names)
    lines = [f"{pluralize(rules.n_rules, 'rule')}{trees}; predicts {what}", voting_text(rules)]
    lines += label_rule_lines(rules)
    lines += counted_lines(rules)
    if wording.hides_missing:
        lines.append("Some conditions also hold for missing values; show_missing=True marks them.")
    if wording.precision:
        lines.append(f"{capitalize(wording.precision)}.")
    return lines


def _rule_line(wording: RuleWording, rule: int) -> str:
    details = "; ".join(filter(None, [wording.evidence(rule), f"weight {wording.weight(rule)}"]))
    against = "against: " if wording.rules.core.weight[rule] < 0 else ""
    return f"{against}{wording.premise(rule)}  ({details})"


def _conflict_lines(rules: RuleSet, wording: RuleWording) -> list[str]:
    """List rules with the same conditions but different classes side by side."""
    conflicts = rules.conflicts()
    if not conflicts:
        return []
    lines = ["", "Same conditions, different classes:"]
    for group in conflicts[:_MAX_CONFLICTS]:
        sides = " | ".join(f"{wording.label(rule)} (weight {wording.weight(rule)})" for rule in group)
        lines.append(f"  {wording.premise(group[0])}: {sides}")
    n_more = len(conflicts) - _MAX_CONFLICTS
    return [*lines, f"  … and {n_more:,} more"] if n_more > 0 else lines


def _annotate(ax: Axes, rules: RuleSet, wording: RuleWording, shown: list[int], lengths: Any) -> None:
    for position, (rule, length) in enumerate(zip(shown, lengths, strict=True)):
        text = drawable(f" {_note(rules, wording, rule)}")
        ax.text(float(length), position, text, va="center", fontsize=8, color="#4a515c", parse_math=False)


def _note(rules: RuleSet, wording: RuleWording, rule: int) -> str:
    if rules.values is not None:
        error = float(rules.statistics.error[rule])
        return wording.label(rule) + (f" ± {number_text(error, 3)}" if np.isfinite(error) else "")
    precision = float(rules.statistics.precision[rule])
    right = f", {percent(precision)} right" if np.isfinite(precision) else ""
    return f"weight {wording.weight(rule)}{right}"


def _colors(rules: RuleSet) -> list[str]:
    """Return the colors of the classes; rules that predict numbers have one."""
    return class_colors([None] if rules.classes_ is None else rules.classes_.tolist(), rules.positive)


def _class_legend(ax: Axes, rules: RuleSet, wording: RuleWording, codes: list[int]) -> None:
    """Name the classes above the plot, where no bar and no note can reach."""
    from matplotlib.patches import Patch  # noqa: PLC0415 - large

    names, colors = wording.class_names, _colors(rules)
    handles = [
        Patch(color=colors[code], label=drawable(shortened(names[code], 24)).replace("$", r"\$"))
        for code in sorted(set(codes))[:_MAX_LEGEND]
    ]
    widest = 4 + max((len(str(handle.get_label())) for handle in handles), default=0)
    title = "votes for or against" if np.any(rules.core.weight < 0) else None
    ax.legend(
        handles=handles,
        title=title,
        loc="lower right",
        bbox_to_anchor=(1, 1),
        ncols=max(1, min(len(handles), _LEGEND_WIDTH // widest)),
        frameon=False,
        fontsize=9,
    )
