"""Accuracy and size of distilled trees that choose their own size, beside C4.5, bagging and CMM."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import StratifiedKFold

from sightline.distill import CMMClassifier, DistilledTreeClassifier
from sightline.lab._data_set import DataSet
from sightline.lab._experiment import Experiment
from sightline.lab._findings import Findings, ResultTable, Value
from sightline.lab._learner import Learner
from sightline.lab._protocol import Splits
from sightline.lab._results import Results
from sightline.lab.claims._data_sets import CONFIRMED_ON
from sightline.learn import BaggedTreesClassifier, C45Classifier

TREE, ENSEMBLE = "C4.5", "bagging"
SUMMARIES = {
    "distilled": DistilledTreeClassifier(),
    "CMM": CMMClassifier(),
    "CMM, unpruned": CMMClassifier(prune=False),
}


def find(results: Results) -> Findings:
    """Return accuracy, fidelity and size of the summaries."""
    tree, ensemble = (100 * float(results.means(name, "accuracy").mean()) for name in (TREE, ENSEMBLE))
    rows: list[tuple[Value, ...]] = []
    for name in SUMMARIES:
        accuracy = 100 * float(results.means(name, "accuracy").mean())
        ratio = results.means(name, "nodes") / results.means(TREE, "nodes")
        gain = ensemble - tree
        rows.append(
            (
                name,
                accuracy,
                f"{100 * (accuracy - tree) / gain:.0f}%" if gain else None,
                100 * float(results.fidelities(name, ENSEMBLE).mean()),
                f"{ratio.mean():.2f} ({np.exp(np.log(ratio).mean()):.2f})",
            )
        )
    note = (
        f"Means over {len(results.sets)} data sets, in percent, on held-out rows. C4.5 has an accuracy of "
        f"{tree:.2f}, bagging of {ensemble:.2f}."
    )
    columns = ("", "accuracy", "share of bagging's gain", "fidelity", "nodes / C4.5's, mean (geometric)")
    title = "Without max_leaves, 25 bagged C4.5 trees"
    return Findings([ResultTable("summary", title, columns, rows, note)])


EXPERIMENT = Experiment(
    name="distilled_tree_default",
    title="Distilled trees that choose their own size",
    paper="",
    data_sets=tuple(DataSet(name) for name in CONFIRMED_ON),
    learners=(
        Learner(TREE, C45Classifier(binary_splits=True)),
        Learner(ENSEMBLE, BaggedTreesClassifier()),
        *(Learner(name, estimator, teacher=ENSEMBLE) for name, estimator in SUMMARIES.items()),
    ),
    protocol=Splits(
        n_repeats=10,
        splitter=StratifiedKFold(10, shuffle=True, random_state=0),
        min_class_rows=2,
        title="folds of one cross-validation",
    ),
    quick_sets=("autos", "hepatitis"),
    find=find,
)
