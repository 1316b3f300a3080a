"""SET-GEN as an estimator."""

from __future__ import annotations

import copy
import os
import warnings
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sightline import _core
from sightline.budget import Deadline
from sightline.estimator import OneTree, SightlineClassifier
from sightline.exceptions import DataError, ParameterError
from sightline.files import file_lock
from sightline.learn._c45 import C45Classifier, Growth
from sightline.learn._small_units import SmallUnits
from sightline.learn.setgen._archive import Archive, key_of
from sightline.learn.setgen._checkpoint import damage_in_words, read_checkpoint, read_seed, write_checkpoint
from sightline.learn.setgen._comparison import Comparison, cross_validated_comparison
from sightline.learn.setgen._evaluation import Evaluation, Evaluator, Workers
from sightline.learn.setgen._front import FrontPoint, ParetoFront
from sightline.learn.setgen._report import exchange_in_words, report
from sightline.learn.setgen._search import Limits, Search
from sightline.learn.setgen._searches import PRESETS, SEARCHES, FeatureSearch
from sightline.model import Tree
from sightline.progress import progress_bar
from sightline.sklearn_internals import Interval, StrOptions
from sightline.table import Labels, Table, stratified_folds

SURVIVORS = 100
CONFIDENCES = (0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)


class SetGenClassifier(OneTree, SightlineClassifier):
    """A C4.5 tree on few features, found by a search for accurate and small trees.

    The fitness of a feature set comes from an inner cross-validation of its C4.5 tree. It is
    ``accuracy_weight * A + (1 - accuracy_weight) * (1 - (size_weight * S + (1 - size_weight) * F))``,
    where A is the mean accuracy, S the number of nodes per training row, and F the share of all
    features that are in the set.

    Parameters
    ----------
    preset : {"default", "paper"}, default="default"
        Values for all parameters of the search that are None. *paper* is the algorithm of [1]_.
        *default* evaluates at most 1000 distinct sets instead of 5000 children.
    search : {"genetic", "hill", "forward", "backward", "annealing", "random"} or object, default="genetic"
        How to search. Pass :class:`GeneticSearch`, ``HillClimbing``, ``ForwardSelection``,
        ``BackwardElimination``, ``SimulatedAnnealing`` or ``RandomSearch`` of ``sightline.learn`` to change
        single parameters: ``search=GeneticSearch(population=20)``.
    evaluations : int, optional
        Budget of feature sets. Default preset: 1000; paper: 5000.
    accuracy_weight : float, default=0.75
        Weight of accuracy against simplicity.
    size_weight : float, default=0.5
        Weight of nodes against features within simplicity.
    size_ratio : {"per_fold", "of_means"}, optional
        How S is averaged over the folds: the mean of nodes per row (default preset), or mean nodes over mean
        rows (paper). They differ only if the folds differ in size.
    folds : int, default=10
        Folds of the inner cross-validation. With fewer rows, each row is a fold.
    confidences : tuple of float, default=(0.05, 0.15, ..., 0.95)
        Candidate confidences of the pruning. The search uses the one that gives the most accurate trees
        on all features.
    base : C45Classifier, optional
        All other parameters of the trees. The default preset uses C4.5 release 8; the paper preset
        the C4.5 of Quinlan's book (``mdl_correction=False, limits="quinlan"``).
    %(max_seconds)s
    checkpoint : path-like, optional
        File in which to save the search.
    checkpoint_every : float, default=30
        Seconds between two saves.
    resume : bool, default=False
        Continue from the checkpoint if it exists. Data and parameters must be the same.
    %(progress)s
    n_jobs : int, optional
        Number of workers for each batch, as in joblib. ``joblib.parallel_config`` decides where they
        run. It does not change the result.
    %(seed)s

    Attributes
    ----------
    tree_ : Tree
        The tree learned from all rows with the chosen features.
    features_ : list of str
        The chosen features.
    plain_tree_ : Tree
        The tree learned from all rows and all features, with the same pruning.
    chosen_ : FrontPoint
        The chosen set, its inner estimates and its tree.
    front_ : ParetoFront
        All trade-offs found between accuracy, nodes and features, each with its tree.
    survival_ : dict of str to float
        For each feature, the share of the fittest sets that contain it.
    n_survivors_ : int
        Number of these fittest sets: 100, or all if there are fewer.
    exchange_rate_ : str
        How much accuracy one more feature and one more node must add.
    confidence_ : float
        The confidence used for pruning.
    n_folds_ : int
        Folds of the inner cross-validation.
    n_evaluations_ : int
        Number of distinct sets evaluated.
    n_requests_ : int
        Number of sets requested, including repeated ones.
    history_ : list of (int, float)
        Number of distinct sets and best fitness at each improvement.
    stopped_ : str
        Why the search ended: "evaluations", "patience", "exhausted", "seconds" or "interrupted".
    complete_ : bool
        Whether it ended by itself, not by the time limit or Ctrl-C.
    %(fitted_columns)s

    See Also
    --------
    GeneticSearch : Parameters of the genetic search.
    C45Classifier : The tree without a search.

    Notes
    -----
    The inner accuracy is optimistic: it is the best of hundreds of sets on the same folds.
    ``compare`` measures on rows that the search has not seen. Ctrl-C ends the search and keeps
    the best set so far.

    References
    ----------
    .. [1] K. J. Cherkauer and J. W. Shavlik, "Growing Simpler Decision Trees to Facilitate
       Knowledge Discovery", KDD 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sightline import SetGenClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> setgen = SetGenClassifier(evaluations=50, random_state=0).fit(X, y)
    >>> setgen.chosen_.fitness >= setgen.front_.plain.fitness
    True
    >>> setgen.select(max_features=1).size_["features"]
    1
    >>> setgen.exchange_rate_
    'One more feature must add 1.3 points of accuracy. One more node must add 0.1 points.'
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "preset": [StrOptions(set(PRESETS))],
        "search": [StrOptions(set(SEARCHES)), FeatureSearch],
        "evaluations": [Interval(Integral, 1, None, closed="left"), None],
        "accuracy_weight": [Interval(Real, 0, 1, closed="both")],
        "size_weight": [Interval(Real, 0, 1, closed="both")],
        "size_ratio": [StrOptions({"per_fold", "of_means"}), None],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "confidences": ["array-like"],
        "base": [C45Classifier, None],
        "max_seconds": [Interval(Real, 0, None, closed="left"), None],
        "checkpoint": [str, os.PathLike, None],
        "checkpoint_every": [Interval(Real, 0, None, closed="left")],
        "resume": ["boolean"],
        "progress": ["boolean", None],
    }

    def __init__(
        self,
        *,
        preset: str = "default",
        search: str | FeatureSearch = "genetic",
        evaluations: int | None = None,
        accuracy_weight: float = 0.75,
        size_weight: float = 0.5,
        size_ratio: str | None = None,
        folds: int = 10,
        confidences: tuple[float, ...] = CONFIDENCES,
        base: C45Classifier | None = None,
        max_seconds: float | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: float = 30.0,
        resume: bool = False,
        progress: bool | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.preset = preset
        self.search = search
        self.evaluations = evaluations
        self.accuracy_weight = accuracy_weight
        self.size_weight = size_weight
        self.size_ratio = size_ratio
        self.folds = folds
        self.confidences = confidences
        self.base = base
        self.max_seconds = max_seconds
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume
        self.progress = progress
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Search for the features and learn the tree from all rows.

        %(fit_sections)s
        """
        self._check_parameters()
        self._search().completed(self.preset)
        levels = _checked_levels(self.confidences)
        base = self._base()
        base._check_parameters()
        table, labels = self._checked_training(X, y, base.categorical_features)
        SmallUnits.of(table).warn()
        if table.n_rows < 2:
            raise DataError("SetGenClassifier needs two rows or more, but X has n_samples = 1.")
        if self.checkpoint is None:
            if self.resume:
                raise ParameterError("resume=True needs a file to resume from: pass checkpoint=PATH.")
            return self._fit(table, labels, levels)
        path = Path(self.checkpoint)
        if path.is_dir() or not path.parent.is_dir():
            raise ParameterError(f"checkpoint must be a file in an existing folder, got {str(path)!r}.")
        with file_lock(path):
            if path.exists() and not self.resume:
                raise ParameterError(
                    f"The checkpoint {str(path)!r} already exists. "
                    "Pass resume=True to continue it, or remove it."
                )
            return self._fit(table, labels, levels)

    def _search(self) -> FeatureSearch:
        return SEARCHES[self.search]() if isinstance(self.search, str) else self.search

    def _base(self) -> C45Classifier:
        return PRESETS[self.preset].base if self.base is None else self.base

    def _size_ratio(self) -> str:
        return self.size_ratio or PRESETS[self.preset].size_ratio

    def _fit(self, table: Table, labels: Labels, levels: tuple[float, ...]) -> Self:
        deadline = Deadline(self.max_seconds)
        seed = self._seed()
        self.n_folds_ = min(self.folds, table.n_rows)
        folds = stratified_folds(labels.codes, self.n_folds_, np.random.RandomState(seed % 2**32))
        weights = (self.accuracy_weight, self.size_weight, self._size_ratio())
        evaluator = Evaluator(table, labels, folds, self._base(), *weights)
        try:
            plain = evaluator.choose_confidence(levels)[levels.index(evaluator.confidence)]
            n_features = len(table.columns)
            archive = Archive(n_features, self.n_folds_)
            archive.add(key_of(np.ones(n_features, dtype=bool)), plain)
            search = self._new_search(archive, seed)
            limits = self._limits(evaluator, search, seed, deadline)
            title = f"SET-GEN ({self._search().name})"
            with (
                progress_bar(title, search.evaluations, self.progress) as bar,
                Workers(evaluator, self.n_jobs) as workers,
            ):
                search.run(workers, limits, bar)
        finally:
            evaluator.forget()
        self._keep(search, evaluator)
        return self

    def _seed(self) -> int:
        """Return the seed. A resumed search without a random_state continues with its own."""
        drawn = int(check_random_state(self.random_state).randint(2**31 - 1))
        if self.random_state is None and self.checkpoint is not None and Path(self.checkpoint).exists():
            return read_seed(Path(self.checkpoint))
        return drawn

    def _new_search(self, archive: Archive, seed: int) -> Search:
        search = self._search()
        evaluations = self.evaluations or PRESETS[self.preset].evaluations
        strategy = search.strategy(self.preset, archive, seed)
        return Search(strategy, archive, evaluations, search.completed(self.preset))

    def _limits(self, evaluator: Evaluator, search: Search, seed: int, deadline: Deadline) -> Limits:
        limits = Limits(deadline, save_every=self.checkpoint_every)
        if self.checkpoint is None:
            return limits
        path = Path(self.checkpoint)
        # Everything that determines the course of the search.
        parameters = {
            "preset": self.preset,
            "search": self._search().name,
            "evaluations": search.evaluations,
            "accuracy_weight": self.accuracy_weight,
            "size_weight": self.size_weight,
            "size_ratio": self._size_ratio(),
            "folds": self.folds,
            "confidences": [float(level) for level in self.confidences],
            **search.settings.get_params(),
            **{f"base__{name}": repr(value) for name, value in evaluator.base.get_params().items()},
            "seed": seed,
        }
        if path.exists():
            with damage_in_words(path):
                search.restore(read_checkpoint(path, evaluator.key, parameters))
        limits.save = lambda state: write_checkpoint(path, evaluator.key, parameters, state)
        return limits

    def _keep(self, search: Search, evaluator: Evaluator) -> None:
        archive, table = search.archive, evaluator.table
        best = archive.best
        if best is None:
            raise KeyboardInterrupt
        orders = _core.Orders(table.native())
        points: dict[bytes, FrontPoint] = {}

        def point(key: bytes) -> FrontPoint:
            if key not in points:
                points[key] = _front_point(archive.members(key), archive[key], evaluator, orders)
            return points[key]

        self.chosen_ = point(best)
        plain = point(key_of(np.ones(archive.n_features, dtype=bool)))
        front = sorted(map(point, {*archive.front, best}), key=lambda p: (len(p.features), p.nodes))
        self.front_ = ParetoFront(tuple(front), self.chosen_, plain)
        self.plain_tree_ = plain.tree
        self.confidence_ = evaluator.confidence
        fittest = archive.fittest(SURVIVORS)
        shares = np.mean([archive.members(key) for key in fittest], axis=0)
        self.survival_ = dict(zip(table.names, shares.tolist(), strict=True))
        self.n_survivors_ = len(fittest)
        self.exchange_rate_ = exchange_in_words(
            self.accuracy_weight, self.size_weight, archive.n_features, table.n_rows * (1 - 1 / self.n_folds_)
        )
        self.n_evaluations_, self.n_requests_ = search.n_distinct, search.n_requests
        self.history_ = search.history
        self.stopped_ = str(search.stopped)
        self.complete_ = search.stopped not in ("seconds", "interrupted")
        if search.stopped == "interrupted":
            warnings.warn(
                f"The search was interrupted after {search.n_distinct} sets. The best of them is used.",
                UserWarning,
                stacklevel=4,
            )

    def select(
        self, max_features: int | None = None, max_leaves: int | None = None, max_nodes: int | None = None
    ) -> Self:
        """Return a classifier that uses a different tree of the front, without a new search.

        Parameters
        ----------
        max_features, max_leaves, max_nodes : int, optional
            Limits of the tree: features it tests, leaves and nodes.

        Returns
        -------
        SetGenClassifier
            A fitted copy with the tree that has the best inner accuracy within the limits.

        Raises
        ------
        ParameterError
            If no tree on the front is small enough.
        """
        check_is_fitted(self)
        other = copy.copy(self)
        other.chosen_ = self.front_.select(max_features, max_leaves, max_nodes)
        return other

    def report(self) -> str:
        """Return the results as text: trees, front, fittest sets and exchange rate."""
        check_is_fitted(self)
        return report(self)

    def compare(self, X: Any, y: Any, folds: int = 10, random_state: Any = None) -> Comparison:
        """Compare SET-GEN with the plain tree in an outer cross-validation.

        Parameters
        ----------
        %(X)s
        %(y)s
        folds : int, default=10
            Number of folds. Each trial repeats the whole search on its training rows.
        random_state : int, RandomState or None
            Seed for the outer folds.

        Returns
        -------
        Comparison
            Error, nodes and features of both trees in each trial, with paired t-tests. Both trees
            use the pruning chosen on the training rows.
        """
        if not isinstance(folds, Integral) or folds < 2:
            raise ParameterError(f"folds must be an int of 2 or more, got {folds!r}.")
        table = Table.from_any(X, categorical_features=self._base().categorical_features)
        labels = self._checked_target(y, table.n_rows)
        return cross_validated_comparison(self, table, labels, int(folds), random_state)

    @property
    def tree_(self) -> Tree:
        """The tree learned from all rows with the chosen features."""
        return self.chosen_.tree

    @property
    def features_(self) -> list[str]:
        """Names of the chosen features."""
        return list(self.chosen_.features)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "chosen_")

    @property
    def _model(self) -> Tree:
        return self.tree_


def _front_point(
    members: NDArray[np.bool_], evaluation: Evaluation, evaluator: Evaluator, orders: _core.Orders
) -> FrontPoint:
    features = np.flatnonzero(members).astype(np.uint32)
    growth = Growth(evaluator.table, evaluator.labels, evaluator.base, features=features, orders=orders)
    names = tuple(evaluator.table.names[feature] for feature in features)
    tree = growth.tree(confidence=evaluator.confidence)
    return FrontPoint(names, evaluation.accuracy, evaluation.nodes, evaluation.fitness, tree)


def _checked_levels(confidences: Any) -> tuple[float, ...]:
    levels = sorted({float(level) for level in confidences})
    if not levels or not all(0 < level < 1 for level in levels):
        raise ParameterError(
            "The 'confidences' parameter of SetGenClassifier must be numbers between 0 and 1, at least one. "
            f"Got {confidences!r} instead."
        )
    return tuple(levels)
