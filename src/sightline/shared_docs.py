"""Documentation that several estimators or models share, written once.

The docstring of a class or of one of its methods holds a slot such as ``%(n_jobs)s`` on a line of
its own. The base classes of estimators and models fill the slots of every subclass, so that
``help()``, doctest and the reference pages show the full text.
"""

from __future__ import annotations

import inspect
import re

__all__ = ["SHARED_DOCS", "fill_docstrings", "fill_slots"]

SHARED_DOCS = {
    # Parameters of estimators.
    "ensemble": """\
ensemble : object, optional
    The ensemble to summarize. None: learn bagged C4.5 trees from X and y (200 for
    :class:`sightline.DistilledTreeClassifier`, 25 for others), or a random forest if y is numbers.
    A fitted model that :func:`sightline.load` reads: use it as it is; y is then optional. An
    unfitted estimator: fit a clone of it to X and y. Any other classifier, a function of rows, or
    a :class:`sightline.BlackBox`: query it for predictions.""",
    "max_leaves": """\
max_leaves : int, optional
    Maximum number of leaves.""",
    "max_seconds": """\
max_seconds : float, optional
    Time limit. When it is reached, the best result so far is kept.""",
    "progress": """\
progress : bool, optional
    False hides the progress bar. By default there is one if stderr is a terminal.""",
    "categorical_features": """\
categorical_features : "from_dtype", None, or array-like, default="from_dtype"
    Nominal columns: all that are not numeric, none, or those listed by name, by index or as
    a mask. Ignored for columns that a fitted ensemble already knows.""",
    "n_jobs": """\
n_jobs : int, optional
    Number of threads, as in joblib. It does not change the result.""",
    "random_state": """\
random_state : int, RandomState or None, default=None
    Seed for all random choices. An ensemble that is learned here and has no seed of its own
    uses it, too.""",
    "tree_limits": """\
max_depth : int, optional
    Maximum number of tests on a path.
max_features : int, optional
    Maximum number of columns in the tree.
exclude : list of columns, optional
    Columns, by name or index, that the tree must not test. The ensemble may use them.
only : list of columns, optional
    The only columns that the tree may test.
prefer : list of columns, optional
    Columns to prefer when the best test of another column is hardly better.
group : list of lists of columns, or dict, optional
    Columns that count as one for ``max_features``.""",
    # The same for estimators that take no ensemble.
    "nominal_columns": """\
categorical_features : "from_dtype", None, or array-like, default="from_dtype"
    Nominal columns: all that are not numeric, none, or those listed by name, by index or as
    a mask.""",
    "seed": """\
random_state : int, RandomState or None, default=None
    Seed for all random choices.""",
    # Fitted attributes.
    "ensemble_": """\
ensemble_ : Ensemble or BlackBox
    The summarized ensemble, or the queried black box.
training_remarks_ : list of str
    What to know about the training rows and the ensemble when reading the model's numbers; part of
    ``remarks_``.""",
    "ism_test_probability": """\
test_probability : {"pooled", "marginal"}, default="pooled"
    With variant *t*: estimate the probability of a test from the nodes that have it, or
    from the training values of its feature.""",
    "ism_limits": """\
max_leaves : int, optional
    Maximum number of leaves. The most useful splits are made first.
max_depth : int, optional
    Maximum number of tests on a path.
max_features : int, optional
    Maximum number of columns in the tree. If there are more, the columns whose tests decide
    the fewest rows are dropped, and the tree is computed again.
min_leaf : int or float, default=0
    Minimum number of rows in at least two branches of a test; a float is a share of the training
    rows. Some training rows may then get another label or number than the ensemble gives them.
max_thresholds : int, "auto" or None, default="auto"
    Maximum number of thresholds per feature, spread evenly over the ensemble's; None uses
    all of them. *auto* uses all, or 255 if the ensemble has more than 20,000 nodes and
    the stop is *data*.
max_nodes : int, default=1_000_000
    Number of nodes at which growth ends; ``complete_`` is then False.
max_seconds : float, optional
    Time after which growth ends; ``complete_`` is then False.""",
    "ism_growth": """\
grown_ : GrownTree
    The tree before siblings were joined, kept for :meth:`resized`.
proved_ : ndarray of shape (n_nodes,)
    For each node, whether it is a leaf at which the ensemble provably gives every possible
    row without missing values the leaf's label or number.
split_step_ : ndarray of shape (n_nodes,)
    For each node, the step in which it was split, the most useful split first; -1 at leaves.
rest_ : ndarray of shape (n_nodes,)
    For each node: 0 split, 1 proved, 2 the rows agree, 3 no test left, 4 a limit was
    reached, 5 all leaves below it had the same label.
complete_ : bool
    False if ``max_nodes`` or ``max_seconds`` ended the growth.""",
    "fitted_columns": """\
classes_ : ndarray of shape (n_classes,)
    The class labels.
n_features_in_ : int
    Number of columns seen in fit.
feature_names_in_ : ndarray of shape (n_features_in_,)
    Their names; absent if X had none.""",
    "fitted_regression": """\
n_features_in_ : int
    Number of columns seen in fit.
feature_names_in_ : ndarray of shape (n_features_in_,)
    Their names; absent if X had none.""",
    # Arguments and return values of methods.
    "X": """\
X : Table, frame or array of shape (n_rows, n_features)
    Training rows. NaN and None are missing values.""",
    "y": """\
y : array-like of shape (n_rows,)
    Class labels of the rows.""",
    "optional_y": """\
y : array-like of shape (n_rows,), optional
    Class labels of the rows, or numbers. Required only if an ensemble must be learned.""",
    "sample_weight": """\
sample_weight : array-like of shape (n_rows,), optional
    Row weights. A row of weight 2 counts as two rows.""",
    "fitted_self": """\
self : estimator
    The fitted estimator.""",
    "new_X": """\
X : Table, frame or array of shape (n_rows, n_features)
    Rows. Columns are matched by name if both sides have names. Categories not seen in fit
    count as missing.""",
    "digits": """\
digits : int, default=6
    Significant digits of thresholds. Those of one feature never look alike.""",
    # Arguments of models.
    "rows": """\
X : Table, frame or array of shape (n_rows, n_features)
    The rows; unseen categories count as missing.""",
    "explained_rows": """\
rows : dict, sequence or series; or table, frame, array or list of rows
    One row, by name or in the order of the features, or many rows. None, NaN and unknown
    categories are missing values.""",
    "ids": """\
ids : sequence, optional
    Names of the rows. By default those of the table, the labels of a pandas index, or row numbers.""",
    "ax": """\
ax : matplotlib Axes, optional
    Where to draw; by default a new figure of fitting size.""",
    "rows_of_charts": """\
X : frame, Table or array, optional
    Rows. With them, every test shows how the values of its column are distributed, by class or by
    number, with the threshold marked.
y : array-like, optional
    Labels or numbers of these rows; by default what the model predicts for them.""",
    "node_model": """\
schema : Schema
    Names and categories of the features.
classes : ndarray of shape (n_classes,) or None
    The labels of the outputs, or None if the outputs are numbers.
tie_tolerance : float, default=0.0
    The label is the first class whose probability exceeds those of all classes
    before it by more than this.
proof : Proof, optional
    What is proved about the model, if it was merged from an ensemble.
label_source : {"learnt", "own", "ensemble", "passed"}, default="learnt"
    Which rows the weights and class counts refer to: the rows that the model was trained on
    ("learnt"); for a summary of an ensemble, training rows with their own labels or with the
    ensemble's; or rows that were only counted ("passed").
numbers : NodeNumbers, optional
    For a model of numbers, the target's mean and deviation in the training rows of each node.""",
    "node_model_attributes": """\
schema : Schema
    Names and categories of the features.
classes_ : ndarray of shape (n_classes,) or None
    The labels of the outputs, or None if the outputs are numbers.
tie_tolerance : float
    The label is the first class whose probability exceeds those of all classes
    before it by more than this.
proof : Proof or None
    What is proved about the model, if it was merged from an ensemble.
label_source : {"learnt", "own", "ensemble", "passed"}
    Which rows the weights and class counts refer to: the rows that the model was trained on
    ("learnt"); for a summary of an ensemble, training rows with their own labels or with the
    ensemble's; or rows that were only counted ("passed").
numbers : NodeNumbers or None
    For a model of numbers, the target's mean and deviation in the training rows of each node.""",
}


def _sections(*arguments: str, returns: str) -> str:
    entries = "\n".join(SHARED_DOCS[argument] for argument in arguments)
    return f"Parameters\n----------\n{entries}\n\n{_returns(returns)}"


def _returns(entry: str) -> str:
    return f"Returns\n-------\n{entry}"


_LABELS = """\
ndarray of shape (n_rows,)
    Labels, of the same type as ``classes_``."""
_PROBABILITIES = """\
ndarray of shape (n_rows, n_classes)
    Probabilities, in the order of ``classes_``."""

SHARED_SECTIONS = {
    "fit_sections": _sections("X", "y", returns=SHARED_DOCS["fitted_self"]),
    "weighted_fit_sections": _sections("X", "y", "sample_weight", returns=SHARED_DOCS["fitted_self"]),
    "distill_sections": _sections("X", "optional_y", "sample_weight", returns=SHARED_DOCS["fitted_self"]),
    "predict_sections": _sections("rows", "n_jobs", returns=_LABELS),
    "predict_proba_sections": _sections("rows", "n_jobs", returns=_PROBABILITIES),
    "estimator_predict_sections": _sections("new_X", returns=_LABELS),
    "estimator_predict_proba_sections": _sections("new_X", returns=_PROBABILITIES),
    "returns_text": _returns(
        "str\n    The text, ending with a newline. Names and labels cannot control the terminal."
    ),
    "returns_explanations": _returns(
        "Explanation or Explanations\n"
        "    An :class:`~sightline.model.Explanation` of one row, or :class:`~sightline.model.Explanations`\n"
        "    of many. ``str()`` gives plain sentences."
    ),
    "returns_axes": _returns("matplotlib Axes\n    The axes that hold the drawing."),
}
"""Whole sections of methods, made of the entries above."""

_SLOT = re.compile(r"^( *)%\((\w+)\)s$", re.MULTILINE)


def fill_slots(docstring: str) -> str:
    """Replace each slot of a docstring with the shared text, indented like the slot.

    Parameters
    ----------
    docstring : str
        Text with slots such as ``%(n_jobs)s``, each on a line of its own.

    Returns
    -------
    str
        The full text.

    Raises
    ------
    KeyError
        If there is no shared text of that name.

    Examples
    --------
    >>> print(fill_slots("%(max_leaves)s"))
    max_leaves : int, optional
        Maximum number of leaves.
    """

    def shared_text(slot: re.Match[str]) -> str:
        indent, name = slot.groups()
        return "\n".join(
            (indent + line).rstrip() for line in (SHARED_SECTIONS.get(name) or SHARED_DOCS[name]).splitlines()
        )

    return _SLOT.sub(shared_text, docstring)


def fill_docstrings(cls: type) -> None:
    """Fill the slots in the docstrings of a class and of its own methods."""
    # A class method holds its function.
    own = (getattr(value, "__func__", value) for value in vars(cls).values())
    for documented in (cls, *filter(inspect.isfunction, own)):
        if documented.__doc__ is not None:  # None under python -OO
            documented.__doc__ = fill_slots(documented.__doc__)
