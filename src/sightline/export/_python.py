"""One Python function that needs nothing but Python."""

from __future__ import annotations

import math
from typing import Any

from sightline.export._code import Language, plain_categories
from sightline.export._plain_nodes import Missing
from sightline.export._registry import kind
from sightline.model import Graph, NodeModel, RuleSet, Tree
from sightline.table import Schema

to_python = kind("python")


class Python(Language):
    r"""Literals in ASCII, so that the encoding of the file does not matter.

    Examples
    --------
    >>> print(Python().literal('x"]\n'), Python().literal([0.1, math.inf]))
    'x"]\n' (0.1, 1e999,)
    """

    suffix = "py"

    def literal(self, value: Any) -> str:
        """Write a value as its repr; infinity is a number too large to be read as another."""
        if isinstance(value, list):
            return f"({', '.join(map(self.literal, value))},)"
        if isinstance(value, float) and math.isinf(value):
            return "1e999" if value > 0 else "-1e999"
        return ascii(value)

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
