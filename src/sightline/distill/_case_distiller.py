"""Base class for explanations by cases, of classes or numbers."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sightline.distill._case_descriptions import CaseDescriptions, describe_cases, with_unseen_answers
from sightline.distill._remarks import about_descriptions
from sightline.distill._stand_in import neighbors_of, with_trees
from sightline.distill._teacher import Teacher
from sightline.estimator import SightlineEstimator
from sightline.model import (
    BlackBox,
    CaseBase,
    CaseExplanation,
    CaseJudgement,
    Ensemble,
    NeighbourEnsemble,
    neighbour_views,
)
from sightline.progress import progress_bar
from sightline.sklearn_internals import Interval, StrOptions
from sightline.table import Table


class CaseDistiller(SightlineEstimator):
    """Base class of the estimators that explain an ensemble by cases, of classes or of numbers.

    A subclass sets ``cases_``.
    """

    cases_: CaseBase
    max_judged_rows: int
    n_jobs: int | None
    random_state: Any

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "k_meta": [Interval(Integral, 1, None, closed="left"), StrOptions({"loo"})],
        "predict_with": [StrOptions({"ensemble", "meta"})],
        "max_judged_rows": [Interval(Integral, 2, 50_000, closed="both")],
    }

    def explain(self, rows: Any, n: int = 3, *, include_itself: bool = False, ids: Any = None) -> Any:
        """Explain the prediction for one row or many, and name the cases that support it.

        Parameters
        ----------
        %(explained_rows)s
        n : int, default=3
            Maximum number of supporting cases.
        include_itself : bool, default=False
            Whether a row that is one of the cases may be explained by itself.
        %(ids)s

        Returns
        -------
        Explanation or Explanations
            The prediction, the supporting cases with their differences, and the nearest case of a
            different class; the sentences add the features that the members use and the measured fidelity.
        """
        return self._fitted_cases().explain(rows, n=n, include_itself=include_itself, ids=ids)

    def explanation(self, row: Any, n: int = 3) -> CaseExplanation:
        """Find the cases that explain one row; see :meth:`sightline.CaseBase.explanation`."""
        return self._fitted_cases().explanation(row, n, self.n_jobs)

    def explanations(self, X: Any, n: int = 3) -> list[CaseExplanation]:
        """Find the cases that explain rows; see :meth:`sightline.CaseBase.explanations`."""
        return self._fitted_cases().explanations(X, n, self.n_jobs)

    @property
    def remarks_(self) -> list[str]:
        """Facts that the cases do not show: what describes them, if the explained model has no members."""
        stand_in = self._fitted_cases().stand_in
        return [stand_in] if stand_in else []

    def _rows_for_model(self, table: Table) -> Table:
        aligned = super()._rows_for_model(table)
        # A black box also gets categories that no case has.
        return table if isinstance(self.cases_.predictor, BlackBox) else aligned

    def _fitted_cases(self) -> CaseBase:
        check_is_fitted(self)
        return self.cases_

    def _judged_rows(self, n_rows: int) -> NDArray[np.intp]:
        """Sample the cases that are left out one by one."""
        if n_rows <= self.max_judged_rows:
            return np.arange(n_rows)
        random = check_random_state(self.random_state)
        return np.sort(random.permutation(n_rows)[: self.max_judged_rows])

    def _described(
        self, teacher: Teacher, X: Any, y: Any
    ) -> tuple[Ensemble | NeighbourEnsemble, CaseDescriptions, str]:
        """Return the members that describe the cases, the descriptions, and a sentence about substitutes."""
        if not isinstance(teacher.ensemble, BlackBox):
            return teacher.trees, describe_cases(teacher, X, y), ""
        members, views = self._imitated(teacher, teacher.ensemble)
        descriptions = with_unseen_answers(teacher, views, X, y)
        return members, descriptions, about_descriptions(teacher, members)

    def _imitated(self, teacher: Teacher, box: BlackBox) -> tuple[Ensemble | NeighbourEnsemble, NDArray[Any]]:
        """Return members that learned from a black box, and their descriptions of its training rows."""
        with progress_bar(f"Imitating {box.name}", 1, box.show_progress):
            if teacher.n_classes:
                neighbors = neighbors_of(teacher, self.random_state)
                shares = neighbors.member_shares(None, self.n_jobs)
                return neighbors, neighbour_views(neighbors, shares).views
            forest = with_trees(teacher, self.random_state)
            return forest.trees, describe_cases(forest, forest.table, forest.numbers).views

    def _left_out(
        self, base: CaseBase, judged: NDArray[np.intp], k: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the cases nearest to each judged case, and their distances."""
        return base.nearest(base.views[judged], k, itself=judged.astype(np.int32), n_jobs=self.n_jobs)

    def _remember_judgement(self, base: CaseBase, judgement: CaseJudgement) -> None:
        base.judgement = judgement
        self.k_meta_ = base.k_meta
        self.fidelity_ = judgement.fidelity
        self.meta_error_, self.ensemble_error_ = judgement.meta_error, judgement.ensemble_error

    @property
    def _model(self) -> CaseBase:
        return self.cases_
