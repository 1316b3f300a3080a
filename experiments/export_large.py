"""Trees and graphs of 131,072 leaves and of 1,000 levels, and 10,000 rules, through every export.

Each is run where it is meant to run, and has to give the labels of the model.


``python -m experiments.export_large`` writes docs/results/export_large.tsv: seconds are of CPU.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

from export import elsewhere  # noqa: E402 - of the tests
from export.large_trees import broad_tree, deep_chain, many_rules, with_shared_leaves  # noqa: E402

from sightline.exceptions import UnsupportedModelError  # noqa: E402

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
# The layout of so large a graph was stopped unfinished after five minutes (dot); svg, which begins with
# the same layout, was not tried after that.
NOT_DRAWN = {
    ("graph, 131,071 tests", "dot"): "stopped after 5 minutes",
    ("graph, 131,071 tests", "svg"): "not tried",
}


def main() -> None:
    lines = ["model\texport\tseconds\tseconds of JSON\tMB\tMB of JSON\tsame labels"]
    for name, tree, width in (
        ("1,000 levels", deep_chain(1000), 100.0),
        ("131,072 leaves", broad_tree(17), 1.0),
        ("graph, 1,000 levels", with_shared_leaves(deep_chain(1000)), 100.0),
        ("graph, 131,071 tests", with_shared_leaves(broad_tree(17)), 1.0),
        ("10,000 rules", many_rules(10_000), 1.0),
    ):
        rows = np.random.default_rng(0).uniform(0, width, size=(N_ROWS, len(tree.schema)))
        rows = rows.astype(np.float32).astype(float)
        json_text, json_seconds = timed(lambda tree=tree: tree.export("json"))
        for title, (kind, runner, options) in RUNNERS.items():
            if (name, kind) in NOT_DRAWN:
                row = f"{name}\t{title}\t\t{json_seconds:.2f}\t\t{len(json_text) / 1e6:.2f}"
                lines.append(f"{row}\t{NOT_DRAWN[name, kind]}")
                continue
            try:
                content, seconds = timed(
                    lambda tree=tree, kind=kind, options=options: tree.export(kind, **options)
                )
            except UnsupportedModelError as refusal:
                lines.append(
                    f"{name}\t{title}\t\t{json_seconds:.2f}\t\t{len(json_text) / 1e6:.2f}\trefused: {refusal}"
                )
                print(lines[-1], flush=True)
                continue
            size = f"{len(content) / 1e6:.2f}" if isinstance(content, str | bytes) else ""
            same = run(kind, runner, tree, rows, options)
            line = f"{name}\t{title}\t{seconds:.2f}\t{json_seconds:.2f}\t{size}\t{len(json_text) / 1e6:.2f}"
            lines.append(f"{line}\t{same}")
            print(lines[-1], flush=True)
    (ROOT / "docs" / "results" / "export_large.tsv").write_text("\n".join(lines) + "\n")


def timed(job):
    start = time.process_time()
    result = job()
    return result, time.process_time() - start


def run(kind, runner, tree, rows, options):
    """Say whether the export gives the labels of the tree; drawings give none."""
    if kind == "sklearn":
        estimator = tree.export("sklearn")
        del estimator.feature_names_in_
        labels = estimator.predict(rows).tolist()
    elif runner is None:
        return ""
    else:
        more = {"probabilities": False} if kind == "sql" else {}
        with tempfile.TemporaryDirectory() as folder:
            labels, _ = runner(tree, rows.tolist(), Path(folder), **options, **more)
    return "yes" if labels == tree.predict(rows).tolist() else "NO"


if __name__ == "__main__":
    main()
