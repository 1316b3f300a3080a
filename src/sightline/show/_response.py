"""How the sum over the trees of a regressor becomes its prediction, in words."""

from __future__ import annotations

from sightline.model import Formula

_ARITHMETIC = frozenset({"scores", "divide", "affine", "select"})
"""Steps of a formula that are no functions with a name."""

_NOUNS = {"exp": "exponential", "sigmoid": "sigmoid", "square": "square"}
"""Functions that have a common noun."""


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
