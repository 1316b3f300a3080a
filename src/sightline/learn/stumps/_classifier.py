"""The stump ensemble as an estimator."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sightline import _core
from sightline.budget import check_count
from sightline.estimator import SightlineClassifier
from sightline.exceptions import BudgetExceeded, DataWarning, ParameterError
from sightline.learn.stumps._class_votes import ClassVotes, integer_votes
from sightline.learn.stumps._large_categories import LargeCategories
from sightline.learn.stumps._size import choose_size
from sightline.learn.stumps._vote import by_frequency, joined_tables
from sightline.model import Ensemble, Graph, StumpTable, Tree, reworded, with_labels_only
from sightline.sklearn_internals import Interval, StrOptions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEPS = ("stacked", "rounded", "possible", "equal")
SMALLEST = "smallest"
SECONDS = 10.0
"""Time for a search for the smallest tree."""
"""The steps of ``to_tree``. Each includes those before it."""

_MAX_STATES = 1_000_000
"""Limit of states in one construction of the graph, far more than a readable graph has nodes."""

_SEARCH_STATES = 2_000_000
"""Limit of states in all constructions of the search for a good order."""

Form = Literal["stumps", "tree", "graph"]


class StumpEnsembleClassifier(SightlineClassifier):
    """A small ensemble of decision stumps, combined by majority vote.

    A stump is a complete tree of depth 1 to 3 with the best tests for one choice of columns. All
    stumps are tried one after another. Each joins the ensemble, replaces a member, or is
    discarded, whichever gives the smallest sum of squared margins. You can read the result stump
    by stump, or as the one tree or graph that equals the vote on every row.

    Parameters
    ----------
    preset : {"default", "paper"}, default="default"
        The values of ``order``, ``min_leaf``, ``passes``, ``ties`` and ``screen`` that are None.
    max_depth : int, default=2
        Maximum number of tests on a path of a stump: 1, 2 or 3.
    min_size : int, default=3
        The ensemble grows to this size even if a stump does not help. Pruning may shrink it again.
    max_size : int, "cv" or None, default=None
        Maximum number of stumps. *cv* chooses it by ten-fold cross-validation on the training rows:
        the smallest size within one standard error of the lowest error.
    order : {"quality", "natural", "random"}, optional
        Order in which stumps are tried: by training error (default preset), by column index (paper), or
        at random. *quality* gives the smallest ensembles.
    min_leaf : int, optional
        Minimum number of rows on each side of a threshold, and in at least two branches of a
        multiway test. Default preset: 2; paper: 1.
    nominal : {"multiway", "binary"}, default="multiway"
        Test nominal columns with one branch per value, or one value against the rest. *binary*
        keeps the tree and the graph much smaller.
    multiclass : {"native", "ovr"}, default="native"
        With three classes or more: one vote among all classes, or one ensemble per class against
        the rest. With *ovr*, the class with the largest share of votes wins.
    prune : bool, default=True
        Finally delete stumps as long as the sum of squared margins shrinks.
    tolerance : float, default=0
        Go on pruning while the sum of squared margins grows by at most this share of what it was: smaller
        ensembles that are a little worse on the training rows.
    passes : int, optional
        Maximum number of passes over all stumps. Stops when nothing changes. Default preset: 10; paper: 1.
    ties : {"replace", "discard"}, optional
        What to do with a stump that helps equally by joining and by replacing a member: let it replace,
        which keeps the ensemble small (default preset), or discard it, as in the paper's figure.
    screen : bool, optional
        Whether a category with more than 100 values is tested only if it helps to predict held-out rows, as
        in :class:`DistilledTreeClassifier`. Default preset: True; paper: False.
    reweight : bool, default=False
        Generate more stumps on reweighted rows, as in boosting, so that thresholds vary. Rows with few
        votes for their class get more weight. Every stump still has one vote.
    %(nominal_columns)s
    %(n_jobs)s
    %(seed)s

    Attributes
    ----------
    stumps_ : list of Tree
        The stumps, with the class counts of the training rows. With one ensemble per class, all their
        stumps; each answers with its class or with "not" that class.
    ensemble_ : Ensemble
        The ensemble that predicts.
    ensembles_ : list of Ensemble
        The votes: one, or one per class with ``multiclass="ovr"``.
    tables_ : list of StumpTable
        For each vote, the error of every stump alone and of the vote without it.
    max_size_ : int or None
        The size limit used.
    size_choice_ : SizeChoice or None
        The errors by size with ``max_size="cv"``.
    tie_order_ : list of int
        Class indices in the order in which they win ties: most training rows first.
    remarks_ : list of str
        Sentences about categories with more than 100 values: which were left out because they do not help,
        and which are tested value by value.
    %(fitted_columns)s

    See Also
    --------
    sightline.certify : Prove that a tree or graph equals the vote.

    Notes
    -----
    Ensembles are compared exactly: the sum of squared margins is an integer divided by the square of
    the number of stumps. A tie goes to the class with more training rows.

    A missing value, or a category not seen in fit, follows the branch that most training rows take.
    This holds in fit and predict, and in stumps, tree and graph alike.

    With one ensemble per class, "not" counts equally for all other classes. The class with the
    largest share of votes still gets the highest probability, but probabilities are closer together.

    References
    ----------
    .. [1] B. Pfahringer, "On the Induction of Intelligible Ensembles", Austrian Research
       Institute for AI, Vienna.

    Examples
    --------
    >>> import sightline as sl
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> stumps = sl.StumpEnsembleClassifier(max_size=3).fit(X, y)
    >>> len(stumps.stumps_)
    2
    >>> tree = stumps.to_tree()
    >>> sl.certify(tree, stumps).equivalent
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_depth": [Interval(Integral, 1, 3, closed="both")],
        "min_size": [Interval(Integral, 1, None, closed="left")],
        "max_size": [Interval(Integral, 1, None, closed="left"), StrOptions({"cv"}), None],
        "order": [StrOptions({"quality", "natural", "random"})],
        "min_leaf": [Interval(Integral, 1, None, closed="left")],
        "nominal": [StrOptions({"multiway", "binary"})],
        "multiclass": [StrOptions({"native", "ovr"})],
        "prune": ["boolean"],
        "tolerance": [Interval(Real, 0, None, closed="left")],
        "passes": [Interval(Integral, 1, 2**31 - 1, closed="both")],
        "ties": [StrOptions({"replace", "discard"})],
        "screen": ["boolean"],
        "reweight": ["boolean"],
    }

    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "default": {"order": "quality", "min_leaf": 2, "passes": 10, "ties": "replace", "screen": True},
        "paper": {"order": "natural", "min_leaf": 1, "passes": 1, "ties": "discard", "screen": False},
    }

    def __init__(
        self,
        *,
        max_depth: int = 2,
        min_size: int = 3,
        max_size: int | str | None = None,
        preset: str = "default",
        order: str | None = None,
        min_leaf: int | None = None,
        nominal: str = "multiway",
        multiclass: str = "native",
        prune: bool = True,
        tolerance: float = 0.0,
        passes: int | None = None,
        ties: str | None = None,
        screen: bool | None = None,
        reweight: bool = False,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.max_depth = max_depth
        self.min_size = min_size
        self.max_size = max_size
        self.preset = preset
        self.order = order
        self.min_leaf = min_leaf
        self.nominal = nominal
        self.multiclass = multiclass
        self.prune = prune
        self.tolerance = tolerance
        self.passes = passes
        self.ties = ties
        self.screen = screen
        self.reweight = reweight
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Generate all stumps and choose an ensemble.

        %(fit_sections)s
        """
        self._check_parameters()
        options = self._completed()
        table, labels = self._checked_training(X, y, self.categorical_features)
        random = check_random_state(self.random_state)
        seed = random.randint(2**31 - 1) if options.order == "random" else 0
        large = LargeCategories.of(table)
        if options.screen and large.columns:
            large = large.screened(labels, random.randint(2**31 - 1))
        table = large.without_unhelpful()
        self.size_choice_ = None
        if self.max_size == "cv" and table.n_rows > 1:
            fit = partial(ClassVotes, options=options, seed=seed)
            self.size_choice_ = choose_size(table, labels, fit, random)
            self.max_size_ = self.size_choice_.best
        else:
            self.max_size_ = None if isinstance(self.max_size, str) else self.max_size
        votes = ClassVotes(table, labels, options, seed)
        chosen = votes.chosen(self.max_size_)
        self.ensembles_ = [one.ensemble for one in chosen]
        self.tables_ = [one.table for one in chosen]
        self.ensemble_ = votes.combined(self.ensembles_)
        self.stumps_ = [stump for ensemble in self.ensembles_ for stump in ensemble.trees]
        self.tie_order_ = by_frequency(labels.codes, len(labels.classes_))
        doubt = large.branched(self.stumps_)
        self.remarks_ = [sentence for sentence in (large.left_out, doubt) if sentence]
        if doubt:
            warnings.warn(doubt, DataWarning, stacklevel=3)
        return self

    def to_tree(
        self,
        step: str = "equal",
        *,
        max_nodes: int = 1_000,
        missing: bool = True,
        X: Any = None,
    ) -> Tree:
        """Return the one tree that predicts what the vote predicts on every row.

        Each stump is attached to all leaves of the tree so far. The result is simplified in the
        paper's three steps.

        Parameters
        ----------
        step : {"stacked", "rounded", "possible", "equal", "smallest"}, default="equal"
            How far to simplify. *stacked*: leaves have the shares of votes. *rounded*: leaves have only the
            winner. *possible*: no tests that earlier tests already decide. *equal*: no tests
            whose branches are all equal. *smallest*: not one of the paper's steps, but a search of at most
            ten seconds for the equal tree with the fewest leaves; see :func:`sightline.merge`.
        max_nodes : int, default=1_000
            Maximum number of nodes.
        missing : bool, default=True
            Whether rows with missing values must be predicted like the vote, too. Without them the
            tree may be smaller.
        X : Table, frame or array of shape (n_rows, n_features), optional
            Rows to count in the nodes.

        Returns
        -------
        Tree
            :func:`sightline.certify` proves that it equals the ensemble.

        Raises
        ------
        BudgetExceeded
            If the tree needs more nodes.
        """
        check_is_fitted(self)
        check_count("to_tree", max_nodes=max_nodes)
        if step not in (*STEPS, SMALLEST):
            raise ParameterError(
                f"The 'step' parameter of to_tree must be one of {', '.join(map(repr, (*STEPS, SMALLEST)))}. "
                f"Got {step!r} instead."
            )
        if step == SMALLEST:
            core = self._smallest(bool(missing), max_nodes)
        else:
            core = self._voting_trees().stacked(STEPS.index(step), bool(missing), max_nodes)
        if core is None:
            raise BudgetExceeded(self._too_large("tree", max_nodes))
        tree = self._tree(core, step)
        return tree if X is None else tree.with_rows(X)

    def _tree(self, core: _core.Tree, step: str) -> Tree:
        schema = self.ensemble_.schema
        return Tree(core, schema if step == STEPS[0] else with_labels_only(schema), self.classes_)

    def _smallest(self, missing: bool, max_nodes: int) -> _core.Tree | None:
        """Return the tree with the fewest leaves that a search finds, or None if it has too many nodes."""
        vote = self.ensemble_
        core, _, complete, *_ = _core.merge_to_tree(
            vote.core,
            vote.link.rule(),
            vote.n_classes,
            [missing] * len(vote.schema),
            max_nodes,
            SECONDS,
            None,
            smallest=True,
        )
        return core if complete else None

    def tree_steps(self, *, max_nodes: int = 100_000, missing: bool = True) -> dict[str, Tree | None]:
        """Return the tree after every step of its simplification.

        Parameters
        ----------
        max_nodes : int, default=100_000
            Maximum number of nodes of each.
        missing : bool, default=True
            As in :meth:`to_tree`.

        Returns
        -------
        dict of str to Tree or None
            The trees by step; None if a tree needs more nodes.

        Examples
        --------
        >>> import sightline as sl
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> stumps = sl.StumpEnsembleClassifier(max_size=3).fit(X, y)
        >>> sizes = [tree.n_nodes for tree in stumps.tree_steps(missing=False).values()]
        >>> sizes == sorted(sizes, reverse=True)
        True
        """
        check_is_fitted(self)
        check_count("tree_steps", max_nodes=max_nodes)
        votes = self._voting_trees()
        cores = [votes.stacked(step, bool(missing), max_nodes) for step in range(len(STEPS))]
        return {
            name: None if core is None else self._tree(core, name)
            for name, core in zip(STEPS, cores, strict=True)
        }

    @property
    def stacked_size_(self) -> float:
        """Number of nodes of the stacked tree before simplification; it may be astronomical."""
        check_is_fitted(self)
        return self._voting_trees().stacked_size

    def to_graph(
        self, *, max_nodes: int = 200, missing: bool = True, search: bool = True, X: Any = None
    ) -> Graph:
        """Return the reduced ordered decision graph that predicts what the vote predicts on every row.

        All paths test the columns in the same order, and no two nodes are equal.

        Parameters
        ----------
        max_nodes : int, default=200
            Maximum number of nodes.
        missing : bool, default=True
            Whether rows with missing values must be predicted like the vote, too. Without them the
            graph may be smaller.
        search : bool, default=True
            Search for a column order that gives a small graph: move each column to its best
            position until nothing improves. Otherwise the columns that most stumps test come first.
        X : Table, frame or array of shape (n_rows, n_features), optional
            Rows to count in the nodes.

        Returns
        -------
        Graph
            :func:`sightline.certify` proves that it equals the ensemble.

        Raises
        ------
        BudgetExceeded
            If the graph needs more nodes.

        Examples
        --------
        >>> import sightline as sl
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> stumps = sl.StumpEnsembleClassifier(max_size=3).fit(X, y)
        >>> graph = stumps.to_graph()
        >>> sl.certify(graph, stumps).equivalent
        True
        """
        check_is_fitted(self)
        check_count("to_graph", max_nodes=max_nodes)
        result = self._voting_trees().graph(
            bool(missing), bool(search), max_nodes, _MAX_STATES, _SEARCH_STATES
        )
        if result is None:
            raise BudgetExceeded(self._too_large("graph", max_nodes))
        graph = Graph(result[0], with_labels_only(self.ensemble_.schema), self.classes_)
        return graph if X is None else graph.with_rows(X)

    def to_text(  # type: ignore[override]
        self, form: Form = "stumps", *, max_nodes: int | None = None, digits: int = 6
    ) -> str:
        """Write the stumps, or the tree or graph that equals their vote.

        :meth:`sightline.Tree.to_text` of the result of :meth:`to_tree` has more options.

        Parameters
        ----------
        form : {"stumps", "tree", "graph"}, default="stumps"
            What to write. If the tree or graph is too large, the stumps with a note.
        max_nodes : int, optional
            Maximum number of nodes; default: as in :meth:`to_tree` or :meth:`to_graph`.
        %(digits)s

        Returns
        -------
        str
            The text, ending with a newline.
        """
        shown = self._shown(form, max_nodes)
        if isinstance(shown, Tree | Graph):
            return shown.to_text(digits=digits)
        return "\n".join(table.to_text(digits=digits) for table in shown)

    def plot(  # type: ignore[override]
        self, ax: Axes | None = None, form: Form = "stumps", *, max_nodes: int | None = None, digits: int = 6
    ) -> Axes:
        """Draw the stumps side by side, or the tree or graph that equals their vote.

        :meth:`sightline.Tree.plot` of the result of :meth:`to_tree` has more options.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default: a new figure of fitting size.
        form : {"stumps", "tree", "graph"}, default="stumps"
            What to draw. If the tree or graph is too large, the stumps with a note.
        max_nodes : int, optional
            Maximum number of nodes; default: as in :meth:`to_tree` or :meth:`to_graph`.
        %(digits)s

        Returns
        -------
        matplotlib Axes
            The axes with the plot.
        """
        shown = self._shown(form, max_nodes)
        if isinstance(shown, Tree | Graph):
            return shown.plot(ax=ax, digits=digits)
        return joined_tables(shown).plot(ax=ax, digits=digits)

    def explain(self, rows: Any, *, ids: Any = None) -> Any:
        """Explain predictions: which stumps vote for them, which against them, and why.

        Parameters
        ----------
        %(explained_rows)s
        %(ids)s

        %(returns_explanations)s

        Examples
        --------
        >>> import sightline as sl
        >>> X, y = [[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 8.0]], ["no", "no", "yes", "yes"]
        >>> stumps = sl.StumpEnsembleClassifier(prune=False).fit(X, y)
        >>> print(stumps.explain([1.5, 5.5]))
        Predicted no. 2 of 2 stumps vote for it:
        (1) x0 <= 2.5 (yours: 1.5)
        (2) x1 <= 6.5 (yours: 5.5)
        """
        check_is_fitted(self)
        together = self.ensemble_.explain(rows, ids=ids)
        if len(self.ensembles_) == 1:
            return together
        parts = [ensemble.explain(rows).findings for ensemble in self.ensembles_]

        def tell(row: int) -> str:
            prediction = together.findings.sentences(row).splitlines()[0]
            return "\n".join([prediction, *(part.sentences(row) for part in parts)])

        return reworded(together, tell)

    def votes(self, X: Any) -> NDArray[Any]:
        """Return the vote of each stump.

        Parameters
        ----------
        %(new_X)s

        Returns
        -------
        ndarray of shape (n_rows, n_stumps)
            Labels, in the order of ``stumps_``.
        """
        rows = self._checked_rows(X)
        return np.column_stack([stump.predict(rows) for stump in self.stumps_])

    @property
    def _model(self) -> Ensemble:
        return self.ensemble_

    def _repr_html_inner(self) -> str:
        if not self.__sklearn_is_fitted__():
            return super()._repr_html_inner()
        return "".join(table._repr_html_() for table in self.tables_)

    def _shown(self, form: str, max_nodes: int | None) -> Tree | Graph | list[StumpTable]:
        check_is_fitted(self)
        if form not in ("stumps", "tree", "graph"):
            raise ParameterError(
                f"The 'form' parameter must be 'stumps', 'tree' or 'graph'. Got {form!r} instead."
            )
        if form == "stumps":
            return self.tables_
        limit: dict[str, Any] = {} if max_nodes is None else {"max_nodes": max_nodes}
        try:
            return self.to_tree(**limit) if form == "tree" else self.to_graph(**limit)
        except BudgetExceeded as error:
            return [replace(self.tables_[0], note=str(error)), *self.tables_[1:]]

    def _too_large(self, what: str, max_nodes: int) -> str:
        stumps = "this stump" if len(self.stumps_) == 1 else f"these {len(self.stumps_)} stumps"
        return (
            f"The {what} of {stumps} has more than {max_nodes:,} nodes. "
            "Read the stumps themselves, raise max_nodes, or fit with a smaller max_size."
        )

    def _voting_trees(self) -> _core.VotingTrees:
        return integer_votes(self.ensemble_, [vote.n_trees for vote in self.ensembles_], self.tie_order_)
