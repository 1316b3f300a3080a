"""CatBoost: trees that test ``float32(x) > border``, and a bias added at the end.

Oblivious trees, which have one test per level, become plain trees. The model stores only a hash of
each category; the values themselves must be passed to ``load``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._assembly import build_sum, build_trees, named_schema
from sightline.load._binary_nodes import BinaryNodes
from sightline.load._catboost_hash import category_hash
from sightline.load._codes import left_sets
from sightline.load._fields import Fields, flattened
from sightline.load._file import FileImporter, ModelFile, register_file
from sightline.load._options import Options
from sightline.load._registry import Importer, register
from sightline.load._thresholds import float32_at_most
from sightline.model import Ensemble, Link
from sightline.table import Feature

_IDENTITY = frozenset({"RMSE", "MAE", "Quantile", "MAPE", "Huber", "Expectile", "Lq"})
_SUPPORTED = "Logloss, MultiClass, " + ", ".join(sorted(_IDENTITY))
_NUMBERS = [
    "split.float_feature_index",
    "split.cat_feature_index",
    "split.border",
    "split.value",
    "weight",
]
_LABELS = {"Integer": (int,), "Float": (int, float), "String": (str,), "Boolean": (bool,)}
_MAX_DEPTH = 30


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
        return _Document(file).ensemble()


@register
class CatBoostImporter(Importer):
    """Reads estimators."""

    library: ClassVar[str] = "catboost"
    class_names: ClassVar[frozenset[str]] = frozenset({"CatBoost", "CatBoostClassifier", "CatBoostRegressor"})
    family: ClassVar[str] = "CatBoost"

    def read(self, model: Any) -> Ensemble:
        """Return the additive model."""
        return self.read_with(model, Options())

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Return the additive model. The library can only write it to a file."""
        from sklearn.exceptions import NotFittedError  # noqa: PLC0415

        owner = type(model).__name__
        if not model.is_fitted():
            raise NotFittedError(f"This {owner} is not fitted. Call 'fit' before you load it.")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.json"
            model.save_model(str(path), format="json")
            content = path.read_bytes()
        return _Document(ModelFile(owner, content, options)).ensemble()


@dataclass(frozen=True)
class _Column:
    """A feature. Splits refer to it by its index among the numeric or the categorical features."""

    flat: int
    name: str
    missing_is_above: bool = False
    hashes: tuple[int, ...] = ()


class _Document:
    def __init__(self, file: ModelFile) -> None:
        self.owner = file.name
        self.options = file.options
        self.root = Fields(file.parsed(), file.name)
        info = self.root.inner("features_info")
        for kind in ("ctrs", "text_features", "embedding_features"):
            if kind in info and info.entries(kind):
                raise UnsupportedModelError(
                    f"{self.owner}: uses {kind} ({_first_name(info, kind)}), which do not test a single "
                    f"column. Supported: numbers, and categories within 'one_hot_max_size'."
                )
        self.numeric = self._columns(info, "float_features")
        self.nominal = self._columns(info, "categorical_features")
        columns = [*self.numeric, *self.nominal]
        self._flat = np.array([column.flat for column in columns], dtype=np.int64)
        self._is_above = np.array([column.missing_is_above for column in columns], dtype=np.bool_)

    def ensemble(self) -> Ensemble:
        """Return the ensemble."""
        classes, link = self._answer()
        n_scores = len(classes) if classes is not None and link.kind == "softmax" else 1
        features = self._features()
        schema = named_schema(features, self.owner)
        core = build_sum(
            build_trees(self._all_nodes(n_scores, features), schema.n_values, self.owner),
            self.owner,
            n_scores=n_scores,
            base=self._bias(n_scores),
            base_last=True,
        )
        return Ensemble(core, schema, classes, link)

    def _columns(self, info: Fields, kind: str) -> list[_Column]:
        result = []
        for index, entry in enumerate(info.entries(kind) if kind in info else []):
            fields = Fields(entry, f"{self.owner}: {kind} {index}")
            if fields.whole("feature_index") != index:
                raise fields.fault(f"'feature_index' must be {index}")
            flat = fields.whole("flat_feature_index", maximum=2**20)
            name = next(
                (fields.string(key) for key in ("feature_name", "feature_id") if fields.content.get(key)), ""
            )
            treatment = fields.string("nan_value_treatment") if kind == "float_features" else "AsIs"
            if treatment not in ("AsIs", "AsFalse", "AsTrue"):
                raise fields.fault(
                    f"'nan_value_treatment' is {treatment!r}. Choose from: AsIs, AsFalse, AsTrue"
                )
            hashes = fields.integers("values") if "values" in fields else np.empty(0, dtype=np.int64)
            result.append(_Column(flat, name, treatment == "AsTrue", tuple(hashes.tolist())))
        return result

    def _features(self) -> list[Feature]:
        columns = [*self.numeric, *self.nominal]
        by_index = {column.flat: column for column in columns}
        if len(by_index) < len(columns) or not columns:
            raise self.root.fault("every feature must have its own 'flat_feature_index'")
        n_features = max(by_index) + 1
        names = {flat: column.name or f"x{flat}" for flat, column in by_index.items()}
        nominal = {column.flat: self._categories(column, names[column.flat]) for column in self.nominal}
        return [
            Feature(names.get(index, f"x{index}"), nominal.get(index), rounding="catboost")
            for index in range(n_features)
        ]

    def _categories(self, column: _Column, name: str) -> tuple[object, ...] | None:
        """Return the categories that the caller gave, and the hashes of all others that tests use."""
        if not column.hashes:
            return None
        given = tuple(self.options.categories.get(name, ()))
        if not given:
            raise UnsupportedModelError(
                f"{self.owner}: stores only hashes of the categories of {name!r}. "
                f"Pass them: sl.load(model, categories={{{name!r}: [...]}})."
            )
        known = {category_hash(value) for value in given}
        # A category that nobody named keeps its index; no row can have it.
        return (*given, *(f"hash {value}" for value in column.hashes if value not in known))

    def _answer(self) -> tuple[NDArray[Any] | None, Link]:
        info = self.root.inner("model_info")
        if "binclass_probability_threshold" in info:
            raise UnsupportedModelError(
                f"{self.owner}: has its own probability threshold, which is not supported."
            )
        loss = info.inner("params").inner("loss_function").string("type")
        if loss in _IDENTITY:
            return None, Link("identity")
        if loss not in ("Logloss", "MultiClass"):
            raise UnsupportedModelError(
                f"{self.owner}: the loss {loss!r} is not supported. Supported: {_SUPPORTED}."
            )
        classes = self._classes(info.inner("class_params"))
        if loss == "Logloss" and len(classes) != 2:
            raise info.fault(f"the loss 'Logloss' needs 2 classes, but there are {len(classes)}")
        return classes, Link("sigmoid" if loss == "Logloss" else "softmax")

    def _classes(self, params: Fields) -> NDArray[Any]:
        kind, names = params.string("class_label_type"), params.entries("class_names")
        if kind not in _LABELS or not names or not all(type(name) in _LABELS[kind] for name in names):
            raise params.fault("'class_names' do not match 'class_label_type'")
        if len(set(names)) < len(names):
            raise params.fault("'class_names' must be different")
        if not np.array_equal(params.integers("class_to_label"), np.arange(len(names))):
            raise UnsupportedModelError(f"{self.owner}: its classes are not in the order of their names.")
        return np.array(names, dtype=np.float64 if kind == "Float" else object if kind == "String" else None)

    def _bias(self, n_scores: int) -> list[float]:
        stored = self.root.entries("scale_and_bias")
        if len(stored) != 2:
            raise self.root.fault("'scale_and_bias' must have two entries")
        if stored[0] != 1:
            raise UnsupportedModelError(f"{self.owner}: its scale is {stored[0]!r}. Supported: 1.")
        bias = stored[1] if isinstance(stored[1], np.ndarray | list) else np.array([stored[1]])
        values = Fields({"bias": bias}, self.owner).numbers("bias")
        if len(values) not in (0, n_scores):
            raise self.root.fault(f"'scale_and_bias' has {len(values)} biases; expected {n_scores}")
        return [float(value) for value in values] or [0.0] * n_scores

    def _all_nodes(self, n_scores: int, features: list[Feature]) -> Iterator[BinaryNodes]:
        oblivious = "oblivious_trees" in self.root
        for number, tree in enumerate(self.root.entries("oblivious_trees" if oblivious else "trees")):
            where = f"{self.owner}: tree {number}"
            nodes = (
                self._oblivious(Fields(tree, where), n_scores)
                if oblivious
                else self._nested(tree, n_scores, where)
            )
            yield self._translated(nodes, features, where)

    def _oblivious(self, tree: Fields, n_scores: int) -> _Nodes:
        splits = [
            Fields(split, f"{tree.where}: split {k}") for k, split in enumerate(tree.entries("splits") or [])
        ]
        depth = len(splits)
        if depth > _MAX_DEPTH or len(tree.numbers("leaf_values")) != n_scores << depth:
            raise tree.fault(f"{len(tree.numbers('leaf_values'))} leaf values do not match {depth} splits")
        tests = [_oblivious_test(split) for split in reversed(splits)]
        n_inner = (1 << depth) - 1
        # The last split is the highest bit of a leaf index. With it at the root, leaves keep their order.
        kind, column, border, category = np.array(tests, dtype=np.float64).reshape(depth, 4).T
        value = np.zeros((2 * n_inner + 1, n_scores))
        value[n_inner:] = tree.numbers("leaf_values").reshape(-1, n_scores)
        weight = np.zeros(2 * n_inner + 1)
        if "leaf_weights" in tree and len(tree.numbers("leaf_weights")):
            weight[n_inner:] = tree.numbers("leaf_weights", n_inner + 1)
        for level in range(depth - 1, -1, -1):
            begin, end = (1 << level) - 1, (2 << level) - 1
            weight[begin:end] = weight[end : 2 * end + 1 : 2] + weight[end + 1 : 2 * end + 1 : 2]
        return _Nodes(kind, column, border, category, *_oblivious_shape(depth), value, weight)

    def _nested(self, tree: Any, n_scores: int, where: str) -> _Nodes:
        nodes = flattened(
            tree,
            where,
            left="left",
            right="right",
            numbers=_NUMBERS,
            strings=["split.split_type"],
            ignored=["split.split_index"],
            vector="value",
            width=n_scores,
        )
        strings, distinct = nodes.strings(0), nodes.distinct
        is_leaf = np.asarray(~np.isnan(nodes.vector).any(axis=1))
        has_child = (nodes.left >= 0, nodes.right >= 0)
        if not (has_child[0] == ~is_leaf).all() or not (has_child[1] == ~is_leaf).all():
            node = int(((has_child[0] == is_leaf) | (has_child[1] == is_leaf)).argmax())
            raise ModelFormatError(f"{where}: node {node}: it must have two children or a value.")
        # Inner nodes first, as in oblivious trees.
        order = np.concatenate([np.flatnonzero(~is_leaf), np.flatnonzero(is_leaf)])
        index = np.empty(len(order), dtype=np.int64)
        index[order] = np.arange(len(order))
        inner = order[: len(order) - int(is_leaf.sum())]
        kinds = np.array([*(_KINDS.get(string, -1) for string in distinct), -1])
        numeric, nominal, border, value, weight = (nodes.numbers(k)[order] for k in range(5))
        kind = kinds[strings[inner]]
        first = slice(0, len(inner))
        column = np.where(kind == 0, numeric[first], nominal[first])
        outputs = np.where(is_leaf[order][:, np.newaxis], nodes.vector[order], 0.0)
        weight = _summed_weights(np.nan_to_num(weight, nan=0.0), nodes.left, nodes.right, order, index)
        return _Nodes(
            kind,
            column,
            border[first],
            value[first],
            np.arange(len(inner)),
            index[nodes.left[inner]],
            index[nodes.right[inner]],
            outputs,
            weight,
        )

    def _translated(self, nodes: _Nodes, features: list[Feature], where: str) -> BinaryNodes:
        """Return the nodes with canonical tests over all features."""
        n_inner, n_nodes = len(nodes.test), len(nodes.weight)
        is_nominal = nodes.kind == 1
        for test in np.flatnonzero((nodes.kind < 0) | np.isnan(nodes.column))[:1]:
            raise ModelFormatError(
                f"{where}: node {nodes.first(test)}: its kind of split is missing or not supported."
            )
        flat, is_above = self._flat_columns(nodes, is_nominal, where)
        codes = {
            test: self._code(features[flat[test]], nodes.value[test], f"{where}: node {nodes.first(test)}")
            for test in np.flatnonzero(is_nominal).tolist()
        }
        is_subset = _spread(is_nominal[nodes.test], n_nodes)
        # Members of the set go right here, but left in a subset test.
        swaps = is_subset[:n_inner] if codes else False
        return BinaryNodes(
            is_leaf=np.arange(n_nodes) >= n_inner,
            feature=_spread(flat[nodes.test], n_nodes),
            threshold=_spread(float32_at_most(np.where(is_nominal, 0.0, nodes.border))[nodes.test], n_nodes),
            left=_spread(np.where(swaps, nodes.right, nodes.left), n_nodes),
            right=_spread(np.where(swaps, nodes.left, nodes.right), n_nodes),
            missing_goes_left=_spread((~is_nominal & ~is_above)[nodes.test], n_nodes),
            weight=nodes.weight,
            output=nodes.output,
            subsets=left_sets(is_subset, [codes[test] for test in nodes.test.tolist() if test in codes])
            if codes
            else None,
            leaves_only=True,
        )

    def _flat_columns(
        self, nodes: _Nodes, is_nominal: NDArray[np.bool_], where: str
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        n_columns = np.where(is_nominal, len(self.nominal), len(self.numeric))
        for test in np.flatnonzero(~((nodes.column >= 0) & (nodes.column < n_columns)))[:1]:
            raise ModelFormatError(
                f"{where}: node {nodes.first(test)}: feature {nodes.column[test]:g} does not exist "
                f"(there are {n_columns[test]})."
            )
        index = nodes.column.astype(np.int64) + np.where(is_nominal, len(self.numeric), 0)
        return self._flat[index], self._is_above[index]

    def _code(self, feature: Feature, value: float, where: str) -> NDArray[np.int32]:
        for code, category in enumerate(feature.categories or ()):
            if category == f"hash {value:.0f}" or category_hash(category) == value:
                return np.array([code], dtype=np.int32)
        raise ModelFormatError(f"{where}: category {value:g} does not exist.")


@dataclass(frozen=True)
class _Nodes:
    """Inner nodes, then leaves. As in the library, the yes-branch of a test is the right one.

    Oblivious trees have one test per level, others one per inner node.
    """

    kind: NDArray[Any]
    column: NDArray[Any]
    border: NDArray[np.float64]
    value: NDArray[np.float64]
    test: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    output: NDArray[np.float64]
    weight: NDArray[np.float64]

    def first(self, test: int) -> int:
        """Return the first node with a test."""
        return int((self.test == test).argmax())


def _spread(inner: NDArray[Any], n_nodes: int) -> NDArray[Any]:
    """Add zeros for the leaves."""
    result = np.zeros(n_nodes, dtype=inner.dtype)
    result[: len(inner)] = inner
    return result


@lru_cache(maxsize=2)
def _oblivious_shape(depth: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the level and the children of the inner nodes, level by level."""
    children = 2 * np.arange((1 << depth) - 1, dtype=np.int64) + 1
    return np.repeat(np.arange(depth), 1 << np.arange(depth)), children, children + 1


_KINDS = {"FloatFeature": 0, "OneHotFeature": 1}


def _oblivious_test(split: Fields) -> tuple[float, float, float, float]:
    """Return kind, column, border and category of a split, NaN for what it does not have."""
    kind = split.string("split_type")
    if kind == "FloatFeature":
        return 0.0, float(split.whole("float_feature_index")), split.number("border"), np.nan
    if kind == "OneHotFeature":
        value = split.whole("value", minimum=-(2**31), maximum=2**32 - 1)
        return 1.0, float(split.whole("cat_feature_index")), np.nan, float(value)
    raise UnsupportedModelError(f"{split.where}: a split of kind {kind!r} is not supported.")


def _first_name(info: Fields, kind: str) -> str:
    first = info.entries(kind)[0]
    names = first if isinstance(first, dict) else {}
    return repr(
        names.get("feature_id") or names.get("identifier") or names.get("feature_name") or "the first"
    )


def _summed_weights(
    weight: NDArray[np.float64],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    order: NDArray[np.int64],
    index: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Give inner nodes the weight of their leaves. Children come after their parents."""
    by_node = weight[index].tolist()
    for node, one, other in zip(
        range(len(by_node) - 1, -1, -1), left[::-1].tolist(), right[::-1].tolist(), strict=True
    ):
        if one >= 0:
            by_node[node] = by_node[one] + by_node[other]
    return np.array(by_node)[order]
