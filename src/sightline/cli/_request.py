"""What the user asks to replace an ensemble with, and how to find it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import sightline as sl
from sightline.cli._output import notes_on_page
from sightline.cli._tree_options import MIN_LEAF, TreeOptions, option_of
from sightline.exceptions import ParameterError
from sightline.wording import list_choices

MAX_LEAVES = 16
MAX_RULES = 20
MAX_STUMPS = 5
"""Sizes that fit on one screen; the report shows how other sizes would perform."""

MAX_MERGED_NODES = 5_000
"""The largest exact tree that a page can still show."""


class Shape(StrEnum):
    """What to replace an ensemble with."""

    TREE = "tree"
    GRAPH = "graph"
    RULES = "rules"
    STUMPS = "stumps"
    CASES = "cases"


class MethodName(StrEnum):
    """How to find it, as the command line calls it."""

    DISTILLED = "distilled"
    ISM = "ism"
    CMM = "cmm"
    MERGED = "merged"
    VOTING = "voting"
    NEAREST = "nearest"


METHODS: dict[Shape, dict[MethodName, str | None]] = {
    Shape.TREE: {
        MethodName.DISTILLED: "distilled tree",
        MethodName.ISM: "ISM tree",
        MethodName.CMM: "CMM tree",
        MethodName.MERGED: None,
    },
    Shape.GRAPH: {MethodName.MERGED: None},
    Shape.RULES: {MethodName.VOTING: "20 rules"},
    Shape.STUMPS: {MethodName.VOTING: "5 stumps"},
    Shape.CASES: {MethodName.NEAREST: "nearest cases"},
}
"""Per shape, the methods by the name that ``sightline compare`` gives them; None: ``sl.merge``.
The first one is the default."""


_DECISIONS = ("--threshold", "--cost")
"""Options that say which labels to imitate, and not how a tree does so."""

_SHAPES = {"classes": tuple(Shape), "numbers": (Shape.TREE, Shape.GRAPH, Shape.RULES, Shape.CASES)}
"""Per task, the shapes that there are."""


@dataclass(frozen=True)
class Request:
    """What to find, and how.

    Attributes
    ----------
    shape : Shape
        What to find.
    method : MethodName or None
        How; None: the first of ``METHODS[shape]``.
    max_leaves, max_rules, max_stumps : int
        Maximum sizes, for methods that have such a limit.
    seed : int
        Seed for all random choices.
    n_jobs : int
        Number of threads.
    tree : TreeOptions
        How to distill a tree.

    Raises
    ------
    ParameterError
        If the method cannot produce the shape.
    """

    shape: Shape = Shape.TREE
    method: MethodName | None = None
    max_leaves: int = MAX_LEAVES
    max_rules: int = MAX_RULES
    max_stumps: int = MAX_STUMPS
    seed: int = 0
    n_jobs: int = -1
    tree: TreeOptions = field(default_factory=TreeOptions)

    def __post_init__(self) -> None:
        known = METHODS[self.shape]
        if self.method is not None and self.method not in known:
            raise ParameterError(
                f"--method {self.method} does not work with --to {self.shape}. "
                f"Choose from: {', '.join(known)}."
            )
        self._check_tree_options()

    def _check_tree_options(self) -> None:
        """Raise if the result cannot follow an option of distilled trees."""
        if self.shape is Shape.TREE and self.method is not MethodName.MERGED:
            return
        followed = _DECISIONS if self.shape is Shape.RULES else ()
        for option in self.tree.given:
            if option not in followed:
                whose = "distilled trees and rules" if option in _DECISIONS else "distilled trees"
                raise ParameterError(f"{option} works only for {whose}, not for {self._named}.")

    @property
    def _named(self) -> str:
        """The options that say what to find."""
        return f"--to {self.shape}" + ("" if self.method is None else f" --method {self.method}")

    @property
    def decides(self) -> bool:
        """Whether labels follow a threshold or costs instead of the ensemble's own decision."""
        return self.tree.threshold is not None or bool(self.tree.cost)

    @property
    def is_about_positive(self) -> bool:
        """Whether an option is about the probability of the positive class."""
        return self.tree.threshold is not None or bool(self.tree.monotone)

    def estimator(self, task: str) -> type | None:
        """Return what computes the result; None if it is computed without an estimator."""
        name = METHODS[self.shape][self.method or next(iter(METHODS[self.shape]))]
        return None if name is None else _named(name, task).estimator

    def notes(self, train: sl.Table) -> list[str]:
        """Warn if the result is too small to predict every class."""
        n_classes = len(set(train.y.codes.tolist())) if isinstance(train.y, sl.Labels) else 0
        if self.shape is not Shape.TREE or self.method is MethodName.MERGED or n_classes <= self.max_leaves:
            return []
        return [
            f"A tree of {self.max_leaves:,} leaves can predict at most that many of the {n_classes:,} "
            f"classes. "
            "Allow more leaves with --max-leaves."
        ]

    def fit(self, ensemble: Any, train: sl.Table) -> Any:
        """Return the fitted estimator, or the merged model itself.

        Parameters
        ----------
        ensemble : fitted estimator or Ensemble
            The ensemble to replace. An estimator also knows which rows each of its trees has not seen.
        train : Table
            The training rows.
        """
        names = METHODS[self.shape]
        name = names[self.method or next(iter(names))]
        return self._merged(ensemble, train) if name is None else self._fitted(name, ensemble, train)

    def check_task(self, task: str) -> None:
        """Raise if there is no such method for this task.

        Raises
        ------
        ParameterError
            Naming the methods that there are.
        """
        names = METHODS[self.shape]
        method = self.method or next(iter(names))
        if self.shape in _SHAPES[task] and (names[method] is None or names[method] in _names(task)):
            return
        possible = [
            f"--to {shape} --method {one}"
            for shape in _SHAPES[task]
            for one, name in METHODS[shape].items()
            if name is None or name in _names(task)
        ]
        raise ParameterError(
            f"--to {self.shape} --method {method} predicts only classes, but the target holds numbers. "
            f"For numbers use {list_choices(possible)}."
        )

    def check_weights(self, train: sl.Table) -> None:
        """Raise if rows have weights that the method cannot use.

        Raises
        ------
        ParameterError
            Naming the method.
        """
        from sklearn.utils.validation import has_fit_parameter

        from sightline.cli._task import task_of

        estimator = self.estimator(task_of(train))
        # Merging learns nothing from rows.
        if train.weights is None or estimator is None or has_fit_parameter(estimator, "sample_weight"):
            return
        raise ParameterError(
            f"--weight does not work with {self._named}: {type(estimator).__name__} cannot learn from "
            "weighted rows. Use a tree or rules."
        )

    def _fitted(self, name: str, ensemble: Any, train: sl.Table) -> Any:
        from sklearn.base import clone

        from sightline.cli._task import task_of

        task = task_of(train)
        method = _named(name, task)
        estimator = clone(method.estimator)
        if method.is_summary:
            self._set_tree_options(estimator, ensemble, task, train)
        wanted = {
            "max_leaves": self.max_leaves,
            "max_rules": self.max_rules,
            "max_size": self.max_stumps,
            "n_jobs": self.n_jobs,
            "random_state": self.seed,
        }
        estimator.set_params(**{key: wanted[key] for key in wanted.keys() & estimator.get_params(deep=False)})
        if not method.is_summary:
            # It replaces the ensemble, so it learns what the ensemble predicts and not the rows' own labels.
            with notes_on_page():
                return estimator.fit(train.X, ensemble.predict(train.X))
        weighted = {} if train.weights is None else {"sample_weight": train.weight_column}
        return estimator.set_params(ensemble=ensemble).fit(train.X, train.y, **weighted)

    def _set_tree_options(self, estimator: Any, ensemble: Any, task: str, train: sl.Table) -> None:
        """Set the options of a tree, and the least support that a page should show."""
        classes = None if task == "numbers" else list(ensemble.classes_)
        known = estimator.get_params(deep=False)
        given = self.tree.parameters(classes)
        unknown = [option_of(name) for name in given if name not in known]
        if unknown:
            where = self._named + (" and a numeric target" if task == "numbers" else "")
            raise ParameterError(
                f"{unknown[0]} does not work with {where}: {type(estimator).__name__} has no such parameter."
            )
        if self.shape is Shape.TREE and "min_leaf" in known:
            given.setdefault("min_leaf", _least_support(train))
        estimator.set_params(**given)

    def _merged(self, ensemble: Any, train: sl.Table) -> Any:
        missing = [column.name for column in train.columns if column.is_missing.any()]
        to: Any = self.shape.value
        return sl.merge(ensemble, to=to, missing=missing, max_nodes=MAX_MERGED_NODES, X=train.X)


def _least_support(train: sl.Table) -> float:
    """Return the default of --min-leaf; if rows have weights, as the share of them that so many rows are.

    As a number, it would be a weight: more than all rows have if their weights are small.
    """
    return MIN_LEAF if train.weights is None else min(MIN_LEAF / train.n_rows, 0.5)


def _named(name: str, task: str) -> Any:
    from sightline.judge import built_in_methods

    return next(method for method in built_in_methods(task) if method.name == name)


def _names(task: str) -> set[str]:
    from sightline.judge import built_in_methods

    return {method.name for method in built_in_methods(task)}
