"""The evaluation of feature sets, in this process or on another machine."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from numpy.typing import NDArray

from sightline import _core
from sightline.learn._c45 import C45Classifier
from sightline.table import Labels, Table, fingerprint

Sets = NDArray[np.bool_]
"""Feature sets, one per row of booleans."""

KERNELS_KEPT = 4

CACHE_BYTES = 512 * 2**20
"""Memory for the cached trees of a kernel. It changes only the time."""


class Evaluation(NamedTuple):
    """The result of the inner cross-validation of one set.

    Attributes
    ----------
    n_folds : int
        Folds done. If the evaluation was abandoned before the last, the other numbers are
        optimistic bounds.
    accuracy, nodes, leaves : float
        Means over the trees of the folds.
    fitness : float
        Weighted sum of accuracy and simplicity.
    """

    n_folds: int
    accuracy: float
    nodes: float
    leaves: float
    fitness: float


@dataclass(frozen=True)
class Abandonment:
    """When to abandon an evaluation: it cannot reach the fitness, and a rival dominates it anyway.

    Parameters
    ----------
    below : float
        The fitness to reach.
    rivals : ndarray of shape (n_rivals, 3)
        Accuracy, nodes and features of known sets.
    """

    below: float
    rivals: NDArray[np.float64]


class Evaluator:
    """Evaluates feature sets on fixed folds. It is pickled without its kernel.

    Parameters
    ----------
    table : Table
        Training rows.
    labels : Labels
        Their class labels.
    folds : ndarray of shape (n_rows,)
        The fold of each row.
    base : C45Classifier
        Parameters of the trees.
    accuracy_weight, size_weight : float
        Weights of the fitness.
    size_ratio : {"per_fold", "of_means"}
        How the fitness counts nodes per training row.
    """

    def __init__(
        self,
        table: Table,
        labels: Labels,
        folds: NDArray[np.int32],
        base: C45Classifier,
        accuracy_weight: float,
        size_weight: float,
        size_ratio: str = "per_fold",
    ) -> None:
        self.table = table
        self.labels = labels
        self.folds = folds
        self.n_folds = int(folds.max()) + 1
        self.base = base
        self.accuracy_weight = accuracy_weight
        self.size_weight = size_weight
        self.size_ratio = size_ratio
        self.confidence = base.confidence
        self.key = self._fingerprint()
        self._stop: _core.StopFlag | None = None

    def choose_confidence(self, levels: tuple[float, ...]) -> tuple[Evaluation, ...]:
        """Choose the confidence with the most accurate trees on all features; on ties, the smallest.

        Parameters
        ----------
        levels : tuple of float
            Confidences, ascending.

        Returns
        -------
        tuple of Evaluation
            The evaluation of each confidence.
        """
        rows = self._kernel().evaluate_confidences(list(levels))
        self.confidence = levels[int(rows[:, 1].argmax())]
        return tuple(_evaluation(row) for row in rows)

    def evaluate(self, sets: Sets, abandonment: Abandonment | None = None) -> list[Evaluation]:
        """Evaluate feature sets one after another.

        Parameters
        ----------
        sets : ndarray of bool of shape (n_sets, n_features)
            The sets.
        abandonment : Abandonment, optional
            When to stop early.

        Returns
        -------
        list of Evaluation
            In the order of the sets.
        """
        rows = self._kernel().evaluate(
            sets,
            self.confidence,
            abandon_below=None if abandonment is None else abandonment.below,
            rivals=None if abandonment is None else abandonment.rivals,
            stop=self._stop,
        )
        return [_evaluation(row) for row in rows]

    def _kernel(self) -> _core.SetGenCrossValidation:
        """Return the kernel of this process. It sorts the columns once for all calls."""
        kernel = _kernels.get(self.key)
        if kernel is None:
            kernel = _kernels[self.key] = self._new_kernel()
            while len(_kernels) > KERNELS_KEPT:
                _kernels.popitem(last=False)
        return kernel

    def _new_kernel(self) -> _core.SetGenCrossValidation:
        return _core.SetGenCrossValidation(
            self.table.native(),
            self.labels.codes,
            len(self.labels.classes_),
            self.folds,
            self.n_folds,
            self.base._native_options(),
            accuracy_weight=self.accuracy_weight,
            size_weight=self.size_weight,
            ratio_of_means=self.size_ratio == "of_means",
            cache_bytes=CACHE_BYTES,
        )

    def forget(self) -> None:
        """Free the kernel of this process."""
        _kernels.pop(self.key, None)

    def _fingerprint(self) -> str:
        content = hashlib.sha256()
        content.update(fingerprint(self.table, self.labels).encode())
        # Values that were once the only ones are left out: checkpoints of earlier releases are still found.
        parameters = {key: value for key, value in self.base.get_params().items() if value != "weka"}
        content.update(repr(sorted(parameters.items())).encode())
        content.update(self.folds.tobytes())
        content.update(repr((self.accuracy_weight, self.size_weight)).encode())
        content.update(b"" if self.size_ratio == "per_fold" else self.size_ratio.encode())
        return content.hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_stop": None}


_kernels: OrderedDict[str, _core.SetGenCrossValidation] = OrderedDict()


class Workers:
    """Evaluates batches with joblib workers.

    They are threads unless ``joblib.parallel_config`` says otherwise; a Dask cluster works, too.
    The results do not depend on it.

    Parameters
    ----------
    evaluator : Evaluator
        Evaluates the sets.
    n_jobs : int, optional
        Number of workers, as in joblib.
    """

    def __init__(self, evaluator: Evaluator, n_jobs: int | None) -> None:
        self._evaluator = evaluator
        self._parallel = Parallel(n_jobs=n_jobs, prefer="threads")
        with parallel_config(prefer="threads"):  # counts the workers of the same backend
            self.n_workers = effective_n_jobs(n_jobs)

    def __enter__(self) -> Self:
        self._evaluator._stop = _core.StopFlag()
        self._parallel.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        # Otherwise the other threads would run to their end.
        if error[0] is not None and self._evaluator._stop is not None:
            self._evaluator._stop.request()
        self._parallel.__exit__(*error)
        self._evaluator._stop = None

    def evaluate(self, sets: Sets, abandonment: Abandonment | None) -> list[Evaluation]:
        """Evaluate a batch of sets, in parallel if possible."""
        n_parts = min(self.n_workers, len(sets))
        if n_parts <= 1:
            return self._evaluator.evaluate(sets, abandonment) if len(sets) else []
        # Neighbors in a batch are similar. Dealt out, the expensive ones are spread over all workers.
        parts = [np.ascontiguousarray(sets[first::n_parts]) for first in range(n_parts)]
        answers = self._parallel(delayed(self._evaluator.evaluate)(part, abandonment) for part in parts)
        return [answers[index % n_parts][index // n_parts] for index in range(len(sets))]


def _evaluation(row: NDArray[np.float64]) -> Evaluation:
    n_folds, *numbers = row.tolist()
    return Evaluation(int(n_folds), *numbers)
