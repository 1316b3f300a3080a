"""Every export of very large models: time, size, and whether it gives the model's labels where it runs.

The models are trees and graphs of 131,072 leaves or 1,000 levels, and 10,000 rules.
``python -m benchmarks.export_sizes`` writes docs/results/export_large.tsv; times are CPU seconds.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks._ratio import timed

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

from export import elsewhere  # noqa: E402 - the tests' runners
from export.large_trees import broad_tree, deep_chain, many_rules, with_shared_leaves  # noqa: E402

from sightline.exceptions import UnsupportedModelError  # noqa: E402

COLUMNS = ("model", "export", "seconds", "seconds of JSON", "MB", "MB of JSON", "same labels")
RUNNERS = {
    "sql (SQLite)": ("sql", elsewhere.in_sqlite, {"dialect": "sqlite"}),
    "sql (DuckDB)": ("sql", elsewhere.in_duckdb, {"dialect": "duckdb"}),
    "python": ("python", elsewhere.in_python, {}),
    "c": ("c", elsewhere.in_c, {}),
    "javascript": ("javascript", elsewhere.in_node, {}),
    "onnx": ("onnx", elsewhere.in_onnxruntime, {}),
    "pmml": ("pmml", elsewhere.in_jpmml, {}),
    "sklearn": ("sklearn", None, {}),
    "dot": ("dot", None, {}),
    "svg": ("svg", None, {}),
}
N_ROWS = 200
# The layout of this graph did not finish within five minutes (dot). svg starts with the same layout, so it
# was not tried.
NOT_DRAWN = {
    ("graph, 131,071 tests", "dot"): "stopped after 5 minutes",
    ("graph, 131,071 tests", "svg"): "not tried",
}


def models() -> Iterator[tuple[str, object, float]]:
    """Yield names, models, and the width of the range that their thresholds cover."""
    yield "1,000 levels", deep_chain(1000), 100.0
    yield "131,072 leaves", broad_tree(17), 1.0
    yield "graph, 1,000 levels", with_shared_leaves(deep_chain(1000)), 100.0
    yield "graph, 131,071 tests", with_shared_leaves(broad_tree(17)), 1.0
    yield "10,000 rules", many_rules(10_000), 1.0


def main() -> None:
    lines = ["\t".join(COLUMNS)]
    for name, model, width in models():
        rows = np.random.default_rng(0).uniform(0, width, size=(N_ROWS, len(model.schema)))
        rows = rows.astype(np.float32).astype(float)
        json_text, json_seconds = timed(lambda model=model: model.export("json"))
        for title in RUNNERS:
            seconds, size, result = exported(name, model, rows, title)
            cells = (name, title, seconds, f"{json_seconds:.2f}", size, f"{len(json_text) / 1e6:.2f}", result)
            lines.append("\t".join(cells))
            print(lines[-1], flush=True)
    (ROOT / "docs" / "results" / "export_large.tsv").write_text("\n".join(lines) + "\n")


def exported(name: str, model, rows: np.ndarray, title: str) -> tuple[str, str, str]:
    """Export one model one way; return seconds, megabytes, and whether the labels are the model's."""
    kind, runner, options = RUNNERS[title]
    if (name, kind) in NOT_DRAWN:
        return "", "", NOT_DRAWN[name, kind]
    try:
        content, seconds = timed(lambda: model.export(kind, **options))
    except UnsupportedModelError as refusal:
        return "", "", f"refused: {refusal}"
    size = f"{len(content) / 1e6:.2f}" if isinstance(content, str | bytes) else ""
    return f"{seconds:.2f}", size, same_labels(kind, runner, model, rows, options)


def same_labels(kind: str, runner: Callable | None, model, rows: np.ndarray, options: dict) -> str:
    """Run the export and compare its labels with the model's; a drawing has none."""
    if kind == "sklearn":
        estimator = model.export("sklearn")
        del estimator.feature_names_in_
        labels = estimator.predict(rows).tolist()
    elif runner is None:
        return ""
    else:
        more = {"probabilities": False} if kind == "sql" else {}
        with tempfile.TemporaryDirectory() as folder:
            labels, _ = runner(model, rows.tolist(), Path(folder), **options, **more)
    return "yes" if labels == model.predict(rows).tolist() else "NO"


if __name__ == "__main__":
    main()
