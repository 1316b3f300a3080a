"""How faithful distilled trees are to models that can only be asked, beside scikit-learn's trees."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from sightline.exceptions import UnsupportedModelError
from sightline.lab._curves import columns_by_size, curves, gain_range
from sightline.lab._data_set import DataSet
from sightline.lab._encoding import OriginalRows
from sightline.lab._experiment import Experiment
from sightline.lab._findings import FigureFile, Findings, ResultTable, Value
from sightline.lab._learner import Learner
from sightline.lab._protocol import Splits
from sightline.lab._results import Results
from sightline.lab.claims._surrogates import SIZES, learner_name, surrogate_learners
from sightline.lab.claims.distilled_tree import differences, points, with_error
from sightline.model import BlackBox
from sightline.table import Labels, Table, frame_of
from sightline.wording import pluralize

STACKING, NETWORK, VECTORS = "stacking", "neural network", "support vectors"
FUNCTION, CATBOOST = "plain function", "CatBoost with CTRs"
TEACHERS = (STACKING, NETWORK, VECTORS, FUNCTION, CATBOOST)
SETS = "autos balance-scale colic credit-a heart-c hepatitis liver-disorders sonar tic-tac-toe vote".split()  # noqa: SIM905
N_SPLITS = 2
PER_SET_SIZE = 16


def _pipeline(last: Any) -> Pipeline:
    """Return a model behind the usual preprocessing of a frame with numbers and categories."""
    is_number = make_column_selector(dtype_include="number")
    is_category = make_column_selector(dtype_exclude="number")
    encode = make_column_transformer(
        (make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler()), is_number),
        (OneHotEncoder(handle_unknown="ignore"), is_category),
        sparse_threshold=0,
    )
    return make_pipeline(encode, last)


class FunctionRows(OriginalRows):
    """A function of rows that returns labels: all that some services offer."""

    def fit(self, X: Table, y: Any, sample_weight: NDArray[np.float64] | None = None) -> Self:  # noqa: ARG002
        """Fit a clone, and keep only the function that predicts with it."""
        rows = frame_of(X)
        function = clone(self.estimator).fit(rows, np.asarray(y)).predict
        return self._holding(BlackBox(function).bound(rows, X, Labels.from_any(y)), X)


class CatBoostOnFrames(ClassifierMixin, BaseEstimator):
    """CatBoost as people train it: target statistics of categories and of their combinations."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        """Fit to a frame; its categories are the categorical features."""
        from catboost import CatBoostClassifier  # type: ignore[import-untyped]  # noqa: PLC0415 - optional

        self.categories_ = list(X.select_dtypes(exclude="number").columns)
        self.model_ = CatBoostClassifier(
            iterations=100,
            one_hot_max_size=1,
            cat_features=self.categories_,
            random_seed=self.random_state,
            thread_count=1,
            verbose=0,
            allow_writing_files=False,
        )
        self.model_.fit(self._filled(X), y)
        self.feature_names_in_, self.n_features_in_ = np.asarray(X.columns), X.shape[1]
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the labels."""
        return np.asarray(self.model_.predict(self._filled(X))).ravel()

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class probabilities."""
        return np.asarray(self.model_.predict_proba(self._filled(X)))

    def _filled(self, X: Any) -> Any:
        """CatBoost takes no missing categories, only strings."""
        return X.assign(**{name: X[name].astype(object).fillna("missing") for name in self.categories_})


def _teachers() -> dict[str, Any]:
    try:
        import catboost  # noqa: F401, PLC0415 - an optional library
    except ImportError as error:
        raise UnsupportedModelError(
            "The experiment 'black_box' needs CatBoost. Install it: pip install catboost."
        ) from error
    members = [("forest", RandomForestClassifier(50)), ("nearest", KNeighborsClassifier())]
    stacking = StackingClassifier(members, LogisticRegression(max_iter=1000), cv=3)
    network = MLPClassifier((32,), alpha=0.1, solver="lbfgs", max_iter=2000, tol=1e-3)
    return {
        STACKING: OriginalRows(_pipeline(stacking)),
        NETWORK: OriginalRows(_pipeline(network)),
        VECTORS: OriginalRows(_pipeline(SVC())),
        FUNCTION: FunctionRows(_pipeline(LogisticRegression(max_iter=1000))),
        CATBOOST: OriginalRows(CatBoostOnFrames()),
    }


def _learners() -> tuple[Learner, ...]:
    return tuple(
        learner for name, teacher in _teachers().items() for learner in surrogate_learners(name, teacher)
    )


def find(results: Results) -> Findings:
    """Return the mean fidelity by teacher and size, and the fidelity on every data set."""
    means = mean_table(results)
    return Findings(
        [means, set_table(results)], [picture(means)], headline=headline(means, len(results.sets))
    )


def picture(means: ResultTable) -> FigureFile:
    """Draw the means by size, one panel per black box."""
    caption = "Mean fidelity to the black box on held-out rows, by number of leaves."
    panels = columns_by_size(means, ("usual surrogate", "scikit-learn, same rows", "distilled"))
    return curves(caption, panels, "leaves", "fidelity [%]")


def headline(means: ResultTable, n_sets: int) -> str:
    """Say how much closer distilled trees are."""
    low, high = gain_range(means, "distilled", "usual surrogate")
    same_low, same_high = gain_range(means, "distilled", "scikit-learn, same rows")
    return (
        f"Averaged over {pluralize(n_sets, 'data set')}, distilled trees agree with a black box on {low:.1f} "
        f"to {high:.1f} percentage points more held-out rows than the usual surrogate of the same size. If "
        f"scikit-learn's trees also train on our artificial rows, the difference is {same_low:.1f} to "
        f"{same_high:.1f} points."
    )


def mean_table(results: Results) -> ResultTable:
    """Return fidelity by teacher and size."""
    rows: list[tuple[Value, ...]] = []
    for teacher in TEACHERS:
        for size in SIZES:
            usual, cart, ours = (
                float(points(results, teacher, learner_name(teacher, kind, size), "fidelity").mean())
                for kind in ("usual", "cart", "distilled")
            )
            gain = differences(results, teacher, size, "fidelity", "usual")
            rows.append(
                (
                    teacher,
                    size,
                    usual,
                    cart,
                    ours,
                    with_error(gain),
                    f"{(gain > 0).sum()} : {(gain < 0).sum()}",
                    with_error(differences(results, teacher, size, "fidelity")),
                )
            )
    note = (
        f"Mean over {len(results.sets)} data sets of the fidelity on held-out rows, in percent: "
        "scikit-learn's tree on the training rows with the black box's labels (the usual surrogate), "
        "scikit-learn's tree on our training and artificial rows with their weights, and our tree. Next "
        "come the difference from the usual surrogate with its standard error over the data sets, the "
        "number of data sets on which our tree is more and less faithful than the usual surrogate, and the "
        "difference from the tree on the same rows."
    )
    columns = (
        "black box",
        "leaves",
        "usual surrogate",
        "scikit-learn, same rows",
        "distilled",
        "from the usual surrogate",
        "data sets better : worse",
        "from the same rows",
    )
    return ResultTable("fidelity", "Held-out fidelity to black boxes", columns, rows, note)


def set_table(results: Results) -> ResultTable:
    """Return the fidelity of trees with 16 leaves on every data set."""
    cells: list[list[str]] = []
    for teacher in TEACHERS:
        usual, ours = (
            points(results, teacher, learner_name(teacher, kind, PER_SET_SIZE), "fidelity")
            for kind in ("usual", "distilled")
        )
        cells.append([f"{one:.1f} -> {other:.1f}" for one, other in zip(usual, ours, strict=True)])
    rows: list[tuple[Value, ...]] = list(zip(results.sets, *cells, strict=True))
    note = (
        f"Fidelity in percent of trees with {PER_SET_SIZE} leaves, mean over the splits: the usual "
        "surrogate, then the distilled tree."
    )
    title = f"Every data set, {PER_SET_SIZE} leaves"
    return ResultTable("by_set", title, ("data set", *TEACHERS), rows, note)


EXPERIMENT = Experiment(
    name="black_box",
    title="Black boxes: fidelity by size",
    paper="",
    data_sets=tuple(DataSet(name) for name in SETS),
    learners=_learners(),
    protocol=Splits.of_two_thirds(N_SPLITS, min_class_rows=9),
    quick_sets=("hepatitis",),
    find=find,
)
