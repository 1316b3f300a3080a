"""How well a few rules imitate an ensemble of classes, compared with RuleFit."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from operator import methodcaller
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

from sightline.distill import RuleSetClassifier
from sightline.exceptions import UnsupportedModelError
from sightline.lab._curves import curves
from sightline.lab._data_set import DataSet
from sightline.lab._encoding import OneHotColumns
from sightline.lab._experiment import Experiment
from sightline.lab._findings import FigureFile, Findings, ResultTable, Value
from sightline.lab._learner import Learner, Trial
from sightline.lab._protocol import Splits
from sightline.lab._results import Results
from sightline.lab.claims._surrogates import OnCodes, coded
from sightline.table import Table
from sightline.wording import pluralize

FOREST, LIGHTGBM, RULEFIT = "random forest, 100", "LightGBM", "RuleFit"
ENSEMBLES = (LIGHTGBM, FOREST)
SIZES = (5, 10, 20, 40, 80)
COMPARED = 20
"""Rules of ours, and terms of RuleFit, that are compared."""
N_SPLITS = 3
TWO_CLASSES = (  # noqa: SIM905
    "breast-cancer breast-w colic credit-a credit-g diabetes heart-c heart-statlog hepatitis ionosphere "
    "liver-disorders sonar tic-tac-toe vote"
).split()
MORE_CLASSES = (  # noqa: SIM905
    "autos balance-scale car cmc dermatology glass iris lymph optdigits segment soybean vehicle wine yeast "
    "zoo"
).split()
CHOSEN_ON = (  # noqa: SIM905
    "breast-w colic credit-g diabetes heart-statlog ionosphere sonar tic-tac-toe"
).split()
"""Unseen rows of other splits of these decided how rules are selected and how pc and wr are chosen."""


def _learners() -> tuple[Learner, ...]:
    try:
        from lightgbm import LGBMClassifier  # noqa: PLC0415 - an optional library
    except ImportError as error:
        raise UnsupportedModelError(
            "The experiment 'few_rules' needs LightGBM. Install it: pip install lightgbm."
        ) from error
    others = [Learner(RULEFIT, RuleFit(), notes=auc)] if importlib.util.find_spec("imodels") else []
    return (
        *others,
        *_imitated(LIGHTGBM, LGBMClassifier(n_jobs=1, verbose=-1)),
        *_imitated(FOREST, RandomForestClassifier(100)),
    )


def _imitated(name: str, ensemble: Any) -> list[Learner]:
    largest = _name(SIZES[-1], name)
    return [
        Learner(name, ScoredOnCodes(ensemble), notes=auc),
        Learner(largest, FewRules(max_rules=SIZES[-1]), teacher=name, notes=auc),
        *(
            Learner(_name(size, name), source=largest, derive=methodcaller("resized", size), notes=auc)
            for size in SIZES[:-1]
        ),
    ]


def _name(size: int, ensemble: str) -> str:
    return f"at most {size} rules of {ensemble}"


def auc(model: Any, trial: Trial) -> Mapping[str, Any]:
    """Record the area under the ROC curve, if there are two classes, and the number of rules."""
    notes = {"rules": float(model.n_rules)} if hasattr(model, "n_rules") else {}
    if len(model.classes_) == 2:
        is_second = np.asarray(trial.y_test) == model.classes_[1]
        notes["auc"] = float(roc_auc_score(is_second, model.predict_proba(trial.X_test)[:, 1]))
    return notes


class ScoredOnCodes(OnCodes):
    """A model of another library that sees categories as numbers, with its probabilities."""

    def predict_proba(self, X: Table) -> NDArray[np.float64]:
        """Return the probabilities."""
        return np.asarray(self.model_.predict_proba(coded(X)))


class FewRules(ClassifierMixin, BaseEstimator):
    """A few rules of a model that sees categories as numbers."""

    def __init__(
        self, ensemble: Any = None, max_rules: int | None = None, random_state: int | None = None
    ) -> None:
        self.ensemble = ensemble
        self.max_rules = max_rules
        self.random_state = random_state

    def fit(self, X: Table, y: Any) -> Self:
        """Select the rules."""
        rules = RuleSetClassifier(
            self.ensemble.model_, max_rules=self.max_rules, random_state=self.random_state
        )
        self.n_features_in_ = len(X.columns)
        self.rules_ = rules.fit(coded(X), np.asarray(y))
        return self._measured()

    def resized(self, n_rules: int) -> FewRules:
        """Return a copy with another number of rules."""
        other = FewRules(self.ensemble, n_rules, self.random_state)
        other.n_features_in_ = self.n_features_in_
        other.rules_ = self.rules_.resized(n_rules)
        return other._measured()

    def _measured(self) -> Self:
        self.classes_ = self.rules_.classes_
        self.n_rules = self.rules_.rules_.n_rules
        return self

    def predict_proba(self, X: Table) -> NDArray[np.float64]:
        """Return the shares of the votes."""
        return self.rules_.predict_proba(coded(X))

    def predict(self, X: Table) -> NDArray[Any]:
        """Return the labels."""
        return self.rules_.predict(coded(X))


class RuleFit(ClassifierMixin, BaseEstimator):
    """RuleFit of the library imodels with at most 20 terms, linear ones included; for two classes.

    Of more classes it predicts the first; the tables leave that out.
    """

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: Table, y: Any) -> Self:
        """Fit to one column per category, with missing values as 0."""
        from imodels import RuleFitClassifier  # type: ignore[import-not-found]  # noqa: PLC0415 - optional

        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.columns_ = OneHotColumns().fit(X)
        self.n_features_in_ = len(X.columns)
        self.fitted_ = None
        if len(self.classes_) == 2:
            self.fitted_ = RuleFitClassifier(max_rules=COMPARED, random_state=self.random_state)
            self.fitted_.fit(self._rows(X), codes)
        return self

    def predict_proba(self, X: Table) -> NDArray[np.float64]:
        """Return the probabilities."""
        rows = self._rows(X)
        if self.fitted_ is None:
            return np.tile(np.arange(len(self.classes_)) == 0, (len(rows), 1)).astype(float)
        return np.asarray(self.fitted_.predict_proba(rows))

    def predict(self, X: Table) -> NDArray[Any]:
        """Return the labels."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def _rows(self, X: Table) -> NDArray[np.float64]:
        return np.nan_to_num(self.columns_.transform(X))


def find(results: Results) -> Findings:
    """Return fidelity by size, and the comparison with RuleFit."""
    remark = (
        "How rules are selected, and how pc and wr are chosen, was decided on the unseen rows of other "
        f"splits of {', '.join(CHOSEN_ON)}. Some of those rows are also unseen rows here, so the figures for "
        "these data sets are optimistic. Nothing was chosen on the other data sets."
    )
    fidelities = fidelity_table(results)
    tables = [fidelities, set_table(results)]
    if RULEFIT in results.learners:
        tables.append(rulefit_table(results))
    return Findings(tables, [picture(fidelities)], [remark], headline(fidelities, len(results.sets)))


def picture(fidelities: ResultTable) -> FigureFile:
    """Draw fidelity by the number of rules."""
    caption = "Mean agreement with the ensemble on unseen rows, by the largest allowed number of rules."
    return curves(caption, {"": _by_size(fidelities)}, "rules, at most", "fidelity [%]")


def headline(fidelities: ResultTable, n_sets: int) -> str:
    """Say what few and many rules reach."""
    found = _by_size(fidelities)
    few, many = (
        " and ".join(f"{line[end][1]:.1f}% ({name})" for name, line in found.items()) for end in (0, -1)
    )
    return (
        f"Averaged over {pluralize(n_sets, 'data set')}, at most {SIZES[0]} rules agree with their "
        f"ensemble on {few} of the unseen rows, at most {SIZES[-1]} rules on {many}."
    )


def _by_size(fidelities: ResultTable) -> dict[str, list[tuple[float, float]]]:
    """Return size and fidelity by ensemble, in the order of the table."""
    lines: dict[str, list[tuple[float, float]]] = {ensemble: [] for ensemble in ENSEMBLES}
    pairs = [(ensemble, size) for ensemble in ENSEMBLES for size in SIZES]
    for (ensemble, size), row in zip(pairs, fidelities.rows, strict=True):
        lines[ensemble].append((size, float(str(row[2]))))
    return lines


def fidelity_table(results: Results) -> ResultTable:
    """Return the mean fidelity by ensemble and size, and whether more rules are ever worse."""
    rows: list[tuple[Value, ...]] = []
    for ensemble in ENSEMBLES:
        before = None
        for size in SIZES:
            learner = _name(size, ensemble)
            own = 100 * results.fidelities(learner, ensemble)
            step = "" if before is None else _with_error(own - before)
            worst = "" if before is None else f"{(own - before).min():+.1f}"
            n_rules = float(results.means(learner, "rules").mean())
            rows.append((f"{ensemble}, at most {size}", f"{n_rules:.1f}", float(own.mean()), step, worst))
            before = own
    note = (
        "Agreement with the ensemble on unseen rows, in percent, mean over the data sets. Change: from the "
        "row above, with its standard error over data sets, and the worst change on any data set."
    )
    columns = ("rules", "number", "fidelity", "change", "worst change")
    return ResultTable("fidelity", "Fidelity by number of rules", columns, rows, note)


def set_table(results: Results) -> ResultTable:
    """Return the fidelity of each data set at 20 rules, and which classes its rules reach."""
    rows: list[tuple[Value, ...]] = []
    for data in results.sets:
        n_classes = len(np.unique(np.asarray(next(d for d in results.plan.data_sets if d.name == data).y)))
        cells = [100 * results.fidelity(data, _name(COMPARED, name), name) for name in ENSEMBLES]
        rows.append((data, n_classes, *(f"{cell:.1f}" for cell in cells)))
    note = f"Agreement with the ensemble on unseen rows, in percent, with at most {COMPARED} rules."
    return ResultTable("sets", "Data set by data set", ("set", "classes", *ENSEMBLES), rows, note)


def rulefit_table(results: Results) -> ResultTable:
    """Return AUC and accuracy beside RuleFit's, on the sets of two classes."""
    sets = [data for data in results.sets if data in TWO_CLASSES]
    theirs = {measure: _measured(results, sets, RULEFIT, measure) for measure in ("auc", "accuracy")}
    rows: list[tuple[Value, ...]] = [
        (
            f"{RULEFIT}, {COMPARED} terms",
            f"{theirs['auc'].mean():.4f}",
            "",
            f"{theirs['accuracy'].mean():.2f}",
            "",
        )
    ]
    for ensemble in ENSEMBLES:
        for learner in (_name(COMPARED, ensemble), ensemble):
            own = {measure: _measured(results, sets, learner, measure) for measure in theirs}
            rows.append(
                (
                    learner,
                    f"{own['auc'].mean():.4f}",
                    _with_error(own["auc"] - theirs["auc"], 4),
                    f"{own['accuracy'].mean():.2f}",
                    _with_error(own["accuracy"] - theirs["accuracy"]),
                )
            )
    note = (
        f"Means over the {len(sets)} data sets with two classes: AUC, and accuracy in percent, on unseen "
        "rows. Differences from RuleFit come with their standard errors over data sets. RuleFit (imodels) "
        "learns from the labels and may use linear terms; our rules imitate the named ensemble."
    )
    columns = ("model", "AUC", "difference", "accuracy", "difference of accuracy")
    return ResultTable("rulefit", f"Compared with RuleFit, at {COMPARED} rules", columns, rows, note)


def _measured(results: Results, sets: list[str], learner: str, measure: str) -> NDArray[np.float64]:
    scale = 100 if measure == "accuracy" else 1
    return np.array([scale * results.mean(data, learner, measure) for data in sets])


def _with_error(values: NDArray[np.float64], digits: int = 2) -> str:
    mean = f"{values.mean():+.{digits}f}"
    return mean if len(values) < 2 else f"{mean} ± {values.std(ddof=1) / np.sqrt(len(values)):.{digits}f}"


EXPERIMENT = Experiment(
    name="few_rules",
    title="A few rules: fidelity by number of rules, and RuleFit",
    paper="",
    data_sets=tuple(DataSet(name) for name in (*TWO_CLASSES, *MORE_CLASSES)),
    learners=_learners(),
    protocol=Splits.of_two_thirds(N_SPLITS, min_class_rows=3),
    quick_sets=("heart-statlog", "wine"),
    find=find,
)
