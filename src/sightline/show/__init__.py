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
from sightline.show._verbs import explain, plot, to_dot, to_frame, to_html, to_svg, to_text
from sightline.wording import printable

__all__ = ["explain", "plot", "printable", "to_dot", "to_frame", "to_html", "to_svg", "to_text"]
