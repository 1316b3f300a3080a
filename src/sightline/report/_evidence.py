"""What is known about a model: its answers on rows, those of the ensemble, and what is proved."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.distill import SizePath
from sightline.estimator import SightlineClassifier
from sightline.exceptions import DataError, UnsupportedModelError
from sightline.judge import Certificate, certify
from sightline.learn import StumpEnsembleClassifier
from sightline.load import load
from sightline.model import CaseBase, Ensemble, FidelityCurve, Graph, RuleSet, Tree
from sightline.report._naming import noun_of
from sightline.report._share import Share
from sightline.table import Labels, Table

Step = Callable[[str], None]

MAX_PARTS_PROVED = 2_000_000
"""Parts of the space that a certificate may look at: a budget that does not depend on the machine."""

MAX_STUMPS = 100
MAX_STUMP_DEPTH = 3
"""Trees that vote are shown one by one up to so many, of so many levels."""


@dataclass(frozen=True)
class Evidence:
    """A model together with the rows it is judged by; what the parts of a report are made of.

    Attributes
    ----------
    model : Tree, Graph, …
        What is shown.
    ensemble : Ensemble or None
        What it stands for.
    estimator : SightlineClassifier or None
        What found the model, if that was given.
    rows : Table
        The rows, in the model's columns.
    labels : ndarray or None
        Their own labels.
    said, taught : ndarray
        What model and ensemble say about them; ``taught`` is None without an ensemble.
    baseline : ndarray or None
        What an ordinary model says about them.
    certificate : Certificate or None
        What is proved of the model.
    sizes : dict of int to Tree or RuleSet
        Models of other sizes; the model itself is among them.
    curve : FidelityCurve or None
        How faithful these are.
    title, data_name : str
        What the page and the rows are called.
    notes : dict
        Further lines of the model card, by heading.
    """

    model: Any
    ensemble: Ensemble | None
    estimator: SightlineClassifier | None
    rows: Table
    labels: NDArray[Any] | None
    said: NDArray[Any]
    taught: NDArray[Any] | None
    baseline: NDArray[Any] | None
    certificate: Certificate | None
    sizes: dict[int, Any]
    curve: FidelityCurve | None
    title: str
    data_name: str | None
    notes: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels that the model gives."""
        return classes_of(self.model)

    @property
    def agrees(self) -> NDArray[np.bool_] | None:
        """Per row: whether model and ensemble say the same; None without an ensemble."""
        return None if self.taught is None else np.asarray(self.said == self.taught)

    @property
    def fidelity(self) -> Share | None:
        """Share of the rows on which model and ensemble say the same."""
        return None if self.taught is None else self._share(self.said, self.taught)

    @property
    def accuracy(self) -> Share | None:
        """Share of the rows about which the model is right."""
        return self._accuracy(self.said)

    @property
    def ensemble_accuracy(self) -> Share | None:
        """The same of the ensemble."""
        return self._accuracy(self.taught)

    @property
    def baseline_accuracy(self) -> Share | None:
        """The same of an ordinary model."""
        return self._accuracy(self.baseline)

    def _accuracy(self, said: NDArray[Any] | None) -> Share | None:
        return None if said is None or self.labels is None else self._share(said, self.labels)

    @staticmethod
    def _share(said: NDArray[Any], told: NDArray[Any]) -> Share:
        return Share(int(np.count_nonzero(said == told)), len(said))


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
    notes: dict[str, dict[str, str]] | None,
    step: Step,
) -> Evidence:
    """Ask model and ensemble about the rows, certify, and measure other sizes.

    Parameters
    ----------
    est, X, y, ensemble, baseline, sizes, max_seconds, title, notes
        As in :func:`sightline.report`.
    step : callable
        Called with a few words when a longer step begins.

    Returns
    -------
    Evidence
        Everything that the parts of the report need.
    """
    estimator = est if isinstance(est, SightlineClassifier) else None
    model = _model_of(est)
    teacher = _teacher_of(est, model, ensemble)
    given = Table.from_any(X)
    rows = given.aligned(model.schema, type(est).__name__)
    labels = None if y is None else _labels(y, rows.n_rows, classes_of(model))
    step("asking model and ensemble")
    said = model.predict(rows)
    taught = None if teacher is None else teacher.predict(rows)
    certificate = None
    if teacher is not None and isinstance(model, Tree | Graph | RuleSet):
        step("looking for proofs")
        certificate = certify(
            model,
            teacher,
            rows,
            max_nodes=MAX_PARTS_PROVED,
            max_seconds=max_seconds,
            missing=[column.name for column in rows.columns if column.is_missing.any()],
        )
    others: dict[int, Any] = {}
    curve = None
    if teacher is not None and isinstance(est, SizePath):
        step("models of other sizes")
        others = {**est.summaries_by_size(sizes), est._size(): model}
        curve = FidelityCurve.of(others, teacher, rows, labels, est._size_unit)
    return Evidence(
        model=model,
        ensemble=teacher,
        estimator=estimator,
        rows=rows,
        labels=labels,
        said=said,
        taught=taught,
        baseline=None if baseline is None else _answers(baseline, given),
        certificate=certificate,
        sizes=dict(sorted(others.items())),
        curve=curve,
        title=title or _title(model, given.name),
        data_name=given.name,
        notes=notes or {},
    )


def classes_of(model: Any) -> NDArray[Any]:
    """Return the labels that a model gives."""
    return np.asarray(model.classes_)


def _model_of(est: Any) -> Any:
    model = est._fitted_model() if isinstance(est, SightlineClassifier) else est
    if isinstance(model, Tree | Graph) and model.classes_ is None:
        raise UnsupportedModelError("A regression has no report yet: it needs a classifier.")
    if not hasattr(model, "schema"):
        model = load(model)
    if isinstance(model, Ensemble) and model.n_trees == 1 and model.classes_ is not None:
        return model.trees[0]
    if isinstance(model, Ensemble) and not (isinstance(est, StumpEnsembleClassifier) or _is_a_vote(model)):
        raise UnsupportedModelError(
            "An ensemble has no report of its own: distil it first, for instance by "
            "sl.DistilledTreeClassifier(ensemble).fit(X, y)."
        )
    return model


def _is_a_vote(ensemble: Ensemble) -> bool:
    """Whether the trees vote, and are few and small enough to be read one by one."""
    is_small = max(tree.depth for tree in ensemble.core.trees) <= MAX_STUMP_DEPTH
    return ensemble.core.votes and ensemble.n_trees <= MAX_STUMPS and is_small


def _teacher_of(est: Any, model: Any, ensemble: Any) -> Ensemble | None:
    """Return what the model stands for: what was given, else what the estimator learnt from.

    Who gives the ensemble's own labels stands for nothing: to compare them would be idle.
    """
    if ensemble is not None:
        return load(ensemble)
    answers_itself = isinstance(est, StumpEnsembleClassifier) or (
        isinstance(model, CaseBase) and model.predict_with == "ensemble"
    )
    held = model.ensemble if isinstance(model, CaseBase) else getattr(est, "ensemble_", None)
    return held if isinstance(held, Ensemble) and not answers_itself else None


def _labels(y: Any, n_rows: int, classes: NDArray[Any]) -> NDArray[Any]:
    labels = Labels.from_any(y)
    if len(labels) != n_rows:
        raise DataError(f"X has {n_rows} rows, y has {len(labels)} labels: give one per row.")
    known = set(classes.tolist())
    if known.isdisjoint(labels.classes_.tolist()):
        raise DataError(
            f"No label of y is a class of the model: y has {labels.classes_[:5].tolist()}, "
            f"the model {classes[:5].tolist()}."
        )
    return np.asarray(labels)


def _answers(baseline: Any, rows: Table) -> NDArray[Any]:
    model = baseline if isinstance(baseline, SightlineClassifier) else load(baseline)
    return np.asarray(model.predict(rows))


def _title(model: Any, data_name: str | None) -> str:
    noun = noun_of(model).capitalize()
    return noun if data_name is None else f"{noun} for {data_name}"
