"""XGBoost: a base margin plus trees, summed in single precision.

Its numeric tests are ``float32(x) < condition``, and a missing value takes the default direction.
Categorical tests send the listed categories right. A model is one document, in JSON or UBJSON;
estimators and Boosters are read as UBJSON.
"""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._assembly import build_sum, default_names, named_schema
from sightline.load._codes import coded_feature
from sightline.load._fields import Fields
from sightline.load._file import FileImporter, ModelFile, register_file
from sightline.load._options import Options
from sightline.load._registry import Importer, register
from sightline.load._response import RANKS_ROWS, c_log, hinge_link, response_link, tweedie_power
from sightline.load._sklearn_estimator import refuse_one_class, require_fitted, require_same_kind
from sightline.load.xgboost._joined_fields import JoinedFields
from sightline.load.xgboost._trees import XGBoostTrees
from sightline.model import Ensemble, Link
from sightline.table import Feature
from sightline.wording import list_names

_KNOWN_MAJORS = range(1, 4)
"""The versions whose documents have the same meaning."""
_TRUNCATES = (3, 2)
"""The last version that truncates non-ASCII categories: it counts characters but stores bytes."""
_LIMITS_BASE = (3, 2)
"""The first version that keeps a base probability this far from 0 and 1: labels may all be the same."""
_MIN_BASE = np.float32(1e-6)

_MODEL_MEMBERS = frozenset(
    {"cats", "gbtree_model_param", "iteration_indptr", "tree_info", "trees", "weight_drop"}
)

_REGRESSIONS: dict[str, tuple[str, ...]] = {
    "reg:squarederror": (),
    "reg:linear": (),
    "reg:absoluteerror": (),
    "reg:pseudohubererror": (),
    "reg:squaredlogerror": (),
    "reg:quantileerror": (),
    "binary:logitraw": (),
    "reg:logistic": ("sigmoid",),
    "count:poisson": ("exp",),
    "reg:gamma": ("exp",),
    "reg:tweedie": ("exp",),
    "survival:cox": ("exp",),
    "survival:aft": ("exp",),
}
"""The functions by which the margin becomes the predicted number."""
_DEVIANCE_POWERS = {"count:poisson": 1.0, "reg:gamma": 2.0}
_TWEEDIE = "reg:tweedie"
_MULTI = frozenset({"multi:softprob", "multi:softmax"})
_BINARY = "binary:logistic"
_HINGE = "binary:hinge"
_LEAST_PROBABILITY = np.nextafter(np.float32(1) / np.finfo(np.float32).max, np.float32(1))
"""Below it, the reciprocal overflows in single precision."""
# The library predicts class 1 if the float probability exceeds one half. Up to this margin it does
# not, because 1 + exp(-margin) still rounds to 2.
_HALF_UP_TO = 1.5 * 2.0**-24


@register_file
class XGBoostFileImporter(FileImporter):
    """Reads what ``save_model`` writes as .json or .ubj."""

    format_name: ClassVar[str] = "XGBoost JSON and UBJSON"

    def recognizes(self, file: ModelFile) -> bool:
        """Check for the two members that every version writes."""
        return {"learner", "version"} <= file.keys

    def read(self, file: ModelFile) -> Ensemble:
        """Return the model. If an estimator saved it, it ends at the best iteration, like the estimator."""
        document = _Document(file)
        ensemble = document.ensemble()
        kind = document.estimator_type()
        if kind is not None:
            require_same_kind(
                file.name,
                document.objective,
                ensemble,
                f"xgboost.Booster(model_file={file.name!r})",
                predicts_classes=kind == "classifier",
            )
        return ensemble


@register
class XGBoostImporter(Importer):
    """Reads estimators and Boosters."""

    library: ClassVar[str] = "xgboost"
    class_names: ClassVar[frozenset[str]] = frozenset(
        {"Booster", "XGBClassifier", "XGBRegressor", "XGBRFClassifier", "XGBRFRegressor"}
    )
    family: ClassVar[str] = "XGBoost"
    unstored_is_missing: ClassVar[bool] = True

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Return the additive model, with the categories that the caller gave."""
        is_estimator = hasattr(model, "get_booster")
        owner = type(model).__name__
        booster = model
        if is_estimator:
            require_fitted(model, "_Booster")
            _refuse_options(model, owner)
            booster = model.get_booster()
        file = ModelFile(owner, _stored(booster, owner), options)
        ensemble = _Document(file, is_estimator).ensemble()
        if is_estimator:
            _require_same_classes(model, ensemble)
            require_same_kind(
                owner,
                model.objective,
                ensemble,
                "model.get_booster()",
                predicts_classes=is_classifier(model),
            )
        return ensemble


def _stored(booster: Any, owner: str) -> bytes:
    try:
        return bytes(booster.save_raw("ubj"))
    except ValueError as error:
        # Parameters that are set after fitting may contradict the trees.
        reason = str(error).partition("\n")[0].rpartition(": ")[2]
        raise ModelFormatError(f"{owner}: XGBoost itself cannot save it ({reason}). Fit it again.") from error


def _require_same_classes(model: Any, ensemble: Ensemble) -> None:
    """Refuse an estimator whose Booster was given another number of classes after fitting."""
    n_classes = getattr(model, "n_classes_", ensemble.n_classes)
    refuse_one_class(np.arange(n_classes), type(model).__name__)
    if ensemble.n_classes and n_classes != ensemble.n_classes:
        raise ModelFormatError(
            f"{type(model).__name__}: was fitted to {n_classes} classes, but its Booster has "
            f"{ensemble.n_classes}. Fit it again."
        )


def _refuse_options(model: Any, owner: str) -> None:
    """Refuse options by which an estimator differs from its Booster."""
    if model.missing is None or not math.isnan(model.missing):
        raise UnsupportedModelError(
            f"{owner}: treats {model.missing!r} as missing. Supported: NaN. Replace it with NaN in the rows, "
            f"and load the Booster: sl.load(model.get_booster())."
        )
    if callable(model.objective):
        raise UnsupportedModelError(
            f"{owner}: has the custom objective {model.objective!r}, which is not supported."
        )


class _Document:
    """A parsed model."""

    def __init__(self, file: ModelFile, is_estimator: bool | None = None) -> None:
        self.owner = file.name
        self.given = file.options.categories
        root = Fields(file.parsed(kept="trees"), file.name)
        self.version = tuple(root.integers("version", 3).tolist())
        if self.version[0] not in _KNOWN_MAJORS:
            raise UnsupportedModelError(
                f"{file.name}: was written by XGBoost {'.'.join(map(str, self.version))}. "
                f"Supported: versions {_KNOWN_MAJORS[0]} to {_KNOWN_MAJORS[-1]}."
            )
        self.learner = root.inner("learner")
        booster = self.learner.inner("gradient_booster")
        name = booster.string("name")
        if name not in ("dart", "gbtree"):
            raise UnsupportedModelError(
                f"{file.name}: a {name!r} booster has no trees.",
                "sl.BlackBox takes any model.",
            )
        # DART was a booster around the trees, and is one of trees with weights in XGBoost 3.4.
        self.is_around_trees = name == "dart"
        self.model = (booster.inner("gbtree") if self.is_around_trees else booster).inner("model")
        self._refuse_unknown_members()
        weighted = booster if self.is_around_trees else self.model
        has_weights = self.is_around_trees or "weight_drop" in weighted
        self.tree_weight = weighted.numbers("weight_drop") if has_weights else None
        self.param = self.learner.inner("learner_model_param")
        self.n_features = self.param.parsed_whole("num_feature")
        self.objective = self.learner.inner("objective").string("name")
        attributes = self.learner.inner("attributes") if "attributes" in self.learner else Fields({}, "")
        self.attributes = attributes
        self.is_estimator = "scikit_learn" in attributes if is_estimator is None else is_estimator

    def _refuse_unknown_members(self) -> None:
        """Refuse members of a newer version: ignored, those that change predictions would give wrong ones."""
        unknown = self.model.content.keys() - _MODEL_MEMBERS
        if unknown:
            names = list_names([repr(name) for name in sorted(unknown)])
            raise UnsupportedModelError(
                f"{self.owner}: was written by XGBoost {'.'.join(map(str, self.version))}, and its model has "
                f"{names}, which this version of Sightline does not know. Install a newer Sightline."
            )

    def estimator_type(self) -> str | None:
        """Return "classifier" or "regressor" if such an estimator saved the model, else None."""
        if "scikit_learn" not in self.attributes:
            return None
        try:
            stored = json.loads(self.attributes.string("scikit_learn"))
        except (ValueError, RecursionError):
            return None
        kind = stored.get("_estimator_type") if isinstance(stored, dict) else None
        return kind if kind in ("classifier", "regressor") else None

    def ensemble(self) -> Ensemble:
        """Return the ensemble."""
        n_classes, link = self._answer()
        n_scores = n_classes if link.kind == "softmax" else 1
        trees, tree_score = self._trees(n_scores)
        features = self._features(trees)
        schema = named_schema(features, self.owner, names_given=bool(self._stored_names))
        base = self._base(n_scores)
        core = build_sum(
            trees.build(self._leaf_values(trees, base[tree_score]), features, schema.n_values),
            self.owner,
            n_scores=n_scores,
            tree_score=tree_score.tolist(),
            base=base.tolist(),
            single_precision=True,
        )
        classes = np.arange(n_classes) if n_classes else None
        return Ensemble(core, schema, classes, link, deviance_power=self._deviance_power())

    def _deviance_power(self) -> float | None:
        """Return the power of the deviance that the objective minimizes, if it is one."""
        stored = self.learner.inner("objective")
        if self.objective != _TWEEDIE or "tweedie_regression_param" not in stored:
            return _DEVIANCE_POWERS.get(self.objective)
        text = stored.inner("tweedie_regression_param").string("tweedie_variance_power")
        power = tweedie_power(text)
        # The nine digits of a float: 1.29999995 was set as 1.3.
        return None if power is None else float(str(np.float32(power)))

    def _answer(self) -> tuple[int, Link]:
        """Return the number of classes, and how margins become a prediction."""
        n_targets = self.param.parsed_whole("num_target") if "num_target" in self.param else 1
        if n_targets > 1:
            raise UnsupportedModelError(f"{self.owner}: has {n_targets} outputs per row. Supported: 1.")
        if self.objective == _BINARY:
            return 2, Link("sigmoid", label_above=_HALF_UP_TO)
        if self.objective in _MULTI:
            # multi:softmax takes the largest margin, multi:softprob the largest probability.
            by_margin = self.objective == "multi:softmax"
            link = Link("softmax") if by_margin else Link("softmax", ties="single softmax")
            return self.param.parsed_whole("num_class", minimum=2), link
        if self.objective == _HINGE:
            return 2, hinge_link()
        if self.objective in _REGRESSIONS:
            # Only survival:aft takes the exponential in double precision.
            in_double = self.objective == "survival:aft"
            return 0, response_link(*_REGRESSIONS[self.objective], single=not in_double, rounded=in_double)
        if self.objective.startswith("rank:"):
            raise UnsupportedModelError(f"{self.owner}: the objective {self.objective!r} {RANKS_ROWS}")
        raise UnsupportedModelError(
            f"{self.owner}: the objective {self.objective!r} is not supported. "
            f"Supported: {', '.join(sorted({_BINARY, _HINGE} | _MULTI | set(_REGRESSIONS)))}."
        )

    def _base(self, n_scores: int) -> NDArray[np.float64]:
        """Return the margins before the first tree, which are stored as predictions."""
        try:
            stored = [float(part) for part in self.param.string("base_score").strip("[]").split(",")]
        except ValueError as error:
            raise self.param.fault("'base_score' must be numbers") from error
        if len(stored) not in (1, n_scores):
            raise self.param.fault(f"'base_score' has {len(stored)} entries instead of {n_scores}")
        with np.errstate(over="ignore"):
            base = np.array(stored * (n_scores // len(stored)), dtype=np.float32)
        if not np.isfinite(base).all():
            raise self.param.fault("'base_score' must be finite in single precision")
        functions = _REGRESSIONS.get(self.objective, ())
        if self.objective == _BINARY or "sigmoid" in functions:
            if self.version[:2] >= _LIMITS_BASE and ((base >= 0) & (base <= 1)).all():
                base = base.clip(_MIN_BASE, np.float32(1) - _MIN_BASE)
            if not ((base > 0) & (base < 1)).all():
                raise self.param.fault("'base_score' must be between 0 and 1")
            if (base < _LEAST_PROBABILITY).any():
                raise self.param.fault(
                    "'base_score' is so close to 0 that XGBoost's margin before the first tree is infinite"
                )
            return -c_log(np.float32(1) / base - np.float32(1))
        if "exp" in functions:
            if not (base > 0).all():
                raise self.param.fault("'base_score' must be positive")
            return c_log(base)
        return base.astype(np.float64)

    def _trees(self, n_scores: int) -> tuple[XGBoostTrees, NDArray[np.int64]]:
        """Return the trees in use, and the score that each one adds to."""
        stored = JoinedFields(self.model, "trees", lambda number: f"{self.owner}: tree {number}")
        declared = self.model.inner("gbtree_model_param").parsed_whole("num_trees")
        if declared != len(stored):
            raise self.model.fault(f"{declared} trees are declared, but {len(stored)} are stored")
        tree_score = self.model.integers("tree_info", declared)
        if "iteration_indptr" in self.model:
            ends = self.model.integers("iteration_indptr")
            if not (len(ends) and ends[0] == 0 and ends[-1] == declared and (np.diff(ends) >= 0).all()):
                raise self.model.fault(f"'iteration_indptr' must ascend from 0 to {declared}")
        if not ((tree_score >= 0) & (tree_score < n_scores)).all():
            raise self.model.fault(f"'tree_info' must be from 0 to {n_scores - 1}")
        if self.tree_weight is not None and len(self.tree_weight) != declared:
            raise self.learner.fault(
                f"'weight_drop' has {len(self.tree_weight)} entries for {declared} trees"
            )
        n_used = self._n_used(declared, n_scores)
        for number, stored_id in enumerate(stored.members("id", n_used)):
            # The library orders the trees by it. Trees that have none, or a string, are looked at one by one.
            if type(stored_id) is int and stored_id == number:
                continue
            tree = stored[number]
            if "id" in tree and tree.parsed_whole("id") != number:
                raise tree.fault(f"'id' must be {number}")
        return XGBoostTrees(stored, n_used, self.owner), tree_score[:n_used]

    def _n_used(self, n_trees: int, n_scores: int) -> int:
        if not self.is_estimator or "best_iteration" not in self.attributes:
            return n_trees
        last = self.attributes.parsed_whole("best_iteration")
        if "iteration_indptr" in self.model:
            ends = self.model.integers("iteration_indptr")
            if not (0 <= last < len(ends) - 1 and 0 < ends[last + 1] <= n_trees):
                raise self.attributes.fault("'best_iteration' does not exist")
            return int(ends[last + 1])
        per_round = n_scores * self.model.inner("gbtree_model_param").parsed_whole(
            "num_parallel_tree", minimum=1
        )
        return min(n_trees, (last + 1) * per_round)

    def _leaf_values(self, trees: XGBoostTrees, base: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return the values of all leaves, given the base margin of the score of each tree."""
        if self.tree_weight is None:
            return trees.condition
        weight, start = (
            np.repeat(of_tree.astype(np.float32), trees.n_nodes)
            for of_tree in (self.tree_weight[: len(base)], base)
        )
        with np.errstate(all="ignore"):
            if not self.is_around_trees:
                return trees.condition * weight
            # It scaled the prediction of each tree after it had subtracted the base margin again.
            return ((trees.condition + start) - start) * weight

    def _features(self, trees: XGBoostTrees) -> list[Feature]:
        names = self._names()
        categories = self._categories(names)
        types = self.learner.strings("feature_types") if "feature_types" in self.learner else []
        if types and len(types) != self.n_features:
            raise self.learner.fault(
                f"'feature_types' has {len(types)} entries for {self.n_features} features"
            )
        for column, kind in enumerate(types):
            if kind == "c" and column not in categories and self.given.get(names[column]):
                categories[column] = self._distinct(names[column])
        is_coded = [bool(types) and types[f] == "c" and f not in categories for f in range(self.n_features)]
        codes = trees.listed_codes() if any(is_coded) else {}
        return [
            coded_feature(name, codes.get(f, ()), "down", "xgboost")
            if is_coded[f]
            else Feature(name, categories.get(f), rounding="xgboost")
            for f, name in enumerate(names)
        ]

    @property
    def _stored_names(self) -> list[str]:
        return self.learner.strings("feature_names") if "feature_names" in self.learner else []

    def _names(self) -> list[str]:
        names = self._stored_names
        if names and len(names) != self.n_features:
            raise self.learner.fault(
                f"'feature_names' has {len(names)} entries for {self.n_features} features"
            )
        return names or default_names(self.n_features, self.owner)

    def _categories(self, names: list[str]) -> dict[int, tuple[object, ...]]:
        """Return the categories of a frame, which the library stores since version 3.1."""
        if "cats" not in self.model:
            return {}
        stored = self.model.inner("cats").entries("enc")
        if stored and len(stored) != self.n_features:
            raise self.model.fault(f"'enc' has {len(stored)} entries for {self.n_features} features")
        result = {}
        for column, entry in enumerate(stored):
            fields = Fields(entry, f"{self.owner}: categories of feature {column}")
            if _are_lost(fields, self.version):
                values = self._given_categories(names[column], fields)
            else:
                values = _category_values(fields)
            if len(set(values)) < len(values):
                raise fields.fault("a category occurs twice")
            if values:
                result[column] = values
        return result

    def _distinct(self, name: str) -> tuple[object, ...]:
        """Return the categories that the caller gave for a column of which only codes are stored."""
        given = tuple(self.given[name])
        if len(set(given)) < len(given):
            raise UnsupportedModelError(
                f"{self.owner}: the categories given for {name!r} hold a value twice."
            )
        return given

    def _given_categories(self, name: str, fields: Fields) -> tuple[object, ...]:
        given = tuple(self.given.get(name, ()))
        n_values = len(fields.integers("offsets")) - 1
        if len(given) == n_values and not _could_be(given, fields):
            raise UnsupportedModelError(
                f"{self.owner}: the categories given for {name!r} differ from the stored ones, or are in a "
                f"different "
                f"order. Pass those of the training frame: list(X[{name!r}].cat.categories)."
            )
        if len(given) != n_values:
            raise UnsupportedModelError(
                f"{self.owner}: the {n_values} categories of {name!r} are not all ASCII, and XGBoost up to "
                f"version {_TRUNCATES[0]}.{_TRUNCATES[1]} stores those wrongly. Pass them in the order of "
                f"the training frame: sl.load(model, categories={{{name!r}: [...]}})."
            )
        return given


def _are_lost(fields: Fields, version: tuple[int, ...]) -> bool:
    """Whether non-ASCII categories were truncated."""
    return (
        version[:2] <= _TRUNCATES
        and "offsets" in fields
        and bool((fields.integers("values") % 256 >= 128).any())
    )


def _could_be(given: tuple[object, ...], fields: Fields) -> bool:
    """Whether strings have the stored lengths, in characters or bytes, and begin with the stored bytes."""
    strings = [str(value) for value in given]
    ends, letters = fields.integers("offsets"), fields.integers("values")
    data = (letters % 256).astype(np.uint8).tobytes()
    lengths = (list(map(len, strings)), [len(one.encode()) for one in strings])
    return np.diff(ends).tolist() in lengths and "".join(strings).encode()[: len(data)] == data


def _category_values(fields: Fields) -> tuple[object, ...]:
    if "offsets" not in fields:
        numbers = tuple(fields.entries("values")) if "values" in fields else ()
        if not all(isinstance(value, int | float) for value in numbers):
            raise fields.fault("'values' must be numbers, or have 'offsets'")
        return numbers
    ends, letters = fields.integers("offsets"), fields.integers("values")
    if not len(ends):
        return ()
    is_valid = ends[0] == 0 and ends[-1] == len(letters) and (np.diff(ends) >= 0).all()
    if not is_valid or not ((letters >= -128) & (letters < 256)).all():
        raise fields.fault("the strings do not match their 'offsets'")
    data = (letters % 256).astype(np.uint8).tobytes()
    try:
        return tuple(data[begin:end].decode() for begin, end in pairwise(ends.tolist()))
    except UnicodeDecodeError as error:
        raise fields.fault("a category is not UTF-8") from error
