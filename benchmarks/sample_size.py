"""``python -m benchmarks.sample_size``: what the size of the sample changes.

Trees that samples chose are compared with the one that all rows chose, on rows that chose neither.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

import sightline as sl
from benchmarks.rows import MAX_LEAVES, learn, rows
from sightline.table import Column, Feature, Labels

JUDGES = 20_000
"""The part that judges: no sample has it."""


def table(parts: range, n_rows: int) -> sl.Table:
    """Put some parts together."""
    made = [rows(part, n_rows) for part in parts]
    X = np.concatenate([X for X, _ in made], axis=1)
    columns = [Column(Feature(f"x{index}"), values) for index, values in enumerate(X)]
    return sl.Table(columns, Labels(np.concatenate([y for _, y in made]).astype(np.int32), np.array([0, 1])))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--samples", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        learn(Path(folder) / "model.txt")
        ensemble = sl.load(Path(folder) / "model.txt")
    every = table(range(4), options.rows // 4)
    judges = table(range(JUDGES, JUDGES + 1), 500_000)
    answers = ensemble.predict(judges.X, n_jobs=-1)

    def fidelity(data: sl.Table) -> float:
        tree = sl.DistilledTreeClassifier(ensemble, max_leaves=MAX_LEAVES, n_jobs=-1, random_state=0)
        tree.fit(data.X, data.y)
        return 100 * float((tree.predict(judges.X) == answers).mean())

    whole = fidelity(every)
    print(f"all {every.n_rows:,} rows: {whole:.2f}%", flush=True)
    for size in options.samples:
        found = []
        for seed in range(options.seeds):
            sampled = sl.Rows(every.to_pandas(), "target", sample_size=size, seed=seed)
            found.append(fidelity(sampled.taken(sampled.drawn())))
        lost = whole - np.array(found)
        loss = f"{lost.mean():+.3f} points lost ({lost.min():+.2f} to {lost.max():+.2f})"
        print(f"{size:,} rows: {np.mean(found):.2f}%, {loss}", flush=True)


if __name__ == "__main__":
    main()
