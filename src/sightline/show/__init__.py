"""Models for people: text, drawings, sentences."""

from sightline.show import (  # noqa: F401 - each registers what the verbs do for one noun
    _cases,
    _dot,
    _ensemble_explain,
    _ensemble_summary,
    _explain,
    _fidelity_curve,
    _graph_text,
    _html,
    _neighbours,
    _plot,
    _rule_set,
    _rule_set_explain,
    _stump_table,
    _svg,
    _text,
)
from sightline.show._cases import case_notes
from sightline.show._conditions import Conditions
from sightline.show._node_wording import NodeWording
from sightline.show._outline import Outline
from sightline.show._palette import class_color
from sightline.show._rule_wording import RuleWording, strongest_first, voting_text
from sightline.show._tidy import tidy_positions
from sightline.show._verbs import explain, plot, to_dot, to_frame, to_html, to_svg, to_text

__all__ = [
    "Conditions",
    "NodeWording",
    "Outline",
    "RuleWording",
    "case_notes",
    "class_color",
    "explain",
    "plot",
    "strongest_first",
    "tidy_positions",
    "to_dot",
    "to_frame",
    "to_html",
    "to_svg",
    "to_text",
    "voting_text",
]
