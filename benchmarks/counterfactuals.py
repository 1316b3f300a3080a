"""How near and how fast counterfactuals of an ensemble are, beside an integer program, DiCE and Veritas.

``python -m benchmarks.counterfactuals --data-dir DIR --out docs/results`` writes a page from adult.arff.gz in
DIR. It needs the packages dice-ml and dtai-veritas. Times are CPU seconds of one thread.

Written by `python -m benchmarks.counterfactuals`.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pandas as pd

import sightline as sl
from benchmarks._counterfactual_mip import nearest_by_mip
from benchmarks.results_page import column, numbers, write_results_page
from sightline.judge import Limits
from sightline.lab import Dots, FigureFile, ResultTable, dots
from sightline.table import RowForm

N_TRAINING, N_ROWS = 30_000, 16
MAX_SECONDS, MAX_MIP_SECONDS = 2.0, 20.0
Row = dict[str, Any]


class Task:
    """A LightGBM model of 100 trees, and 16 rows that it has not seen."""

    def __init__(self, table: sl.Table, columns: list[str] | None = None) -> None:
        frame = RowForm.of(table).rows(table)
        self.X = frame if columns is None else frame[columns]
        self.y = np.asarray(table.y)
        order = np.random.default_rng(0).permutation(len(self.X))
        self.training = self.X.iloc[order[:N_TRAINING]]
        self.rows = self.X.iloc[order[N_TRAINING : N_TRAINING + N_ROWS]]
        self.model = lightgbm.LGBMClassifier(n_estimators=100, n_jobs=1, random_state=0, verbose=-1)
        self.labels = self.y[order[:N_TRAINING]]
        self.model.fit(self.training, self.labels)
        self.ensemble = sl.load(self.model)
        self.seen = sl.Table.from_any(self.training).aligned(self.ensemble.schema, "benchmark")
        # Models and the first call are prepared once.
        sl.counterfactuals(self.ensemble, self.rows.iloc[[0]], n=1, max_seconds=1)

    def limits(self, row: pd.DataFrame) -> Any:
        aligned = sl.Table.from_any(row).aligned(self.ensemble.schema, "benchmark")
        return Limits().of_columns([self.ensemble], aligned, self.seen)

    def distance(self, row: pd.DataFrame, made: pd.DataFrame) -> tuple[int, float]:
        """Changed columns and total, as :func:`sightline.counterfactuals` counts them."""
        limits = self.limits(row)
        aligned = sl.Table.from_any(made[self.X.columns].astype(self.X.dtypes)).aligned(
            self.ensemble.schema, ""
        )
        values = [math.nan if c.is_missing[0] else float(c.values[0]) for c in aligned.columns]
        changed = [
            (limit, value) for limit, value in zip(limits, values, strict=True) if not limit.keeps(value)
        ]
        return len(changed), sum(limit.cost(value) for limit, value in changed)


def by_sightline(task: Task, distance: str = "columns", n: int = 1) -> Iterator[Row]:
    for _, row in _single(task.rows):
        begin = time.process_time()
        found = sl.counterfactuals(
            task.ensemble,
            row,
            within=task.seen,
            n=n,
            distance=distance,
            readable=False,
            max_seconds=MAX_SECONDS,
        )
        seconds = time.process_time() - begin
        yield _result(seconds, found[0].distance if len(found) else None, all(c.proved for c in found))


def by_mip(task: Task) -> Iterator[Row]:
    for _, row in _single(task.rows):
        wanted = 1 - int(task.ensemble.predict(row)[0] == task.ensemble.classes_[1])
        limits = task.limits(row)
        begin = time.process_time()
        values, proved = nearest_by_mip(task.ensemble, limits, wanted, MAX_MIP_SECONDS)
        seconds = time.process_time() - begin
        if values is None:
            yield _result(seconds, None, False)
            continue
        changed = [
            (limit, value) for limit, value in zip(limits, values, strict=True) if not limit.keeps(value)
        ]
        yield _result(seconds, (len(changed), sum(limit.cost(value) for limit, value in changed)), proved)


def by_dice(task: Task, method: str) -> Iterator[Row]:
    import dice_ml  # noqa: PLC0415 - not needed for anything else

    numbers = [name for name in task.X if task.X[name].dtype.kind in "if"]
    training = task.training.dropna().astype({name: str for name in task.X if name not in numbers})
    labels = (task.model.predict(task.training.loc[training.index]) == task.model.classes_[1]).astype(int)
    data = dice_ml.Data(
        dataframe=training.assign(label=labels), continuous_features=numbers, outcome_name="label"
    )
    backend = dice_ml.Model(model=_Numbered(task), backend="sklearn")
    explainer = dice_ml.Dice(data, backend, method=method)
    for _, row in _single(task.rows):
        begin = time.process_time()
        made = _dice_row(explainer, row.astype(training.dtypes), method)
        seconds = time.process_time() - begin
        yield _result(seconds, None if made is None else task.distance(row, made), False)


def _dice_row(explainer: Any, row: pd.DataFrame, method: str) -> pd.DataFrame | None:
    options = {"random_seed": 0} if method == "random" else {}
    try:
        found = explainer.generate_counterfactuals(
            row, total_CFs=1, desired_class="opposite", verbose=False, **options
        )
    except Exception as error:  # It raises its own errors where it finds none.
        print(f"DiCE: {type(error).__name__}: {error}")
        return None
    return found.cf_examples_list[0].final_cfs_df


class _Numbered:
    """The model with labels 0 and 1 for frames of strings, as DiCE asks for them."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.classes_ = np.array([0, 1])

    def predict_proba(self, X: pd.DataFrame) -> Any:
        return self.task.model.predict_proba(X[self.task.X.columns].astype(self.task.X.dtypes))

    def predict(self, X: pd.DataFrame) -> Any:
        return self.predict_proba(X).argmax(axis=1)


def by_veritas(task: Task) -> Iterator[Row]:
    """The smallest largest change of any column, for columns that are divided by their standard deviation."""
    import veritas  # noqa: PLC0415 - not needed for anything else

    scale = task.training.std().to_numpy()
    scaled = lightgbm.LGBMClassifier(n_estimators=100, n_jobs=1, random_state=0, verbose=-1)
    scaled.fit(task.training.to_numpy() / scale, task.labels)
    trees = veritas.get_addtree(scaled)
    for _, row in _single(task.rows):
        example = row.to_numpy(dtype=float)[0] / scale
        source, target = (None, trees) if trees.eval(example[None, :])[0][0] < 0 else (trees, None)
        begin = time.process_time()
        search = veritas.VeritasRobustnessSearch(
            example, 10.0, source, target, max_time=MAX_SECONDS, silent=True
        )
        search.search()
        seconds = time.process_time() - begin
        if not search.generated_examples:
            yield _result(seconds, None, False)
            continue
        made = np.asarray(search.generated_examples[-1])
        changed = np.abs(made - example)
        yield _result(seconds, (int((changed > 0).sum()), float(changed.sum())), False)


def _single(rows: pd.DataFrame) -> Iterator[tuple[int, pd.DataFrame]]:
    for place in range(len(rows)):
        yield place, rows.iloc[[place]]


def _result(seconds: float, distance: tuple[int, float] | None, proved: bool) -> Row:
    return {"seconds": seconds, "distance": distance, "proved": proved}


def summary(name: str, results: list[Row], best: list[Row]) -> Row:
    """One line: medians over the rows, and how often a row is as near as the proved nearest one."""
    found = [result["distance"] for result in results if result["distance"] is not None]
    pairs = [
        (r["distance"], b["distance"])
        for r, b in zip(results, best, strict=True)
        if r["distance"] is not None
    ]
    as_near = sum(d[0] <= b[0] and d[1] <= b[1] * (1 + 1e-6) + 1e-9 for d, b in pairs)
    return {
        "method": name,
        "found": f"{len(found)} of {len(results)}",
        "proved nearest": sum(result["proved"] for result in results),
        "as near as the nearest": as_near,
        "columns (mean)": f"{np.mean([d[0] for d in found]):.2f}" if found else "",
        "total (median)": f"{np.median([d[1] for d in found]):.3f}" if found else "",
        "CPU seconds (median)": f"{np.median([result['seconds'] for result in results]):.3f}",
        "CPU seconds (largest)": f"{max(result['seconds'] for result in results):.2f}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("docs/results"))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    table = sl.read_table(arguments.data_dir / "adult.arff.gz")
    task = Task(table)
    nearest, total = list(by_sightline(task)), list(by_sightline(task, "total"))
    columns_first = [
        summary("sl.counterfactuals", nearest, nearest),
        summary("sl.counterfactuals(n=3)", list(by_sightline(task, n=3)), nearest),
        summary("mixed-integer program (HiGHS)", list(by_mip(task)), nearest),
        summary("DiCE, random", list(by_dice(task, "random")), nearest),
        summary("DiCE, genetic", list(by_dice(task, "genetic")), nearest),
        summary('sl.counterfactuals(distance="total")', total, nearest),
    ]
    numbers = Task(table, [name for name in task.X if task.X[name].dtype.kind in "if"])
    numeric = list(by_sightline(numbers))
    numeric_lines = [
        summary("sl.counterfactuals", numeric, numeric),
        summary("mixed-integer program (HiGHS)", list(by_mip(numbers)), numeric),
        summary("Veritas, largest change", list(by_veritas(numbers)), numeric),
    ]
    tables = [
        result_table("adult", "All columns", columns_first, ALL_COLUMNS),
        result_table("numbers", "The six numeric columns", numeric_lines, NUMBERS),
    ]
    write(tables, arguments.out)


def result_table(name: str, title: str, lines: list[Row], note: str) -> ResultTable:
    return ResultTable(name, title, tuple(lines[0]), [tuple(line.values()) for line in lines], note)


def write(tables: list[ResultTable], out: Path) -> None:
    write_results_page(
        out,
        "counterfactuals",
        title="Counterfactuals: distance and time",
        headline=headline(tables[0]),
        picture=picture(tables[0]),
        tables=tables,
        measured=MEASURED.strip(),
    )


def picture(adult: ResultTable) -> FigureFile:
    """Draw how much each method changes, and how long it takes."""
    panels = [
        Dots("columns changed (mean)", {"": numbers(adult, "columns (mean)")}),
        Dots("CPU seconds (median)", {"": numbers(adult, "CPU seconds (median)")}, logarithmic=True),
    ]
    return dots(
        "How many columns a row must change to get the other label, and the time to find that out.", panels
    )


def headline(adult: ResultTable) -> str:
    """Say what is found and proved, beside a mixed-integer program."""
    found, proved, seconds = (
        column(adult, name) for name in ("found", "proved nearest", "CPU seconds (median)")
    )
    program = column(adult, "method").index("mixed-integer program (HiGHS)")
    return (
        f"`sl.counterfactuals` finds an answer for {found[0]} rows and proves {proved[0]} of them to be the "
        f"nearest, in {seconds[0]} CPU seconds (median). A mixed-integer program proves {proved[program]}, "
        f"in {seconds[program]} seconds."
    )


MEASURED = """
A LightGBM model of 100 trees, trained on 30,000 rows of adult, and 16 rows that it has not seen. Each method
looks for the nearest row with the other label: fewest changed columns first, then the smallest total of
changes in standard deviations, with numbers inside the training range and categories that occur. All results
are measured by that distance, whatever a method itself minimizes. Times are CPU seconds of one thread.

Written by `python -m benchmarks.counterfactuals`.
"""
ALL_COLUMNS = (
    f"Limits: {MAX_SECONDS:.0f} seconds per row for `sl.counterfactuals`, {MAX_MIP_SECONDS:.0f} for the "
    "program, in wall-clock time. Other work shared the two cores of the machine, so the CPU seconds are "
    "fewer. DiCE has no limit; its random and genetic searches prove nothing, and it refuses a row with a "
    "missing value. The last line minimizes only the total."
)
NUMBERS = (
    "Veritas does not support LightGBM's categories, so this model has only the numeric columns. Veritas "
    "minimizes the largest change of any column, in standard deviations, on a model of the same size. It "
    "moves all columns at once, and does not keep whole numbers: a capital gain of 1e-35 instead of 0 "
    "counts."
)

if __name__ == "__main__":
    main()
