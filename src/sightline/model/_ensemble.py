"""Ensembles: trees, and how their outputs combine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.model._link import Link
from sightline.model._nodes import LEAF
from sightline.model._pickled import PickledAsJson
from sightline.model._readable import Readable
from sightline.model._rows import n_threads, native_rows, row_blocks
from sightline.model._subject import AboutTarget, with_subject
from sightline.model._tree import Tree
from sightline.table import Schema, Subject
from sightline.wording import pluralize

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Ensemble(PickledAsJson, AboutTarget, Readable):
    """Trees, their weights, and how outputs combine.

    Parameters
    ----------
    core : _core.Ensemble
        The trees and how they are added up, valid by construction.
    schema : Schema
        Names and categories of the features.
    classes : ndarray of shape (n_classes,) or None
        The labels, or None for a regression.
    link : Link
        How scores become labels and probabilities.
    positive : label, optional
        The positive class, if one was named.
    deviance_power : float, optional
        For a regression that learned to minimize a Tweedie deviance, its power: 1 for Poisson, 2 for gamma
        distributions. The link cannot tell, since survival models predict exponentials, too.

    Attributes
    ----------
    core : _core.Ensemble
        The trees and how they are added up.
    schema : Schema
        Names and categories of the features.
    classes_ : ndarray of shape (n_classes,) or None
        The labels, or None for a regression.
    link : Link
        How scores become labels and probabilities.
    deviance_power : float or None
        For a regression that learned to minimize a Tweedie deviance, its power: 1 for Poisson, 2 for gamma
        distributions.

    Examples
    --------
    >>> import sightline as sl
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    >>> ensemble = sl.load(forest)
    >>> ensemble.n_trees
    10
    >>> bool((ensemble.predict(X) == forest.predict(X)).all())
    True
    """

    def __init__(
        self,
        core: _core.Ensemble,
        schema: Schema,
        classes: NDArray[Any] | None,
        link: Link,
        positive: Any = None,
        deviance_power: float | None = None,
    ) -> None:
        self.core = core
        self.schema = schema
        self.classes_ = classes
        self.link = link
        self.deviance_power = deviance_power
        if positive is not None:
            self.schema = with_subject(schema, classes, positive=positive)

    @classmethod
    def average(cls, trees: Sequence[Tree]) -> Ensemble:
        """Combine trees by the mean of their class probabilities.

        Parameters
        ----------
        trees : sequence of Tree
            Trees over the same features and classes.

        Returns
        -------
        Ensemble
            Its probabilities are the mean of the trees'.
        """
        first = trees[0]
        for tree in trees:
            tree.require_constant_leaves("An ensemble")
        core = combined([tree.core for tree in trees], tie_tolerance=first.tie_tolerance)
        return cls(core, first.schema, first.classes_, Link("mean", (float(len(trees)),)))

    def replaced(self, **changes: Any) -> Ensemble:
        """Return the ensemble with some of its parts replaced.

        Parameters
        ----------
        **changes
            Any of ``core``, ``schema``, ``classes``, ``link``, ``positive`` and ``deviance_power``.

        Returns
        -------
        Ensemble
            Everything else is as before.
        """
        parts = {
            "core": self.core,
            "schema": self.schema,
            "classes": self.classes_,
            "link": self.link,
            "deviance_power": self.deviance_power,
        }
        return Ensemble(**(parts | changes))

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.core.tree_weight)

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all trees together."""
        return self.core.n_nodes

    @property
    def feature_names(self) -> list[str]:
        """Names of the features, in the order of the columns."""
        return self.schema.names

    @property
    def n_classes(self) -> int:
        """Number of classes, 0 for a regression."""
        return 0 if self.classes_ is None else len(self.classes_)

    @property
    def trees(self) -> list[Tree]:
        """The trees, each with its names; those of sums give numbers and have no classes."""
        is_answer = self.link.kind == "mean" or self.core.votes
        classes = self.classes_ if is_answer else None
        # A tree of a sum adds to the answer, which is not the target.
        schema = self.schema if is_answer else replace(self.schema, subject=Subject())
        return [Tree(core, schema, classes, self.core.tie_tolerance) for core in self.core.trees]

    @property
    def size_(self) -> dict[str, int]:
        """Counts over all trees; depth is that of the deepest."""
        trees = self.core.trees
        return {
            "nodes": self.core.n_nodes,
            "leaves": sum(tree.n_leaves for tree in trees),
            "depth": max(tree.depth for tree in trees),
            "rules": sum(tree.n_leaves for tree in trees),
            "conditions": sum(int(tree.level[tree.test == LEAF].sum()) for tree in trees),
            "features": len(set().union(*(tree.used_features for tree in trees))),
        }

    @property
    def is_tested(self) -> NDArray[np.bool_]:
        """Whether some tree tests the feature, per feature."""
        is_tested = np.zeros(len(self.schema), dtype=bool)
        for tree in self.core.trees:
            is_tested[tree.used_features] = True
        return is_tested

    def boxed(self) -> _core.BoxedModel:
        """Return the ensemble in the form that proofs take."""
        return _core.BoxedModel.of_ensemble(self.core, self.link.rule(numbers=self.classes_ is None))

    def to_text(self, *, max_features: int = 20, digits: int = 6) -> str:
        """Summarize the ensemble as text; a few small trees with equal votes are written in full.

        Parameters
        ----------
        max_features : int, default=20
            Maximum number of features to list.
        %(digits)s

        %(returns_text)s
        """
        text: str = self._display().text(max_features=max_features, digits=digits)
        return text

    def plot(self, ax: Axes | None = None, *, max_features: int = 20) -> Axes:
        """Draw the number of tests per feature with matplotlib.

        Parameters
        ----------
        %(ax)s
        max_features : int, default=20
            Maximum number of features to draw.

        %(returns_axes)s
        """
        axes: Axes = self._display().plot(ax, max_features=max_features)
        return axes

    def explain(self, rows: Any, *, reasons: bool = True, ids: Any = None) -> Any:
        """Explain the prediction for one row, or for many, by the votes of the trees.

        Parameters
        ----------
        %(explained_rows)s
        reasons : bool, default=True
            Whether the sentences name the features that contribute most for the label and against it.
        %(ids)s

        %(returns_explanations)s
        """
        return self._display().explain(rows, reasons=reasons, ids=ids)

    def scores(self, X: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the sums over the trees, before division and link.

        Parameters
        ----------
        %(rows)s
        %(n_jobs)s

        Returns
        -------
        ndarray of shape (n_rows, n_scores)
            Added up in the order and precision of the source.
        """
        return self.core.scores(native_rows(X, self.schema, "Ensemble"), n_threads(n_jobs))

    def answers(self, X: Any, n_jobs: int | None = None) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the codes of the labels and the class probabilities of rows, computed together.

        A regression gives codes of 0, and its numbers in one column.
        """
        if self.classes_ is None:
            numbers = self.predict(X, n_jobs)
            return np.zeros(len(numbers), dtype=np.int32), numbers[:, None]
        divided = self.link.divided(self.scores(X, n_jobs))
        return self.link.labels(divided).astype(np.int32), self.link.probabilities(divided)

    @property
    def is_mean(self) -> bool:
        """Whether it is a regression that predicts the mean of its trees, all of positive weight."""
        if self.link.kind != "identity" or self.link.formula is not None or any(self.core.base):
            return False
        weights = np.asarray(self.core.tree_weight)
        if weights.min() <= 0:
            return False
        total = float(weights.sum())
        return bool(np.isclose(self.link.divided(np.array([[total]]))[0, 0], 1.0))

    def predict(self, X: Any, n_jobs: int | None = None) -> NDArray[Any]:
        """Return the label of each row, or the number if the ensemble is a regression.

        %(predict_sections)s
        """
        if self.link.kind == "median":
            return self._weighted_median(X, n_jobs)
        rows = native_rows(X, self.schema, "Ensemble")
        blocks = row_blocks(rows.n_rows, self.core.n_scores)
        answers = [self._answer(rows.part(begin, end), n_threads(n_jobs)) for begin, end in blocks]
        answer = np.concatenate(answers)
        return answer if self.classes_ is None else np.asarray(self.classes_[answer])

    def _answer(self, rows: _core.Columns, n_threads: int) -> NDArray[Any]:
        """Return the codes of the labels, or the numbers."""
        divided = self.link.divided(self.core.scores(rows, n_threads))
        return self.link.probabilities(divided)[:, 0] if self.classes_ is None else self.link.labels(divided)

    def predict_proba(self, X: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the class probabilities of each row.

        %(predict_proba_sections)s
        """
        if self.classes_ is None:
            raise AttributeError("This ensemble is a regression: it has no class probabilities.")
        return self.link.probabilities(self.link.divided(self.scores(X, n_jobs)))

    def apply(self, X: Any, n_jobs: int | None = None) -> NDArray[np.int32]:
        """Return the leaf of every tree that each row reaches.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows. A missing value follows the branch with the largest share.
        %(n_jobs)s

        Returns
        -------
        ndarray of shape (n_rows, n_trees)
            Node numbers within each tree.
        """
        return self.core.find_leaves(native_rows(X, self.schema, "Ensemble"), n_threads(n_jobs))

    def _weighted_median(self, X: Any, n_jobs: int | None) -> NDArray[np.float64]:
        """Prediction of the tree at which the sorted weights pass one half (AdaBoost.R2)."""
        rows = native_rows(X, self.schema, "Ensemble")
        answers = self.core.tree_outputs(rows, n_threads(n_jobs))[:, :, 0]
        order = answers.argsort(axis=1)
        weight_below = np.asarray(self.core.tree_weight)[order].cumsum(axis=1)
        median = (weight_below >= 0.5 * weight_below[:, -1:]).argmax(axis=1)
        every = np.arange(len(answers))
        return np.asarray(answers[every, order[every, median]])

    def __repr__(self) -> str:
        what = "regression" if self.classes_ is None else pluralize(self.n_classes, "class", "classes")
        trees = pluralize(self.n_trees, "tree")
        nodes = pluralize(self.n_nodes, "node")
        features = pluralize(len(self.schema), "feature")
        return f"Ensemble({trees}, {nodes}, {features}, {what})"


def combined(
    trees: Sequence[_core.Tree],
    *,
    n_scores: int | None = None,
    votes: bool = False,
    tree_weight: Sequence[float] | None = None,
    vote_against: Sequence[float] = (),
    tree_score: Sequence[int] | None = None,
    base: Sequence[float] | None = None,
    single_precision: bool | Sequence[bool] = False,
    tie_tolerance: float = 0.0,
    base_last: bool | Sequence[bool] = False,
) -> _core.Ensemble:
    """Combine native trees; the defaults give a plain sum over all outputs.

    Parameters
    ----------
    trees : sequence of _core.Tree
        Trees over the same features.
    n_scores : int, optional
        Scores per row; by default the outputs of the first tree.
    votes : bool, default=False
        Whether each tree votes for its best class instead of adding its outputs.
    tree_weight : sequence of float, optional
        Factor per tree, 1 by default.
    vote_against : sequence of float, default=()
        With votes, per tree: the vote for every other class; 0 by default.
    tree_score : sequence of int, optional
        Per tree the score it adds to; by default -1: each output to its own score.
    base : sequence of float, optional
        Scores before the first tree, 0 by default.
    single_precision : bool or sequence of bool, default=False
        Round to float after every tree; for all scores, or for each of them.
    tie_tolerance : float, default=0.0
        See :class:`Tree`.
    base_last : bool or sequence of bool, default=False
        Add the base after the last tree instead, for all scores or for each of them; sums are rounded
        in that order.

    Returns
    -------
    _core.Ensemble
        The native ensemble.
    """
    n_scores = trees[0].n_outputs if n_scores is None else n_scores
    return _core.Ensemble(
        trees=list(trees),
        n_scores=n_scores,
        votes=votes,
        tree_weight=list(tree_weight if tree_weight is not None else [1.0] * len(trees)),
        vote_against=list(vote_against) or [0.0] * (len(trees) if votes else 0),
        tree_score=list(tree_score if tree_score is not None else [-1] * len(trees)),
        base=list(base if base is not None else [0.0] * n_scores),
        single_precision=_per_score(single_precision, n_scores),
        tie_tolerance=tie_tolerance,
        base_last=_per_score(base_last, n_scores),
    )


def recombined(core: _core.Ensemble, trees: Sequence[_core.Tree]) -> _core.Ensemble:
    """Replace the trees of an ensemble, and combine them in the same way."""
    return combined(
        trees,
        n_scores=core.n_scores,
        votes=core.votes,
        tree_weight=core.tree_weight,
        vote_against=core.vote_against,
        tree_score=core.tree_score,
        base=core.base,
        single_precision=core.single_precision,
        tie_tolerance=core.tie_tolerance,
        base_last=core.base_last,
    )


def _per_score(flag: bool | Sequence[bool], n_scores: int) -> list[bool]:
    return [flag] * n_scores if isinstance(flag, bool) else list(flag)
