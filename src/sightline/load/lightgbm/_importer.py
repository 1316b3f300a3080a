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
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from sightline import _core
from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._assembly import build_all_trees, build_sum, build_trees, named_schema
from sightline.load._binary_nodes import BinaryNodes, Subsets
from sightline.load._codes import coded_feature, left_sets
from sightline.load._file import ModelFile
from sightline.load._options import Options
from sightline.load._registry import Importer, register
from sightline.load._response import RANKS_ROWS, one_vs_rest_link, response_link
from sightline.load._sklearn_estimator import refuse_one_class, require_fitted, require_same_kind
from sightline.load._thresholds import double_at_most
from sightline.load.lightgbm._zero_as_missing import ABOUT_ZERO, BELOW_ZERO, without_zero_as_missing
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
_DEVIANCE_POWERS = {"poisson": 1.0, "gamma": 2.0}
_RANKINGS = frozenset({"lambdarank", "rank_xendcg"})
_SUPPORTED = "binary, multiclass, multiclassova, " + ", ".join(sorted(_REGRESSIONS))
_DEFAULT_NAME = re.compile(r"Column_\d+")
# The library predicts class 1 where p > 1 - p. Up to this score 1 + exp(-score) rounds to 2.
_HALF_UP_TO = 1.5 * 2.0**-53
# Thresholds are the next double above the middle of two values, and files may store fewer digits.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class LightGBMTrees:
    """All trees, read from either format: one entry per node, one tree after the other.

    Whatever is done once per tree takes longer than reading it, so nothing is.

    Parameters
    ----------
    begin : ndarray of int64, shape (n_trees + 1,)
        The first node of each tree, which is its root, and the number of nodes.
    is_leaf : ndarray of bool, shape (n_nodes,)
        Nodes without children. Whatever describes a test is ignored there.
    feature : ndarray of int64, shape (n_nodes,)
        Tested feature.
    threshold : ndarray of float64, shape (n_nodes,)
        Thresholds of numeric tests.
    left, right : ndarray of int64, shape (n_nodes,)
        Children, counted from the root of the tree.
    default_left : ndarray of bool, shape (n_nodes,)
        Whether the default direction is left.
    missing : ndarray of int64, shape (n_nodes,)
        Treatment of missing values: 0 None, 1 Zero, 2 NaN.
    is_categorical : ndarray of bool, shape (n_nodes,)
        Tests that list categories.
    listed : list of ndarray of int64
        The ascending categories of each such test, in the order of the nodes.
    value, count : ndarray of float64, shape (n_nodes,)
        Output and training rows.
    """

    begin: NDArray[np.int64]
    is_leaf: NDArray[np.bool_]
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

    def __len__(self) -> int:
        return len(self.begin) - 1

    def show_fractions(self, n_columns: int) -> NDArray[np.bool_]:
        """Return the columns whose training values cannot all have been whole numbers.

        A numeric test lies in the middle of two neighboring training values, or next to zero.
        """
        is_number = ~self.is_leaf & ~self.is_categorical & (self.feature >= 0) & (self.feature < n_columns)
        is_number &= np.isfinite(self.threshold) & (np.abs(self.threshold) > ABOUT_ZERO)
        twice = 2 * self.threshold[is_number]
        is_off = np.abs(twice - np.rint(twice)) > _ROUNDING * np.maximum(np.abs(twice), 1)
        result = np.zeros(n_columns, dtype=np.bool_)
        result[self.feature[is_number][is_off]] = True
        return result

    def where(self, owner: str, node: int) -> str:
        """Return the location of a node, for error messages."""
        tree = int(np.searchsorted(self.begin, node, side="right")) - 1
        return f"{owner}: tree {tree}: node {node - int(self.begin[tree])}"


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
    trees : LightGBMTrees
        The trees, in order.
    classes_ : ndarray, optional
        The labels; by default 0, 1, ...
    n_outputs : int, optional
        Numbers that the library predicts per row, if they are stored: one per tree of an iteration.
    tweedie_power : float, optional
        The power of the objective *tweedie*, if it is stored.
    """

    owner: str
    objective: str | None
    n_scores: int
    averages: bool
    feature_names: Sequence[str]
    categories: Sequence[tuple[object, ...] | None]
    trees: LightGBMTrees
    classes_: NDArray[Any] | None = None
    n_outputs: int | None = None
    tweedie_power: float | None = None

    def ensemble(self) -> Ensemble:
        """Check the parts and build the ensemble."""
        n_classes, link = self._answer()
        features = self._features()
        schema = named_schema(features, self.owner, names_given=self._has_names)
        if len(self.trees) % self.n_scores:
            raise ModelFormatError(
                f"{self.owner}: {len(self.trees)} trees are not a multiple of {self.n_scores} per iteration."
            )
        core = build_sum(
            _built(self.trees, features, schema.n_values, self.owner),
            self.owner,
            n_scores=self.n_scores,
            tree_score=[number % self.n_scores for number in range(len(self.trees))],
        )
        classes = self._classes(n_classes)
        return Ensemble(core, schema, classes, link, deviance_power=self._deviance_power)

    @property
    def _deviance_power(self) -> float | None:
        """The power of the deviance that the objective minimizes, if it is one."""
        return (_DEVIANCE_POWERS | {"tweedie": self.tweedie_power}).get(self.objective or "")

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
        refuse_one_class(self.classes_, self.owner)
        if len(self.classes_) != n_classes:
            raise ModelFormatError(f"{self.owner}: has {len(self.classes_)} labels for {n_classes} classes.")
        return self.classes_

    @property
    def _has_names(self) -> bool:
        return not all(_DEFAULT_NAME.fullmatch(name) for name in self.feature_names)

    def _features(self) -> list[Feature]:
        codes: dict[int, set[int]] = {}
        tested = self.trees.feature[self.trees.is_categorical].tolist()
        for feature, listed in zip(tested, self.trees.listed, strict=True):
            codes.setdefault(feature, set()).update(listed.tolist())
        names = list(self.feature_names)
        if not self._has_names:
            names = [f"x{column}" for column in range(len(names))]
        # The library gives missing values a direction if a training row had one.
        is_directed = (self.trees.missing == MISSING_NAN) & ~self.trees.is_leaf & ~self.trees.is_categorical
        gaps = set(self.trees.feature[is_directed].tolist())
        return [
            coded_feature(name, codes[column], "to zero", "lightgbm")
            if column in codes and self.categories[column] is None
            else Feature(
                name,
                self.categories[column],
                complete=False if column in gaps else None,
                rounding="lightgbm",
            )
            for column, name in enumerate(names)
        ]


def refuse_unknown_version(version: str, owner: str) -> None:
    """Refuse what a version that is not known yet has written."""
    if version not in KNOWN_VERSIONS:
        raise UnsupportedModelError(
            f"{owner}: is a LightGBM model of version {version!r}. Supported: {', '.join(KNOWN_VERSIONS)}."
        )


def _built(
    trees: LightGBMTrees, features: list[Feature], n_values: Sequence[int], owner: str
) -> list[_core.Tree]:
    sets = dict(_sets(trees, features, owner))
    is_set = np.zeros(len(trees.is_leaf), dtype=np.bool_)
    is_set[list(sets)] = True
    nodes = _nodes(trees, left_sets(is_set, list(sets.values())) if sets else None)
    zero = (trees.missing == MISSING_ZERO) & ~is_set & ~trees.is_leaf
    if not zero.any():
        return build_all_trees(nodes, trees.begin, n_values, owner)
    rewritten = (
        without_zero_as_missing(
            nodes.part(begin, end), np.flatnonzero(zero[begin:end]), f"{owner}: tree {number}"
        )
        if zero[begin:end].any()
        else nodes.part(begin, end)
        for number, (begin, end) in enumerate(pairwise(trees.begin.tolist()))
    )
    return build_trees(rewritten, n_values, owner)


def _nodes(trees: LightGBMTrees, subsets: Subsets | None) -> BinaryNodes:
    # A missing value is compared as 0.0 unless the test has a direction for it.
    as_zero = trees.missing == MISSING_NONE
    goes_left = np.where(as_zero, trees.threshold >= 0, trees.default_left) & ~trees.is_categorical
    return BinaryNodes(
        is_leaf=trees.is_leaf,
        feature=trees.feature,
        threshold=double_at_most(_beside_zero(trees.threshold)),
        left=trees.left,
        right=trees.right,
        missing_goes_left=goes_left,
        weight=trees.count,
        output=trees.value[:, np.newaxis],
        subsets=subsets,
    )


def _sets(
    trees: LightGBMTrees, features: list[Feature], owner: str
) -> Iterator[tuple[int, NDArray[np.int32]]]:
    """Yield each test of a nominal feature with the codes that go left."""
    listed = iter(trees.listed)
    from_frame = [column for column, f in enumerate(features) if f.is_nominal and not f.coded]
    is_set = trees.is_categorical
    if from_frame:
        is_set = is_set | (np.isin(trees.feature, from_frame) & ~trees.is_leaf)
    for node in np.flatnonzero(is_set).tolist():
        column = int(trees.feature[node])
        if trees.is_categorical[node]:
            yield node, _codes(features, column, next(listed), trees.where(owner, node))
        else:
            # The library compares the codes of such a category as numbers.
            codes = np.arange(features[column].n_values, dtype=np.int32)
            goes_left = codes <= trees.threshold[node]
            if trees.missing[node] == MISSING_ZERO:
                goes_left[0] = trees.default_left[node]
            yield node, codes[goes_left]


def _beside_zero(threshold: NDArray[np.float64]) -> NDArray[np.float64]:
    """Move thresholds out of the range near zero, which the library reads as 0.0."""
    is_near = np.abs(threshold) <= ABOUT_ZERO
    return np.where(is_near, np.where(threshold >= 0, ABOUT_ZERO, BELOW_ZERO), threshold)


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
        from sightline.load.lightgbm._text import parse_text  # noqa: PLC0415 - it builds on this file

        owner, classes, booster = type(model).__name__, None, model
        is_estimator = hasattr(model, "booster_") or owner != "Booster"
        if is_estimator:
            require_fitted(model, "booster_")
            _refuse_options(model, owner)
            booster, classes = model.booster_, getattr(model, "classes_", None)
        file = ModelFile(owner, booster.model_to_string().encode(), options)
        ensemble = parse_text(file, classes).ensemble()
        if is_estimator:
            require_same_kind(
                owner, model.objective, ensemble, "model.booster_", predicts_classes=is_classifier(model)
            )
        return ensemble


def _refuse_options(model: Any, owner: str) -> None:
    """Refuse options by which an estimator differs from its Booster."""
    if model.get_params().get("pred_early_stop"):
        raise UnsupportedModelError(
            f"{owner}: stops early within each prediction (pred_early_stop), which is not supported. "
            f"Set pred_early_stop=False, or load the Booster: sl.load(model.booster_)."
        )
