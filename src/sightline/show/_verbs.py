"""The verbs of this stage; each kind of model registers how it is done for it."""

# ruff: noqa: ARG001 - the arguments are those of the registered functions

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@singledispatch
def to_text(model: Any, **options: Any) -> str:
    """Write a model as text.

    Parameters
    ----------
    model : Tree, Graph, Ensemble or RuleSet
        What to write. An ensemble gives a summary.
    **options
        For a tree: ``style`` ("sightline" or "weka"), ``digits`` (significant digits of
        thresholds, 6; thresholds of one feature never look alike), ``max_depth`` (deeper
        nodes are folded). With ``style="weka"``: ``title`` and ``binary_thresholds``, see
        :func:`sightline.show._weka.weka_text`. For an ensemble: ``max_features``. For rules:
        ``max_rules`` (50), ``digits`` and ``show_missing`` (say which conditions hold where
        the value is missing).

    Returns
    -------
    str
        The text, ending with a newline. Names and labels cannot steer the terminal.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> print(to_text(credit_tree()), end="")
    Tree with 4 leaves and depth 2, testing 3 of 3 features
    Predicts bad or good; learnt from 100 rows
    <BLANKLINE>
    ├─ age <= 30
    │  ├─ income <= 2000: bad (80% of 25 rows)
    │  └─ income > 2000: good (60% of 15 rows)
    └─ age > 30
       ├─ purpose is one of car, holiday: good (75% of 20 rows)
       └─ purpose = house: good (95% of 40 rows)
    """
    raise _unknown(model, "text")


@singledispatch
def to_svg(model: Any, **options: Any) -> str:
    """Draw a model as a stand-alone SVG document.

    Parameters
    ----------
    model : Tree or Graph
        What to draw.
    **options
        ``max_depth`` and ``max_leaves_shown`` (default 64; None for all) limit the
        drawing, the heaviest nodes are opened first; ``direction`` ("down" or "right") is
        where it grows, by default what suits its size (a graph: to the right); ``digits`` as in
        :func:`to_text`; ``marks`` says by leaf whether it is "proved", "refuted" or "open".

    Returns
    -------
    str
        SVG without scripts or links, readable on light and dark pages.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> to_svg(credit_tree()).startswith("<svg ")
    True
    """
    raise _unknown(model, "drawing")


@singledispatch
def to_dot(model: Any, **options: Any) -> str:
    """Write the drawing of a model for Graphviz.

    Parameters
    ----------
    model : Tree or Graph
        What to draw.
    **options
        Those of :func:`to_svg`.

    Returns
    -------
    str
        A directed graph in the DOT language.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> to_dot(credit_tree()).startswith("digraph ")
    True
    """
    raise _unknown(model, "drawing")


@singledispatch
def to_html(model: Any, **options: Any) -> str:
    """Write a model as a small piece of HTML, for a notebook.

    Parameters
    ----------
    model : Tree, Graph, Ensemble or RuleSet
        What to show.
    **options
        For a tree those of :func:`to_svg`, for rules those of :func:`to_text`.

    Returns
    -------
    str
        One element with everything inside it.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> to_html(credit_tree()).startswith("<div ")
    True
    """
    raise _unknown(model, "HTML")


@singledispatch
def plot(model: Any, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw a model with matplotlib.

    Parameters
    ----------
    model : Tree, Graph, Ensemble or RuleSet
        What to draw: a tree or graph as boxes, an ensemble as the number of tests per feature, rules
        as bars of the rows that they cover.
    ax : matplotlib Axes, optional
        Where to draw. By default a new figure of fitting size, which pyplot does not
        know, so that nothing global changes; save it with ``ax.figure.savefig``.
    **options
        For a tree those of :func:`to_svg`; for an ensemble ``max_features``; for rules
        ``max_rules`` and ``digits``.

    Returns
    -------
    matplotlib Axes
        The axes that hold the drawing.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> plot(credit_tree()).get_title()
    ''
    """
    raise _unknown(model, "plot")


@singledispatch
def explain(model: Any, row: Any, **options: Any) -> str:
    """Say in plain sentences how a model decides about one row.

    Parameters
    ----------
    model : Tree, Graph, Ensemble or RuleSet
        The model.
    row : dict, sequence, or table of one row
        The values, by name or in the order of the features. None and NaN are missing
        values, and so are categories that the model does not know.
    **options
        For a tree: ``ensemble``, which it summarises; then the text also says whether the
        ensemble agrees, here and on all rows of the path, and how its trees stand. For an
        ensemble: ``reasons`` (name the features that spoke most for the label and against it).

    Returns
    -------
    str
        A few sentences, one per line.

    Raises
    ------
    DataError
        If names or the number of values do not fit, or a number is none.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> print(explain(credit_tree(), {"age": 25, "income": 1800, "purpose": "car"}))
    Predicted bad: so were 80% of the 25 training rows that took this path.
    Because age <= 30 (yours: 25), and income <= 2000 (yours: 1800).
    """
    raise _unknown(model, "sentences")


@singledispatch
def to_frame(model: Any, library: str = "pandas", **options: Any) -> Any:
    """Return a model as a data frame, one row per rule.

    Parameters
    ----------
    model : RuleSet
        The rules.
    library : {"pandas", "polars"}, default="pandas"
        Whose frame it is.
    **options
        ``digits`` and ``show_missing`` as in :func:`to_text`.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        The rules in words, their classes, weights, numbers of conditions and trees, how many
        rows they cover and how often they are right, their trees and the rules that have the
        same conditions but another class.

    Examples
    --------
    >>> from sightline.show._example import credit_rules
    >>> to_frame(credit_rules())["rule"][0]
    'age <= 30 and income <= 2000'
    """
    raise _unknown(model, "frame")


def _unknown(model: Any, what: str) -> TypeError:
    names = sorted(noun.__name__ for noun in to_text.registry if noun is not object)
    known = " and ".join([", ".join(names[:-1]), names[-1]])
    return TypeError(f"sightline has no {what} for a {type(model).__name__}; it shows {known}.")
