"""A few stumps that vote, small enough to be read one by one or as one tree or graph."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from sightline import _core
from sightline.budget import check_budget
from sightline.estimator import SightlineClassifier
from sightline.exceptions import BudgetExceeded, ParameterError
from sightline.learn._stump_size import choose_size
from sightline.learn._stump_votes import Chosen, StumpVotes, by_frequency, head_start
from sightline.model import Ensemble, Graph, Link, StumpTable, Tree, combined
from sightline.table import Labels, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEPS = ("stacked", "rounded", "possible", "equal")
"""The stages of ``to_tree``, each including those before it."""

_MAX_STATES = 1_000_000
"""States of one construction of the graph; far more than any graph that can be read has nodes."""

_SEARCH_STATES = 2_000_000
"""States of all constructions together with which a good order is searched for."""

Form = Literal["stumps", "tree", "graph"]


class StumpEnsembleClassifier(SightlineClassifier):
    """A small ensemble of decision stumps, combined by majority vote.

    All stumps up to a depth are candidates: the complete small tree for every choice of
    attributes. They are offered one after the other; each joins the ensemble, replaces a
    member, or is discarded, whichever leaves the smallest sum of squared margins. The
    outcome can be read stump by stump, as the one tree or graph that decides as the vote
    does for every row, or in sentences about one row.

    Parameters
    ----------
    max_depth : int, default=2
        Tests on a path of a stump: 1, 2 or 3.
    min_size : int, default=3
        Stumps that join whatever they bring; pruning may go below. If there are fewer
        stumps, all of them do.
    max_size : int, "cv" or None, default=None
        Most stumps. *cv* chooses by ten-fold cross-validation within the training rows: the
        smallest size whose error is within one standard error of the lowest.
    order : {"quality", "natural", "random"}, default="quality"
        In which stumps are offered: those with few training errors first, by the places of
        their attributes (as the paper has it), or at random. *quality* gives the smallest
        ensembles.
    min_leaf : int, default=2
        Least rows on each side of a cut, and in at least two branches of a multiway test.
    nominal : {"multiway", "binary"}, default="multiway"
        Test nominal attributes with one branch per value, or as one value against the
        rest, which keeps the tree and the graph much smaller.
    multiclass : {"native", "ovr"}, default="native"
        With three classes or more: one vote among all of them, or one ensemble per class
        against the rest, of which the surest wins.
    prune : bool, default=True
        Delete stumps afterwards as long as the sum of squared margins gets smaller.
    passes : int, default=10
        How often all stumps are offered, at most; 1 is the paper's. Ends when nothing changes.
    ties : {"replace", "discard"}, default="replace"
        What becomes of a stump that improves the ensemble as much by joining as by replacing
        a member: it replaces, which keeps the ensemble small, or is thrown away, as the
        paper's figure has it to the letter.
    reweight : bool, default=False
        Generate further stumps on reweighted rows, as boosting does, so that cut points
        vary: rows with few votes for their class count more. Votes stay equal.
    categorical_features : "from_dtype", None, or array-like, default="from_dtype"
        Which columns are nominal: those that are not numbers, none, or those listed by
        name, position or mask.
    n_jobs : int, optional
        Threads to generate stumps and to predict with, as in joblib.
    random_state : int, RandomState or None, default=None
        Of ``order="random"`` and of the folds of ``max_size="cv"``.

    Attributes
    ----------
    stumps_ : list of Tree
        The stumps, with the class counts of the training rows; with one ensemble per
        class, those of all classes, which say "yes" to their class or "not".
    ensemble_ : Ensemble
        What predicts: the majority vote, or the surest of the classes' votes.
    ensembles_ : list of Ensemble
        The votes: one, or one per class with ``multiclass="ovr"``.
    tables_ : list of StumpTable
        For each of them the error of every stump alone and of the others without it.
    max_size_ : int or None
        The limit that was used.
    size_choice_ : SizeChoice or None
        The errors by size with ``max_size="cv"``.
    tie_order_ : list of int
        Places of the classes in the order in which they win ties: most training rows first.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had any.

    See Also
    --------
    sightline.certify : Prove that tree or graph equal the vote.

    Notes
    -----
    The sum of squared margins is a whole number over the squared number of stumps, so that
    ensembles are compared exactly. A tie of votes goes to the class with more training rows.

    A missing value, and a category that was not seen, follows the branch that most
    training rows take, in learning and predicting, in stumps, tree and graph alike.

    With one ensemble per class, a stump that says "not" speaks for all other classes
    alike: the class with the largest share of "yes" has the highest probability, but
    probabilities are closer together than with one vote.

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
        "passes": [Interval(Integral, 1, 2**31 - 1, closed="both")],
        "ties": [StrOptions({"replace", "discard"})],
        "reweight": ["boolean"],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        max_depth: int = 2,
        min_size: int = 3,
        max_size: int | str | None = None,
        order: str = "quality",
        min_leaf: int = 2,
        nominal: str = "multiway",
        multiclass: str = "native",
        prune: bool = True,
        passes: int = 10,
        ties: str = "replace",
        reweight: bool = False,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.max_depth = max_depth
        self.min_size = min_size
        self.max_size = max_size
        self.order = order
        self.min_leaf = min_leaf
        self.nominal = nominal
        self.multiclass = multiclass
        self.prune = prune
        self.passes = passes
        self.ties = ties
        self.reweight = reweight
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Generate the stumps and choose some of them.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows; NaN and None are missing values.
        y : array-like of shape (n_rows,)
            The labels.

        Returns
        -------
        StumpEnsembleClassifier
            Itself, fitted.
        """
        self._check_parameters()
        table, labels = self._checked_training(X, y, self.categorical_features)
        random = check_random_state(self.random_state)
        seed = random.randint(2**31 - 1) if self.order == "random" else 0
        self.size_choice_ = None
        if self.max_size == "cv" and table.n_rows > 1:
            fit = partial(_Votes, options=self, seed=seed)
            self.size_choice_ = choose_size(table, labels, fit, random)
            self.max_size_ = self.size_choice_.best
        else:
            self.max_size_ = None if isinstance(self.max_size, str) else self.max_size
        votes = _Votes(table, labels, self, seed)
        chosen = votes.chosen(self.max_size_)
        self.ensembles_ = [one.ensemble for one in chosen]
        self.tables_ = [one.table for one in chosen]
        self.ensemble_ = votes.combined(self.ensembles_)
        self.stumps_ = [stump for ensemble in self.ensembles_ for stump in ensemble.trees]
        self.tie_order_ = by_frequency(labels.codes, len(labels.classes_))
        return self

    def to_tree(
        self,
        step: str = "equal",
        *,
        max_nodes: int = 1_000,
        missing: bool = True,
        X: Any = None,
    ) -> Tree:
        """Return the one tree that gives the label of the vote for every row.

        The stumps are hung below each other's leaves, and the outcome is simplified in the
        paper's three steps.

        Parameters
        ----------
        step : {"stacked", "rounded", "possible", "equal"}, default="equal"
            How far to go: leaves with the shares of votes; leaves with the winner only;
            without the tests that earlier ones answer, and branches that no row takes;
            without tests of which all branches lead to the same.
        max_nodes : int, default=1_000
            How large the tree may be.
        missing : bool, default=True
            Whether rows with missing values must be answered as by the vote. If not, the
            tree may be smaller.
        X : Table, frame or array of shape (n_rows, n_features), optional
            Rows to count: nodes get their weight from them.

        Returns
        -------
        Tree
            :func:`sightline.certify` proves that it equals the ensemble.

        Raises
        ------
        BudgetExceeded
            If the tree has more nodes.
        """
        check_is_fitted(self)
        check_budget("to_tree", max_nodes=max_nodes)
        if step not in STEPS:
            raise ParameterError(
                f"The 'step' parameter of to_tree must be one of {', '.join(map(repr, STEPS))}. "
                f"Got {step!r} instead."
            )
        core = self._voting_trees().stacked(STEPS.index(step), bool(missing), max_nodes)
        if core is None:
            raise BudgetExceeded(self._beyond("tree", max_nodes))
        tree = Tree(core, self.ensemble_.schema, self.classes_)
        return tree if X is None else tree.with_rows(X)

    def tree_steps(self, *, max_nodes: int = 100_000, missing: bool = True) -> dict[str, Tree | None]:
        """Return the tree after every step of its simplification.

        Parameters
        ----------
        max_nodes : int, default=100_000
            How large each may be.
        missing : bool, default=True
            As in :meth:`to_tree`.

        Returns
        -------
        dict of str to Tree or None
            By the names of the steps; None where the tree has more nodes.

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
        check_budget("tree_steps", max_nodes=max_nodes)
        votes = self._voting_trees()
        cores = [votes.stacked(step, bool(missing), max_nodes) for step in range(len(STEPS))]
        return {
            name: None if core is None else Tree(core, self.ensemble_.schema, self.classes_)
            for name, core in zip(STEPS, cores, strict=True)
        }

    @property
    def stacked_size_(self) -> float:
        """Number of nodes of the stacked tree before any step; it may be astronomic."""
        check_is_fitted(self)
        return self._voting_trees().stacked_size

    def to_graph(
        self, *, max_nodes: int = 200, missing: bool = True, search: bool = True, X: Any = None
    ) -> Graph:
        """Return the reduced ordered decision graph that gives the label of the vote for every row.

        Every path asks about the attributes in the same order, and no two nodes are equal.

        Parameters
        ----------
        max_nodes : int, default=200
            How large the graph may be.
        missing : bool, default=True
            Whether rows with missing values must be answered as by the vote. If not, the
            graph may be smaller.
        search : bool, default=True
            Search for an order of the attributes that makes it small: each is moved to its best
            place, until nothing helps. If not, the attributes that most stumps test come first.
        X : Table, frame or array of shape (n_rows, n_features), optional
            Rows to count: nodes get their weight from them.

        Returns
        -------
        Graph
            :func:`sightline.certify` proves that it equals the ensemble.

        Raises
        ------
        BudgetExceeded
            If the graph has more nodes.

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
        check_budget("to_graph", max_nodes=max_nodes)
        found = self._voting_trees().graph(
            bool(missing), bool(search), max_nodes, _MAX_STATES, _SEARCH_STATES
        )
        if found is None:
            raise BudgetExceeded(self._beyond("graph", max_nodes))
        graph = Graph(found[0], self.ensemble_.schema, self.classes_)
        return graph if X is None else graph.with_rows(X)

    def to_text(self, form: Form = "stumps", *, max_nodes: int | None = None, **options: Any) -> str:
        """Write the stumps, or the tree or graph that equals their vote.

        Parameters
        ----------
        form : {"stumps", "tree", "graph"}, default="stumps"
            What to write. Where a tree or graph is too large, the stumps themselves, with a
            sentence that says so.
        max_nodes : int, optional
            How large the tree or graph may be; the default of :meth:`to_tree` or :meth:`to_graph`.
        **options
            Passed to :func:`sightline.show.to_text`.

        Returns
        -------
        str
            The text, ending with a newline.
        """
        shown = self._shown(form, max_nodes)
        if isinstance(shown, Tree | Graph):
            return shown.to_text(**options)
        return "\n".join(table.to_text(**options) for table in shown)

    def plot(
        self, ax: Axes | None = None, form: Form = "stumps", *, max_nodes: int | None = None, **options: Any
    ) -> Axes:
        """Draw the stumps side by side, or the tree or graph that equals their vote.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure of fitting size by default.
        form : {"stumps", "tree", "graph"}, default="stumps"
            What to draw. Where a tree or graph is too large, the stumps themselves, with a
            sentence that says so.
        max_nodes : int, optional
            How large the tree or graph may be; the default of :meth:`to_tree` or :meth:`to_graph`.
        **options
            Passed to :func:`sightline.show.plot`.

        Returns
        -------
        matplotlib Axes
            The axes that hold the drawing.
        """
        shown = self._shown(form, max_nodes)
        if isinstance(shown, Tree | Graph):
            return shown.plot(ax=ax, **options)
        return _joined(shown).plot(ax=ax, **options)

    def explain(self, row: Any) -> str:
        """Say which stumps speak for the label of a row and which against it, and why.

        Parameters
        ----------
        row : dict, sequence, or table of one row
            The values, by name or in the order of the features.

        Returns
        -------
        str
            A few sentences.

        Examples
        --------
        >>> import sightline as sl
        >>> X, y = [[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 8.0]], ["no", "no", "yes", "yes"]
        >>> stumps = sl.StumpEnsembleClassifier(prune=False).fit(X, y)
        >>> print(stumps.explain([1.5, 5.5]))
        Predicted no: 2 of 2 stumps say so:
        (1) x0 <= 2.5 (yours: 1.5)
        (2) x1 <= 6.5 (yours: 5.5)
        """
        check_is_fitted(self)
        if len(self.ensembles_) == 1:
            return self.ensemble_.explain(row)
        prediction = self.ensemble_.explain(row).splitlines()[0]
        return "\n".join([prediction, *(ensemble.explain(row) for ensemble in self.ensembles_)])

    def votes(self, X: Any) -> NDArray[Any]:
        """Return what each stump votes for.

        Parameters
        ----------
        X : Table, frame or array of shape (n_rows, n_features)
            The rows.

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

    def _beyond(self, what: str, max_nodes: int) -> str:
        stumps = "this stump" if len(self.stumps_) == 1 else f"these {len(self.stumps_)} stumps"
        return (
            f"The {what} of {stumps} has more than {max_nodes:,} nodes: "
            "read the stumps themselves, allow more (max_nodes), or fit with a smaller max_size."
        )

    def _voting_trees(self) -> _core.VotingTrees:
        """Return the stumps with votes in whole points: those of each class have the same sum."""
        sizes = [ensemble.n_trees for ensemble in self.ensembles_]
        total = math.lcm(*sizes)
        if total > 2**40:
            raise BudgetExceeded(
                f"The classes' ensembles have {', '.join(map(str, sizes))} stumps: their votes have no "
                "common measure small enough. Fit with a max_size."
            )
        points = [total // n for n in sizes for _ in range(n)]
        return _core.VotingTrees(self.ensemble_.core, points, self.tie_order_)


class _Votes:
    """The votes that a training set asks for: one, or one per class."""

    def __init__(self, table: Table, labels: Labels, options: StumpEnsembleClassifier, seed: int) -> None:
        self.labels = labels
        self.schema = table.schema
        orders = _core.Orders(table.native())
        codes = labels.codes
        n_classes = len(labels.classes_)
        if options.multiclass == "native" or n_classes <= 2:
            self.votes = [StumpVotes(table, codes, labels.classes_, options, orders, seed)]
            return
        self.votes = [
            StumpVotes(table, (codes == k).astype(np.int32), _against(label), options, orders, seed)
            for k, label in enumerate(labels.classes_)
        ]

    def chosen(self, max_size: int | None) -> list[Chosen]:
        return [vote.chosen(max_size) for vote in self.votes]

    def combined(self, ensembles: list[Ensemble]) -> Ensemble:
        """Return what predicts: the only vote, or all together.

        A stump of one class's vote that says "yes" speaks for its class, one that says
        "not" for all others alike: sums then order the classes by their shares of "yes".
        """
        if len(ensembles) == 1:
            return ensembles[0]
        n_classes = len(ensembles)
        classes = self.labels.classes_
        cores, weights = [], []
        for k, ensemble in enumerate(ensembles):
            says = np.full((2, n_classes), 1 / (n_classes - 1))
            says[0, k] = 0
            says[1] = np.eye(n_classes)[k]
            cores += [tree.with_outputs(tree.core.output @ says, classes).core for tree in ensemble.trees]
            weights += [1 / ensemble.n_trees] * ensemble.n_trees
        base = head_start(by_frequency(self.labels.codes, n_classes))
        core = combined(cores, tree_weight=weights, base=base)
        return Ensemble(core, self.schema, classes, Link("mean", (n_classes + sum(base),)))

    def __call__(self, max_size: int | None, rows: Table) -> NDArray[np.int32]:
        ensemble = self.combined([one.ensemble for one in self.chosen(max_size)])
        labels = ensemble.link.labels(ensemble.link.divided(ensemble.scores(rows)))
        return labels.astype(np.int32)


def _against(label: Any) -> NDArray[Any]:
    return np.array([f"not {label}", str(label)])


def _joined(tables: list[StumpTable]) -> StumpTable:
    """Return the stumps of all tables as one, for a drawing."""
    first = tables[0]
    if len(tables) == 1:
        return first
    return replace(
        first,
        stumps=tuple(stump for table in tables for stump in table.stumps),
        alone=np.concatenate([table.alone for table in tables]),
        without=np.concatenate([table.without for table in tables]),
        loss_without=np.concatenate([table.loss_without for table in tables]),
        numbers=tuple(table.number(place) for table in tables for place in range(len(table))),
    )
