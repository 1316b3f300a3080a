"""The public functions of this package, and the base class for displays of models."""

# ruff: noqa: ARG002 - the arguments of Display are those of its subclasses

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from sightline.model import KindTable, NodeModel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DISPLAYS: KindTable[type[Display]] = KindTable("display")

shows = _DISPLAYS.register
"""Decorates the display of some kinds of model: ``@shows(Tree)``."""


class Display:
    """How one kind of model is shown.

    A subclass per kind, registered with :func:`shows`, defines the forms that the kind has. Their
    parameters are those of the model's own methods: ``Tree.to_text`` documents ``TreeDisplay.text``.

    Parameters
    ----------
    model : Tree, Graph, RuleSet, Ensemble, …
        What to show.
    """

    def __init__(self, model: Any) -> None:
        self.model = model

    def text(self) -> str:
        """Return the model as text that ends with a newline."""
        raise self._refusal("text")

    def html(self) -> str:
        """Return one HTML element for a notebook."""
        raise self._refusal("HTML")

    def svg(self) -> str:
        """Return a stand-alone SVG document."""
        raise self._refusal("drawing")

    def dot(self) -> str:
        """Return the drawing for Graphviz."""
        raise self._refusal("drawing")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the model with matplotlib."""
        raise self._refusal("plot")

    def explain(self, rows: Any) -> Any:
        """Explain the prediction for one row, or for many."""
        raise self._refusal("explanation")

    def frame(self, library: str = "pandas") -> Any:
        """Return the model as a data frame."""
        raise self._refusal("data frame")

    def _refusal(self, form: str) -> TypeError:
        return TypeError(f"sightline has no {form} for a {type(self.model).__name__}.")


def display(model: Any) -> Any:
    """Return the display of a model.

    Parameters
    ----------
    model : Tree, Graph, RuleSet, Ensemble, NeighborEnsemble, CaseBase, …
        What to show.

    Returns
    -------
    Display
        The subclass registered for this kind of model.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> display(credit_tree()).text(max_depth=0).splitlines()[-1]
    '… 4 more leaves, mostly good (67% of 100 rows)'
    """
    return _DISPLAYS.entry(model)(model)


def to_text(model: Any) -> str:
    """Write a model as text; its own ``to_text`` method has parameters.

    Parameters
    ----------
    model : Tree, Graph, RuleSet, Ensemble, CaseBase, …
        What to write. An ensemble gives a summary.

    Returns
    -------
    str
        The text, ending with a newline. Names and labels cannot control the terminal.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> print(to_text(credit_tree()), end="")
    Tree with 4 leaves and depth 2; tests 3 of 3 features
    Predicts bad or good; trained on 100 rows
    <BLANKLINE>
    ├─ age <= 30
    │  ├─ income <= 2000: bad (80% of 25 rows)
    │  └─ income > 2000: good (60% of 15 rows)
    └─ age > 30
       ├─ purpose is one of car, holiday: good (75% of 20 rows)
       └─ purpose = house: good (95% of 40 rows)
    """
    text: str = display(model).text()
    return text


def to_html(model: Any) -> str:
    """Write a model as one HTML element for a notebook.

    Parameters
    ----------
    model : Tree, Graph, RuleSet, Ensemble, CaseBase, …
        What to show.

    Returns
    -------
    str
        One element that needs no other file.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> to_html(credit_tree()).startswith("<div ")
    True
    """
    html: str = display(model).html()
    return html


def to_svg(
    model: NodeModel,
    *,
    max_depth: int | None = None,
    max_leaves_shown: int | None = 64,
    direction: Literal["down", "right"] | None = None,
    digits: int = 6,
    marks: Mapping[int, str] | None = None,
    X: Any = None,
    y: Any = None,
) -> str:
    """Draw a tree or graph as a stand-alone SVG document.

    Parameters
    ----------
    model : Tree or Graph
        What to draw.
    max_depth : int, optional
        Deeper nodes are folded. Graphs have no such limit.
    max_leaves_shown : int or None, default=64
        Maximum number of leaves and folded nodes to draw; None draws all. The heaviest nodes open first.
    direction : {"down", "right"}, optional
        Direction of growth. By default down for up to 8 leaves, else right. Graphs grow to the right.
    digits : int, default=6
        Significant digits of thresholds. Thresholds of one feature never look alike.
    marks : mapping of int to str, optional
        Leaves that are "proved", "refuted" or "open".
    X : frame, Table or array, optional
        Rows. With them, every test shows how the values of its column are distributed, by class or
        by number, with the threshold marked.
    y : array-like, optional
        Labels or numbers of these rows; by default what the model predicts for them.

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
    svg: str = display(model).svg(
        max_depth=max_depth,
        max_leaves_shown=max_leaves_shown,
        direction=direction,
        digits=digits,
        marks=marks,
        X=X,
        y=y,
    )
    return svg


def to_dot(
    model: NodeModel,
    *,
    max_depth: int | None = None,
    max_leaves_shown: int | None = 64,
    direction: Literal["down", "right"] | None = None,
    digits: int = 6,
    marks: Mapping[int, str] | None = None,
) -> str:
    """Write the drawing of a tree or graph for Graphviz.

    Parameters
    ----------
    model : Tree or Graph
        What to draw.
    max_depth, max_leaves_shown, direction, digits, marks
        As in :func:`to_svg`.

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
    dot: str = display(model).dot(
        max_depth=max_depth,
        max_leaves_shown=max_leaves_shown,
        direction=direction,
        digits=digits,
        marks=marks,
    )
    return dot


def plot(model: Any, ax: Axes | None = None) -> Axes:
    """Draw a model with matplotlib; its own ``plot`` method has parameters.

    Parameters
    ----------
    model : Tree, Graph, RuleSet, Ensemble, CaseBase, …
        What to draw: a tree or graph as boxes, an ensemble as the number of tests per feature,
        rules as bars of the rows that they cover.
    ax : matplotlib Axes, optional
        Where to draw. By default a new figure of fitting size, which pyplot does not know, so
        that nothing global changes; save it with ``ax.figure.savefig``.

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
    axes: Axes = display(model).plot(ax)
    return axes


def explain(model: Any, rows: Any) -> Any:
    """Explain the prediction for one row or many; the model's own ``explain`` method has parameters.

    Parameters
    ----------
    model : Tree, Graph, RuleSet, Ensemble, NeighborEnsemble, CaseBase or BlackBox
        The model.
    rows : dict, sequence or series; or table, frame, array or list of rows
        One row, by name or in the order of the features, or many rows. None, NaN and unknown
        categories are missing values.

    Returns
    -------
    Explanation or Explanations
        An :class:`~sightline.model.Explanation` of one row, or :class:`~sightline.model.Explanations`
        of many. ``str()`` gives plain sentences.

    Raises
    ------
    DataError
        If the names or the number of values do not match, or a numeric value is not a number.

    Examples
    --------
    >>> from sightline.show._example import credit_tree
    >>> print(explain(credit_tree(), {"age": 25, "income": 1800, "purpose": "car"}))
    Predicted bad. 25 training rows took this path; 80% of them were "bad".
    Because age <= 30 (yours: 25) and income <= 2000 (yours: 1800).
    """
    return display(model).explain(rows)


def to_frame(model: Any, library: str = "pandas") -> Any:
    """Return a model as a data frame; its own ``to_frame`` method has parameters.

    Parameters
    ----------
    model : Tree, RuleSet or CaseExplanation
        A tree gives one row per leaf, a rule set one per rule.
    library : {"pandas", "polars"}, default="pandas"
        The library of the frame.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        The model, one row per rule.

    Examples
    --------
    >>> from sightline.show._example import credit_rules
    >>> to_frame(credit_rules())["rule"][0]
    'age <= 30 and income <= 2000'
    """
    return display(model).frame(library)
