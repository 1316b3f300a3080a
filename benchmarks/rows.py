"""Rows in parts: distilled and judged on all rows, against LightGBM's own prediction batch by batch."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import lightgbm as lgb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks._memory import own_peak
from benchmarks._ratio import Ratio

N_COLUMNS = 20
ROWS_PER_PART = 500_000
N_TREES = 100
MAX_LEAVES = 16
SIZES, LARGE = (2_000_000,), (20_000_000,)
MAX_RATIO, MAX_GIGABYTES = 1.5, 1.5
MAX_GROWTH = 1.3
"""Most seconds per row of the larger size, as a multiple of those of the smaller one."""


def rows(part: int, n_rows: int = ROWS_PER_PART) -> tuple[np.ndarray, np.ndarray]:
    """Make the rows of a part: numbers, and a label that depends on six of the columns."""
    random = np.random.default_rng(part)
    X = random.normal(size=(N_COLUMNS, n_rows))
    score = X[0] + np.abs(X[1]) * X[2] + np.sin(2 * X[3]) + 0.5 * (X[4] > 0.3) * X[5]
    return X, (score + 0.5 * random.normal(size=n_rows) > 0.6).astype(np.int64)


def write_parts(folder: Path, n_rows: int) -> None:
    """Write a folder of Parquet parts: 20,000,000 rows take 3.3 GB."""
    for part in range(n_rows // ROWS_PER_PART):
        X, y = rows(part)
        names = [f"x{index}" for index in range(N_COLUMNS)]
        table = pa.table({**dict(zip(names, X, strict=True)), "y": y})
        pq.write_table(table, folder / f"part-{part:03d}.parquet", compression="none", row_group_size=131_072)


def learn(path: Path) -> None:
    """Learn 100 trees of 31 leaves from rows that no part has."""
    X, y = rows(10_000, 100_000)
    options = {"objective": "binary", "verbose": -1, "num_leaves": 31, "seed": 0}
    lgb.train(options, lgb.Dataset(X.T, y), N_TREES).save_model(path)


def predict(model: Path, folder: Path) -> None:
    """Let LightGBM predict all rows batch by batch."""
    booster = lgb.Booster(model_file=model)
    for part in sorted(folder.glob("*.parquet")):
        for batch in pq.ParquetFile(part).iter_batches(131_072):
            columns = [np.asarray(batch.column(index)) for index in range(N_COLUMNS)]
            booster.predict(np.column_stack(columns))


def distill(model: Path, folder: Path) -> None:
    """Choose a tree on a sample, count and judge on all rows, and write a report."""
    import sightline as sl  # noqa: PLC0415 - its memory and its import count

    tree = sl.DistilledTreeClassifier(model, max_leaves=MAX_LEAVES, n_jobs=-1, random_state=0)
    data = sl.Rows(folder, "y")
    # A twentieth chooses the tests: a million of 20,000,000 rows.
    data.sample_size = data.n_rows // 20
    tree.fit(data)
    sl.report(tree, data, path=folder.parent / "report.html", max_seconds=2)


def measured(job: str, model: Path, folder: Path) -> dict[str, float]:
    """Run one of these in a process of its own; return its seconds and its peak of memory in GB."""
    command = [sys.executable, "-m", "benchmarks.rows", job, str(model), str(folder)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def ratios(large: bool) -> Iterator[Ratio]:
    per_row: list[float] = []
    for n_rows in SIZES + (LARGE if large else ()):
        with tempfile.TemporaryDirectory() as place:
            folder, model = Path(place) / "parts", Path(place) / "model.txt"
            folder.mkdir()
            write_parts(folder, n_rows)
            learn(model)
            peer, ours = (measured(job, model, folder) for job in ("predict", "distill"))
        title = f"{n_rows:,} rows in parts"
        job, name = f"{title}: distill, judge and report", "LightGBM predicting them"
        yield Ratio(job, ours["cpu"], peer["cpu"], name, MAX_RATIO)
        yield Ratio(job, ours["seconds"], peer["seconds"], name, MAX_RATIO, "s")
        yield Ratio(f"{title}: peak of memory", ours["gigabytes"], MAX_GIGABYTES, "the limit", 1.0, "GB")
        per_row.append(1e6 * ours["cpu"] / n_rows)
    if len(per_row) > 1:
        job, name = "rows in parts: cost per row", "a tenth of the rows"
        yield Ratio(job, per_row[1], per_row[0], name, MAX_GROWTH, "µs")


if __name__ == "__main__":
    start = time.perf_counter()
    {"predict": predict, "distill": distill}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
    print(
        json.dumps(
            {
                "seconds": time.perf_counter() - start,
                "cpu": time.process_time(),
                "gigabytes": own_peak() / 1e9,
            }
        )
    )
