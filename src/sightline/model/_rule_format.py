"""The stored form of rule sets."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import ModelFormatError, ParameterError
from sightline.model._document import Document, get, get_array, get_number
from sightline.model._format import KindFormat, stores
from sightline.model._label_format import read_classes, write_classes
from sightline.model._plain import finite_or_none
from sightline.model._rule import RuleErrors, RuleStatistics, Voting
from sightline.model._rule_set import RuleSet
from sightline.model._subject import read_schema, write_schema

_RULE_ARRAYS: dict[str, type] = {
    "feature": np.int32,
    "accepts_missing": np.uint8,
    "category_begin": np.int64,
    "category": np.int32,
    "condition_begin": np.int64,
    "condition": np.int32,
    "label": np.int32,
    "weight": np.float64,
    "source_begin": np.int64,
    "source": np.int32,
}
# JSON cannot write infinite numbers: null stands for these.
_RULE_NULLS: dict[str, float] = {"low": -math.inf, "high": math.inf}


@stores(RuleSet)
class RuleSetFormat(KindFormat):
    """A rule set."""

    kind = "rule_set"

    @staticmethod
    def write(model: RuleSet) -> Document:
        """Return the rules, their statistics and how they vote."""
        core, voting = model.core, model.voting
        return {
            **write_schema(model.schema, model.classes_),
            "classes": write_classes(model.classes_),
            "voting": {
                "pc": float(voting.pc),
                "wr": float(voting.wr),
                "fallback": None if voting.fallback is None else float(voting.fallback),
                "base": list(voting.base),
                "prior": list(voting.prior),
            },
            "n_trees": core.n_trees,
            **{name: _with_nulls(getattr(core, name)) for name in _RULE_NULLS},
            **{name: getattr(core, name).tolist() for name in _RULE_ARRAYS},
            **({} if model.values is None else {"values": model.values.tolist()}),
            **{name: _with_nulls(array) for name, array in model.statistics.columns().items()},
        }

    @staticmethod
    def read(document: Document) -> RuleSet:
        """Build the rule set."""
        classes = read_classes(document)
        schema = read_schema(document, classes)
        if not len(classes) if classes is not None else "values" not in document:
            raise ModelFormatError("a rule set needs classes, or the values that its rules predict")
        n_classes = 1 if classes is None else len(classes)
        arrays = {name: get_array(document, name, dtype) for name, dtype in _RULE_ARRAYS.items()}
        arrays |= {name: _get_array_with_nulls(document, name, null) for name, null in _RULE_NULLS.items()}
        n_trees = get(document, "n_trees", int)
        if not 0 <= n_trees < 2**31:
            raise ModelFormatError("'n_trees' must be at least 0 and less than 2147483648")
        try:
            core = _core.RuleSet(n_values=schema.n_values, n_classes=n_classes, n_trees=n_trees, **arrays)
        except ValueError as error:
            raise ModelFormatError(str(error)) from error
        kind: Any = RuleErrors if classes is None else RuleStatistics
        statistics = [_get_array_with_nulls(document, field.name, math.nan) for field in fields(kind)]
        if any(len(array) != core.n_rules for array in statistics):
            raise ModelFormatError(f"there are {core.n_rules} rules, but not as many statistics")
        voting = _read_voting(get(document, "voting", dict), classes)
        values = None if classes is not None else _read_values(document, core)
        return RuleSet(core, schema, classes, voting, kind(*statistics), values)


def _with_nulls(numbers: NDArray[np.float64]) -> list[float | None]:
    return [finite_or_none(value) for value in numbers.tolist()]


def _get_array_with_nulls(document: Document, key: str, null: float) -> NDArray[np.float64]:
    values = get(document, key, list)
    known = [value for value in values if value is not None]
    array = np.full(len(values), null)
    array[[value is not None for value in values]] = get_array({key: known}, key, np.float64)
    return array


def _read_values(document: Document, core: _core.RuleSet) -> NDArray[np.float64]:
    values = get_array(document, "values", np.float64)
    if len(values) != core.n_rules:
        raise ModelFormatError(f"there are {core.n_rules} rules, but {len(values)} values")
    if core.n_rules and np.min(core.weight) < 0:
        raise ModelFormatError("rules that predict numbers have no negative weights")
    return values


def _read_voting(stored: Document, classes: NDArray[Any] | None) -> Voting:
    n_classes = 1 if classes is None else len(classes)
    base, prior = (tuple(get_array(stored, name, np.float64).tolist()) for name in ("base", "prior"))
    if len(base) != n_classes or len(prior) != n_classes or (classes is not None and min(prior) < 0):
        raise ModelFormatError("'base' and 'prior' need one number per class, 'prior' none below 0")
    fallback = get(stored, "fallback", float, int, type(None))
    try:
        return Voting(
            prior,
            base,
            get_number(stored, "pc"),
            get_number(stored, "wr"),
            None if fallback is None else get_number(stored, "fallback"),
        )
    except ParameterError as error:
        raise ModelFormatError(str(error).rstrip(".")) from error
