"""One page that shows a model, how far it can be trusted, and where it is wrong."""

from sightline.report import (
    _cases,  # noqa: F401 - kinds of models register themselves
    _node_models,  # noqa: F401
    _rule_sets,  # noqa: F401
    _stumps,  # noqa: F401
)
from sightline.report._measure_words import imbalance_text, measure_lines
from sightline.report._notebook import notebook_html
from sightline.report._proof_words import covered_rows
from sightline.report._report import Report, report
from sightline.report._rows_in_parts import notes_of
from sightline.report._warnings import warning_sentences

__all__ = [
    "Report",
    "covered_rows",
    "imbalance_text",
    "measure_lines",
    "notebook_html",
    "notes_of",
    "report",
    "warning_sentences",
]
