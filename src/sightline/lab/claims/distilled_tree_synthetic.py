"""How faithful distilled trees are to a forest on generated rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import PredefinedSplit

from sightline.lab._data_set import LoadedSet
from sightline.lab._experiment import Experiment
from sightline.lab._findings import Findings, ResultTable, Value
from sightline.lab._protocol import Splits
from sightline.lab._results import Results
from sightline.lab.claims._surrogates import SIZES, OnCodes, learner_name, surrogate_learners
from sightline.table import Labels, Table

FOREST = "random forest, 100"
N_TRAIN, N_TEST = 20_000, 10_000
N_INFORMATIVE = (5, 8, 10, 12)
N_SEEDS = 2


@dataclass(frozen=True)
class GeneratedSet:
    """Rows of scikit-learn's make_classification with 20 columns."""

    n_informative: int
    seed: int

    @property
    def name(self) -> str:
        """Name in the tables."""
        return f"{self.n_informative} informative, seed {self.seed}"

    def read(self, folder: Path) -> LoadedSet:  # noqa: ARG002 - there is no file
        """Return the rows and labels."""
        X, y = make_classification(
            N_TRAIN + N_TEST, 20, n_informative=self.n_informative, random_state=self.seed
        )
        return LoadedSet(self.name, Table.from_any(X), Labels.from_any(y))


SETS = tuple(GeneratedSet(n_informative, seed) for n_informative in N_INFORMATIVE for seed in range(N_SEEDS))


def find(results: Results) -> Findings:
    """Return the fidelity by number of informative columns and size."""
    rows: list[tuple[Value, ...]] = []
    for n_informative in N_INFORMATIVE:
        names = [data.name for data in SETS if data.n_informative == n_informative]
        complete = [name for name in names if name in results.sets]
        for size in SIZES if complete else ():
            learners = [learner_name(FOREST, kind, size) for kind in ("cart", "distilled")]
            means = (
                float(np.mean([round(100 * results.fidelity(name, learner, FOREST), 3) for name in complete]))
                for learner in learners
            )
            rows.append((n_informative, size, *means))
    note = (
        f"Fidelity in percent on {N_TEST:,} held-out rows to a forest of 100 trees, trained on {N_TRAIN:,} "
        f"rows of 20 columns; mean over {N_SEEDS} seeds of the rows. scikit-learn's best-first tree has the "
        "same rows, labels and weights as ours."
    )
    title = f"make_classification, {N_TRAIN:,} x 20, forest of 100"
    columns = ("informative", "leaves", "scikit-learn", "distilled")
    return Findings([ResultTable("fidelity", title, columns, rows, note)])


EXPERIMENT = Experiment(
    name="distilled_tree_synthetic",
    title="Distilled trees on generated rows",
    paper="",
    data_sets=SETS,
    learners=tuple(surrogate_learners(FOREST, OnCodes(RandomForestClassifier(100)))),
    protocol=Splits(
        n_repeats=1,
        splitter=PredefinedSplit([-1] * N_TRAIN + [0] * N_TEST),
        title="split, the first 20,000 rows to train on",
    ),
    quick_sets=(SETS[0].name,),
    find=find,
)
