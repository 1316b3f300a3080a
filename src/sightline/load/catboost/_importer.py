"""CatBoost: trees that test ``float32(x) > border``, and a bias added at the end.

The model stores only a hash of each category; ``load`` can be given the values themselves.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import UnsupportedModelError
from sightline.load._assembly import build_sum, build_trees, named_schema
from sightline.load._fields import Fields
from sightline.load._file import FileImporter, ModelFile, register_file
from sightline.load._options import Options
from sightline.load._registry import Importer, is_class_of, register
from sightline.load._response import one_vs_rest_link, response_link, tweedie_power
from sightline.load._unfitted import UnfittedModelError
from sightline.load.catboost._columns import StoredColumns
from sightline.load.catboost._tests import Translator
from sightline.load.catboost._trees import read_trees
from sightline.model import Ensemble, Link, with_categories

_IDENTITY = frozenset(
    {
        "RMSE", "MAE", "Quantile", "MAPE", "Huber", "Expectile", "Lq", "LogCosh", "LogLinQuantile", "Cox",
        "SurvivalAft", "RMSPE",
    }
)  # fmt: skip
_RATES = frozenset({"Poisson", "Tweedie"})
"""The library's regressors predict the exponential of the sum."""
_SEVERAL_NUMBERS = frozenset(
    {"MultiRMSE", "MultiRMSEWithMissingValues", "MultiQuantile", "RMSEWithUncertainty"}
)
_TWO_CLASSES = frozenset({"Logloss", "CrossEntropy", "Focal"})
_MULTI = frozenset({"MultiClass", "MultiClassOneVsAll"})
_SUPPORTED = ", ".join(sorted(_TWO_CLASSES) + sorted(_MULTI) + sorted(_IDENTITY | _RATES))
_LABELS = {"Integer": (int,), "Float": (int, float), "String": (str,), "Boolean": (bool,)}


@register_file
class CatBoostFileImporter(FileImporter):
    """Reads ``save_model(path, format="json")``."""

    format_name: ClassVar[str] = "CatBoost JSON"
    unread: ClassVar[tuple[str, ...]] = ("trees",)

    def recognizes(self, file: ModelFile) -> bool:
        """Check for the features and for trees of either kind."""
        return "features_info" in file.keys and bool({"oblivious_trees", "trees"} & file.keys)

    def read(self, file: ModelFile) -> Ensemble:
        """Return the additive model."""
        return read_document(file)


@register
class CatBoostImporter(Importer):
    """Reads estimators."""

    library: ClassVar[str] = "catboost"
    class_names: ClassVar[frozenset[str]] = frozenset({"CatBoost", "CatBoostClassifier", "CatBoostRegressor"})
    family: ClassVar[str] = "CatBoost"

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Return the additive model."""
        owner = type(model).__name__
        if not model.is_fitted():
            raise UnfittedModelError.of(model)
        predicts_sums = is_class_of(type(model), self.library, frozenset({"CatBoost"}))
        return read_document(ModelFile(owner, _exported(model, owner), options), predicts_sums)


def _exported(model: Any, owner: str) -> bytes:
    """Return a model as JSON, which the library can only write to a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        try:
            model.save_model(str(path), format="json")
        except Exception as error:
            raise cannot_export(owner, str(error)) from error
        return path.read_bytes()


def cannot_export(owner: str, reason: str) -> UnsupportedModelError:
    """Return the error for a model that the library does not write as JSON."""
    # The library puts the line of its source in front.
    _, _, sentence = reason.rpartition(": ")
    return UnsupportedModelError(
        f"{owner}: CatBoost cannot describe this model ({sentence}).",
        "Use sl.BlackBox(model).",
    )


def read_document(file: ModelFile, predicts_sums: bool = False) -> Ensemble:
    """Return the additive model that a JSON document describes.

    Parameters
    ----------
    file : ModelFile
        The document.
    predicts_sums : bool, default=False
        Whether the model predicts rates by their logarithm, as objects of class CatBoost do.

    Returns
    -------
    Ensemble
        Predicts as the library does.
    """
    return _Document(file, predicts_sums).ensemble()


class _Document:
    def __init__(self, file: ModelFile, predicts_sums: bool) -> None:
        self.owner = file.name
        self.predicts_sums = predicts_sums
        self.options = file.options
        self.root = Fields(file.parsed(), file.name)
        self.columns = StoredColumns(self.root)

    def ensemble(self) -> Ensemble:
        """Return the ensemble."""
        classes, link = self._answer()
        n_scores = len(classes) if classes is not None and link.kind == "softmax" else 1
        schema = named_schema(self.columns.features, self.owner, self.columns.names_given)
        translator = Translator(self.columns)
        nodes = (translator.translated(stored) for stored in read_trees(self.root, n_scores))
        core = build_sum(
            build_trees(nodes, schema.n_values, self.owner),
            self.owner,
            n_scores=n_scores,
            base=self._bias(n_scores) if self._scale == 1 else [0.0],
            base_last=True,
        )
        ensemble = Ensemble(core, schema, classes, link, deviance_power=self._deviance_power())
        known = self.options.categories if self.options.rows is None else self.options.rows
        return with_categories(ensemble, known)

    def _answer(self) -> tuple[NDArray[Any] | None, Link]:
        info = self.root.inner("model_info")
        if "params" not in info:
            raise UnsupportedModelError(
                f"{self.owner}: stores no loss function, like the models of sum_models, which are not "
                "supported.",
                "Use sl.BlackBox(model).",
            )
        loss = self._loss.string("type")
        if loss in _IDENTITY:
            return None, self._number()
        if loss in _RATES:
            return None, self._number() if self.predicts_sums else self._number("fast_exp")
        if loss in _SEVERAL_NUMBERS:
            raise UnsupportedModelError(
                f"{self.owner}: the loss {loss!r} predicts several numbers per row. Supported: 1."
            )
        if loss not in _TWO_CLASSES | _MULTI:
            raise UnsupportedModelError(
                f"{self.owner}: the loss {loss!r} is not supported. Supported: {_SUPPORTED}."
            )
        if self._scale != 1:
            raise UnsupportedModelError(
                f"{self.owner}: its scale is {self._scale!r}. Supported: 1, or any for regressions."
            )
        classes = self._classes(info.inner("class_params"))
        if loss == "MultiClass":
            return classes, Link("softmax")
        if loss == "MultiClassOneVsAll":
            return classes, one_vs_rest_link(len(classes), by_score=True)
        if len(classes) != 2:
            raise info.fault(f"the loss {loss!r} needs 2 classes, but there are {len(classes)}")
        return classes, Link("sigmoid", label_above=_label_above(info))

    @property
    def _loss(self) -> Fields:
        return self.root.inner("model_info").inner("params").inner("loss_function")

    def _deviance_power(self) -> float | None:
        """Return the power of the deviance that the loss is; None if the model predicts logarithms."""
        loss = self._loss
        if self.predicts_sums or loss.string("type") not in _RATES:
            return None
        if loss.string("type") == "Poisson":
            return 1.0
        options = loss.inner("params") if "params" in loss else Fields({}, "")
        return tweedie_power(options.string("variance_power")) if "variance_power" in options else None

    def _classes(self, params: Fields) -> NDArray[Any]:
        kind, names = params.string("class_label_type"), params.entries("class_names")
        if not names and kind == "Integer":
            # The target was a number, which a border cut in two, or a probability.
            names = list(range(len(params.integers("class_to_label"))))
        if kind not in _LABELS or not names or not all(type(name) in _LABELS[kind] for name in names):
            raise params.fault("'class_names' do not match 'class_label_type'")
        if len(set(names)) < len(names):
            raise params.fault("'class_names' must be different")
        n_declared = params.whole("classes_count") if "classes_count" in params else 0
        if n_declared > len(names):
            raise UnsupportedModelError(
                f"{self.owner}: declares {n_declared} classes, but only {len(names)} occurred in training, "
                "which is not supported. Fit it without classes_count."
            )
        if not np.array_equal(params.integers("class_to_label"), np.arange(len(names))):
            raise UnsupportedModelError(f"{self.owner}: its classes are not in the order of their names.")
        return np.array(names, dtype=np.float64 if kind == "Float" else object if kind == "String" else None)

    def _number(self, *functions: str) -> Link:
        """Return the link of a regression. A scale other than 1 comes before the bias, behind all trees."""
        scale = self._scale
        return response_link(*functions, affine=None if scale == 1 else (scale, self._bias(1)[0]))

    @property
    def _scale(self) -> float:
        return self._scale_and_bias(0).number("value")

    def _bias(self, n_scores: int) -> list[float]:
        stored = self._scale_and_bias(1)
        is_vector = isinstance(stored.any("value"), np.ndarray | list)
        values = stored.numbers("value") if is_vector else [stored.number("value")]
        if len(values) not in (0, n_scores):
            raise self.root.fault(f"'scale_and_bias' has {len(values)} biases; expected {n_scores}")
        return [float(value) for value in values] or [0.0] * n_scores

    def _scale_and_bias(self, index: int) -> Fields:
        stored = self.root.entries("scale_and_bias")
        if len(stored) != 2:
            raise self.root.fault("'scale_and_bias' must have two entries")
        return Fields({"value": stored[index]}, f"{self.owner}: 'scale_and_bias'")


def _label_above(info: Fields) -> float:
    """Return the score above which the second class is predicted."""
    if "binclass_probability_threshold" not in info:
        return 0.0
    try:
        threshold = float(info.string("binclass_probability_threshold"))
    except ValueError:
        threshold = math.nan
    if not 0 < threshold < 1:
        raise info.fault("'binclass_probability_threshold' must be between 0 and 1")
    # In the library's order of operations.
    return -math.log(1 / threshold - 1)
