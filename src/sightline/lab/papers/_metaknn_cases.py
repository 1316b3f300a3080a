"""What the Meta k-NN paper left for later: what cases are worth, and what people would have to check."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.lab._findings import ResultTable, Value
from sightline.lab._learner import Trial
from sightline.lab._results import Results
from sightline.model import CaseBase, NeighbourEnsemble, most_voted
from sightline.table import Table

NEAR = 0.1
"""A case is near on some columns if it is among this share of the cases nearest to the row."""

DIFFERENT = 0.1
"""Numbers that differ by more than this share of their range are different."""


def column_distances(cases: Table, rows: Table) -> NDArray[np.float64]:
    """Return the distances in each column.

    Parameters
    ----------
    cases, rows : Table
        Tables with the same columns.

    Returns
    -------
    ndarray of shape (n_rows, n_cases, n_columns)
        Shares of the cases' range, at most 1; 0 or 1 for categories; 1 for missing values.
    """
    distances = []
    for case_column, row_column in zip(cases.columns, rows.columns, strict=True):
        here, there = row_column.values[:, None], case_column.values[None, :]
        is_missing = row_column.is_missing[:, None] | case_column.is_missing[None, :]
        if case_column.feature.is_nominal:
            found = (here != there).astype(np.float64)
        else:
            known = case_column.values[~case_column.is_missing]
            span = float(np.ptp(known)) if len(known) else 0.0
            found = np.minimum(np.abs(here - there) / span, 1.0) if span else (here != there) * 1.0
        distances.append(np.where(is_missing, 1.0, found))
    return np.stack(distances, axis=2)


def n_columns_to_see(distances: NDArray[np.float64], case: int) -> int:
    """Return how many columns one must look at to see that a case is near to a row.

    Columns are looked at from the most telling on: the one with the fewest cases as near as this one
    comes first. It is enough when the case is among the tenth of the cases that are nearest in all columns
    looked at. All columns count if it never is.

    Parameters
    ----------
    distances : ndarray of shape (n_cases, n_columns)
        Distances of all cases from the row.
    case : int
        The case.

    Examples
    --------
    >>> distances = np.array([[0.0, 0.9], *[[0.5, 0.1 * i] for i in range(10)]])
    >>> n_columns_to_see(distances, 0)
    1
    >>> n_columns_to_see(distances, 10)
    2
    """
    # Cases that are as near count, too: of many with the same category, none is near because of it.
    n_nearer = (distances <= distances[case]).sum(axis=0) - 1
    so_far = np.zeros(len(distances))
    for n_seen, column in enumerate(np.argsort(n_nearer, kind="stable"), 1):
        so_far += distances[:, column] ** 2
        if (so_far <= so_far[case] + 1e-12).sum() - 1 < NEAR * len(distances):
            return n_seen
    return len(n_nearer)


def explanation_notes(base: CaseBase, trial: Trial) -> Mapping[str, Any]:
    """Record what the nearest case of every test row asks of a reader, beside other choices of a case."""
    distances = column_distances(base.cases, base.aligned(trial.X_test))
    ensemble_labels, _ = base.ensemble.answers(trial.X_test)
    random = np.random.RandomState(trial.seed)
    chosen: dict[str, NDArray[Any]] = {
        "meta": base.neighbours(trial.X_test, 1)[0][:, 0],
        "plain": (distances**2).sum(axis=2).argmin(axis=1),
        "same_label": np.array([random.choice(_of_label(base, label)) for label in ensemble_labels]),
    }
    notes: dict[str, float] = {}
    for name, cases in chosen.items():
        seen = [n_columns_to_see(own, int(case)) for own, case in zip(distances, cases, strict=True)]
        differing = distances[np.arange(len(cases)), cases] > DIFFERENT
        notes[f"{name}_columns"] = float(np.mean(seen))
        notes[f"{name}_differing"] = float(differing.sum(axis=1).mean())
    return notes


def _of_label(base: CaseBase, label: int) -> NDArray[np.intp]:
    """Return the cases with a label; all cases if there is none."""
    found = np.flatnonzero(base.codes == label)
    return found if len(found) else np.arange(len(base.codes))


def value_notes(base: CaseBase, trial: Trial) -> Mapping[str, Any]:
    """Record how the fidelity on the test rows changes if single cases are left out.

    Without a case, the next one takes its place among the nearest. The ensemble stays as it is.
    """
    k = min(base.k_meta, base.cases.n_rows - 1)
    found, distances = base.neighbours(trial.X_test, k + 1)
    ensemble_labels, _ = base.ensemble.answers(trial.X_test)
    before = _voted(base, found[:, :k], distances[:, :k]) == ensemble_labels
    effects = np.zeros(base.cases.n_rows)
    for case in np.unique(found[:, :k]):
        rows = np.flatnonzero((found[:, :k] == case).any(axis=1))
        kept = found[rows] != case
        without = (array[rows][kept].reshape(len(rows), k) for array in (found, distances))
        after = _voted(base, *without) == ensemble_labels[rows]
        effects[case] = (after.sum() - before[rows].sum()) / len(before)
    return {
        "never_near": float(1 - len(np.unique(found[:, :k])) / base.cases.n_rows),
        "helps": float((effects < 0).mean()),
        "hurts": float((effects > 0).mean()),
        "largest_effect": float(np.abs(effects).max()),
    }


def _voted(base: CaseBase, found: NDArray[np.int32], distances: NDArray[np.float64]) -> NDArray[np.int32]:
    return most_voted(base.votes(found, distances)[:, -1], base.labels)


def voting(model: Any) -> NeighbourEnsemble:
    """Return the same members with one vote each."""
    return _recombined(model.ensemble_, "vote", None)


def weighted(model: Any) -> NeighbourEnsemble:
    """Return the same members, weighted by their accuracy on cases that they leave out."""
    ensemble = model.ensemble_
    is_right = ensemble.winners(ensemble.member_shares(None)) == ensemble.labels.codes[:, None]
    return _recombined(ensemble, "mean", is_right.mean(axis=0))


def _recombined(ensemble: NeighbourEnsemble, combine: str, weights: Any) -> NeighbourEnsemble:
    return NeighbourEnsemble(
        ensemble.cases,
        ensemble.labels,
        ensemble.masks,
        ensemble.k,
        combine=combine,
        member_weights=weights,
    )


def member_table(
    results: Results, titles: Mapping[str, str], learners: Mapping[str, str], selected: str, all_members: str
) -> ResultTable:
    """Return how members can be combined, and what remains if the superfluous ones are dropped.

    Parameters
    ----------
    results : Results
        The results.
    titles : dict
        What tables call the data sets.
    learners : dict
        Names of the learners that combine members, by heading.
    selected, all_members : str
        Names of Meta k-NN with and without a selection of members.
    """
    rows: list[tuple[Value, ...]] = []
    for data in results.sets:
        errors = [100 * results.mean(data, name, "error") for name in learners.values()]
        errors += [100 * results.mean(data, name, "error") for name in (all_members, selected)]
        fidelities = [100 * results.fidelity(data, name, "AmbHC") for name in (all_members, selected)]
        kept = results.mean(data, selected, "members")
        shown = [f"{number:.1f}" for number in (*errors, *fidelities, kept)]
        rows.append((titles[data], *shown))
    columns = (
        "data",
        *learners,
        "Meta k-NN, all members",
        "Meta k-NN, selected",
        "fidelity, all",
        "fidelity, selected",
        "members kept",
    )
    note = (
        "Error in percent on held-out rows for the same 25 members of AmbHC: their mean, one vote each, and "
        "the mean weighted by leave-one-out accuracy. Next comes Meta k-NN with all members, and with only "
        "those members whose removal gives more leave-one-out errors. Fidelity is to the mean of all "
        "members."
    )
    return ResultTable("members", "Votes, weights and selected members", columns, rows, note)


def explanation_table(results: Results, titles: Mapping[str, str], learner: str) -> ResultTable:
    """Return what cases are worth, and how much a reader must look at."""
    rows: list[tuple[Value, ...]] = []
    for data in results.sets:
        numbers = {
            name: results.mean(data, learner, name)
            for name in ("never_near", "helps", "hurts", "largest_effect")
        }
        columns = [
            f"{results.mean(data, learner, f'{name}_{what}'):.1f}"
            for what in ("columns", "differing")
            for name in ("meta", "plain", "same_label")
        ]
        rows.append((titles[data], *(f"{100 * number:.1f}" for number in numbers.values()), *columns))
    heads = (
        "data",
        "never near (%)",
        "helps (%)",
        "hurts (%)",
        "largest effect (points)",
        *(f"columns, {name}" for name in ("Meta k-NN", "5-NN", "same label")),
        *(f"differing, {name}" for name in ("Meta k-NN", "5-NN", "same label")),
    )
    note = (
        "Left: shares of the cases that are never among the nearest of a held-out row, whose removal lowers "
        "the fidelity to AmbHC on the held-out rows, and whose removal raises it; and the largest change "
        "that one case makes. Right: a proxy for what experts would check. Columns: how many columns one "
        "must look at, starting with the most telling, to see that the case is among the nearest tenth of "
        "all cases. Differing: columns in which case and row differ; numbers differ if they are more than "
        f"{DIFFERENT:.0%} of their range apart. The case is the nearest of Meta k-NN on AmbHC, the nearest "
        "in all columns, or a random one with the label that AmbHC predicts."
    )
    return ResultTable("explanations", "What cases are worth, and what to check", heads, rows, note)
