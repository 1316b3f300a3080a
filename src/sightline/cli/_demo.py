"""``sightline demo``: the main job on an embedded data set."""

from __future__ import annotations

import csv
import io
import shutil
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import sightline as sl
from sightline.cli._console import Speech
from sightline.cli._folder import check_folder, write_folder
from sightline.cli._options import AsJson, Jobs, Quiet, Seed


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write.")] = Path("sightline-demo"),
    seed: Seed = 0,
    jobs: Jobs = -1,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Learn an ensemble on invented loans and put one tree in its place: report, model, drawing, data.

    For example:

      sightline demo

      sightline demo --out loans
    """
    from sightline.cli._data import split
    from sightline.cli._job import N_STEPS, Job

    speech = Speech(quiet, as_json)
    check_folder(out)
    loans = sl.make_loans(random_state=seed)
    rows = split(loans, test_share=0.25, seed=seed, source="loans")
    with speech.steps(N_STEPS) as step:
        outcome = Job(rows, seed=seed, n_jobs=jobs).run(step)
        step("writing")
        write_folder(out, {**outcome.files(), "loans.csv": _csv(loans)})
    example = rows.test.X[0]
    speech.tell(rows.sentence())
    speech.tell(f"\n{outcome.summary.to_text()}")
    speech.tell(f"\nOne loan: {_told(example)}")
    speech.tell(outcome.summary.explain(example))
    speech.tell(f"\n{outcome.text()}\nreport    {out / 'report.html'}")
    speech.tell(f"\nThe same by hand: {_called()} distill --data {out / 'loans.csv'} --target default")
    speech.hand_over({**outcome.report.metrics, "folder": str(out)})


def _called() -> str:
    """Say how to call this program: by its name only where the shell would find it."""
    program = sys.argv[0]
    is_found = Path(program).name != "sightline" or shutil.which("sightline") == str(Path(program).absolute())
    return "sightline" if is_found else program


def _told(row: dict[str, Any]) -> str:
    return ", ".join(f"{name} {'missing' if cell is None else _cell(cell)}" for name, cell in row.items())


def _cell(value: object) -> object:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else value


def _csv(table: sl.Table) -> str:
    """Write a table of our own making as CSV; missing cells are empty."""
    import numpy as np

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*table.names, table.target_name])
    columns = [[_cell(value) for value in column.to_list()] for column in table.columns]
    writer.writerows(zip(*columns, np.asarray(table.y).tolist(), strict=True))
    return text.getvalue()
