"""What models share that answer with codes and probabilities at once."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sightline.model._readable import Readable


class Answering(Readable):
    """Labels and probabilities of a model that has ``answers`` and ``classes_``."""

    if TYPE_CHECKING:  # An attribute in some models, a property in others.

        @property
        def classes_(self) -> NDArray[Any]:
            """The labels."""

    @abstractmethod
    def answers(self, X: Any, n_jobs: int | None = None) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the codes of the labels and the class probabilities of rows."""

    def predict(self, X: Any, n_jobs: int | None = None) -> NDArray[Any]:
        """Return the label of each row.

        %(predict_sections)s
        """
        return np.asarray(self.classes_[self.answers(X, n_jobs)[0]])

    def predict_proba(self, X: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the class probabilities of each row.

        %(predict_proba_sections)s
        """
        return self.answers(X, n_jobs)[1]
