"""The paper's example: three stumps for one class of glass, as a tree and as a graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sightline.lab._data_set import LoadedSet
from sightline.lab._findings import FigureFile, ResultTable, Value, figure_of
from sightline.learn import C45Classifier, StumpEnsembleClassifier
from sightline.table import Labels

EXAMPLE = "G2"
"""The paper's class 3 of glass."""


def _fitted(data: LoadedSet, reading: Mapping[str, Any]) -> tuple[C45Classifier, StumpEnsembleClassifier]:
    """Return C4.5's tree and the stumps, trained on all rows, as in the paper."""
    tree = C45Classifier().fit(data.X, data.y)
    return tree, StumpEnsembleClassifier(**reading, prune=False).fit(data.X, data.y)


def example_table(data: LoadedSet, reading: Mapping[str, Any]) -> ResultTable:
    """Return the sizes of the paper's drawings."""
    tree, stumps = _fitted(data, reading)
    steps = stumps.tree_steps(missing=False)
    sizes = {name: "-" if step is None else str(step.n_nodes) for name, step in steps.items()}
    stump_sizes = " + ".join(str(stump.n_nodes) for stump in stumps.stumps_)
    rows: list[tuple[Value, ...]] = [
        ("Table 3a: the tree of C4.5", str(tree.size_["nodes"])),
        (f"Table 3b: {len(stumps.stumps_)} stumps", stump_sizes),
        ("Table 4: the stumps stacked", sizes["stacked"]),
        ("leaves rounded to the winner", sizes["rounded"]),
        ("without impossible branches", sizes["possible"]),
        ("Table 5a: without tests whose branches are equal", sizes["equal"]),
        ("Table 5b: as a decision graph", str(stumps.to_graph(missing=False).n_nodes)),
    ]
    note = (
        "The paper shows these for its class 3 of glass, where it finds three stumps. It calls them a "
        f"wisely chosen best case. Ours are trained on all {len(data.y)} rows; none has missing values."
    )
    return ResultTable("example", "Tables 3 to 5: one example", ("what", "nodes"), rows, note)


def example_figures(data: LoadedSet, reading: Mapping[str, Any]) -> list[FigureFile]:
    """Return the paper's drawings, except the stacked tree, which is large and adds nothing."""
    tree, stumps = _fitted(data, reading)
    what = f"{Labels.from_any(data.y).classes_[1]} against the rest"
    drawings = {
        "example_tree": (f"The paper's Table 3a: C4.5's tree for {what}.", tree.plot()),
        "example_stumps": (f"Table 3b: the stumps for {what}.", stumps.plot()),
        "example_simplified": (
            "Table 5a: the tree that equals the vote of the stumps.",
            stumps.to_tree(missing=False, X=data.X).plot(),
        ),
        "example_graph": (
            "Table 5b: the same vote as a decision graph.",
            stumps.to_graph(missing=False, X=data.X).plot(),
        ),
    }
    return [FigureFile(name, caption, figure_of(ax)) for name, (caption, ax) in drawings.items()]
