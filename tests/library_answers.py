"""What the libraries themselves answer for model files that may be damaged.

``python library_answers.py folder`` writes ``<file>.npy`` for every file that its library accepts.
Each file is opened in a process of its own, because a library may crash on a damaged one.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import catboost
import lightgbm
import numpy as np
import pandas as pd
import xgboost

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
    booster = lightgbm.Booster(model_file=path)
    rows = frame() if booster.pandas_categorical else matrix()
    return booster.predict(rows, raw_score=True, num_threads=1)


def of_xgboost(path: Path) -> Any:
    booster = xgboost.Booster({"nthread": 1}, model_file=path)
    # As estimators predict. With a DMatrix, DART rounds in another order.
    return booster.inplace_predict(matrix(), predict_type="margin", validate_features=False)


def of_catboost(path: Path) -> Any:
    model = catboost.CatBoost()
    model.load_model(str(path), format="json")
    return model.predict(matrix(), prediction_type="RawFormulaVal", thread_count=1)


def library_of(name: str) -> Callable[[Path], Any]:
    """Return the function that asks the library of a file of the corpus."""
    kinds = {"lightgbm": of_lightgbm, "xgboost": of_xgboost, "catboost": of_catboost}
    return next(answer for start, answer in kinds.items() if start in name)


def main() -> None:
    for path in sorted(Path(sys.argv[1]).iterdir()):
        child = os.fork()
        if child == 0:
            signal.alarm(MAX_SECONDS)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            try:
                np.save(path.with_suffix(path.suffix + ".npy"), library_of(path.name)(path))
            finally:
                os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
