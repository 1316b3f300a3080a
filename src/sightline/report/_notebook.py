"""A tree or graph in a notebook: the drawing of the report, interactive, in a frame of its own."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from sightline.model import NodeModel
from sightline.report._evidence import Evidence
from sightline.report._kind import kind_of
from sightline.report._naming import Naming
from sightline.report._page import render_page
from sightline.report._parts import Summary
from sightline.show import display, to_svg
from sightline.table import Column, Table

MAX_NODES = 2_000
"""Larger models are shown as a static drawing of their heaviest part."""

_PARTS = ("tree", "whatif")
_LEAST_HEIGHT, _MOST_HEIGHT, _AROUND = 440, 760, 130


def notebook_html(model: Any) -> str:
    """Return a tree or graph for notebooks: folding, hovering and what-if in a sandboxed frame.

    Parameters
    ----------
    model : Tree or Graph
        The model.

    Returns
    -------
    str
        One ``iframe`` that holds its whole document. It loads nothing, cannot touch the notebook, and
        shows a static drawing where scripts are off.

    Examples
    --------
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[0.0], [1.0]] * 5, ["no", "yes"] * 5).tree_
    >>> notebook_html(tree)[:48]
    '<iframe class="sightline" sandbox="allow-scripts'
    """
    if model.n_nodes > MAX_NODES:
        static: str = display(model).html()
        return static
    drawing = to_svg(model)
    height = min(max(_height_of(drawing) + _AROUND, _LEAST_HEIGHT), _MOST_HEIGHT)
    return framed(render_page(Summary(_without_rows(model), _PARTS), static=drawing), height)


def framed(document: str, height: int) -> str:
    """Return a document in a frame that runs scripts but has no access to the page around it."""
    return (
        '<iframe class="sightline" sandbox="allow-scripts" loading="lazy" '
        f'style="width:100%;height:{height}px;border:1px solid #b9bfc9;border-radius:6px" '
        f'srcdoc="{escape(document)}"></iframe>'
    )


def _height_of(drawing: str) -> int:
    return int(drawing.split('height="', 1)[1].split('"', 1)[0])


def _without_rows(model: NodeModel) -> Evidence:
    """Return what is known about a model alone."""
    empty: list[Any] = [
        Column(feature, np.zeros(0, dtype=np.int32 if feature.is_nominal else np.float64))
        for feature in model.schema.features
    ]
    naming = Naming().completed(model)
    return Evidence(
        model=model,
        ensemble=None,
        estimator=None,
        rows=Table(empty),
        labels=None,
        model_labels=np.zeros(0),
        ensemble_labels=None,
        measures=None,
        certificate=None,
        sizes={},
        size_labels={},
        curve=None,
        title=f"{kind_of(model).heading}: {naming.subject}" if naming.subject else kind_of(model).heading,
        data_name=None,
        naming=naming,
    )
