"""Mixin for models that compute codes and probabilities at once."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sightline.model._readable import Readable


class Answering(Readable):
    """Labels and probabilities, or numbers, of a model that has ``answers`` and ``classes_``."""

    if TYPE_CHECKING:  # An attribute in some models, a property in others.

        @property
        def classes_(self) -> Any:
            """The labels; None if the model predicts numbers."""

    @abstractmethod
    def answers(self, X: Any, n_jobs: int | None = None) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the codes of the labels and the class probabilities of rows; or 0 and the number."""

    def predict(self, X: Any, n_jobs: int | None = None) -> NDArray[Any]:
        """Return the label, or the number, of each row.

        %(predict_sections)s
        """
        codes, outputs = self.answers(X, n_jobs)
        return outputs[:, 0] if self.classes_ is None else np.asarray(self.classes_[codes])

    def predict_proba(self, X: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the class probabilities of each row.

        %(predict_proba_sections)s
        """
        if self.classes_ is None:
            raise AttributeError(
                f"This {type(self).__name__} predicts numbers: it has no class probabilities."
            )
        return self.answers(X, n_jobs)[1]
