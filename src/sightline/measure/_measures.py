"""All measures of a model, beside the ensemble and simple baselines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataError
from sightline.measure._class_balance import ClassBalance
from sightline.measure._class_quality import ClassQuality
from sightline.measure._difference import Differences
from sightline.measure._estimate import Estimate
from sightline.measure._fidelity import Fidelity, ScoreAgreement, fidelity
from sightline.measure._interval import Weights
from sightline.measure._number_errors import NumberErrors
from sightline.measure._predicted import Predicted, codes_among, united_classes
from sightline.measure._row_weights import RowWeights
from sightline.wording import Share

Quality = ClassQuality | NumberErrors


@dataclass(frozen=True, eq=False, repr=False)
class Measures:
    """Accuracy and fidelity of a model on some rows.

    ``str()`` gives a table, ``to_dict()`` plain values, ``to_frame()`` a data frame.

    Attributes
    ----------
    task : {"classes", "numbers"}
        What the model predicts.
    n_rows : int
        Number of rows.
    model, ensemble, baseline : ClassQuality, NumberErrors or None
        Quality of the model, the ensemble and the ordinary tree; None if the rows have no labels
        or numbers, and for models that were not given.
    guess : ClassQuality, NumberErrors or None
        Quality of always predicting the most frequent class, with its share as probability,
        or the mean.
    fidelity : Fidelity, NumberErrors or None
        How similar the predictions of model and ensemble are; None without an ensemble.
    balance : ClassBalance or None
        The classes and their rows: by the rows' own labels or, without them, the ensemble's.
    baseline_name : str
        Name of the ordinary tree.
    differences : Differences or None
        What the model gains or loses against the ensemble, row by row; None unless both were measured.
    row_weights : RowWeights or None
        The weights of the rows; None if every row counts the same.
    ensemble_name : str
        What the ensemble is called: ``other tree`` if the model is compared with a second tree.
    """

    task: Literal["classes", "numbers"]
    n_rows: int
    model: Quality | None
    ensemble: Quality | None
    baseline: Quality | None
    guess: Quality | None
    fidelity: Fidelity | NumberErrors | None
    balance: ClassBalance | None = None
    baseline_name: str = "ordinary tree"
    differences: Differences | None = None
    row_weights: RowWeights | None = None
    ensemble_name: str = "ensemble"

    @classmethod
    def of_classes(
        cls,
        labels: NDArray[Any] | None,
        model: Predicted,
        ensemble: Predicted | None = None,
        baseline: Predicted | None = None,
        *,
        baseline_name: str = "ordinary tree",
        positive: Any = None,
        confidence: float = 0.95,
        weights: Weights = None,
    ) -> Measures:
        """Measure predicted classes.

        Parameters
        ----------
        labels : ndarray of shape (n_rows,) or None
            The rows' own labels.
        model, ensemble, baseline : Predicted
            The predictions of each model.
        baseline_name : str
            Name of the baseline.
        positive : label, optional
            The positive class.
        confidence : float, default=0.95
            Confidence of the intervals.
        weights : ndarray of shape (n_rows,), optional
            Weight of each row.
        """
        reference = labels if labels is not None else ensemble.labels if ensemble is not None else None
        if reference is None:
            raise DataError("There is nothing to measure: pass y, an ensemble, or both.")
        everyone = [one for one in (model, ensemble, baseline) if one is not None]
        known = [None if one.classes is None else one.classes.tolist() for one in everyone]
        classes = united_classes(*known, sorted(set(reference.tolist()), key=str))
        truth = codes_among(reference, classes)
        balance = ClassBalance.of(truth, _array(classes), weights, positive, len(known[0] or classes))

        def quality(predicted: Predicted | None) -> ClassQuality | None:
            if predicted is None or labels is None:
                return None
            codes, scores = codes_among(predicted.labels, classes), predicted.scores(classes)
            return ClassQuality.of(truth, codes, scores, balance, confidence, weights)

        found = None
        if ensemble is not None:
            found = fidelity(ensemble.labels, model.labels, confidence, weights)
            theirs, ours = ensemble.scores(classes), model.scores(classes)
            if theirs is not None and ours is not None:
                alike = ScoreAgreement.of(theirs, ours, balance, confidence, weights)
                found = replace(found, scores=alike)
        model_quality, ensemble_quality = quality(model), quality(ensemble)
        differences = None
        if model_quality is not None and ensemble_quality is not None:
            differences = Differences.of_classes(
                model_quality.rows, ensemble_quality.rows, classes, confidence, weights
            )
        return cls(
            "classes",
            len(truth),
            model_quality,
            ensemble_quality,
            quality(baseline),
            quality(_guess(balance, len(truth))),
            found,
            balance,
            baseline_name,
            differences,
        )

    @classmethod
    def of_numbers(
        cls,
        numbers: NDArray[Any] | None,
        model: Predicted,
        ensemble: Predicted | None = None,
        baseline: Predicted | None = None,
        *,
        baseline_name: str = "ordinary tree",
        confidence: float = 0.95,
        weights: Weights = None,
        deviance_power: float | None = None,
    ) -> Measures:
        """Measure predicted numbers.

        The parameters are those of :meth:`of_classes`, and the power of the deviance that the ensemble
        learned to minimize, if that is known.
        """
        if numbers is None and ensemble is None:
            raise DataError("There is nothing to measure: pass y, an ensemble, or both.")

        def quality(predicted: Predicted | None) -> NumberErrors | None:
            if predicted is None or numbers is None:
                return None
            return NumberErrors.of(numbers, predicted.labels, confidence, weights, deviance_power)

        return cls(
            "numbers",
            len(model.labels),
            quality(model),
            quality(ensemble),
            quality(baseline),
            None if numbers is None else NumberErrors.of_mean(numbers, confidence, weights, deviance_power),
            None if ensemble is None else NumberErrors.of(ensemble.labels, model.labels, confidence, weights),
            baseline_name=baseline_name,
            differences=None
            if numbers is None or ensemble is None
            else Differences.of_numbers(numbers, model.labels, ensemble.labels, confidence, weights),
        )

    @property
    def is_imbalanced(self) -> bool:
        """Whether a class is so rare that balanced measures are needed."""
        return self.balance is not None and self.balance.is_imbalanced

    @property
    def deviance_power(self) -> float | None:
        """The power of the deviance that was measured; None if none was."""
        errors = (one for one in self.qualities.values() if isinstance(one, NumberErrors))
        return next((one.deviance_power for one in errors if one.deviance_power is not None), None)

    @property
    def guess_name(self) -> str:
        """The prediction without a model, as in ``always no``."""
        return "always the mean" if self.balance is None else f"always {self.balance.majority_label}"

    @property
    def difference_name(self) -> str:
        """What lines call the differences."""
        return f"model minus {self.ensemble_name}"

    @property
    def qualities(self) -> dict[str, Quality]:
        """Quality by name: model, ensemble, ordinary tree, and the constant guess."""
        named = {
            "model": self.model,
            self.ensemble_name: self.ensemble,
            self.baseline_name: self.baseline,
            self.guess_name: self.guess,
        }
        return {name: one for name, one in named.items() if one is not None}

    def with_equal_answers(self) -> Measures:
        """Return the measures of a model that provably gives the ensemble's labels: no label differs."""
        if self.differences is None or self.task == "numbers":
            return self
        return replace(self, differences=self.differences.of_equal_labels())

    def lines(self) -> Iterator[tuple[str, str, Any, Share | Estimate]]:
        """Yield everything that was measured.

        Yields
        ------
        who : str
            Who was measured: a name of ``qualities``, or ``model minus ensemble``. Fidelity is that of the
            model, and of always giving the ensemble's most frequent label.
        measure : str
            Name of the measure.
        label : label or None
            The class that it is about; None for all rows.
        found : Share or Estimate
            The measure.
        """
        for who, quality in self.qualities.items():
            for measure, label, found in quality.lines():
                yield who, measure, label, found
            if who == self.ensemble_name and self.differences is not None:
                for measure, label, change in self.differences.lines():
                    yield self.difference_name, measure, label, change
        if isinstance(self.fidelity, Fidelity):
            for measure, label, share in self.fidelity.lines():
                yield "model", measure, label, share
            always = f"always {self.fidelity.majority_label}"
            yield always, "fidelity", None, self.fidelity.majority
        elif self.fidelity is not None:
            for measure, label, error in self.fidelity.lines():
                yield "model", f"{measure} to the {self.ensemble_name}", label, error

    def to_dict(self) -> dict[str, Any]:
        """Return all measures as plain values that JSON can hold.

        Returns
        -------
        dict
            Each measure with its interval and the number of rows; what was not measured is None.
        """
        named: dict[str, Any] = {
            "model": self.model,
            "ensemble": self.ensemble,
            "baseline": self.baseline,
            "majority" if self.task == "classes" else "mean": self.guess,
            "difference": self.differences,
            "fidelity": self.fidelity,
        }
        document: dict[str, Any] = {
            "task": self.task,
            "rows": self.n_rows,
            "weights": None if self.row_weights is None else self.row_weights.to_json(),
        }
        if self.balance is not None:
            labels = [str(label) for label in self.balance.classes.tolist()]
            document["classes"] = dict(zip(labels, self.balance.shares.tolist(), strict=True))
            document["imbalanced"] = self.is_imbalanced
            document["focus"] = None if self.balance.focus is None else labels[self.balance.focus]
        return {**document, **{name: None if one is None else one.to_json() for name, one in named.items()}}

    def to_frame(self, library: str = "pandas") -> Any:
        """Return all measures as a data frame, one row per measure.

        Parameters
        ----------
        library : {"pandas", "polars"}, default="pandas"
            The library of the frame.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            Who was measured (``of``), the ``measure``, the ``class`` that it is about if it is about one,
            ``value``, ``low``, ``high`` and ``rows``.
        """
        from sightline.measure._display import frame  # noqa: PLC0415 - only this needs it

        return frame(self, library)

    def to_text(self) -> str:
        """Return the measures as a text table."""
        from sightline.measure._display import text  # noqa: PLC0415

        return text(self)

    def _repr_html_(self) -> str:
        from sightline.measure._display import html  # noqa: PLC0415

        return html(self)

    def __repr__(self) -> str:
        return self.to_text()


def _guess(balance: ClassBalance, n_rows: int) -> Predicted:
    labels = np.repeat(balance.classes[balance.majority : balance.majority + 1], n_rows)
    return Predicted(labels, np.broadcast_to(balance.shares, (n_rows, balance.n_classes)), balance.classes)


def _array(classes: list[Any]) -> NDArray[Any]:
    # numpy would turn [1, "a"] into strings.
    is_mixed = len({isinstance(label, str) for label in classes}) > 1
    return np.array(classes, dtype=object if is_mixed else None)
