"""Sentences that the page fills in while it is used; all other text arrives as finished strings.

Words in braces are replaced by the page's ``say``. Conditions, shares of nodes and sizes come as
finished strings from :mod:`sightline.wording`; the formats below repeat its rules for numbers that
only exist once a person moves a slider.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sightline.wording import branch_words

UNITS = {
    "row": ["row", "rows"],
    "leaf": ["leaf", "leaves"],
    "node": ["node", "nodes"],
    "rule": ["rule", "rules"],
    "stump": ["stump", "stumps"],
    "case": ["case", "cases"],
    "member": ["member", "members"],
}

FEW_ROWS = 20
"""A share or mean of fewer rows is shown with their number: a single row moves it by 5 points or more."""

SENTENCES = {
    # Numbers, as sightline.wording.percent writes them, and lists.
    "percent": "{number}%",
    "percent_over": "over {number}%",
    "percent_under": "under {number}%",
    "and": " and ",
    "more": "{n} more",
    "always": "always",
    "missing": "missing",
    "rare_value": "rare value {n}",
    "equals": "{name} = {value}",
    "yes": "yes",
    "no": "no",
    # A node.
    "path_leaf": "If {conditions}, the {noun} predicts {label}.",
    "path_test": "If {conditions}, the {noun} asks: {question}",
    "root_leaf": "The {noun} predicts {label} for every row.",
    "root_test": "The {noun} first asks: {question}",
    "other_paths": "Other paths lead here too.",
    "reference": "same as node {node}",
    "rows_of_all": "{rows} ({share} of all)",
    "agreement": "The {noun} gives the ensemble's label on {share} of {rows} in this report, and a different "
    "one on {n}.",
    "agreement_all": "The {noun} gives the ensemble's label on all {rows} in this report.",
    "agreement_unseen": "No row of this report gets here.",
    "few": "{text} of {rows}",
    "proved": "✓ proved",
    "refuted": "not always",
    "open": "not known",
    "proved_leaf": "Proved: the ensemble gives this label to every possible row that gets here.",
    "refuted_leaf": "Refuted: the ensemble gives a different label to some possible row that gets here.",
    "open_leaf": "Not known: the search ended before this was decided.",
    "proved_below": "Proved: every leaf below gives the ensemble's label to every possible row.",
    "refuted_below": "Some leaf below differs from the ensemble on some possible row.",
    "open_below": "Not known: the search ended before every leaf below was decided.",
    "proof_elsewhere": "Proofs were searched only for the report's own tree.",
    # The drawing.
    "all_leaves": "All {leaves} are shown.",
    "some_leaves": "{leaves} shown, {n} folded.",
    "some_nodes": "{n} of {nodes} shown; the others are folded.",
    "drag": "Drag it to see the rest, or choose Fit.",
    "unfold_on_screen": "Folded nodes can be opened on the screen.",
    # What if.
    "because": "Because {conditions}.",
    "default_branch": "{names} is missing and takes the default branch.",
    "default_branches": "{names} are missing and take the default branches.",
    "averaged": "A value that the {noun} tests is missing, so it averages several leaves.",
    "flip": "It would be {label} if {condition}.",
    "no_flip": "No change of a single value would change the label.",
    "both_change": "Checked against the ensemble as well. {change}",
    "rules_hold": "{n} of {rules} hold.",
    "nearly": "These miss only one condition:",
    "stumps_for": "{n} of {stumps} vote for it:",
    "stumps_against": "Against it:",
    "averaged_stump": "a value is missing: averages its leaves, {label}",
    "letter_agrees": "The ensemble predicts the same for this row.",
    "letter_differs": "The ensemble predicts {other} for this row, but the letter gives the reasons for "
    "{own}. Send it only if the {noun} decides.",
    "letter_unknown": "This page cannot ask the ensemble about this row. Before you send the letter, check "
    "that the ensemble predicts the same.",
    "row_name": "row {n}",
    "row_label": "true label {label}",
    "row_model": "model {label}",
    "row_ensemble": "ensemble {label}",
    # Sizes, disagreements, cases.
    "size_fidelity": "fidelity",
    "size_quality": "accuracy",
    "size_ensemble": "accuracy of the ensemble",
    "size": "{size}: fidelity {fidelity}{accuracy} on {rows}{notes}.",
    "size_point": "{size}: {measure} {share}",
    "size_accuracy": ", accuracy {share}",
    "size_own": "the report's own model",
    "size_suggested": "the smallest within one standard error of the best",
    "no_difference": "Model and ensemble give the same label on all {rows} of this report.",
    "difference": "Model and ensemble differ on {n} of {rows} ({share}).",
    "difference_shown": "{n} of them are on this page.",
    "pair": "{own} → {other}: {n}",
    "row_numbers": "Row numbers start at 0 and refer to this report.",
    "row_names": "Rows are named as in the data.",
    "possible_rows": "For {leaves}, the search found a possible row on which they differ. "
    "Such a row need not occur in practice.",
    "group": "{n} of {rows}: ",
    "case_vote": " ({share}; {n} of {members})",
    "case_vote_without_share": " ({n} of {members})",
    "cases_caption": "{n} of {cases}, the most similar first. Case numbers are row numbers of the training "
    "data and start at 0.",
    "named_cases_caption": "{n} of {cases}, the most similar first. Cases are named as in the training data.",
    "case_marks": "Bold: differs by more than a twentieth of the range.",
    "case_use": "Use: share of the members that use the feature.",
    "shown": "{n} of {all} shown.",
    "shown_of_found": "{n} of {all} shown, {total} in total.",
}


NUMBER_SENTENCES = {
    "agreement": "On {rows} in this report, the {noun} is {gap} away from the ensemble's number on average.",
    "agreement_all": "The {noun} gives the ensemble's number on all {rows} in this report.",
    "few": "{text} in {rows}",
    "bins": "{rows}, from {low} to {high}",
    "no_bins": "No row of this report gets here.",
    "spread": "{number} (standard deviation of the training rows)",
    "line_bounds": "never below {low} or above {high}",
    "line": "It is {line} there.",
    "range": "With one value changed, it could be as low as {low} (if {low_condition}) and as high as {high} "
    "(if {high_condition}).",
    "range_up": "With one value changed, it could be as high as {high} (if {high_condition}).",
    "range_down": "With one value changed, it could be as low as {low} (if {low_condition}).",
    "no_flip": "No change of a single value would change the number.",
    "letter_differs": "The ensemble predicts {other} for this row, but the letter gives the reasons for "
    "{own}.",
    "letter_unknown": "This page cannot ask the ensemble about this row. Before you send the letter, check "
    "what the ensemble predicts.",
    "row_label": "true number {label}",
    "size_fidelity": "R² to the ensemble",
    "size_quality": "R² to the true numbers",
    "size_ensemble": "R² of the ensemble to the true numbers",
    "size": "{size}: R² {fidelity} to the ensemble{accuracy} on {rows}{notes}.",
    "size_accuracy": ", {share} to the true numbers",
    "size_suggested": "the smallest whose R² is within 0.01 of the best",
    "no_difference": "Model and ensemble give the same number on all {rows} of this report.",
    "difference": "Model and ensemble are {mean} apart on average and {largest} at most, on {rows}.",
    "difference_shown": "Below are the {n} on which they differ most.",
    "density": "Each square counts rows: the stronger its color, the more. On the diagonal, both numbers are "
    "equal.",
    "cell": "{rows}: {x} and {y}",
}
"""For models that predict numbers, instead of the sentences above or in addition to them."""


BALANCED_SENTENCES = {
    "size_fidelity": "balanced fidelity",
    "size_quality": "balanced accuracy",
    "size_ensemble": "balanced accuracy of the ensemble",
    "size": "{size}: balanced fidelity {fidelity}{accuracy} on {rows}{notes}.",
    "size_accuracy": ", balanced accuracy {share}",
}
"""For imbalanced classes, instead of the sentences above."""


def words(
    teacher_noun: str, task: str = "classes", classes: Sequence[object] = (), is_imbalanced: bool = False
) -> dict[str, Any]:
    """Return the units and sentences, with the noun for the ensemble that the model replaces.

    Branches are not called yes and no if classes are.

    Examples
    --------
    >>> words("black box")["sentences"]["row_ensemble"]
    'black box {label}'
    >>> words("ensemble", "numbers")["sentences"]["row_label"]
    'true number {label}'
    """
    chosen = SENTENCES if task == "classes" else {**SENTENCES, **NUMBER_SENTENCES}
    if is_imbalanced:
        chosen = {**chosen, **BALANCED_SENTENCES}
    sentences = {key: text.replace("ensemble", teacher_noun) for key, text in chosen.items()}
    sentences["yes"], sentences["no"] = branch_words(classes)
    return {"units": UNITS, "sentences": sentences, "teacher": teacher_noun, "few_rows": FEW_ROWS}
