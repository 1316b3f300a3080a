"""One C function that needs nothing but the standard library."""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

from sightline.exceptions import ParameterError, UnsupportedModelError
from sightline.export._code import Language, plain_categories
from sightline.export._plain_nodes import Missing, other_codes
from sightline.export._registry import target
from sightline.model import NodeModel, RuleSet
from sightline.table import Schema

_PLAIN = re.compile(rb"[ !#->@-\[\]-~]")
"""Bytes that need no escape in a literal: all but quotes, backslashes and question marks."""


class C(Language):
    r"""Writes numbers in hexadecimal, strings byte by byte in UTF-8.

    Examples
    --------
    >>> print(C().literal(0.1), C().literal('a"??/'))
    0x1.999999999999ap-4 "a\042\077\077/"
    """

    suffix = "c"
    brackets = ("{", "}")

    def literal(self, value: Any) -> str:
        """Write a number, a string, or a row of numbers. Booleans only occur as strings."""
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

    def array(self, values: Any) -> str:
        """Write the entries of an array. Labels, which may be of any type, become strings."""
        is_labels = isinstance(values, list)
        return super().array([str(value) for value in values] if is_labels else values)

    def categories(self, schema: Schema) -> dict[str, str]:
        """Write all values one after the other, and where those of each feature begin."""
        values = plain_categories(schema)
        begin = [0, *itertools.accumulate(len(values.get(index, ())) for index in range(len(schema)))]
        return {
            "category": self.array([value for index in sorted(values) for value in values[index]]),
            "category_begin": "    " + ", ".join(map(str, begin)),
            "n_categories": str(begin[-1]),
            "n_features": str(len(schema)),
        }

    def others(self, schema: Schema) -> str:
        """Write the codes of values that are not listed, -1 for features without such a code."""
        codes = other_codes(schema)
        return "    " + ", ".join(str(codes.get(index, -1)) for index in range(len(schema))) if codes else ""

    @staticmethod
    def _bytes(text: str) -> bytes:
        if "\0" in text:
            raise UnsupportedModelError(f"C strings end at a NUL, and {text!r} contains one. Rename it.")
        return text.encode("utf-8", "surrogatepass")


@target("c", NodeModel, RuleSet)
def to_c(model: NodeModel | RuleSet, *, name: str = "predict", missing: Missing | None = None) -> str:
    """Write a model as one C99 function that needs only the standard library.

    Parameters
    ----------
    model : Tree, Graph or RuleSet
        The model.
    name : str, default="predict"
        Name of the function.
    missing : {"exact", "largest"}, optional
        How rows with missing values are treated, as in :func:`to_sql`.

    Returns
    -------
    str
        C source.

    Examples
    --------
    >>> from sightline.export import to_c
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]).tree_
    >>> "int default_of(const double *row, double *probabilities)" in to_c(tree, name="default_of")
    True
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,62}", name):
        raise ParameterError(
            "The 'name' parameter of export must be a C identifier of at most 63 characters. "
            f"Got {name!r} instead."
        )
    return C().program(model, missing, name=name)


def _escaped(byte: int) -> str:
    plain = bytes([byte])
    return plain.decode() if _PLAIN.fullmatch(plain) else f"\\{byte:03o}"
