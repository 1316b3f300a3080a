"""``sightline demo``: the main job on a built-in data set."""

from __future__ import annotations

import csv
import io
import shutil
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import sightline as sl
from sightline.cli._audit import audit_trail
from sightline.cli._folder import check_new_files, write_folder
from sightline.cli._options import AsJson, Force, Jobs, Quiet, Seed
from sightline.cli._output import Output


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write.")] = Path("sightline-demo"),
    force: Force = False,
    seed: Seed = 0,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Try it on synthetic loans: learn an ensemble, replace it with one tree, write a report.

    For example:

      sightline demo

      sightline demo --out loans
    """
    from sightline.cli._data import split
    from sightline.cli._job import N_STEPS, Job, file_names
    from sightline.cli._request import Request, Shape

    output = Output(quiet, as_json)
    check_new_files(out, "--out", [*file_names(Shape.TREE), "loans.csv"], force)
    loans = sl.make_loans(random_state=seed)
    rows = split(loans, test_share=0.25, seed=seed, source="loans")
    with output.steps(N_STEPS) as step:
        result = Job(rows, Request(seed=seed, n_jobs=jobs), audit=audit_trail(seed)).run(step)
        step("writing files")
        write_folder(out, {**result.files(), "loans.csv": _csv(loans)}, result.report.metrics)
    example = rows.test.X[0]
    output.print(rows.text())
    output.print(f"\n{result.summary.to_text()}")
    output.print(f"\nOne loan: {_row_text(example)}")
    output.print(str(result.summary.explain(example)))
    output.print(f"\n{result.text(str(out / 'report.html'))}")
    output.print(
        f"\nTo do the same yourself: {_program()} distill --data {out / 'loans.csv'} --target default"
    )
    output.print_json({**result.report.metrics, "folder": str(out)})


def _program() -> str:
    """Return how to call this program: by its bare name only if the shell would find it."""
    program = sys.argv[0]
    is_found = Path(program).name != "sightline" or shutil.which("sightline") == str(Path(program).absolute())
    return "sightline" if is_found else program


def _row_text(row: dict[str, Any]) -> str:
    return ", ".join(f"{name} {'missing' if cell is None else _cell(cell)}" for name, cell in row.items())


def _cell(value: object) -> object:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else value


def _csv(table: sl.Table) -> str:
    """Write a table as CSV; missing cells are empty."""
    import numpy as np

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*table.names, table.target_name])
    columns = [[_cell(value) for value in column.to_list()] for column in table.columns]
    writer.writerows(zip(*columns, np.asarray(table.y).tolist(), strict=True))
    return text.getvalue()
