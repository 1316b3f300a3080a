"""A letter to the person affected by a decision: the result and its main reasons, in plain words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from string import Template
from typing import Any

from sightline.exceptions import ParameterError, UnsupportedModelError
from sightline.model import Explanation, Reason
from sightline.show._model_findings import N_REASONS
from sightline.table import flag_of
from sightline.wording import (
    MAX_VALUES,
    answer_text,
    cell_text,
    distinct_strings,
    exact_text,
    instant_text,
    list_names,
    percent,
    printable,
    separated,
    shown_bound,
    with_unit,
)

LETTER = """\
Reference: $row

This letter explains a result that a computer model produced in your case.

Result: $result

The main reasons, the most important one first:

$reasons

$evidence

Please tell us if any of these facts is wrong, or if you want a person to
look at the result again.
"""
"""The letter that ``to_letter`` and ``--letter`` write by default."""

LETTER_WITH_CHANGES = LETTER.replace(
    "$evidence\n",
    """\
$evidence

$changes

These changes concern the computer model only. They do not promise a different
decision later.
""",
)
"""The same, with what would have led to another result."""

LETTER_FRAMES = {
    "row": ("Reference: $row\n\n", ""),
    "reasons": ("The main reasons, the most important one first:\n\n", ""),
    "several_reasons": ("The main reasons, the most important one first:\n\n", "The main reason:\n\n"),
    "evidence": ("$evidence\n\n", ""),
    "changes": (
        "These changes concern the computer model only. They do not promise a different\ndecision later.\n\n",
        "",
    ),
    "several_changes": (
        "These changes concern the computer model only. They do not promise a different\ndecision later.\n\n",
        "This change concerns the computer model only. It does not promise a different\ndecision later.\n\n",
    ),
    "facts": (
        "Please tell us if any of these facts is wrong, or if you want a person to\n"
        "look at the result again.\n",
        "Please tell us if you want a person to look at the result again.\n",
    ),
}
"""What a letter says about the row's name, its reasons and so on, and what it says where there are none.

The report page uses the same ones.
"""

PLACEHOLDERS = (
    "row",
    "prediction",
    "target",
    "result",
    "probability",
    "reasons",
    *(f"reason_{i}" for i in range(1, N_REASONS + 1)),
    "evidence",
    "changes",
)
"""Placeholders of a template, each with a dollar sign before it; two dollar signs mean one."""

LETTER_SENTENCES = {
    "not_known": "{name}: not known",
    "value": "{name}: {value}",
    "bounded": "{name}: {value} ({bounds})",
    "above": "more than {low}",
    "from": "{low} or more",
    "up_to": "{high} or less",
    "below": "less than {high}",
    "after": "after {low}",
    "until": "{high} or earlier",
    "from_day": "{low} or later",
    "before_day": "before {high}",
    "not_these": "not {values}",
    "not_these_and_more": "not {values} and {n} more",
    "between_above": "more than {low}, ",
    "between_from": "at least {low}, ",
    "between_up_to": "at most {high}",
    "none_stands_out": "No single fact stands out.",
    "usual": "No single fact stands out: this is the usual result.",
    "none_used": "No fact about you was used: everyone gets this result.",
    "one_case": "In the one earlier case like this one, the outcome was {outcome}.",
    "not_the_one_case": "In the one earlier case like this one, the outcome was not {outcome}.",
    "all_cases": "In all {n} earlier cases like this one, the outcome was {outcome}.",
    "of_cases": "In {share} of {n} earlier cases like this one, the outcome was {outcome}.",
    "compared_cases": (
        "In {share} of {n} earlier cases like this one, the outcome was {outcome}, "
        "compared with {base} of all cases."
    ),
    "none_of_cases": (
        "In none of {n} earlier cases like this one was the outcome {outcome}, "
        "compared with {base} of all cases."
    ),
    "all_weighted_cases": "In all earlier cases like this one, the outcome was {outcome}.",
    "of_weighted_cases": "In {share} of earlier cases like this one, the outcome was {outcome}.",
    "compared_weighted_cases": (
        "In {share} of earlier cases like this one, the outcome was {outcome}, "
        "compared with {base} of all cases."
    ),
    "none_of_weighted_cases": (
        "In none of the earlier cases like this one was the outcome {outcome}, "
        "compared with {base} of all cases."
    ),
    "sure": "The computer model is {share} sure of this result.",
    "weighted_cases_of_number": "This number is based on earlier cases like this one.",
    "one_case_of_number": "This number is based on one earlier case like this one.",
    "cases_of_number": "This number is based on {n} earlier cases like this one.",
    "one_change": "The result would have been {goal} with this change:",
    "changes_together": "The result would have been {goal} with these changes:",
    "changes": "The result would have been {goal} with any one of these changes:",
    "changes_by_line": "The result would have been {goal} with the changes in any one of these lines:",
    "instead_of": "{name}: {after} instead of {before}",
    "unknown": "not known",
    "true": "yes",
    "false": "no",
    "nothing_to_change": "Nothing would have to change.",
    "no_change": "No allowed change of the facts would have led to {goal}.",
    "no_change_found": "No change that leads to {goal} was found.",
}
"""Sentences that replace the placeholders; the report page fills in the same ones."""

GENERIC_TARGETS = ("class", "label", "outcome", "prediction", "result", "target")
"""Names of targets, in lower case, that say nothing: "the outcome was outcome = sepsis"."""

SEPARATED_FROM = 10_000
"""Numbers from here on have thousands separators: years and house numbers do not."""


_CONVINCING = 0.5
"""A label that at least this share of earlier cases has needs no comparison."""

FEW_CASES = 1.5
"""Less than this many cases round to one or none."""

_SMALL = 0.1
"""Shares of all cases below this are written with a decimal."""


def checked_template(text: str) -> Template:
    """Return a template whose placeholders are all known.

    Parameters
    ----------
    text : str
        The text of a letter.

    Returns
    -------
    Template
        Ready to be filled in.

    Raises
    ------
    ParameterError
        Naming the line with an unknown or a broken placeholder.

    Examples
    --------
    >>> checked_template("Result: $prediction").substitute(prediction="no")
    'Result: no'
    """
    for number, line in enumerate(text.splitlines(), 1):
        template = Template(line)
        if not template.is_valid():
            raise ParameterError(
                f"Line {number} of the template has a dollar sign without a placeholder. "
                "Write $$ for a dollar sign."
            )
        unknown = [name for name in template.get_identifiers() if name not in PLACEHOLDERS]
        if unknown:
            known = list_names([f"${name}" for name in PLACEHOLDERS], len(PLACEHOLDERS))
            raise ParameterError(
                f"Line {number} of the template has an unknown placeholder, ${unknown[0]}. "
                f"Choose from: {known}."
            )
    return Template(text)


def letter(
    explanation: Explanation,
    template: Template | None = None,
    names: Mapping[str, str] | None = None,
    target: str | None = None,
    changes: Any = None,
) -> str:
    """Write a letter about one row from a template.

    :meth:`sightline.model.Explanation.to_letter` checks the template and warns if the ensemble disagrees.

    Parameters
    ----------
    explanation : Explanation
        Why the row gets its result.
    template : Template, optional
        As :func:`checked_template` gives it; :data:`LETTER` by default.
    names : mapping of str to str, optional
        Plain names of columns, labels and the target. Values of columns stay as they are.
    target : str, optional
        Name of the target; by default the one that the model knows.
    changes : Counterfactuals, optional
        What would have to change for another result.
    """
    if not explanation.findings.gives_reasons:
        raise UnsupportedModelError(
            "This model gives no reasons for a single decision, so there is no letter. "
            "Explain a tree or rules that summarize it."
        )
    names = names or {}
    reasons = principal_reasons(explanation, names)
    prediction = _result(explanation, names)
    target = explanation.findings.target if target is None else target
    what = printable(names.get(target, target))
    prefix = f"{what} = " if what and what.casefold() not in GENERIC_TARGETS else ""
    filled = {f"reason_{i}": reasons[i - 1] if i <= len(reasons) else "" for i in range(1, N_REASONS + 1)}
    evidence, has_changes = _evidence(explanation, prefix), bool(changes and changes[0].changes)
    fitting = {
        "row": explanation.row is not None,
        "reasons": bool(reasons),
        "several_reasons": len(reasons) > 1,
        "evidence": bool(evidence),
        "changes": has_changes,
        "several_changes": bool(changes and (len(changes) > 1 or len(changes[0].changes) > 1)),
        "facts": bool(reasons) or has_changes,
    }
    return _framed(template or Template(LETTER), fitting).substitute(
        filled,
        row="none" if explanation.row is None else printable(explanation.row),
        prediction=prediction,
        target=what,
        result=f"{prefix if str(explanation.prediction) not in names else ''}{prediction}",
        probability="" if explanation.probability is None else percent(explanation.probability),
        reasons="\n".join(f"{i}. {reason}" for i, reason in enumerate(reasons, 1)) or _no_reason(explanation),
        evidence=evidence,
        changes="" if changes is None else _changes(changes, names, prefix),
    )


def _framed(template: Template, fitting: Mapping[str, bool]) -> Template:
    """Return a template without the frames that do not fit what they are about."""
    text = template.template
    for name, (frame, instead) in LETTER_FRAMES.items():
        text = text if fitting[name] else text.replace(frame, instead)
    return Template(text)


def principal_reasons(explanation: Explanation, names: Mapping[str, str]) -> list[str]:
    """Return the reasons that led to the result, at most four, the most important first.

    Reasons against the result are left out. For a number, all reasons count.
    """
    counted = [
        reason
        for reason in explanation.reasons
        if reason.change > 0 or (explanation.is_number and reason.change)
    ]
    return [_sentence(reason, names) for reason in counted[:N_REASONS]]


def _changes(found: Any, names: Mapping[str, str], prefix: str) -> str:
    """List what would have led to another result, one line for each way."""
    if not found:
        goal = _goal(found, names, prefix, "another result")
        return _say("no_change" if found.impossible else "no_change_found", goal=goal)
    if not found[0].changes:
        return _say("nothing_to_change")
    ways = ["; ".join(_change(change, names) for change in one.changes) for one in found]
    lines = "\n".join(f"{i}. {way}" for i, way in enumerate(ways, 1))
    goal = _goal(found, names, prefix, "different")
    are_single = all(len(one.changes) == 1 for one in found)
    if len(ways) == 1:
        heading = "one_change" if are_single else "changes_together"
    else:
        heading = "changes" if are_single else "changes_by_line"
    return f"{_say(heading, goal=goal)}\n\n{lines}"


def _goal(found: Any, names: Mapping[str, str], prefix: str, any_other: str) -> str:
    """Name the wanted result, unless any other one was wanted: only then, no change means no other result."""
    if found.goal.any_other:
        return any_other
    if found.goal.labels is None:
        return str(found.wanted)
    labels = [str(label) for label in found.goal.labels.tolist()]
    return " or ".join(printable(names.get(label, f"{prefix}{label}")) for label in labels)


def _change(change: Any, names: Mapping[str, str]) -> str:
    """Say which value a column would need, as in ``income: 2001 instead of 1800``.

    The new number has all its digits: a rounded one might not lead to another result.
    """
    unit, values = printable(change.unit), (change.after, change.before)
    is_large = _are_large([value for value in values if _is_number(value)])
    after, before = map(_plain, values)
    if _is_number(change.after):
        after = exact_text(float(change.after), unit, is_separated=is_large)
    if _is_number(change.before):
        before = _with_unit(cell_text(float(change.before)), unit, is_large)
    return _say("instead_of", name=_name(change.column, names), after=after, before=before)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _name(column: str, names: Mapping[str, str]) -> str:
    return printable(names.get(column, column.replace("_", " ")))


def _sentence(reason: Reason, names: Mapping[str, str]) -> str:
    """Say in plain words which condition a value meets, as in ``income: 1800 (2000 or less)``."""
    name = _name(reason.column, names)
    if reason.value is None:
        return _say("not_known", name=name)
    if reason.kind:
        value, bounds = printable(reason.value), _instant_bounds(reason)
    elif isinstance(reason.value, float):
        value, bounds = _number_and_bounds(reason, reason.value)
    else:
        value, bounds = _plain(reason.value), _not_these(reason.excluded)
    return _say("bounded" if bounds else "value", name=name, value=value, bounds=bounds)


def _plain(value: Any) -> str:
    """Write the value of a column. Names are for labels: a "yes" there means another thing."""
    if value is None:
        return _say("unknown")
    flag = flag_of(value)
    return printable(value) if flag is None else _say("true" if flag else "false")


def _not_these(excluded: tuple[Any, ...]) -> str:
    """Say which categories a condition excludes; the row's own says too little then."""
    if not excluded:
        return ""
    values = ", ".join(map(_plain, excluded[:MAX_VALUES]))
    n_more = len(excluded) - MAX_VALUES
    return _say("not_these_and_more" if n_more > 0 else "not_these", values=values, n=f"{n_more:,}")


def _number_and_bounds(reason: Reason, value: float) -> tuple[str, str]:
    """Write a number with the digits of its cell, and its bounds with few."""
    low, is_from = _shown(reason.low, value)
    high, is_below = _shown(reason.high, value)
    known = [number for number in (value, low, high) if number is not None]
    strings = distinct_strings(known)
    strings[value] = max(strings[value], cell_text(value), key=len)
    texts = {
        number: _with_unit(text, printable(reason.unit), _are_large(known))
        for number, text in strings.items()
    }
    low_text, high_text = ("" if bound is None else texts[bound] for bound in (low, high))
    low_way = "from" if is_from else "above"
    return texts[value], _between(low_text, high_text, low_way, "below" if is_below else "up_to")


def _between(low: str, high: str, low_way: str, high_way: str) -> str:
    """Write the bounds of a number; an empty one is none."""
    if not (low and high):
        return _say(low_way, low=low) if low else _say(high_way, high=high) if high else ""
    upper = _say("between_up_to" if high_way == "up_to" else high_way, high=high)
    return f"{_say(f'between_{low_way}', low=low)}{upper}"


def _instant_bounds(reason: Reason) -> str:
    """Write the bounds of a date, time or duration; of a date, by the first day beyond them."""
    is_day = reason.kind == "date"
    low, high = (
        "" if bound is None else instant_text(math.floor(bound) + 1 if is_day else bound, reason.kind)
        for bound in (reason.low, reason.high)
    )
    if reason.kind == "duration":
        return _between(low, high, "above", "up_to")
    lower = _say("from_day" if is_day else "after", low=low) if low else ""
    upper = _say("before_day" if is_day else "until", high=high) if high else ""
    return ", ".join(filter(None, [lower, upper]))


def _shown(bound: float | None, value: float) -> tuple[float | None, bool]:
    """Return the number to write for a bound, and whether it is the first one beyond."""
    return (None, False) if bound is None else shown_bound(bound, value)


def _say(sentence: str, **values: str) -> str:
    return LETTER_SENTENCES[sentence].format(**values)


def _are_large(numbers: Sequence[float]) -> bool:
    """Return whether numbers that stand together have thousands separators."""
    return any(abs(number) >= SEPARATED_FROM for number in numbers)


def _with_unit(text: str, unit: str, is_large: bool) -> str:
    return with_unit(separated(text) if is_large else text, unit)


def _result(explanation: Explanation, names: Mapping[str, str]) -> str:
    if explanation.is_number:
        return answer_text(float(explanation.prediction))
    return printable(names.get(str(explanation.prediction), explanation.prediction))


def _no_reason(explanation: Explanation) -> str:
    if not explanation.reasons:
        return _say("none_used")
    return _say("usual" if explanation.findings.is_usual(explanation.index) else "none_stands_out")


def compared_shares(share: float, base: float | None) -> dict[str, str] | None:
    """Write the share of a label in a leaf beside its share of all rows; None if the first is enough.

    Most earlier cases do not have the label of a low threshold. Why it was given shows only beside all cases.

    Examples
    --------
    >>> compared_shares(0.1, 0.0123), compared_shares(0.8, 0.3)
    ({'share': '10.0%', 'base': '1.2%'}, None)
    """
    if base is None or share >= _CONVINCING:
        return None
    digits = 0 if base >= _SMALL else 1
    return {"share": percent(share, digits), "base": percent(base, digits)}


def _evidence(explanation: Explanation, prefix: str) -> str:
    """Say how far the result can be trusted.

    Earlier cases have the label of the data: a plain name of the result, such as "declined", is not theirs.
    """
    support, precision = explanation.support, explanation.precision
    n = f"{support or 0:,.0f}"
    # Neither the sum of weights nor parts of a case are a number of cases.
    is_part = support is not None and support != 1 and support < FEW_CASES
    weighted = "weighted_" if explanation.findings.is_weighted or is_part else ""
    one = "one_case" if support == 1 and not weighted else ""
    if support and precision is not None:
        outcome = f"{prefix}{printable(explanation.prediction)}"
        if precision == 1:
            return _say(one or f"all_{weighted}cases", n=n, outcome=outcome)
        base = compared_shares(precision, explanation.findings.base_rate(explanation.index))
        if base is not None and not precision:
            return _say(f"not_the_{one}" if one else f"none_of_{weighted}cases", n=n, outcome=outcome, **base)
        if base is not None:
            return _say(f"compared_{weighted}cases", n=n, outcome=outcome, **base)
        return _say(f"of_{weighted}cases", n=n, share=percent(precision), outcome=outcome)
    if explanation.probability is not None:
        return _say("sure", share=percent(explanation.probability))
    has_cases = support and explanation.is_number
    return _say(f"{one or f'{weighted}cases'}_of_number", n=n) if has_cases else ""
