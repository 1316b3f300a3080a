"""``python -m benchmarks.threads``: which jobs use all threads, and what 16 cores can be expected to give.

Seconds by the clock, with 1 and with 2 threads, need a quiet machine of two cores. The last column does not:
with 16 threads the calling thread does whatever is serial and a sixteenth of the rest. So its CPU time is
what a job would take on 16 cores, were nothing else in the way.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import lightgbm as lgb
import pandas as pd
from rich.console import Console
from rich.table import Table

import sightline as sl
from benchmarks.rows import rows

N_MANY = 16
Job = Callable[[int], object]


def jobs(n_rows: int) -> dict[str, Job]:
    """Make the jobs; each takes a number of threads."""
    X, y = rows(0, n_rows)
    frame = pd.DataFrame(dict(zip((f"x{index}" for index in range(len(X))), X, strict=True)))
    booster = lgb.LGBMClassifier(n_estimators=100, verbose=-1, random_state=0, n_jobs=1).fit(
        frame[:20_000], y[:20_000]
    )
    ensemble, few = sl.load(booster), slice(0, n_rows // 10)
    parts = [frame.assign(y=y)[first::4] for first in range(4)]
    boosted = sl.DistilledTreeClassifier(booster, max_leaves=16, random_state=0).fit(frame[few], y[few])

    def judge(n_threads: int) -> object:
        return boosted.set_params(n_jobs=n_threads).fit(sl.Rows(parts, "y", sample_size=n_rows // 10))

    return {
        "predict with the ensemble": lambda n: ensemble.predict(frame, n_jobs=n),
        "distill a tree of 16 leaves": lambda n: sl.DistilledTreeClassifier(
            booster, max_leaves=16, random_state=0, n_jobs=n
        ).fit(frame[few], y[few]),
        "rows in parts: sample, distill, count": judge,
        "select 20 rules": lambda n: sl.RuleSetClassifier(
            booster, max_rules=20, random_state=0, n_jobs=n
        ).fit(frame[few], y[few]),
        "describe and judge cases": lambda n: sl.MetaKNNClassifier(ensemble, random_state=0, n_jobs=n).fit(
            frame[few], y[few]
        ),
        "generate stumps": lambda n: sl.StumpEnsembleClassifier(n_jobs=n).fit(frame[few], y[few]),
        "grow a tree with ISM": lambda _: sl.ISMClassifier(booster, max_leaves=16).fit(
            frame[few][:1000], y[few][:1000]
        ),
        "grow a C4.5 tree": lambda _: sl.C45Classifier().fit(frame[few], y[few]),
    }


def seconds(job: Job, n_threads: int) -> tuple[float, float, float]:
    """Return seconds by the clock, CPU seconds, and CPU seconds of the calling thread."""
    begin = time.perf_counter(), time.process_time(), time.thread_time()
    job(n_threads)
    end = time.perf_counter(), time.process_time(), time.thread_time()
    wall, cpu, own = (after - before for before, after in zip(begin, end, strict=True))
    return wall, cpu, own


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    options = parser.parse_args()
    table = Table("job", "1 thread", "2 threads", "speedup", "CPU s", "expected with 16", "speedup")
    for name, job in jobs(options.rows).items():
        job(1)
        one, two, many = (seconds(job, n_threads) for n_threads in (1, 2, N_MANY))
        factors = one[0] / two[0], one[1] / many[2]
        cells = one[0], two[0], factors[0], one[1], many[2], factors[1]
        table.add_row(name, *(f"{cell:.2f}" for cell in cells))
        print(name, *(f"{cell:.2f}" for cell in cells), file=sys.stderr, flush=True)
    Console(width=140).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
