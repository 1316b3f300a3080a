"""Shared wording of text, plots, pages and the command: the one place to change how things read.

Everything here takes plain data (names, numbers, lists of categories), so that every stage can use it.
"""

from sightline.wording._bounds import SINGLE_PRECISION, BoundStrings, shown_bound, shown_bounds
from sightline.wording._condition import FEW_VALUES, MAX_VALUES, FeatureWording, all_of, branch_words
from sightline.wording._count import capitalize, list_choices, list_names, pluralize, pluralize_rows
from sightline.wording._instant import exact_text, instant_text, with_unit
from sightline.wording._number import answer_text, cell_text, distinct_strings, number_text, separated
from sightline.wording._option import option_text
from sightline.wording._printable import printable, quote_if_odd, shortened
from sightline.wording._share import Share, percent, wilson_interval

__all__ = [
    "FEW_VALUES",
    "MAX_VALUES",
    "SINGLE_PRECISION",
    "BoundStrings",
    "FeatureWording",
    "Share",
    "all_of",
    "answer_text",
    "branch_words",
    "capitalize",
    "cell_text",
    "distinct_strings",
    "exact_text",
    "instant_text",
    "list_choices",
    "list_names",
    "number_text",
    "option_text",
    "percent",
    "pluralize",
    "pluralize_rows",
    "printable",
    "quote_if_odd",
    "separated",
    "shortened",
    "shown_bound",
    "shown_bounds",
    "wilson_interval",
    "with_unit",
]
