"""Exports of a tree with 131,072 leaves: time and size of each kind, against JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks._ratio import Ratio, side_by_side

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

KINDS = {
    "sql": 3.0,
    "python": 2.0,
    "c": 2.0,
    "javascript": 2.0,
    "onnx": 4.0,
    "pmml": 5.0,
    "sklearn": 2.0,
}
DRAWINGS = {"dot": 20.0, "svg": 30.0}


def ratios(large: bool) -> Iterator[Ratio]:
    from export.large_trees import broad_tree  # noqa: PLC0415 - of the tests

    tree = broad_tree(17)
    n_bytes = len(tree.export("json"))
    for kind, bound in (KINDS | DRAWINGS if large else KINDS).items():
        job = f"export to {kind}, {tree.n_leaves:,} leaves"
        ours, json = side_by_side(lambda kind=kind: tree.export(kind), lambda: tree.export("json"), repeats=4)
        yield Ratio(job, ours, json, "JSON", bound=bound)
        content = tree.export(kind)
        if kind != "sklearn":
            size = len(content if isinstance(content, bytes) else content.encode())
            yield Ratio(f"{job}: size", size / 1e6, n_bytes / 1e6, "JSON", bound=12.0, unit="MB")
