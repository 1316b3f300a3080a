"""Pfahringer's small ensembles of decision stumps beside C4.5, and the tree that equals their vote."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from sightline.exceptions import BudgetExceeded
from sightline.lab._data_set import REST, DataSet
from sightline.lab._experiment import Experiment
from sightline.lab._findings import Beside, FigureFile, Findings, ResultTable, Value
from sightline.lab._learner import Learner, Trial
from sightline.lab._protocol import Protocol
from sightline.lab._results import Results
from sightline.lab.papers._numbers import printed
from sightline.lab.papers._stump_baselines import AveragedTreeClassifier, boosted_notes
from sightline.lab.papers._stump_example import EXAMPLE, example_figures, example_table
from sightline.learn import BoostedTreesClassifier, C45Classifier, StumpEnsembleClassifier
from sightline.model import Graph, Tree
from sightline.table import Labels
from sightline.wording import pluralize

TREE = "C4.5"
GROWN, PRUNED = "paper's, grown", "paper's, pruned"
OURS = "ours"
READING: dict[str, Any] = {"preset": "paper"}
"""The paper's two figures, taken literally."""

ENSEMBLES = {
    GROWN: StumpEnsembleClassifier(**READING, prune=False),
    PRUNED: StumpEnsembleClassifier(**READING),
    OURS: StumpEnsembleClassifier(),
    "ours, at most 5": StumpEnsembleClassifier(max_size=5),
    "ours, size by CV": StumpEnsembleClassifier(max_size="cv"),
    "ours, reweighted": StumpEnsembleClassifier(reweight=True),
    "ours, binary nominal": StumpEnsembleClassifier(nominal="binary"),
    "ours, depth 1": StumpEnsembleClassifier(max_depth=1),
    "ours, depth 3": StumpEnsembleClassifier(max_depth=3),
}
OVERPRUNED = {
    f"ours, tolerance {tolerance:g}": StumpEnsembleClassifier(tolerance=tolerance)
    for tolerance in (0.02, 0.05, 0.1)
}
AVERAGED, BOOSTED = "tree averaged over its prunings", "boosted trees of depth 2"
LATER = (OURS, *OVERPRUNED, "ours, reweighted", BOOSTED, AVERAGED)
"""What the paper names as further research: over-pruning, varied cut points, boosting, Bayesian averaging."""

SIZED = {
    PRUNED: "pruned",
    OURS: "ours",
    "ours, at most 5": "five",
    "ours, size by CV": "cv",
    "ours, binary nominal": "binary",
}
"""Learners whose equivalent trees and graphs are measured, with their file names."""

MAX_TREE, MAX_GRAPH = 100_000, 20_000
"""Budgets for trees and graphs, in nodes."""

SIZES = ("stacked", "possible", "equal", "graph, usage order", "graph")
LEVEL = 0.05
DRASTICALLY = 1.5
"""An ensemble with more than this multiple of C4.5's error is drastically worse."""

COLORS = {TREE: "#4a515c", GROWN: "#0072b2", PRUNED: "#d55e00", OURS: "#009e73"}


def stump_notes(model: StumpEnsembleClassifier, _trial: Trial) -> Mapping[str, Any]:
    """Record the number of stumps, and the paper's worst-case depth of their tree."""
    n_stumps = len(model.stumps_)
    return {"stumps": n_stumps, "worst_depth": n_stumps * model.max_depth}


def size_notes(model: StumpEnsembleClassifier, trial: Trial) -> Mapping[str, Any]:
    """Record also, in the first cross-validation, the nodes of equivalent trees and graphs."""
    notes = dict(stump_notes(model, trial))
    if trial.fold_id.repeat:
        return notes
    notes["stacked"] = float(model.stacked_size_)
    makers: dict[str, Callable[[], Tree | Graph]] = {
        "possible": lambda: model.to_tree("possible", max_nodes=MAX_TREE),
        "equal": lambda: model.to_tree("equal", max_nodes=MAX_TREE),
        "graph, usage order": lambda: model.to_graph(max_nodes=MAX_GRAPH, search=False),
        "graph": lambda: model.to_graph(max_nodes=MAX_GRAPH),
    }
    for name, make in makers.items():
        try:
            notes[name] = int(make().n_nodes)
        except BudgetExceeded:
            continue
    return notes


def find(results: Results) -> Findings:
    """Return the paper's two charts, with numbers, and the sizes of equivalent trees and graphs."""
    tables = [error_table(results), depth_table(results), claims_table(results)]
    figures = [_chart(results, "error"), _chart(results, "depth")]
    example = next((data for data in results.plan.data_sets if data.name == EXAMPLE), None)
    if example is not None and EXAMPLE in results.sets:
        tables.append(example_table(example, READING))
        figures += example_figures(example, READING)
    tables.append(later_table(results))
    tables += [size_table(results, learner) for learner in SIZED]
    return Findings(tables, figures, remarks(results), headline(results))


def relative_errors(results: Results, data: str, learner: str) -> NDArray[np.float64]:
    """Return the errors of the cross-validations divided by C4.5's mean error; NaN if that is 0."""
    base = results.mean(data, TREE, "error")
    errors = results.repeat_means(data, learner, "error")
    return np.asarray(errors / base if base else np.full(len(errors), np.nan))


def _titles(results: Results) -> dict[str, str]:
    """Return the paper's short names with their data sets."""
    titles = {}
    for data in results.plan.data_sets:
        file = next(each.file for each in DOMAINS if each.name == data.name)
        first, second = Labels.from_any(data.y).classes_[:2]
        titles[data.name] = f"{data.name} ({file}: {second})" if first == REST else f"{data.name} ({file})"
    return titles


def _deviation(values: NDArray[np.float64]) -> float:
    """Return the standard deviation; 0 for a single value."""
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def _spread(values: NDArray[np.float64], digits: int = 2) -> str:
    """Return one standard deviation as a suffix of the mean; empty for a single value."""
    return f" ± {_deviation(values):.{digits}f}" if len(values) > 1 else ""


def error_table(results: Results) -> ResultTable:
    """Return the numbers behind the paper's Table 1, a chart."""
    paper = {row["domain"]: row for row in printed("stumps")}
    titles = _titles(results)
    rows: list[tuple[Value, ...]] = []
    for data in results.sets:
        base = 100 * results.repeat_means(data, TREE, "error")
        theirs = paper.get(data)
        cells: list[Value] = [
            titles[data],
            Beside(float(base.mean()), float(theirs["c45_error"]) if theirs else None, 1, _spread(base, 1)),
        ]
        for learner in ENSEMBLES:
            errors = relative_errors(results, data, learner)
            if np.isnan(errors).any():
                cells.append(f"{100 * results.mean(data, learner, 'error'):.1f}%")
                continue
            verdict = results.compare(data, TREE, learner).verdict(LEVEL)
            mark = _spread(errors) + {"win": " ∘", "loss": " •", "draw": ""}[verdict]
            ratio = None
            if theirs and learner in (GROWN, PRUNED):
                ratio = float(theirs["ensemble_error"]) / float(theirs["c45_error"])
            cells.append(Beside(float(errors.mean()), ratio, mark=mark))
        rows.append(tuple(cells))
    rows += _summaries(results)
    note = (
        "C4.5: error in percent. The others: error divided by C4.5's mean error, so below 1 is better. ± is "
        "one standard deviation over the cross-validations, like the paper's error bars. ∘ is significantly "
        f"better and • significantly worse than C4.5, by a corrected resampled t-test at {LEVEL:g}. The "
        "paper shows a chart and prints only the numbers of one domain, here in parentheses with the "
        "difference."
    )
    columns = ("domain", "C4.5, error", *ENSEMBLES)
    return ResultTable("error", "Table 1: errors relative to C4.5's", columns, rows, note)


def _summaries(results: Results) -> list[tuple[Value, ...]]:
    means: list[Value] = ["mean", None]
    lower: list[Value] = ["lower than C4.5's", None]
    tests: list[Value] = ["significantly better / no different / worse", None]
    for learner in ENSEMBLES:
        ratios = np.array([relative_errors(results, data, learner).mean() for data in results.sets])
        known = ratios[~np.isnan(ratios)]
        means.append(float(known.mean()) if len(known) else None)
        lower.append(f"{(known < 1).sum()} of {len(known)}")
        tests.append(str(results.win_draw_loss(TREE, learner, LEVEL)))
    return [tuple(means), tuple(lower), tuple(tests)]


def depth_table(results: Results) -> ResultTable:
    """Return the numbers behind the paper's Table 2, a chart."""
    titles = _titles(results)
    rows: list[tuple[Value, ...]] = []
    for data in results.sets:
        cells: list[Value] = [titles[data], f"{results.mean(data, TREE, 'depth'):.1f}"]
        for learner in ENSEMBLES:
            stumps, depth = (results.mean(data, learner, name) for name in ("stumps", "worst_depth"))
            cells.append(f"{depth:.1f} ({stumps:.1f})")
        rows.append(tuple(cells))
    note = (
        "Mean depth of C4.5's trees. For the ensembles: the paper's worst case (the number of stumps times "
        "their maximum depth, before any simplification), with the number of stumps in parentheses. The "
        "paper shows a chart and prints no numbers."
    )
    return ResultTable("depth", "Table 2: depths", ("domain", TREE, *ENSEMBLES), rows, note)


def size_table(results: Results, learner: str) -> ResultTable:
    """Return the nodes of the tree or graph that equals the vote, which the paper announces."""
    titles = _titles(results)
    n_folds = results.plan.protocol.n_folds
    rows: list[tuple[Value, ...]] = []
    for data in results.sets:
        cells: list[Value] = [
            titles[data],
            f"{results.mean(data, TREE, 'nodes'):.1f}",
            f"{results.mean(data, learner, 'stumps'):.1f}",
        ]
        for size in SIZES:
            nodes = results.fold_numbers(data, learner, size)[:n_folds]
            known = nodes[~np.isnan(nodes)]
            shown = _nodes(float(known.mean())) if len(known) else "-"
            cells.append(shown + (f" ({n_folds - len(known)} beyond)" if len(known) < n_folds else ""))
        rows.append(tuple(cells))
    note = (
        "Nodes of the tree that equals the vote, after each simplification step, and of the ordered "
        "decision graph, with the most used attributes first and with the order found by the search. They "
        "equal the vote on every row, including rows with missing values. Means over the folds of the first "
        f"cross-validation that fit {MAX_TREE:,} nodes (tree) or {MAX_GRAPH:,} (graph); in parentheses, how "
        f"many of the {n_folds} do not."
        if learner == PRUNED
        else ""
    )
    columns = ("domain", "C4.5, nodes", "stumps", "stacked = rounded", *SIZES[1:])
    return ResultTable(f"sizes_{SIZED[learner]}", f"Tree and graph: {learner}", columns, rows, note)


def later_table(results: Results) -> ResultTable:
    """Return what the paper left for further research."""
    n_folds = results.plan.protocol.n_folds
    rows: list[tuple[Value, ...]] = []
    for learner in LATER:
        ratios = np.array([relative_errors(results, data, learner).mean() for data in results.sets])
        known = ratios[~np.isnan(ratios)]
        sizes = [results.fold_numbers(data, learner, "graph")[:n_folds] for data in results.sets]
        nodes = np.concatenate(sizes) if sizes else np.empty(0)
        fits = nodes[~np.isnan(nodes)]
        stumps = [results.mean(data, learner, "stumps") for data in results.sets]
        rows.append(
            (
                learner,
                f"{np.mean(known):.2f}" if len(known) else None,
                f"{np.median(known):.2f}" if len(known) else None,
                f"{(known < 1).sum()} of {len(known)}",
                str(results.win_draw_loss(TREE, learner, LEVEL)),
                None if np.isnan(stumps).all() else f"{np.mean(stumps):.1f}",
                f"{np.median(fits):,.0f} ({len(nodes) - len(fits)} beyond)" if len(fits) else None,
            )
        )
    note = (
        "Error divided by C4.5's mean error, over the domains. tolerance: pruning continues while the sum "
        "of squared margins grows by at most this share. reweighted: more stumps from reweighted rows, so "
        f"that cut points vary. {BOOSTED}: AdaBoost with at most {N_BOOSTED} trees and weighted votes. "
        f"{AVERAGED}: the Bayesian average of Buntine and of Oliver and Hand, one tree with as many nodes as "
        "unpruned C4.5. Graph: median nodes of the graph that equals the vote, weights included, over the "
        f"folds of the first cross-validation with at most {MAX_GRAPH:,} nodes, or 2,000 for boosting, whose "
        "graphs cover only rows without missing values."
    )
    columns = (
        "learner",
        "mean",
        "median",
        "lower than C4.5's",
        "better / no different / worse",
        "trees",
        "graph",
    )
    return ResultTable("later", "What the paper left for future work", columns, rows, note)


def _nodes(number: float) -> str:
    return f"{number:.2e}" if number >= 1e6 else f"{number:,.1f}"


def _beyond_error_bars(results: Results, data: str) -> bool:
    """Return whether the error bar of the paper's ensembles lies below that of C4.5."""
    grown, base = (relative_errors(results, data, learner) for learner in (GROWN, TREE))
    return bool(grown.mean() + _deviation(grown) < base.mean() - _deviation(base))


def claims_table(results: Results) -> ResultTable:
    """Return the paper's claims about its charts, and our numbers."""
    n = len(results.sets)
    better = [data for data in results.sets if _beyond_error_bars(results, data)]
    proved = results.win_draw_loss(TREE, GROWN, LEVEL)
    ratios = {data: float(relative_errors(results, data, GROWN).mean()) for data in results.sets}
    drastic = [data for data, ratio in ratios.items() if ratio > DRASTICALLY]
    deeper = [
        data
        for data in better
        if results.mean(data, GROWN, "worst_depth") > results.mean(data, TREE, "depth")
    ]
    grown, pruned = (results.means(name, "worst_depth") for name in (GROWN, PRUNED))
    rows: list[tuple[Value, ...]] = [
        (
            "Ensembles improve on C4.5 in only a few domains, but considerably",
            f"below C4.5 by more than both error bars on {_named(better, ratios)} of {n}; significantly on "
            f"{proved.win}",
        ),
        (
            "They do drastically worse in a single domain, a very small class of glass",
            f"more than {DRASTICALLY:g} times the error on {_named(drastic, ratios)}",
        ),
        (
            "Pruning consistently reduces the depth, but not much",
            f"reduced on {(pruned < grown).sum()} of {n}, from {grown.mean():.1f} to {pruned.mean():.1f} on "
            "average",
        ),
        (
            "Where ensembles are much better, they are also deeper than C4.5's tree",
            f"deeper on {len(deeper)} of these {len(better)}",
        ),
    ]
    return ResultTable("claims", "What the paper says about its charts", ("the paper", "ours"), rows)


def _named(names: list[str], ratios: Mapping[str, float]) -> str:
    return f"{len(names)} ({', '.join(f'{name} {ratios[name]:.2f}' for name in names)})" if names else "none"


def _chart(results: Results, what: str) -> FigureFile:
    """Draw one of the paper's charts, with error bars of one standard deviation."""
    figure = Figure(figsize=(11, 4.4), layout="constrained")
    ax = figure.add_subplot()
    for index, (learner, color) in enumerate(COLORS.items()):
        columns = []
        for data in results.sets:
            if what == "error":
                columns.append(relative_errors(results, data, learner))
            else:
                measure = "depth" if learner == TREE else "worst_depth"
                columns.append(results.fold_numbers(data, learner, measure))
        spreads = [_deviation(column) for column in columns]
        ax.errorbar(
            np.arange(len(columns)) + (index - 1.5) * 0.18,
            [column.mean() for column in columns],
            spreads,
            fmt="os^D"[index],
            ms=4.5,
            capsize=2,
            lw=1.1,
            color=color,
            label=learner,
        )
    if what == "error":
        ax.axhline(1.0, color="#c3c9d2", lw=1, zorder=0)
    ax.set_xticks(range(len(results.sets)), results.sets)
    ax.set_xlim(-0.6, len(results.sets) - 0.4)
    top = ax.get_ylim()[1]
    ax.set_ylim(-0.02 * top, 1.12 * top)
    ax.set_ylabel("error relative to C4.5's" if what == "error" else "depth (ensembles: worst case)")
    ax.set_axisbelow(True)
    ax.grid(axis="y", alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="upper left", frameon=False, ncols=4)
    captions = {
        "error": "The paper's Table 1: error divided by C4.5's mean error, with one standard deviation over "
        "the cross-validations.",
        "depth": "The paper's Table 2: depth of C4.5's trees and worst-case depth of the ensembles, with one "
        "standard deviation over the folds.",
    }
    return FigureFile(what, captions[what], figure)


def remarks(results: Results) -> list[str]:
    """Return where our numbers differ from the paper's, and why."""
    titles = _titles(results)
    sentences = []
    for row in printed("stumps"):
        data = row["domain"]
        if data not in results.sets:
            continue
        tree, grown = (100 * results.mean(data, learner, "error") for learner in (TREE, GROWN))
        sentences.append(
            "The paper prints the errors of only one domain, a class of glass with 5% of the rows: "
            f"{row['c45_error']}% for C4.5 and {row['ensemble_error']}% for the ensembles. It must be "
            f"{titles[data]}, with 9 of 214 rows. Our errors are {tree:.1f}% and {grown:.1f}%. One row is "
            "0.5%, so different folds explain the difference."
        )
    sentences += _setosa_remark(results)
    return [
        *sentences,
        "The paper shows all other results as charts, so below we compare our numbers with what it says "
        "about them. The paper does not say in which order stumps are tried, whether C4.5 groups values of "
        "nominal attributes, which settings C4.5 has, how missing values are handled, or which folds it "
        "used. Any of these may explain large differences between our ensembles and C4.5.",
        "A domain with several classes becomes one problem per class, against the rest. L1 and L2 are the "
        "two classes of lymph with more than a few rows. Classes of glass are numbered from 0 in file order, "
        "without the class that has no rows.",
    ]


def headline(results: Results) -> str:
    """Say how many errors our ensembles make beside C4.5."""
    ratios = list(_known_ratios(results, OURS).values())
    if not ratios:
        return ""
    return (
        f"Averaged over {pluralize(len(ratios), 'domain')}, our stump ensembles make "
        f"{np.mean(ratios):.2f} times as many errors as C4.5."
    )


def _known_ratios(results: Results, learner: str) -> dict[str, float]:
    """Return the errors relative to those of C4.5, by domain; without domains on which C4.5 makes none."""
    ratios = {data: float(relative_errors(results, data, learner).mean()) for data in results.sets}
    return {data: ratio for data, ratio in ratios.items() if not np.isnan(ratio)}


def _setosa_remark(results: Results) -> list[str]:
    """Say what the mean ratio of errors is without the domain that it depends on."""
    if SETOSA not in results.sets or len(results.sets) < 2:
        return []
    means = []
    for learner in (GROWN, PRUNED, OURS):
        known = _known_ratios(results, learner)
        without = [ratio for data, ratio in known.items() if data != SETOSA]
        means.append(f"{learner} {np.mean(list(known.values())):.2f} and {np.mean(without):.2f}")
    return [
        "The mean ratio of errors depends on Iris-setosa, where C4.5 makes one or two errors and the "
        f"ensembles none. With and without it: {'; '.join(means)}."
    ]


SETOSA = "I0"

TWO_CLASSES = {
    "BR": "breast-cancer",
    "CO": "colic",
    "CR": "credit-a",
    "DI": "diabetes",
    "GE": "credit-g",
    "LA": "labor",
    "SO": "sonar",
    "VO": "vote",
}
GLASS = (0, 1, 2, 4, 5, 6)
"""Indices of the classes in the file; the fourth has no rows."""

DOMAINS = (
    *(DataSet(code, file) for code, file in TWO_CLASSES.items()),
    *(DataSet(f"L{code}", "lymph", one_class=code) for code in (1, 2)),
    *(DataSet(f"G{number}", "glass", one_class=code) for number, code in enumerate(GLASS)),
    *(DataSet(f"I{code}", "iris", one_class=code) for code in range(3)),
)

N_BOOSTED = 10
"""About as many trees as our ensembles have stumps."""


def _boosted() -> BoostedTreesClassifier:
    return BoostedTreesClassifier(C45Classifier(max_depth=2, prune=False), n_trees=N_BOOSTED)


EXPERIMENT = Experiment(
    name="stumps",
    title="A few stumps that vote, compared with C4.5",
    paper='B. Pfahringer, "On the Induction of Intelligible Ensembles", Austrian Research Institute for AI',
    data_sets=DOMAINS,
    learners=(
        Learner(TREE, C45Classifier()),
        *(
            Learner(name, estimator, notes=size_notes if name in SIZED else stump_notes)
            for name, estimator in ENSEMBLES.items()
        ),
        *(Learner(name, estimator, notes=size_notes) for name, estimator in OVERPRUNED.items()),
        Learner(BOOSTED, _boosted(), notes=boosted_notes),
        Learner(AVERAGED, AveragedTreeClassifier(prune=False, collapse=False)),
    ),
    protocol=Protocol(n_repeats=5, n_folds=5),
    quick_sets=("LA", "VO", "L1", "G2", "G4", "I1"),
    find=find,
)
