"""The tree or graph that gives the ensemble's label or number for every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from sightline import _core
from sightline.budget import Deadline, check_budget, check_count, check_tolerance
from sightline.exceptions import ParameterError
from sightline.load import load_for, trees_needed
from sightline.model import Coverage, Graph, Proof, Tree, with_categories, with_labels_only
from sightline.table import Table


def merge(
    ensemble: Any,
    *,
    max_nodes: int = 1_000_000,
    max_seconds: float = 60.0,
    to: Literal["tree", "graph"] = "tree",
    missing: bool | Sequence[str] = True,
    X: Any = None,
    tolerance: float | None = None,
    effort: Literal["quick", "smallest"] = "quick",
    weigh: Literal["size", "rows"] = "size",
) -> Tree | Graph:
    """Merge an ensemble into one tree or graph that gives the same label or number for every row.

    If the budget is sufficient, the result provably predicts the ensemble's label or number for all rows of
    finite numbers, declared categories and missing values, not only for observed rows. It
    reproduces labels, not probabilities: those are 0 and 1.

    Parameters
    ----------
    ensemble : Ensemble, Tree or fitted model
        A classifier or regressor that :func:`sightline.load` reads.
    max_nodes : int, default=1_000_000
        Maximum number of nodes of the result.
    max_seconds : float, default=60.0
        Time limit for the search. With ``effort="smallest"`` the first complete result may take up to
        a second more.
    to : {"tree", "graph"}, default="tree"
        Kind of the result. A graph stores equal subtrees once and can be several times smaller.
    missing : bool or sequence of str, default=True
        Features whose values may be missing: all, none, or those named. Learners such as
        C4.5 spread rows with a missing value over several branches. "Missing" is then a third
        outcome of every test, and the result is large: name only the features that matter.
        Rows with other missing values are predicted, too, but without proof.
    X : Table, frame or array of shape (n_rows, n_features), optional
        Rows for the node weights; ``proved_share`` is the share of them that ends in proved
        leaves. If the budget runs short, regions with more rows are proved first.
    tolerance : float, optional
        For regressors: how far the result may be from the ensemble. Regions whose numbers
        differ by no more than twice this become one leaf, so that the result is smaller. By default,
        it gives exactly the ensemble's numbers.
    effort : {"quick", "smallest"}, default="quick"
        *smallest* spends ``max_seconds`` on a search for the smallest result, and ends earlier if it has
        proved that none is smaller. Classifiers only. See Notes.
    weigh : {"size", "rows"}, default="size"
        What *smallest* minimizes. *size*: leaves of a tree, nodes of a graph. *rows*: tests on the paths
        of all rows of ``X``, plus 0.02 per leaf, so that a few rows do not justify many leaves.

    Returns
    -------
    Tree or Graph
        With ``complete`` (whether all of it is proved), ``proved_share``, and the details
        in ``proof``. Regions beyond the budget get the most likely label or number. After
        ``effort="smallest"``, ``optimal`` says whether it is proved that no equal result is smaller, and
        ``proof`` has its ``cost`` and a ``lower_bound``.

    Raises
    ------
    ParameterError
        If a budget is not positive, or another parameter is out of range.
    UnsupportedModelError
        If the model cannot be loaded.

    See Also
    --------
    sightline.certify : Prove that a given model equals an ensemble.

    Notes
    -----
    The space of all rows is split by tests of the ensemble. In each region the trees are
    contracted to what is still reachable, until the bounds of the class scores leave one
    label [1]_. The bounds allow for rounding in the ensemble's own sums. Once every tree is
    down to one leaf, the ensemble's own sum decides, so that ties break the same way.

    ``effort="smallest"`` first builds a decision diagram of the ensemble's label, in which equal
    functions are one node. Then it searches over these functions instead of regions [2]_, with a
    complete result at any moment. The smallest is meant among results with these tests: the ensemble's
    own, with missing values on either side; whether a value is known; and, where the ensemble has a
    branch for each category, one category against the others. If the diagram takes too much time or
    memory (512 MB), regions are split until their diagrams fit, or until their label is known; then only
    a lower bound of the size is proved. If that does not end in time either, the rest of the time is
    used as by ``effort="quick"``. The graph is the smallest of three: the diagram, with its features in
    the best order found, and the first and the last tree with equal subtrees stored once.

    References
    ----------
    .. [1] A. Van Assche and H. Blockeel, "Seeing the Forest through the Trees: Learning a
       Comprehensible Model from an Ensemble", ECML 2007.
    .. [2] T. Vidal and M. Schiffer, "Born-Again Tree Ensembles", ICML 2020. It states the problem and solves
       it exactly in a different way.

    Examples
    --------
    >>> import sightline as sl
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, y)
    >>> tree = sl.merge(forest, X=X)
    >>> tree.complete, tree.proved_share
    (True, 1.0)
    >>> bool((tree.predict(X) == forest.predict(X)).all())
    True

    A search finds a smaller tree, here provably the smallest:

    >>> smallest = sl.merge(forest, effort="smallest")
    >>> smallest.n_leaves < tree.n_leaves, smallest.optimal
    (True, True)

    Regressors have many different numbers; with a tolerance, close ones become one leaf:

    >>> from sklearn.ensemble import RandomForestRegressor
    >>> forest = RandomForestRegressor(3, max_depth=2, random_state=0).fit(X[:, :3], X[:, 3])
    >>> exact, close = sl.merge(forest), sl.merge(forest, tolerance=0.1)
    >>> exact.n_leaves > close.n_leaves
    True
    >>> sl.certify(close, forest, tolerance=0.1).equivalent
    True
    """
    check_count("merge", max_nodes=max_nodes)
    check_budget("merge", max_seconds=max_seconds)
    check_tolerance("merge", tolerance)
    deadline = Deadline(max_seconds)
    _check_choice("to", to, ("tree", "graph"))
    _check_choice("effort", effort, ("quick", "smallest"))
    _check_choice("weigh", weigh, ("size", "rows"))
    if weigh == "rows" and (X is None or effort != "smallest"):
        raise ParameterError('The parameter weigh="rows" of merge needs X and effort="smallest".')
    table = None if X is None else Table.from_any(X)
    with trees_needed("merge"):
        source = load_for(ensemble, table)
    if tolerance is not None and source.classes_ is not None:
        raise ParameterError(
            "The 'tolerance' parameter of merge is for regressors, but the ensemble is a classifier. "
            "Leave it out."
        )
    if effort == "smallest" and source.classes_ is None:
        raise ParameterError(
            'The parameter effort="smallest" of merge is for classifiers, but the ensemble is a regressor. '
            "Leave it out; a larger 'tolerance' makes the result smaller."
        )
    if table is not None:
        source = with_categories(source, table)
        table = table.aligned(source.schema, "merge")
    coverage = Coverage.of(missing, source.schema)
    search = _core.merge_to_tree if to == "tree" else _core.merge_to_graph
    core, is_proved, complete, n_boxes, cost, least = search(
        source.core,
        source.link.rule(numbers=source.classes_ is None),
        source.n_classes,
        coverage.may_be_missing,
        max_nodes,
        deadline.seconds_left,
        None if table is None else table.native(),
        tolerance or 0.0,
        effort == "smallest",
        weigh == "rows",
    )
    proof = Proof(np.asarray(is_proved), complete, coverage.names, n_boxes, tolerance=tolerance or 0.0)
    if effort == "smallest" and cost:
        proof = replace(proof, optimal=cost <= least * (1 + 1e-12), cost=cost, lower_bound=min(cost, least))
    noun: Any = Tree if to == "tree" else Graph
    schema = source.schema if source.classes_ is None else with_labels_only(source.schema)
    model: Tree | Graph = noun(core, schema, source.classes_, 0.0, proof)
    return model if table is None else _with_counts(model, table, coverage)


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        allowed = " or ".join(map(repr, choices))
        raise ParameterError(f"The {name!r} parameter of merge must be {allowed}. Got {value!r} instead.")


def _with_counts(model: Tree | Graph, table: Table, coverage: Coverage) -> Tree | Graph:
    """Return the model with the rows counted at its nodes, and the share of them that is proved."""
    leaf = model.core.find_whole_leaves(table.native(), 1)
    assert model.proof is not None
    is_proved = coverage.rows(table) & (leaf >= 0) & model.proof.is_proved[leaf]
    return model.with_rows(table, replace(model.proof, share=float(is_proved.mean())))
