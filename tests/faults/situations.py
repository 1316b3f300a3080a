"""What people do, small: each situation runs kernels that allocate and, with two jobs, share rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import lightgbm
import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import sightline as sl

LOANS = sl.make_loans(300, random_state=0)
NUMBERS = np.random.default_rng(0).normal(size=(200, 4)).round(1)
LABELS = (NUMBERS[:, 0] > NUMBERS[:, 1]).astype(int) + (NUMBERS[:, 2] > 1)
FOREST = sl.load(RandomForestClassifier(5, max_depth=3, random_state=0).fit(NUMBERS, LABELS))
REGRESSION = sl.load(RandomForestRegressor(4, max_depth=3, random_state=0).fit(NUMBERS, NUMBERS.sum(axis=1)))
TREE = sl.DistilledTreeClassifier(FOREST, max_leaves=4, random_state=0).fit(NUMBERS).tree_
BOOSTER = lightgbm.LGBMClassifier(n_estimators=5, num_leaves=4, verbose=-1, n_jobs=1).fit(NUMBERS, LABELS)


def _situations(folder: Path) -> dict[str, Callable[[int], Any]]:
    """Return what to run, by name; each takes the number of threads."""
    rows = folder / "rows.csv"
    rows.write_text("a,b,c\n" + "".join(f"{i},{i % 3},{'xy'[i % 2]}\n" for i in range(50)))
    model = folder / "model.json"
    FOREST.to_json(model)
    booster = folder / "model.txt"
    BOOSTER.booster_.save_model(booster)
    bags = {"n_trees": 5, "random_state": 0}
    return {
        "read a table": lambda n: sl.read_table(rows, target="c"),
        "load a file of ours": lambda n: sl.load(model),
        "load a file of LightGBM": lambda n: sl.load(booster),
        "load a booster": lambda n: sl.load(BOOSTER),
        "predict": lambda n: FOREST.predict_proba(NUMBERS),
        "learn bagged trees": lambda n: sl.BaggedTreesClassifier(n_jobs=n, **bags).fit(LOANS.X, LOANS.y),
        "distill a tree": lambda n: sl.DistilledTreeClassifier(FOREST, n_jobs=n, random_state=0).fit(NUMBERS),
        "distill numbers": lambda n: sl.DistilledTreeRegressor(
            REGRESSION, leaf="linear", n_jobs=n, random_state=0
        ).fit(NUMBERS),
        "ISM": lambda n: sl.ISMClassifier(FOREST).fit(NUMBERS, LABELS),
        "rules": lambda n: sl.RuleSetClassifier(FOREST, n_jobs=n, random_state=0).fit(NUMBERS, LABELS),
        "stumps": lambda n: sl.StumpEnsembleClassifier(n_jobs=n, random_state=0).fit(LOANS.X, LOANS.y),
        "SET-GEN": lambda n: sl.SetGenClassifier(evaluations=8, n_jobs=n, random_state=0).fit(
            LOANS.X, LOANS.y
        ),
        "subspace k-NN": lambda n: sl.SubspaceKNNClassifier(n_jobs=n, random_state=0).fit(NUMBERS, LABELS),
        "cases": lambda n: sl.MetaKNNClassifier(FOREST, n_jobs=n, random_state=0).fit(NUMBERS, LABELS),
        "certify": lambda n: sl.certify(TREE, FOREST),
        "certify numbers": lambda n: sl.certify(REGRESSION, REGRESSION),
        "merge": lambda n: sl.merge(FOREST, effort="quick"),
        "merge to the smallest": lambda n: sl.merge(FOREST, effort="smallest", max_seconds=1),
        "merge to a graph": lambda n: sl.merge(FOREST, to="graph"),
        "counterfactuals": lambda n: sl.counterfactuals(FOREST, NUMBERS[0], within=NUMBERS, n=1),
        "explain": lambda n: TREE.explain(NUMBERS[:20]).to_frame(),
        "report": lambda n: sl.report(TREE, NUMBERS, LABELS, folder / "report.html", ensemble=FOREST),
    }


def run(job: Callable[[str, Callable[[int], Any]], Any]) -> None:
    """Hand each situation to the job, with files that last as long."""
    with TemporaryDirectory() as folder:
        for name, situation in _situations(Path(folder)).items():
            job(name, situation)
