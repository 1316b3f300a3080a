"""Zenobi and Cunningham's Meta k-NN: an ensemble of nearest neighbors, explained by cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy import stats

from sightline.distill import MetaKNNClassifier
from sightline.lab._data_set import DataSet
from sightline.lab._experiment import Experiment
from sightline.lab._findings import Beside, FigureFile, Findings, ResultTable, Value
from sightline.lab._learner import Learner, Trial
from sightline.lab._protocol import Protocol
from sightline.lab._results import Numbers, Results
from sightline.lab.papers._metaknn_cases import (
    explanation_notes,
    explanation_table,
    member_table,
    value_notes,
    voting,
    weighted,
)
from sightline.learn import SubspaceKNNClassifier
from sightline.model import CaseBase, NeighbourEnsemble, member_views, most_voted
from sightline.table import Labels, Table

PLAIN = "5-NN"
SEARCHES = {"HC": "hc", "AmbHC": "ambhc", "random subspaces": "random"}
SEEN = "AmbHC, seen"
"""Cases described by members that have seen them, as the paper may have done."""

ON = {name: f"Meta k-NN on {name}" for name in (*SEARCHES, SEEN)}
"""The learners that predict with the nearest cases, by what describes the cases."""

SELECTED = "Meta k-NN on selected members"
COMBINED = {"mean": "AmbHC", "votes": "AmbHC, votes", "weighted mean": "AmbHC, weighted"}
"""The learners that combine the same members, by how they do it."""

MAX_META = 25
SHOWN = (1, 3, 5, 7, 9, 15, 25)
COLORS = {"HC": "#0072b2", "AmbHC": "#d55e00", "random subspaces": "#009e73", PLAIN: "#8a8f98"}
FIDELITY = 95.0
"""The paper's "over 95%" with five or more cases, except on cylinder-bands."""


def member_notes(model: SubspaceKNNClassifier, trial: Trial) -> Mapping[str, Any]:
    """Record how accurate and how different the members are."""
    ensemble = model.ensemble_
    sides = member_views(ensemble, trial.X_test).sides
    truth = Labels.from_any(trial.y_test).recoded(ensemble.classes_, "the ensemble").codes
    return {
        "member_error": float((sides != truth[:, None]).mean()),
        "mask": float(ensemble.masks.sum(axis=1).mean()),
        "ambiguity": float(model.ambiguity_),
        "passes": int(model.n_passes_),
    }


def case_notes(model: MetaKNNClassifier | CaseBase, trial: Trial) -> Mapping[str, Any]:
    """Record the error, and the agreement with the ensemble, by the number of cases that vote."""
    base = model if isinstance(model, CaseBase) else model.cases_
    voted = most_voted(base.votes(*base.neighbours(trial.X_test, MAX_META)), base.labels)
    ensemble_labels, _ = base.ensemble.answers(trial.X_test)
    truth = Labels.from_any(trial.y_test).recoded(base.classes_, "the ensemble").codes
    return {
        "errors": np.round((voted != truth[:, None]).mean(axis=0), 6).tolist(),
        "fidelities": np.round((voted == ensemble_labels[:, None]).mean(axis=0), 6).tolist(),
        "k_meta": int(base.k_meta),
        **explanation_notes(base, trial),
        **value_notes(base, trial),
    }


def selection_notes(model: MetaKNNClassifier, _trial: Trial) -> Mapping[str, Any]:
    """Record how many members are left."""
    return {"members": len(model.cases_.members)}


def plain_neighbours(model: SubspaceKNNClassifier) -> NeighbourEnsemble:
    """Return one classifier on all features, with the same cases, distance and voting."""
    ensemble = model.ensemble_
    every = np.ones((1, ensemble.masks.shape[1]), dtype=bool)
    return NeighbourEnsemble(ensemble.cases, ensemble.labels, every, ensemble.k)


def seen_cases(model: SubspaceKNNClassifier) -> CaseBase:
    """Return the cases, described by members that find each case among its own neighbors."""
    ensemble = model.ensemble_
    views = member_views(ensemble, ensemble.cases).views
    return CaseBase(ensemble.cases, ensemble.labels, ensemble, views, origin="seen", predict_with="meta")


def find(results: Results) -> Findings:
    """Return the paper's Figures 2, 3, 5 and 6, with their numbers."""
    tables = [
        claims_table(results),
        ensemble_table(results),
        case_table(results, "errors"),
        case_table(results, "fidelities"),
        member_table(results, TITLES, COMBINED, SELECTED, ON["AmbHC"]),
        explanation_table(results, TITLES, ON["AmbHC"]),
    ]
    figures = [_error_figure(results, data) for data in results.sets]
    return Findings(tables, [_fidelity_figure(results), *figures], remarks(results), headline(results))


def headline(results: Results) -> str:
    """Say how often five cases agree with the ensemble."""
    agreed = [_at_five(results, data).mean() for data in results.sets]
    return (
        f"Five cases agree with the ensemble on {min(agreed):.1f}% to {max(agreed):.1f}% of unseen rows, "
        "depending on the data set, if cases are described by members that leave them out."
    )


def curve(results: Results, data: str, described: str, measure: str) -> NDArray[np.float64]:
    """Return percentages by the number of cases that vote, from 1 to 25."""
    return np.asarray(100 * results.fold_lists(data, ON[described], measure).mean(axis=0))


def _in_percent(results: Results, data: str, learner: str, measure: str = "error") -> float:
    return 100 * results.mean(data, learner, measure)


@dataclass(frozen=True)
class Claim:
    """A claim of the paper about its figures, and the numbers that test it.

    Attributes
    ----------
    text : str
        The claim.
    numbers : callable
        Computes the deciding number in every fold from results and a data set.
    bound : float
        The number that the claim compares with.
    expects : callable, optional
        "below", "above" or "not above" the bound, by data set; None if the claim does not name its
        data sets.
    """

    text: str
    numbers: Callable[[Results, str], Numbers]
    bound: float = 0.0
    expects: Callable[[str], str] | None = None

    def cell(self, results: Results, data: str) -> str:
        """Return the mean with its 90% interval and the mark."""
        numbers = self.numbers(results, data)
        mean, half = float(numbers.mean()), half_interval(numbers, results.plan.protocol.test_share)
        sign = "+" if "points" in self.text else ""
        mark = "" if self.expects is None else f" {self.mark(self.expects(data), mean, half)}"
        return f"{mean:{sign}.1f} ± {half:.1f}{mark}"

    def mark(self, expected: str, mean: float, half: float) -> str:
        """Return ✓ or ✗ if the whole interval agrees or disagrees, and ? if it does neither."""
        if expected == "not above":
            return "✗" if mean - half > self.bound else "✓"
        low, high = (mean - half, mean + half) if expected == "above" else (-mean - half, -mean + half)
        bound = self.bound if expected == "above" else -self.bound
        return "✓" if low > bound else "✗" if high <= bound else "?"


def half_interval(numbers: Numbers, test_share: float) -> float:
    """Return half of the 90% interval of a mean over folds, corrected for shared training rows."""
    n = len(numbers)
    if n < 2:
        return float("inf")
    error = float(numbers.std(ddof=1)) * np.sqrt(1 / n + test_share)
    return float(stats.t.ppf(0.95, n - 1) * error)


def _is_heart(data: str) -> bool:
    return data.startswith("heart")


def _is_cylinder(data: str) -> bool:
    return data.startswith("cylinder")


def _per_fold(results: Results, data: str, learner: str, measure: str = "error") -> Numbers:
    return 100 * results.fold_numbers(data, learner, measure)


def _curves(results: Results, data: str, described: str, measure: str) -> Numbers:
    """Return percentages in every fold, by the number of cases that vote."""
    return 100 * results.fold_lists(data, ON[described], measure)


def _difference(results: Results, data: str, measure: str) -> Numbers:
    """Return by how much AmbHC is above HC."""
    return _per_fold(results, data, "AmbHC", measure) - _per_fold(results, data, "HC", measure)


def _lost(results: Results, data: str, cases: slice) -> Numbers:
    """Return by how much the error of the nearest cases' vote is above AmbHC's."""
    voted = _curves(results, data, "AmbHC", "errors")[:, cases].mean(axis=1)
    return np.asarray(voted - _per_fold(results, data, "AmbHC"))


def _worse_on_hc(results: Results, data: str) -> Numbers:
    first, second = (_curves(results, data, described, "errors") for described in ("HC", "AmbHC"))
    return np.asarray((first - second).mean(axis=1))


def _at_five(results: Results, data: str, described: str = "AmbHC") -> Numbers:
    return _curves(results, data, described, "fidelities")[:, 4]


def _at_best(results: Results, data: str, described: str = "AmbHC") -> Numbers:
    curves = _curves(results, data, described, "fidelities")
    return curves[:, curves.mean(axis=0).argmax()]


def _is_as_faithful(data: str) -> str:
    return "not above" if _is_cylinder(data) else "above"


CLAIMS = (
    Claim(
        "AmbHC has a lower error than HC (points)",
        lambda results, data: _difference(results, data, "error"),
        expects=lambda _: "below",
    ),
    Claim(
        "Its members are considerably worse, taken as more than 1 point (points)",
        lambda results, data: _difference(results, data, "member_error"),
        bound=1.0,
        expects=lambda _: "above",
    ),
    Claim(
        "5 to 7 cases are no more than 2.5 points worse than AmbHC",
        lambda results, data: _lost(results, data, slice(4, 7)),
        bound=2.5,
        expects=lambda _: "below",
    ),
    Claim(
        "25 cases are better than AmbHC, except on heart (points)",
        lambda results, data: -_lost(results, data, slice(24, 25)),
        expects=lambda data: "not above" if _is_heart(data) else "above",
    ),
    Claim(
        "Meta k-NN is worse on HC than on AmbHC, except on cylinder (points, mean over 1 to 25 cases)",
        _worse_on_hc,
        expects=lambda data: "not above" if _is_cylinder(data) else "above",
    ),
    Claim("5 cases give AmbHC's label to over 95%, except on cylinder", _at_five, FIDELITY, _is_as_faithful),
    Claim("More cases do so for 98% and more on two of its four data sets", _at_best),
    Claim(
        "5 cases, if described by members that have seen them",
        lambda results, data: _at_five(results, data, SEEN),
        FIDELITY,
        _is_as_faithful,
    ),
    Claim("More cases, described likewise", lambda results, data: _at_best(results, data, SEEN)),
)


def claims_table(results: Results) -> ResultTable:
    """Return the paper's claims about its figures, and our numbers."""
    rows: list[tuple[Value, ...]] = [
        (claim.text, *(claim.cell(results, data) for data in results.sets)) for claim in CLAIMS
    ]
    note = (
        "The paper shows charts without numbers, so we test its claims with our numbers. ± is half of the "
        "90% interval over the folds, corrected for the training rows that folds share. ✓ and ✗: the whole "
        "interval agrees or disagrees with the claim. ?: it does neither. If the paper names an exception, ✓ "
        "means that there is no clear difference. heart-c and heart-statlog come from one source, the "
        "Cleveland data, and count as one data set."
    )
    columns = ("the paper", *(TITLES[data] for data in results.sets))
    return ResultTable("claims", "What the paper says about its figures", columns, rows, note)


def ensemble_table(results: Results) -> ResultTable:
    """Return the horizontal lines of the paper's figures, and how the members differ."""
    rows: list[tuple[Value, ...]] = []
    for data in results.sets:
        rows.append((TITLES[data], PLAIN, f"{_in_percent(results, data, PLAIN):.1f}", None, None, None, None))
        for learner in SEARCHES:
            numbers = [
                _in_percent(results, data, learner),
                _in_percent(results, data, learner, "member_error"),
                _in_percent(results, data, learner, "ambiguity"),
                results.mean(data, learner, "mask"),
                results.mean(data, learner, "passes"),
            ]
            rows.append((TITLES[data], learner, *(f"{number:.1f}" for number in numbers)))
    note = (
        "Errors in percent on held-out rows, for one classifier on all features and for 25 on feature "
        "subsets found by hill-climbing on error (HC), on error and ambiguity (AmbHC), or at random. "
        "Ambiguity: share of the training rows on which a member differs from the ensemble. Features: number "
        "of features per member. Passes: number of passes over all features, at most eight."
    )
    columns = ("data", "ensemble", "error", "error of members", "ambiguity", "features", "passes")
    return ResultTable("ensembles", "The ensembles and their members", columns, rows, note)


def case_table(results: Results, measure: str) -> ResultTable:
    """Return the curves of the paper's figures for some numbers of cases."""
    rows: list[tuple[Value, ...]] = []
    for data in results.sets:
        for described, learner in ON.items():
            numbers = curve(results, data, described, measure)
            cells: list[Value] = []
            for k in SHOWN:
                is_claimed = measure == "fidelities" and described == "AmbHC" and k >= 5
                bound = FIDELITY if is_claimed and not _is_cylinder(data) else None
                cells.append(Beside(float(numbers[k - 1]), bound, digits=1))
            teacher = "AmbHC" if described == SEEN else described
            chosen = (
                _in_percent(results, data, learner)
                if measure == "errors"
                else 100 * results.fidelity(data, learner, teacher)
            )
            rows.append((TITLES[data], described, *cells, None if described == SEEN else f"{chosen:.1f}"))
    notes = {
        "errors": "Error in percent of the nearest cases' vote on held-out rows, by the number of cases.",
        "fidelities": (
            "Percentage of the held-out rows for which the nearest cases give the ensemble's label, by the "
            "number of cases. For AmbHC, the paper says it is over 95 with five or more cases: this bound "
            "and the difference are in parentheses."
        ),
    }
    titles = {
        "errors": "Figures 2, 3 and 5: error of Meta k-NN",
        "fidelities": "Figure 6: fidelity of Meta k-NN",
    }
    columns = ("data", "cases described by", *(str(k) for k in SHOWN), "chosen")
    last = (
        f' "{SEEN}": described by members that find a case among its own neighbors; the others leave it out.'
        " Chosen: the number of cases with the fewest leave-one-out errors on the training rows."
    )
    name = {"errors": "error", "fidelities": "fidelity"}[measure]
    return ResultTable(name, titles[measure], columns, rows, notes[measure] + last)


def _error_figure(results: Results, data: str) -> FigureFile:
    figure = Figure(figsize=(8.0, 4.4), layout="constrained")
    ax = figure.add_subplot()
    for learner in ("HC", "AmbHC"):
        color = COLORS[learner]
        numbers = curve(results, data, learner, "errors")
        ax.plot(range(1, MAX_META + 1), numbers, "o-", ms=4, color=color, label=f"Meta k-NN on {learner}")
        ax.axhline(_in_percent(results, data, learner), color=color, ls="--", label=f"{learner} ensemble")
        worse = _in_percent(results, data, learner, "member_error")
        ax.axhline(worse, color=color, ls=":", label=f"{learner} members, mean")
    for learner in ("random subspaces", PLAIN):
        ax.axhline(_in_percent(results, data, learner), color=COLORS[learner], ls="-.", label=learner)
    ax.set_ylabel("error on held-out rows [%]")
    _finish(ax)
    caption = (
        f"The paper's Figure {FIGURES[data]}, {TITLES[data]}: error of the nearest cases by the number of "
        "cases that vote, with the ensembles and their members as lines."
    )
    return FigureFile(data, caption, figure)


def _fidelity_figure(results: Results) -> FigureFile:
    figure = Figure(figsize=(8.0, 4.4), layout="constrained")
    ax = figure.add_subplot()
    for data, color in zip(results.sets, ("#0072b2", "#d55e00", "#009e73", "#cc79a7"), strict=False):
        for described, style, size in (("AmbHC", "o-", 4.0), (SEEN, ":", 0.0)):
            numbers = 100 - curve(results, data, described, "fidelities")
            label = TITLES[data] if described == "AmbHC" else None
            ax.plot(range(1, MAX_META + 1), numbers, style, ms=size, color=color, label=label)
    for share in (5, 10):
        ax.axhline(share, color="#8a8f98", lw=0.8, zorder=0)
    ax.set_ylim(0)
    ax.set_ylabel("rows with a different label [%]")
    _finish(ax)
    caption = (
        "The paper's Figure 6: how often the nearest cases and the AmbHC ensemble give different labels, "
        "with the paper's lines at 5% and 10%. Dotted: cases described by members that have seen them."
    )
    return FigureFile("fidelity", caption, figure)


def _finish(ax: Axes) -> None:
    ax.set_xlabel("number of nearest cases that vote")
    ax.set_xticks(range(1, MAX_META + 1, 2))
    ax.grid(axis="y", alpha=0.3)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False, fontsize=9)


def remarks(results: Results) -> list[str]:
    """Return where our numbers differ from the paper's, and why."""
    shown = "; ".join(
        f"{TITLES[data]} {_at_five(results, data).mean():.1f}% left out, "
        f"{_at_five(results, data, SEEN).mean():.1f}% seen"
        for data in results.sets
    )
    return [
        "Fidelity depends on how the cases are described, which the paper does not say. We describe a case "
        "by members that leave it out of its own neighbors; a member that finds the case itself almost "
        f"repeats its label. Agreement with AmbHC at five cases, both ways: {shown}. If the paper's claims "
        "about fidelity hold for seen cases but not for left-out ones, it probably measured seen cases. On "
        "the other hand, the example in its Table 2 shows a member that is wrong about a case with 0.95, "
        "which is possible only if the member leaves the case out.",
        "How AmbHC accepts a feature is described in another paper by its authors. Here a feature is "
        "accepted if error or ambiguity improves and the other gets worse by at most 5%, in eight passes. "
        "Distances are Euclidean, with each feature scaled to its range.",
        "The paper's fourth data set, Warfarin (Figure 4), is not public. The paper does not say which "
        f"heart disease data it used, so we include both files with 13 features.{_shared_hearts(results)} We "
        "dropped the four columns of order names and numbers from cylinder-bands, which leaves 35 of the 38 "
        "features that the paper counts.",
    ]


def _shared_hearts(results: Results) -> str:
    """Say how many rows of one heart file are in the other, by the numbers that both hold."""
    tables = {data.name: data.X for data in results.plan.data_sets if _is_heart(data.name)}
    if len(tables) < 2:
        return ""
    rows = {name: [tuple(row) for row in _measured(table)] for name, table in tables.items()}
    known = set(rows["heart-c"])
    n_shared = sum(row in known for row in rows["heart-statlog"])
    return (
        f" Both come from one source: {n_shared} of the {len(rows['heart-statlog'])} rows of heart-statlog "
        "have the same age, pressure, cholesterol, pulse and depression as a row of heart-c."
    )


def _measured(table: Table) -> NDArray[np.float64]:
    """Return the columns that are numbers in both heart files."""
    numeric = [column for column in table.columns if not column.feature.is_nominal]
    few = [column for column in numeric if len(np.unique(column.values)) > MANY_VALUES]
    return np.column_stack([column.values for column in few])


MANY_VALUES = 10
"""Numbers with fewer values are codes of categories in one of the heart files."""

TITLES = {
    "heart-c": "heart-c",
    "heart-statlog": "heart-statlog",
    "diabetes": "Pima (diabetes)",
    "cylinder-bands": "cylinder-bands",
}
FIGURES = {"heart-c": 2, "heart-statlog": 2, "diabetes": 3, "cylinder-bands": 5}
IDENTIFIERS = {"cylinder-bands": ("timestamp", "cylinder_number", "customer", "job_number")}


def _learners() -> tuple[Learner, ...]:
    ensembles = [
        Learner(name, SubspaceKNNClassifier(search=search), notes=member_notes)
        for name, search in SEARCHES.items()
    ]
    cases = [
        Learner(ON[name], MetaKNNClassifier(preset="paper"), teacher=name, notes=case_notes)
        for name in SEARCHES
    ]
    selecting = MetaKNNClassifier(preset="paper", select_members=True)
    return (
        *ensembles,
        *cases,
        Learner(SELECTED, selecting, teacher="AmbHC", notes=selection_notes),
        Learner(COMBINED["votes"], source="AmbHC", derive=voting),
        Learner(COMBINED["weighted mean"], source="AmbHC", derive=weighted),
        Learner(ON[SEEN], source="AmbHC", derive=seen_cases, notes=case_notes),
        Learner(PLAIN, source="random subspaces", derive=plain_neighbours),
    )


EXPERIMENT = Experiment(
    name="metaknn",
    title="Meta k-NN: an ensemble explained by cases",
    paper=(
        'G. Zenobi and P. Cunningham, "An Approach to Aggregating Ensembles of Lazy Learners that Supports '
        'Explanation", ECCBR 2002'
    ),
    data_sets=tuple(DataSet(name, without=IDENTIFIERS.get(name, ())) for name in TITLES),
    learners=_learners(),
    protocol=Protocol(n_repeats=3, n_folds=5),
    quick_sets=("heart-c", "heart-statlog"),
    find=find,
)
