"""scikit-learn's estimators that wrap the estimator that predicts."""

from __future__ import annotations

from typing import Any, ClassVar

from sightline.exceptions import UnsupportedModelError
from sightline.load._options import Options
from sightline.load._registry import Importer, read_model, register
from sightline.load._sklearn_estimator import require_fitted
from sightline.model import Ensemble

_SEARCHES = frozenset({"GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV"})


def read_member(member: Any, name: str, owner: str, options: Options) -> Ensemble:
    """Read a model that another one holds. Refusals name both.

    Parameters
    ----------
    member : object
        The fitted model.
    name : str
        What error messages call it.
    owner : str
        Name of the model that holds it.
    options : Options
        The options of ``load``.

    Returns
    -------
    Ensemble
        The member's own answers.
    """
    try:
        return read_model(member, options)
    except UnsupportedModelError as error:
        raise type(error)(f"{owner}: {name}: {error.reason}", error.black_box) from error


class WrapperImporter(Importer):
    """Reads models that hold other models."""

    library: ClassVar[str] = "sklearn"
    family: ClassVar[str] = "scikit-learn"
    holds_models: ClassVar[bool] = True


@register
class SklearnFrozenImporter(WrapperImporter):
    """Reads the model in a frozen estimator."""

    class_names: ClassVar[frozenset[str]] = frozenset({"FrozenEstimator"})

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Return the frozen model."""
        return read_model(model.estimator, options)


@register
class SklearnSearchImporter(WrapperImporter):
    """Reads the best model of a parameter search."""

    class_names: ClassVar[frozenset[str]] = _SEARCHES

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Return the best model."""
        require_fitted(model, "cv_results_")
        if not hasattr(model, "best_estimator_"):
            raise UnsupportedModelError(
                f"{type(model).__name__}: was fitted with refit=False, so it holds no fitted model. "
                "Fit it with refit=True."
            )
        return read_model(model.best_estimator_, options)


@register
class SklearnSelfTrainingImporter(WrapperImporter):
    """Reads the model that was trained on its own labels."""

    class_names: ClassVar[frozenset[str]] = frozenset({"SelfTrainingClassifier"})

    def read_with(self, model: Any, options: Options) -> Ensemble:
        """Return the trained model."""
        require_fitted(model, "estimator_")
        return read_model(model.estimator_, options)
