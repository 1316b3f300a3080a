"""The tree or graph that gives the ensemble's label or number for every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from sightline import _core
from sightline.budget import Deadline, check_budget, check_tolerance
from sightline.exceptions import ParameterError
from sightline.load import load, trees_needed
from sightline.model import Coverage, Graph, Proof, Tree, with_categories
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
) -> Tree | Graph:
    """Merge an ensemble into one tree or graph that gives the same label or number for every row.

    If the budget suffices, the result provably predicts the ensemble's label or number for all rows of
    finite numbers, declared categories and missing values, not only for observed rows. It
    reproduces labels, not probabilities: those are 0 and 1.

    Parameters
    ----------
    ensemble : Ensemble, Tree or fitted model
        A classifier or regressor that :func:`sightline.load` reads.
    max_nodes : int, default=1_000_000
        Maximum number of nodes of the result.
    max_seconds : float, default=60.0
        Time limit for the search.
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

    Returns
    -------
    Tree or Graph
        With ``complete`` (whether all of it is proved), ``proved_share``, and the details
        in ``proof``. Regions that the budget did not reach get the likeliest label or number.

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

    References
    ----------
    .. [1] A. Van Assche and H. Blockeel, "Seeing the Forest through the Trees: Learning a
       Comprehensible Model from an Ensemble", ECML 2007.

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

    Regressors have many different numbers; with a tolerance, close ones become one leaf:

    >>> from sklearn.ensemble import RandomForestRegressor
    >>> forest = RandomForestRegressor(3, max_depth=2, random_state=0).fit(X[:, :3], X[:, 3])
    >>> exact, close = sl.merge(forest), sl.merge(forest, tolerance=0.1)
    >>> exact.n_leaves > close.n_leaves
    True
    >>> sl.certify(close, forest, tolerance=0.1).equivalent
    True
    """
    check_budget("merge", max_nodes=max_nodes, max_seconds=max_seconds)
    check_tolerance("merge", tolerance)
    deadline = Deadline(max_seconds)
    if to not in ("tree", "graph"):
        raise ParameterError(f"The 'to' parameter of merge must be 'tree' or 'graph'. Got {to!r} instead.")
    with trees_needed("merge"):
        source = load(ensemble)
    if tolerance is not None and source.classes_ is not None:
        raise ParameterError(
            "The 'tolerance' parameter of merge is for regressors, but the ensemble is a classifier. "
            "Leave it out."
        )
    table = None if X is None else Table.from_any(X)
    if table is not None:
        source = with_categories(source, table)
        table = table.aligned(source.schema, "merge")
    coverage = Coverage.of(missing, source.schema)
    search = _core.merge_to_tree if to == "tree" else _core.merge_to_graph
    core, is_proved, complete, n_boxes = search(
        source.core,
        source.link.rule(numbers=source.classes_ is None),
        source.n_classes,
        coverage.may_be_missing,
        max_nodes,
        deadline.seconds_left,
        None if table is None else table.native(),
        tolerance or 0.0,
    )
    proof = Proof(np.asarray(is_proved), complete, coverage.names, n_boxes, tolerance=tolerance or 0.0)
    noun: Any = Tree if to == "tree" else Graph
    model: Tree | Graph = noun(core, source.schema, source.classes_, 0.0, proof)
    return model if table is None else _with_counts(model, table, coverage)


def _with_counts(model: Tree | Graph, table: Table, coverage: Coverage) -> Tree | Graph:
    """Return the model with the rows counted at its nodes, and the share of them that is proved."""
    leaf = model.core.find_whole_leaves(table.native(), 1)
    assert model.proof is not None
    is_proved = coverage.rows(table) & (leaf >= 0) & model.proof.is_proved[leaf]
    return model.with_rows(table, replace(model.proof, share=float(is_proved.mean())))
