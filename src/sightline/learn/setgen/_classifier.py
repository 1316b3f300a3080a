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
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from sightline import _core
from sightline.estimator import OneTree
from sightline.exceptions import DataError, ParameterError
from sightline.files import file_lock
from sightline.learn._c45 import C45Classifier, Growth
from sightline.learn.setgen._archive import Archive, key_of
from sightline.learn.setgen._checkpoint import read_checkpoint, read_seed, write_checkpoint
from sightline.learn.setgen._climb import Climb
from sightline.learn.setgen._comparison import MEASURES, Comparison
from sightline.learn.setgen._evaluation import Evaluation, Evaluator, Workers
from sightline.learn.setgen._forward import Forward
from sightline.learn.setgen._front import FrontPoint, ParetoFront
from sightline.learn.setgen._genetic import Genetic
from sightline.learn.setgen._report import exchange_in_words, report
from sightline.learn.setgen._search import Limits, Search
from sightline.learn.setgen._settings import NEVER, PRESETS, Settings, settings_of
from sightline.learn.setgen._strategy import Strategy
from sightline.model import Tree
from sightline.progress import progress_bar
from sightline.table import Labels, Table, stratified_folds

SURVIVORS = 100
CONFIDENCES = (0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95)

# What decides neither about the course of a search nor about its end.
CIRCUMSTANCES = {
    "base",
    "max_seconds",
    "checkpoint",
    "checkpoint_every",
    "resume",
    "progress",
    "n_jobs",
    "random_state",
}


class SetGenClassifier(OneTree):
    """A C4.5 tree over few features, chosen by a search for accurate and small trees.

    A set of features is worth what C4.5 makes of it in an inner cross-validation: fitness is
    ``accuracy_weight * A + (1 - accuracy_weight) * (1 - (size_weight * S + (1 - size_weight) * F))``,
    where A is the mean accuracy, S the nodes per training row, and F the share of all features.

    Parameters
    ----------
    preset : {"default", "paper"}, default="default"
        *paper* is the algorithm of [1]_ with its numbers; *default* finds about the same
        fitness with a fifth of the evaluations. What follows replaces single numbers of it
        where it is not None.
    search : {"genetic", "hill", "forward"}, default="genetic"
        *hill* climbs from ``restarts`` sets to the best neighbour; *forward* adds one feature
        at a time.
    evaluations : int, optional
        Budget of feature sets: 1000, paper 5000.
    count : {"distinct", "requests"}, optional
        Whether the budget counts sets that are new, or all, as in the paper.
    population : int, optional
        Genomes kept: 50, paper 100.
    genome_size : int, optional
        Entries of a genome: 20 or the number of features where that is less, paper always
        that number. Fewer favour small sets.
    crossover_rate, mutation_rate : float, optional
        Share of a child's entries that come from the second parent (0.1), or are filled anew
        (0.2, paper 0.1).
    blank_rate : float, default=0.5
        Share of the entries filled anew that stay empty.
    operator_weights : tuple of 3 floats, default=(1, 1, 1)
        How often crossover, mutation and deletion of a feature make a child.
    selection : {"rank", "proportional"}, optional
        How parents are drawn: by rank, paper in proportion to fitness.
    reject_duplicates : bool, optional
        Drop a child whose set is in the population: True, paper False.
    seeding : {"forward", "random"}, optional
        Begin with the path of a forward selection, or as in the paper at random.
    seeding_width : int, optional
        How many sets forward selection goes on from at a time: 4. More find features that are
        worth something only together, and cost no more where they are screened.
    polish_after : int or "never", optional
        After so many children without a better best, try the sets with one feature more or
        less than it: 100, paper never.
    restart_after : int or "never", optional
        After so many children without a better best of the population, begin a new one at
        random: 200, paper never.
    patience : int or "never", optional
        End after so many children without a better best: 3000, paper never.
    batch_size : int, optional
        Children evaluated before the first of them takes its place: 8, paper 1. Workers share a batch.
    screening : int, optional
        Children bred for each one evaluated: 8, paper 1. Of these, the one is evaluated that
        promises most by the fitness of known sets that share features with it. Forward
        selection then evaluates as many sets at a time as there are features.
    screening_noise : float, optional
        How rugged the fitness is thought to be: the variance among sets that are alike, over
        that among sets that are not: 0.1.
    restarts : int, default=8
        Starts of ``search="hill"``, the first from the empty set.
    accuracy_weight : float, default=0.75
        Weight of accuracy against simplicity.
    size_weight : float, default=0.5
        Weight of nodes against features in simplicity.
    folds : int, default=10
        Folds of the inner cross-validation; every row is one where there are fewer rows.
    confidences : tuple of float, default=(0.05, 0.15, ..., 0.95)
        Levels of pruning. The one with the most accurate trees on all features is used.
    base : C45Classifier, optional
        Whose other parameters the trees have: release 8, paper that of Quinlan's book
        (``mdl_correction=False``).
    abandon : bool, default=True
        Give up evaluations that can neither matter to the search nor to the front. The
        result is the same. Where children are screened, all evaluations matter.
    max_seconds : float, optional
        Time for the search; then the best so far is used.
    checkpoint : path-like, optional
        File in which the search is kept.
    checkpoint_every : float, default=30
        Seconds between two writings of it.
    resume : bool, default=False
        Go on with the checkpoint where there is one; it must be of the same data and parameters.
    progress : bool, optional
        False for silence; otherwise there is a bar where stderr is a terminal.
    n_jobs : int, optional
        Workers that evaluate a batch, as in joblib, wherever ``joblib.parallel_config`` has
        them. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Draws folds and genomes.

    Attributes
    ----------
    tree_ : Tree
        The tree from all rows that tests only the chosen features.
    features_ : list of str
        The chosen features.
    plain_tree_ : Tree
        The tree from all rows and features, pruned at the same level.
    chosen_ : FrontPoint
        The chosen set, its inner numbers and its tree.
    front_ : ParetoFront
        Every compromise of accuracy, nodes and features that was found, each with its tree.
    survival_ : dict of str to float
        Share of the fittest sets that a feature is in.
    n_survivors_ : int
        How many sets that are: 100, or all where there are fewer.
    exchange_rate_ : str
        What one more feature and one more node must earn.
    confidence_ : float
        Confidence of the pruning.
    n_folds_ : int
        Folds of the inner cross-validation.
    n_evaluations_ : int
        Sets evaluated, each counted once.
    n_requests_ : int
        Sets asked for.
    history_ : list of (int, float)
        Sets evaluated and best fitness, whenever that rose.
    stopped_ : str
        What ended the search: "evaluations", "patience", "exhausted", "seconds" or "interrupted".
    complete_ : bool
        Whether it ended by itself, not by time or Ctrl-C.
    classes_ : ndarray of shape (n_classes,)
        The labels, declared ones that never occur included.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had any.

    See Also
    --------
    C45Classifier : The tree without a search.

    Notes
    -----
    The inner accuracy is the best of hundreds tried on the same folds and promises too much;
    ``compare`` measures on rows that the search has not seen. Ctrl-C ends the search with
    the best so far.

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
    'One more feature must earn 1.3 points of accuracy. One more node must earn 0.1 points.'
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "preset": [StrOptions(set(PRESETS))],
        "search": [StrOptions({"genetic", "hill", "forward"})],
        "evaluations": [Interval(Integral, 1, None, closed="left"), None],
        "count": [StrOptions({"distinct", "requests"}), None],
        "population": [Interval(Integral, 1, None, closed="left"), None],
        "genome_size": [Interval(Integral, 1, None, closed="left"), None],
        "crossover_rate": [Interval(Real, 0, 1, closed="both"), None],
        "mutation_rate": [Interval(Real, 0, 1, closed="both"), None],
        "blank_rate": [Interval(Real, 0, 1, closed="both")],
        "operator_weights": ["array-like"],
        "selection": [StrOptions({"rank", "proportional"}), None],
        "reject_duplicates": ["boolean", None],
        "seeding": [StrOptions({"forward", "random"}), None],
        "seeding_width": [Interval(Integral, 1, None, closed="left"), None],
        "polish_after": [Interval(Integral, 1, None, closed="left"), StrOptions({NEVER}), None],
        "restart_after": [Interval(Integral, 1, None, closed="left"), StrOptions({NEVER}), None],
        "patience": [Interval(Integral, 1, None, closed="left"), StrOptions({NEVER}), None],
        "batch_size": [Interval(Integral, 1, None, closed="left"), None],
        "screening": [Interval(Integral, 1, None, closed="left"), None],
        "screening_noise": [Interval(Real, 0, None, closed="neither"), None],
        "restarts": [Interval(Integral, 1, None, closed="left")],
        "accuracy_weight": [Interval(Real, 0, 1, closed="both")],
        "size_weight": [Interval(Real, 0, 1, closed="both")],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "confidences": ["array-like"],
        "base": [C45Classifier, None],
        "abandon": ["boolean"],
        "max_seconds": [Interval(Real, 0, None, closed="left"), None],
        "checkpoint": [str, os.PathLike, None],
        "checkpoint_every": [Interval(Real, 0, None, closed="left")],
        "resume": ["boolean"],
        "progress": ["boolean", None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        preset: str = "default",
        search: str = "genetic",
        evaluations: int | None = None,
        count: str | None = None,
        population: int | None = None,
        genome_size: int | None = None,
        crossover_rate: float | None = None,
        mutation_rate: float | None = None,
        blank_rate: float = 0.5,
        operator_weights: tuple[float, float, float] = (1, 1, 1),
        selection: str | None = None,
        reject_duplicates: bool | None = None,
        seeding: str | None = None,
        seeding_width: int | None = None,
        polish_after: int | str | None = None,
        restart_after: int | str | None = None,
        patience: int | str | None = None,
        batch_size: int | None = None,
        screening: int | None = None,
        screening_noise: float | None = None,
        restarts: int = 8,
        accuracy_weight: float = 0.75,
        size_weight: float = 0.5,
        folds: int = 10,
        confidences: tuple[float, ...] = CONFIDENCES,
        base: C45Classifier | None = None,
        abandon: bool = True,
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
        self.count = count
        self.population = population
        self.genome_size = genome_size
        self.crossover_rate = crossover_rate
        self.mutation_rate = mutation_rate
        self.blank_rate = blank_rate
        self.operator_weights = operator_weights
        self.selection = selection
        self.reject_duplicates = reject_duplicates
        self.seeding = seeding
        self.seeding_width = seeding_width
        self.polish_after = polish_after
        self.restart_after = restart_after
        self.patience = patience
        self.batch_size = batch_size
        self.screening = screening
        self.screening_noise = screening_noise
        self.restarts = restarts
        self.accuracy_weight = accuracy_weight
        self.size_weight = size_weight
        self.folds = folds
        self.confidences = confidences
        self.base = base
        self.abandon = abandon
        self.max_seconds = max_seconds
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every
        self.resume = resume
        self.progress = progress
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Search for the features, and learn the tree from all rows.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows; NaN and None are missing values.
        y : array-like of shape (n_rows,)
            The labels.

        Returns
        -------
        SetGenClassifier
            Itself, fitted.
        """
        self._check_parameters()
        _check_shares("operator_weights", self.operator_weights)
        levels = _checked_levels(self.confidences)
        settings = self._settings()
        settings.base._check_parameters()
        table, labels = self._checked_training(X, y, settings.base.categorical_features)
        if table.n_rows < 2:
            raise DataError("SetGenClassifier needs two rows to cross-validate on, X has n_samples = 1.")
        if self.checkpoint is None:
            if self.resume:
                raise ParameterError("resume=True needs the file to go on with: pass checkpoint=PATH.")
            return self._fit(table, labels, settings, levels)
        path = Path(self.checkpoint)
        if path.is_dir() or not path.parent.is_dir():
            raise ParameterError(f"checkpoint must be a file in a folder that exists, got {str(path)!r}.")
        with file_lock(path):
            if path.exists() and not self.resume:
                raise ParameterError(
                    f"There is a checkpoint {str(path)!r} already: "
                    "pass resume=True to go on with it, or remove it."
                )
            return self._fit(table, labels, settings, levels)

    def _settings(self) -> Settings:
        return settings_of(self.preset, self.get_params(deep=False))

    def _fit(self, table: Table, labels: Labels, settings: Settings, levels: tuple[float, ...]) -> Self:
        seed = self._seed()
        self.n_folds_ = min(self.folds, table.n_rows)
        folds = stratified_folds(labels.codes, self.n_folds_, np.random.RandomState(seed % 2**32))
        evaluator = Evaluator(table, labels, folds, settings.base, self.accuracy_weight, self.size_weight)
        try:
            plain = evaluator.choose_confidence(levels)[levels.index(evaluator.confidence)]
            n_features = len(table.columns)
            archive = Archive(n_features, self.n_folds_)
            archive.add(key_of(np.ones(n_features, dtype=bool)), plain)
            search = Search(self._strategy(archive, settings, seed), archive, settings)
            limits = self._limits(evaluator, settings, search, seed)
            title = f"SET-GEN ({self.search})"
            with (
                progress_bar(title, settings.evaluations, self.progress) as bar,
                Workers(evaluator, self.n_jobs) as workers,
            ):
                search.run(workers, limits, bar)
        finally:
            evaluator.forget()
        self._keep(search, evaluator)
        return self

    def _seed(self) -> int:
        """Return the seed; that of the checkpoint where none is given and the search is resumed."""
        drawn = int(check_random_state(self.random_state).randint(2**31 - 1))
        if self.random_state is None and self.checkpoint is not None and Path(self.checkpoint).exists():
            return read_seed(Path(self.checkpoint))
        return drawn

    def _strategy(self, archive: Archive, settings: Settings, seed: int) -> Strategy:
        n_features = archive.n_features
        if self.search == "forward":
            return Forward(n_features)
        if self.search == "hill":
            return Climb.anywhere(n_features, self.restarts, seed)
        genome_size = self.genome_size or min(settings.genome_size or n_features, n_features)
        breeder = _core.SetGenBreeder(
            n_features,
            genome_size,
            seed,
            settings.crossover_rate,
            settings.mutation_rate,
            self.blank_rate,
            [float(weight) for weight in self.operator_weights],
        )
        return Genetic(breeder, genome_size, settings, archive)

    def _limits(self, evaluator: Evaluator, settings: Settings, search: Search, seed: int) -> Limits:
        limits = Limits(self.max_seconds, save_every=self.checkpoint_every, abandon=self.abandon)
        if self.checkpoint is None:
            return limits
        path = Path(self.checkpoint)
        parameters = {
            **{
                name: value
                for name, value in self.get_params(deep=False).items()
                if name not in CIRCUMSTANCES
            },
            **{name: value for name, value in vars(settings).items() if name != "base"},
            "operator_weights": [float(weight) for weight in self.operator_weights],
            "confidences": [float(level) for level in self.confidences],
            **{f"base__{name}": repr(value) for name, value in evaluator.base.get_params().items()},
            "seed": seed,
        }
        if path.exists():
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
                f"The search was interrupted after {search.n_distinct} sets; the best of these is used.",
                UserWarning,
                stacklevel=4,
            )

    def select(
        self, max_features: int | None = None, max_leaves: int | None = None, max_nodes: int | None = None
    ) -> Self:
        """Return a classifier with another tree of the front, without searching again.

        Parameters
        ----------
        max_features, max_leaves, max_nodes : int, optional
            Limits of the tree: features that it tests, leaves and nodes.

        Returns
        -------
        SetGenClassifier
            A fitted copy whose tree is the one with the best inner accuracy within the limits.

        Raises
        ------
        ParameterError
            If no tree of the front is that small.
        """
        self._fitted_model()
        other = copy.copy(self)
        other.chosen_ = self.front_.select(max_features, max_leaves, max_nodes)
        return other

    def report(self) -> str:
        """Return what was found, in words: the trees, the front, the survivors, the exchange rate."""
        self._fitted_model()
        return report(self)

    def compare(self, X: Any, y: Any, folds: int = 10, random_state: Any = None) -> Comparison:
        """Compare with the plain tree by an outer cross-validation, everything learnt anew in each trial.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows.
        y : array-like of shape (n_rows,)
            The labels.
        folds : int, default=10
            Number of trials.
        random_state : int, RandomState or None
            Draws the outer folds.

        Returns
        -------
        Comparison
            Error, nodes and features of both trees in each trial, with matched-pair t-tests.
            Both prune at the level that the training rows chose.
        """
        if not isinstance(folds, Integral) or folds < 2:
            raise ParameterError(f"folds must be an int of 2 or more, got {folds!r}.")
        table = Table.from_any(X, categorical_features=self._settings().base.categorical_features)
        labels = self._checked_labels(y, table.n_rows)
        n_folds = min(folds, table.n_rows)
        fold_of_row = stratified_folds(labels.codes, n_folds, check_random_state(random_state))
        trials: dict[str, list[dict[str, float]]] = {"plain": [], "chosen": []}
        for fold in range(n_folds):
            train, test = np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)
            trial = clone(self).set_params(checkpoint=None).fit(table[train], labels[train])
            for side, tree in (("plain", trial.plain_tree_), ("chosen", trial.tree_)):
                wrong = tree.vote(tree.predict_proba(table[test])) != labels.codes[test]
                size = tree.size_
                trials[side].append(
                    {"error": wrong.mean(), "nodes": size["nodes"], "features": size["features"]}
                )
        plain, chosen = (
            {name: np.array([trial[name] for trial in side]) for name in MEASURES} for side in trials.values()
        )
        return Comparison(plain, chosen)

    @property
    def tree_(self) -> Tree:
        """The tree from all rows that tests only the chosen features."""
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


def _check_shares(name: str, weights: Any) -> None:
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (3,) or not (values >= 0).all() or not np.isfinite(values).all() or not values.any():
        raise ParameterError(
            f"The {name!r} parameter of SetGenClassifier must be three numbers, none negative and not all 0. "
            f"Got {weights!r} instead."
        )


def _checked_levels(confidences: Any) -> tuple[float, ...]:
    levels = sorted({float(level) for level in confidences})
    if not levels or not all(0 < level < 1 for level in levels):
        raise ParameterError(
            "The 'confidences' parameter of SetGenClassifier must be numbers between 0 and 1, at least one. "
            f"Got {confidences!r} instead."
        )
    return tuple(levels)
