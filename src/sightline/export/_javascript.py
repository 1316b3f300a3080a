"""One JavaScript function that needs no library."""

from __future__ import annotations

import json
import math
from typing import Any

from sightline.export._code import Language, plain_categories
from sightline.export._plain_nodes import Missing
from sightline.export._registry import target
from sightline.model import NodeModel, RuleSet
from sightline.table import Schema

_LARGEST_SAFE_INTEGER = 2**53


class JavaScript(Language):
    r"""Literals in ASCII, without a sign that could end a script element of a page.

    Examples
    --------
    >>> print(JavaScript().literal("</script>"), JavaScript().literal([0.1, True]))
    "\u003c/script>" [0.1, true]
    """

    suffix = "js"

    def literal(self, value: Any) -> str:
        """Write a value as JSON; integers that a double cannot hold become BigInt."""
        if isinstance(value, list):
            return f"[{', '.join(map(self.literal, value))}]"
        if isinstance(value, str):
            return json.dumps(value).replace("<", "\\u003c")
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int):
            return str(value) if abs(value) <= _LARGEST_SAFE_INTEGER else f"{value}n"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return repr(value)

    def categories(self, schema: Schema) -> dict[str, str]:
        """Write an object of maps: keys of objects would all be texts."""
        maps = [
            f"{place}: new Map({self.literal([[value, code] for code, value in enumerate(values)])})"
            for place, values in plain_categories(schema).items()
        ]
        return {"categories": f"{{{', '.join(maps)}}}"}


@target("javascript", NodeModel, RuleSet)
def to_javascript(model: NodeModel | RuleSet, *, missing: Missing | None = None) -> str:
    """Write a model as one JavaScript function without dependencies.

    Parameters
    ----------
    model : Tree, Graph or RuleSet
        The model.
    missing : {"exact", "largest"}, optional
        How rows with missing values are treated, as in :func:`to_sql`.

    Returns
    -------
    str
        JavaScript source.
    """
    return JavaScript().program(model, missing)
