"""The small graph that imitates a classifier best."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

from sklearn.utils.validation import check_is_fitted

from sightline.distill._charges import OBJECTIVES, Charges
from sightline.distill._default_ensemble import LEARNED_TREES
from sightline.distill._distilled import SEARCH_ROUNDS, Distilled
from sightline.distill._distilled_tree_classifier import usual_leaves
from sightline.distill._size_path import Resizable
from sightline.estimator import SightlineClassifier
from sightline.model import Graph, with_presence_tests
from sightline.sklearn_internals import Interval, StrOptions

MAX_DEFAULT_SIZE = 32
"""Largest default number of tests in a fidelity curve."""


class DistilledGraphClassifier(Distilled, Resizable, SightlineClassifier):
    """Learn the small decision graph that imitates an ensemble.

    A graph is a tree whose paths may meet again, so that the same tests need not be repeated below
    different branches. It learns from the same rows as :class:`DistilledTreeClassifier`. Its size is the
    number of tests to read.

    Parameters
    ----------
    %(ensemble)s
    max_tests : int, optional
        Maximum number of tests. By default as many as the tree of :class:`DistilledTreeClassifier` has.
    augment : "auto" or int, default="auto"
        Number of artificial rows, as for :class:`DistilledTreeClassifier`.
    refine : bool, default=True
        Whether to refine the graph after growing it.
    objective : {"labels", "both", "probabilities"}, default="both"
        What the graph imitates: the ensemble's labels, its probabilities, or both.
    min_leaf : "auto", int or float, default="auto"
        Minimum number of training rows on either side of a test; a float is a share of them.
    %(tree_limits)s
    %(categorical_features)s
    %(n_jobs)s
    %(random_state)s

    Attributes
    ----------
    graph_ : Graph
        The graph. Its class counts are those of the training rows: by y, or by the ensemble's labels if
        y was not passed. Its probabilities are the means of the ensemble's over all rows. If the label of
        a leaf does not have the largest mean, they are changed as little as needed for that.
    %(ensemble_)s
    distillation_set_ : DistillationSet
        All rows that the graph was learned from, kept for :meth:`resized`.
    %(fitted_columns)s

    See Also
    --------
    DistilledTreeClassifier : One tree, with more options.
    sightline.merge : A graph that equals the ensemble.

    Notes
    -----
    The best tree with as many tests is the first candidate. Another begins as a tree of three times the
    size. Its tests are optimized in turn while the rest stays fixed. Then tests are replaced by other
    nodes, at the least loss per test that is no longer needed, until the size is right. The candidate with
    the smallest loss is grown and shrunk again in a few rounds. In the end leaves of the same
    label whose probabilities differ by less than 0.1 become one.

    Examples
    --------
    >>> import sightline as sl
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X[::2], y[::2])
    >>> graph = sl.DistilledGraphClassifier(forest, max_tests=5, random_state=0).fit(X[::2])
    >>> graph.graph_.n_tests <= 5
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "max_tests": [Interval(Integral, 0, None, closed="left"), None],
        "objective": [StrOptions(set(OBJECTIVES))],
    }

    n_learned_trees: ClassVar[int] = LEARNED_TREES
    size_unit = "tests"
    graph_: Graph

    def __init__(
        self,
        ensemble: Any = None,
        max_tests: int | None = None,
        *,
        augment: str | int = "auto",
        refine: bool = True,
        objective: str = "both",
        min_leaf: float | str = "auto",
        max_depth: int | None = None,
        max_features: int | None = None,
        exclude: Sequence[Any] | None = None,
        only: Sequence[Any] | None = None,
        prefer: Sequence[Any] | None = None,
        group: Any = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.ensemble = ensemble
        self.max_tests = max_tests
        self.augment = augment
        self.refine = refine
        self.objective = objective
        self.min_leaf = min_leaf
        self.max_depth = max_depth
        self.max_features = max_features
        self.exclude = exclude
        self.only = only
        self.prefer = prefer
        self.group = group
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def resized(self, n_tests: int) -> Self:
        """Return a copy of the estimator with a graph of a different size.

        Parameters
        ----------
        n_tests : int
            Maximum number of tests.

        Returns
        -------
        estimator
            A fitted copy with the graph that ``max_tests=n_tests`` gives. The ensemble is not
            learned again, and the estimator itself does not change.
        """
        check_is_fitted(self)
        return self._of_size(self._checked_size(n_tests))

    def _requested_size(self) -> int | None:
        return self.max_tests

    def _chosen_size(self) -> int:
        return usual_leaves(self.distillation_set_.teacher) - 1

    def _charges(self) -> Charges:
        return Charges(*OBJECTIVES[self.objective])

    def _learn(self, size: int) -> None:
        rows = self.distillation_set_
        small = rows.distilled_graph(size, refine=self.refine, search_rounds=SEARCH_ROUNDS)
        schema, source = rows.teacher.table.schema, rows.teacher.label_source
        graph = Graph(small.graph(rows.native), schema, self.classes_, label_source=source)
        self.graph_ = with_presence_tests(graph)

    def _resize(self, size: int) -> None:
        self.max_tests = size
        self._learn(size)

    @property
    def path_size_(self) -> int:
        """Number of tests of the graph."""
        return self.graph_.n_tests

    def _default_sizes(self) -> tuple[int, ...]:
        # Larger graphs take long to find, and nobody reads them.
        return tuple(size for size in super()._default_sizes() if size <= MAX_DEFAULT_SIZE)

    @property
    def _n_training(self) -> float:
        return float(self.graph_.core.weight[0])

    @property
    def _model(self) -> Graph:
        return self.graph_
