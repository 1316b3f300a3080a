"""Meta k-NN: an ensemble explained, or replaced, by the cases that it sees as alike."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from sightline import _core
from sightline.distill._case_descriptions import CaseDescriptions, describe_cases
from sightline.distill._teacher import is_fitted, resolve_teacher
from sightline.estimator import SightlineClassifier
from sightline.exceptions import DataError
from sightline.learn import SubspaceKNNClassifier
from sightline.model import (
    CaseBase,
    CaseExplanation,
    CaseJudgement,
    Ensemble,
    NeighbourEnsemble,
    member_views,
    most_voted,
    n_threads,
    neighbour_views,
)
from sightline.table import Labels, Table, content_hashes

_MAX_META = 25


class MetaKNNClassifier(SightlineClassifier):
    """Cases that explain an ensemble, found by what its members say about them.

    Every case is described by the predictions of the ensemble's members, made without
    having seen it. A new row is described in the same way, and the cases with the nearest
    descriptions are those that the ensemble sees as alike. They explain its prediction, or
    make one of their own.

    Parameters
    ----------
    ensemble : SubspaceKNNClassifier, or any ensemble that `sightline.load` reads, optional
        Whose members describe the cases. None stands for ``SubspaceKNNClassifier()``, the
        paper's own. What is fitted is used as it is, anything else is fitted on X, y first.
    k_meta : int or "loo", default="loo"
        Nearest cases that vote. "loo": the number of 1 to 25 that makes the fewest errors, each
        case left out of its own neighbours.
    predict_with : {"ensemble", "meta"}, default="ensemble"
        Who gives the label: the ensemble, with cases for explanation only, or the vote of
        the nearest cases.
    meta_weights : {"auto", "uniform", "distance"}, default="auto"
        Whether the nearest cases have one vote each or vote by 1 / distance; by default the
        former for two classes and the latter for more.
    select_members : bool, default=False
        Whether to leave out members without which the nearest cases make no more errors.
    max_judged_rows : int, default=2000
        So many cases at most, drawn at random, are left out one by one to choose ``k_meta``
        and to measure the fidelity, each against all others. Members are selected on them alone.
    categorical_features : "from_dtype", None, or list of names, indices or booleans
        Which columns are nominal, as in :meth:`sightline.Table.from_any`.
    n_jobs : int, optional
        Threads to use, as in joblib. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Given to an ensemble that is learnt here and has none, and draws the judged cases.

    Attributes
    ----------
    cases_ : CaseBase
        The cases and their descriptions.
    k_meta_ : int
        Nearest cases that vote.
    fidelity_ : float
        Share of the judged cases to which the nearest cases give the ensemble's label.
    meta_error_ : float
        Share of the judged cases that the nearest cases get wrong.
    ensemble_error_ : float
        Share of the judged cases that the ensemble gets wrong.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had any.

    Notes
    -----
    Descriptions of cases are honest where members have not seen the case: nearest
    neighbours leave it out; of bagged trees only those that did not draw it count, their
    mean standing in for the others; other ensembles are fitted five times without a fifth of
    the rows. ``cases_.origin`` says which. An ensemble that cannot be fitted again describes
    the cases as it is ("seen"): if they are its own training rows, the fidelity is too good.

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
    >>> print(meta.explain(X.iloc[140], n=1).splitlines()[0])
    Predicted virgi (50 of 50 members).
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "ensemble": "no_validation",  # type: ignore[dict-item]
        "k_meta": [Interval(Integral, 1, None, closed="left"), StrOptions({"loo"})],
        "predict_with": [StrOptions({"ensemble", "meta"})],
        "meta_weights": [StrOptions({"auto", "uniform", "distance"})],
        "select_members": ["boolean"],
        "max_judged_rows": [Interval(Integral, 2, 50_000, closed="both")],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        ensemble: Any = None,
        k_meta: int | str = "loo",
        predict_with: str = "ensemble",
        meta_weights: str = "auto",
        select_members: bool = False,
        max_judged_rows: int = 2000,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.ensemble = ensemble
        self.k_meta = k_meta
        self.predict_with = predict_with
        self.meta_weights = meta_weights
        self.select_members = select_members
        self.max_judged_rows = max_judged_rows
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Describe the cases by the ensemble, which is learnt first unless it is fitted.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The cases; NaN and None are missing values.
        y : array-like of shape (n_rows,)
            Their outcomes.

        Returns
        -------
        MetaKNNClassifier
            Itself, fitted.
        """
        self._check_parameters()
        neighbours = _neighbour_learner(self.ensemble)
        described = (
            self._described_by_trees(X, y)
            if neighbours is None
            else self._described_by_cases(X, y, neighbours)
        )
        cases, labels, ensemble, descriptions = described
        judged = np.arange(cases.n_rows)
        if cases.n_rows > self.max_judged_rows:
            random = check_random_state(self.random_state)
            judged = np.sort(random.permutation(cases.n_rows)[: self.max_judged_rows])
        base = CaseBase(
            cases,
            labels,
            ensemble,
            descriptions.views,
            origin=descriptions.origin,
            weighted=self._is_weighted(labels),
            predict_with=self.predict_with,  # type: ignore[arg-type]
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

    def explain(self, row: Any, n: int = 3) -> str:
        """Say in plain sentences what is predicted, and which cases support it.

        Parameters
        ----------
        row : dict, sequence, or table of one row
            The values, by name or in the order of the features.
        n : int, default=3
            Most supporting cases.

        Returns
        -------
        str
            The prediction, the supporting cases with what differs, the nearest case of
            another class, the features that the members use, and the measured fidelity.
        """
        return str(self._fitted_cases().explain(row, n=n))

    def explanation(self, row: Any, n: int = 3) -> CaseExplanation:
        """Find the cases that explain one row; see :meth:`sightline.CaseBase.explanation`."""
        return self._fitted_cases().explanation(row, n, self.n_jobs)

    def explanations(self, X: Any, n: int = 3) -> list[CaseExplanation]:
        """Find the cases that explain rows; see :meth:`sightline.CaseBase.explanations`."""
        return self._fitted_cases().explanations(X, n, self.n_jobs)

    def _fitted_cases(self) -> CaseBase:
        self._fitted_model()
        return self.cases_

    def _described_by_cases(
        self, X: Any, y: Any, learner: SubspaceKNNClassifier
    ) -> tuple[Table, Labels, NeighbourEnsemble, CaseDescriptions]:
        table = self._training_rows(X, self.categorical_features)
        labels = self._checked_labels(y, table.n_rows)
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
                ensemble.winners(shares.sum(1, dtype=np.int64)),
            )
        else:
            views = member_views(ensemble, table, self.n_jobs).views
            codes, _ = ensemble.answers(table, self.n_jobs)
        origin = "leave-one-out" if is_own else "seen"
        return table, labels, ensemble, CaseDescriptions(views, codes, origin)  # type: ignore[arg-type]

    def _described_by_trees(self, X: Any, y: Any) -> tuple[Table, Labels, Ensemble, CaseDescriptions]:
        teacher = resolve_teacher(self, X, y)
        if teacher.labels is None:
            raise DataError(
                "MetaKNNClassifier requires y to be passed, but the target y is None: "
                "cases without their outcomes explain nothing."
            )
        return teacher.table, teacher.labels, teacher.ensemble, describe_cases(teacher, X, y)

    def _is_weighted(self, labels: Labels) -> bool:
        if self.meta_weights == "auto":
            return len(np.unique(labels.codes)) > 2
        return self.meta_weights == "distance"

    def _chosen_k(self, base: CaseBase, judged: NDArray[np.intp]) -> int:
        """Return the number of nearest cases with the fewest errors, the smallest of several."""
        if self.k_meta != "loo":
            return int(self.k_meta)
        most = min(_MAX_META, base.cases.n_rows - 1)
        if most < 1:
            return 1
        votes = self._loo_votes(base, judged, most)
        said = most_voted(votes, base.labels)
        wrong = (said != base.labels.codes[judged][:, None]).sum(axis=0)
        return int(wrong.argmin()) + 1

    def _loo_votes(self, base: CaseBase, judged: NDArray[np.intp], k: int) -> NDArray[np.float64]:
        found, distances = base.nearest(
            base.views[judged], k, itself=judged.astype(np.int32), n_jobs=self.n_jobs
        )
        return base.votes(found, distances)

    def _selected(self, base: CaseBase, judged: NDArray[np.intp]) -> CaseBase:
        views = np.ascontiguousarray(base.views[judged])
        kernel = _core.CaseViews(views.ravel(), base.labels.codes[judged], len(base.classes_))
        found = kernel.select(base.k_meta, views.shape[2], base.weighted, n_threads(self.n_jobs))
        fewer = base.restricted(found.members)
        fewer.k_meta = self._chosen_k(fewer, judged)
        return fewer

    def _judge(self, base: CaseBase, judged: NDArray[np.intp], said: NDArray[np.int32]) -> None:
        truth, said = base.labels.codes[judged], said[judged]
        k = min(base.k_meta, base.cases.n_rows - 1)
        meta = said if k < 1 else most_voted(self._loo_votes(base, judged, k)[:, -1], base.labels)
        base.judgement = CaseJudgement(
            len(judged),
            float((meta == said).mean()),
            float((meta != truth).mean()),
            float((said != truth).mean()),
        )
        self.k_meta_ = base.k_meta
        self.fidelity_ = base.judgement.fidelity
        self.meta_error_, self.ensemble_error_ = base.judgement.meta_error, base.judgement.ensemble_error

    @property
    def _model(self) -> CaseBase:
        return self.cases_


def _neighbour_learner(ensemble: Any) -> SubspaceKNNClassifier | None:
    """Return the lazy ensemble that is meant, or None if it is one of trees."""
    if ensemble is None:
        return SubspaceKNNClassifier()
    if type(ensemble).__name__ == "FrozenEstimator":
        ensemble = ensemble.estimator
    return ensemble if isinstance(ensemble, SubspaceKNNClassifier) else None
