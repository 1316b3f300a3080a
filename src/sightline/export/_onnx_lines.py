"""Lines in the leaves of an ONNX tree: tables of terms, and elementwise steps in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from sightline.model import LeafLines


def line_steps(
    onnx: Any, lines: LeafLines, rows: str, constant: str, answer: str
) -> tuple[list[Any], list[Any]]:
    """Return the steps that add the lines of the leaves to their numbers, and their tables.

    The order of operations is that of :class:`LeafLines`, so that the answer is the same to the last bit.

    Parameters
    ----------
    onnx : module
        The library.
    lines : LeafLines
        The lines, one entry per row of the table of outputs.
    rows, constant : str
        Names of the values that hold, per data row, the index in that table, and the leaf's number.
    answer : str
        Name of the result. The features are columns of the value ``matrix``.
    """
    graph = _Steps(onnx)
    table = {name: graph.table(f"sightline {name}", values) for name, values in _tables(lines).items()}
    total = constant
    for k in range(int(np.diff(lines.term_begin).max())):
        column = graph.add("Gather", table[f"feature {k}"], rows, axis=0)
        value = graph.add("GatherElements", "matrix", column, axis=1)
        slope = graph.add("Gather", table[f"slope {k}"], rows, axis=0)
        center = graph.add("Gather", table[f"center {k}"], rows, axis=0)
        has_term = graph.add("Gather", table[f"has term {k}"], rows, axis=0)
        product = graph.add("Mul", slope, graph.add("Sub", value, center))
        is_added = graph.add("And", has_term, graph.add("Not", graph.add("IsNaN", value)))
        total = graph.add("Add", total, graph.add("Where", is_added, product, table["zero"]))
    # Terms that overflow with opposite signs cancel to NaN.
    known = graph.add("Where", graph.add("IsNaN", total), constant, total)
    low, high = (graph.add("Gather", table[name], rows, axis=0) for name in ("low", "high"))
    graph.add("Min", graph.add("Max", known, low), high, result=answer)
    return graph.steps, graph.tables


class _Steps:
    """Steps of a graph, with names for the values between them."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.steps: list[Any] = []
        self.tables: list[Any] = []

    def add(self, operator: str, *inputs: str, result: str | None = None, **attributes: Any) -> str:
        """Add a step, and return the name of its result."""
        name = result or f"sightline step {len(self.steps)}"
        self.steps.append(self.onnx.helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def table(self, name: str, values: Any) -> str:
        """Add a constant, and return its name."""
        self.tables.append(self.onnx.numpy_helper.from_array(values, name))
        return name


def _tables(lines: LeafLines) -> dict[str, Any]:
    """Return columns with one entry per leaf: bounds, and what the k-th term of each line is."""
    begin, n_terms = lines.term_begin[:-1], np.diff(lines.term_begin)
    tables: dict[str, Any] = {
        "low": lines.low[:, None],
        "high": lines.high[:, None],
        "zero": np.zeros((1, 1)),
    }
    for k in range(int(n_terms.max())):
        has_term = n_terms > k
        term = np.where(has_term, begin + k, 0)
        tables |= {
            f"has term {k}": has_term[:, None],
            f"feature {k}": lines.feature[term].astype(np.int64)[:, None],
            f"slope {k}": lines.slope[term][:, None],
            f"center {k}": lines.center[term][:, None],
        }
    return tables
