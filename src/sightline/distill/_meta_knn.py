"""Meta k-NN: explain an ensemble by cases with similar predictions of its members."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import r2_score

from sightline import _core
from sightline.distill._case_descriptions import CaseDescriptions
from sightline.distill._case_distiller import CaseDistiller
from sightline.distill._teacher import is_fitted, resolve_teacher
from sightline.estimator import SightlineClassifier, SightlineRegressor
from sightline.exceptions import DataError
from sightline.learn import SubspaceKNNClassifier
from sightline.model import (
    BlackBox,
    CaseBase,
    CaseJudgement,
    Ensemble,
    NeighbourEnsemble,
    descriptions_of,
    member_centers,
    member_views,
    most_voted,
    n_threads,
    neighbour_views,
)
from sightline.sklearn_internals import StrOptions
from sightline.table import Labels, Numbers, Table, center_and_scale, content_hashes, row_names_of

_MAX_META = 25


class MetaKNNClassifier(CaseDistiller, SightlineClassifier):
    """Explain an ensemble by cases for which its members make similar predictions.

    Each case is described by the predictions of the ensemble's members, made without having
    seen it. A new row is described in the same way. The cases with the nearest descriptions
    are those that look similar to the ensemble. They explain its prediction, or vote themselves.

    Parameters
    ----------
    ensemble : SubspaceKNNClassifier, any ensemble that `sightline.load` reads, or BlackBox, optional
        The ensemble whose members describe the cases. None: ``SubspaceKNNClassifier()``, as in
        the paper. A fitted ensemble is used as it is; an unfitted one is fitted to X and y.
    k_meta : int or "loo", default="loo"
        Number of nearest cases that vote. "loo": the number from 1 to 25 with the smallest
        leave-one-out error.
    predict_with : {"ensemble", "meta"}, optional
        What predicts the label: the ensemble, with cases only as explanation (default preset), or the vote
        of the nearest cases (paper).
    meta_weights : {"auto", "uniform", "distance"}, optional
        Weights of the nearest cases: 1 each (paper), or 1 / distance. *auto* (default preset): *uniform* for
        two classes, *distance* for more.
    select_members : bool, default=False
        Whether to drop members without which the nearest cases make no more errors.
    max_judged_rows : int, default=2000
        Maximum number of cases, drawn at random, that are left out one by one to choose
        ``k_meta``, to select members, and to measure the fidelity.
    %(categorical_features)s
    %(n_jobs)s
    %(random_state)s
    preset : {"default", "paper"}, default="default"
        The values of ``predict_with`` and ``meta_weights`` that are None.

    Attributes
    ----------
    cases_ : CaseBase
        The cases and their descriptions.
    ensemble_ : BlackBox or None
        The queried black box, if the model could not be read; it is what the cases explain.
    remarks_ : list of str
        What describes the cases of a black box, which has no members.
    k_meta_ : int
        Number of nearest cases that vote.
    fidelity_ : float
        Share of the judged cases to which the nearest cases give the ensemble's label.
    meta_error_ : float
        Share of the judged cases that the nearest cases misclassify.
    ensemble_error_ : float
        Share of the judged cases that the ensemble misclassifies.
    %(fitted_columns)s

    Notes
    -----
    The fidelity is unbiased only if the members have not seen the cases. Nearest neighbors leave
    the case itself out. Bagged trees describe their out-of-bag cases, and the mean of those
    predictions replaces that of the other trees. Other ensembles are fitted five times to four
    fifths of the rows. ``cases_.origin`` says which. An ensemble that cannot be fitted again
    is used as it is ("seen"): if the cases are its training rows, the fidelity is overestimated.

    A black box has no members. Its cases are described by a ``SubspaceKNNClassifier(search="hc")`` that
    learned its labels for the training rows, and ``remarks_`` says so. Everything else is about the
    black box itself. With ``predict_with="ensemble"`` it predicts. The fidelity is to its labels: those of
    a copy fitted without the case ("cross-fitted"), or its own if it cannot be fitted again ("seen").

    References
    ----------
    .. [1] G. Zenobi and P. Cunningham, "An Approach to Aggregating Ensembles of Lazy Learners
       that Supports Explanation", ECCBR 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sightline import MetaKNNClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(50, random_state=0)
    >>> meta = MetaKNNClassifier(forest).fit(X[:140], y[:140].replace({0: "setosa", 1: "versi", 2: "virgi"}))
    >>> meta.cases_.origin
    'out-of-bag'
    >>> print(str(meta.explain(X.iloc[140], n=1)).splitlines()[0])
    Predicted virgi (50 of 50 members).
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "meta_weights": [StrOptions({"auto", "uniform", "distance"})],
        "select_members": ["boolean"],
    }

    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "default": {"predict_with": "ensemble", "meta_weights": "auto"},
        "paper": {"predict_with": "meta", "meta_weights": "uniform"},
    }

    def __init__(
        self,
        ensemble: Any = None,
        k_meta: int | str = "loo",
        predict_with: str | None = None,
        meta_weights: str | None = None,
        select_members: bool = False,
        max_judged_rows: int = 2000,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
        *,
        preset: str = "default",
    ) -> None:
        self.ensemble = ensemble
        self.preset = preset
        self.k_meta = k_meta
        self.predict_with = predict_with
        self.meta_weights = meta_weights
        self.select_members = select_members
        self.max_judged_rows = max_judged_rows
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Describe the cases by the ensemble, which is learned first unless it is fitted.

        Parameters
        ----------
        %(X)s
        %(y)s

        Returns
        -------
        %(fitted_self)s
        """
        self._check_parameters()
        self.ensemble_: BlackBox | None = None
        neighbors = _neighbor_learner(self.ensemble)
        described = (
            self._described_by_model(X, y)
            if neighbors is None
            else self._described_by_neighbors(X, y, neighbors)
        )
        cases, labels, ensemble, descriptions, stand_in = described
        judged = self._judged_rows(cases.n_rows)
        base = CaseBase(
            cases,
            labels,
            ensemble,
            descriptions.views,
            origin=descriptions.origin,
            weighted=self._is_weighted(labels),
            predict_with=self._setting("predict_with"),
            names=row_names_of(X),
            stand_in=stand_in,
            black_box=self.ensemble_,
        )
        base.k_meta = self._chosen_k(base, judged)
        if self.select_members:
            base = self._selected(base, judged)
        self._judge(base, judged, descriptions.codes)
        self.cases_ = base
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.ensemble is None  # as SubspaceKNNClassifier's own
        return tags

    def _described_by_neighbors(
        self, X: Any, y: Any, learner: SubspaceKNNClassifier
    ) -> tuple[Table, Labels, NeighbourEnsemble, CaseDescriptions, str]:
        table = self._training_rows(X, self.categorical_features)
        labels = self._checked_target(y, table.n_rows)
        if not is_fitted(learner):
            learner = clone(learner)
            if learner.random_state is None:
                learner.set_params(random_state=self.random_state)
            learner.fit(table, labels)
        ensemble = learner.ensemble_
        table = table.aligned(ensemble.schema, "the ensemble")
        labels = labels.recoded(ensemble.classes_, "the ensemble")
        self._remember(table, ensemble.classes_)
        is_own = len(labels) == len(ensemble.labels) and bool(
            (content_hashes(table, labels) == content_hashes(ensemble.cases, ensemble.labels)).all()
        )
        if is_own:
            table, labels = ensemble.cases, ensemble.labels
            shares = ensemble.member_shares(None, self.n_jobs)
            views, codes = (
                neighbour_views(ensemble, shares).views,
                ensemble.winners(ensemble.combined(shares)),
            )
        else:
            views = member_views(ensemble, table, self.n_jobs).views
            codes, _ = ensemble.answers(table, self.n_jobs)
        origin = "leave-one-out" if is_own else "seen"
        return table, labels, ensemble, CaseDescriptions(views, codes, origin), ""  # type: ignore[arg-type]

    def _described_by_model(
        self, X: Any, y: Any
    ) -> tuple[Table, Labels, Ensemble | NeighbourEnsemble, CaseDescriptions, str]:
        teacher = resolve_teacher(self, X, y)
        if teacher.labels is None:
            raise DataError(
                "MetaKNNClassifier requires y to be passed, but the target y is None: "
                "cases without labels cannot explain anything."
            )
        self.ensemble_ = teacher.ensemble if isinstance(teacher.ensemble, BlackBox) else None
        members, descriptions, stand_in = self._described(teacher, X, y)
        return teacher.table, teacher.labels, members, descriptions, stand_in

    def _is_weighted(self, labels: Labels) -> bool:
        if self._setting("meta_weights") == "auto":
            return len(np.unique(labels.codes)) > 2
        return bool(self._setting("meta_weights") == "distance")

    def _chosen_k(self, base: CaseBase, judged: NDArray[np.intp]) -> int:
        """Return the number of nearest cases with the fewest errors; ties go to the smallest."""
        if self.k_meta != "loo":
            return int(self.k_meta)
        max_k = min(_MAX_META, base.cases.n_rows - 1)
        if max_k < 1:
            return 1
        meta_labels = most_voted(base.votes(*self._left_out(base, judged, max_k)), base.labels)
        n_errors = (meta_labels != base.codes[judged][:, None]).sum(axis=0)
        return int(n_errors.argmin()) + 1

    def _selected(self, base: CaseBase, judged: NDArray[np.intp]) -> CaseBase:
        views = np.ascontiguousarray(base.views[judged])
        kernel = _core.CaseViews(views.ravel(), base.codes[judged], len(base.classes_))
        members = kernel.select(base.k_meta, views.shape[2], base.weighted, n_threads(self.n_jobs))
        fewer = base.restricted(members)
        fewer.k_meta = self._chosen_k(fewer, judged)
        return fewer

    def _judge(self, base: CaseBase, judged: NDArray[np.intp], ensemble_labels: NDArray[np.int32]) -> None:
        true_labels, ensemble_labels = base.codes[judged], ensemble_labels[judged]
        k = min(base.k_meta, base.cases.n_rows - 1)
        meta_labels = ensemble_labels
        if k >= 1:
            meta_labels = most_voted(base.votes(*self._left_out(base, judged, k))[:, -1], base.labels)
        self._remember_judgement(
            base,
            CaseJudgement(
                len(judged),
                float((meta_labels == ensemble_labels).mean()),
                float((meta_labels != true_labels).mean()),
                float((ensemble_labels != true_labels).mean()),
            ),
        )


class MetaKNNRegressor(CaseDistiller, SightlineRegressor):
    """Explain a regression by cases for which its trees make similar predictions.

    Each case is described by the numbers of the ensemble's trees, predicted without having seen
    it. A new row is described in the same way. The cases with the nearest descriptions are those
    that look similar to the ensemble. They explain its number, or are averaged themselves.

    Parameters
    ----------
    %(ensemble)s
    k_meta : int or "loo", default="loo"
        Number of nearest cases that are averaged. "loo": the number from 1 to 25 with the smallest
        squared error, each case left out.
    predict_with : {"ensemble", "meta"}, default="ensemble"
        What predicts the number: the ensemble, with cases only as explanation, or the mean of the
        nearest cases.
    meta_weights : {"uniform", "distance"}, default="distance"
        Weights of the nearest cases: 1 each, or 1 / distance.
    max_judged_rows : int, default=2000
        Maximum number of cases, drawn at random, that are left out one by one to choose
        ``k_meta`` and to measure the fidelity.
    %(categorical_features)s
    %(n_jobs)s
    %(random_state)s

    Attributes
    ----------
    cases_ : CaseBase
        The cases and their descriptions.
    ensemble_ : Ensemble or BlackBox
        The explained ensemble, or the queried black box.
    remarks_ : list of str
        What describes the cases of a black box, which has no members.
    k_meta_ : int
        Number of nearest cases that are averaged.
    fidelity_ : float
        R² of the nearest cases' means to the ensemble's numbers, over the judged cases.
    meta_error_ : float
        Mean absolute error of the nearest cases' means.
    ensemble_error_ : float
        Mean absolute error of the ensemble.
    %(fitted_regression)s

    See Also
    --------
    MetaKNNClassifier : The same for classes.

    Notes
    -----
    Cases are hidden from the trees that have seen them as in :class:`MetaKNNClassifier`. A
    black box has no trees. Its cases are described by a random forest that learned its numbers for the
    training rows, and ``remarks_`` says so. Everything else is about the black box itself.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from sightline import MetaKNNRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> forest = RandomForestRegressor(50, random_state=0).fit(X[1:], y[1:])
    >>> meta = MetaKNNRegressor(forest).fit(X[1:], y[1:])
    >>> meta.cases_.origin
    'out-of-bag'
    >>> meta.fidelity_ > 0.9
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "meta_weights": [StrOptions({"uniform", "distance"})],
    }

    def __init__(
        self,
        ensemble: Any = None,
        k_meta: int | str = "loo",
        predict_with: str = "ensemble",
        meta_weights: str = "distance",
        max_judged_rows: int = 2000,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.ensemble = ensemble
        self.k_meta = k_meta
        self.predict_with = predict_with
        self.meta_weights = meta_weights
        self.max_judged_rows = max_judged_rows
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Describe the cases by the ensemble, which is learned first unless it is fitted.

        Parameters
        ----------
        %(X)s
        y : array-like of shape (n_rows,)
            Numbers of the rows.

        Returns
        -------
        %(fitted_self)s
        """
        self._check_parameters()
        teacher = resolve_teacher(self, X, y)
        self.ensemble_ = teacher.ensemble
        if teacher.numbers is None:
            raise DataError(
                "MetaKNNRegressor requires y to be passed, but the target y is None: "
                "cases without numbers cannot explain anything."
            )
        numbers = Numbers(teacher.numbers)
        members, descriptions, stand_in = self._described(teacher, X, y)
        centers = member_centers(numbers, descriptions.views)
        base = CaseBase(
            teacher.table,
            numbers,
            members,
            descriptions_of(numbers, descriptions.views, centers),
            origin=descriptions.origin,
            weighted=self.meta_weights == "distance",
            predict_with=self.predict_with,  # type: ignore[arg-type]
            names=row_names_of(X),
            centers=centers,
            stand_in=stand_in,
            black_box=teacher.ensemble if isinstance(teacher.ensemble, BlackBox) else None,
        )
        self._judge(base, descriptions.codes)
        self.cases_ = base
        return self

    def _judge(self, base: CaseBase, ensemble_numbers: NDArray[np.float64]) -> None:
        """Choose the number of nearest cases, and measure how well they and the ensemble do."""
        judged = self._judged_rows(base.cases.n_rows)
        own, ensemble_numbers = base.outcomes[judged], ensemble_numbers[judged]
        max_k = min(_MAX_META, base.cases.n_rows - 1)
        max_k = max_k if self.k_meta == "loo" else min(int(self.k_meta), base.cases.n_rows - 1)
        means = ensemble_numbers[:, None]
        if max_k >= 1:
            means = base.means(*self._left_out(base, judged, max_k))
        _, scale = center_and_scale(own)
        errors = (((means - own[:, None]) / scale) ** 2).sum(axis=0)
        base.k_meta = int(errors.argmin()) + 1 if self.k_meta == "loo" else int(self.k_meta)
        nearest = means[:, min(base.k_meta, means.shape[1]) - 1]
        fidelity = r2_score(ensemble_numbers / scale, nearest / scale) if len(judged) > 1 else 1.0
        self._remember_judgement(
            base,
            CaseJudgement(
                len(judged),
                float(fidelity),
                float(np.abs(nearest - own).mean()),
                float(np.abs(ensemble_numbers - own).mean()),
            ),
        )


def _neighbor_learner(ensemble: Any) -> SubspaceKNNClassifier | None:
    """Return the nearest-neighbor ensemble, or None if the ensemble has trees."""
    if ensemble is None:
        return SubspaceKNNClassifier()
    if type(ensemble).__name__ == "FrozenEstimator":
        ensemble = ensemble.estimator
    return ensemble if isinstance(ensemble, SubspaceKNNClassifier) else None
