"""The description of an experiment: one per paper, and all that a reproduction needs to know of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sightline.exceptions import ParameterError
from sightline.lab._data_set import DataSet
from sightline.lab._learner import Learner
from sightline.lab._protocol import Protocol
from sightline.lab._runner import Plan

if TYPE_CHECKING:
    from sightline.lab._findings import Findings
    from sightline.lab._results import Results

QUICK = Protocol(n_repeats=1, n_folds=3)


@dataclass(frozen=True)
class Experiment:
    """Learners, data sets, protocol and what is to be told about the results.

    Attributes
    ----------
    name : str
        What ``sightline reproduce`` calls it.
    title : str
        What its page is called.
    paper : str
        Where the experiment comes from.
    data_sets : tuple of DataSet
        In the paper's order.
    learners : tuple of Learner
        Teachers before their pupils.
    protocol : Protocol
        Repeats and folds.
    quick_sets : tuple of str
        A few small data sets for a first look.
    find : callable
        From results to tables, figures and sentences.
    """

    name: str
    title: str
    paper: str
    data_sets: tuple[DataSet, ...]
    learners: tuple[Learner, ...]
    protocol: Protocol
    quick_sets: tuple[str, ...]
    find: Callable[[Results], Findings]

    def quick(self) -> Experiment:
        """Return the same with one threefold cross-validation."""
        return replace(self, protocol=replace(QUICK, n_uniform=self.protocol.n_uniform))

    def on(self, names: Sequence[str]) -> Experiment:
        """Return the same on some of its data sets.

        Raises
        ------
        ParameterError
            If one of them is not the experiment's.
        """
        known = [data.name for data in self.data_sets]
        for name in names:
            if name not in known:
                raise ParameterError(
                    f"The experiment {self.name!r} has no data set {name!r}; its data sets are "
                    f"{', '.join(known)}."
                )
        return replace(self, data_sets=tuple(data for data in self.data_sets if data.name in names))

    def repeated(self, n_repeats: int) -> Experiment:
        """Return the same with another number of cross-validations."""
        return replace(self, protocol=replace(self.protocol, n_repeats=n_repeats))

    def plan(self, folder: str | Path) -> Plan:
        """Read every data set, so that what cannot be read is known before anything runs.

        Parameters
        ----------
        folder : path-like
            Holds the ARFF files.

        Returns
        -------
        Plan
            All cells.
        """
        if not Path(folder).is_dir():
            raise ParameterError(f"There is no folder {str(folder)!r} with data sets.")
        return Plan([data.read(Path(folder)) for data in self.data_sets], self.learners, self.protocol)
