"""Cases with known outcomes, described by the predictions of an ensemble's members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.exceptions import DataError, ParameterError
from sightline.model._answering import Answering
from sightline.model._black_box import BlackBox
from sightline.model._case_explanation import CaseExplanation
from sightline.model._case_numbers import descriptions_of
from sightline.model._case_search import explain_by_cases
from sightline.model._ensemble import Ensemble
from sightline.model._members import MemberViews, feature_use, member_views, n_voters
from sightline.model._neighbours import NeighbourEnsemble, most_voted
from sightline.model._own_case import OwnCases
from sightline.model._rows import n_threads
from sightline.table import Labels, Numbers, Schema, Table, row_names_of, table_of_row
from sightline.wording import pluralize

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Origin = Literal["leave-one-out", "out-of-bag", "cross-fitted", "seen"]
ORIGINS: tuple[Origin, ...] = ("leave-one-out", "out-of-bag", "cross-fitted", "seen")

_MIN_DISTANCE = 1e-9


@dataclass(frozen=True)
class CaseJudgement:
    """Accuracy of cases and ensemble, each case left out of its own neighbors.

    Attributes
    ----------
    n_cases : int
        Cases that were judged.
    fidelity : float
        Share of them to which the vote of the nearest cases gives the ensemble's label. Of numbers,
        the R² of the nearest cases' means to the ensemble's numbers.
    meta_error, ensemble_error : float
        Share of them that the nearest cases, and that the ensemble gets wrong. Of numbers, their
        mean absolute errors.
    """

    n_cases: int
    fidelity: float
    meta_error: float
    ensemble_error: float


class CaseBase(Answering):
    """Cases with known outcomes, each described by the predictions of an ensemble's members.

    A row is described in the same way. The cases with the nearest descriptions look similar to the
    ensemble. They decide (``predict_with="meta"``), or explain what the ensemble decides.

    Parameters
    ----------
    cases : Table
        The cases, in the ensemble's columns.
    labels : Labels or Numbers
        Their outcomes, in the ensemble's classes, or numbers.
    ensemble : NeighbourEnsemble or Ensemble
        The ensemble whose members describe cases and rows.
    views : ndarray of float32 of shape (n_cases, n_kept, n_columns)
        Predictions of members that have not seen the cases.
    members : sequence of int, optional
        Indices of these members in the ensemble; all by default.
    origin : {"leave-one-out", "out-of-bag", "cross-fitted", "seen"}, default="seen"
        How cases were hidden from members, or from the black box; "seen" if they were not.
    k_meta : int, default=15
        Number of nearest cases that vote.
    weighted : bool, default=False
        Whether they vote by 1 / distance instead of one vote each.
    predict_with : {"ensemble", "meta"}, default="ensemble"
        Whether the ensemble or the nearest cases give the label.
    judgement : CaseJudgement, optional
        Accuracy of both.
    names : sequence, optional
        Names of the cases; by default those of the table, or else their row numbers.
    centers : ndarray of shape (n_members, n_columns), optional
        Where the numbers of each member of the ensemble are measured from in ``views``; by default the mean
        of the outcomes.
    stand_in : str, default=""
        One sentence about the ensemble, if it only imitates the model that the cases explain.
    black_box : BlackBox, optional
        That model; None if the case base was read from a file, because files do not hold it.

    Examples
    --------
    >>> import sightline as sl
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> cases = sl.MetaKNNClassifier(random_state=0).fit(X, y).cases_
    >>> cases
    CaseBase(150 cases, 25 members, k_meta=4, 4 features, 3 classes)
    """

    def __init__(
        self,
        cases: Table,
        labels: Labels | Numbers,
        ensemble: NeighbourEnsemble | Ensemble,
        views: NDArray[np.float32],
        *,
        members: Sequence[int] | None = None,
        origin: Origin = "seen",
        k_meta: int = 15,
        weighted: bool = False,
        predict_with: Literal["ensemble", "meta"] = "ensemble",
        judgement: CaseJudgement | None = None,
        names: Sequence[Any] | None = None,
        centers: NDArray[np.float64] | None = None,
        stand_in: str = "",
        black_box: BlackBox | None = None,
    ) -> None:
        self.cases = cases.X
        # Any: whoever asks for codes has made sure that there are classes.
        self.labels: Any = labels
        self.ensemble = ensemble
        self.views = np.ascontiguousarray(views, dtype=np.float32)
        self.members = list(range(views.shape[1])) if members is None else [int(m) for m in members]
        self.origin = origin
        self.k_meta = k_meta
        self.weighted = weighted
        self.predict_with = predict_with
        self.judgement = judgement
        self.names = row_names_of(cases) if names is None else list(names)
        self.centers = centers
        self.stand_in = stand_in
        self.black_box = black_box
        if stand_in and black_box is None and predict_with == "ensemble":
            raise ParameterError("Without the black box, only the nearest cases can predict.")
        shape = (cases.n_rows, len(self.members))
        if self.views.ndim != 3 or self.views.shape[:2] != shape or len(labels) != cases.n_rows:
            raise DataError(
                f"The views must be of shape (n_cases, n_members, n_columns) = ({shape[0]}, {shape[1]}, …), "
                f"with one label per case. Got {self.views.shape} and {len(labels)} labels instead."
            )

    @property
    def schema(self) -> Schema:
        """Names and kinds of the features."""
        return self.ensemble.schema

    @property
    def classes_(self) -> Any:
        """The labels; None if the outcomes are numbers."""
        return None if self.ensemble.classes_ is None else np.asarray(self.ensemble.classes_)

    @cached_property
    def outcomes(self) -> NDArray[Any]:
        """The label, or the number, of each case."""
        is_numbers = isinstance(self.labels, Numbers)
        return np.asarray(self.labels.values if is_numbers else self.classes_[self.codes])

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        """The class of each case; numbers count as one class."""
        if isinstance(self.labels, Numbers):
            return np.zeros(len(self.labels), dtype=np.int32)
        return np.asarray(self.labels.codes)

    @property
    def _n_codes(self) -> int:
        return 1 if self.classes_ is None else len(self.classes_)

    @property
    def size_(self) -> dict[str, int]:
        """Size of the case base by several counts; its rules are its cases."""
        return {
            "nodes": 0,
            "leaves": 0,
            "depth": 0,
            "rules": self.cases.n_rows,
            "conditions": self.cases.n_rows * len(self.schema),
            "features": len(self.schema),
        }

    @cached_property
    def core(self) -> _core.CaseViews:
        """The descriptions for the kernels."""
        return _core.CaseViews(self.views.ravel(), self.codes, self._n_codes)

    @cached_property
    def feature_core(self) -> _core.SubspaceKNNCases:
        """The cases with their features, for the kernels."""
        if isinstance(self.ensemble, NeighbourEnsemble) and self.ensemble.cases is self.cases:
            return self.ensemble.core
        return _core.SubspaceKNNCases(self.cases.native(), self.codes, self._n_codes)

    @cached_property
    def voters(self) -> NDArray[np.int64]:
        """Per class, the number of members that can vote for it."""
        return n_voters(self.ensemble)

    @cached_property
    def use(self) -> NDArray[np.float64]:
        """Share of the ensemble's members that use each feature."""
        return feature_use(self.ensemble)

    def restricted(self, members: Sequence[int]) -> CaseBase:
        """Return the same cases described by some of the members only.

        Parameters
        ----------
        members : sequence of int
            Indices among the members of this case base.

        Returns
        -------
        CaseBase
            Not judged.
        """
        return CaseBase(
            self.cases,
            self.labels,
            self.ensemble,
            self.views[:, list(members)],
            members=[self.members[index] for index in members],
            origin=self.origin,
            k_meta=self.k_meta,
            weighted=self.weighted,
            predict_with=self.predict_with,
            names=self.names,
            centers=self.centers,
            stand_in=self.stand_in,
            black_box=self.black_box,
        )

    def name_of(self, case: int) -> Any:
        """Return the name of a case, or its row number in the training data."""
        return case if self.names is None else self.names[case]

    @cached_property
    def _own_cases(self) -> OwnCases:
        return OwnCases(self.cases, self.names)

    @property
    def explained(self) -> Ensemble | NeighbourEnsemble | BlackBox | None:
        """The model that the cases explain: the ensemble, or the black box that it imitates, if at hand."""
        return self.black_box if self.stand_in else self.ensemble

    @property
    def explained_noun(self) -> str:
        """What that model is called in sentences."""
        return "black box" if self.stand_in else "ensemble"

    @property
    def predictor(self) -> Any:
        """The model that gives the labels: the explained one, or the case base itself."""
        return self.explained if self.predict_with == "ensemble" else self

    @property
    def replaced(self) -> Ensemble | BlackBox | None:
        """The model that the nearest cases replace; None if it predicts itself, or is not at hand."""
        is_replaced = self.predict_with == "meta" and isinstance(self.explained, Ensemble | BlackBox)
        return self.explained if is_replaced else None  # type: ignore[return-value]

    def own_cases(self, X: Any, names: Sequence[Any] | None = None) -> NDArray[np.int32]:
        """Return which case each row is, -1 if it is none that the case base learned from.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows.
        names : sequence, optional
            Names of the rows; by default those of the table or frame. Rows and cases are the same if
            all values are equal and, where both have names, the names too.
        """
        return self._own_cases.find(self.aligned(X), row_names_of(X) if names is None else names)

    def aligned(self, X: Any) -> Table:
        """Return rows in the columns of the cases."""
        return Table.from_any(X).aligned(self.schema, "CaseBase")

    def neighbours(
        self, X: Any, k: int | None = None, n_jobs: int | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the cases that look most similar to the ensemble.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows.
        k : int, optional
            How many cases per row; ``k_meta`` by default.
        %(n_jobs)s

        Returns
        -------
        cases : ndarray of shape (n_rows, k)
            Indices of the cases, nearest first, -1 if there are fewer.
        distances : ndarray of shape (n_rows, k)
            Euclidean distances between the descriptions.
        """
        views = self._views_of(member_views(self.ensemble, self.aligned(X), n_jobs))
        return self.nearest(views, self.k_meta if k is None else k, n_jobs=n_jobs)

    def nearest(
        self,
        views: NDArray[np.float32],
        k: int,
        itself: NDArray[np.int32] | None = None,
        codes: NDArray[np.int32] | None = None,
        n_jobs: int | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the cases nearest to descriptions.

        Parameters
        ----------
        views : ndarray of float32 of shape (n_rows, n_kept, n_columns)
            Descriptions of rows.
        k : int
            How many cases per row.
        itself : ndarray of int32 of shape (n_rows,), optional
            The case that each row is: it does not count.
        codes : ndarray of int32 of shape (n_rows,), optional
            The class that the cases of each row must have.
        %(n_jobs)s

        Returns
        -------
        tuple of ndarray
            As :meth:`neighbours`.
        """
        flat = np.ascontiguousarray(views, dtype=np.float32).ravel()
        found, squared = self.core.nearest(flat, k, itself, codes, n_threads(n_jobs))
        return found, np.sqrt(squared.astype(np.float64))

    def votes(self, found: NDArray[np.int32], distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the votes of the first 1, 2, … of the nearest cases together.

        Parameters
        ----------
        found, distances : ndarray of shape (n_rows, k)
            As :meth:`neighbours` gives them.

        Returns
        -------
        ndarray of shape (n_rows, k, n_classes)
            Votes of the first case, of the first two, and so on.
        """
        weights = self._vote_weights(distances)
        voted = np.where(found < 0, -1, self.codes[found])
        by_class = voted[:, :, None] == np.arange(len(self.classes_))
        return np.asarray(np.cumsum(by_class * weights[:, :, None], axis=1))

    def _vote_weights(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        return 1.0 / np.maximum(distances, _MIN_DISTANCE) if self.weighted else np.ones(distances.shape)

    def means(self, found: NDArray[np.int32], distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the means of the numbers of the first 1, 2, … of the nearest cases.

        Parameters
        ----------
        found, distances : ndarray of shape (n_rows, k)
            As :meth:`neighbours` gives them.

        Returns
        -------
        ndarray of shape (n_rows, k)
            Weighted as votes are.
        """
        weights = np.where(found < 0, 0.0, self._vote_weights(distances))
        return np.asarray(np.cumsum(weights * self.outcomes[found], axis=1) / np.cumsum(weights, axis=1))

    def answers(self, X: Any, n_jobs: int | None = None) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the codes of the labels and the class probabilities of rows.

        Of numbers: codes of 0, and the numbers in one column.
        """
        rows = self.aligned(X)
        if self.predict_with == "ensemble":
            return self._explained_answers(X, rows, n_jobs)
        return self._meta_answers(self._views_of(member_views(self.ensemble, rows, n_jobs)), n_jobs)

    def given_answers(
        self, X: Any, n_jobs: int | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.float64] | None]:
        """Return the same as :meth:`answers`, but no probabilities if a black box gives labels only."""
        if not isinstance(self.predictor, BlackBox):
            return self.answers(X, n_jobs)
        self.aligned(X)  # refuses rows with other columns
        return self.predictor.given_answers(X)

    def _explained_answers(
        self, given: Any, rows: Table, n_jobs: int | None
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        explained = self.explained
        assert explained is not None
        # A black box also sees categories that no case has.
        return explained.answers(given if isinstance(explained, BlackBox) else rows, n_jobs)

    def _meta_answers(
        self, views: NDArray[np.float32], n_jobs: int | None
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        found, distances = self.nearest(views, min(self.k_meta, self.cases.n_rows), n_jobs=n_jobs)
        if isinstance(self.labels, Numbers):
            return np.zeros(len(found), dtype=np.int32), self.means(found, distances)[:, -1:]
        votes = self.votes(found, distances)[:, -1]
        return most_voted(votes, self.labels), votes / votes.sum(axis=1, keepdims=True)

    def to_text(self) -> str:
        """Describe the case base in a few lines.

        %(returns_text)s
        """
        text: str = self._display().text()
        return text

    def plot(self, ax: Axes | None = None, *, max_features: int = 20) -> Axes:
        """Draw the share of members that use each feature with matplotlib.

        Parameters
        ----------
        %(ax)s
        max_features : int, default=20
            Maximum number of features to draw.

        %(returns_axes)s
        """
        axes: Axes = self._display().plot(ax, max_features=max_features)
        return axes

    def explain(self, rows: Any, *, n: int = 3, include_itself: bool = False, ids: Any = None) -> Any:
        """Explain the prediction for one row, or for many, by the nearest cases.

        Parameters
        ----------
        %(explained_rows)s
        n : int, default=3
            Maximum number of supporting cases.
        include_itself : bool, default=False
            Whether a row that is one of the cases may be explained by itself.
        %(ids)s

        %(returns_explanations)s
        """
        return self._display().explain(rows, n=n, include_itself=include_itself, ids=ids)

    def explanation(
        self, row: Any, n: int = 3, n_jobs: int | None = None, *, include_itself: bool = False
    ) -> CaseExplanation:
        """Find the cases that explain one row.

        Parameters
        ----------
        row : dict, sequence, or table of one row
            The values, by name or in the order of the features.
        n : int, default=3
            Maximum number of supporting cases.
        %(n_jobs)s
        include_itself : bool, default=False
            As in :meth:`explanations`.

        Returns
        -------
        CaseExplanation
            To be read as text, table or picture.
        """
        given = table_of_row(row, self.schema, "the case base")
        name = getattr(row, "name", None)
        names = None if name is None else [name]
        return self.explanations(given, n, n_jobs, include_itself=include_itself, names=names)[0]

    def explanations(
        self,
        X: Any,
        n: int = 3,
        n_jobs: int | None = None,
        *,
        include_itself: bool = False,
        names: Sequence[Any] | None = None,
    ) -> list[CaseExplanation]:
        """Find the cases that explain rows.

        Of the 25 cases of the predicted class whose descriptions are nearest, those come
        first whose features are nearest; the contrast is the case of a different class whose
        features are nearest. Of numbers, cases support the prediction if they are no more than a
        standard deviation away from it, and contradict it otherwise.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows.
        n : int, default=3
            Maximum number of supporting cases per row.
        %(n_jobs)s
        include_itself : bool, default=False
            Whether a row that is one of the cases may be explained by itself; see :meth:`own_cases`.
        names : sequence, optional
            Names of the rows; by default those of the table or frame.

        Returns
        -------
        list of CaseExplanation
            One per row.
        """
        if n < 1:
            raise ParameterError(f"The 'n' parameter of explanations must be at least 1. Got {n!r} instead.")
        given = Table.from_any(X)
        rows = given.aligned(self.schema, "CaseBase")
        itself = np.full(rows.n_rows, -1, dtype=np.int32) if include_itself else self.own_cases(X, names)
        return explain_by_cases(self, given, rows, itself, n, n_jobs)

    def described(
        self, given: Table, rows: Table, n_jobs: int | None = None
    ) -> tuple[MemberViews, NDArray[np.float32], NDArray[np.int32], NDArray[np.float64] | None]:
        """Return the members' predictions for rows, the descriptions, and what :meth:`given_answers` does."""
        by_member = member_views(self.ensemble, rows, n_jobs)
        views = self._views_of(by_member)
        if self.predict_with == "ensemble":
            return by_member, views, *self.given_answers(given, n_jobs)
        return by_member, views, *self._meta_answers(views, n_jobs)

    def explained_answers(self, given: Table, rows: Table, n_jobs: int | None = None) -> NDArray[Any] | None:
        """Return what the explained model predicts for rows.

        Parameters
        ----------
        given, rows : Table
            The rows as they were handed in, and in the columns of the cases.
        %(n_jobs)s

        Returns
        -------
        ndarray of shape (n_rows,) or None
            Labels or numbers; None if that model predicts itself, or is not at hand.
        """
        if self.predict_with == "ensemble" or self.explained is None:
            return None
        codes, outputs = self._explained_answers(given, rows, n_jobs)
        return outputs[:, 0] if self.classes_ is None else np.asarray(self.classes_[codes])

    def _views_of(self, answers: MemberViews) -> NDArray[np.float32]:
        views = descriptions_of(self.labels, answers.views, self.centers)
        return views if len(self.members) == views.shape[1] else views[:, self.members]

    def __repr__(self) -> str:
        what = "numbers" if self.classes_ is None else pluralize(len(self.classes_), "class", "classes")
        return (
            f"CaseBase({self.cases.n_rows} cases, {len(self.members)} members, k_meta={self.k_meta}, "
            f"{len(self.schema)} features, {what})"
        )

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for cached in ("core", "feature_core", "use", "voters", "codes", "outcomes", "_own_cases"):
            state.pop(cached, None)
        return state
