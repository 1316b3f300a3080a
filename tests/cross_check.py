"""Random models of every library on random rows, compared with what the library itself says.

``python tests/cross_check.py 1000 5000`` runs the cases of these seeds.
"""

# ruff: noqa: T201 - a script prints
from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import catboost
import lightgbm as lgb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import xgboost as xgb
from library_versions import dart
from sklearn import ensemble as sk
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from sightline.exceptions import DataError, ModelFormatError, UnsupportedModelError
from sightline.load import load

N_ROWS = 120
REFUSALS = (UnsupportedModelError, ModelFormatError, DataError)


class Case:
    """One model and the rows to try it on, all drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.n_classes = int(self.rng.choice([0, 2, 2, 2, 3, 4]))
        self.library = str(self.rng.choice(["sklearn", "xgboost", "lightgbm", "lightgbm", "catboost"]))
        self.container = str(self.rng.choice(["array", "list", "pandas", "pandas", "polars", "arrow"]))
        self.note: dict[str, Any] = {"library": self.library, "container": self.container}
        self.columns = self._columns()

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def pick(self, *choices: Any) -> Any:
        return choices[self.rng.integers(len(choices))]

    def _columns(self) -> list[str]:
        numeric = ["float64", "float32", "int8", "int32", "int64", "uint64", "bool", "large", "holes"]
        kinds = [self.pick(*numeric) for _ in range(self.rng.integers(1, 4))]
        if self.container == "pandas":
            kinds += [self.pick("Int64", "boolean", "Float32") for _ in range(self.rng.integers(0, 2))]
            kinds += [
                self.pick("text", "number", "flag", "ordered", "ordered text")
                for _ in range(self.rng.integers(0, 3))
            ]
            if self.library == "lightgbm" and self.chance(0.3):
                kinds.append("code")
        if self.container == "array":
            self.note["dtype"] = self.pick(
                "float64", "float64", "float32", "int64", "int32", "uint8", "float16", ">f8"
            )
        self.rng.shuffle(kinds)
        self.note["columns"] = kinds
        return kinds

    def values(self, kind: str) -> Any:  # noqa: PLR0911 - one kind of column each
        """Return one column for a frame."""
        rng, n = self.rng, N_ROWS
        small = rng.integers(0, 5, n)
        if kind in ("float64", "float32"):
            return rng.normal(size=n).round(1).astype(kind)
        if kind == "holes":
            return np.where(rng.random(n) < 0.2, np.nan, small - 2.0)
        if kind == "large":
            return 2**60 + 2**36 * (2 * small + 1) + rng.integers(0, 2, n)
        if kind in ("int8", "int32", "int64", "uint64"):
            return small.astype(kind)
        if kind == "bool":
            return small > 2
        if kind == "code":
            return small
        holes = rng.random(n) < self.pick(0.0, 0.2)
        if kind == "Int64":
            return pd.array(np.where(holes, None, small), dtype="Int64")
        if kind == "boolean":
            return pd.array(np.where(holes, None, small > 2), dtype="boolean")
        if kind == "Float32":
            return pd.array(np.where(holes, None, small / 4), dtype="Float32")
        return self.categories(kind, np.where(holes, -1, small))

    def categories(self, kind: str, codes: Any) -> pd.Categorical:
        n_values = 5 + int(self.chance(0.3))
        values: list[Any] = {
            "text": list("dbacfe"),
            "ordered text": list("ebadcf"),
            "number": [30, 10, 20, 0, 40, 50],
            "ordered": [1, 2, 3, 4, 5, 6],
            "flag": [True, False],
        }[kind][:n_values]
        codes = np.where(codes >= 0, codes % len(values), -1)
        return pd.Categorical.from_codes(codes, values, ordered=kind.startswith("ordered"))

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame({f"c{k} {kind}": self.values(kind) for k, kind in enumerate(self.columns)})

    def rows(self, frame: pd.DataFrame) -> Any:
        """Return the rows in the container of the case."""
        if self.container == "pandas":
            return frame
        if self.container == "polars":
            return pl.DataFrame({name: frame[name].to_numpy() for name in frame})
        if self.container == "arrow":
            return pa.table({name: frame[name].to_numpy() for name in frame})
        if self.container == "list":
            return frame.to_numpy().tolist()
        dtype = np.dtype(self.note["dtype"])
        matrix = frame.to_numpy(dtype=np.float64)
        if dtype.kind in "iu":
            matrix = np.nan_to_num(matrix, nan=1.0)
            if "large" in self.columns and dtype.itemsize == 8:
                matrix = np.column_stack(
                    [frame[name].fillna(1).to_numpy().astype(np.int64) for name in frame]
                )
        with np.errstate(all="ignore"):
            return np.asarray(np.abs(matrix) if dtype.kind == "u" else matrix).astype(dtype)

    def target(self, frame: pd.DataFrame) -> Any:
        parts = [pd.factorize(frame[name], sort=False)[0] for name in frame]
        signal = sum((k + 1) * part for k, part in enumerate(parts)) + self.rng.integers(0, 2, len(frame))
        return signal % 7 / 2.0 if self.n_classes == 0 else signal % self.n_classes

    def fitted(self, frame: pd.DataFrame, rows: Any, y: Any) -> Any:
        return getattr(self, f"_{self.library}")(frame, rows, y)

    def _sklearn(self, frame: Any, rows: Any, y: Any) -> Any:
        del frame
        end = "Classifier" if self.n_classes else "Regressor"
        seed = int(self.rng.integers(1000))
        kind = self.pick(
            "RandomForest",
            "ExtraTrees",
            "GradientBoosting",
            "AdaBoost",
            "Bagging",
            "HistGradientBoosting",
            "tree",
        )
        self.note["kind"] = kind + end
        if kind == "tree":
            tree = DecisionTreeClassifier if self.n_classes else DecisionTreeRegressor
            options = self.pick({}, {"max_depth": 3}, {"ccp_alpha": 0.01}, {"splitter": "random"})
            return tree(random_state=seed, **options).fit(rows, y)
        few = (
            {"max_iter": 4, "min_samples_leaf": 2} if kind == "HistGradientBoosting" else {"n_estimators": 4}
        )
        if kind == "HistGradientBoosting" and self.chance(0.5):
            few["categorical_features"] = "from_dtype"
        if kind in ("RandomForest", "ExtraTrees"):
            few |= self.pick({}, {"bootstrap": True, "max_samples": 0.5}, {"max_leaf_nodes": 5})
        if self.n_classes and kind in ("RandomForest", "ExtraTrees", "HistGradientBoosting"):
            few["class_weight"] = self.pick(None, "balanced")
        if self.n_classes == 2 and kind == "GradientBoosting":
            few["loss"] = self.pick("log_loss", "exponential")
        self.note["options"] = few
        return getattr(sk, kind + end)(random_state=seed, **few).fit(rows, y)

    def _xgboost(self, frame: Any, rows: Any, y: Any) -> Any:
        options: dict[str, Any] = {"n_estimators": 4, "n_jobs": 1, "max_depth": 4}
        options |= self.pick(
            {},
            dart(rate_drop=0.5),
            {"num_parallel_tree": 2, "subsample": 0.6},
            {"max_cat_to_onehot": 1},
            {"base_score": 0.4},
            {"tree_method": "exact"},
            {"grow_policy": "lossguide", "max_leaves": 6},
            {"scale_pos_weight": 3.0},
            {"multi_strategy": "multi_output_tree"},
            {"monotone_constraints": "(1)"},
        )
        if self.n_classes:
            options |= self.pick(
                {}, {}, {"objective": "multi:softmax" if self.n_classes > 2 else "binary:logistic"}
            )
        else:
            options |= self.pick(
                {},
                {"objective": "reg:absoluteerror"},
                {"objective": "count:poisson"},
                {"objective": "reg:tweedie"},
                {"objective": "reg:quantileerror", "quantile_alpha": 0.3},
            )
        if self.container in ("array", "list") and self.chance(0.3):
            options["feature_types"] = [self.pick("q", "i", "float", "c") for _ in self.columns]
        if self.container == "pandas" or "feature_types" in options:
            options["enable_categorical"] = True
        if self.chance(0.1):
            options["missing"] = -999.0
        self.note["options"] = options
        model = (xgb.XGBClassifier if self.n_classes else xgb.XGBRegressor)(**options)
        if self.chance(0.2):
            model.set_params(early_stopping_rounds=1, n_estimators=10)
            return model.fit(rows, y, eval_set=[(rows, y[::-1])], verbose=False)
        del frame
        return model.fit(rows, y)

    def _lightgbm(self, frame: Any, rows: Any, y: Any) -> Any:
        options: dict[str, Any] = {
            "n_estimators": 4,
            "n_jobs": 1,
            "verbose": -1,
            "min_child_samples": 3,
            "min_data_per_group": 2,
            "cat_smooth": 1,
            "random_state": 0,
            "min_data_in_bin": 1,
        }
        options |= self.pick(
            {},
            {},
            {"boosting_type": "dart"},
            {"boosting_type": "rf", "bagging_freq": 1, "bagging_fraction": 0.5},
            {"zero_as_missing": True},
            {"use_missing": False},
            {"max_cat_to_onehot": 1},
            {"linear_tree": True},
            {"extra_trees": True},
            {"data_sample_strategy": "goss"},
        )
        if self.n_classes:
            options |= self.pick(
                {},
                {},
                {"class_weight": "balanced"},
                {"objective": "multiclassova" if self.n_classes > 2 else "cross_entropy"},
                {"sigmoid": 2.0},
            )
        else:
            options |= self.pick(
                {},
                {"objective": "poisson"},
                {"objective": "quantile"},
                {"objective": "regression_l1"},
                {"reg_sqrt": True},
                {"objective": "tweedie"},
            )
        how: dict[str, Any] = {}
        codes = [name for name in frame if name.endswith("code")]
        if codes and self.chance(0.7):
            how["categorical_feature"] = (
                codes if self.chance(0.5) else [list(frame).index(name) for name in codes]
            )
        if self.chance(0.2):
            how |= {"eval_set": [(rows, y[::-1])], "callbacks": [lgb.early_stopping(1, verbose=False)]}
        self.note["options"], self.note["fit"] = options, {k: v for k, v in how.items() if k != "eval_set"}
        return (lgb.LGBMClassifier if self.n_classes else lgb.LGBMRegressor)(**options).fit(rows, y, **how)

    def _catboost(self, frame: Any, rows: Any, y: Any) -> Any:
        options: dict[str, Any] = {
            "iterations": 4,
            "depth": 3,
            "verbose": 0,
            "thread_count": 1,
            "allow_writing_files": False,
        }
        options |= self.pick(
            {},
            {"grow_policy": "Lossguide"},
            {"grow_policy": "Depthwise"},
            {"nan_mode": "Max"},
            {"boost_from_average": False},
        )
        if self.n_classes == 2:
            options |= self.pick({}, {"loss_function": "CrossEntropy"}, {"auto_class_weights": "Balanced"})
        self.note["options"] = options
        kind = catboost.CatBoostClassifier if self.n_classes else catboost.CatBoostRegressor
        return kind(**options).fit(rows, y)

    def forms(self, model: Any, folder: Path) -> dict[str, Any]:
        """Return the model in every form that can be loaded."""
        forms = {"object": model}
        if self.library == "lightgbm":
            forms |= {"booster": model.booster_, "text": folder / "text", "dump": folder / "dump"}
            model.booster_.save_model(folder / "text")
            (folder / "dump").write_text(json.dumps(model.booster_.dump_model()))
        if self.library == "xgboost":
            forms |= {"json": folder / "model.json", "ubj": folder / "model.ubj"}
            model.save_model(folder / "model.json")
            model.save_model(folder / "model.ubj")
        return forms

    def other_rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return rows whose categories are declared in another way."""
        other = frame.copy()
        for name in other:
            if isinstance(other[name].dtype, pd.CategoricalDtype):
                column = other[name].cat
                values = list(column.categories)
                how = self.pick("same", "reversed", "used", "unordered")
                if how == "reversed":
                    other[name] = column.reorder_categories(values[::-1])
                elif how == "used":
                    other[name] = column.remove_unused_categories()
                elif how == "unordered":
                    other[name] = column.as_unordered()
        return other

    def run(self) -> str:
        """Return what happened; raise if an accepted model gives another answer."""
        train = self.frame()
        rows = self.rows(train)
        try:
            model = self.fitted(train, rows, self.target(train))
        except Exception as error:
            return f"not fitted: {type(error).__name__}"
        refused = 0
        with tempfile.TemporaryDirectory() as folder:
            forms = self.forms(model, Path(folder))
            for form, source in forms.items():
                try:
                    ensemble = load(source)
                except UnsupportedModelError as error:
                    self.note["refused"] = str(error)
                    refused += 1
                    continue
                for new in (train, self.other_rows(train), self.frame()):
                    self.compare(form, ensemble, model, self.rows(new))
        return "refused" if refused == len(forms) else "compared"

    def compare(self, form: str, ensemble: Any, model: Any, rows: Any) -> None:
        try:
            with warnings.catch_warnings():
                # pandas turns missing categories of whole numbers into the smallest whole number.
                warnings.filterwarnings("error", "invalid value encountered in cast")
                # The Booster of a classifier by cross entropy predicts a probability.
                is_share = self.n_classes and ensemble.classes_ is None
                expected = model.predict_proba(rows)[:, 1] if is_share else np.ravel(model.predict(rows))
        except Exception:
            return
        try:
            found = ensemble.predict(rows)
        except DataError:
            # LightGBM's lists went to the usual columns, and these rows show that they were others.
            if self.library != "lightgbm":
                raise
            return
        if ensemble.classes_ is not None:
            expected = expected.astype(found.dtype)
            wrong = found != expected
        else:
            wrong = ~np.isclose(found, expected, rtol=1e-5, atol=1e-6)
        if wrong.any():
            k = int(wrong.argmax())
            raise AssertionError(
                f"{form}: {wrong.sum()} of {len(wrong)} differ, "
                f"row {k}: {found[k]} for {expected[k]}: {self.note}"
            )


def run_case(seed: int) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Case(seed).run()


def main() -> None:
    outcomes: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    for seed in range(*map(int, sys.argv[1:3])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case = Case(seed)
            try:
                outcomes[case.library + " " + case.run()] += 1
                if "refused" in case.note:
                    refusals[case.note["refused"][:90]] += 1
            except Exception as error:
                outcomes["WRONG"] += 1
                print(
                    seed,
                    type(error).__name__,
                    error,
                    case.note if not isinstance(error, AssertionError) else "",
                    flush=True,
                )
    print(outcomes)
    for text, count in refusals.most_common(30):
        print(count, text)


if __name__ == "__main__":
    main()
