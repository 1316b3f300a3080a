"""Documentation that several estimators share, written once.

A docstring of an estimator or of one of its methods holds a slot such as ``%(n_jobs)s`` on a line
of its own. :class:`sightline.estimator.SightlineClassifier` fills the slots of every subclass, so
that ``help()``, doctest and the reference pages show the full text.
"""

from __future__ import annotations

import re

__all__ = ["SHARED_DOCS", "fill_slots"]

SHARED_DOCS = {
    # Parameters of estimators.
    "ensemble": """\
ensemble : object, optional
    The ensemble to summarize. None: learn 25 bagged C4.5 trees from X and y. A fitted model
    that :func:`sightline.load` reads: use it as it is; y is then optional. An unfitted
    estimator: fit a clone of it to X and y.""",
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
ensemble_ : Ensemble
    The ensemble that is summarized.""",
    "fitted_columns": """\
classes_ : ndarray of shape (n_classes,)
    The class labels.
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
    Class labels of the rows. Required only if an ensemble must be learned.""",
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
    "row": """\
row : dict, sequence, or table of one row
    The values, by name or in the order of the columns.""",
}


def _fit_sections(*arguments: str) -> str:
    sections = ["Parameters", "----------", *(SHARED_DOCS[argument] for argument in arguments)]
    return "\n".join([*sections, "", "Returns", "-------", SHARED_DOCS["fitted_self"]])


SHARED_SECTIONS = {
    "fit_sections": _fit_sections("X", "y"),
    "weighted_fit_sections": _fit_sections("X", "y", "sample_weight"),
}
"""The sections of most fit methods, made of the texts above."""

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
