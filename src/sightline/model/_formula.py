"""Formulas: how scores become class probabilities and a label, if a link is not enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import inv_boxcox, ndtr, softmax

from sightline import _core

_Numbers = NDArray[np.floating[Any]]


def _inverse_yeo_johnson(x: _Numbers, numbers: tuple[np.float64, ...]) -> _Numbers:
    """Undo scikit-learn's PowerTransformer, in its own steps."""
    (power,) = numbers
    result, positive = np.zeros_like(x), x >= 0
    if abs(power) < np.spacing(1.0):
        result[positive] = np.exp(x[positive]) - 1
    else:
        result[positive] = np.power(x[positive] * power + 1, 1 / power) - 1
    if abs(power - 2) > np.spacing(1.0):
        result[~positive] = 1 - np.power(-(2 - power) * x[~positive] + 1, 1 / (2 - power))
    else:
        result[~positive] = 1 - np.exp(-x[~positive])
    return result


# numpy's exp and log are vectorized for the machine at hand, and may differ from those of C in the last
# bit. So numpy itself computes these operations where a prediction depends on them.
_BY_NUMPY: dict[str, Callable[[_Numbers, tuple[np.float64, ...]], _Numbers]] = {
    "numpy_softmax": lambda x, _: np.asarray(softmax(x, axis=1)),
    "log": lambda x, numbers: np.log(x + numbers[0]),
    "numpy_exp": lambda x, _: np.exp(x),
    "numpy_exp2": lambda x, _: np.exp2(x),
    "numpy_expm1": lambda x, _: np.expm1(x),
    "numpy_log": lambda x, _: np.log(x),
    "numpy_log2": lambda x, _: np.log2(x),
    "numpy_log10": lambda x, _: np.log10(x),
    "numpy_log1p": lambda x, _: np.log1p(x),
    "numpy_cbrt": lambda x, _: np.cbrt(x),
    "numpy_sinh": lambda x, _: np.sinh(x),
    "numpy_arcsinh": lambda x, _: np.arcsinh(x),
    "inverse_yeo_johnson": _inverse_yeo_johnson,
    "inverse_box_cox": lambda x, numbers: inv_boxcox(x, numbers[0]),
    "normal_cdf": lambda x, _: ndtr(x),
}


@dataclass(frozen=True)
class Step:
    """One operation of a formula. Its result is a row of numbers.

    Parameters
    ----------
    op : str
        Name of the operation; ``cpp/sightline/model/formula.hpp`` lists them.
    of : tuple of int, default=()
        Earlier steps that it takes.
    numbers : tuple of float, default=()
        Constants.
    columns : tuple of int, default=()
        Indices into its input, or into its result.
    single : bool, default=False
        Whether it is computed in single precision.
    """

    op: str
    of: tuple[int, ...] = ()
    numbers: tuple[float, ...] = ()
    columns: tuple[int, ...] = ()
    single: bool = False


@dataclass(frozen=True)
class Formula:
    """Steps from the scores of an ensemble to its prediction, in the source's own arithmetic.

    Predictions evaluate it over numbers, proofs over intervals.

    Parameters
    ----------
    steps : tuple of Step
        The operations, each after those that it takes.
    n_scores : int
        Number of scores.
    probabilities : int
        The step with the class probabilities, or with the number that a regression predicts.
    label : int
        The step whose first largest number is the label.
    decision : int, optional
        The step that the source calls its decision function.
    """

    steps: tuple[Step, ...]
    n_scores: int
    probabilities: int
    label: int
    decision: int | None = None

    @cached_property
    def native(self) -> _core.Formula:
        """The formula for the kernels."""
        steps = [
            (step.op, list(step.of), list(step.numbers), list(step.columns), step.single)
            for step in self.steps
        ]
        plain = _core.Formula(steps, self.n_scores, self.probabilities, self.label)
        if not any(step.op in _BY_NUMPY for step in self.steps):
            return plain
        # Proofs ask numpy where the last bit decides. The plain formula knows nothing of this one, so that
        # neither keeps the other alive.
        arbiter: Callable[[list[float]], float] = partial(_label_of, plain, self.steps, self.label)
        if plain.n_classes == 1:
            arbiter = partial(_number_of, plain, self.steps, self.probabilities)
        return _core.Formula(steps, self.n_scores, self.probabilities, self.label, arbiter)

    @property
    def is_single(self) -> bool:
        """Whether the probabilities are in single precision."""
        return self.steps[self.probabilities].single

    def evaluated(self, scores: NDArray[np.float64], step: int) -> NDArray[np.float64]:
        """Return the numbers of one step for rows of scores."""
        return _evaluated(self.native, self.steps, np.ascontiguousarray(scores), step)


def _evaluated(
    native: _core.Formula, steps: Sequence[Step], scores: NDArray[np.float64], wanted: int
) -> NDArray[np.float64]:
    """Return the numbers of one step, those of numpy's operations computed by numpy."""
    given: dict[int, NDArray[np.float64]] = {}
    for number, step in enumerate(steps[: wanted + 1]):
        if step.op in _BY_NUMPY:
            x = native.evaluate(scores, step.of[0], list(given), list(given.values()))
            given[number] = _by_numpy(step, x)
    return native.evaluate(scores, wanted, list(given), list(given.values()))


def _number_of(native: _core.Formula, steps: Sequence[Step], answer: int, scores: list[float]) -> float:
    return float(_evaluated(native, steps, np.array([scores]), answer)[0, 0])


def _by_numpy(step: Step, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the numbers of a step of numpy's, in its precision. Those out of its domain are NaN."""
    precision = np.float32 if step.single else np.float64
    with np.errstate(all="ignore"):
        numbers = tuple(np.float64(number) for number in step.numbers)
        result = _BY_NUMPY[step.op](x.astype(precision), numbers).astype(precision)
    return np.ascontiguousarray(result, dtype=np.float64)


def _label_of(native: _core.Formula, steps: Sequence[Step], label: int, scores: list[float]) -> int:
    return int(_evaluated(native, steps, np.array([scores]), label)[0].argmax())


class FormulaBuilder:
    """Writes a formula, step by step.

    Parameters
    ----------
    n_scores : int
        Number of scores.

    Examples
    --------
    >>> builder = FormulaBuilder(1)
    >>> score = builder.add("scores", columns=[0])
    >>> both = builder.add("complement", builder.add("sigmoid", score))
    >>> builder.formula(both, both).evaluated(np.zeros((1, 1)), both)
    array([[0.5, 0.5]])
    """

    def __init__(self, n_scores: int) -> None:
        self.n_scores = n_scores
        self._steps: list[Step] = []

    def add(
        self,
        op: str,
        *of: int,
        numbers: Sequence[float] = (),
        columns: Sequence[int] = (),
        single: bool = False,
    ) -> int:
        """Add a step, and return its number."""
        constants = tuple(float(number) for number in numbers)
        self._steps.append(Step(op, of, constants, tuple(int(column) for column in columns), single))
        return len(self._steps) - 1

    def include(self, formula: Formula, first_score: int) -> Formula:
        """Add the steps of another formula, whose scores begin at one of ours."""
        offset = len(self._steps)
        for step in formula.steps:
            columns = tuple(c + first_score for c in step.columns) if step.op == "scores" else step.columns
            self._steps.append(replace(step, of=tuple(i + offset for i in step.of), columns=columns))
        decision = None if formula.decision is None else formula.decision + offset
        return self.formula(formula.probabilities + offset, formula.label + offset, decision)

    def formula(self, probabilities: int, label: int, decision: int | None = None) -> Formula:
        """Return the formula with these results."""
        return Formula(tuple(self._steps), self.n_scores, probabilities, label, decision)


def write_formula(formula: Formula) -> dict[str, Any]:
    """Return a formula as JSON; empty fields of a step are omitted."""
    return {
        "steps": [_write_step(step) for step in formula.steps],
        "probabilities": formula.probabilities,
        "label": formula.label,
        **({} if formula.decision is None else {"decision": formula.decision}),
    }


def _write_step(step: Step) -> dict[str, Any]:
    return {
        "op": step.op,
        **({"of": list(step.of)} if step.of else {}),
        **({"numbers": list(step.numbers)} if step.numbers else {}),
        **({"columns": list(step.columns)} if step.columns else {}),
        **({"single": True} if step.single else {}),
    }
