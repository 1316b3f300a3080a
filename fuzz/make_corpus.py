"""Write a small model file of every format into ``fuzz/corpus``: ``python -m fuzz.make_corpus``.

The tables there are written by hand.
"""

from __future__ import annotations

import json
import re

import catboost
import lightgbm
import numpy as np
import pandas as pd
import skops.io
import treelite
import xgboost
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import sightline as sl
from fuzz.readers import CORPUS


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)).round(1)
    X[:, 2] = rng.integers(0, 4, size=60)
    y = (X[:, 0] > 0) ^ (X[:, 2] == 1)
    _write_xgboost(X, y.astype(int))
    _write_lightgbm(X, y)
    _write_catboost(X, y)
    tree = DecisionTreeClassifier(max_depth=2).fit(X, y)
    (CORPUS / "skops" / "tree.skops").write_bytes(skops.io.dumps(tree))
    sl.load(tree).to_json(CORPUS / "sightline" / "sightline.json")
    calibrated = CalibratedClassifierCV(DecisionTreeClassifier(max_depth=2, random_state=0), cv=2)
    sl.load(calibrated.fit(X, y)).to_json(CORPUS / "sightline" / "sightline_formula.json")
    _write_exchange_formats(X, y)


def _write_exchange_formats(X: np.ndarray, y: np.ndarray) -> None:
    frame = pd.DataFrame(X, columns=list("abc")).assign(c=np.array(list("uvwx"))[X[:, 2].astype(int)])
    tree = sl.C45Classifier(binary_splits=True, max_leaves=4).fit(frame, y.astype(str)).tree_
    tree.export("onnx", CORPUS / "onnx" / "sightline.onnx")
    tree.export("pmml", CORPUS / "pmml" / "sightline.pmml")
    small = catboost.CatBoostClassifier(
        iterations=2, depth=2, verbose=0, thread_count=1, allow_writing_files=False
    ).fit(X, y.astype(int) + (X[:, 1] > 1))
    small.save_model(str(CORPUS / "onnx" / "catboost.onnx"), format="onnx")
    forest = RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, y)
    treelite.sklearn.import_model(forest).serialize(str(CORPUS / "treelite" / "forest.treelite"))


def _write_xgboost(X: np.ndarray, y: np.ndarray) -> None:
    small = {"n_estimators": 2, "max_depth": 2, "n_jobs": 1}
    model = xgboost.XGBClassifier(
        feature_types=["q", "q", "c"], enable_categorical=True, max_cat_to_onehot=1, **small
    ).fit(X, y)
    model.save_model(CORPUS / "xgboost_json" / "xgboost.json")
    model.save_model(CORPUS / "xgboost_ubj" / "xgboost.ubj")
    dart = xgboost.XGBClassifier(booster="dart", rate_drop=0.9, **small).fit(X, y + (X[:, 1] > 1))
    dart.save_model(CORPUS / "xgboost_ubj" / "xgboost_dart.ubj")


def _write_lightgbm(X: np.ndarray, y: np.ndarray) -> None:
    frame = pd.DataFrame(X, columns=list("abc")).assign(
        c=pd.Categorical(np.array(list("uvwx"))[X[:, 2].astype(int)])
    )
    small = {"n_estimators": 2, "num_leaves": 4, "min_child_samples": 2, "verbose": -1, "n_jobs": 1}
    booster = (
        lightgbm.LGBMClassifier(min_data_per_group=1, cat_smooth=0, max_cat_to_onehot=1, **small)
        .fit(frame, y)
        .booster_
    )
    # The list of parameters is irrelevant to the model, and is most of a small file.
    text = re.sub(r"(?s)(?<=\nparameters:\n).*(?=end of parameters)", "", booster.model_to_string())
    (CORPUS / "lightgbm_text" / "lightgbm.txt").write_text(text)
    (CORPUS / "lightgbm_json" / "lightgbm_dump.json").write_text(json.dumps(booster.dump_model()))
    zero = lightgbm.LGBMRegressor(zero_as_missing=True, **small).fit(X, X[:, 0]).booster_
    (CORPUS / "lightgbm_text" / "lightgbm_zero.txt").write_text(zero.model_to_string())


def _write_catboost(X: np.ndarray, y: np.ndarray) -> None:
    small = {"iterations": 2, "depth": 2, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
    for policy in ("SymmetricTree", "Lossguide"):
        path = CORPUS / "catboost_json" / f"catboost_{policy}.json"
        catboost.CatBoostClassifier(grow_policy=policy, **small).fit(X, y).save_model(
            str(path), format="json"
        )
        document = json.loads(path.read_text())
        info = document["model_info"]
        document["model_info"] = {
            "class_params": info["class_params"],
            "params": {"loss_function": info["params"]["loss_function"]},
        }
        path.write_text(json.dumps(document))


if __name__ == "__main__":
    main()
