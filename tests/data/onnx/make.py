"""Make the ONNX files beside this one, and what onnxruntime predicts for rows at their thresholds.

Run it with skl2onnx and onnxmltools: ``python tests/data/onnx/make.py``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import xgboost
from lightgbm import LGBMClassifier, LGBMRegressor
from onnxmltools import convert_lightgbm, convert_xgboost
from onnxmltools.convert.common.data_types import FloatTensorType
from skl2onnx import to_onnx
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

HERE = Path(__file__).parent
RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3)).round(1).astype(np.float32)
NUMBER = (X[:, 0] * 3 + X[:, 1] * X[:, 2]).round(2)
TWO, THREE = (NUMBER > 0).astype(int), np.digitize(NUMBER, [-1, 1])
FEW = {"n_estimators": 3, "max_depth": 3, "random_state": 0}
BOOSTED = {"n_estimators": 3, "max_depth": 3, "n_jobs": 1}

SKLEARN: dict[str, tuple[Any, Any]] = {
    "tree": (DecisionTreeClassifier(max_depth=3), THREE),
    "tree_of_numbers": (DecisionTreeRegressor(max_depth=3), NUMBER),
    "forest": (RandomForestClassifier(**FEW), THREE),
    "forest_of_numbers": (RandomForestRegressor(**FEW), NUMBER),
    "extra_trees": (ExtraTreesClassifier(**FEW), np.array(["no", "yes"])[TWO]),
    "boosted": (GradientBoostingClassifier(**FEW), TWO),
    "boosted_three": (GradientBoostingClassifier(**FEW), THREE),
    "boosted_numbers": (GradientBoostingRegressor(**FEW), NUMBER),
    "pipeline": (make_pipeline(SimpleImputer(), StandardScaler(), RandomForestClassifier(**FEW)), THREE),
    "minmax": (make_pipeline(MinMaxScaler(), GradientBoostingClassifier(**FEW)), TWO),
    "refused_bagging": (BaggingClassifier(n_estimators=2, random_state=0), TWO),
    "refused_adaboost": (AdaBoostClassifier(n_estimators=2, random_state=0), TWO),
    "voting_of_one": (VotingRegressor([("tree", DecisionTreeRegressor(max_depth=2))]), NUMBER),
    "refused_voting": (
        VotingRegressor([(name, DecisionTreeRegressor(max_depth=2)) for name in ("a", "b")]),
        NUMBER,
    ),
}


def main() -> None:
    for name, (model, target) in SKLEARN.items():
        options = None if name == "forest" or not hasattr(model, "predict_proba") else {"zipmap": False}
        store(name, to_onnx(model.fit(X, target), X[:1], options=options).SerializeToString())
    inputs = [("input", FloatTensorType([None, 3]))]
    for name, model, target in [
        ("xgboost_two", xgboost.XGBClassifier(**BOOSTED), TWO),
        ("xgboost_three", xgboost.XGBClassifier(**BOOSTED), THREE),
        ("xgboost_numbers", xgboost.XGBRegressor(**BOOSTED), NUMBER),
    ]:
        store(name, convert_xgboost(model.fit(X, target), initial_types=inputs).SerializeToString())
    for name, model, target in [
        ("lightgbm_two", LGBMClassifier(verbose=-1, **BOOSTED), TWO),
        ("lightgbm_three", LGBMClassifier(verbose=-1, **BOOSTED), THREE),
        ("lightgbm_numbers", LGBMRegressor(verbose=-1, **BOOSTED), NUMBER),
    ]:
        content = convert_lightgbm(model.fit(X, target), initial_types=inputs, zipmap=False)
        store(name, content.SerializeToString())


def store(name: str, content: bytes) -> None:
    (HERE / f"{name}.onnx").write_bytes(content)
    if name.startswith("refused"):
        return
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    # Training values are on thresholds of boosters, and halfway between those of scikit-learn.
    rows = np.concatenate([X[:40], (X[:40] + X[40:80]) / 2, RNG.normal(size=(20, 3))]).astype(np.float32)
    answer = session.run(None, {session.get_inputs()[0].name: rows})[0]
    stored = {"rows": rows.astype(float).tolist(), "prediction": np.ravel(answer).tolist()}
    (HERE / f"{name}.json").write_text(json.dumps(stored) + "\n")


if __name__ == "__main__":
    main()
