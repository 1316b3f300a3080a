"""One Python function that needs nothing but Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sightline.export._code import Language, plain_categories
from sightline.export._plain_nodes import Missing
from sightline.export._registry import kind
from sightline.model import Graph, NodeModel, RuleSet, Tree
from sightline.table import Schema

to_python = kind("python")

_MANY = 5000
_PER_LINE = 20


class Python(Language):
    r"""Literals in ASCII, so that the encoding of the file does not matter.

    Examples
    --------
    >>> print(Python().literal('x"]\n'), Python().literal([0.1, math.inf]))
    'x"]\n' (0.1, 1e999,)
    """

    suffix = "py"
    brackets = ("(", ",)")

    def literal(self, value: Any) -> str:
        """Write a value as its repr; infinity is a number too large to be read as another."""
        if isinstance(value, list):
            return f"({', '.join(map(self.literal, value))},)"
        if isinstance(value, float) and math.isinf(value):
            return "1e999" if value > 0 else "-1e999"
        return ascii(value)

    def array(self, values: Any) -> str:
        """Write the entries of an array; many numbers as text, which takes a tenth of the memory to read."""
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
            place: {value: code for code, value in enumerate(values)}
            for place, values in plain_categories(schema).items()
        }
        return {"categories": ascii(codes)}


@to_python.register(Tree)
@to_python.register(Graph)
def _(model: NodeModel, missing: Missing = "exact") -> str:
    return Python().nodes(model, missing)


@to_python.register
def _(model: RuleSet) -> str:
    return Python().rules(model)
