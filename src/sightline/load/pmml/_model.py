"""How the trees of a PMML document are combined into one answer."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sightline.exceptions import DataWarning, UnsupportedModelError
from sightline.load._binary_nodes import BinaryNodes
from sightline.load._computed_columns import undecided_up_to
from sightline.load.pmml._inputs import Inputs
from sightline.load.pmml._leaves import ClassLeaves
from sightline.load.pmml._trees import PmmlTrees, read_trees
from sightline.load.pmml._xml import Xml
from sightline.model import FormulaBuilder, Link

_AVERAGES = ("average", "weightedAverage", "majorityVote", "weightedMajorityVote", "sum")
_SEGMENTATION_ATTRIBUTES = frozenset({"multipleModelMethod", "missingPredictionTreatment"})
_MISSING_PREDICTIONS = (None, "continue", "returnMissing")
"""With these, a row that some tree gives no answer for has none."""
_IN_MODELS = frozenset(
    {
        "MiningSchema",
        "Output",
        "Targets",
        "LocalTransformations",
        "ModelStats",
        "ModelExplanation",
        "ModelVerification",
    }
)


@dataclass(frozen=True)
class PmmlModel:
    """Trees, and how their outputs become an answer.

    Parameters
    ----------
    nodes : list of BinaryNodes
        The trees.
    n_scores : int
        Scores per row.
    link : Link
        How scores become an answer.
    classes : tuple of str, optional
        The classes in the order of the scores.
    votes : bool, default=False
        Whether each tree votes for one class.
    tree_weight : list of float, optional
        Weights of the trees.
    tree_score : list of int, optional
        The score that each tree adds to.
    base : list of float, optional
        Added last.
    is_single : bool, default=False
        Whether sums are rounded to single precision.
    """

    nodes: list[BinaryNodes]
    n_scores: int
    link: Link
    classes: tuple[str, ...] | None = None
    votes: bool = False
    tree_weight: list[float] | None = None
    tree_score: list[int] | None = None
    base: list[float] | None = None
    is_single: bool = False

    @classmethod
    def of(cls, xml: Xml, fields: Inputs, model: int) -> PmmlModel:
        """Read the outermost model of a document."""
        return _Reader(xml, fields).model(model)


@dataclass
class _Part:
    """A sum of regression trees."""

    is_single: bool
    models: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    base: float = 0.0
    factor: float = 1.0
    divisor: float = 1.0

    @property
    def is_rescaled(self) -> bool:
        """Whether the sum is not simply added to the base."""
        return self.factor != 1 or self.divisor != 1


class _Reader:
    def __init__(self, xml: Xml, fields: Inputs) -> None:
        self.xml = xml
        self.fields = fields

    def unsupported(self, element: int, sentence: str) -> UnsupportedModelError:
        return UnsupportedModelError(f"{self.xml.where(element)}: {sentence}.")

    def model(self, model: int) -> PmmlModel:
        function = self.xml.require(model, "functionName")
        if function not in ("regression", "classification"):
            raise self.unsupported(model, f"functionName {function!r} is not supported")
        if self.xml.kind(model) == "MiningModel":
            segmentation = self._segmentation(model)
            method = self.xml.require(segmentation, "multipleModelMethod")
            if method == "modelChain":
                return self._chain(segmentation)
            if function == "classification":
                self._refuse_single(model)
                return self._voted(segmentation, method)
        elif function == "classification":
            self._refuse_single(model)
            self._refuse_targets(model)
            return self._voted(None, "average", [model])
        return self._regression(self._sum(model))

    def _refuse_single(self, model: int) -> None:
        if self._is_single(model):
            raise self.unsupported(model, "x-mathContext 'float' is not supported for votes and shares")

    def _segmentation(self, model: int) -> int:
        found = self.xml.child(model, "Segmentation")
        if found is None:
            raise self.xml.fault(model, "the Segmentation is missing")
        self._refuse_content(model, "Segmentation")
        unknown = sorted(set(self.xml.attributes(found)) - _SEGMENTATION_ATTRIBUTES)
        if unknown:
            raise self.unsupported(found, f"the attribute {unknown[0]!r} is not supported")
        treatment = self.xml.get(found, "missingPredictionTreatment")
        if treatment not in _MISSING_PREDICTIONS:
            raise self.unsupported(found, f"missingPredictionTreatment {treatment!r} is not supported")
        return found

    def _refuse_content(self, model: int, *more: str) -> None:
        for child in self.xml.children(model):
            if self.xml.kind(child) not in _IN_MODELS.union(more):
                raise self.unsupported(child, "it is not supported")

    def _segments(self, segmentation: int) -> list[tuple[int, float]]:
        """Return the model and the weight of each segment."""
        segments = []
        for segment in self.xml.children(segmentation, "Segment"):
            parts = list(self.xml.children(segment))
            kinds = [self.xml.kind(part) for part in parts]
            if len(parts) != 2 or kinds[0] != "True":
                raise self.unsupported(segment, "a segment for some rows only is not supported")
            segments.append((parts[1], self.xml.number(segment, "weight", 1.0)))
        if not segments:
            raise self.xml.fault(segmentation, "has no segment")
        return segments

    def _tree_models(self, segmentation: int, function: str, is_single: bool) -> list[tuple[int, float]]:
        segments = self._segments(segmentation)
        for model, _ in segments:
            if self.xml.kind(model) != "TreeModel":
                raise self.unsupported(model, "it is not supported here. Supported: TreeModel")
            if self.xml.require(model, "functionName") != function:
                raise self.unsupported(model, f"it must be a {function}")
            if self._is_single(model) != is_single:
                raise self.unsupported(model, "its x-mathContext differs from that of the model around it")
            self._refuse_targets(model)
        return segments

    def _refuse_targets(self, model: int) -> None:
        self._refuse_content(model, "Node", "Segmentation")
        targets = self.xml.child(model, "Targets")
        if targets is not None and any(
            self._target(model, target) != (1.0, 0.0) for target in self.xml.children(targets)
        ):
            raise self.unsupported(targets, "it is not supported here")

    def _own_target(self, model: int) -> str | None:
        """Return the target that a model itself lists. Models within others often have none."""
        schema = self.xml.child(model, "MiningSchema")
        listed = () if schema is None else self.xml.children(schema, "MiningField")
        targets = [field for field in listed if self.xml.get(field, "usageType") in ("target", "predicted")]
        return self.xml.require(targets[0], "name") if targets else None

    def _target(self, model: int, element: int) -> tuple[float, float]:
        """Return the factor and the constant of a target."""
        name, target = self.xml.get(element, "field"), self._own_target(model)
        if name != target:
            raise self.xml.fault(element, f"{name!r} is not the target of the model, {target!r}")
        known = {"field", "optype", "rescaleFactor", "rescaleConstant"}
        unknown = sorted(set(self.xml.attributes(element)) - known)
        if unknown or any(True for _ in self.xml.children(element)):
            what = f"the attribute {unknown[0]!r}" if unknown else "a TargetValue"
            raise self.unsupported(element, f"{what} is not supported")
        factor = self.xml.number(element, "rescaleFactor", 1.0)
        return factor, self.xml.number(element, "rescaleConstant", 0.0)

    def _is_single(self, model: int) -> bool:
        context = self.xml.get(model, "x-mathContext") or "double"
        if context not in ("float", "double"):
            raise self.unsupported(model, f"x-mathContext {context!r} is not supported")
        return context == "float"

    def _sum(self, model: int) -> _Part:
        """Read a model that adds up the numbers of trees."""
        part = _Part(self._is_single(model))
        if self.xml.kind(model) == "TreeModel":
            self._refuse_content(model, "Node")
            part.models, part.weights = [model], [1.0]
        elif self.xml.kind(model) == "MiningModel":
            segmentation = self._segmentation(model)
            method = self.xml.require(segmentation, "multipleModelMethod")
            if method not in ("sum", "average", "weightedAverage"):
                raise self.unsupported(segmentation, f"multipleModelMethod {method!r} is not supported")
            segments = self._tree_models(segmentation, "regression", part.is_single)
            part.models = [tree for tree, _ in segments]
            part.weights = [weight if method == "weightedAverage" else 1.0 for _, weight in segments]
            part.divisor = 1.0 if method == "sum" else float(sum(part.weights))
            if not part.divisor > 0:
                raise self.xml.fault(segmentation, "the weights of its segments do not add up to more than 0")
        else:
            raise self.unsupported(model, "it is not supported here. Supported: TreeModel and MiningModel")
        targets = self.xml.child(model, "Targets")
        for number, target in enumerate(() if targets is None else self.xml.children(targets)):
            if number:
                raise self.xml.fault(target, "a second target is not supported")
            part.factor, part.base = self._target(model, target)
        return part

    def _regression(self, part: _Part) -> PmmlModel:
        """Return a model that predicts a number."""
        target = self.fields.target
        if target is not None and target.dtype == "float" and not part.is_single:
            raise self.unsupported(target.element, "it rounds the predictions, which is not supported")
        if part.factor != 1 or (part.divisor != 1 and part.base):
            # Folded into the trees: equal up to rounding, and no label depends on it.
            weights = [weight * part.factor / part.divisor for weight in part.weights]
            part = replace(part, weights=weights, factor=1.0, divisor=1.0)
        trees = read_trees(self.xml, self.fields, part.models)
        divisors = () if part.divisor == 1 else (part.divisor,)
        return PmmlModel(
            nodes=self._with_numbers(trees, part.is_single),
            n_scores=1,
            link=Link("identity", divisors),
            tree_weight=part.weights,
            tree_score=[0] * len(part.models),
            base=[part.base],
            is_single=part.is_single,
        )

    def _with_numbers(self, trees: PmmlTrees, is_single: bool) -> list[BinaryNodes]:
        numbers = self.xml.singles if is_single else self.xml.numbers
        value = np.where(trees.score >= 0, numbers[trees.score], np.nan)
        result = []
        for nodes in trees.nodes:
            node = nodes.output[:, 0].astype(np.int64)
            output = np.where(nodes.is_leaf, value[node], 0.0)
            if np.isnan(output).any():
                bad = int(trees.element[node[np.isnan(output)][0]])
                raise self.xml.fault(bad, "its score is not a number")
            result.append(replace(nodes, output=output[:, np.newaxis]))
        return result

    def _voted(self, segmentation: int | None, method: str, models: Sequence[int] = ()) -> PmmlModel:
        """Return a model of trees that know the classes."""
        if method not in _AVERAGES or method == "sum":
            raise self.unsupported(segmentation or 0, f"multipleModelMethod {method!r} is not supported")
        segments = [(model, 1.0) for model in models]
        if segmentation is not None:
            segments = self._tree_models(segmentation, "classification", is_single=False)
        is_weighted = method.startswith("weighted")
        weights = [weight if is_weighted else 1.0 for _, weight in segments]
        if not sum(weights) > 0 or min(weights) < 0:
            raise self.xml.fault(
                segmentation or 0, "the weights of its segments do not add up to more than 0"
            )
        trees = read_trees(self.xml, self.fields, [model for model, _ in segments])
        votes = "Vote" in method
        is_mean = segmentation is not None and not votes
        leaves = ClassLeaves(self.xml, trees, self.fields.classes(), as_listed=is_mean)
        if (votes and _may_tie(weights, len(leaves.classes))) or (
            is_mean and len(weights) > 1 and not leaves.agree_on_an_order
        ):
            self._warn_of_ties()
        nodes = leaves.with_votes() if votes else leaves.with_shares(is_single_tree=segmentation is None)
        return PmmlModel(
            nodes=nodes,
            n_scores=len(leaves.classes),
            link=Link("mean", (float(sum(weights)),)),
            classes=leaves.classes,
            votes=votes,
            tree_weight=weights,
        )

    def _warn_of_ties(self) -> None:
        warnings.warn(
            f"{self.xml.file}: two classes may tie, and PMML does not say which one wins then. Here it is "
            "the class declared first. JPMML takes the class that the first tree names first.",
            DataWarning,
            stacklevel=2,
        )

    def _chain(self, segmentation: int) -> PmmlModel:
        """Read sums of trees behind which a RegressionModel makes probabilities."""
        segments = [model for model, _ in self._segments(segmentation)]
        *sums, last = segments
        if self.xml.kind(last) != "RegressionModel" or not sums:
            raise self.unsupported(last, "it is not supported here. Supported: RegressionModel")
        parts: dict[str, _Part] = {}
        for model in sums:
            if self.xml.require(model, "functionName") != "regression":
                raise self.unsupported(model, "it must be a regression")
            parts[self._output(model)] = self._sum(model)
        tables = self._tables(last)
        method = self.xml.get(last, "normalizationMethod") or "none"
        known = set(self.fields.classes()) or set(tables)
        if method == "logit" and len(tables) == 2 and known == set(tables):
            return self._logit(last, tables, parts)
        if method == "softmax" and len(tables) > 1 and known == set(tables):
            return self._softmax(last, tables, parts)
        raise self.unsupported(
            last, f"normalizationMethod {method!r} with {len(tables)} tables is not supported"
        )

    def _output(self, model: int) -> str:
        """Return the name under which later segments know the number of a model."""
        output = self.xml.child(model, "Output")
        fields = [] if output is None else list(self.xml.children(output, "OutputField"))
        if len(fields) != 1 or (self.xml.get(fields[0], "feature") or "predictedValue") != "predictedValue":
            raise self.unsupported(model, "it must have one OutputField, its predicted value")
        if any(True for _ in self.xml.children(fields[0])):
            raise self.unsupported(fields[0], "an expression is not supported")
        return self.xml.require(fields[0], "name")

    def _tables(self, model: int) -> dict[str, str | None]:
        """Return, per class, the number that a RegressionModel takes over for it."""
        if self.xml.require(model, "functionName") != "classification":
            raise self.unsupported(model, "it must be a classification")
        self._refuse_content(model, "RegressionTable")
        tables: dict[str, str | None] = {}
        for table in self.xml.children(model, "RegressionTable"):
            predictors = list(self.xml.children(table))
            if self.xml.number(table, "intercept", 0.0) != 0 or len(predictors) > 1:
                raise self.unsupported(table, "an intercept or several predictors are not supported")
            for predictor in predictors:
                is_plain = self.xml.kind(predictor) == "NumericPredictor" and (
                    self.xml.number(predictor, "coefficient", 1.0) == 1
                    and self.xml.number(predictor, "exponent", 1.0) == 1
                )
                if not is_plain:
                    raise self.unsupported(predictor, "only the coefficient 1 is supported")
            name = self.xml.require(predictors[0], "name") if predictors else None
            tables[self.xml.require(table, "targetCategory")] = name
        return tables

    def _taken(self, model: int, name: str | None, parts: dict[str, _Part]) -> _Part:
        if name is None or name not in parts:
            raise self.unsupported(model, f"it takes {name!r}, which no segment gives")
        part = parts.pop(name)
        if part.is_single != self._is_single(model):
            raise self.unsupported(model, "its x-mathContext differs from that of the trees")
        return part

    def _logit(self, model: int, tables: dict[str, str | None], parts: dict[str, _Part]) -> PmmlModel:
        """Two classes, the first with a score. Its probability decides, and it wins ties."""
        positive = [name for name, taken in tables.items() if taken is not None]
        if len(positive) != 1 or next(iter(tables)) != positive[0]:
            # The probability of the first table is computed, and the second gets the rest.
            raise self.unsupported(model, "the first of two tables must have a predictor, and only that")
        negative = next(name for name in tables if name != positive[0])
        part = self._taken(model, tables[positive[0]], parts)
        limit = undecided_up_to(part.is_single, wins_ties=True)
        link = Link("sigmoid", label_above=limit)
        if part.is_rescaled:
            builder = FormulaBuilder(1)
            score = _rescaled(builder, 0, part)
            shares = builder.add("complement", builder.add("sigmoid", score, single=part.is_single))
            label = builder.add("above", score, numbers=[limit], columns=[0, 1])
            link = Link("mixture", formula=builder.formula(shares, label))
        return self._added([part], link, (negative, positive[0]))

    def _softmax(self, model: int, tables: dict[str, str | None], parts: dict[str, _Part]) -> PmmlModel:
        taken = [self._taken(model, name, parts) for name in tables.values()]
        link = Link("softmax")
        if any(part.is_rescaled for part in taken):
            builder = FormulaBuilder(len(taken))
            scores = [_rescaled(builder, score, part) for score, part in enumerate(taken)]
            shares = builder.add("softmax", builder.add("concat", *scores), single=taken[0].is_single)
            link = Link("mixture", formula=builder.formula(shares, shares))
        return self._added(taken, link, tuple(tables))

    def _added(self, parts: list[_Part], link: Link, classes: tuple[str, ...]) -> PmmlModel:
        """Return a model whose scores are sums of trees, one per part."""
        entries = sorted(
            (model, score, weight)
            for score, part in enumerate(parts)
            for model, weight in zip(part.models, part.weights, strict=True)
        )
        trees = read_trees(self.xml, self.fields, [model for model, _, _ in entries])
        is_single = parts[0].is_single
        return PmmlModel(
            nodes=self._with_numbers(trees, is_single),
            n_scores=len(parts),
            link=link,
            classes=classes,
            tree_weight=[weight for _, _, weight in entries],
            tree_score=[score for _, score, _ in entries],
            base=[0.0 if link.formula else part.base for part in parts],
            is_single=is_single,
        )


def _may_tie(weights: list[float], n_classes: int) -> bool:
    """Whether two classes can get the same number of votes."""
    is_odd_number = len(set(weights)) == 1 and len(weights) % 2 == 1
    return n_classes > 1 and len(weights) > 1 and not (is_odd_number and n_classes == 2)


def _rescaled(builder: FormulaBuilder, score: int, part: _Part) -> int:
    """Add the steps from a sum of trees to the number that a model predicts."""
    found = builder.add("scores", columns=[score])
    if part.divisor != 1:
        found = builder.add("divide", found, numbers=[part.divisor], single=part.is_single)
    return builder.add("affine", found, numbers=[part.factor, part.base], single=part.is_single)
