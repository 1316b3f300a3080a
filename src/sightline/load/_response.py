"""Links of models that predict a function of the sum over their trees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sightline.model import FormulaBuilder, Link

RANKS_ROWS = "ranks the rows of a group, and its scores are not predictions, so it is not supported."
"""How refusals of ranking objectives end."""


def response_link(
    *functions: str,
    single: bool = False,
    rounded: bool = False,
    divide_by: tuple[float, ...] = (),
    affine: tuple[float, float] | None = None,
) -> Link:
    """Return the link of a regression that predicts a function of the sum.

    Parameters
    ----------
    *functions : str
        Operations of a formula, one after the other; none if the sum is the prediction.
    single : bool, default=False
        Whether they are computed in single precision.
    rounded : bool, default=False
        Whether the result is rounded to single precision.
    divide_by : tuple of float, default=()
        Divisors of the sum, before the functions.
    affine : (float, float), optional
        Factor of the sum and what is added to the product, before the functions.

    Returns
    -------
    Link
        Of kind *identity*.

    Examples
    --------
    >>> response_link("exp").probabilities(np.zeros((1, 1)))
    array([[1.]])
    """
    if not functions and affine is None:
        return Link("identity", divide_by)
    builder = FormulaBuilder(1)
    step = builder.add("scores", columns=[0], single=single)
    for divisor in divide_by:
        step = builder.add("divide", step, numbers=[divisor])
    if affine is not None:
        step = builder.add("affine", step, numbers=affine)
    for function in functions:
        step = builder.add(function, step, single=single)
    if rounded:
        step = builder.add("affine", step, numbers=[1, 0], single=True)
    return Link("identity", formula=builder.formula(step, step))


def tweedie_power(stored: str) -> float | None:
    """Return the power of a Tweedie deviance as a model stores it; None if it is not one from 1 to 2.

    Examples
    --------
    >>> tweedie_power("1.5"), tweedie_power("high")
    (1.5, None)
    """
    try:
        power = float(stored)
    except ValueError:
        return None
    return power if 1 <= power <= 2 else None


def hinge_link() -> Link:
    """Return the link of two classes without probabilities: 1 for the second where the sum is positive."""
    builder = FormulaBuilder(1)
    score = builder.add("scores", columns=[0], single=True)
    label = builder.add("above", score, numbers=[0.0], columns=[0, 1], single=True)
    return Link("sigmoid", formula=builder.formula(label, label, score))


def one_vs_rest_link(
    n_classes: int, slope: float = 1.0, divide_by: tuple[float, ...] = (), *, by_score: bool = False
) -> Link:
    """Return the link of one sigmoid per class, whose probabilities need not add up to 1.

    Parameters
    ----------
    n_classes : int
        Number of classes, each with a score.
    slope : float, default=1.0
        Factor of the scores.
    divide_by : tuple of float, default=()
        Divisors of the scores, before the factor.
    by_score : bool, default=False
        Whether the largest score decides, not the largest probability. Different scores may have the
        same probability.
    """
    builder = FormulaBuilder(n_classes)
    scores = scaled = builder.add("scores", columns=range(n_classes))
    for divisor in divide_by:
        scaled = builder.add("divide", scaled, numbers=[divisor])
    if slope != 1:
        scaled = builder.add("affine", scaled, numbers=[slope, 0])
    probabilities = builder.add("sigmoid", scaled)
    return Link(
        "softmax", formula=builder.formula(probabilities, scores if by_score else probabilities, scores)
    )


def c_log(values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the logarithm in single precision as C computes it; numpy's may differ in the last bit."""
    builder = FormulaBuilder(1)
    step = builder.add("natural_log", builder.add("scores", columns=[0]), single=True)
    formula = builder.formula(step, step)
    return formula.evaluated(values.astype(np.float64)[:, np.newaxis], step)[:, 0]
