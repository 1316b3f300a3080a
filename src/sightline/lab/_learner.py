"""What learns in an experiment, and how it is told apart from every other learner."""

from __future__ import annotations

import hashlib
import inspect
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from sightline.exceptions import ParameterError
from sightline.lab._data_set import LoadedSet
from sightline.lab._protocol import Place, Protocol
from sightline.table import Labels, Table


@dataclass(frozen=True, eq=False)
class Trial:
    """What a learner is given in one fold.

    Attributes
    ----------
    data : LoadedSet
        The data set.
    protocol : Protocol
        How it is divided.
    place : Place
        Which fold of which repeat.
    """

    data: LoadedSet
    protocol: Protocol
    place: Place

    @cached_property
    def _rows(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return self.protocol.split(self.data, self.place)

    @cached_property
    def X_train(self) -> Table:  # noqa: N802
        """The rows to learn from."""
        rows: Table = self.data.X[self._rows[0]]
        return rows

    @cached_property
    def y_train(self) -> Labels:
        """Their labels."""
        labels: Labels = self.data.y[self._rows[0]]
        return labels

    @cached_property
    def X_test(self) -> Table:  # noqa: N802
        """The rows to judge on."""
        rows: Table = self.data.X[self._rows[1]]
        return rows

    @cached_property
    def y_test(self) -> Labels:
        """Their labels."""
        labels: Labels = self.data.y[self._rows[1]]
        return labels

    @property
    def seed(self) -> int:
        """Seed for the learners' random choices."""
        return self.protocol.learner_seed(self.place)


@dataclass(frozen=True)
class Learner:
    """A named way to a model.

    Attributes
    ----------
    name : str
        As the tables call it.
    estimator : estimator, optional
        Cloned, given the fold's seed where it has none, and fitted.
    teacher : str, optional
        Name of the learner whose fitted model is given to the estimator as ``ensemble``, so that
        all who have the same teacher summarise the same ensemble.
    is_transductive : bool
        Whether the held-out rows, without their labels, are given as ``X_unlabeled``.
    source : str, optional
        Instead of an estimator: name of the learner whose fitted model ``derive`` changes.
    derive : callable, optional
        From that model to this learner's.
    notes : callable, optional
        From a fitted model and the trial to more numbers, or lists of numbers, to be stored.
    """

    name: str
    estimator: Any = None
    teacher: str | None = None
    is_transductive: bool = False
    source: str | None = None
    derive: Callable[[Any], Any] | None = None
    notes: Callable[[Any, Trial], Mapping[str, Any]] | None = None

    @property
    def needs(self) -> str | None:
        """Name of the learner that must be fitted before."""
        return self.teacher or self.source

    def fit(self, trial: Trial, fitted: Mapping[str, Any]) -> Any:
        """Learn from the training rows of a trial.

        Parameters
        ----------
        trial : Trial
            The rows.
        fitted : dict
            Models of the same trial by the names of their learners.

        Returns
        -------
        object
            What predicts.
        """
        if self.derive is not None:
            return self.derive(fitted[str(self.source)])
        estimator = clone(self.estimator)
        parameters = estimator.get_params(deep=True)
        # A pipeline has the seeds of its steps.
        unset = [
            name for name, value in parameters.items() if name.endswith("random_state") and value is None
        ]
        estimator.set_params(**dict.fromkeys(unset, trial.seed))
        if self.teacher is not None:
            estimator.set_params(ensemble=fitted[self.teacher])
        options = {"X_unlabeled": trial.X_test} if self.is_transductive else {}
        labels = np.asarray(trial.y_train) if trial.protocol.plain_labels else trial.y_train
        return estimator.fit(trial.X_train, labels, **options)

    def own_fingerprint(self) -> str:
        """Return what only learners of the same parameters share, those before it left aside."""
        content = hashlib.sha256()
        content.update(repr((self.teacher is not None, self.is_transductive)).encode())
        try:
            content.update(str(joblib.hash(self.estimator)).encode())
        except Exception:
            # What cannot be told apart is never found again.
            content.update(uuid.uuid4().bytes)
        if self.estimator is not None:
            content.update(repr(_library(self.estimator)).encode())
        for function in (self.derive, self.notes):
            content.update(_source(function).encode())
        return content.hexdigest()


def _source(function: Any) -> str:
    """Return what a function does as text; what has no source, as a methodcaller, shows itself."""
    try:
        return "-" if function is None else inspect.getsource(function)
    except (TypeError, OSError):
        return repr(function)


def _library(estimator: Any) -> tuple[str, str]:
    """Name and version of the library that an estimator comes from."""
    import importlib.metadata  # noqa: PLC0415 - slow to import

    name = type(estimator).__module__.partition(".")[0]
    try:
        return name, importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return name, ""


def check_learners(learners: Sequence[Learner]) -> None:
    """Raise unless names are different and every teacher and source stands before its pupil."""
    seen: set[str] = set()
    for learner in learners:
        if learner.name in seen:
            raise ParameterError(f"Two learners are called {learner.name!r}: give each its own name.")
        if learner.needs is not None and learner.needs not in seen:
            raise ParameterError(
                f"The learner {learner.name!r} needs {learner.needs!r}, which does not stand before it."
            )
        seen.add(learner.name)


def fingerprints(learners: Sequence[Learner]) -> dict[str, str]:
    """Return what tells each learner apart, its teachers included.

    Examples
    --------
    >>> from sightline import C45Classifier
    >>> one = fingerprints([Learner("tree", C45Classifier())])["tree"]
    >>> other = fingerprints([Learner("tree", C45Classifier(prune=False))])["tree"]
    >>> one == other
    False
    """
    found: dict[str, str] = {}
    for learner in learners:
        before = found[learner.needs] if learner.needs else ""
        found[learner.name] = hashlib.sha256(f"{before} {learner.own_fingerprint()}".encode()).hexdigest()
    return found
