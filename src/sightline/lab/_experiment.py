"""The description of an experiment: everything that a run needs to know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sightline.exceptions import ParameterError
from sightline.lab._data_set import DataSource
from sightline.lab._learner import Learner
from sightline.lab._protocol import Protocol
from sightline.lab._runner import Plan

if TYPE_CHECKING:
    from sightline.lab._findings import Findings
    from sightline.lab._results import Results


@dataclass(frozen=True)
class Experiment:
    """Learners, data sets, a protocol, and what to report about the results.

    Attributes
    ----------
    name : str
        Its name for ``sightline reproduce``.
    title : str
        Title of its page.
    paper : str
        The paper that it repeats; empty for our own.
    data_sets : tuple of DataSource
        In the paper's order.
    learners : tuple of Learner
        Each ensemble before the learners that imitate it.
    protocol : Protocol
        Repeats and folds.
    quick_sets : tuple of str
        A few small data sets for a first look.
    find : callable
        Turns results into tables, figures and sentences.
    further : tuple of Experiment
        Experiments with data sets and a protocol of their own that follow on the same page.
    """

    name: str
    title: str
    paper: str
    data_sets: tuple[DataSource, ...]
    learners: tuple[Learner, ...]
    protocol: Protocol
    quick_sets: tuple[str, ...]
    find: Callable[[Results], Findings]
    further: tuple[Experiment, ...] = ()

    @property
    def on_page(self) -> list[Experiment]:
        """Itself and the further ones, as far as they have data sets."""
        return [one for one in (self, *self.further) if one.data_sets]

    def quick(self) -> Experiment:
        """Return the same experiment with the protocol of a first look."""
        further = tuple(one.quick() for one in self.further)
        return replace(self, protocol=self.protocol.quick(), further=further)

    def on(self, names: Sequence[str]) -> Experiment:
        """Return the same experiment on some of its data sets.

        Raises
        ------
        ParameterError
            If the experiment has no data set of that name.
        """
        known = list(dict.fromkeys(data.name for one in self.on_page for data in one.data_sets))
        for name in names:
            if name not in known:
                raise ParameterError(
                    f"The experiment {self.name!r} has no data set {name!r}. Choose from: {', '.join(known)}."
                )
        return self._only(names)

    def _only(self, names: Sequence[str]) -> Experiment:
        kept = tuple(data for data in self.data_sets if data.name in names)
        return replace(self, data_sets=kept, further=tuple(one._only(names) for one in self.further))

    def repeated(self, n_repeats: int) -> Experiment:
        """Return the same experiment with another number of repeats."""
        further = tuple(one.repeated(n_repeats) for one in self.further)
        return replace(self, protocol=replace(self.protocol, n_repeats=n_repeats), further=further)

    def plan(self, folder: str | Path) -> Plan:
        """Read every data set, so that a bad file is reported before anything runs.

        Parameters
        ----------
        folder : path-like
            Folder with the ARFF files.

        Returns
        -------
        Plan
            All cells of the experiment.
        """
        if not Path(folder).is_dir():
            raise ParameterError(f"There is no folder {str(folder)!r} with data sets.")
        return Plan([data.read(Path(folder)) for data in self.data_sets], self.learners, self.protocol)
