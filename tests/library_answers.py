"""What the libraries themselves answer for model files that may be damaged.

``python library_answers.py folder`` writes ``<file>.npy`` for every file that its library accepts.
Each file is opened in a process of its own, because a library may crash on a damaged one.
Windows has no fork for that.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

N_ROWS = 60
MAX_SECONDS = 20


def matrix() -> Any:
    """Return rows for the files of the corpus: three columns of numbers, of which the last are codes."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N_ROWS, 3)).round(1)
    X[:, 2] = rng.integers(0, 5, size=N_ROWS)
    X[::9, 0] = np.nan
    return X


def frame() -> pd.DataFrame:
    """Return the same rows, with the last column as categories of which one is not known."""
    letters = np.array(list("uvwxy"))[matrix()[:, 2].astype(int)]
    return pd.DataFrame(matrix(), columns=list("abc")).assign(c=pd.Categorical(letters))


def of_lightgbm(path: Path) -> Any:
    import lightgbm

    booster = lightgbm.Booster(model_file=path)
    rows = frame() if booster.pandas_categorical else matrix()
    return booster.predict(rows, raw_score=True, num_threads=1)


def of_xgboost(path: Path) -> Any:
    import xgboost

    booster = xgboost.Booster({"nthread": 1}, model_file=path)
    # As estimators predict. With a DMatrix, DART rounds in another order.
    return booster.inplace_predict(matrix(), predict_type="margin", validate_features=False)


def of_catboost(path: Path) -> Any:
    import catboost

    model = catboost.CatBoost()
    model.load_model(str(path), format="json")
    return model.predict(matrix(), prediction_type="RawFormulaVal", thread_count=1)


def letters() -> pd.DataFrame:
    """Return the rows of the exchange formats, with the last column as text."""
    return frame().astype({"c": object})


def of_treelite(path: Path) -> Any:
    import treelite

    model = treelite.Model.deserialize(path)
    return np.ravel(treelite.gtil.predict(model, matrix().astype(model.input_type), nthread=1))


def of_skops(path: Path) -> Any:
    import skops.io

    model = skops.io.load(path, trusted=skops.io.get_untrusted_types(file=path))
    return model.predict_proba(complete())


def complete() -> Any:
    """Return the numbers of :func:`matrix` without missing values."""
    return np.nan_to_num(matrix())


def of_onnx(path: Path) -> Any:
    """Return the labels as text."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    inputs = session.get_inputs()
    if len(inputs) == 1:
        feed = {inputs[0].name: matrix().astype(np.float32)}
    else:
        kinds = {"tensor(string)": object, "tensor(double)": np.float64}
        feed = {put.name: letters()[[put.name]].to_numpy(kinds[put.type]) for put in inputs}
    return np.ravel(session.run(None, feed)[0]).astype(str)


def of_pmml(path: Path) -> Any:
    """Return the labels as text, by the reference implementation."""
    import jpmml_evaluator as jpmml

    evaluator = jpmml.make_evaluator(str(path), backend=jpmml.make_backend("jpype"))
    rows = letters()
    return evaluator.evaluateAll(rows.astype(object).where(rows.notna(), None))["prediction"].astype(str)


KINDS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    ".onnx": ("onnxruntime", of_onnx),
    ".pmml": ("jpmml_evaluator", of_pmml),
    ".treelite": ("treelite", of_treelite),
    ".skops": ("skops.io", of_skops),
    "lightgbm": ("lightgbm", of_lightgbm),
    "xgboost": ("xgboost", of_xgboost),
    "catboost": ("catboost", of_catboost),
}
"""Part of the name of a file, the library, and the function that asks it."""


def library_of(name: str) -> tuple[str, Callable[[Path], Any]]:
    """Return the library of a file of the corpus, and the function that asks it."""
    return next(found for part, found in KINDS.items() if part in name)


def main() -> None:
    import resource  # not on Windows, where the tests import the rows from here

    # Java last: its process cannot be forked.
    for path in sorted(Path(sys.argv[1]).iterdir(), key=lambda path: (path.suffix == ".pmml", path.name)):
        library, answer = library_of(path.name)
        importlib.import_module(library)  # once, before the children
        if path.suffix == ".pmml":
            # Java does not survive a fork, and does not crash either.
            with contextlib.suppress(Exception):
                np.save(path.with_suffix(path.suffix + ".npy"), np.array(answer(path), dtype=str))
            continue
        child = os.fork()
        if child == 0:
            signal.alarm(MAX_SECONDS)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            try:
                np.save(path.with_suffix(path.suffix + ".npy"), answer(path))
            finally:
                os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
