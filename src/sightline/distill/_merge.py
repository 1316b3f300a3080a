"""The one tree or graph that gives an ensemble's label for every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from sightline import _core
from sightline.budget import check_budget
from sightline.exceptions import ParameterError, UnsupportedModelError
from sightline.load import load
from sightline.model import Coverage, Graph, Proof, Tree
from sightline.table import Table


def merge(
    ensemble: Any,
    *,
    max_nodes: int = 1_000_000,
    max_seconds: float = 60.0,
    to: Literal["tree", "graph"] = "tree",
    missing: bool | Sequence[str] = True,
    X: Any = None,
) -> Tree | Graph:
    """Merge an ensemble into the one tree or graph that gives the same label for every row.

    Where the budget suffices, the result is proved to predict as the ensemble does for all
    rows of finite numbers, declared categories and missing values, not only for those that
    were seen. It says which label the ensemble gives, not how sure it is: probabilities
    are 0 and 1.

    Parameters
    ----------
    ensemble : Ensemble, Tree or fitted model
        A classifier: whatever :func:`sightline.load` reads.
    max_nodes : int, default=1_000_000
        How large the result may grow.
    max_seconds : float, default=60.0
        How long the search may take.
    to : {"tree", "graph"}, default="tree"
        What to make. A graph holds equal subtrees once and is up to several times smaller.
    missing : bool or sequence of str, default=True
        Features whose values may be missing: all, none, or those named. Learners such as
        C4.5 spread rows with a missing value over several branches, so that "missing"
        becomes an answer of its own to every test, and the result large: name the features
        that matter. Rows in which another value is missing are answered, but not proved.
    X : Table, frame or array of shape (n_rows, n_features), optional
        Rows to count: nodes get their weight from them, and ``proved_share`` is the share
        of them that ends in proved leaves. Where the budget is short, the parts that hold
        most of them are proved first.

    Returns
    -------
    Tree or Graph
        With ``complete`` (whether all of it is proved), ``proved_share``, and the details
        in ``proof``. Parts that the budget left over give the likeliest label.

    Raises
    ------
    ParameterError
        If a budget is not positive, or another parameter is out of range.
    UnsupportedModelError
        If the model is a regression, or of a kind that cannot be read.

    See Also
    --------
    sightline.certify : Prove that a model given equals an ensemble.

    Notes
    -----
    The space of all rows is split by tests of the ensemble; in each part the trees are
    contracted to what can still be reached, until bounds of the class scores leave one
    label [1]_. Bounds allow for the rounding of the ensemble's own sums, and where every
    tree is down to one leaf that very sum decides, so that ties fall as they do there.

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
    """
    check_budget("merge", max_nodes=max_nodes, max_seconds=max_seconds)
    if to not in ("tree", "graph"):
        raise ParameterError(f"The 'to' parameter of merge must be 'tree' or 'graph'. Got {to!r} instead.")
    source = load(ensemble)
    if source.classes_ is None:
        raise UnsupportedModelError("A regression cannot be merged: merge needs a classifier.")
    coverage = Coverage.of(missing, source.schema)
    table = None if X is None else Table.from_any(X).aligned(source.schema, "merge")
    search = _core.merge_to_tree if to == "tree" else _core.merge_to_graph
    core, is_proved, complete, n_boxes = search(
        source.core,
        source.link.rule(),
        source.n_classes,
        coverage.may_be_missing,
        max_nodes,
        max_seconds,
        None if table is None else table.native(),
    )
    proof = Proof(np.asarray(is_proved), complete, coverage.names, n_boxes)
    noun = Tree if to == "tree" else Graph
    model: Tree | Graph = noun(core, source.schema, source.classes_, 0.0, proof)
    return model if table is None else _counted(model, table, coverage)


def _counted(model: Tree | Graph, table: Table, coverage: Coverage) -> Tree | Graph:
    """Return the model with the weight of rows at its nodes, and their share in what is proved."""
    leaf = model.core.find_whole_leaves(table.native(), 1)
    assert model.proof is not None
    is_proved = coverage.rows(table) & (leaf >= 0) & model.proof.is_proved[leaf]
    return model.with_rows(table, replace(model.proof, share=float(is_proved.mean())))
