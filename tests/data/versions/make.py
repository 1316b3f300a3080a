"""Make the model files beside this one with the versions of the libraries that people still have.

Every version is installed into a throw-away environment, which needs a package index: ``python
tests/data/versions/make.py``. Beside each file lies what its library predicted then.
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
    ],
    "lightgbm": [
        ("3.3.5", "numpy<2 scikit-learn<1.6"),
        ("4.3.0", "numpy<2 scikit-learn<1.6"),
        ("4.6.0", "scikit-learn<1.8"),
    ],
    "catboost": [("1.2.2", "numpy<2"), ("1.2.8", "numpy<2")],
    "sklearn": [
        ("1.3.2", "numpy<2 skops==0.11.0"),
        ("1.5.2", "numpy<2 skops==0.11.0"),
        ("1.7.2", "skops==0.13.0"),
    ],
}
REFUSED = {"1.3.2": "forest", "1.5.2": "pipeline"}
PACKAGES = {"sklearn": "scikit-learn"}


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


def make(library: str, version: str) -> None:
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3)).round(1)
    X[::7, 1] = np.nan
    number = (X[:, 0] * 3 + np.nan_to_num(X[:, 1]) * X[:, 2]).round(2)
    targets = {"two": (number > 0).astype(int), "three": np.digitize(number, [-1, 1]), "numbers": number}
    rows = np.vstack([X[:40], rng.normal(size=(20, 3))])
    if library == "sklearn":  # its forests do not take missing values in all of these versions
        X, rows = np.nan_to_num(X), np.nan_to_num(rows)
    for name, target in targets.items():
        for suffix, model, file in MAKERS[library](X, target, name == "numbers"):
            stem = f"{library}-{version}-{name}"
            file(HERE / f"{stem}.{suffix}")
            store(stem, model, rows, name == "numbers")
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
    from sklearn import ensemble

    few = {"n_estimators": 4, "max_depth": 3, "random_state": 0}
    kind = ensemble.RandomForestRegressor if of_numbers else ensemble.RandomForestClassifier
    model = kind(**few).fit(X, target)
    return [("skops", model, lambda path: skops.io.dump(model, path))]


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


MAKERS = {"xgboost": of_xgboost, "lightgbm": of_lightgbm, "catboost": of_catboost, "sklearn": of_sklearn}

if __name__ == "__main__":
    make(*sys.argv[1:]) if len(sys.argv) > 1 else main()
