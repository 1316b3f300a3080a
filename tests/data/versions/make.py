"""Make the model files beside this one with the versions of the libraries that people still have.

Every version is installed into a throw-away environment, which needs a package index: ``python -m
tests.data.versions.make``. Beside each file lies what its library predicted then. Files that are there
already stay. The table of docs/how-it-is-tested.md is made again from all of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

VERSIONS = {
    "xgboost": [
        ("1.7.6", "numpy<2 scikit-learn<1.6"),
        ("2.1.4", "scikit-learn<1.6"),
        ("3.0.5", "scikit-learn==1.6.1"),
        ("3.2.0", "scikit-learn==1.8.0"),
        ("3.4.1", "scikit-learn==1.9.1"),  # needs Python 3.12
    ],
    "lightgbm": [
        ("3.3.5", "numpy<2 scikit-learn<1.6"),
        ("4.3.0", "numpy<2 scikit-learn<1.6"),
        ("4.6.0", "scikit-learn<1.8"),
        ("4.7.0", "scikit-learn==1.9.1"),
    ],
    "catboost": [("1.2.2", "numpy<2"), ("1.2.8", "numpy<2"), ("1.2.10", "numpy<2")],
    "sklearn": [
        ("1.3.2", "numpy<2 skops==0.11.0"),
        ("1.4.2", "numpy<2 skops==0.11.0"),
        ("1.5.2", "numpy<2 skops==0.11.0"),
        ("1.6.1", "skops==0.13.0"),
        ("1.7.2", "skops==0.13.0"),
        ("1.8.0", "skops==0.13.0"),
        ("1.9.1", "skops==0.16.0"),
    ],
    "sklearn_onnx": [
        ("1.3.2", "skl2onnx==1.15.0 onnx==1.14.1 onnxruntime==1.16.3 protobuf<4 numpy<2"),
        ("1.4.2", "skl2onnx==1.16.0 onnx==1.15.0 onnxruntime==1.17.3 protobuf<4 numpy<2"),
        ("1.5.2", "skl2onnx==1.17.0 onnx==1.16.2 onnxruntime==1.18.1 protobuf<4 numpy<2"),
        ("1.6.1", "skl2onnx==1.18.0 onnx==1.17.0 onnxruntime==1.20.1 protobuf<6"),
        ("1.7.2", "skl2onnx==1.19.1 onnx==1.19.1 onnxruntime==1.23.2 protobuf<6"),
        ("1.8.0", "skl2onnx==1.20.0 onnx==1.20.1 onnxruntime==1.24.4"),
        ("1.9.1", "skl2onnx==1.20.0 onnx==1.23.2 onnxruntime==1.31.1"),
    ],
}
REFUSED = {"1.3.2": "forest", "1.5.2": "pipeline"}
PACKAGES = {"sklearn": "scikit-learn", "sklearn_onnx": "scikit-learn"}
LABELS = {
    "xgboost": "XGBoost",
    "lightgbm": "LightGBM",
    "catboost": "CatBoost",
    "sklearn": "scikit-learn, by skops",
    "sklearn_onnx": "scikit-learn, by skl2onnx",
    "sightline": "Sightline",
}


def main() -> None:
    for library, versions in VERSIONS.items():
        for version, others in versions:
            if list(HERE.glob(f"{library}-{version}-*")):
                continue  # made already
            with tempfile.TemporaryDirectory() as folder:
                venv.create(folder, with_pip=True)
                python = Path(folder) / "bin" / "python"
                wanted = [f"{PACKAGES.get(library, library)}=={version}", *others.split()]
                subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
                subprocess.run([python, __file__, library, version], check=True)
    list_on_page()


def list_on_page() -> None:
    """Write which versions there are files of, into docs/how-it-is-tested.md."""
    from docs.tools.testing_page import write_table

    rows = []
    for library, label in LABELS.items():
        files = [path for path in HERE.glob(f"{library}-*") if ".answers" not in path.name]
        versions = sorted(
            {path.name.split("-")[1] for path in files}, key=lambda one: list(map(int, one.split(".")))
        )
        formats = sorted({path.suffix for path in files})
        rows.append((label, ", ".join(versions), ", ".join(formats), len(files)))
    write_table("versions", ("written by", "versions", "files", "how many"), rows)


def make(library: str, version: str) -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3)).round(1)
    X[::7, 1] = np.nan
    number = (X[:, 0] * 3 + np.nan_to_num(X[:, 1]) * X[:, 2]).round(2)
    targets = {"two": (number > 0).astype(int), "three": np.digitize(number, [-1, 1]), "numbers": number}
    rows = np.vstack([X[:40], rng.normal(size=(20, 3))])
    if library.startswith("sklearn"):  # its forests do not take missing values in all of these versions
        X, rows = np.nan_to_num(X), np.nan_to_num(rows)
    if (library, version) == ("sklearn", "1.3.2"):  # its classifiers are refused
        targets = {"numbers": number}
    for name, target in targets.items():
        for suffix, model, file in MAKERS[library](X, target, name == "numbers"):
            stem = f"{library}-{version}-{name}"
            file(HERE / f"{stem}.{suffix}")
            store(stem, model, rows, name == "numbers")
    if library == "xgboost":
        make_categories(version, X, targets["two"], rows)
    if library == "sklearn" and version in REFUSED:
        make_refused(version)


def store(stem: str, model: Any, rows: Any, of_numbers: bool) -> None:
    answers = {"rows": rows.tolist(), "prediction": model.predict(rows).ravel().tolist()}
    if not of_numbers:
        answers["probabilities"] = model.predict_proba(rows).astype(float).tolist()
    (HERE / f"{stem}.answers.json").write_text(json.dumps(answers) + "\n")


def of_xgboost(X: Any, target: Any, of_numbers: bool) -> Any:
    import xgboost

    kind = xgboost.XGBRegressor if of_numbers else xgboost.XGBClassifier
    model = kind(n_estimators=4, max_depth=3, n_jobs=1).fit(X, target)
    return [(suffix, model, model.save_model) for suffix in ("json", "ubj")]


def make_categories(version: str, X: Any, target: Any, rows: Any) -> None:
    """Store tests for one category and for several, which before version 3.0.1 have NaN for a threshold."""
    import numpy as np
    import xgboost

    X, rows = X.copy(), rows.copy()
    for table in (X, rows):
        table[:, 2] = np.digitize(table[:, 2], [-1, -0.5, 0, 0.5, 1]) * 5 % 6
    for name, most_one_hot in (("one_category", 9), ("categories", 1)):
        model = xgboost.XGBClassifier(
            n_estimators=4,
            max_depth=3,
            n_jobs=1,
            tree_method="hist",
            enable_categorical=True,
            feature_types=["q", "q", "c"],
            max_cat_to_onehot=most_one_hot,
        ).fit(X, (X[:, 2] % 2 == 0) ^ (target == 1))
        for suffix in ("json", "ubj"):
            model.save_model(HERE / f"xgboost-{version}-{name}.{suffix}")
        store(f"xgboost-{version}-{name}", model, rows, of_numbers=False)


def of_lightgbm(X: Any, target: Any, of_numbers: bool) -> Any:
    import lightgbm

    kind = lightgbm.LGBMRegressor if of_numbers else lightgbm.LGBMClassifier
    model = kind(n_estimators=4, max_depth=3, min_child_samples=5, n_jobs=1, verbose=-1).fit(X, target)
    dumped = json.dumps(model.booster_.dump_model())
    return [
        ("txt", model, lambda path: model.booster_.save_model(str(path))),
        ("dump", model, lambda path: path.write_text(dumped)),
    ]


def of_catboost(X: Any, target: Any, of_numbers: bool) -> Any:
    import catboost

    kind = catboost.CatBoostRegressor if of_numbers else catboost.CatBoostClassifier
    model = kind(iterations=4, depth=3, thread_count=1, silent=True, allow_writing_files=False).fit(X, target)
    return [("json", model, lambda path: model.save_model(str(path), format="json"))]


def of_sklearn(X: Any, target: Any, of_numbers: bool) -> Any:
    import skops.io

    model = forest(X, target, of_numbers)
    return [("skops", model, lambda path: skops.io.dump(model, path))]


def of_sklearn_onnx(X: Any, target: Any, of_numbers: bool) -> Any:
    import numpy as np
    from skl2onnx import to_onnx

    stored = to_onnx(forest(X, target, of_numbers), X[:1].astype(np.float32)).SerializeToString()
    return [("onnx", InOnnxRuntime(stored), lambda path: path.write_bytes(stored))]


def forest(X: Any, target: Any, of_numbers: bool) -> Any:
    from sklearn import ensemble

    kind = ensemble.RandomForestRegressor if of_numbers else ensemble.RandomForestClassifier
    return kind(n_estimators=4, max_depth=3, random_state=0).fit(X, target)


class InOnnxRuntime:
    """Predicts what the file says, which rounds more than scikit-learn does.

    One row at a time: where the runtime shares many rows between threads, it adds up trees in another order.
    """

    def __init__(self, stored: bytes) -> None:
        import onnxruntime

        self.session = onnxruntime.InferenceSession(stored, providers=["CPUExecutionProvider"])

    def outputs(self, rows: Any) -> Any:
        return [self.session.run(None, {"X": row[None]}) for row in rows.astype("float32")]

    def predict(self, rows: Any) -> Any:
        import numpy as np

        return np.concatenate([prediction for prediction, *_ in self.outputs(rows)])

    def predict_proba(self, rows: Any) -> Any:
        import numpy as np

        by_class = [probabilities[0] for _, probabilities in self.outputs(rows)]
        return np.array([[one[label] for label in sorted(one)] for one in by_class])


def make_refused(version: str) -> None:
    """Store what today's scikit-learn cannot use."""
    import skops.io
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline

    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    forest = RandomForestClassifier(2, random_state=0).fit(X, y)
    pipeline = make_pipeline(SimpleImputer(), forest).fit(X, y)
    name = REFUSED[version]
    model = {"forest": forest, "pipeline": pipeline}[name]
    skops.io.dump(model, HERE / f"refused-sklearn-{version}-{name}.skops")


MAKERS = {
    "xgboost": of_xgboost,
    "lightgbm": of_lightgbm,
    "catboost": of_catboost,
    "sklearn": of_sklearn,
    "sklearn_onnx": of_sklearn_onnx,
}

if __name__ == "__main__":
    make(*sys.argv[1:]) if len(sys.argv) > 1 else main()
