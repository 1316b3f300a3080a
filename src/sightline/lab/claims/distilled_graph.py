"""Fidelity by the number of tests to read: distilled graphs beside distilled trees and rules."""

from __future__ import annotations

from collections.abc import Sequence
from operator import methodcaller
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from sightline.distill import DistilledGraphClassifier, DistilledTreeClassifier, RuleSetClassifier
from sightline.lab._data_set import DataSet
from sightline.lab._experiment import Experiment
from sightline.lab._findings import FigureFile, Findings, ResultTable, Value
from sightline.lab._learner import Learner, Trial
from sightline.lab._protocol import Splits
from sightline.lab._results import Results
from sightline.lab.claims._data_sets import CONFIRMED_ON
from sightline.learn import BaggedTreesClassifier
from sightline.model import RuleSet
from sightline.wording import pluralize

ENSEMBLE = "bagging, 25"
N_TESTS = (3, 7, 15, 31)
N_RULES = (1, 2, 4, 8, 16)
DECIDING = (7, 15)
"""Sizes at which graphs must be ahead to be offered by the command."""
N_SPLITS = 2
COLORS = {"tree": "#0072b2", "graph": "#d55e00", "rules": "#009e73"}


def reading(model: Any, trial: Trial) -> dict[str, float]:  # noqa: ARG001 - notes get both
    """Return the tests that one must read: those of rules are their conditions."""
    size = model.size_
    is_rules = isinstance(model.model_, RuleSet)
    return {"tests": float(size["conditions"] if is_rules else size["nodes"] - size["leaves"])}


def _name(kind: str, size: int) -> str:
    unit = "rules" if kind == "rules" else "tests"
    return f"{kind}, {size} {unit}"


def _learners() -> tuple[Learner, ...]:
    sources = {
        "tree": DistilledTreeClassifier(max_leaves=2, n_jobs=1),
        "graph": DistilledGraphClassifier(max_tests=1, n_jobs=1),
        "rules": RuleSetClassifier(max_rules=1, n_jobs=1),
    }
    # A tree has one leaf more than it has tests.
    sizes = {"tree": [(n, n + 1) for n in N_TESTS], "graph": [(n, n) for n in N_TESTS]}
    sizes["rules"] = [(n, n) for n in N_RULES]
    found = [Learner(ENSEMBLE, BaggedTreesClassifier())]
    for kind, estimator in sources.items():
        source = f"source of {kind}"
        found.append(Learner(source, estimator, teacher=ENSEMBLE))
        found += [
            Learner(_name(kind, n), source=source, derive=methodcaller("resized", size), notes=reading)
            for n, size in sizes[kind]
        ]
    return tuple(found)


def find(results: Results) -> Findings:
    """Return graphs beside trees, the whole curve, and its picture."""
    tables = [graph_table(results), curve_table(results)]
    caption = (
        "Fidelity on held-out rows by the number of tests to read, averaged over the data sets. Each "
        "condition of a rule counts as one test."
    )
    return Findings(
        tables, figures=[FigureFile("curve", caption, _figure(results))], headline=verdict(results)
    )


def fidelity(results: Results, kind: str, size: int) -> NDArray[np.float64]:
    """Return the fidelity per data set, in percent."""
    return 100 * results.fidelities(_name(kind, size), ENSEMBLE)


def gain(results: Results, size: int) -> NDArray[np.float64]:
    """Return the fidelity of graphs minus that of trees with as many tests, per data set."""
    # Rounded, so that equal predictions give exactly 0.
    return np.round(fidelity(results, "graph", size) - fidelity(results, "tree", size), 9)


def error_of(values: NDArray[np.float64]) -> float:
    """Return the standard error of the mean."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def is_ahead(results: Results) -> bool:
    """Whether graphs beat trees at the deciding sizes by more than one standard error each."""
    gains = [gain(results, size) for size in DECIDING]
    return all(one.mean() > error_of(one) for one in gains)


def verdict(results: Results) -> str:
    """Say whether graphs are worth offering."""
    gains = [gain(results, size) for size in DECIDING]
    numbers = " and ".join(
        f"{one.mean():+.2f} ± {error_of(one):.2f} points at {size} tests"
        for size, one in zip(DECIDING, gains, strict=True)
    )
    if is_ahead(results):
        return f"Graphs are more faithful than trees with as many tests: {numbers}."
    return (
        f"Graphs are not clearly more faithful than trees with as many tests: {numbers}. They are available "
        "only from Python; the command does not offer them."
    )


def graph_table(results: Results) -> ResultTable:
    """Return graphs beside trees with as many tests."""
    rows: list[tuple[Value, ...]] = []
    for size in N_TESTS:
        difference = gain(results, size)
        accuracy = 100 * (
            results.means(_name("graph", size), "accuracy") - results.means(_name("tree", size), "accuracy")
        )
        rows.append(
            (
                size,
                float(fidelity(results, "tree", size).mean()),
                float(fidelity(results, "graph", size).mean()),
                f"{difference.mean():+.2f} ± {error_of(difference):.2f}",
                f"{(difference > 0).sum()} : {(difference < 0).sum()}",
                f"{accuracy.mean():+.2f} ± {error_of(accuracy):.2f}",
                float(results.means(_name("graph", size), "leaves").mean()),
            )
        )
    note = (
        f"Means over {len(results.sets)} data sets on held-out rows, in percent. Differences in fidelity and "
        "accuracy come with their standard errors over the data sets. The last column counts the leaves of "
        "the graph; leaves with similar probabilities are merged."
    )
    columns = (
        "tests",
        "tree",
        "graph",
        "difference",
        "data sets better : worse",
        "accuracy",
        "leaves of graph",
    )
    return ResultTable("graphs", "Graphs compared with trees of as many tests", columns, rows, note)


def curve_table(results: Results) -> ResultTable:
    """Return fidelity and tests to read of every kind and size."""
    rows: list[tuple[Value, ...]] = []
    for kind, sizes in _sizes().items():
        for size in sizes:
            own = fidelity(results, kind, size)
            tests = float(results.means(_name(kind, size), "tests").mean())
            asked = pluralize(size, "rule" if kind == "rules" else "test")
            rows.append((kind, asked, tests, f"{own.mean():.2f} ± {error_of(own):.2f}"))
    note = (
        "Mean number of tests to read, and mean fidelity with its standard error over the data sets. Most of "
        "that error comes from differences between data sets."
    )
    return ResultTable("curve", "The whole curve", ("model", "at most", "to read", "fidelity"), rows, note)


def _sizes() -> dict[str, Sequence[int]]:
    return {"tree": N_TESTS, "graph": N_TESTS, "rules": N_RULES}


def _figure(results: Results) -> Figure:
    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    ax = figure.add_subplot()
    for kind, sizes in _sizes().items():
        tests = [results.means(_name(kind, size), "tests").mean() for size in sizes]
        values = [fidelity(results, kind, size).mean() for size in sizes]
        ax.plot(tests, values, marker="o", color=COLORS[kind], label=kind)
    ax.set_xscale("log", base=2)
    ticks = [1, 2, 4, 8, 16, 32, 64]
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.minorticks_off()
    ax.set_xlabel("tests to read")
    ax.set_ylabel("fidelity [%]")
    ax.grid(color="#e6e8eb", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    return figure


EXPERIMENT = Experiment(
    name="distilled_graph",
    title="Tests to read: trees, graphs and rules",
    paper="",
    data_sets=tuple(DataSet(name) for name in CONFIRMED_ON),
    learners=_learners(),
    protocol=Splits.of_two_thirds(N_SPLITS, min_class_rows=3),
    quick_sets=("hepatitis", "vote"),
    find=find,
)
