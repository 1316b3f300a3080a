"""Evidence about a model: its labels for rows, the ensemble's labels, and what is proved."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline.distill import SizePath
from sightline.estimator import SightlineEstimator
from sightline.exceptions import UnsupportedModelError
from sightline.judge import Certificate, certify
from sightline.learn import StumpEnsembleClassifier
from sightline.load import load_any
from sightline.measure import (
    AllPredictions,
    ClassQuality,
    Fidelity,
    Measures,
    NumberErrors,
    RowWeights,
    ordinary_tree_for,
    teacher_of,
)
from sightline.model import AboutTarget, BlackBox, Ensemble, FidelityCurve, Graph, Link, RuleSet, Tree
from sightline.report._kind import Kind, kind_of
from sightline.report._naming import Naming
from sightline.report._shown_rows import ShownRows
from sightline.table import Table, row_names_of
from sightline.wording import Share, pluralize, printable

Step = Callable[[str], None]

MAX_BOXES = 2_000_000
"""Boxes that a certificate may visit: a budget that does not depend on the machine's speed."""

MAX_BOXES_OF_NUMBERS = 10_000
"""The same for the largest difference of numbers: more boxes hardly narrow it."""

MAX_STUMPS = 100
MAX_STUMP_DEPTH = 3
"""An ensemble of votes is shown tree by tree up to this many trees and levels."""


@dataclass(frozen=True)
class Evidence:
    """A model together with the rows it is measured on; every part of a report is made from this.

    Each model predicts once: every part reuses the labels stored here.

    Attributes
    ----------
    model : Tree, Graph, …
        The model to show.
    ensemble : Ensemble, BlackBox or None
        The ensemble that it replaces, or the black box.
    estimator : SightlineEstimator or None
        The estimator that found the model, if one was given.
    rows : Table
        The rows, in the model's columns.
    labels : ndarray or None
        Their own labels or, in a regression, numbers.
    model_labels, ensemble_labels : ndarray or None
        What model and ensemble predict for them; None without ensemble.
    measures : Measures or None
        How accurate and how faithful the model is; None if the rows have no labels and there is no ensemble.
    certificate : Certificate or None
        What is proved about the model.
    sizes : dict of int to Tree or RuleSet
        Models of other sizes; the model itself is among them.
    size_labels : dict of int to ndarray
        What they predict for the rows.
    curve : FidelityCurve or None
        How faithful they are.
    title : str
        Title of the page.
    data_name : str or None
        Name of the table.
    notes : dict
        Further lines of the model card, by heading.
    shown_rows : ShownRows
        Which rows the page may carry.
    row_names : list or None
        Names of the rows; None if they are only numbered.
    naming : Naming
        What the target and its classes are called, and their colors.
    row_weights : RowWeights or None
        The weights of the rows; None if every row counts the same.
    are_weights_given : bool
        Whether the caller passed weights, which may all be 1.
    drawn_by : str
        Name of the weights in proportion to which the rows were drawn, so that each counts once; empty if
        they were not.
    row_notes : tuple of str
        What is doubtful about the rows, such as labels that the model does not know.
    """

    model: Any
    ensemble: Ensemble | BlackBox | None
    estimator: SightlineEstimator | None
    rows: Table
    labels: NDArray[Any] | None
    model_labels: NDArray[Any]
    ensemble_labels: NDArray[Any] | None
    measures: Measures | None
    certificate: Certificate | None
    sizes: dict[int, Any]
    size_labels: dict[int, NDArray[Any]]
    curve: FidelityCurve | None
    title: str
    data_name: str | None
    notes: dict[str, dict[str, str]] = field(default_factory=dict)
    shown_rows: ShownRows = field(default_factory=ShownRows)
    row_names: list[Any] | None = None
    naming: Naming = field(default_factory=Naming)
    row_weights: RowWeights | None = None
    are_weights_given: bool = False
    drawn_by: str = ""
    row_notes: tuple[str, ...] = ()

    @cached_property
    def kind(self) -> Kind:
        """How the report shows the model."""
        return kind_of(self.model)

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """Weight of each row, for means over rows; None if every row counts the same."""
        return None if self.row_weights is None else self.row_weights.values

    @property
    def draw_sentence(self) -> str:
        """Say why rows that all count the same give the measures of weighted rows."""
        return (
            f"The rows of this report were drawn in proportion to {printable(self.drawn_by)}, so each of "
            "them counts the same: shares, means and errors are those of the weighted rows."
        )

    def rows_text(self, n_rows: int, noun: str = "row") -> str:
        """Return a number of rows and how they were counted, as in ``500 rows weighted by exposure``.

        Without a comma, which a sentence that goes on would have to close.
        """
        weights = self.row_weights
        return pluralize(n_rows, noun) if weights is None else weights.rows_text(n_rows, noun)

    @property
    def teacher_noun(self) -> str:
        """The noun for the ensemble in sentences."""
        return "black box" if isinstance(self.ensemble, BlackBox) else "ensemble"

    @property
    def teacher_name(self) -> str:
        """The ensemble by its size, or the black box by its model."""
        assert self.ensemble is not None
        if isinstance(self.ensemble, BlackBox):
            return f"the black box ({self.ensemble.name})"
        return "the other tree" if self.ensemble.n_trees == 1 else f"the {self.ensemble.n_trees:,} trees"

    @property
    def teacher_is_one(self) -> bool:
        """Whether ``teacher_name`` is singular."""
        return isinstance(self.ensemble, BlackBox) or (
            self.ensemble is not None and self.ensemble.n_trees == 1
        )

    @property
    def remarks(self) -> list[str]:
        """Remarks of the estimator about its model, or of the model, such as the threshold of its labels."""
        own = [getattr(self.model, name, "") for name in ("label_rule", "stand_in")]
        return list(getattr(self.estimator, "remarks_", [sentence for sentence in own if sentence]))

    @property
    def explained(self) -> Any:
        """The ensemble or black box that the model replaces or, if cases only explain it, that predicts."""
        return getattr(self.model, "predictor", None) if self.ensemble is None else self.ensemble

    @property
    def task(self) -> Literal["classes", "numbers"]:
        """What the model predicts."""
        return "numbers" if self.model.classes_ is None else "classes"

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes of the model; none if it predicts numbers."""
        return np.zeros(0) if self.model.classes_ is None else np.asarray(self.model.classes_)

    @property
    def agrees(self) -> NDArray[np.bool_] | None:
        """Per row: whether model and ensemble give the same label; None for numbers, or without one."""
        return self.agreement_of(self.model_labels)

    def agreement_of(self, labels: NDArray[Any]) -> NDArray[np.bool_] | None:
        """Return per row whether these labels are the ensemble's; None for numbers, or without one."""
        if self.ensemble_labels is None or self.task == "numbers":
            return None
        return np.asarray(labels == self.ensemble_labels)

    @cached_property
    def gaps(self) -> NDArray[np.float64] | None:
        """Per row: how far the model's number lies from the ensemble's; None for classes, or without one."""
        return self.gaps_of(self.model_labels)

    def gaps_of(self, numbers: NDArray[Any]) -> NDArray[np.float64] | None:
        """Return per row how far numbers lie from the ensemble's; None for classes, or without one."""
        if self.ensemble_labels is None or self.task == "classes":
            return None
        return np.asarray(np.abs(numbers - self.ensemble_labels))

    @cached_property
    def only_label(self) -> Any:
        """The label that model and ensemble give to every row, if some rows have another; None otherwise."""
        if self.task == "numbers" or self.labels is None or not len(self.labels):
            return None
        label = self.model_labels.tolist()[0]
        predicted = [self.model_labels, *([] if self.ensemble_labels is None else [self.ensemble_labels])]
        is_only = all(bool((one == label).all()) for one in predicted)
        return label if is_only and bool((self.labels != label).any()) else None

    @property
    def is_proved_equal(self) -> bool:
        """Whether the model provably gives the ensemble's label to every row like these."""
        return self.certificate is not None and bool(self.certificate.equivalent)

    def labels_of(self, model: Any) -> NDArray[Any]:
        """Return what a model of the page predicts for the rows; predictions are cached."""
        if model is self.model:
            return self.model_labels
        known = (labels for size, labels in self.size_labels.items() if self.sizes[size] is model)
        labels = next(known, None)
        return np.asarray(model.predict(self.rows)) if labels is None else labels

    @property
    def fidelity(self) -> Share | NumberErrors | None:
        """Fidelity: the share of equal labels, or R² to the ensemble's numbers."""
        found = None if self.measures is None else self.measures.fidelity
        return found.overall if isinstance(found, Fidelity) else found

    @property
    def focus_label(self) -> Any:
        """The positive class, or the one that measures refer to; None if there is none."""
        balance = None if self.measures is None else self.measures.balance
        if self.naming.positive is not None or balance is None:
            return self.naming.positive
        return balance.focus_label

    @property
    def is_imbalanced(self) -> bool:
        """Whether a class is so rare that balanced measures are needed."""
        return self.measures is not None and self.measures.is_imbalanced

    @cached_property
    def rare_labels(self) -> set[Any]:
        """The classes that are so rare; the page shows all leaves that predict them."""
        balance = None if self.measures is None else self.measures.balance
        return set() if balance is None else set(balance.classes[balance.is_rare].tolist())

    @property
    def qualities(self) -> dict[str, ClassQuality | NumberErrors]:
        """Accuracy or error of each measured model, by its name in sentences."""
        measures = self.measures
        if measures is None:
            return {}
        article = "an" if measures.baseline_name.startswith("ordinary") else "the"
        named = {
            self.teacher_name if self.ensemble is not None else "": measures.ensemble,
            self.kind.predictor(with_size=self.fidelity is None): measures.model,
            f"{article} {measures.baseline_name}": measures.baseline,
            measures.guess_name: measures.guess,
        }
        return {who: quality for who, quality in named.items() if quality is not None}


def gather(
    est: Any,
    X: Any,
    y: Any,
    *,
    ensemble: Any,
    baseline: Any,
    sizes: Iterable[int] | None,
    max_seconds: float,
    title: str | None,
    notes: dict[str, dict[str, str]],
    shown_rows: ShownRows,
    naming: Naming,
    sample_weight: Any,
    drawn_by: str,
    step: Step,
) -> Evidence:
    """Predict with model and ensemble, certify, and measure other sizes.

    Parameters
    ----------
    est, X, y, ensemble, baseline, sizes, max_seconds, title, notes, sample_weight
        As in :func:`sightline.report`.
    shown_rows : ShownRows
        Which rows the page may carry.
    naming : Naming
        What the target and its classes are called, and their colors.
    drawn_by : str
        Name of the weights in proportion to which the rows were drawn; empty if they were not.
    step : callable
        Called with a few words when a longer step begins.

    Returns
    -------
    Evidence
        Everything that the parts of the report need.
    """
    model = _model_of(est)
    teacher = teacher_of(est, model, ensemble)
    naming = naming.completed(model, teacher, y=y, sample_weight=sample_weight)
    naming.check([] if model.classes_ is None else np.asarray(model.classes_).tolist())
    if isinstance(model, AboutTarget):
        model = model.about(naming.target, naming.positive)
    if baseline is None and y is not None:
        baseline = ordinary_tree_for(est, model, teacher)
    step("predicting")
    predictions = AllPredictions.of(model, X, y, teacher, baseline, type(est).__name__)
    rows, teacher = predictions.rows, predictions.ensemble
    labels, model_labels = predictions.target, predictions.model_answers.labels
    ensemble_labels = None if predictions.ensemble_answers is None else predictions.ensemble_answers.labels
    row_weights = RowWeights.of(sample_weight, rows.n_rows)
    certificate = _certificate_for(model, predictions, max_seconds, step)
    measures = None
    if labels is not None or teacher is not None:
        measures = predictions.measures(naming.positive, row_weights=row_weights)
        if certificate is not None and certificate.equivalent:
            measures = measures.with_equal_answers()
    others: dict[int, Any] = {}
    size_labels: dict[int, NDArray[Any]] = {}
    curve = None
    if ensemble_labels is not None and isinstance(est, SizePath):
        step("measuring other sizes")
        others = dict(sorted({**est.summaries_by_size(sizes), est.path_size_: model}.items()))
        size_labels, curve = _measured_sizes(est, others, predictions, row_weights)
    return Evidence(
        model=model,
        ensemble=teacher,
        estimator=est if isinstance(est, SightlineEstimator) else None,
        rows=rows,
        labels=labels,
        model_labels=model_labels,
        ensemble_labels=ensemble_labels,
        measures=measures,
        certificate=certificate,
        sizes=others,
        size_labels=size_labels,
        curve=curve,
        title=title or _title(model, predictions.data_name, naming.subject),
        data_name=predictions.data_name,
        notes=notes,
        shown_rows=shown_rows,
        row_names=row_names_of(X),
        naming=naming,
        row_weights=row_weights,
        are_weights_given=sample_weight is not None,
        drawn_by=drawn_by,
        row_notes=predictions.notes,
    )


def _certificate_for(
    model: Any, predictions: AllPredictions, max_seconds: float, step: Step
) -> Certificate | None:
    """Search for proofs that a model and the ensemble agree; None if there are none for their kinds."""
    ensemble, rows = predictions.ensemble, predictions.rows
    if not isinstance(ensemble, Ensemble) or not _can_be_certified(model):
        return None
    assert predictions.ensemble_answers is not None
    step("searching for proofs")
    return certify(
        model,
        ensemble,
        rows,
        max_nodes=MAX_BOXES if model.classes_ is not None else MAX_BOXES_OF_NUMBERS,
        max_seconds=max_seconds,
        missing=[column.name for column in rows.columns if column.is_missing.any()],
        predictions=(predictions.model_answers.labels, predictions.ensemble_answers.labels),
    )


def _measured_sizes(
    est: SizePath, models: dict[int, Any], predictions: AllPredictions, weights: RowWeights | None
) -> tuple[dict[int, NDArray[Any]], FidelityCurve]:
    """Return what the models of other sizes predict, and how well they follow the ensemble."""
    assert predictions.ensemble_answers is not None
    shown = predictions.model
    labels = {
        size: predictions.model_answers.labels if model is shown else model.predict(predictions.rows)
        for size, model in models.items()
    }
    curve = FidelityCurve.from_labels(
        labels,
        predictions.ensemble_answers.labels,
        predictions.target,
        est.size_unit,
        "R²" if shown.classes_ is None else "share",
        None if weights is None else weights.values,
    )
    return labels, curve


def _model_of(est: Any) -> Any:
    model = load_any(est)
    if isinstance(model, Ensemble) and _is_one_tree(model):
        return model.trees[0]
    if isinstance(model, Ensemble) and not (isinstance(est, StumpEnsembleClassifier) or _is_a_vote(model)):
        distiller = "DistilledTreeClassifier" if model.classes_ is not None else "DistilledTreeRegressor"
        raise UnsupportedModelError(
            "There is no report for an ensemble. Distill it first, for example with "
            f"sl.{distiller}(ensemble).fit(X, y)."
        )
    kind_of(model)
    return model


def _can_be_certified(model: Any) -> bool:
    """Whether proofs can be searched: rules that predict numbers have none."""
    return isinstance(model, Tree | Graph) or (isinstance(model, RuleSet) and model.classes_ is not None)


def _is_one_tree(ensemble: Ensemble) -> bool:
    """Whether the ensemble's only tree gives the ensemble's predictions."""
    if ensemble.n_trees != 1:
        return False
    if ensemble.classes_ is not None:
        return ensemble.link == Link("mean", (1.0,))
    core = ensemble.core
    is_plain = list(core.base) == [0.0] and list(core.tree_weight) == [1.0] and not any(core.single_precision)
    return is_plain and ensemble.link == Link("identity", (1.0,))


def _is_a_vote(ensemble: Ensemble) -> bool:
    """Whether the trees vote, and are few and small enough to be read one by one."""
    is_small = max(tree.depth for tree in ensemble.core.trees) <= MAX_STUMP_DEPTH
    is_plain = ensemble.core.votes and ensemble.link.formula is None
    return is_plain and ensemble.n_trees <= MAX_STUMPS and is_small


def _title(model: Any, data_name: str | None, subject: str) -> str:
    heading = kind_of(model).heading
    heading = heading if data_name is None else f"{heading} for {data_name}"
    return f"{heading}: {subject}" if subject else heading
