"""scikit-learn's models that hold tree models and cannot be an ensemble of trees: refused by name."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from sightline.exceptions import UnsupportedModelError
from sightline.load._options import Options
from sightline.load._registry import register
from sightline.load.sklearn._wrapper import WrapperImporter

_REASONS = {
    "StackingClassifier": "a model learned from its members' predictions decides.",
    "StackingRegressor": "a model learned from its members' predictions decides.",
    "ClassifierChain": "each of its models uses the labels of earlier ones. Load the models one by one.",
    "RegressorChain": "each of its models uses the predictions of earlier ones. Load the models one by one.",
    "MultiOutputClassifier": "it gives a row several labels. Load its estimators_ one by one.",
    "MultiOutputRegressor": "it gives a row several numbers. Load its estimators_ one by one.",
    "OutputCodeClassifier": "it compares distances to code words.",
}


@register
class SklearnRefusedImporter(WrapperImporter):
    """Says why a model cannot be loaded, and what can be done."""

    class_names: ClassVar[frozenset[str]] = frozenset(_REASONS)

    def read_with(self, model: Any, options: Options) -> NoReturn:
        """Raise UnsupportedModelError."""
        del options
        name = next(kind.__name__ for kind in type(model).__mro__ if kind.__name__ in _REASONS)
        article = "an" if name[0] in "AEIO" else "a"
        has_other_way = _REASONS[name].endswith("one by one.")
        raise UnsupportedModelError(
            f"Cannot load {article} {name}: {_REASONS[name]}",
            "" if has_other_way else "sl.BlackBox takes any model.",
        )
