"""scikit-learn's TransformedTargetRegressor: the inverse of a transform, after a regressor."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from sightline.exceptions import UnsupportedModelError
from sightline.load._composition import Composition, named_as
from sightline.load._options import Options
from sightline.load._registry import is_class_of, register, type_name
from sightline.load._sklearn_estimator import require_fitted
from sightline.load.sklearn._wrapper import WrapperImporter, read_member
from sightline.model import Ensemble, FormulaBuilder
from sightline.sklearn_internals import standard_scaler_inverts_in_double, stored

_FUNCTIONS = {
    np.exp: "numpy_exp",
    np.exp2: "numpy_exp2",
    np.expm1: "numpy_expm1",
    np.log: "numpy_log",
    np.log2: "numpy_log2",
    np.log10: "numpy_log10",
    np.log1p: "numpy_log1p",
    np.cbrt: "numpy_cbrt",
    np.sinh: "numpy_sinh",
    np.arcsinh: "numpy_arcsinh",
    np.sqrt: "sqrt",
    np.square: "square",
}
"""The inverse functions that are followed, with their operations."""
_SNAPS_WITHIN = 1e-7
"""How close to an end of a normal distribution the library takes the end."""
_PROBES = np.concatenate([np.linspace(-4, 4, 129), np.geomspace(1e-3, 1e3, 64)])


@register
class SklearnTransformedTargetImporter(WrapperImporter):
    """Reads regressors of a transformed target."""

    class_names: ClassVar[frozenset[str]] = frozenset({"TransformedTargetRegressor"})

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Return the regressor with the inverse of the transform behind it."""
        require_fitted(model, "regressor_")
        owner = type(model).__name__
        name = type(model.regressor_).__name__
        composition = Composition([read_member(model.regressor_, name, owner, options)], [name], owner)
        response = composition.response
        inverse = _Inverse(composition, response.probabilities, response.is_single, owner)
        inverse.apply(model.transformer_)
        _require_same_inverse(model.transformer_, response.is_single, owner)
        ensemble = composition.ensemble(None, inverse.step)
        return named_as(ensemble, model, options)


class _Inverse:
    """The steps that undo transformers, in the precision of the regressor."""

    def __init__(self, builder: FormulaBuilder, step: int, single: bool, owner: str) -> None:
        self.builder = builder
        self.step = step
        self.single = single
        self.owner = owner

    def apply(self, transformer: Any) -> None:
        for name, undo in _UNDO.items():
            if is_class_of(type(transformer), "sklearn", frozenset({name})):
                undo(self, transformer)
                return
        raise self.refusal(
            f"its transformer is a {type_name(transformer)}, whose inverse is not supported. Supported: "
            f"{', '.join(_UNDO)}"
        )

    def refusal(self, sentence: str) -> UnsupportedModelError:
        return UnsupportedModelError(f"{self.owner}: {sentence}.", "Use sl.BlackBox(model).")

    def add(self, op: str, *numbers: float, single: bool | None = None) -> None:
        single = self.single if single is None else single
        self.step = self.builder.add(op, self.step, numbers=numbers, single=single)

    def steps_of_pipeline(self, transformer: Any) -> None:
        for _, step in reversed(transformer.steps):
            if step is not None and step != "passthrough":
                self.apply(step)

    def function(self, transformer: Any) -> None:
        inverse = transformer.inverse_func
        if inverse is None:
            return
        if transformer.inv_kw_args:
            raise self.refusal("its inverse_func has arguments (inv_kw_args), which are not supported")
        if inverse is np.negative:
            self.add("affine", -1.0, 0.0)
        elif isinstance(inverse, np.ufunc) and inverse in _FUNCTIONS:
            self.add(_FUNCTIONS[inverse])
        else:
            known = ", ".join(f"np.{function.__name__}" for function in (*_FUNCTIONS, np.negative))
            name = getattr(inverse, "__name__", repr(inverse))
            raise self.refusal(f"its inverse_func is {name!r}. Supported: {known}")

    def standard(self, transformer: Any) -> None:
        in_single = self.single and not standard_scaler_inverts_in_double()
        precision = np.float32 if in_single else np.float64
        scale = float(precision(transformer.scale_[0])) if transformer.with_std else 1.0
        mean = float(precision(transformer.mean_[0])) if transformer.with_mean else 0.0
        self.add("affine", scale, mean)

    def robust(self, transformer: Any) -> None:
        scale = transformer.scale_[0] if transformer.with_scaling else 1.0
        self.add("affine", scale, transformer.center_[0] if transformer.with_centering else 0.0)

    def largest(self, transformer: Any) -> None:
        self.add("affine", transformer.scale_[0], 0.0)

    def range(self, transformer: Any) -> None:
        self.add("affine", 1.0, -transformer.min_[0])
        self.add("divide", transformer.scale_[0])

    def quantiles(self, transformer: Any) -> None:
        if transformer.output_distribution == "normal":
            self.add("normal_cdf", single=False)
            self.add("snap", _SNAPS_WITHIN, single=False)
        points = [*transformer.references_.tolist(), *transformer.quantiles_[:, 0].tolist()]
        self.add("interpolate", *points, single=False)
        if self.single:
            self.add("affine", 1.0, 0.0)

    def powers(self, transformer: Any) -> None:
        if transformer.standardize:
            self.standard(stored(transformer, "_scaler"))
        is_box_cox = transformer.method == "box-cox"
        self.add("inverse_box_cox" if is_box_cox else "inverse_yeo_johnson", transformer.lambdas_[0])


_UNDO: dict[str, Callable[[_Inverse, Any], None]] = {
    "FunctionTransformer": _Inverse.function,
    "StandardScaler": _Inverse.standard,
    "MinMaxScaler": _Inverse.range,
    "MaxAbsScaler": _Inverse.largest,
    "RobustScaler": _Inverse.robust,
    "QuantileTransformer": _Inverse.quantiles,
    "PowerTransformer": _Inverse.powers,
    "Pipeline": _Inverse.steps_of_pipeline,
}


def _require_same_inverse(transformer: Any, single: bool, owner: str) -> None:
    """Refuse a version of the library that computes the inverse differently."""
    builder = FormulaBuilder(1)
    inverse = _Inverse(builder, builder.add("scores", columns=[0], single=single), single, owner)
    inverse.apply(transformer)
    numbers = _PROBES.astype(np.float32 if single else np.float64)
    found = builder.formula(inverse.step, inverse.step).evaluated(
        numbers.astype(np.float64)[:, np.newaxis], inverse.step
    )
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = transformer.inverse_transform(numbers[:, np.newaxis])
    if not np.array_equal(found, expected, equal_nan=True):
        raise inverse.refusal(
            f"this version of scikit-learn inverts a {type(transformer).__name__} in an unknown way"
        )
