"""scikit-learn's HistGradientBoosting: a baseline plus trees over doubles and categories.

Unlike other trees of the library, these compare in double precision. The library moves categorical
columns to the front and numbers the categories. Both are undone here, so that names and categories
are those of the caller. A category that was not seen in training is missing, as in a Table.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import DataWarning, ModelFormatError, UnsupportedModelError
from sightline.load._assembly import build_sum, build_trees
from sightline.load._binary_nodes import BinaryNodes, Subsets
from sightline.load._registry import Importer, register
from sightline.load._response import response_link
from sightline.load._sklearn_estimator import (
    class_labels,
    feature_names,
    numeric_schema,
    refuse_unknown_fields,
    require_fitted,
    schema_of,
)
from sightline.load._thresholds import double_at_most
from sightline.model import Ensemble, Link
from sightline.sklearn_internals import stored
from sightline.table import Feature, Schema

_PREDICTOR_FIELDS = ("nodes", "binned_left_cat_bitsets", "raw_left_cat_bitsets")
_NODE_FIELDS = (
    "value",
    "count",
    "feature_idx",
    "num_threshold",
    "missing_go_to_left",
    "left",
    "right",
    "gain",
    "depth",
    "is_leaf",
    "bin_threshold",
    "is_categorical",
    "bitset_idx",
)

_FUNCTIONS = {"IdentityLink": (), "LogLink": ("numpy_exp",)}
"""What the library makes of the sum, by its links."""
_DEVIANCE_POWERS = {"HalfPoissonLoss": 1.0, "HalfGammaLoss": 2.0}


@register
class SklearnHistGradientBoostingImporter(Importer):
    """Reads histogram-based gradient boosting."""

    library: ClassVar[str] = "sklearn"
    family: ClassVar[str] = "scikit-learn"
    class_names: ClassVar[frozenset[str]] = frozenset(
        {"HistGradientBoostingClassifier", "HistGradientBoostingRegressor"}
    )

    def read(self, model: Any) -> Ensemble:
        """Return the additive model."""
        require_fitted(model, "n_iter_")
        owner = type(model).__name__
        schema, classes = _schema(model), class_labels(model)
        n_scores = model.n_trees_per_iteration_
        predictors = [predictor for stage in stored(model, "_predictors") for predictor in stage]
        core = build_sum(
            build_trees(_all_nodes(predictors, _original_columns(model), owner), schema.n_values, owner),
            owner,
            n_scores=n_scores,
            tree_score=[number % n_scores for number in range(len(predictors))],
            base=np.ravel(stored(model, "_baseline_prediction")).tolist(),
        )
        # Not model.loss, which may have changed after fitting.
        power = _DEVIANCE_POWERS.get(type(stored(model, "_loss")).__name__)
        return Ensemble(core, schema, classes, _link(model, classes), deviance_power=power)


def _link(model: Any, classes: NDArray[Any] | None) -> Link:
    if classes is None:
        link = type(stored(model, "_loss").link).__name__
        if link not in _FUNCTIONS:
            raise UnsupportedModelError(
                f"{type(model).__name__}: the loss {model.loss!r} has the link {link}, which is not "
                f"supported. Supported: {', '.join(_FUNCTIONS)}."
            )
        return response_link(*_FUNCTIONS[link])
    if len(classes) == 1:
        warnings.warn(
            f"{type(model).__name__}: the model has one class, {classes.tolist()[0]!r}. predict_proba has "
            "one column here. scikit-learn returns a second one, for a class that does not exist.",
            DataWarning,
            stacklevel=2,
        )
    # With a single class, softmax gives it probability 1, whatever the sum.
    return Link("sigmoid") if len(classes) == 2 else Link("softmax")


def _schema(model: Any) -> Schema:
    if model.is_categorical_ is None:
        return numeric_schema(model, rounding="")
    names = feature_names(model)
    encoder = stored(model, "_preprocessor").named_transformers_["encoder"]
    categories = {
        int(column): _known_categories(values, names[column], type(model).__name__)
        for column, values in zip(np.flatnonzero(model.is_categorical_), encoder.categories_, strict=True)
    }
    return schema_of([Feature(name, categories.get(column)) for column, name in enumerate(names)], model)


def _known_categories(values: NDArray[Any], name: str, owner: str) -> tuple[object, ...] | None:
    """Return the categories in the order of their codes, without the one for missing values.

    A column without any known value is numeric; no test can use it.
    """
    known = values.tolist()
    if None in known:
        raise UnsupportedModelError(
            f"{owner}: column {name!r} held None, which scikit-learn takes as a category and not as a "
            f"missing value. Replace it in training: X[{name!r}].where(X[{name!r}].notna(), np.nan)."
        )
    if known and isinstance(known[-1], float) and np.isnan(known[-1]):
        known.pop()
    for value in known:
        if not isinstance(value, str | int | float):
            raise UnsupportedModelError(
                f"{owner}: column {name!r} has the category {value!r}. Supported: strings, numbers and "
                "booleans."
            )
    return tuple(known) or None


def _original_columns(model: Any) -> NDArray[np.intp]:
    """Return the position in the caller's table for each column of the trees."""
    if model.is_categorical_ is None:
        return np.arange(model.n_features_in_)
    return np.concatenate([np.flatnonzero(model.is_categorical_), np.flatnonzero(~model.is_categorical_)])


def _all_nodes(predictors: list[Any], columns: NDArray[np.intp], owner: str) -> Iterator[BinaryNodes]:
    for number, predictor in enumerate(predictors):
        where = f"{owner}: tree {number}"
        refuse_unknown_fields(vars(predictor), _PREDICTOR_FIELDS, where)
        refuse_unknown_fields(predictor.nodes.dtype.names, _NODE_FIELDS, where)
        yield _nodes(predictor, columns, where)


def _nodes(predictor: Any, columns: NDArray[np.intp], where: str) -> BinaryNodes:
    nodes = predictor.nodes
    is_leaf = nodes["is_leaf"].astype(np.bool_)
    exists = (nodes["feature_idx"] >= 0) & (nodes["feature_idx"] < len(columns))
    return BinaryNodes(
        is_leaf=is_leaf,
        feature=np.where(exists, columns[np.where(exists, nodes["feature_idx"], 0)], -1),
        threshold=double_at_most(nodes["num_threshold"]),
        left=nodes["left"],
        right=nodes["right"],
        missing_goes_left=nodes["missing_go_to_left"].astype(np.bool_),
        weight=nodes["count"].astype(np.float64),
        output=nodes["value"][:, np.newaxis],
        subsets=_subsets(nodes, ~is_leaf & nodes["is_categorical"].astype(np.bool_), predictor, where),
    )


def _subsets(nodes: Any, is_subset: NDArray[np.bool_], predictor: Any, where: str) -> Subsets | None:
    if not is_subset.any():
        return None
    bitsets = np.ascontiguousarray(predictor.raw_left_cat_bitsets, dtype="<u4")
    row = nodes["bitset_idx"][is_subset]
    if not (row < len(bitsets)).all():
        node = np.flatnonzero(is_subset)[row >= len(bitsets)][0]
        raise ModelFormatError(f"{where}: node {node}: its set of categories does not exist.")
    is_member = np.unpackbits(bitsets[row].view(np.uint8), axis=1, bitorder="little")
    n_members = np.zeros(len(nodes) + 1, dtype=np.int64)
    n_members[1:][is_subset] = is_member.sum(axis=1)
    return Subsets(is_subset, n_members.cumsum(), is_member.nonzero()[1].astype(np.int32))
