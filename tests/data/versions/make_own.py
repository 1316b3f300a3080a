"""Make files in Sightline's own format with the Sightline that runs this, for all later ones to read.

Run once per release: ``python tests/data/versions/make_own.py``. Beside each lies what it predicted then.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import sightline as sl

HERE = Path(__file__).parent


def mixed_models(X: Any, y: Any) -> dict[str, Any]:
    """Return small models of numbers, categories and missing values."""
    return {
        "tree": sl.C45Classifier(max_leaves=8).fit(X, y),
        "ensemble": sl.BaggedTreesClassifier(n_trees=3, random_state=0).fit(X, y),
        "stumps": sl.StumpEnsembleClassifier(random_state=0).fit(X, y),
        "cases": sl.MetaKNNClassifier(sl.C45Classifier(max_leaves=8).fit(X, y), random_state=0).fit(X, y),
    }


def numeric_models(X: Any, y: Any) -> dict[str, Any]:
    """Return small models of a forest of numbers."""
    forest = sl.load(RandomForestClassifier(4, max_depth=2, random_state=0).fit(X, y))
    return {
        "forest": forest,
        "graph": sl.merge(forest, to="graph"),
        "merged": sl.merge(forest),
        "distilled": sl.DistilledTreeClassifier(forest, max_leaves=4, random_state=0).fit(X),
        "ism": sl.ISMClassifier(forest, max_leaves=6).fit(X, y),
        "rules": sl.RuleSetClassifier(forest, random_state=0).fit(X, y),
    }


def models_of_numbers(X: Any, y: Any) -> dict[str, Any]:
    """Return small models that predict numbers."""
    forest = sl.load(RandomForestRegressor(4, max_depth=2, random_state=0).fit(X, y))
    tree = sl.DistilledTreeRegressor(forest, max_leaves=4, leaf="linear", random_state=0)
    return {
        "lines": tree.fit(X, y),
        "number_rules": sl.RuleSetRegressor(forest, max_rules=5, random_state=0).fit(X, y),
    }


def main() -> None:
    loans = sl.make_loans(60)
    frame, labels = loans.X.to_pandas(), np.asarray(loans.y)
    numbers = frame.select_dtypes("number").iloc[:, :3].fillna(0)
    for X, made in (
        (frame, mixed_models(frame, labels)),
        (numbers, numeric_models(numbers, labels)),
        (numbers, models_of_numbers(numbers, numbers.iloc[:, 0] ** 2)),
    ):
        for kind, model in made.items():
            path = HERE / f"sightline-{sl.__version__}-{kind}.json"
            model.to_json(path)
            answers = {"rows": json.loads(X.to_json(orient="split"))}
            answers["prediction"] = sl.read_model(path).predict(X).tolist()
            path.with_suffix(".answers.json").write_text(json.dumps(answers))


if __name__ == "__main__":
    main()
