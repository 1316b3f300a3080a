"""One C function that needs nothing but the standard library."""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

from sightline.exceptions import ParameterError, UnsupportedModelError
from sightline.export._code import Language, plain_categories
from sightline.export._plain_nodes import Missing
from sightline.export._registry import kind
from sightline.model import Graph, NodeModel, RuleSet, Tree
from sightline.table import Schema

to_c = kind("c")

_PLAIN = re.compile(rb"[ !#->@-\[\]-~]")
"""Bytes that stand for themselves in a literal: not quotes, backslashes and question marks."""


class C(Language):
    r"""Numbers in hexadecimal, texts byte by byte in UTF-8.

    Examples
    --------
    >>> print(C().literal(0.1), C().literal('a"??/'))
    0x1.999999999999ap-4 "a\042\077\077/"
    """

    suffix = "c"
    brackets = ("{", "}")

    def literal(self, value: Any) -> str:
        """Write a number, a text, or a row of numbers; truth values only occur as texts."""
        if isinstance(value, list):
            return f"{{{', '.join(map(self.literal, value))}}}"
        if isinstance(value, str):
            return f'"{"".join(_escaped(byte) for byte in self._bytes(value))}"'
        if isinstance(value, float):
            return ("INFINITY" if value > 0 else "-INFINITY") if math.isinf(value) else value.hex()
        return str(value)

    def finite(self, numbers: list[float]) -> list[str]:
        """Write finite numbers in hexadecimal."""
        return list(map(float.hex, numbers))

    def text(self, value: Any) -> str:
        """Write the text of a label or category of any type."""
        return self.literal(str(value))

    def array(self, values: Any) -> str:
        """Write the entries of an array; labels, which may be of any type, as texts."""
        is_labels = isinstance(values, list)
        return super().array([str(value) for value in values] if is_labels else values)

    def categories(self, schema: Schema) -> dict[str, str]:
        """Write all values one behind the other, and where those of each feature begin."""
        values = plain_categories(schema)
        begin = [0, *itertools.accumulate(len(values.get(place, ())) for place in range(len(schema)))]
        return {
            "category": self.array([value for place in sorted(values) for value in values[place]]),
            "category_begin": "    " + ", ".join(map(str, begin)),
            "n_categories": str(begin[-1]),
            "n_features": str(len(schema)),
        }

    @staticmethod
    def _bytes(text: str) -> bytes:
        if "\0" in text:
            raise UnsupportedModelError(f"C texts end at a NUL, which is within {text!r}: rename it.")
        return text.encode("utf-8", "surrogatepass")


@to_c.register(Tree)
@to_c.register(Graph)
def _(model: NodeModel, missing: Missing = "exact", name: str = "predict") -> str:
    return C().nodes(model, missing, name=checked_name(name))


@to_c.register
def _(model: RuleSet, name: str = "predict") -> str:
    return C().rules(model, name=checked_name(name))


def checked_name(name: str) -> str:
    """Return the name of a C function if it may be one."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,62}", name):
        raise ParameterError(
            "The 'name' parameter of export must be a C identifier of at most 63 letters. "
            f"Got {name!r} instead."
        )
    return name


def _escaped(byte: int) -> str:
    plain = bytes([byte])
    return plain.decode() if _PLAIN.fullmatch(plain) else f"\\{byte:03o}"
