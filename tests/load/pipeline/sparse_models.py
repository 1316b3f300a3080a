"""Random models behind preparations that make sparse matrices, over the frame of random_pipelines."""

from __future__ import annotations

from dataclasses import dataclass

import catboost
import lightgbm
import numpy as np
import xgboost
from library_versions import BINS
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_classif
from sklearn.impute import SimpleImputer
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline, make_union
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    OneHotEncoder,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)


class OwnName(xgboost.XGBClassifier):
    """A subclass from another module."""


@dataclass
class SparseDraw:
    """Draws pipelines whose model gets sparse rows."""

    rng: np.random.Generator

    def one(self, *options):
        return options[self.rng.integers(len(options))]

    def keeps_sparse(self):
        """Return a step that takes sparse rows and returns sparse rows."""
        return self.one(
            StandardScaler(with_mean=False),
            MaxAbsScaler(),
            RobustScaler(with_centering=False),
            QuantileTransformer(n_quantiles=20),
            Binarizer(threshold=self.one(0.0, 0.4)),
            SimpleImputer(strategy=self.one("mean", "median", "most_frequent")),
            SimpleImputer(strategy="constant", fill_value=0.0),
            FunctionTransformer(self.one(np.rint, np.arcsinh, np.sign)),
            VarianceThreshold(),
            SelectKBest(f_classif, k=3),
            "passthrough",
        )

    def preparation(self):
        """Return steps behind which the rows are sparse."""
        words = OneHotEncoder(
            handle_unknown="ignore", drop=self.one(None, "first"), min_frequency=self.one(None, 15)
        )
        bins = KBinsDiscretizer(3, encode="onehot", **BINS)
        plain = ["age", "stars"]
        parts = [
            ("words", words, ["purpose", "REGION"]),
            self.one(
                ("scaled", make_pipeline(SimpleImputer(), StandardScaler()), ["age", "DEBT"]),
                ("plain", "passthrough", ["stars", "DEBT"]),
                ("binned", bins, plain),
                ("both", make_union(StandardScaler(), bins), plain),
            ),
        ]
        weights = self.one(None, {"words": 0.0}, {"words": 2.5})
        joined = ColumnTransformer(parts, sparse_threshold=1.0, transformer_weights=weights)
        return [joined, *(self.keeps_sparse() for _ in range(self.rng.integers(0, 3)))]

    def member(self):
        """Return a model that takes sparse rows."""
        small = {"n_estimators": 3, "max_depth": 3, "random_state": 0, "n_jobs": 1}
        leaves = {"min_child_samples": 4, "verbose": -1}
        return self.one(
            xgboost.XGBClassifier(**small),
            xgboost.XGBRFClassifier(**small),
            OwnName(**small),
            lightgbm.LGBMClassifier(**small, **leaves, zero_as_missing=self.one(False, True)),
            catboost.CatBoostClassifier(
                iterations=3, depth=3, verbose=False, thread_count=1, allow_writing_files=False
            ),
            RandomForestClassifier(**small),
            ExtraTreesClassifier(**small),
            GradientBoostingClassifier(n_estimators=3, random_state=0),
            AdaBoostClassifier(n_estimators=3, random_state=0),
        )

    def model(self, depth=2):
        """Return a member, or a model that holds some."""
        if depth == 0:
            return self.member()
        inner = self.model(depth - 1)
        wrappers = (
            lambda: inner,
            lambda: CalibratedClassifierCV(inner, cv=2, method=self.one("sigmoid", "isotonic")),
            lambda: GridSearchCV(Pipeline([("inner", inner)]), {"memory": [None]}, cv=2),
            lambda: make_pipeline(self.keeps_sparse(), inner),
            lambda: BaggingClassifier(
                inner,
                n_estimators=2,
                max_features=self.one(0.6, 1.0),
                bootstrap_features=self.one(False, True),
                random_state=0,
            ),
            lambda: FixedThresholdClassifier(inner, threshold=0.4, response_method="predict_proba"),
            lambda: OneVsRestClassifier(inner),
            lambda: OneVsOneClassifier(inner),
            lambda: VotingClassifier(
                [("a", inner), ("b", self.model(depth - 1))], voting=self.one("soft", "hard")
            ),
        )
        return self.one(*wrappers)()

    def whole(self):
        """Return an unfitted pipeline."""
        steps = [*self.preparation(), self.model()]
        return Pipeline([(f"s{number}", step) for number, step in enumerate(steps)])
