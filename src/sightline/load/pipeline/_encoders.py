"""Transformers that turn categories into numbers."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from sightline.load.pipeline._follower import Follower, follows, refusal
from sightline.load.pipeline._trace import Made, Step
from sightline.sklearn_internals import stored
from sightline.table import is_missing


class _Encoder(Follower):
    """Lists the values of each column, and makes numbers of them."""

    fitted: ClassVar[str] = "categories_"
    takes_numbers: ClassVar[bool] = False

    def made(self, step: Step) -> list[Made]:
        """Return one or several columns per column."""
        encoder = step.transformer
        if len(encoder.categories_) != len(step.inputs):
            raise refusal(step, f"encodes {len(encoder.categories_)} columns but gets {len(step.inputs)}")
        refuses = getattr(encoder, "handle_unknown", "ignore") == "error"
        made = []
        for position, categories in enumerate(encoder.categories_):
            trace = step.inputs[position]
            if trace.keeps_values:
                trace.source.is_category = True
                trace.source.lists(categories, refuses)
                # Known without a try: many columns that refuse missing values would cost one each.
                if refuses and not trace.fills_missing and not any(map(is_missing, categories)):
                    trace.source.refuses_missing = True
            numbers = [float(value) for value in categories if _is_number(value)]
            made += [
                Made(position, fills_missing=True, turns_at=numbers)
                for _ in range(self.n_columns(encoder, position))
            ]
        return made

    def transform(self, transformer: Any, X: Any) -> Any:
        """Transform; an encoder that was fitted on objects does not compare them with doubles."""
        return transformer.transform(_as_fitted(X, [known.dtype for known in transformer.categories_]))

    @abstractmethod
    def n_columns(self, encoder: Any, position: int) -> int:
        """Return the number of columns made of one."""


def _as_fitted(X: Any, fitted: list[np.dtype[Any]]) -> Any:
    """Return rows whose numbers are objects where the steps were fitted on objects."""
    if hasattr(X, "iloc"):
        kinds = zip(X.columns, X.dtypes, fitted, strict=True)
        changed = {name: object for name, kind, known in kinds if known.kind == "O" and kind.kind in _NUMBERS}
        return X.astype(changed) if changed else X
    is_changed = getattr(X, "dtype", np.dtype(object)).kind in _NUMBERS and np.dtype(object) in fitted
    return X.astype(object) if is_changed else X


_NUMBERS = "biuf"
"""Kinds of numpy's types that are numbers."""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number | np.bool_) and not is_missing(value)


@follows
class OneHotFollower(_Encoder):
    """One column per category, without dropped ones, with rare ones together."""

    class_names: ClassVar[frozenset[str]] = frozenset({"OneHotEncoder"})
    parameters: ClassVar[frozenset[str]] = frozenset(
        {
            "categories", "drop", "sparse_output", "dtype", "handle_unknown", "min_frequency",
            "max_categories", "feature_name_combiner",
        }
    )  # fmt: skip

    def n_columns(self, encoder: Any, position: int) -> int:
        """Return the number of columns made of one."""
        return int(stored(encoder, "_n_features_outs")[position])


@follows
class OrdinalFollower(_Encoder):
    """The number of the category."""

    class_names: ClassVar[frozenset[str]] = frozenset({"OrdinalEncoder"})
    parameters: ClassVar[frozenset[str]] = frozenset(
        {
            "categories", "dtype", "handle_unknown", "unknown_value", "encoded_missing_value",
            "min_frequency", "max_categories",
        }
    )  # fmt: skip

    def n_columns(self, encoder: Any, position: int) -> int:
        """Return 1."""
        del encoder, position
        return 1


@follows
class TargetFollower(_Encoder):
    """The mean of the target per category, one column per class if there are more than two."""

    class_names: ClassVar[frozenset[str]] = frozenset({"TargetEncoder"})
    parameters: ClassVar[frozenset[str]] = frozenset(
        {"categories", "target_type", "smooth", "cv", "shuffle", "random_state"}
    )

    def n_columns(self, encoder: Any, position: int) -> int:
        """Return the number of classes, or 1."""
        del position
        return len(encoder.classes_) if encoder.target_type_ == "multiclass" else 1
