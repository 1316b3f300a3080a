"""Show models to people: as text, drawings and sentences."""

from sightline.show._black_box import BlackBoxDisplay
from sightline.show._column_scale import MIN_ROWS_BEYOND, open_ends, quantile_range, rounded_range
from sightline.show._conditions import Conditions
from sightline.show._display import (
    Display,
    display,
    explain,
    plot,
    shows,
    to_dot,
    to_frame,
    to_html,
    to_svg,
    to_text,
)
from sightline.show._explanation import ExplanationDisplay, ExplanationsDisplay
from sightline.show._fidelity_curve import CurveDisplay
from sightline.show._frame import data_frame
from sightline.show._letter import (
    FEW_CASES,
    GENERIC_TARGETS,
    LETTER,
    LETTER_FRAMES,
    LETTER_SENTENCES,
    LETTER_WITH_CHANGES,
    PLACEHOLDERS,
    SEPARATED_FROM,
    checked_template,
    compared_shares,
    letter,
)
from sightline.show._model_findings import N_REASONS
from sightline.show._node_wording import NodeWording
from sightline.show._outline import Outline
from sightline.show._response import response_text
from sightline.show._stump_table import StumpTableDisplay
from sightline.show.cases import CaseBaseDisplay, CaseExplanationDisplay, NeighborsDisplay, case_notes
from sightline.show.drawing import (
    LEVEL_GAP,
    SIBLING_GAP,
    SIZES,
    BoxMaker,
    Chart,
    Line,
    SplitCharts,
    answer_lines,
    box_size,
    class_color,
    class_colors,
    lay_out,
    lines_in_box,
    text_width,
    tidy_positions,
)
from sightline.show.ensembles import EnsembleDisplay
from sightline.show.nodes import GraphDisplay, TreeDisplay, counts_own_labels, label_merits
from sightline.show.rules import RuleSetDisplay, RuleWording, counted_lines, strongest_first, voting_text

__all__ = [
    "FEW_CASES",
    "GENERIC_TARGETS",
    "LETTER",
    "LETTER_FRAMES",
    "LETTER_SENTENCES",
    "LETTER_WITH_CHANGES",
    "LEVEL_GAP",
    "MIN_ROWS_BEYOND",
    "N_REASONS",
    "PLACEHOLDERS",
    "SEPARATED_FROM",
    "SIBLING_GAP",
    "SIZES",
    "BlackBoxDisplay",
    "BoxMaker",
    "CaseBaseDisplay",
    "CaseExplanationDisplay",
    "Chart",
    "Conditions",
    "CurveDisplay",
    "Display",
    "EnsembleDisplay",
    "ExplanationDisplay",
    "ExplanationsDisplay",
    "GraphDisplay",
    "Line",
    "NeighborsDisplay",
    "NodeWording",
    "Outline",
    "RuleSetDisplay",
    "RuleWording",
    "SplitCharts",
    "StumpTableDisplay",
    "TreeDisplay",
    "answer_lines",
    "box_size",
    "case_notes",
    "checked_template",
    "class_color",
    "class_colors",
    "compared_shares",
    "counted_lines",
    "counts_own_labels",
    "data_frame",
    "display",
    "explain",
    "label_merits",
    "lay_out",
    "letter",
    "lines_in_box",
    "open_ends",
    "plot",
    "quantile_range",
    "response_text",
    "rounded_range",
    "shows",
    "strongest_first",
    "text_width",
    "tidy_positions",
    "to_dot",
    "to_frame",
    "to_html",
    "to_svg",
    "to_text",
    "voting_text",
]
