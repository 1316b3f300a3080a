"""Runs an experiment, from the data sets to the page."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import sightline
from sightline.exceptions import SightlineError
from sightline.files import atomic_write
from sightline.lab import _page
from sightline.lab._catalog import experiment
from sightline.lab._experiment import Experiment
from sightline.lab._findings import Findings
from sightline.lab._results import Results
from sightline.lab._runner import LIBRARIES, run
from sightline.lab._store import ResultStore

__all__ = ["reproduce"]


@dataclass(frozen=True)
class Study:
    """An experiment of a page, with its results and what they say."""

    experiment: Experiment
    results: Results
    findings: Findings


def reproduce(
    name: str,
    data_dir: str | Path,
    out: str | Path,
    *,
    sets: Sequence[str] | None = None,
    repeats: int | None = None,
    n_jobs: int | None = None,
    quick: bool = False,
    results: str | Path | None = None,
    run_missing: bool = True,
    show_progress: bool | None = None,
) -> list[Path]:
    """Run an experiment and write tables, figures and a page, beside the paper's numbers.

    Every result is stored when it is finished. An interrupted run resumes where it stopped.

    Parameters
    ----------
    name : str
        The experiment, for instance "ism".
    data_dir : path-like
        Folder with the data sets as ARFF files.
    out : path-like
        Folder for tables (TSV, Markdown), figures (SVG) and the page (HTML). It is created if
        needed.
    sets : sequence of str, optional
        Names of data sets to run; all by default.
    repeats : int, optional
        Number of repeats; the paper's by default.
    n_jobs : int, optional
        Number of folds to run at a time, as in joblib.
    quick : bool, default=False
        Run a few small data sets with one threefold cross-validation, for a first look.
    results : path-like, optional
        SQLite file that stores every result; by default ``<out>/<name>.sqlite``.
    run_missing : bool, default=True
        Whether to run what is not in the results file. If not, only report what is there, even
        while another process adds to it.
    show_progress : bool, optional
        False for no progress bar. By default there is one if stderr is a terminal.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    SightlineError
        If data sets or the results file cannot be used. Nothing is run or written then.
    """
    described = experiment(name)
    if sets is not None or quick:
        described = described.on(described.quick_sets if sets is None else sets)
    if quick:
        described = described.quick()
    if repeats is not None:
        described = described.repeated(repeats)
    plans = [one.plan(data_dir) for one in described.on_page]
    folder = Path(out)
    path = folder / f"{described.name}.sqlite" if results is None else Path(results)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SightlineError(f"{folder}: cannot create this folder ({error.strerror}).") from error
    with ResultStore(path, is_read_only=not run_missing) as store:
        for plan in plans if run_missing else ():
            run(plan, store, n_jobs, f"Reproducing {name}", show_progress)
        stored = [Results(plan, store) for plan in plans]
    studies = [
        Study(one, results, one.find(results))
        for one, results in zip(described.on_page, stored, strict=True)
        if results.sets
    ]
    if not studies:
        raise SightlineError(
            f"The results file has no complete data set of the experiment {name!r}. Run it first."
        )
    files = _files(described, studies)
    try:
        for file_name, content in files.items():
            atomic_write(folder / file_name, content)
    except SightlineError as error:
        raise SightlineError(
            f"{error} {path} keeps every result. Free some space and run the command again."
        ) from error
    return [folder / file_name for file_name in files]


def _files(described: Experiment, studies: list[Study]) -> dict[str, str]:
    """Return the content of each file by its name."""
    files = {f"{described.name}.md": _markdown(described, studies)}
    for study in studies:
        for table in study.findings.tables:
            files[f"{described.name}_{table.name}.tsv"] = table.to_tsv()
        for drawing in study.findings.figures:
            files[f"{described.name}_{drawing.name}.svg"] = drawing.to_svg()
    files[f"{described.name}.html"] = _html(described, studies)
    return files


def _how(study: Study) -> str:
    described, results = study.experiment, study.results
    versions = ", ".join(f"{library} {version(library)}" for library in LIBRARIES)
    seconds = sum(
        float(results.fold_numbers(data, learner, "fit_seconds").sum())
        for data in results.sets
        for learner in results.learners
    )
    text = (
        f"{len(results.sets)} of {len(described.data_sets)} data sets, "
        f"{described.protocol.describe()}, every learner on the same folds. Last result "
        f"from {(results.finished or '')[:10]}, sightline {sightline.__version__}, {versions}, Python "
        f"{platform.python_version()}; training took {_duration(seconds)} of CPU time."
    )
    if results.missing:
        text += f" Incomplete and left out: {', '.join(results.missing)}."
    return text


def _source(described: Experiment) -> str:
    return f"{described.paper}. " if described.paper else ""


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"


def _markdown(described: Experiment, studies: list[Study]) -> str:
    """Return the page: the finding of each study, pictures, remarks, tables; last how all was measured."""
    parts = [f"# {described.title}"]
    measured = ["## How this was measured"]
    for study in studies:
        is_first = study.experiment is studies[0].experiment
        findings = study.findings
        parts += [
            *([] if is_first else [f"## {study.experiment.title}"]),
            *([f"**{findings.headline}**"] if findings.headline else []),
            *(
                f"![{drawing.caption}]({described.name}_{drawing.name}.svg)\n\n{drawing.caption}"
                for drawing in findings.figures
            ),
            *findings.remarks,
            *(table.to_markdown() for table in findings.tables),
        ]
        measured.append(("" if is_first else f"{study.experiment.title}: ") + _how(study))
    source = f"{_source(described)}Written by `sightline reproduce {described.name}`."
    return "\n\n".join([*parts, *measured, source]) + "\n"


def _html(described: Experiment, studies: list[Study]) -> str:
    sections: list[str] = []
    for study in studies:
        findings = study.findings
        sections += [
            *([_page.paragraph(findings.headline, "finding")] if findings.headline else []),
            *(_page.figure(drawing.to_svg(), drawing.caption) for drawing in findings.figures),
            *(_page.paragraph(remark) for remark in findings.remarks),
            *(table.to_html() for table in findings.tables),
            _page.paragraph(_source(described) + _how(study), "soft"),
        ]
    return _page.page(described.title, sections)
