"""scikit-learn's estimators that wrap the estimator that predicts."""

from __future__ import annotations

from typing import Any, ClassVar

from sightline.load._registry import Importer, find_importer, register
from sightline.load._sklearn_estimator import require_fitted
from sightline.model import Ensemble

_ATTRIBUTE_BY_CLASS = {
    "FrozenEstimator": "estimator",
    "GridSearchCV": "best_estimator_",
    "RandomizedSearchCV": "best_estimator_",
    "HalvingGridSearchCV": "best_estimator_",
    "HalvingRandomSearchCV": "best_estimator_",
}


@register
class SklearnWrapperImporter(Importer):
    """Reads the model in a frozen estimator or a parameter search."""

    library: ClassVar[str] = "sklearn"
    family: ClassVar[str] = "scikit-learn"
    class_names: ClassVar[frozenset[str]] = frozenset(_ATTRIBUTE_BY_CLASS)

    def read(self, model: Any) -> Ensemble:
        """Return the wrapped model."""
        names = [kind.__name__ for kind in type(model).__mro__]
        attribute = next(_ATTRIBUTE_BY_CLASS[name] for name in names if name in _ATTRIBUTE_BY_CLASS)
        require_fitted(model, attribute)
        inner = getattr(model, attribute)
        return find_importer(inner).read(inner)
