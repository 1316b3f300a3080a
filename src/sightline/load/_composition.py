"""Models side by side: one ensemble of all their trees, and a formula that combines their answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._column_order import refuse_other_order
from sightline.load._options import Options
from sightline.load._united_schema import in_one_schema
from sightline.model import Ensemble, Formula, FormulaBuilder, Link, combined, first_largest
from sightline.wording import pluralize


class Composition(FormulaBuilder):
    """Loaded models, and the steps that make one answer of theirs.

    Parameters
    ----------
    parts : sequence of Ensemble
        The models, over the same columns.
    names : sequence of str
        What error messages call them.
    owner : str
        Name of the model that holds them, for error messages.

    Attributes
    ----------
    responses : list of Formula
        The answers of each model, as steps of this formula.
    """

    def __init__(self, parts: Sequence[Ensemble], names: Sequence[str], owner: str) -> None:
        self.owner = owner
        for part, name in zip(parts, names, strict=True):
            _require_sums(part, name, owner)
        self._parts = in_one_schema(parts, names, owner)
        super().__init__(sum(part.core.n_scores for part in parts))
        self.responses: list[Formula] = []
        first_score = 0
        for part in self._parts:
            self.responses.append(self.include(part.link.as_formula(part.core), first_score))
            first_score += part.core.n_scores

    @classmethod
    def of_one(cls, part: Ensemble, owner: str) -> Composition:
        """Wrap a single model."""
        return cls([part], [owner], owner)

    @property
    def response(self) -> Formula:
        """The answer of the only model."""
        (response,) = self.responses
        return response

    @property
    def deviance_power(self) -> float | None:
        """The power of the deviance that all models minimize; None if they differ. Their mean keeps it."""
        powers = {part.deviance_power for part in self._parts}
        return powers.pop() if len(powers) == 1 else None

    def average(self, steps: Sequence[int], weights: Any, single: bool = False) -> int:
        """Add the mean of some steps, weighted as numpy does it."""
        if weights is None:
            return self.add("average", *steps, numbers=[1.0] * len(steps) + [len(steps)], single=single)
        weights = np.asarray(weights)
        if len(weights) != len(steps) or not np.isfinite(weights).all() or weights.sum() == 0:
            raise UnsupportedModelError(
                f"{self.owner}: cannot average {pluralize(len(steps), 'model')} with the weights "
                f"{weights.tolist()}."
            )
        return self.add("average", *steps, numbers=[*weights.tolist(), float(weights.sum())])

    def ensemble(
        self,
        classes: NDArray[Any] | None,
        probabilities: int,
        label: int | None = None,
        decision: int | None = None,
        deviance_power: float | None = None,
    ) -> Ensemble:
        """Return the ensemble that answers with these steps."""
        formula = self.formula(probabilities, probabilities if label is None else label, decision)
        try:
            formula.native  # noqa: B018 - checks all steps
        except ValueError as error:
            raise ModelFormatError(f"{self.owner}: {error}.") from error
        if len(self._parts) == 1:
            part = self._parts[0]
            core, link = part.core, Link(part.link.kind, formula=formula)
        else:
            core, link = _side_by_side(self._parts), Link("mixture", formula=formula)
        return Ensemble(core, self._parts[0].schema, classes, link, deviance_power=deviance_power)


def _require_sums(part: Ensemble, name: str, owner: str) -> None:
    if part.link.kind == "median":
        raise UnsupportedModelError(
            f"{owner}: {name} predicts the median of its trees, which cannot be combined exactly.",
            "sl.BlackBox takes any model.",
        )


def named_as(ensemble: Ensemble, model: Any, options: Options) -> Ensemble:
    """Return the ensemble with the column names of the model that holds it, if both have the same columns."""
    names = getattr(model, "feature_names_in_", None)
    if options.in_front is not None or names is None or len(names) != len(ensemble.schema):
        return ensemble
    if ensemble.schema.has_given_names:
        refuse_other_order(
            type(model).__name__,
            ("it was fitted on", [*map(str, names)]),
            ("its model was trained on", ensemble.schema.names),
        )
    features = tuple(
        replace(feature, name=str(name))
        for feature, name in zip(ensemble.schema.features, names, strict=True)
    )
    return ensemble.replaced(schema=replace(ensemble.schema, features=features, names_given=True))


def _side_by_side(parts: Sequence[Ensemble]) -> _core.Ensemble:
    """Return one sum of all trees, in which every part has its own scores."""
    n_scores = sum(part.core.n_scores for part in parts)
    trees: list[_core.Tree] = []
    first = 0
    for part in parts:
        core = part.core
        for number, tree in enumerate(core.trees):
            trees.append(_widened(tree, _added(core, number, tree), first, n_scores))
        first += core.n_scores
    return combined(
        trees,
        n_scores=n_scores,
        tree_weight=[weight for part in parts for weight in _weights(part.core)],
        base=[value for part in parts for value in part.core.base],
        single_precision=[flag for part in parts for flag in part.core.single_precision],
        base_last=[flag for part in parts for flag in part.core.base_last],
    )


def _weights(core: _core.Ensemble) -> list[float]:
    return [1.0] * len(core.trees) if core.votes else core.tree_weight


def _added(core: _core.Ensemble, number: int, tree: _core.Tree) -> NDArray[np.float64]:
    """Return what each node adds to each score of its part, before the weight of the tree."""
    output = np.asarray(tree.output)
    if core.votes:
        if not _sends_missing_one_way(tree):
            raise UnsupportedModelError(
                "Cannot combine votes of trees that spread missing values over several branches with other "
                "models.",
                "sl.BlackBox takes any model.",
            )
        weight, against = core.tree_weight[number], core.vote_against[number]
        best = first_largest(output, core.tie_tolerance)
        return np.where(np.arange(output.shape[1]) == best[:, None], weight, against)
    if core.tree_score[number] < 0:
        return output
    wide = np.zeros((len(output), core.n_scores))
    wide[:, core.tree_score[number]] = output[:, 0]
    return wide


def _sends_missing_one_way(tree: _core.Tree) -> bool:
    share = np.asarray(tree.share)
    return bool(np.isin(share, (0.0, 1.0)).all())


def _widened(tree: _core.Tree, added: NDArray[np.float64], first: int, n_scores: int) -> _core.Tree:
    output = np.zeros((tree.n_nodes, n_scores))
    output[:, first : first + added.shape[1]] = added
    return tree.with_output(output)
