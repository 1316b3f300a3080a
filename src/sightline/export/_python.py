"""One Python function that needs nothing but Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sightline.export._code import Language, plain_categories
from sightline.export._plain_nodes import Missing
from sightline.export._registry import target
from sightline.model import NodeModel, RuleSet
from sightline.table import Schema

_MANY = 5000
_PER_LINE = 20


class Python(Language):
    r"""Writes literals in ASCII, so that the encoding of the file does not matter.

    Examples
    --------
    >>> print(Python().literal('x"]\n'), Python().literal([0.1, math.inf]))
    'x"]\n' (0.1, 1e999,)
    """

    suffix = "py"
    brackets = ("(", ",)")

    def literal(self, value: Any) -> str:
        """Write a value as its repr, and infinity as a number that overflows."""
        if isinstance(value, list):
            return f"({', '.join(map(self.literal, value))},)"
        if isinstance(value, float) and math.isinf(value):
            return "1e999" if value > 0 else "-1e999"
        return ascii(value)

    def array(self, values: Any) -> str:
        """Write the entries of an array. Many numbers become one string: a tenth of the memory to parse."""
        if not isinstance(values, np.ndarray) or values.size <= _MANY:
            return super().array(values)
        numbers = list(map(repr, values.ravel().tolist()))
        lines = (" ".join(numbers[begin : begin + _PER_LINE]) for begin in range(0, len(numbers), _PER_LINE))
        text = "\n".join(lines)
        read = f'map({"int" if values.dtype.kind in "iu" else "float"}, """\n{text}\n""".split())'
        return f"    *{read}," if values.ndim == 1 else f"    *zip(*[{read}] * {values.shape[1]}),"

    def categories(self, schema: Schema) -> dict[str, str]:
        """Write a dictionary of dictionaries."""
        codes = {
            index: {value: code for code, value in enumerate(values)}
            for index, values in plain_categories(schema).items()
        }
        return {"categories": ascii(codes)}


@target("python", NodeModel, RuleSet)
def to_python(model: NodeModel | RuleSet, *, missing: Missing | None = None) -> str:
    """Write a model as one Python function without dependencies.

    Parameters
    ----------
    model : Tree, Graph or RuleSet
        The model.
    missing : {"exact", "largest"}, optional
        How rows with missing values are treated, as in :func:`to_sql`.

    Returns
    -------
    str
        Python source.

    Examples
    --------
    >>> from sightline.export import to_python
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]).tree_
    >>> names = {}
    >>> exec(to_python(tree), names)
    >>> names["predict"]({"x0": 3.5}), names["predict"]([1.5], probabilities=True)
    ('yes', [1.0, 0.0])
    """
    return Python().program(model, missing)
