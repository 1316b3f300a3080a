"""How the sums over the trees become a number or a label, in words."""

from __future__ import annotations

from sightline.model import Decision, Ensemble, Formula
from sightline.wording import number_text, quote_if_odd

_ARITHMETIC = frozenset({"scores", "divide", "affine", "select"})
"""Steps of a formula that are no functions with a name."""

_NOUNS = {"exp": "exponential", "sigmoid": "sigmoid", "square": "square"}
"""Functions that have a common noun."""


def label_text(ensemble: Ensemble) -> str:
    """Say what decides the label; empty if the sums or votes of the trees do, or if a number is predicted.

    Parameters
    ----------
    ensemble : Ensemble
        The ensemble.

    Returns
    -------
    str
        As in ``the label is yes if its probability is at least 0.3``.
    """
    formula, classes = ensemble.link.formula, ensemble.classes_
    if formula is None or classes is None:
        return ""
    decision = Decision.of_formula(formula)
    if decision is None:
        return "the model's own threshold or calibration decides"
    if decision.threshold is None:
        return "the label is the one with the lowest expected cost"
    label = quote_if_odd(classes[decision.positive])
    return f"the label is {label} if its probability is at least {number_text(decision.threshold)}"


def response_text(formula: Formula, total: str = "sum") -> str:
    """Name the functions by which the sum becomes the prediction.

    Parameters
    ----------
    formula : Formula
        The steps from the sum to the prediction.
    total : str, default="sum"
        What the sum is called.

    Returns
    -------
    str
        As in ``the exponential of the sum`` or ``a function of the sum (exp, then log1p)``.
    """
    functions = [
        step.op.removeprefix("numpy_").removeprefix("fast_").replace("_", " ")
        for step in formula.steps
        if step.op not in _ARITHMETIC
    ]
    # An affine step by 1 and 0 only rounds.
    is_plain = all(
        step.op != "divide" and (step.op != "affine" or step.numbers == (1, 0)) for step in formula.steps
    )
    if is_plain and len(functions) == 1 and functions[0] in _NOUNS:
        return f"the {_NOUNS[functions[0]]} of the {total}"
    named = f" ({', then '.join(functions)})" if functions else ""
    return f"a function of the {total}{named}"
