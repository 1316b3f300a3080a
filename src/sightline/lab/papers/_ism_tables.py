"""The tables of the ISM page: the paper's, other readings of it, and what it left for later."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from sightline.lab._findings import Beside, ResultTable, Value
from sightline.lab._results import Numbers, Results
from sightline.lab.papers._ism_learners import (
    BAGGING,
    LEFT_FOR_LATER,
    NOT_IN_THE_PAPER,
    OTHER_READINGS,
    PAPERS,
    WITH_EVEN_BAGS,
    counterpart,
)
from sightline.lab.papers._numbers import printed
from sightline.significance import PairedComparison, corrected_resampled_t_test, paired_t_test

LEVEL = 0.1
"""The paper's "90% two-tailed"."""

READINGS = tuple(learner.name for learner in (*WITH_EVEN_BAGS, *OTHER_READINGS))
LATER = tuple(learner.name for learner in (*LEFT_FOR_LATER, *NOT_IN_THE_PAPER))
TEACHER = {learner.name: learner.teacher for learner in (*LEFT_FOR_LATER, *NOT_IN_THE_PAPER)}

Test = Callable[[Numbers, Numbers], PairedComparison]


def win_draw_loss_table(results: Results) -> ResultTable:
    """Return Table 1, with our default as an additional column."""
    paper = {(row["row"], row["column"]): row for row in printed("ism_wins")}
    columns = (*PAPERS[1:], "DistilledTree")
    rows: list[tuple[Value, ...]] = []
    for index, first in enumerate(PAPERS):
        cells: list[Value] = [first]
        for second in columns:
            if second in PAPERS[: index + 1]:
                cells.append("/")
                continue
            ours = results.win_draw_loss(first, second, LEVEL)
            theirs = paper.get((first, second))
            beside = " ({win}/{draw}/{loss})".format(**theirs) if theirs else ""
            cells.append(f"{ours}{beside}")
        rows.append(tuple(cells))
    note = (
        f"Number of the {len(results.sets)} data sets on which the column's learner is significantly better "
        "/ no different / worse than the row's, by a two-tailed corrected resampled t-test over all folds "
        "at level 0.1. In parentheses: the paper's counts, over 34 data sets. DistilledTree ran only in the "
        "first cross-validation, so fewer of its differences are significant."
    )
    title = "Table 1: significant wins, draws and losses"
    return ResultTable("table1", title, ("against", *columns), rows, note)


def t_tests(results: Results) -> dict[str, Test]:
    """Return the tests that the paper may have used, by name."""
    n_folds = results.plan.protocol.n_folds

    def over_means(first: Numbers, second: Numbers) -> PairedComparison:
        means = (column.reshape(-1, n_folds).mean(axis=1) for column in (first, second))
        return paired_t_test(*means)

    tests: dict[str, Test] = {
        "corrected, all folds": partial(
            corrected_resampled_t_test, test_share=results.plan.protocol.test_share
        ),
        "not corrected, all folds": paired_t_test,
    }
    if results.plan.protocol.n_repeats > 1:
        tests["not corrected, means of the cross-validations"] = over_means
    return tests


class Agreement:
    """How well a test's wins and losses fit those that the paper counts.

    Attributes
    ----------
    cells : dict
        Our counts and the paper's for each pair of learners.
    """

    def __init__(self, results: Results, test: Test, is_even: bool) -> None:
        self.cells = {}
        for row in printed("ism_wins"):
            first, second = (_with_bags(row[side], is_even) for side in ("row", "column"))
            if first in results.learners and second in results.learners:
                counts = results.win_draw_loss(first, second, LEVEL, test=test)
                theirs = (int(row["win"]), int(row["loss"]))
                self.cells[row["row"], row["column"]] = ((counts.win, counts.loss), theirs)

    @property
    def difference(self) -> float:
        """Wins and losses that differ, per pair of learners."""
        gaps = [abs(a - b) for ours, theirs in self.cells.values() for a, b in zip(ours, theirs, strict=True)]
        return float(np.sum(gaps)) / len(self.cells)

    @property
    def surplus(self) -> float:
        """Significant differences beyond the paper's number, per pair of learners."""
        return float(np.mean([sum(ours) - sum(theirs) for ours, theirs in self.cells.values()]))


def _with_bags(learner: str, is_even: bool) -> str:
    return f"{learner} even" if is_even and learner != "J48" else learner


def significance_table(results: Results) -> ResultTable:
    """Return how well different t-tests fit the counts of the paper's Table 1."""
    pairs = ((BAGGING, "ISM_t"), (BAGGING, "ISM_td"), (BAGGING, "CMM(p)"), ("J48", BAGGING), ("J48", "ISM_t"))
    rows: list[tuple[Value, ...]] = []
    for bags, is_even in (("bootstrap", False), ("even", True)):
        for name, test in t_tests(results).items():
            fit = Agreement(results, test, is_even)
            shown = ["{}/{} ({}/{})".format(*fit.cells[pair][0], *fit.cells[pair][1]) for pair in pairs]
            rows.append((name, bags, fit.difference, f"{fit.surplus:+.2f}", *shown))
    note = (
        "Which t-test fits the paper's Table 1, at level 0.1. Difference: wins and losses by which our "
        "counts differ from the paper's, per pair of learners. Surplus: how many more significant "
        "differences we count. The other columns show wins/losses of the second learner over the first for "
        "some pairs, with the paper's in parentheses."
    )
    columns = ("t-test", "bags", "difference", "surplus", *(f"{one} : {other}" for one, other in pairs))
    return ResultTable("tests", "Which t-test the paper used", columns, rows, note)


def accuracy_table(results: Results) -> ResultTable:
    """Return Table 2, with our default and what the paper leaves out as additional columns."""
    paper = {row["set"]: row for row in printed("ism_accuracy")}
    columns = (*PAPERS[:-1], "DistilledTree")
    rows: list[tuple[Value, ...]] = []
    for data in results.sets:
        cells: list[Value] = [data]
        for learner in columns:
            verdict = results.compare(data, "J48", learner).verdict(LEVEL)
            mark = {"win": " ∘", "loss": " •", "draw": ""}[verdict]
            theirs = paper[data].get(learner)
            ours = 100 * results.mean(data, learner, "accuracy")
            cells.append(Beside(ours, float(theirs) if theirs else None, mark=mark))
        rows.append(tuple(cells))
    means = (Beside(accuracy(results, learner), printed_accuracy(results, learner)) for learner in columns)
    rows.append(("mean", *means))
    note = (
        "Accuracy in percent on held-out rows: ours (the paper's, difference). ∘ is significantly better and "
        "• significantly worse than J48, as in Table 1."
    )
    return ResultTable("table2", "Table 2: accuracy", ("set", *columns), rows, note)


def accuracy(results: Results, learner: str) -> float:
    """Return the mean accuracy over the data sets, in percent."""
    return 100 * float(results.means(learner, "accuracy").mean())


def printed_accuracy(results: Results, learner: str) -> float | None:
    """Return the mean of the accuracies that the paper prints for the same data sets."""
    paper = {row["set"]: row for row in printed("ism_accuracy")}
    known = [float(paper[data][learner]) for data in results.sets if learner in paper[data]]
    return float(np.mean(known)) if known else None


def gain_over(results: Results, learner: str, other: str) -> float:
    """Return the mean difference in accuracy to another learner over the same folds, in points."""
    ours, theirs = results.shared_means(learner, other, "accuracy")
    return 100 * float((ours - theirs).mean())


def size_ratios(results: Results, learner: str) -> Numbers:
    """Return a learner's nodes over those of J48 on every data set, over the same folds."""
    ours, theirs = results.shared_means(learner, "J48", "nodes")
    return np.asarray(ours / theirs)


def size(results: Results, learner: str) -> float:
    """Return the mean ratio of nodes, as the paper's Table 3."""
    return float(size_ratios(results, learner).mean())


def stability(results: Results, learner: str) -> float:
    """Return the mean stability in percent, as the paper's Table 4."""
    return 100 * float(results.stabilities(learner).mean())


def printed_size(learner: str) -> float | None:
    """Return the size that the paper prints for a learner, or for what it is a reading of."""
    return _printed("size", learner)


def printed_stability(learner: str) -> float | None:
    """Return the stability that the paper prints for a learner, or for what it is a reading of."""
    return _printed("stability", learner)


def _printed(column: str, learner: str) -> float | None:
    rows = {row["algorithm"]: row for row in printed("ism_size_stability")}
    row = rows.get(counterpart(learner))
    return float(row[column]) if row else None


def summary_table(results: Results) -> ResultTable:
    """Return Tables 3 and 4 and the means of all other measures."""
    rows: list[tuple[Value, ...]] = []
    for learner in PAPERS:
        own = 100 * float(results.fidelities(learner, BAGGING).mean())
        rows.append((*_size_and_stability(results, learner), *_gains(results, learner), own))
    columns = (*_SIZES, "accuracy", "bagging's gain kept", "fidelity to bagging")
    note = (
        "Means over the data sets: ours (the paper's, difference). Stability is Turney's: how often two "
        "models of one cross-validation agree on 1,000 uniformly drawn rows. Fidelity is agreement with "
        "bagging on held-out rows."
    )
    title = "Tables 3 and 4: size, stability and other measures"
    return ResultTable("table3_4", title, columns, rows, note)


_SIZES = ("learner", "nodes / J48's", "geometric mean", "stability")


def _size_and_stability(results: Results, learner: str) -> tuple[Value, ...]:
    ratios = size_ratios(results, learner)
    return (
        learner,
        Beside(float(ratios.mean()), printed_size(learner)),
        float(np.exp(np.log(ratios).mean())),
        Beside(stability(results, learner), printed_stability(learner)),
    )


def _gains(results: Results, learner: str) -> tuple[Value, Value]:
    """Return the accuracy, and the share of bagging's gain over J48 that is kept in the same folds."""
    gain, bagging_s = gain_over(results, learner, "J48"), _bagging_s_gain(results, learner)
    return accuracy(results, learner), f"{100 * gain / bagging_s:.0f}%" if bagging_s else None


def _bagging_s_gain(results: Results, learner: str) -> float:
    """Return bagging's gain over J48 in the folds that a learner ran in."""
    return gain_over(results, learner, "J48") - gain_over(results, learner, BAGGING)


def kept(results: Results, learner: str) -> float:
    """Return the share of bagging's gain over J48 that a learner keeps; NaN if there is no gain."""
    gain = _bagging_s_gain(results, learner)
    return gain_over(results, learner, "J48") / gain if gain > 0 else math.nan


def readings_table(results: Results) -> ResultTable:
    """Return what other readings of the paper give."""
    rows: list[tuple[Value, ...]] = []
    for learner in READINGS:
        beside = Beside(accuracy(results, learner), printed_accuracy(results, counterpart(learner)))
        rows.append((*_size_and_stability(results, learner), beside))
    note = (
        "Means over the data sets: ours (the paper's, difference). even: bags as Weka drew them until "
        "version 3.4, with about 75% of the rows instead of 63%; CMM then has (r/s)(N/m) rows per leaf, "
        "rounded down. literal: only the gain follows the paper's formula. same tests: a node of a tree is "
        'decided only by the same test. paper: preset="paper", which has both and stops when no test has a '
        "gain. floor and nearest: how CMM's rows per leaf are rounded; otherwise they are drawn, (r/s)(N/m) "
        "on average. literal, same tests, paper, floor and nearest ran in the first cross-validation."
    )
    columns = (*_SIZES, "accuracy")
    return ResultTable("readings", "Other readings of the paper", columns, rows, note)


def later_table(results: Results) -> ResultTable:
    """Return what the paper left for later: pruning, size limits, other ensembles; and our trees."""
    rows: list[tuple[Value, ...]] = []
    for learner in LATER:
        teacher = TEACHER[learner]
        ratio = size(results, learner)
        own = 100 * float(results.fidelities(learner, teacher).mean()) if teacher else None
        rows.append(
            (
                learner,
                None if math.isnan(ratio) else ratio,
                accuracy(results, learner),
                f"{gain_over(results, learner, 'J48'):+.2f}",
                f"{gain_over(results, learner, teacher):+.2f}" if teacher else None,
                own,
            )
        )
    columns = ("learner", "nodes / J48's", "accuracy", "above J48", "above its ensemble", "fidelity to it")
    note = (
        "Means over the data sets, from the first cross-validation. pruned: C4.5's pessimistic pruning "
        "against the ensemble's labels. Forest: scikit-learn's random forest of 25 trees. Boosting: AdaBoost "
        "of 25 C4.5 trees. Fidelity is agreement with the ensemble that a tree summarizes, on held-out rows."
    )
    return ResultTable("later", "What the paper left for future work", columns, rows, note)


def identifier_table(results: Results, data: str, without: str) -> ResultTable:
    """Return the accuracies on a data set with and without its identifiers."""
    paper = next(row for row in printed("ism_accuracy") if row["set"] == data)
    columns = tuple(name for name in paper if name != "set")
    rows: list[tuple[Value, ...]] = [
        (
            name,
            *(
                Beside(100 * results.mean(name, learner, "accuracy"), float(paper[learner]))
                for learner in columns
            ),
        )
        for name in (data, without)
    ]
    note = (
        "Accuracy in percent: ours (the paper's for cylinder-bands, difference). Without the columns "
        "timestamp, cylinder_number, customer and job_number, which nearly identify the rows."
    )
    return ResultTable("identifiers", "Identifiers of cylinder-bands", ("set", *columns), rows, note)
