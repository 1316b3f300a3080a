"""Sightline's own models, estimators and files."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._composition import Composition
from sightline.load._file import FileImporter, ModelFile, register_file
from sightline.load._registry import BLACK_BOX_ADVICE, Importer, register, type_name
from sightline.load._sklearn_estimator import require_fitted
from sightline.model import (
    CaseBase,
    Ensemble,
    Graph,
    Link,
    NeighbourEnsemble,
    RuleSet,
    Tree,
    combined,
    parse_model,
)

_WITHOUT_TREES = (CaseBase, Graph, NeighbourEnsemble, RuleSet)


@register
class OwnModelImporter(Importer):
    """Takes ensembles, trees, and estimators that hold one.

    An estimator is recognized by its ``ensemble_`` or ``tree_``, so that this package need not
    know the estimators.
    """

    library: ClassVar[str] = "sightline"
    class_names: ClassVar[frozenset[str]] = frozenset({"Ensemble", "Tree"})
    family: ClassVar[str] = "sightline"

    def accepts(self, model: Any) -> bool:
        """Accept what holds a sightline model, and estimators that may hold one once fitted."""
        is_own = type(model).__module__.partition(".")[0] == self.library
        is_model = _held_model(model) is not None or isinstance(model, _WITHOUT_TREES)
        return is_model or (is_own and hasattr(model, "fit"))

    def read(self, model: Any) -> Ensemble:
        """Return the ensemble, or the tree as an ensemble of one."""
        if isinstance(model, _WITHOUT_TREES):
            raise UnsupportedModelError(
                f"Cannot load a {_noun(model)}: it is neither an ensemble nor a tree.", BLACK_BOX_ADVICE
            )
        held = _held_model(model)
        if held is None:
            require_fitted(model, "n_features_in_")
            raise UnsupportedModelError(
                f"Cannot load a fitted {type_name(model)}: it holds neither an ensemble nor a tree."
            )
        return held if isinstance(held, Ensemble) else _ensemble_of_one(held)


@register_file
class OwnFileImporter(FileImporter):
    """Reads what ``to_json`` writes, as :func:`sightline.read_model` does."""

    format_name: ClassVar[str] = "sightline's own JSON"

    def recognizes(self, file: ModelFile) -> bool:
        """Check for the header of the format."""
        return {"format", "version", "kind"} <= file.keys

    def read(self, file: ModelFile) -> Ensemble:
        """Return the ensemble, or the tree as an ensemble of one."""
        model = self.model_in(file)
        if not isinstance(model, Ensemble | Tree):
            raise UnsupportedModelError(
                f"{file.name}: holds a {_noun(model)}, not an ensemble. Read it with sl.read_model."
            )
        return model if isinstance(model, Ensemble) else _ensemble_of_one(model)

    @staticmethod
    def model_in(file: ModelFile) -> Any:
        """Return the model of any kind in a file of our format."""
        try:
            text = file.content.decode()
        except UnicodeDecodeError as error:
            raise ModelFormatError(f"{file.name}: is not UTF-8 (byte {error.start}).") from error
        return parse_model(text, file.name)


def _noun(model: Any) -> str:
    """Return what a kind of model is called, such as "rule set"."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", type(model).__name__).lower()


def _held_model(model: Any) -> Ensemble | Tree | None:
    # Estimators that summarize an ensemble hold both. What counts is the model that predicts.
    answering = getattr(model, "_model", None)
    if answering is not None:
        return answering if isinstance(answering, Ensemble | Tree) else None
    candidates = (model, getattr(model, "tree_", None), getattr(model, "ensemble_", None))
    return next((held for held in candidates if isinstance(held, Ensemble | Tree)), None)


def _ensemble_of_one(tree: Tree) -> Ensemble:
    tree.require_constant_leaves("An ensemble", "use the tree itself, which sl.read_model reads from a file")
    core = combined([tree.core], tie_tolerance=tree.tie_tolerance)
    if tree.classes_ is None:
        return Ensemble(core, tree.schema, None, Link("identity"))
    ensemble = Ensemble(core, tree.schema, tree.classes_, Link("mean", (1.0,)))
    return ensemble if tree.tie_tolerance == 0 else _with_tolerance(ensemble, tree.tie_tolerance)


def _with_tolerance(ensemble: Ensemble, tolerance: float) -> Ensemble:
    """Return the ensemble, whose label is the first of the probabilities that differ by no more than this."""
    whole = Composition.of_one(ensemble, "The tree")
    shares = whole.response.probabilities
    return whole.ensemble(ensemble.classes_, shares, whole.add("argmax", shares, numbers=[tolerance]))
