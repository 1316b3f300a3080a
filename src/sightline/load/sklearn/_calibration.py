"""scikit-learn's CalibratedClassifierCV: a map per class, over one model or the mean of several."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._composition import Composition
from sightline.load._options import Options
from sightline.load._registry import register
from sightline.load._sklearn_estimator import require_fitted
from sightline.load.sklearn._wrapper import WrapperImporter, read_member
from sightline.model import Ensemble, Formula

# What the library adds to a probability before it takes the logarithm.
_LOG_OFFSET = 1e-12


@register
class SklearnCalibratedImporter(WrapperImporter):
    """Reads calibrated classifiers, whatever the number of folds."""

    class_names: ClassVar[frozenset[str]] = frozenset({"CalibratedClassifierCV"})

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Return the models with calibrated probabilities, which decide the label."""
        require_fitted(model, "calibrated_classifiers_")
        owner = type(model).__name__
        folds = model.calibrated_classifiers_
        names = [_name(fold, number, len(folds)) for number, fold in enumerate(folds)]
        parts = [
            read_member(fold.estimator, name, owner, options) for fold, name in zip(folds, names, strict=True)
        ]
        composition = Composition(parts, names, owner)
        classes = np.asarray(model.classes_)
        calibrated = [
            _Calibration(composition, response, fold, classes).probabilities()
            for response, fold in zip(composition.responses, folds, strict=True)
        ]
        mean = calibrated[0] if len(calibrated) == 1 else composition.average(calibrated, None)
        return composition.ensemble(classes, mean)


def _name(fold: Any, number: int, n_folds: int) -> str:
    name = type(fold.estimator).__name__
    return name if n_folds == 1 else f"{name} of fold {number}"


def _is_fitted_on_codes(fold: Any, classes: NDArray[Any], own: NDArray[Any]) -> bool:
    """Whether the library gave codes to the model: it does so for the temperature of labels that are text."""
    return fold.method == "temperature" and isinstance(classes[0], str) and own.dtype.kind in "iu"


class _Calibration:
    """The steps from the answer of one model to its calibrated probabilities."""

    def __init__(self, composition: Composition, response: Formula, fold: Any, classes: NDArray[Any]) -> None:
        self.composition = composition
        self.response = response
        self.fold = fold
        self.n_classes = len(classes)
        own = np.asarray(fold.estimator.classes_)
        known = np.arange(self.n_classes) if _is_fitted_on_codes(fold, classes, own) else classes
        self.columns = np.searchsorted(known, own).tolist()
        if (self.n_classes == 2 and len(self.columns) != 2) or not np.array_equal(
            known[np.minimum(self.columns, self.n_classes - 1)], own
        ):
            raise ModelFormatError(f"{composition.owner}: a calibrated model has different classes.")
        # The library prefers the decision function, in all of its methods.
        self.by_decision = hasattr(fold.estimator, "decision_function")

    def probabilities(self) -> int:
        """Add all steps, and return the last."""
        methods = {"sigmoid": self._per_class, "isotonic": self._per_class, "temperature": self._temperature}
        if self.fold.method not in methods:
            raise UnsupportedModelError(
                f"{self.composition.owner}: the method {self.fold.method!r} is unknown. "
                "Supported: sigmoid, isotonic and temperature."
            )
        return self.composition.add("clip_one", methods[self.fold.method]())

    def _per_class(self) -> int:
        add = self.composition.add
        if self.n_classes == 2:
            (calibrator,) = self.fold.calibrators
            return add("complement", self._calibrated(calibrator, self._positive()))
        answers = self._answers()
        calibrated = [
            self._calibrated(calibrator, add("select", answers, columns=[index]))
            for index, calibrator in enumerate(self.fold.calibrators)
        ]
        placed = add("place", add("concat", *calibrated), numbers=[self.n_classes], columns=self.columns)
        return add("normalize", placed, numbers=[1 / self.n_classes])

    def _calibrated(self, calibrator: Any, step: int) -> int:
        if self.fold.method == "sigmoid":
            slope, offset = float(calibrator.a_), float(calibrator.b_)
            return self.composition.add(
                "sigmoid", self.composition.add("affine", step, numbers=[-slope, -offset])
            )
        x, y = calibrator.X_thresholds_, calibrator.y_thresholds_
        single = x.dtype == np.float32
        return self.composition.add("interpolate", step, numbers=[*x.tolist(), *y.tolist()], single=single)

    def _temperature(self) -> int:
        add = self.composition.add
        if self.by_decision:
            if self.n_classes > 2:
                raise UnsupportedModelError(
                    f"{self.composition.owner}: temperature scaling of several decision values. scikit-learn "
                    "checks all rows of a call to decide whether they are probabilities.",
                    "sl.BlackBox takes any model.",
                )
            logits = add("mirror", self._answers())
        else:
            if self.response.is_single:
                raise UnsupportedModelError(
                    f"{self.composition.owner}: temperature scaling of probabilities in single precision, "
                    "as XGBoost gives them.",
                    "sl.BlackBox takes any model.",
                )
            both = self._answers() if self.n_classes > 2 else add("complement", self._positive())
            logits = add("log", both, numbers=[_LOG_OFFSET])
        (calibrator,) = self.fold.calibrators
        return add("numpy_softmax", add("affine", logits, numbers=[float(calibrator.beta_), 0.0]))

    def _positive(self) -> int:
        """Return the one number that two classes are calibrated by."""
        answers = self._answers()
        return answers if self.by_decision else self.composition.add("select", answers, columns=[1])

    def _answers(self) -> int:
        if not self.by_decision:
            return self.response.probabilities
        if self.response.decision is None:
            raise ModelFormatError(f"{self.composition.owner}: a model has no decision function.")
        return self.response.decision
