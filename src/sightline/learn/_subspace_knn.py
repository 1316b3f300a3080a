"""Ensembles of nearest-neighbor classifiers on feature subsets, found by hill climbing."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from sightline import _core
from sightline.estimator import SightlineClassifier
from sightline.model import NeighbourEnsemble, n_threads
from sightline.sklearn_internals import Interval, StrOptions
from sightline.table import Labels, Table


class SubspaceKNNClassifier(SightlineClassifier):
    """Nearest neighbors on several feature subsets; their probabilities are averaged or votes counted.

    Parameters
    ----------
    n_members : int, default=25
        Number of member classifiers.
    k : int, default=5
        Number of neighbors per member. With fewer cases, all of them.
    search : {"ambhc", "hc", "random"}, default="ambhc"
        How to improve the random first subsets: by hill climbing on the error and ambiguity of the
        members, on their error alone, or not at all.
    threshold : float, default=0.05
        For "ambhc": the share by which error or ambiguity may get worse if the other improves.
    max_passes : int, default=8
        Maximum number of passes over all features of all members. AmbHC usually needs all of them, HC
        three to five.
    max_search_rows : int, default=2000
        Maximum number of rows for the search, drawn at random. The members then predict from all
        rows. The search takes 4 bytes per pair of rows: 16 MB for 2,000 rows, 400 MB for 10,000.
    combine : {"mean", "vote"}, default="mean"
        How the members decide together: by the mean of their probabilities, or by one vote each.
    member_weights : {"equal", "accuracy"}, default="equal"
        Weights of the members in the mean or vote: all the same, or the share of the search rows that a
        member classifies correctly, each row left out. The search itself weighs all members the same.
    %(nominal_columns)s
    %(n_jobs)s
    %(seed)s

    Attributes
    ----------
    ensemble_ : NeighbourEnsemble
        The cases and the members' feature subsets.
    loo_error_ : float
        Leave-one-out error of the ensemble on the search rows.
    member_loo_error_ : float
        Mean leave-one-out error of the members.
    ambiguity_ : float
        Mean share of the search rows on which a member differs from the ensemble.
    n_search_rows_ : int
        Number of rows the search used.
    n_passes_ : int
        Number of passes the search made.
    is_settled_ : bool
        Whether the search converged: the last pass changed nothing.
    %(fitted_columns)s

    Notes
    -----
    HC flips a feature of a member if that lowers its leave-one-out error. AmbHC also considers
    the ambiguity: the share of rows on which the member differs from its ensemble. It flips a feature if
    one of the two improves and the other gets worse by at most ``threshold`` of its value. For
    distances and votes see :class:`sightline.model.NeighbourEnsemble`.

    References
    ----------
    .. [1] G. Zenobi and P. Cunningham, "Using Diversity in Preparing Ensembles of Classifiers
       Based on Different Feature Subsets to Minimize Generalization Error", ECML 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sightline import SubspaceKNNClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> knn = SubspaceKNNClassifier(n_members=5, random_state=0).fit(X, y)
    >>> knn.ensemble_
    NeighbourEnsemble(5 members, k=5, 150 cases, 4 features, 3 classes)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_members": [Interval(Integral, 1, None, closed="left")],
        "k": [Interval(Integral, 1, None, closed="left")],
        "search": [StrOptions({"ambhc", "hc", "random"})],
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "max_passes": [Interval(Integral, 1, None, closed="left")],
        "max_search_rows": [Interval(Integral, 2, 50_000, closed="both")],
        "combine": [StrOptions({"mean", "vote"})],
        "member_weights": [StrOptions({"equal", "accuracy"})],
    }

    def __init__(
        self,
        n_members: int = 25,
        k: int = 5,
        search: str = "ambhc",
        threshold: float = 0.05,
        max_passes: int = 8,
        max_search_rows: int = 2000,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
        *,
        combine: str = "mean",
        member_weights: str = "equal",
    ) -> None:
        self.n_members = n_members
        self.k = k
        self.search = search
        self.threshold = threshold
        self.max_passes = max_passes
        self.max_search_rows = max_search_rows
        self.combine = combine
        self.member_weights = member_weights
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Store the cases and find feature subsets for the members.

        %(fit_sections)s
        """
        self._check_parameters()
        table, labels = self._checked_training(X, y, self.categorical_features)
        random = check_random_state(self.random_state)
        masks = random_masks(random, self.n_members, len(table.columns))
        rows = np.arange(table.n_rows)
        if table.n_rows > self.max_search_rows:
            rows = np.sort(random.permutation(table.n_rows)[: self.max_search_rows])
        self.n_search_rows_ = len(rows)
        masks, weights = self._searched(table[rows], labels[rows], masks)
        self.ensemble_ = NeighbourEnsemble(
            table,
            labels,
            masks,
            self.k,
            self.search,
            self.n_search_rows_,
            combine=self.combine,
            member_weights=weights,
        )
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn checks with two features. Members that must differ then use one feature each.
        tags.classifier_tags.poor_score = self.search != "hc"
        return tags

    def _searched(
        self, table: Table, labels: Labels, masks: NDArray[np.bool_]
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64] | None]:
        """Return the features of the members, and their weights unless all are equal."""
        cases = _core.SubspaceKNNCases(table.native(), labels.codes, len(labels.classes_))
        flat = masks.astype(np.uint8).ravel()
        if self.search == "random":
            self.n_passes_, self.is_settled_ = 0, True
            shares = cases.member_shares(None, flat, self.k, n_threads(self.n_jobs))
        else:
            result = cases.search(
                masks=flat,
                k=self.k,
                with_ambiguity=self.search == "ambhc",
                threshold=float(self.threshold),
                max_passes=self.max_passes,
                n_threads=n_threads(self.n_jobs),
            )
            self.n_passes_, self.is_settled_ = result.n_passes, result.is_settled
            masks = result.masks.astype(bool)
            shares = result.shares.reshape(table.n_rows, len(masks), -1)
        found = NeighbourEnsemble(table, labels, masks, self.k, combine=self.combine)
        if self.member_weights == "accuracy":
            # A row more that is right and one that is wrong: no weight is 0, so that the members can decide.
            n_right = (found.winners(shares) == labels.codes[:, None]).sum(axis=0)
            found.member_weights = (n_right + 1) / (len(labels) + 2)
        self._measure(found, shares)
        return masks, found.member_weights

    def _measure(self, ensemble: NeighbourEnsemble, shares: NDArray[np.int32]) -> None:
        codes = ensemble.labels.codes
        together = ensemble.winners(ensemble.combined(shares))
        alone = ensemble.winners(shares)
        self.loo_error_ = float((together != codes).mean())
        self.member_loo_error_ = float((alone != codes[:, None]).mean())
        self.ambiguity_ = float((alone != together[:, None]).mean())

    @property
    def _model(self) -> NeighbourEnsemble:
        return self.ensemble_


def random_masks(random: np.random.RandomState, n_members: int, n_features: int) -> NDArray[np.bool_]:
    """Return random feature subsets, none empty. Each contains a feature with probability one half.

    Examples
    --------
    >>> random_masks(np.random.RandomState(0), 3, 4).any(axis=1).all()
    np.True_
    """
    masks: NDArray[np.bool_] = random.random_sample((n_members, n_features)) < 0.5
    only = random.randint(n_features, size=n_members)
    is_empty = ~masks.any(axis=1)
    masks[is_empty, only[is_empty]] = True
    return masks
