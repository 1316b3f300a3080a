"""Random pipelines over a frame with numbers, categories, missing values and flags."""

from __future__ import annotations

from dataclasses import dataclass

import lightgbm
import numpy as np
import pandas as pd
import xgboost
from library_versions import BINS
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_classif
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)

N_ROWS = 120


def frame(rng, n_rows=N_ROWS):
    """Return a frame with columns of every kind; those with a name in capitals have missing values."""
    columns = {
        "age": rng.integers(18, 80, n_rows).astype(float),
        "INCOME": np.round(rng.lognormal(8, 1, n_rows), 2),
        "DEBT": rng.normal(0, 100, n_rows),
        "stars": rng.integers(0, 6, n_rows),
        "purpose": rng.choice(
            ["car", "house", "holiday", "tools", "art"], n_rows, p=[0.4, 0.3, 0.2, 0.07, 0.03]
        ),
        "REGION": rng.choice(np.array(["n", "e", "s", "w"], dtype=object), n_rows),
        "CODE": rng.choice([1.0, 2.0, 5.0, 7.5], n_rows),
        "note": [f"note {i}" for i in range(n_rows)],
    }
    for name, values in columns.items():
        if name.isupper():
            values[rng.random(n_rows) < 0.15] = np.nan
    return pd.DataFrame(columns)


def labels(rng, X, n_classes):
    """Return labels that depend on several columns."""
    number = (
        X["age"] / 20 + X["DEBT"].fillna(80) / 60 + (X["purpose"] == "car") * 1.5 + (X["REGION"] == "s") * 1.0
        + X["stars"] / 3 + X["CODE"].isna() * 2 + rng.normal(0, 0.7, len(X))
    )  # fmt: skip
    cuts = np.quantile(number, np.linspace(0, 1, n_classes + 1)[1:-1])
    return np.asarray(["no", "yes", "maybe"])[np.digitize(number, cuts)]


@dataclass
class Draw:
    """Draws the parts of one pipeline."""

    rng: np.random.Generator

    def chance(self, share):
        return self.rng.random() < share

    def one(self, *options):
        return options[self.rng.integers(len(options))]

    def numeric_imputer(self):
        return self.one(
            SimpleImputer(add_indicator=self.chance(0.4)),
            SimpleImputer(strategy="median"),
            SimpleImputer(strategy="most_frequent", add_indicator=self.chance(0.4)),
            SimpleImputer(strategy="constant", fill_value=self.one(-1.0, 0.0, 40.0)),
        )

    def scaler(self):
        return self.one(
            StandardScaler(with_mean=self.chance(0.8), with_std=self.chance(0.8)),
            MinMaxScaler(clip=self.chance(0.5), feature_range=self.one((0, 1), (-3, 7))),
            MaxAbsScaler(),
            RobustScaler(quantile_range=self.one((25.0, 75.0), (5.0, 95.0))),
            PowerTransformer(standardize=self.chance(0.5)),
            QuantileTransformer(
                n_quantiles=self.one(10, 60), output_distribution=self.one("uniform", "normal")
            ),
            FunctionTransformer(
                self.one(np.cbrt, np.arcsinh, np.negative, np.float32, np.floor, np.absolute)
            ),
            FunctionTransformer(np.clip, kw_args={"a_min": -50, "a_max": 60}),
            FunctionTransformer(np.exp2) if self.chance(0.1) else FunctionTransformer(np.tanh),
            "passthrough",
        )

    def discretizer(self):
        return self.one(
            Binarizer(threshold=self.one(0.0, 0.5, 30.0)),
            KBinsDiscretizer(
                self.one(3, 5),
                encode=self.one("ordinal", "onehot", "onehot-dense"),
                strategy=self.one("uniform", "quantile"),
                **BINS,
            ),
        )

    def numeric_part(self):
        steps = []
        is_filled = self.chance(0.6)
        if is_filled:
            steps.append(self.numeric_imputer())
        elif self.chance(0.15):
            steps.append(MissingIndicator(features="all"))
            return self.pipeline(steps)
        steps += [self.scaler() for _ in range(self.rng.integers(0, 3))]
        if is_filled and self.chance(0.35):
            steps.append(self.discretizer())
        if self.chance(0.2):
            steps.append(StandardScaler(with_mean=False))
        return self.pipeline(steps)

    def nominal_imputer(self):
        return self.one(
            SimpleImputer(strategy="most_frequent", add_indicator=self.chance(0.3)),
            SimpleImputer(strategy="constant", fill_value="none"),
        )

    def encoder(self, is_text):
        return self.one(
            OneHotEncoder(
                handle_unknown=self.one("ignore", "ignore", "infrequent_if_exist", "warn", "error"),
                min_frequency=self.one(None, 15),
                drop=self.one(None, None, "if_binary"),
                sparse_output=self.chance(0.5),
            ),
            OneHotEncoder(drop="first", handle_unknown="ignore", sparse_output=False),
            OneHotEncoder(max_categories=3, handle_unknown="infrequent_if_exist", sparse_output=False),
            OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=self.one(-1, np.nan, 99)),
            OrdinalEncoder(
                handle_unknown="use_encoded_value", unknown_value=-2, encoded_missing_value=self.one(-1, 50),
                min_frequency=self.one(None, 20),
            ),
            OrdinalEncoder(encoded_missing_value=-1),
            TargetEncoder(cv=3, random_state=0),
        )  # fmt: skip

    def nominal_part(self, is_text=True):
        steps = [self.nominal_imputer()] if is_text and self.chance(0.5) else []
        steps.append(self.encoder(is_text))
        if self.chance(0.15):
            steps.append(self.one(StandardScaler(with_mean=False), MaxAbsScaler()))
        return self.pipeline(steps)

    def pipeline(self, steps):
        if len(steps) == 1 and self.chance(0.7):
            return steps[0]
        return Pipeline([(f"s{i}", step) for i, step in enumerate(steps)] or [("s", "passthrough")])

    def some(self, names):
        return [name for name in names if self.chance(0.6)] or [self.one(*names)]

    def columns(self, X, names):
        """Refer to columns by names, positions or a mask."""
        positions = [X.columns.get_loc(name) for name in names]
        mask = [name in names for name in X.columns]
        return self.one(names, positions, mask, lambda X: list(names))

    def column_transformer(self, X):
        numeric = ["age", "INCOME", "DEBT", "stars", "CODE"]
        parts = [("num", self.numeric_part(), self.columns(X, self.some(numeric)))]
        if self.chance(0.5):
            parts.append(("num2", self.numeric_part(), self.columns(X, self.some(numeric))))
        parts.append(("cat", self.nominal_part(), self.columns(X, self.some(["purpose", "REGION"]))))
        if self.chance(0.6):
            parts.append(("codes", self.nominal_part(False), self.columns(X, self.some(["stars", "CODE"]))))
        if self.chance(0.2):
            union = FeatureUnion([("a", self.numeric_part()), ("b", self.numeric_part())])
            parts.append(("both", union, self.columns(X, self.some(numeric))))
        if self.chance(0.15):
            parts.append(("out", "drop", ["note"]))
        used = {"weights": {"num": 2.5}} if self.chance(0.1) else {}
        return ColumnTransformer(
            parts,
            sparse_threshold=self.one(0.0, 0.3, 1.0),
            transformer_weights=used.get("weights"),
        )

    def model(self):
        return self.one(
            RandomForestClassifier(4, max_depth=5, random_state=0),
            ExtraTreesClassifier(4, max_depth=5, random_state=0),
            HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=5, random_state=0),
            xgboost.XGBClassifier(n_estimators=4, max_depth=4, n_jobs=1, random_state=0),
            lightgbm.LGBMClassifier(
                n_estimators=5, min_child_samples=5, verbose=-1, n_jobs=1, random_state=0
            ),
        )

    def whole(self, X):
        model = self.model()
        before = self.column_transformer(X)
        steps = [("prepare", before)]
        if isinstance(model, HistGradientBoostingClassifier):
            before.set_params(sparse_threshold=0.0)
        if isinstance(model, RandomForestClassifier | ExtraTreesClassifier) and self.chance(0.5):
            steps.append(("fill", SimpleImputer(strategy="median")))
        if self.chance(0.2):
            steps.append(("select", VarianceThreshold()))
        elif self.chance(0.1):
            steps += [("fill2", SimpleImputer()), ("select", SelectKBest(f_classif, k=3))]
        return Pipeline([*steps, ("model", model)])
