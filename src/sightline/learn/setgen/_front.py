"""The Pareto front: the best trade-offs found between accuracy, nodes and features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

from sightline.exceptions import ParameterError
from sightline.model import Tree
from sightline.wording import pluralize

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class FrontPoint:
    """A feature set that no other set matches in accuracy, nodes and features at once.

    Attributes
    ----------
    features : tuple of str
        The features that the tree may test.
    accuracy, nodes : float
        Means of the inner cross-validation.
    fitness : float
        Fitness of the set.
    tree : Tree
        The tree learned from all rows.
    """

    features: tuple[str, ...]
    accuracy: float
    nodes: float
    fitness: float
    tree: Tree


class ParetoFront:
    """The front of a search, fewest features first.

    Parameters
    ----------
    points : tuple of FrontPoint
        The points, sorted by features and nodes.
    chosen : FrontPoint
        The point with the best fitness.
    plain : FrontPoint
        The set of all features, whether or not it is on the front.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sightline import SetGenClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> front = SetGenClassifier(random_state=0).fit(X, y).front_
    >>> print(front.to_text())
    inner accuracy  nodes  features  final tree
             33.3%    1.0         0  1 node, 1 leaf
           * 94.7%    5.0         1  5 nodes, 3 leaves: petal width (cm)
    * best fitness
    """

    def __init__(self, points: tuple[FrontPoint, ...], chosen: FrontPoint, plain: FrontPoint) -> None:
        self.points = points
        self.chosen = chosen
        self.plain = plain

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[FrontPoint]:
        return iter(self.points)

    def __getitem__(self, index: int) -> FrontPoint:
        return self.points[index]

    def select(
        self, max_features: int | None = None, max_leaves: int | None = None, max_nodes: int | None = None
    ) -> FrontPoint:
        """Return the most accurate point within limits.

        Parameters
        ----------
        max_features, max_leaves, max_nodes : int, optional
            Limits of the final tree: features it tests, leaves and nodes.

        Returns
        -------
        FrontPoint
            The point with the best inner accuracy; on ties, with the best fitness.

        Raises
        ------
        ParameterError
            If no point is small enough.
        """
        limits = {"features": max_features, "leaves": max_leaves, "nodes": max_nodes}
        given = {name: limit for name, limit in limits.items() if limit is not None}
        for name, limit in given.items():
            if not isinstance(limit, Integral):
                raise ParameterError(f"max_{name} must be an int, got {limit!r}.")
        fitting = [
            point
            for point in self.points
            if all(point.tree.size_[name] <= limit for name, limit in given.items())
        ]
        if not fitting:
            words = " and ".join(f"max_{name}={limit}" for name, limit in given.items())
            nouns = {"features": ("feature",), "leaves": ("leaf", "leaves"), "nodes": ("node",)}
            minima = " and ".join(
                pluralize(min(point.tree.size_[name] for point in self.points), *nouns[name])
                for name in given
            )
            raise ParameterError(f"No tree on the front fits {words}. The minimum is {minima}.")
        return max(fitting, key=lambda point: (point.accuracy, point.fitness))

    def to_text(self, selected: FrontPoint | None = None) -> str:
        """Return the front as a text table that marks the best fitness.

        Parameters
        ----------
        selected : FrontPoint, optional
            A second point to mark.
        """
        marks = {id(selected): "> ", id(self.chosen): "* "}
        lines = [f"{'inner accuracy':>14}  {'nodes':>5}  {'features':>8}  final tree"]
        for point in self.points:
            mark = marks.get(id(point), "")
            accuracy = f"{mark}{point.accuracy:.1%}"
            lines.append(
                f"{accuracy:>14}  {point.nodes:5.1f}  {len(point.features):8}  {_size_in_words(point)}"
            )
        if selected is not None and selected is not self.chosen:
            lines.append("> selected")
        return "\n".join([*lines, "* best fitness"])

    def to_pandas(self) -> Any:
        """Return the front as a pandas DataFrame with one row per point."""
        import pandas as pd  # noqa: PLC0415 - optional

        return pd.DataFrame(
            {
                "accuracy": [point.accuracy for point in self.points],
                "nodes": [point.nodes for point in self.points],
                "features": [len(point.features) for point in self.points],
                "fitness": [point.fitness for point in self.points],
                "tree_nodes": [point.tree.n_nodes for point in self.points],
                "tree_leaves": [point.tree.n_leaves for point in self.points],
                "feature_names": [list(point.features) for point in self.points],
            }
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot accuracy against nodes, and label points with their number of features where there is room.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default: a new figure.

        Returns
        -------
        matplotlib Axes
            The axes with the plot.
        """
        from sightline.learn.setgen._front_plot import plot_front  # noqa: PLC0415 - matplotlib takes a second

        return plot_front(self, ax)

    def __repr__(self) -> str:
        return self.to_text()


def _size_in_words(point: FrontPoint) -> str:
    nodes, leaves = point.tree.n_nodes, point.tree.n_leaves
    size = f"{pluralize(nodes, 'node')}, {pluralize(leaves, 'leaf', 'leaves')}"
    return f"{size}: {', '.join(point.features)}" if point.features else size
