"""Ways to put something readable in an ensemble's place, by what they give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import sightline as sl
from sightline.exceptions import ParameterError

MAX_LEAVES = 16
MAX_RULES = 20
MAX_STUMPS = 5
"""So much can be read on one screen; the report shows what other sizes would do."""

MAX_MERGED_NODES = 5_000
"""What a page can still show of an exact tree."""


class Shape(StrEnum):
    """What is put in an ensemble's place."""

    TREE = "tree"
    GRAPH = "graph"
    RULES = "rules"
    STUMPS = "stumps"
    CASES = "cases"


class Method(StrEnum):
    """How it is found."""

    DISTILLED = "distilled"
    ISM = "ism"
    CMM = "cmm"
    MERGED = "merged"
    VOTING = "voting"
    NEAREST = "nearest"


@dataclass(frozen=True)
class Wish:
    """What is wanted.

    Attributes
    ----------
    shape : Shape
        What to find.
    method : Method
        How; one of ``METHODS[shape]``.
    max_leaves, max_rules, max_stumps : int
        How large it may be.
    seed, n_jobs : int
        Draws, and threads.
    """

    shape: Shape
    method: Method
    max_leaves: int
    max_rules: int
    max_stumps: int
    seed: int
    n_jobs: int

    def found(self, ensemble: Any, train: sl.Table) -> Any:
        """Return the fitted estimator, or the model itself where nothing is fitted.

        Parameters
        ----------
        ensemble : fitted estimator or Ensemble
            An estimator also knows which rows each of its trees has not seen.
        train : Table
            The rows to learn from.
        """
        return METHODS[self.shape][self.method](self, ensemble, train)


def _distilled(wish: Wish, ensemble: Any, train: sl.Table) -> Any:
    options: dict[str, Any] = {"n_jobs": wish.n_jobs, "random_state": wish.seed}
    return sl.DistilledTreeClassifier(ensemble, wish.max_leaves, **options).fit(train.X, train.y)


def _ism(wish: Wish, ensemble: Any, train: sl.Table) -> Any:
    return sl.ISMClassifier(ensemble, max_leaves=wish.max_leaves, random_state=wish.seed).fit(
        train.X, train.y
    )


def _cmm(wish: Wish, ensemble: Any, train: sl.Table) -> Any:
    return sl.CMMClassifier(ensemble, random_state=wish.seed).fit(train.X, train.y)


def _voting(wish: Wish, ensemble: Any, train: sl.Table) -> Any:
    options: dict[str, Any] = {"n_jobs": wish.n_jobs, "random_state": wish.seed}
    return sl.RuleSetClassifier(ensemble, max_rules=wish.max_rules, **options).fit(train.X, train.y)


def _merged(wish: Wish, ensemble: Any, train: sl.Table) -> Any:
    missing = [column.name for column in train.columns if column.is_missing.any()]
    to: Any = wish.shape.value
    return sl.merge(ensemble, to=to, missing=missing, max_nodes=MAX_MERGED_NODES, X=train.X)


def _stumps(wish: Wish, ensemble: Any, train: sl.Table) -> Any:
    """Fit stumps to what the ensemble says: they stand for it, not for the labels."""
    stumps = sl.StumpEnsembleClassifier(max_size=wish.max_stumps, n_jobs=wish.n_jobs, random_state=wish.seed)
    return stumps.fit(train.X, ensemble.predict(train.X))


def _cases(wish: Wish, ensemble: Any, train: sl.Table) -> Any:
    """Let the nearest cases decide, so that what they are worth is measured and not what the ensemble is."""
    options: dict[str, Any] = {"n_jobs": wish.n_jobs, "random_state": wish.seed}
    return sl.MetaKNNClassifier(ensemble, predict_with="meta", **options).fit(train.X, train.y)


METHODS: dict[Shape, dict[Method, Callable[[Wish, Any, sl.Table], Any]]] = {
    Shape.TREE: {
        Method.DISTILLED: _distilled,
        Method.ISM: _ism,
        Method.CMM: _cmm,
        Method.MERGED: _merged,
    },
    Shape.GRAPH: {Method.MERGED: _merged},
    Shape.RULES: {Method.VOTING: _voting},
    Shape.STUMPS: {Method.VOTING: _stumps},
    Shape.CASES: {Method.NEAREST: _cases},
}
"""The first one is what is taken if none is named."""


def method_for(shape: Shape, method: Method | None) -> Method:
    """Return the method to take.

    Raises
    ------
    ParameterError
        If it does not give what is wanted.
    """
    known = list(METHODS[shape])
    if method is None:
        return known[0]
    if method not in known:
        listed = ", ".join(known)
        raise ParameterError(f"--method {method} does not give --to {shape}: choose among {listed}.")
    return method
