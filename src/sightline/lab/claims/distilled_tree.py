"""How distilled trees imitate labels and probabilities of three kinds of ensembles, beside scikit-learn's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from sightline.exceptions import UnsupportedModelError
from sightline.lab._curves import columns_by_size, curves, gain_range
from sightline.lab._data_set import DataSet
from sightline.lab._experiment import Experiment
from sightline.lab._findings import FigureFile, Findings, ResultTable, Value
from sightline.lab._learner import Learner
from sightline.lab._protocol import Splits
from sightline.lab._results import Results
from sightline.lab.claims._bagging_gain import GAIN
from sightline.lab.claims._data_sets import CHOSEN_ON, CONFIRMED_ON
from sightline.lab.claims._surrogates import (
    OF_DECISIONS,
    SIZES,
    OnCodes,
    learner_name,
    probability_measures,
    surrogate_learners,
)
from sightline.learn import BaggedTreesClassifier
from sightline.wording import pluralize

BAGGING, FOREST, LIGHTGBM = "bagging, 25", "random forest, 100", "LightGBM"
ENSEMBLES = (LIGHTGBM, BAGGING, FOREST)
N_SPLITS = 2
FRONTIER = {
    "former": 'distilled, objective="labels", min_leaf=0 (former default)',
    "labels": 'distilled, objective="labels"',
    "distilled": 'distilled, objective="both" (default)',
    "probabilities": 'distilled, objective="probabilities"',
    "usual": "CART on labels",
    "cart": "CART on labels, with artificial rows",
    "usual_on_probabilities": "CART on probabilities",
    "cart_on_probabilities": "CART on probabilities, with artificial rows",
}
"""Kinds of trees in the order of the table, and what it calls them."""
CART = ("usual", "cart", "usual_on_probabilities", "cart_on_probabilities")


def _learners() -> tuple[Learner, ...]:
    try:
        from lightgbm import LGBMClassifier  # noqa: PLC0415 - an optional library
    except ImportError as error:
        raise UnsupportedModelError(
            "The experiment 'distilled_tree' needs LightGBM. Install it: pip install lightgbm."
        ) from error
    return (
        *_imitated(BAGGING, BaggedTreesClassifier()),
        *_imitated(FOREST, OnCodes(RandomForestClassifier(100))),
        *_imitated(LIGHTGBM, OnCodes(LGBMClassifier(n_jobs=1, verbose=-1))),
    )


def _imitated(name: str, ensemble: Any) -> list[Learner]:
    return surrogate_learners(name, ensemble, kinds=OF_DECISIONS, notes=probability_measures)


def find(results: Results) -> Findings:
    """Return the fidelity of every tree, and how it was measured."""
    remark = (
        f"The constants of DistilledTreeClassifier were chosen on other data sets: {', '.join(CHOSEN_ON)}. "
        "Two choices were made after we had also looked at data sets below: the number of search rounds for "
        "the tree that chooses its own size, and, after trees of 64 leaves for autos and hepatitis, that "
        "leaves need no training rows when these are scarce."
    )
    fidelities = fidelity_table(results)
    tables = [frontier_table(results), default_table(results), fidelities, set_table(results)]
    return Findings(tables, [picture(fidelities)], [remark], headline(results, fidelities))


def picture(fidelities: ResultTable) -> FigureFile:
    """Draw the fidelity by size, one panel per ensemble."""
    caption = (
        "Mean fidelity on held-out rows by number of leaves, compared with scikit-learn's tree on the same "
        "rows."
    )
    panels = columns_by_size(fidelities, ("scikit-learn", "distilled"))
    return replace(curves(caption, panels, "leaves", "fidelity [%]"), name="by_size")


def headline(results: Results, fidelities: ResultTable) -> str:
    """Say how much more faithful distilled trees are than others of their size."""
    usual = [
        differences(results, ensemble, size, "fidelity", "usual").mean()
        for ensemble in ENSEMBLES
        for size in SIZES
    ]
    low, high = gain_range(fidelities, "distilled", "scikit-learn")
    return (
        f"Averaged over {pluralize(len(results.sets), 'data set')}, distilled trees agree with their "
        f"ensemble on {min(usual):.1f} to {max(usual):.1f} percentage points more held-out rows than the "
        "usual surrogate of the same size. If scikit-learn's tree also trains on our artificial rows, the "
        f"difference is {low:.1f} to {high:.1f} points."
    )


def differences(
    results: Results, ensemble: str, n_leaves: int, measure: str, reference: str = "cart"
) -> NDArray[np.float64]:
    """Return the difference between our tree and a reference in points, per data set."""
    ours, theirs = (
        points(results, ensemble, learner_name(ensemble, kind, n_leaves), measure)
        for kind in ("distilled", reference)
    )
    # Rounded, so that equal predictions give exactly 0.
    return np.round(ours - theirs, 9)


def points(results: Results, ensemble: str, learner: str, measure: str) -> NDArray[np.float64]:
    """Return fidelity to the ensemble, or accuracy, in percent per data set."""
    if measure == "fidelity":
        return 100 * results.fidelities(learner, ensemble)
    return 100 * results.means(learner, measure)


def with_error(values: NDArray[np.float64]) -> str:
    """Return the mean of differences with its standard error."""
    if len(values) < 2:
        return f"{values.mean():+.2f}"
    return f"{values.mean():+.2f} ± {values.std(ddof=1) / np.sqrt(len(values)):.2f}"


def fidelity_table(results: Results) -> ResultTable:
    """Return fidelity by ensemble and size."""
    rows: list[tuple[Value, ...]] = []
    for ensemble in ENSEMBLES:
        for size in SIZES:
            gain = differences(results, ensemble, size, "fidelity")
            cart, ours = (
                points(results, ensemble, learner_name(ensemble, kind, size), "fidelity").mean()
                for kind in ("cart", "distilled")
            )
            rows.append(
                (
                    ensemble,
                    size,
                    float(cart),
                    float(ours),
                    with_error(gain),
                    f"{differences(results, ensemble, size, 'accuracy').mean():+.2f}",
                    f"{(gain > 0).sum()} : {(gain < 0).sum()}",
                    with_error(differences(results, ensemble, size, "fidelity", "usual")),
                )
            )
    note = (
        f"Mean over {len(results.sets)} data sets of the fidelity on held-out rows, in percent: "
        "scikit-learn's best-first tree on the same rows with the same labels and weights, our tree, and "
        "the difference with its standard error over the data sets. Next come the difference in accuracy, "
        "the number of data sets on which our tree is more and less faithful, and the difference in "
        "fidelity from the usual surrogate: scikit-learn's tree on the training rows alone, with the "
        "ensemble's labels."
    )
    columns = (
        "ensemble",
        "leaves",
        "scikit-learn",
        "distilled",
        "difference",
        "accuracy",
        "data sets better : worse",
        "from the usual surrogate",
    )
    title = "Held-out fidelity compared with a best-first scikit-learn tree on the same rows"
    return ResultTable("fidelity", title, columns, rows, note)


def frontier_table(results: Results) -> ResultTable:
    """Return fidelity, AUC and Brier score by size, for every objective beside scikit-learn's trees."""
    rows: list[tuple[Value, ...]] = []
    for size in SIZES:
        references = {
            "fidelity": _over_ensembles(results, "usual", size, "fidelity"),
            "auc": _over_ensembles(results, "usual_on_probabilities", size, "auc"),
            "brier": _over_ensembles(results, "usual_on_probabilities", size, "brier"),
        }
        for kind, name in FRONTIER.items():
            row: list[Value] = [size, name]
            for measure, reference in references.items():
                own = _over_ensembles(results, kind, size, measure)
                difference = np.round(own - reference, 9)
                row += [float(own.mean()), "" if not difference.any() else with_error(difference)]
            rows.append(tuple(row))
    note = (
        f"Means over {len(results.sets)} data sets and {len(ENSEMBLES)} ensembles on held-out rows, times "
        "100: fidelity to the ensemble's labels, AUC of the true classes (each against the rest) and Brier "
        "score (smaller is better). Each is followed by a difference with its standard error over the data "
        "sets: for fidelity from CART on labels, for AUC and Brier score from CART on probabilities, both "
        "on the training rows. CART is scikit-learn's best-first tree of the same size; with artificial "
        "rows, it trains on the rows and weights of our trees."
    )
    columns = ("leaves", "tree", "fidelity", "difference", "AUC", "difference", "Brier", "difference")
    title = "Labels and probabilities: the three objectives compared with CART"
    return ResultTable("frontier", title, columns, rows, note)


def default_table(results: Results) -> ResultTable:
    """Return what the default gains and loses against the former default, over all sizes."""
    row: list[Value] = []
    for measure in ("fidelity", "accuracy", "auc", "brier"):
        own, former = (
            np.mean([_over_ensembles(results, kind, size, measure) for size in SIZES], axis=0)
            for kind in ("distilled", "former")
        )
        row.append(with_error(np.round(own - former, 9)))
    note = (
        'objective="both" with min_leaf="auto" minus objective="labels" with min_leaf=0, in points: the mean '
        "over ensembles and sizes, and the standard error over the data sets. A lower Brier score is better."
    )
    title = "The default compared with the former one"
    return ResultTable("default", title, ("fidelity", "accuracy", "AUC", "Brier"), [tuple(row)], note)


def set_table(results: Results) -> ResultTable:
    """Return per data set how our default fares against the best of scikit-learn's trees."""
    rows: list[tuple[Value, ...]] = []
    of_sizes = [
        {kind: _over_ensembles(results, kind, size, "fidelity") for kind in ("distilled", *CART)}
        for size in SIZES
    ]
    for index, name in enumerate(results.sets):
        means = {kind: np.mean([fidelity[kind][index] for fidelity in of_sizes]) for kind in of_sizes[0]}
        best = max(CART, key=lambda kind: means[kind])
        ours = means["distilled"]
        rows.append((name, float(ours), FRONTIER[best], float(means[best]), f"{ours - means[best]:+.2f}"))
    note = (
        "Fidelity in percent, mean over ensembles and sizes: our default, and the best of the four "
        "scikit-learn trees, chosen per data set after the fact."
    )
    columns = ("data set", "distilled", "best CART", "fidelity", "difference")
    return ResultTable("sets", "Fidelity by data set", columns, rows, note)


def _over_ensembles(results: Results, kind: str, n_leaves: int, measure: str) -> NDArray[np.float64]:
    """Return a measure per data set, in points, averaged over the ensembles."""
    learners = [(ensemble, learner_name(ensemble, kind, n_leaves)) for ensemble in ENSEMBLES]
    each = [points(results, ensemble, learner, measure) for ensemble, learner in learners]
    return np.asarray(np.mean(each, axis=0))


EXPERIMENT = Experiment(
    name="distilled_tree",
    title="Distilled trees: labels, probabilities and accuracy by size",
    paper="",
    data_sets=tuple(DataSet(name) for name in CONFIRMED_ON),
    learners=_learners(),
    protocol=Splits.of_two_thirds(N_SPLITS, min_class_rows=3),
    quick_sets=("autos", "hepatitis"),
    find=find,
    further=(GAIN,),
)
