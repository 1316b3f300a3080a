"""ISM for numbers: one tree from the means of an ensemble's trees."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sightline import _core
from sightline.distill._ism import ISMTree
from sightline.estimator import SightlineRegressor
from sightline.sklearn_internals import Interval


class ISMRegressor(ISMTree, SightlineRegressor):
    """Compute one tree of numbers from the trees of an ensemble, without artificial rows.

    The tree uses the tests of the ensemble. The next test is the one with the largest reduction
    of variance according to the ensemble itself: each of its trees gives the mean of its
    numbers under the tests so far, and a node that they do not decide passes on both sides by
    its training shares.

    Parameters
    ----------
    %(ensemble)s
    variant : {"t", "td", "d", "hybrid"}, default="td"
        Source of the probabilities. *t*: the trees. *td*: the trees, but the probability of a
        test comes from the rows. *d*: the means come from the ensemble's predictions for the
        rows, too. *hybrid*: as *d*, with the trees' mean counting as ``m`` rows.
    matching : {"implication", "literal"}, default="implication"
        Whether x <= 5 decides a node that tests x <= 7, or only nodes that test x <= 5. The
        stop *safe* requires *implication*.
    %(ism_test_probability)s
    stop : {"data", "safe"}, default="data"
        *data*: a node becomes a leaf when the ensemble's numbers for its rows are nearly the
        same; see ``min_deviation``. *safe*: only when the ensemble gives the same number to
        every possible row without missing values. With variant *t*, and if no limit stops the
        growth, the tree then equals the ensemble on all such rows, and can be very large.
    min_deviation : float, default=0.05
        With the stop *data*: numbers are nearly the same if their standard deviation is at most
        this share of that of all rows' numbers.
    prune : {"pessimistic"} or None, default=None
        Whether to prune the grown tree as M5 does, against the ensemble's numbers: the absolute
        errors of a leaf with n rows count (n + 1) / (n - 1) times.
    m : float, default=20
        With variant *hybrid*: the weight of the trees' mean, in rows.
    %(ism_limits)s
    %(categorical_features)s
    %(n_jobs)s
    %(random_state)s

    Attributes
    ----------
    tree_ : Tree
        The tree. A leaf predicts the mean of the ensemble's numbers over its rows.
        ``tree_.numbers`` has the mean and deviation of y in the training rows of each node, or of
        the ensemble's numbers if y was not passed.
    %(ensemble_)s
    %(ism_growth)s
    %(fitted_regression)s

    See Also
    --------
    ISMClassifier : The same for classes.
    DistilledTreeRegressor : A more faithful tree of the same size, from artificial rows.

    Notes
    -----
    The gain of a test is the variance between its sides: the sum, over its outcomes, of their
    probability times the squared distance of their mean from the common mean. By the law of
    total variance that is the whole reduction of variance. The variance that remains on each side
    cancels, so that the dependence between the trees does not matter.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from sightline import ISMRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> forest = RandomForestRegressor(50, random_state=0).fit(X, y)
    >>> ism = ISMRegressor(forest, max_leaves=8).fit(X, y)
    >>> ism.tree_.n_leaves
    8
    >>> ism.score(X, forest.predict(X)) > 0.6
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "min_deviation": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        ensemble: Any = None,
        *,
        variant: str = "td",
        matching: str = "implication",
        test_probability: str = "pooled",
        stop: str = "data",
        min_deviation: float = 0.05,
        prune: str | None = None,
        m: float = 20,
        max_leaves: int | None = None,
        max_depth: int | None = None,
        max_features: int | None = None,
        min_leaf: float = 0,
        max_thresholds: int | str | None = "auto",
        max_nodes: int = 1_000_000,
        max_seconds: float | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.ensemble = ensemble
        self.variant = variant
        self.matching = matching
        self.test_probability = test_probability
        self.stop = stop
        self.min_deviation = min_deviation
        self.prune = prune
        self.m = m
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.max_features = max_features
        self.min_leaf = min_leaf
        self.max_thresholds = max_thresholds
        self.max_nodes = max_nodes
        self.max_seconds = max_seconds
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def _joins(self) -> bool:
        return False

    def _measures(self) -> dict[str, Any]:
        return {"mixture_gain": True, "gain_ratio": False, "min_deviation": float(self.min_deviation)}

    def _pruned(self, growth: _core.IsmGrowth) -> _core.IsmGrowth:
        return growth.pruned_numbers()
