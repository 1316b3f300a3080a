"""Ensembles of nearest-neighbour classifiers on feature subsets, found by hill-climbing."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from sightline import _core
from sightline.estimator import SightlineClassifier
from sightline.model import NeighbourEnsemble, n_threads
from sightline.table import Labels, Table


class SubspaceKNNClassifier(SightlineClassifier):
    """Nearest neighbours on several feature subsets, their probabilities averaged.

    Parameters
    ----------
    n_members : int, default=25
        Number of classifiers.
    k : int, default=5
        Neighbours that each asks. Where there are fewer cases, it asks them all.
    search : {"ambhc", "hc", "random"}, default="ambhc"
        How feature subsets are found, beginning with random ones: by hill-climbing on the
        members' error and their ambiguity, on their error alone, or not at all.
    threshold : float, default=0.05
        For "ambhc": share by which error or ambiguity may get worse where the other improves.
    max_passes : int, default=8
        Most times that every feature of every member is tried. AmbHC uses them all as a
        rule, HC settles after three to five.
    max_search_rows : int, default=2000
        The search looks at so many rows at most, drawn at random; the members then predict
        from all. It takes 4 bytes for each pair of rows: 16 MB for 2,000, 400 MB for 10,000.
    categorical_features : "from_dtype", None, or list of names, indices or booleans
        Which columns are nominal, as in :meth:`sightline.Table.from_any`.
    n_jobs : int, optional
        Threads to use, as in joblib. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Draws the first subsets, and the rows to search on where there are too many.

    Attributes
    ----------
    ensemble_ : NeighbourEnsemble
        The cases and the members' feature subsets.
    loo_error_ : float
        Share of the search rows that the ensemble gets wrong, each left out of its own
        neighbours.
    member_loo_error_ : float
        The same of a single member, on average.
    ambiguity_ : float
        Share of the search rows on which a member differs from the ensemble, on average.
    n_search_rows_ : int
        Rows that the search looked at.
    n_passes_ : int
        Passes that the search took.
    is_settled_ : bool
        Whether the last pass changed nothing, so that another would change nothing either.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had any.

    Notes
    -----
    HC accepts the flip of a feature if the member's leave-one-out error falls. AmbHC also
    looks at the ambiguity, the share of rows on which the member differs from the ensemble
    of which it is part: a flip is accepted if one of the two improves and the other gets
    worse by at most ``threshold`` of its value. Distances and votes: see
    :class:`sightline.model.NeighbourEnsemble`.

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
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
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
    ) -> None:
        self.n_members = n_members
        self.k = k
        self.search = search
        self.threshold = threshold
        self.max_passes = max_passes
        self.max_search_rows = max_search_rows
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the cases and find feature subsets for the members.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The cases; NaN and None are missing values.
        y : array-like of shape (n_rows,)
            The labels.

        Returns
        -------
        SubspaceKNNClassifier
            Itself, fitted.
        """
        self._check_parameters()
        table, labels = self._checked_training(X, y, self.categorical_features)
        random = check_random_state(self.random_state)
        masks = random_masks(random, self.n_members, len(table.columns))
        rows = np.arange(table.n_rows)
        if table.n_rows > self.max_search_rows:
            rows = np.sort(random.permutation(table.n_rows)[: self.max_search_rows])
        self.n_search_rows_ = len(rows)
        masks = self._searched(table[rows], labels[rows], masks)
        self.ensemble_ = NeighbourEnsemble(table, labels, masks, self.k, self.search, self.n_search_rows_)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Of two features, as scikit-learn's check has them, members that must differ know one each.
        tags.classifier_tags.poor_score = self.search != "hc"
        return tags

    def _searched(self, table: Table, labels: Labels, masks: NDArray[np.bool_]) -> NDArray[np.bool_]:
        cases = _core.Cases(table.native(), labels.codes, len(labels.classes_))
        flat = masks.astype(np.uint8).ravel()
        if self.search == "random":
            self.n_passes_, self.is_settled_ = 0, True
            shares = cases.member_shares(None, flat, self.k, n_threads(self.n_jobs))
        else:
            found = cases.search(
                masks=flat,
                k=self.k,
                with_ambiguity=self.search == "ambhc",
                threshold=float(self.threshold),
                max_passes=self.max_passes,
                n_threads=n_threads(self.n_jobs),
            )
            self.n_passes_, self.is_settled_ = found.n_passes, found.is_settled
            masks = found.masks.astype(bool)
            shares = found.shares.reshape(table.n_rows, len(masks), -1)
        self._judge(NeighbourEnsemble(table, labels, masks, self.k), shares)
        return masks

    def _judge(self, ensemble: NeighbourEnsemble, shares: NDArray[np.int32]) -> None:
        codes = ensemble.labels.codes
        together = ensemble.winners(shares.sum(axis=1, dtype=np.int64))
        alone = ensemble.winners(shares)
        self.loo_error_ = float((together != codes).mean())
        self.member_loo_error_ = float((alone != codes[:, None]).mean())
        self.ambiguity_ = float((alone != together[:, None]).mean())

    @property
    def _model(self) -> NeighbourEnsemble:
        return self.ensemble_


def random_masks(random: np.random.RandomState, n_members: int, n_features: int) -> NDArray[np.bool_]:
    """Return feature subsets of which every feature is in half, none of them empty.

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
