"""Runs the cells of an experiment that nobody has run yet."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

import sightline
from sightline import _core
from sightline.exceptions import SightlineError
from sightline.lab._data_set import LoadedSet
from sightline.lab._learner import Learner, Trial, check_learners, fingerprints
from sightline.lab._protocol import Place, Protocol
from sightline.lab._record import RECIPE, Record, TrialFailed, run_trial
from sightline.lab._store import Cell, ResultStore
from sightline.progress import ProgressBar, progress_bar

LEARNING_CODE = ("table", "model", "learn", "load", "distill", "estimator.py")
"""The parts of the package on which results depend; how they are shown and stored is not among them."""

LIBRARIES = ("numpy", "scipy", "scikit-learn")


@dataclass(frozen=True, eq=False)
class Plan:
    """Every cell of an experiment.

    Attributes
    ----------
    data_sets : sequence of LoadedSet
        Rows and labels.
    learners : sequence of Learner
        Teachers before their pupils.
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
            self.protocol.split(data, Place(0, 0))
        self._names.update(fingerprints(self.learners))

    def cell(self, data: LoadedSet, place: Place, learner: Learner) -> Cell:
        """Return a cell with its key."""
        content = (
            RECIPE,
            code_fingerprint(),
            data.fingerprint,
            self.protocol.identity,
            tuple(place),
            self._names[learner.name],
        )
        key = hashlib.sha256(repr(content).encode()).hexdigest()
        return Cell(key, data.name, place.repeat, place.fold, learner.name)

    @cached_property
    def cells(self) -> list[Cell]:
        """All cells: every data set once before any twice, small ones first."""
        return [cell for _, _, cells in self.trials() for cell in cells]

    def trials(self) -> Iterator[tuple[LoadedSet, Place, list[Cell]]]:
        """Yield the cells that share a fold, in the order in which they are run."""
        by_size = sorted(self.data_sets, key=lambda data: data.X.n_rows * len(data.X.columns))
        for repeat in range(self.protocol.n_repeats):
            for data in by_size:
                for place in self.protocol.places(data):
                    if place.repeat == repeat:
                        yield data, place, [self.cell(data, place, learner) for learner in self.learners]


@cache
def code_fingerprint() -> str:
    """Return what only the same code that learns, of the same versions, shares."""
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
    """Run what is missing and store it, result by result.

    joblib's own settings decide on where: processes of this machine by default, or what
    ``joblib.parallel_config`` says, a Dask cluster included. Results do not depend on it.
    Started again after whatever ended it, the run goes on with the cells that are not stored.

    Parameters
    ----------
    plan : Plan
        What is to be there at the end.
    store : ResultStore
        What is there already, and where the rest goes.
    n_jobs : int, optional
        Trials at a time, as in joblib.
    title : str
        What the progress bar says.
    show_progress : bool, optional
        False for silence; by default there is a bar where stderr is a terminal.

    Raises
    ------
    SightlineError
        If a learner fails or a result cannot be stored. Everything finished before is kept.
    """
    done = store.known([cell.key for cell in plan.cells])
    tasks = [
        (data, place, {cell.learner: cell for cell in cells if cell.key not in done})
        for data, place, cells in plan.trials()
    ]
    tasks = [task for task in tasks if task[2]]
    if not tasks:
        return
    # Trials are what is parallel. Threads of one learner that wait for each other would only be busy waiting
    # for processors that other trials have, and be counted as its seconds.
    with (
        threadpool_limits(1),
        progress_bar(title, total=len(plan.cells), wanted=show_progress) as bar,
    ):
        bar.update(len(done))
        _run_tasks(plan, tasks, store, n_jobs, len(done), bar)


def _run_tasks(
    plan: Plan,
    tasks: list[tuple[LoadedSet, Place, dict[str, Cell]]],
    store: ResultStore,
    n_jobs: int | None,
    n_done: int,
    bar: ProgressBar,
) -> None:
    jobs = (
        delayed(_numbered)(number, Trial(data, plan.protocol, place), plan.learners, frozenset(cells))
        for number, (data, place, cells) in enumerate(tasks)
    )
    # The workers only compute: one process writes, wherever they are.
    for number, records, failure in Parallel(n_jobs=n_jobs, return_as="generator_unordered", max_nbytes=None)(
        jobs
    ):
        data, place, cells = tasks[number]
        store.add((cells[name], record) for name, record in records)
        n_done += len(records)
        bar.update(n_done, f"{data.name}, repeat {place.repeat + 1}, fold {place.fold + 1}")
        if failure is not None:
            where = f"{data.name} (repeat {place.repeat + 1}, fold {place.fold + 1})"
            raise SightlineError(f"{failure.learner} failed on {where}: {failure.reason}")


def _numbered(
    number: int, trial: Trial, learners: Sequence[Learner], wanted: frozenset[str]
) -> tuple[int, list[tuple[str, Record]], TrialFailed | None]:
    """Say which task the records belong to, since they come in any order."""
    return (number, *run_trial(trial, learners, wanted))
