"""A letter to the person affected by a decision: the result and its main reasons, in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from string import Template
from typing import Any

from sightline.exceptions import ParameterError, UnsupportedModelError
from sightline.model import Explanation, Reason
from sightline.show._model_findings import N_REASONS
from sightline.wording import (
    distinct_strings,
    list_names,
    percent,
    printable,
    separated,
    shown_bound,
    with_unit,
)

REFERENCE = "Reference: $row\n\n"
"""The first line of a letter. A row without a name gets none."""

EVIDENCE = "$evidence\n\n"
"""The paragraph that says how far the result can be trusted, if anything is known about that."""

LETTER = f"""\
{REFERENCE}\
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
    "between_above": "more than {low}, ",
    "between_from": "at least {low}, ",
    "between_up_to": "at most {high}",
    "none_stands_out": "No single fact stands out: this is the usual result.",
    "none_used": "No fact about you was used: everyone gets this result.",
    "one_case": "In the one earlier case like this one, the outcome was {outcome}.",
    "all_cases": "In all {n} earlier cases like this one, the outcome was {outcome}.",
    "of_cases": "In {share} of {n} earlier cases like this one, the outcome was {outcome}.",
    "compared_cases": (
        "In {share} of {n} earlier cases like this one, the outcome was {outcome}, "
        "compared with {base} of all cases."
    ),
    "all_weighted_cases": "In all earlier cases like this one, the outcome was {outcome}.",
    "of_weighted_cases": "In {share} of earlier cases like this one, the outcome was {outcome}.",
    "compared_weighted_cases": (
        "In {share} of earlier cases like this one, the outcome was {outcome}, "
        "compared with {base} of all cases."
    ),
    "sure": "The computer model is {share} sure of this result.",
    "weighted_cases_of_number": "This number is based on earlier cases like this one.",
    "one_case_of_number": "This number is based on one earlier case like this one.",
    "cases_of_number": "This number is based on {n} earlier cases like this one.",
    "one_change": "The result would have been different with this change:",
    "changes": "The result would have been different with any one of these changes:",
    "instead_of": "{name}: {after} instead of {before}",
    "unknown": "not known",
    "nothing_to_change": "Nothing would have to change.",
    "no_change": "No allowed change of the facts would have led to another result.",
    "no_change_found": "No change that leads to another result was found.",
}
"""Sentences that replace the placeholders; the report page fills in the same ones."""

GENERIC_TARGETS = ("class", "label", "outcome", "prediction", "result", "target")
"""Names of targets, in lower case, that say nothing: "the outcome was outcome = sepsis"."""

SEPARATED_FROM = 10_000
"""Numbers from here on have thousands separators: years and house numbers do not."""


_CONVINCING = 0.5
"""A label that at least this share of earlier cases has needs no comparison."""

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
        Plain names of columns, labels, the target and other values.
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
    text, evidence = (template or Template(LETTER)).template, _evidence(explanation, prefix)
    if explanation.row is None:
        text = text.removeprefix(REFERENCE)
    return Template(text if evidence else text.replace(EVIDENCE, "")).substitute(
        filled,
        row="none" if explanation.row is None else printable(explanation.row),
        prediction=prediction,
        target=what,
        result=f"{prefix if str(explanation.prediction) not in names else ''}{prediction}",
        probability="" if explanation.probability is None else percent(explanation.probability),
        reasons="\n".join(f"{i}. {reason}" for i, reason in enumerate(reasons, 1)) or _no_reason(explanation),
        evidence=evidence,
        changes="" if changes is None else _changes(changes, names),
    )


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


def _changes(found: Any, names: Mapping[str, str]) -> str:
    """List what would have led to another result, one line for each way."""
    if not found:
        return _say("no_change" if found.impossible else "no_change_found")
    if not found[0].changes:
        return _say("nothing_to_change")
    ways = ["; ".join(_change(change, names) for change in one.changes) for one in found]
    lines = "\n".join(f"{i}. {way}" for i, way in enumerate(ways, 1))
    return f"{_say('one_change' if len(ways) == 1 else 'changes')}\n\n{lines}"


def _change(change: Any, names: Mapping[str, str]) -> str:
    """Say which value a column would need, as in ``income: 2001 instead of 1800``."""
    values = (change.after, change.before)
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    written = iter(_numbers(*numbers, unit=change.unit))
    after, before = (
        _say("unknown")
        if value is None
        else next(written)
        if isinstance(value, int | float)
        else printable(names.get(str(value), value))
        for value in values
    )
    return _say("instead_of", name=_name(change.column, names), after=after, before=before)


def _name(column: str, names: Mapping[str, str]) -> str:
    return printable(names.get(column, column.replace("_", " ")))


def _sentence(reason: Reason, names: Mapping[str, str]) -> str:
    """Say in plain words which condition a value meets, as in ``income: 1800 (2000 or less)``."""
    name = _name(reason.column, names)
    if reason.value is None:
        return _say("not_known", name=name)
    if not isinstance(reason.value, float):
        return _say("value", name=name, value=printable(names.get(str(reason.value), reason.value)))
    low, is_from = _shown(reason.low, reason.value)
    high, is_below = _shown(reason.high, reason.value)
    value, low_text, high_text = _numbers(reason.value, low, high, unit=reason.unit)
    lower = _say("from" if is_from else "above", low=low_text)
    upper = _say("below" if is_below else "up_to", high=high_text)
    if low is None or high is None:
        bounds = upper if low is None else lower
        return _say("value" if low is high else "bounded", name=name, value=value, bounds=bounds)
    lower = _say("between_from" if is_from else "between_above", low=low_text)
    upper = upper if is_below else _say("between_up_to", high=high_text)
    return _say("bounded", name=name, value=value, bounds=f"{lower}{upper}")


def _shown(bound: float | None, value: float) -> tuple[float | None, bool]:
    """Return the number to write for a bound, and whether it is the first one beyond."""
    return (None, False) if bound is None else shown_bound(bound, value)


def _say(sentence: str, **values: str) -> str:
    return LETTER_SENTENCES[sentence].format(**values)


def _numbers(*values: float | None, unit: str = "") -> list[str]:
    """Write numbers in one style, different ones differently.

    All have their unit, and thousands separators if one is large.
    """
    known = [value for value in values if value is not None]
    is_large = any(abs(value) >= SEPARATED_FROM for value in known)
    strings = distinct_strings(known)
    texts = ["" if value is None else strings[value] for value in values]
    return [text and with_unit(separated(text) if is_large else text, printable(unit)) for text in texts]


def _result(explanation: Explanation, names: Mapping[str, str]) -> str:
    if explanation.is_number:
        return _numbers(float(explanation.prediction))[0]
    label = str(explanation.prediction)
    return printable(names.get(label, label))


def _no_reason(explanation: Explanation) -> str:
    return _say("none_stands_out" if explanation.reasons else "none_used")


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
    # The sum of weights is no number of cases.
    weighted = "weighted_" if explanation.findings.is_weighted else ""
    one = "one_case" if support == 1 and not weighted else ""
    if support and precision is not None:
        outcome = f"{prefix}{printable(explanation.prediction)}"
        if precision == 1:
            return _say(one or f"all_{weighted}cases", n=n, outcome=outcome)
        base = compared_shares(precision, explanation.findings.base_rate(explanation.index))
        if base is not None:
            return _say(f"compared_{weighted}cases", n=n, outcome=outcome, **base)
        return _say(f"of_{weighted}cases", n=n, share=percent(precision), outcome=outcome)
    if explanation.probability is not None:
        return _say("sure", share=percent(explanation.probability))
    has_cases = support and explanation.is_number
    return _say(f"{one or f'{weighted}cases'}_of_number", n=n) if has_cases else ""
