"""Runs the cells of an experiment that are not stored yet."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path

from joblib import delayed
from threadpoolctl import threadpool_limits

import sightline
from sightline import _core
from sightline.exceptions import SightlineError
from sightline.lab._data_set import LoadedSet
from sightline.lab._learner import Learner, Trial, check_learners, fingerprints
from sightline.lab._protocol import FoldId, Protocol
from sightline.lab._record import RECIPE, Record, TrialFailed, run_trial
from sightline.lab._store import Cell, ResultStore
from sightline.lab._workers import finished_jobs
from sightline.progress import ProgressBar, progress_bar

LEARNING_CODE = ("table", "model", "learn", "load", "distill", "estimator.py", "lab/claims/_surrogates.py")
"""The parts of the package that results depend on; showing and storing are not among them."""

LIBRARIES = ("numpy", "scipy", "scikit-learn")


@dataclass(frozen=True, eq=False)
class Plan:
    """Every cell of an experiment.

    Attributes
    ----------
    data_sets : sequence of LoadedSet
        Rows and labels.
    learners : sequence of Learner
        Each ensemble before the learners that imitate it.
    protocol : Protocol
        Repeats and folds.
    """

    data_sets: Sequence[LoadedSet]
    learners: Sequence[Learner]
    protocol: Protocol
    _names: dict[str, str] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        check_learners(self.learners)
        for data in self.data_sets:
            self.protocol.split(data, FoldId(0, 0))
        self._names.update(fingerprints(self.learners))

    def cell(self, data: LoadedSet, fold_id: FoldId, learner: Learner) -> Cell:
        """Return a cell with its key."""
        content = (
            RECIPE,
            code_fingerprint(),
            data.fingerprint,
            self.protocol.identity,
            tuple(fold_id),
            self._names[learner.name],
        )
        key = hashlib.sha256(repr(content).encode()).hexdigest()
        return Cell(key, data.name, fold_id.repeat, fold_id.fold, learner.name)

    @cached_property
    def cells(self) -> list[Cell]:
        """All cells: one repeat of every data set before the next, small data sets first."""
        return [cell for _, _, cells in self.trials() for cell in cells]

    def trials(self) -> Iterator[tuple[LoadedSet, FoldId, list[Cell]]]:
        """Yield the cells of each fold, in the order of the run."""
        by_size = sorted(self.data_sets, key=lambda data: data.X.n_rows * len(data.X.columns))
        for repeat in range(self.protocol.n_repeats):
            for data in by_size:
                for fold_id in self.protocol.fold_ids(data):
                    if fold_id.repeat == repeat:
                        learners = [learner for learner in self.learners if learner.runs_in(repeat)]
                        yield data, fold_id, [self.cell(data, fold_id, learner) for learner in learners]


@cache
def code_fingerprint() -> str:
    """Return a hash of the code that learns, and of the versions of its libraries."""
    content = hashlib.sha256(sightline.__version__.encode())
    package = Path(sightline.__file__).parent
    files = [
        path
        for part in LEARNING_CODE
        for path in ([package / part] if part.endswith(".py") else sorted((package / part).rglob("*.py")))
    ]
    for path in (*files, Path(_core.__file__)):
        content.update(path.name.encode())
        content.update(path.read_bytes())
    content.update(repr([(name, version(name)) for name in LIBRARIES]).encode())
    content.update(platform.python_version().encode())
    return content.hexdigest()


def run(
    plan: Plan,
    store: ResultStore,
    n_jobs: int | None = None,
    title: str = "Running",
    show_progress: bool | None = None,
) -> None:
    """Run the missing cells and store each result when it is finished.

    joblib's settings decide where cells run: in processes of this machine by default, or as
    ``joblib.parallel_config`` says, for instance on a Dask cluster. Results do not depend on it.
    An interrupted run resumes with the cells that are not stored.

    Parameters
    ----------
    plan : Plan
        The cells to run.
    store : ResultStore
        Holds the results so far, and gets the new ones.
    n_jobs : int, optional
        Number of folds to run at a time, as in joblib.
    title : str
        Title of the progress bar.
    show_progress : bool, optional
        False for no progress bar. By default there is one if stderr is a terminal.

    Raises
    ------
    SightlineError
        If a learner fails or a result cannot be stored. Finished results are kept.
    """
    done = store.known([cell.key for cell in plan.cells])
    tasks = [
        (data, fold_id, {cell.learner: cell for cell in cells if cell.key not in done})
        for data, fold_id, cells in plan.trials()
    ]
    tasks = [task for task in tasks if task[2]]
    if not tasks:
        return
    # Trials run in parallel, so each learner gets one thread: more threads would spin on busy cores, and
    # count as CPU time of the learner.
    with (
        threadpool_limits(1),
        progress_bar(title, total=len(plan.cells), wanted=show_progress) as bar,
    ):
        bar.update(len(done))
        _run_tasks(plan, tasks, store, n_jobs, len(done), bar)


def _run_tasks(
    plan: Plan,
    tasks: list[tuple[LoadedSet, FoldId, dict[str, Cell]]],
    store: ResultStore,
    n_jobs: int | None,
    n_done: int,
    bar: ProgressBar,
) -> None:
    jobs = (
        delayed(_numbered)(number, Trial(data, plan.protocol, fold_id), plan.learners, tuple(cells))
        for number, (data, fold_id, cells) in enumerate(tasks)
    )
    # Workers only compute; this process alone writes.
    with finished_jobs(jobs, n_jobs) as finished:
        for number, records, failure in finished:
            data, fold_id, cells = tasks[number]
            store.add((cells[name], record) for name, record in records)
            n_done += len(records)
            bar.update(n_done, f"{data.name}, repeat {fold_id.repeat + 1}, fold {fold_id.fold + 1}")
            if failure is not None:
                where = f"{data.name} (repeat {fold_id.repeat + 1}, fold {fold_id.fold + 1})"
                raise SightlineError(f"{failure.learner} failed on {where}: {failure.reason}")


def _numbered(
    number: int, trial: Trial, learners: Sequence[Learner], wanted: tuple[str, ...]
) -> tuple[int, list[tuple[str, Record]], TrialFailed | None]:
    """Return the number of the task with its records, because tasks finish in any order.

    The names come as a tuple: on Dask, joblib would send a large set as one future per element.
    """
    return (number, *run_trial(trial, learners, frozenset(wanted)))
