"""LightGBM: trees over doubles, summed in double precision. The base score is in the leaves.

Its numeric tests are ``x <= threshold``. Each test has its own treatment of missing values: compare
as 0.0 (*None*), take the default direction (*NaN*), or send missing values and all numbers near zero
in the default direction (*Zero*). Categorical tests send the listed categories left, and everything
else right. The text format and the JSON dump describe the same parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._assembly import build_sum, build_trees, named_schema
from sightline.load._binary_nodes import BinaryNodes
from sightline.load._codes import coded_feature, left_sets
from sightline.load._file import ModelFile
from sightline.load._lightgbm_zero import ABOUT_ZERO, BELOW_ZERO, without_zero_as_missing
from sightline.load._options import Options
from sightline.load._registry import Importer, register
from sightline.load._response import RANKS_ROWS, one_vs_rest_link, response_link
from sightline.load._sklearn_estimator import require_fitted, require_same_kind
from sightline.load._thresholds import double_at_most
from sightline.model import Ensemble, Link
from sightline.table import Feature

MISSING_NONE, MISSING_ZERO, MISSING_NAN = range(3)
KNOWN_VERSIONS = ("v2", "v3", "v4")
"""The versions of the text and of the dump that have the same meaning."""
_REGRESSIONS: dict[str, tuple[str, ...]] = {
    "regression": (),
    "regression_l1": (),
    "huber": (),
    "fair": (),
    "quantile": (),
    "mape": (),
    "poisson": ("exp",),
    "gamma": ("exp",),
    "tweedie": ("exp",),
    "cross_entropy": ("sigmoid",),
    "cross_entropy_lambda": ("exp", "log1p"),
}
"""The functions by which the sum becomes the predicted number."""
_RANKINGS = frozenset({"lambdarank", "rank_xendcg"})
_SUPPORTED = "binary, multiclass, multiclassova, " + ", ".join(sorted(_REGRESSIONS))
_DEFAULT_NAME = re.compile(r"Column_\d+")
# The library predicts class 1 where p > 1 - p. Up to this score 1 + exp(-score) rounds to 2.
_HALF_UP_TO = 1.5 * 2.0**-53


@dataclass(frozen=True)
class LightGBMTree:
    """One tree, read from either format: inner nodes first, then the leaves.

    Parameters
    ----------
    n_leaves : int
        Number of leaves. There is one inner node fewer.
    feature : ndarray of int64, shape (n_leaves - 1,)
        Tested feature of each inner node.
    threshold : ndarray of float64, shape (n_leaves - 1,)
        Thresholds of numeric tests.
    left, right : ndarray of int64, shape (n_leaves - 1,)
        Children: the index of an inner node, or ``-1 - leaf``.
    default_left : ndarray of bool, shape (n_leaves - 1,)
        Whether the default direction is left.
    missing : ndarray of int64, shape (n_leaves - 1,)
        Treatment of missing values: 0 None, 1 Zero, 2 NaN.
    is_categorical : ndarray of bool, shape (n_leaves - 1,)
        Tests that list categories.
    listed : list of ndarray of int64
        The ascending categories of each such test, in the order of the nodes.
    value, count : ndarray of float64, shape (2 * n_leaves - 1,)
        Output and training rows of the inner nodes and the leaves.
    """

    n_leaves: int
    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    default_left: NDArray[np.bool_]
    missing: NDArray[np.int64]
    is_categorical: NDArray[np.bool_]
    listed: list[NDArray[np.int64]]
    value: NDArray[np.float64]
    count: NDArray[np.float64]


@dataclass(frozen=True)
class LightGBMModel:
    """A model, read from either format.

    Parameters
    ----------
    owner : str
        File or class, for error messages.
    objective : str or None
        As the library writes it, followed by its parameters.
    n_scores : int
        Trees per iteration.
    averages : bool
        Whether the sum is divided by the number of iterations, as random forests do.
    feature_names : sequence of str
        One per column.
    categories : sequence of (tuple or None)
        Per column the values of a categorical column of a frame, or None.
    trees : sequence of LightGBMTree
        The trees, in order.
    classes_ : ndarray, optional
        The labels; by default 0, 1, ...
    n_outputs : int, optional
        Numbers that the library predicts per row, if they are stored: one per tree of an iteration.
    """

    owner: str
    objective: str | None
    n_scores: int
    averages: bool
    feature_names: Sequence[str]
    categories: Sequence[tuple[object, ...] | None]
    trees: Sequence[LightGBMTree]
    classes_: NDArray[Any] | None = None
    n_outputs: int | None = None

    def ensemble(self) -> Ensemble:
        """Check the parts and build the ensemble."""
        n_classes, link = self._answer()
        features = self._features()
        schema = named_schema(features, self.owner)
        if len(self.trees) % self.n_scores:
            raise ModelFormatError(
                f"{self.owner}: {len(self.trees)} trees are not a multiple of {self.n_scores} per iteration."
            )
        nodes = (
            _nodes(tree, features, f"{self.owner}: tree {number}") for number, tree in enumerate(self.trees)
        )
        core = build_sum(
            build_trees(nodes, schema.n_values, self.owner),
            self.owner,
            n_scores=self.n_scores,
            tree_score=[number % self.n_scores for number in range(len(self.trees))],
        )
        return Ensemble(core, schema, self._classes(n_classes), link)

    def _answer(self) -> tuple[int, Link]:
        """Return the number of classes, and how scores become a prediction."""
        if not self.objective:
            raise UnsupportedModelError(
                f"{self.owner}: stores no objective. Custom objectives are not supported."
            )
        name, *parameters = self.objective.split()
        is_multiclass = name in ("multiclass", "multiclassova")
        answer = self._of_classes(name, parameters) or self._of_numbers(name, parameters)
        if self.n_scores != (answer[0] if is_multiclass else 1) or (is_multiclass and self.n_scores < 2):
            raise ModelFormatError(
                f"{self.owner}: {self.n_scores} trees per iteration do not match {name!r}."
            )
        if self.n_outputs not in (None, self.n_scores):
            raise ModelFormatError(
                f"{self.owner}: 'num_class' is {self.n_outputs} for {self.n_scores} trees per iteration."
            )
        return answer

    @property
    def _divide_by(self) -> tuple[float, ...]:
        """The number of iterations if the sum is divided by it."""
        n_rounds = len(self.trees) // self.n_scores
        return (float(n_rounds),) if self.averages and n_rounds else ()

    def _of_classes(self, name: str, parameters: list[str]) -> tuple[int, Link] | None:
        slope = self._slope(parameters)
        if name in ("multiclass", "multiclassova"):
            self._check_classes(parameters)
        if name == "multiclass":
            return self.n_scores, Link("softmax", self._divide_by, exp="libm", ties="softmax")
        if name == "multiclassova":
            return self.n_scores, one_vs_rest_link(self.n_scores, slope, self._divide_by)
        if name == "binary":
            slopes = () if slope == 1 else (1 / slope,)
            return 2, Link("sigmoid", self._divide_by + slopes, _HALF_UP_TO)
        if self.classes_ is not None and name == "cross_entropy" and not parameters:
            return 2, Link("sigmoid", self._divide_by, _HALF_UP_TO)
        return None

    def _slope(self, parameters: list[str]) -> float:
        """Return what the score is multiplied by before the sigmoid."""
        given = [part for part in parameters if part.startswith("sigmoid:")]
        if not given:
            return 1.0
        try:
            slope = float(given[0].removeprefix("sigmoid:"))
        except ValueError:
            slope = 0.0
        if not 0 < slope < float("inf"):
            raise ModelFormatError(f"{self.owner}: {given[0]!r} of the objective must be a positive number.")
        return slope

    def _check_classes(self, parameters: list[str]) -> None:
        given = [part for part in parameters if part.startswith("num_class:")]
        if given and given[0] != f"num_class:{self.n_scores}":
            raise ModelFormatError(
                f"{self.owner}: {given[0]!r} of the objective does not match {self.n_scores} trees per "
                "iteration."
            )

    def _of_numbers(self, name: str, parameters: list[str]) -> tuple[int, Link]:
        if name == "regression" and parameters == ["sqrt"]:
            return 0, response_link("signed_square", divide_by=self._divide_by)
        if name in _REGRESSIONS and not parameters:
            return 0, response_link(*_REGRESSIONS[name], divide_by=self._divide_by)
        if name in _RANKINGS:
            raise UnsupportedModelError(f"{self.owner}: the objective {name!r} {RANKS_ROWS}")
        raise UnsupportedModelError(
            f"{self.owner}: the objective {self.objective!r} is not supported. Supported: {_SUPPORTED}."
        )

    def _classes(self, n_classes: int) -> NDArray[Any] | None:
        if not n_classes:
            return None
        if self.classes_ is None:
            return np.arange(n_classes)
        if len(self.classes_) != n_classes:
            raise ModelFormatError(f"{self.owner}: has {len(self.classes_)} labels for {n_classes} classes.")
        return self.classes_

    def _features(self) -> list[Feature]:
        codes: dict[int, set[int]] = {}
        for tree in self.trees:
            for feature, listed in zip(tree.feature[tree.is_categorical], tree.listed, strict=True):
                codes.setdefault(int(feature), set()).update(listed.tolist())
        names = list(self.feature_names)
        if all(_DEFAULT_NAME.fullmatch(name) for name in names):
            names = [f"x{column}" for column in range(len(names))]
        return [
            coded_feature(name, codes[column], "to zero", "lightgbm")
            if column in codes and self.categories[column] is None
            else Feature(name, self.categories[column], rounding="lightgbm")
            for column, name in enumerate(names)
        ]


def refuse_unknown_version(version: str, owner: str) -> None:
    """Refuse what a version that is not known yet has written."""
    if version not in KNOWN_VERSIONS:
        raise UnsupportedModelError(
            f"{owner}: is a LightGBM model of version {version!r}. Supported: {', '.join(KNOWN_VERSIONS)}."
        )


def _nodes(tree: LightGBMTree, features: list[Feature], where: str) -> BinaryNodes:
    n_inner = tree.n_leaves - 1
    is_leaf = np.arange(n_inner + tree.n_leaves) >= n_inner
    leaves_zeros = np.zeros(tree.n_leaves, dtype=np.int64)
    # A missing value is compared as 0.0 unless the test has a direction for it.
    as_zero = tree.missing == MISSING_NONE
    goes_left = np.where(as_zero, tree.threshold >= 0, tree.default_left) & ~tree.is_categorical
    sets = dict(_sets(tree, features, where))
    is_set = np.isin(np.arange(n_inner + tree.n_leaves), list(sets))
    nodes = BinaryNodes(
        is_leaf=is_leaf,
        feature=np.concatenate([tree.feature, leaves_zeros]),
        threshold=np.concatenate([double_at_most(_beside_zero(tree.threshold)), leaves_zeros]),
        left=np.concatenate([_indices(tree.left, tree.n_leaves), leaves_zeros]),
        right=np.concatenate([_indices(tree.right, tree.n_leaves), leaves_zeros]),
        missing_goes_left=np.concatenate([goes_left, leaves_zeros.astype(np.bool_)]),
        weight=tree.count,
        output=tree.value[:, np.newaxis],
        subsets=left_sets(is_set, [sets[node] for node in sorted(sets)]) if sets else None,
    )
    zero = (tree.missing == MISSING_ZERO) & ~is_set[:n_inner]
    return without_zero_as_missing(nodes, np.flatnonzero(zero), where) if zero.any() else nodes


def _sets(tree: LightGBMTree, features: list[Feature], where: str) -> Iterator[tuple[int, NDArray[np.int32]]]:
    """Yield each test of a nominal feature with the codes that go left."""
    listed = iter(tree.listed)
    from_frame = [column for column, f in enumerate(features) if f.is_nominal and not f.coded]
    for node in np.flatnonzero(tree.is_categorical | np.isin(tree.feature, from_frame)).tolist():
        column = int(tree.feature[node])
        if tree.is_categorical[node]:
            yield node, _codes(features, column, next(listed), f"{where}: node {node}")
        else:
            # The library compares the codes of such a category as numbers.
            codes = np.arange(features[column].n_values, dtype=np.int32)
            goes_left = codes <= tree.threshold[node]
            if tree.missing[node] == MISSING_ZERO:
                goes_left[0] = tree.default_left[node]
            yield node, codes[goes_left]


def _beside_zero(threshold: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move thresholds out of the range near zero, which the library reads as 0.0."""
    upper = np.where((threshold >= 0) & (threshold <= ABOUT_ZERO), ABOUT_ZERO, threshold)
    return np.where((upper < 0) & (upper >= -ABOUT_ZERO), BELOW_ZERO, upper)


def _indices(children: NDArray[np.int64], n_leaves: int) -> NDArray[np.int64]:
    """Turn -1, -2, ... for leaves into indices after the inner nodes. Others stay out of range."""
    return np.where(children < 0, n_leaves - 2 - children, np.where(children < n_leaves - 1, children, -1))


def _codes(features: list[Feature], column: int, listed: NDArray[np.int64], where: str) -> NDArray[np.int32]:
    if not 0 <= column < len(features):
        raise ModelFormatError(f"{where}: feature {column} does not exist (there are {len(features)}).")
    feature = features[column]
    if feature.coded:
        code_of = {value: code for code, value in enumerate(feature.categories or ())}
        return np.array([code_of[code] for code in listed.tolist()], dtype=np.int32)
    # Bits beyond the last category come from another version of the frame; no row has them.
    return listed[listed < feature.n_values].astype(np.int32)


def plain_lists(stored: object) -> object:
    """Return parsed JSON with lists in place of numpy arrays, up to two levels deep."""
    if isinstance(stored, list):
        return [values.tolist() if isinstance(values, np.ndarray) else values for values in stored]
    return stored.tolist() if isinstance(stored, np.ndarray) else stored


@register
class LightGBMImporter(Importer):
    """Reads estimators and Boosters."""

    library: ClassVar[str] = "lightgbm"
    class_names: ClassVar[frozenset[str]] = frozenset({"Booster", "LGBMClassifier", "LGBMRegressor"})
    family: ClassVar[str] = "LightGBM"

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Return the additive model, with the columns of categories that the caller names."""
        from sightline.load._lightgbm_text import parse_text  # noqa: PLC0415 - it builds on this file

        owner, classes, booster = type(model).__name__, None, model
        is_estimator = hasattr(model, "booster_") or owner != "Booster"
        if is_estimator:
            require_fitted(model, "booster_")
            _refuse_options(model, owner)
            booster, classes = model.booster_, getattr(model, "classes_", None)
        file = ModelFile(owner, booster.model_to_string().encode(), options)
        ensemble = parse_text(file, classes).ensemble()
        if is_estimator:
            require_same_kind(model, ensemble, "model.booster_")
        return ensemble


def _refuse_options(model: Any, owner: str) -> None:
    """Refuse options by which an estimator differs from its Booster."""
    if model.get_params().get("pred_early_stop"):
        raise UnsupportedModelError(
            f"{owner}: stops early within each prediction (pred_early_stop), which is not supported. "
            f"Set pred_early_stop=False, or load the Booster: sl.load(model.booster_)."
        )
