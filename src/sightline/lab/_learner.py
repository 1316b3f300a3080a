"""The learners of an experiment, and the hashes that identify them."""

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

from sightline.distill import weights_for
from sightline.exceptions import ParameterError
from sightline.lab._data_set import LoadedSet
from sightline.lab._encoding import OriginalRows
from sightline.lab._protocol import FoldId, Protocol
from sightline.table import Labels, Numbers, Table


@dataclass(frozen=True, eq=False)
class Trial:
    """The rows that a learner gets in one fold.

    Attributes
    ----------
    data : LoadedSet
        The data set.
    protocol : Protocol
        How the rows are split.
    fold_id : FoldId
        Which fold of which repeat.
    """

    data: LoadedSet
    protocol: Protocol
    fold_id: FoldId

    @cached_property
    def _rows(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return self.protocol.split(self.data, self.fold_id)

    @cached_property
    def X_train(self) -> Table:  # noqa: N802
        """The training rows."""
        rows: Table = self.data.X[self._rows[0]]
        return rows

    @cached_property
    def y_train(self) -> Labels | Numbers:
        """Their labels or numbers."""
        target: Labels | Numbers = self.data.y[self._rows[0]]
        return target

    @cached_property
    def X_test(self) -> Table:  # noqa: N802
        """The test rows."""
        rows: Table = self.data.X[self._rows[1]]
        return rows

    @cached_property
    def y_test(self) -> Labels | Numbers:
        """Their labels or numbers."""
        target: Labels | Numbers = self.data.y[self._rows[1]]
        return target

    @property
    def train_weights(self) -> NDArray[np.float64] | None:
        """Weights of the training rows, if they have any."""
        return None if self.data.weights is None else self.data.weights[self._rows[0]]

    @property
    def test_weights(self) -> NDArray[np.float64] | None:
        """Weights of the test rows, if they have any."""
        return None if self.data.weights is None else self.data.weights[self._rows[1]]

    @property
    def seed(self) -> int:
        """Seed for the learners' random choices."""
        return self.protocol.learner_seed(self.fold_id)


@dataclass(frozen=True)
class Learner:
    """A named way to train a model.

    Attributes
    ----------
    name : str
        Name in the tables.
    estimator : estimator, optional
        Cloned, given the fold's seed if it has none, and fitted.
    teacher : str, optional
        Name of the learner whose fitted model the estimator gets as ``ensemble``. Learners with
        the same teacher summarize the same ensemble.
    is_transductive : bool
        Whether the estimator gets the test rows, without labels, as ``X_unlabeled``.
    source : str, optional
        Instead of an estimator: name of the learner whose fitted model ``derive`` changes.
    derive : callable, optional
        Turns that model into this learner's.
    notes : callable, optional
        Turns a fitted model and the trial into more numbers, or lists of numbers, to store.
    max_repeats : int, optional
        Maximum number of repeats of this learner, if each takes long.
    """

    name: str
    estimator: Any = None
    teacher: str | None = None
    is_transductive: bool = False
    source: str | None = None
    derive: Callable[[Any], Any] | None = None
    notes: Callable[[Any, Trial], Mapping[str, Any]] | None = None
    max_repeats: int | None = None

    def runs_in(self, repeat: int) -> bool:
        """Return whether the learner runs in a repeat."""
        return self.max_repeats is None or repeat < self.max_repeats

    @property
    def needs(self) -> str | None:
        """Name of the learner that must be fitted first."""
        return self.teacher or self.source

    def fit(self, trial: Trial, fitted: Mapping[str, Any]) -> Any:
        """Fit to the training rows of a trial.

        Parameters
        ----------
        trial : Trial
            The rows.
        fitted : dict
            Fitted models of the same trial, by learner.

        Returns
        -------
        object
            The fitted model.
        """
        if self.derive is not None:
            return self.derive(fitted[str(self.source)])
        estimator = clone(self.estimator)
        parameters = estimator.get_params(deep=True)
        # deep=True: a pipeline has a seed in each step.
        unset = [
            name for name, value in parameters.items() if name.endswith("random_state") and value is None
        ]
        estimator.set_params(**dict.fromkeys(unset, trial.seed))
        if self.teacher is not None:
            teacher = fitted[self.teacher]
            is_wrapped = isinstance(teacher, OriginalRows)
            estimator.set_params(ensemble=teacher.ensemble_ if is_wrapped else teacher)
        options = {"X_unlabeled": trial.X_test} if self.is_transductive else {}
        labels = np.asarray(trial.y_train) if trial.protocol.plain_labels else trial.y_train
        return estimator.fit(trial.X_train, labels, **options, **weights_for(estimator, trial.train_weights))

    def own_fingerprint(self) -> str:
        """Return a hash of this learner's parameters, without those of the learners that it needs."""
        content = hashlib.sha256()
        content.update(repr((self.teacher is not None, self.is_transductive)).encode())
        try:
            content.update(str(joblib.hash(self.estimator)).encode())
        except Exception:
            # A learner that cannot be hashed is never found again.
            content.update(uuid.uuid4().bytes)
        if self.estimator is not None:
            content.update(repr(_library(self.estimator)).encode())
        for function in (self.derive, self.notes):
            content.update(_source(function).encode())
        return content.hexdigest()


def _source(function: Any) -> str:
    """Return the source of a function, or the repr of a callable without source, such as methodcaller."""
    try:
        return "-" if function is None else inspect.getsource(function)
    except (TypeError, OSError):
        return repr(function)


def _library(estimator: Any) -> tuple[str, str]:
    """Return the name and version of an estimator's library."""
    import importlib.metadata  # noqa: PLC0415 - slow to import

    name = type(estimator).__module__.partition(".")[0]
    try:
        return name, importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return name, ""


def check_learners(learners: Sequence[Learner]) -> None:
    """Raise unless names are unique and every teacher and source comes before the learners that need it."""
    seen: set[str] = set()
    for learner in learners:
        if learner.name in seen:
            raise ParameterError(f"Two learners are named {learner.name!r}. Give each its own name.")
        if learner.needs is not None and learner.needs not in seen:
            raise ParameterError(
                f"The learner {learner.name!r} needs {learner.needs!r}, which must come before it."
            )
        seen.add(learner.name)


def fingerprints(learners: Sequence[Learner]) -> dict[str, str]:
    """Return a hash of each learner, including the learners that it needs.

    Examples
    --------
    >>> from sightline import C45Classifier
    >>> one = fingerprints([Learner("tree", C45Classifier())])["tree"]
    >>> other = fingerprints([Learner("tree", C45Classifier(prune=False))])["tree"]
    >>> one == other
    False
    """
    hashes: dict[str, str] = {}
    for learner in learners:
        before = hashes[learner.needs] if learner.needs else ""
        hashes[learner.name] = hashlib.sha256(f"{before} {learner.own_fingerprint()}".encode()).hexdigest()
    return hashes
