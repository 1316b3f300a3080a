"""The table of methods for ``compare`` and the command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import clone

from sightline.distill import (
    CMMClassifier,
    DistilledTreeClassifier,
    DistilledTreeRegressor,
    ISMClassifier,
    ISMRegressor,
    MetaKNNClassifier,
    MetaKNNRegressor,
    RuleSetClassifier,
    RuleSetRegressor,
)
from sightline.exceptions import ParameterError
from sightline.learn import (
    BoostedTreesClassifier,
    C45Classifier,
    SetGenClassifier,
    StumpEnsembleClassifier,
    SubspaceKNNClassifier,
)


@dataclass(frozen=True)
class Method:
    """A method of learning a model.

    Attributes
    ----------
    name : str
        Its name in tables and options.
    kind : str
        The kind of model that it gives: a key of ``KINDS``.
    estimator : estimator
        The unfitted estimator.
    description : str
        What it is, for readers who do not know it.
    is_summary : bool
        Whether it imitates an ensemble, which it takes as ``ensemble``.
    needs_trees : bool
        Whether the ensemble must have trees; a black box is not enough.
    """

    name: str
    kind: str
    estimator: Any
    description: str
    is_summary: bool = False
    needs_trees: bool = False


KINDS = {
    "tree": "one tree",
    "rules": "a rule set",
    "stumps": "a few stumps",
    "cases": "cases",
    "ensemble": "many trees",
    "black box": "queried, not read",
    "neighbors": "nearest neighbors",
    "other": "added",
}
UNCOUNTED = {"black box", "cases", "neighbors"}
"""Kinds without tests to count: they show the rows that they remember, or nothing."""

FORMER_NAMES = {"neighbours on subspaces": "neighbors on subspaces"}
"""Names of methods in 0.1.0, which callers may still use."""

TEACHER = "the ensemble"
BASELINES = {"classes": "C4.5 tree", "numbers": "scikit-learn tree"}
"""Per task, the method that all others are compared with."""


SET_ELSEWHERE = ("ensemble", "max_leaves", "categorical_features", "n_jobs", "random_state", "preset")
NOT_COMPARABLE = ("threshold", "cost_matrix")
"""Parameters that are not options of a comparison: others set them, or they change the labels to imitate."""


def built_in_methods(task: str = "classes") -> tuple[Method, ...]:
    """Return all methods that predict classes or numbers. A method added here appears everywhere.

    Parameters
    ----------
    task : {"classes", "numbers"}, default="classes"
        What the methods predict.
    """
    return _methods_for_numbers() if task == "numbers" else _methods_for_classes()


def with_options(methods: Sequence[Method], options: Mapping[str, Any]) -> list[Method]:
    """Return the methods with new parameters for the trees that imitate an ensemble.

    Parameters
    ----------
    methods : sequence of Method
        The methods.
    options : dict of parameter to value
        Each tree gets those that its estimator has.

    Raises
    ------
    ParameterError
        Naming a parameter that no tree has, or that would change the labels to imitate.
    """
    trees = [method for method in methods if method.is_summary and method.kind == "tree"]
    known = {name for method in trees for name in method.estimator.get_params(deep=False)}
    known -= {*SET_ELSEWHERE, *NOT_COMPARABLE}
    for name in options:
        if name in NOT_COMPARABLE:
            raise ParameterError(
                f"compare cannot set {name!r}: the tree would follow other labels than the ensemble that "
                "all methods are compared with. Pass an ensemble with that decision rule instead."
            )
        if name not in known:
            choices = ", ".join(sorted(known)) or "nothing, because no tree imitates the ensemble"
            raise ParameterError(f"No compared tree has a parameter {name!r}. Choose from: {choices}.")
    return [_with_options(method, options) if method in trees else method for method in methods]


def _with_options(method: Method, options: Mapping[str, Any]) -> Method:
    own = {name: value for name, value in options.items() if name in method.estimator.get_params(deep=False)}
    return replace(method, estimator=clone(method.estimator).set_params(**own)) if own else method


def _methods_for_numbers() -> tuple[Method, ...]:
    from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor  # noqa: PLC0415 - slow
    from sklearn.tree import DecisionTreeRegressor  # noqa: PLC0415

    return (
        Method(
            BASELINES["numbers"],
            "tree",
            DecisionTreeRegressor(max_leaf_nodes=16),
            "scikit-learn's regression tree with at most 16 leaves",
        ),
        Method(
            "distilled tree",
            "tree",
            DistilledTreeRegressor(),
            "one tree that imitates the ensemble and chooses its own size",
            is_summary=True,
        ),
        Method(
            "distilled tree, 16 leaves",
            "tree",
            DistilledTreeRegressor(max_leaves=16),
            "one tree with at most 16 leaves that imitates the ensemble",
            is_summary=True,
        ),
        Method(
            "distilled tree, 8 leaves with lines",
            "tree",
            DistilledTreeRegressor(max_leaves=8, leaf="linear"),
            "one tree with at most 8 leaves, each a number or a line of one or two columns",
            is_summary=True,
        ),
        Method(
            "ISM tree",
            "tree",
            ISMRegressor(max_leaves=16),
            "one tree with at most 16 leaves, computed from the trees of the ensemble",
            is_summary=True,
            needs_trees=True,
        ),
        Method(
            "20 rules",
            "rules",
            RuleSetRegressor(max_rules=20),
            "at most 20 of the ensemble's rules, averaged",
            is_summary=True,
        ),
        Method(
            "nearest cases",
            "cases",
            MetaKNNRegressor(predict_with="meta"),
            "the mean of the training rows that the ensemble's trees find most similar",
            is_summary=True,
        ),
        Method(
            "random forest",
            "ensemble",
            RandomForestRegressor(100),
            "scikit-learn's random forest with 100 trees",
        ),
        Method(
            "gradient boosting",
            "ensemble",
            HistGradientBoostingRegressor(),
            "scikit-learn's histogram gradient boosting",
        ),
    )


def _methods_for_classes() -> tuple[Method, ...]:
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier  # noqa: PLC0415 - slow
    from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415

    return (
        Method(BASELINES["classes"], "tree", C45Classifier(binary_splits=True), "the classic decision tree"),
        Method(
            "scikit-learn tree",
            "tree",
            DecisionTreeClassifier(min_samples_leaf=2),
            "scikit-learn's decision tree with at least two rows per leaf",
        ),
        Method(
            "scikit-learn tree, 16 leaves",
            "tree",
            DecisionTreeClassifier(max_leaf_nodes=16),
            "scikit-learn's decision tree with at most 16 leaves: an ordinary tree of that size",
        ),
        Method(
            "SET-GEN tree",
            "tree",
            SetGenClassifier(evaluations=200, progress=False),
            "a C4.5 tree over few features, found by a search of 200 feature sets",
        ),
        Method(
            "distilled tree",
            "tree",
            DistilledTreeClassifier(),
            "one tree that imitates the ensemble and chooses its own size",
            is_summary=True,
        ),
        Method(
            "distilled tree, 16 leaves",
            "tree",
            DistilledTreeClassifier(max_leaves=16),
            "one tree with at most 16 leaves that imitates the ensemble",
            is_summary=True,
        ),
        Method(
            "ISM tree",
            "tree",
            ISMClassifier(),
            "one tree computed from the ensemble's class distributions",
            is_summary=True,
            needs_trees=True,
        ),
        Method(
            "ISM tree, pruned",
            "tree",
            ISMClassifier(variant="hybrid", prune="pessimistic"),
            "a smaller tree, computed from the ensemble and the rows",
            is_summary=True,
            needs_trees=True,
        ),
        Method(
            "CMM tree",
            "tree",
            CMMClassifier(),
            "a C4.5 tree trained on artificial rows that the ensemble labeled",
            is_summary=True,
        ),
        Method(
            "rule set",
            "rules",
            RuleSetClassifier(),
            "every path of the ensemble as a rule that votes, even when only part of it holds",
            is_summary=True,
        ),
        Method(
            "20 rules",
            "rules",
            RuleSetClassifier(max_rules=20),
            "at most 20 of the ensemble's rules that vote",
            is_summary=True,
        ),
        Method(
            "5 stumps",
            "stumps",
            StumpEnsembleClassifier(max_size=5),
            "at most 5 small trees of depth 2 that vote",
        ),
        Method(
            "nearest cases",
            "cases",
            MetaKNNClassifier(predict_with="meta"),
            "the vote of the training rows that the ensemble's trees find most similar",
            is_summary=True,
        ),
        Method("boosted C4.5 trees", "ensemble", BoostedTreesClassifier(), "50 C4.5 trees, by AdaBoost"),
        Method(
            "random forest",
            "ensemble",
            RandomForestClassifier(100),
            "scikit-learn's random forest with 100 trees",
        ),
        Method(
            "gradient boosting",
            "ensemble",
            HistGradientBoostingClassifier(),
            "scikit-learn's histogram gradient boosting",
        ),
        Method(
            "neighbors on subspaces",
            "neighbors",
            SubspaceKNNClassifier(search="hc"),
            "25 nearest-neighbor classifiers, each on its own features",
        ),
    )
