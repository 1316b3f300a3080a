"""How much of bagging's gain over C4.5 trees and rules keep, by the number of tests to read."""

from __future__ import annotations

from operator import methodcaller
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold

from sightline.distill import DistilledTreeClassifier, RuleSetClassifier
from sightline.lab._data_set import DataSet
from sightline.lab._experiment import Experiment
from sightline.lab._findings import FigureFile, Findings, ResultTable, Value, figure_of
from sightline.lab._learner import Learner
from sightline.lab._protocol import Splits
from sightline.lab._results import Results
from sightline.lab.claims._data_sets import GAIN_ON
from sightline.learn import BaggedTreesClassifier, C45Classifier
from sightline.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TREE, ENSEMBLE, N_TREES = "C4.5", "bagging", 200
FACTORS = (0.5, 1, 2, 3)
N_RULES = (5, 10, 20, 40)
N_FOLDS = 10
N_SMALL = 210
"""In a data set of fewer rows, each counts for about half a point of accuracy or more."""
TREES = {factor: f"distilled, {factor:g} x C4.5's leaves" for factor in FACTORS}
RULES = {n_rules: f"{n_rules} rules" for n_rules in N_RULES}


class TreesBySize(ClassifierMixin, BaseEstimator):
    """Distilled trees of sizes that C4.5's tree of the same rows sets."""

    def __init__(self, ensemble: Any = None, random_state: int | None = None) -> None:
        self.ensemble = ensemble
        self.random_state = random_state

    def fit(self, X: Table, y: ArrayLike) -> Self:
        """Count C4.5's leaves, and prepare the rows to distill from."""
        self.n_features_in_ = len(X.columns)
        self.n_leaves_ = int(_c45().fit(X, y).size_["leaves"])
        self.distiller_ = DistilledTreeClassifier(
            self.ensemble, max_leaves=2, n_jobs=1, random_state=self.random_state
        ).fit(X, y)
        self.classes_ = self.distiller_.classes_
        return self

    def predict(self, X: Table) -> NDArray[Any]:
        """Return the labels of the smallest tree."""
        return np.asarray(self.distiller_.predict(X))

    def times(self, factor: float) -> DistilledTreeClassifier:
        """Return the tree of so many times C4.5's leaves, at least two."""
        sized: DistilledTreeClassifier = self.distiller_.resized(max(2, round(factor * self.n_leaves_)))
        return sized


def _c45() -> C45Classifier:
    return C45Classifier(binary_splits=True)


def _learners() -> tuple[Learner, ...]:
    trees, rules = "distilled trees", "rule sets"
    return (
        Learner(TREE, _c45()),
        Learner(ENSEMBLE, BaggedTreesClassifier(n_trees=N_TREES)),
        Learner(trees, TreesBySize(), teacher=ENSEMBLE),
        *(
            Learner(name, source=trees, derive=methodcaller("times", factor))
            for factor, name in TREES.items()
        ),
        Learner(rules, RuleSetClassifier(max_rules=N_RULES[0]), teacher=ENSEMBLE),
        *(
            Learner(name, source=rules, derive=methodcaller("resized", n_rules))
            for n_rules, name in RULES.items()
        ),
    )


def find(results: Results) -> Findings:
    """Return the share of bagging's gain that trees and rules keep."""
    return Findings([gain_table(results), set_table(results)], figures=[curve(results)])


def gains(results: Results, learner: str) -> NDArray[np.float64]:
    """Return by how much a learner is more accurate than C4.5, per data set."""
    return np.asarray(results.means(learner, "accuracy") - results.means(TREE, "accuracy"))


def share_of_gain(results: Results, learner: str) -> tuple[float, float]:
    """Return the share of bagging's gain that a learner keeps, in percent, and its standard error.

    The share is the learner's mean gain over C4.5 divided by bagging's. The error of that ratio is over the
    data sets, by the delta method; not a number for a single data set.
    """
    gain, whole = gains(results, learner), gains(results, ENSEMBLE)
    if not whole.sum():
        return float("nan"), float("nan")
    share = gain.sum() / whole.sum()
    if len(gain) < 2:
        return 100 * float(share), float("nan")
    error = (gain - share * whole).std(ddof=1) / np.sqrt(len(gain)) / abs(whole.mean())
    return 100 * float(share), 100 * float(error)


def n_tests(results: Results, learner: str) -> float:
    """Return the tests to read: one less than the leaves of a tree, or the conditions of rules."""
    measure, fewer = ("conditions", 0) if learner in RULES.values() else ("leaves", 1)
    return float(results.means(learner, measure).mean()) - fewer


def gain_table(results: Results) -> ResultTable:
    """Return accuracy, share of the gain, fidelity and size of trees and rules."""
    rows: list[tuple[Value, ...]] = []
    for name in (TREE, ENSEMBLE, *TREES.values(), *RULES.values()):
        accuracy = 100 * float(results.means(name, "accuracy").mean())
        if name == ENSEMBLE:
            rows.append((name, accuracy, "100%", None, None))
            continue
        share, error = share_of_gain(results, name)
        kept = "0%" if name == TREE else f"{share:.0f}%" + (f" ± {error:.0f}" if np.isfinite(error) else "")
        faithful = None if name == TREE else 100 * float(results.fidelities(name, ENSEMBLE).mean())
        rows.append((name, accuracy, kept, faithful, f"{n_tests(results, name):.0f}"))
    note = (
        f"Means over {len(results.sets)} data sets on held-out rows, in percent. The ensemble is {N_TREES} "
        "bagged C4.5 trees, and C4.5's tree has binary splits. The share of bagging's gain is the mean gain "
        "in accuracy over C4.5, divided by the ensemble's gain, with its standard error over the data sets. "
        "The last column counts the tests to read: one fewer than the leaves of a tree, or all conditions "
        "of the rules."
    )
    columns = ("", "accuracy", "share of bagging's gain", "fidelity", "tests")
    return ResultTable("gain", "Accuracy: the share of bagging's gain", columns, rows, note)


def set_table(results: Results) -> ResultTable:
    """Return the accuracy by data set, beside its number of rows."""
    learners = (TREE, ENSEMBLE, *TREES.values())
    accuracies = [100 * results.means(learner, "accuracy") for learner in learners]
    rows: list[tuple[Value, ...]] = [
        (name, n_rows, *(float(accuracy[index]) for accuracy in accuracies))
        for index, (name, n_rows) in enumerate(_rows_by_set(results).items())
    ]
    columns = ("data set", "rows", TREE, ENSEMBLE, *(f"distilled, {factor:g} x" for factor in TREES))
    note = f"Accuracy on held-out rows, in percent.{_about_small_sets(results)}"
    return ResultTable("gain_by_set", "Accuracy by data set", columns, rows, note)


def _about_small_sets(results: Results) -> str:
    """Say how much of the standard error at C4.5's size comes from small data sets."""
    share, error = share_of_gain(results, TREES[1])
    is_small = np.array(list(_rows_by_set(results).values())) < N_SMALL
    if not np.isfinite(error) or not error or not is_small.any():
        return ""
    # These sum to 0, and the sum of their squares is the variance of the share, but for a factor.
    deviations = gains(results, TREES[1]) - share / 100 * gains(results, ENSEMBLE)
    part = (deviations[is_small] ** 2).sum() / (deviations**2).sum()
    return (
        " The share of bagging's gain is uncertain, because that gain is only "
        f"{100 * gains(results, ENSEMBLE).mean():.1f} points and many data sets are small: with fewer than "
        f"{N_SMALL} rows, one row is about half a point or more. These {is_small.sum()} data sets account "
        f"for {100 * part:.0f}% of the variance of the share at C4.5's size."
    )


def _rows_by_set(results: Results) -> dict[str, int]:
    n_rows = {data.name: data.X.n_rows for data in results.plan.data_sets}
    return {name: n_rows[name] for name in results.sets}


def curve(results: Results) -> FigureFile:
    """Return the share of the gain of trees and rules by the number of tests."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to import

    ax: Axes = Figure(figsize=(6.5, 4), layout="constrained").subplots()
    for kind, names in (("distilled trees", TREES.values()), ("rules", RULES.values())):
        found = [(n_tests(results, name), *share_of_gain(results, name)) for name in names]
        tests, shares, errors = np.array(found).T
        ax.errorbar(tests, shares, np.nan_to_num(errors), marker="o", capsize=3, label=kind)
    ax.axhline(0, color="0.5", linewidth=0.8)
    ax.set(xlabel="tests to read (mean)", ylabel="share of bagging's gain, %")
    ax.legend()
    caption = (
        "Share of bagging's gain over C4.5 by the number of tests to read; bars are standard errors over the "
        "data sets."
    )
    return FigureFile("curve", caption, figure_of(ax))


GAIN = Experiment(
    name="distilled_tree",
    title="Accuracy at C4.5's size",
    paper="",
    data_sets=tuple(DataSet(name) for name in GAIN_ON),
    learners=_learners(),
    protocol=Splits(
        n_repeats=N_FOLDS,
        splitter=StratifiedKFold(N_FOLDS, shuffle=True, random_state=0),
        min_class_rows=2,
        unit="fold",
        detail=" of one cross-validation",
    ),
    quick_sets=("autos", "hepatitis"),
    find=find,
)
