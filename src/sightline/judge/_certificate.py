"""The result of a proof: the answer, a row that shows a difference, and the status of every leaf."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sightline.exceptions import UnsupportedModelError
from sightline.files import atomic_write
from sightline.model import Ensemble, Graph, NodeModel, RuleSet, Status, Tree
from sightline.wording import number_text, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class Certificate:
    """The outcome of :func:`sightline.certify`.

    Attributes
    ----------
    model, ensemble : Tree, Graph, RuleSet or Ensemble
        The models that were compared.
    equivalent : bool or None
        True if proved for every covered row. False if ``witness`` shows a difference. None if
        the budget ran out first.
    witness : dict or None
        A row on which the labels differ, by feature name, with None for missing values.
        Both models have predicted it.
    answers : tuple or None
        Labels that the model and the ensemble give the witness.
    proved_share : float or None
        Share of the rows of X that reach proved leaves. Without X, 1.0 if equivalent, else None.
    leaf_status : dict of int to Status
        Status of each leaf of the model; empty if the model has no leaves.
    mixed_status : Status or None
        Status of rows that missing values send to several leaves; None if there are none.
    witnesses : dict of int to dict
        Rows by the leaf that they refute; -1 if they reach no single leaf.
    missing : tuple of str
        Features whose values may be missing in the covered rows.
    n_boxes : int
        Number of boxes that the search visited.
    seconds : float
        Duration of the search.

    Examples
    --------
    >>> import sightline as sl
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]
    >>> tree = sl.C45Classifier().fit(X, y)
    >>> print(sl.certify(tree, tree))
    Equivalent: proved for every row, missing values included.
    Leaves: 2 proved, 0 refuted, 0 open.
    Rows that missing values send to several leaves: proved.
    """

    model: Tree | Graph | RuleSet | Ensemble
    ensemble: Tree | Graph | RuleSet | Ensemble
    equivalent: bool | None
    witness: dict[str, Any] | None
    proved_share: float | None
    leaf_status: dict[int, Status]
    answers: tuple[Any, Any] | None = None
    mixed_status: Status | None = None
    witnesses: dict[int, dict[str, Any]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    n_boxes: int = 0
    seconds: float = 0.0

    def to_text(self) -> str:
        """Return the result in a few lines.

        Returns
        -------
        str
            The text, ending with a newline.
        """
        lines = [self._answer()]
        if self.witness is not None:
            lines += self._difference()
        if self.leaf_status:
            counts = Counter(self.leaf_status.values())
            parts = [f"{counts[status]:,} {status.name.lower()}" for status in Status]
            lines.append(f"Leaves: {', '.join(parts)}.")
        if self.mixed_status is not None:
            status = self.mixed_status.name.lower()
            lines.append(f"Rows that missing values send to several leaves: {status}.")
        if self.proved_share is not None and self.equivalent is not True:
            lines.append(f"{percent(self.proved_share, 1)} of the given rows reach proved leaves.")
        return "\n".join(lines) + "\n"

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the certificate as JSON.

        Parameters
        ----------
        path : path-like, optional
            A file to write as well. It is replaced atomically.

        Returns
        -------
        str
            The JSON text.
        """
        document = {
            "equivalent": self.equivalent,
            "witness": self.witness,
            "proved_share": self.proved_share,
            "leaf_status": {str(leaf): status.name.lower() for leaf, status in self.leaf_status.items()},
            "mixed_status": None if self.mixed_status is None else self.mixed_status.name.lower(),
            "witnesses": {str(leaf): row for leaf, row in self.witnesses.items()},
            "missing": list(self.missing),
            "n_boxes": self.n_boxes,
        }
        text = json.dumps(document, allow_nan=False, ensure_ascii=False, indent=1) + "\n"
        if path is not None:
            atomic_write(path, text)
        return text

    def plot(
        self,
        ax: Axes | None = None,
        *,
        max_depth: int | None = None,
        max_leaves_shown: int | None = 64,
        direction: Literal["down", "right"] | None = None,
        digits: int = 6,
    ) -> Axes:
        """Draw the model with its leaves marked proved, refuted or open.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure of the right size.
        max_depth, max_leaves_shown, direction, digits
            As in :meth:`sightline.Tree.plot`. Graphs have no ``max_depth``.

        Returns
        -------
        matplotlib Axes
            The axes with the drawing.
        """
        from sightline import show  # noqa: PLC0415 - matplotlib is slow to import

        if not isinstance(self.model, NodeModel):
            raise UnsupportedModelError(
                f"{type(self.model).__name__} has no leaves to mark. "
                "plot needs a certificate of a tree or graph."
            )
        marks = {leaf: status.name.lower() for leaf, status in self.leaf_status.items()}
        axes: Axes = show.display(self.model).plot(
            ax,
            max_depth=max_depth,
            max_leaves_shown=max_leaves_shown,
            direction=direction,
            digits=digits,
            marks=marks,
        )
        return axes

    def _answer(self) -> str:
        if self.equivalent is None:
            return f"Open: neither proved nor refuted after {self.n_boxes:,} boxes."
        if not self.equivalent:
            return "Not equivalent: the labels differ."
        n_features = len(self.model.schema)
        if len(self.missing) == n_features:
            return "Equivalent: proved for every row, missing values included."
        if not self.missing:
            return "Equivalent: proved for every row without missing values."
        names = ", ".join(self.missing)
        return f"Equivalent: proved for every row. Only values of {names} may be missing."

    def _difference(self) -> list[str]:
        assert self.witness is not None
        assert self.answers is not None
        row = ", ".join(f"{name} = {_value(value)}" for name, value in self.witness.items())
        return [f"Row: {row}", f"The model predicts {self.answers[0]}, the ensemble {self.answers[1]}."]

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")

    def __repr__(self) -> str:
        return (
            f"Certificate(equivalent={self.equivalent}, {len(self.leaf_status)} leaves, {self.n_boxes} boxes)"
        )

    def __bool__(self) -> bool:
        """Return whether equivalence is proved, so that ``assert certify(...)`` never passes by mistake."""
        return self.equivalent is True


def _value(value: Any) -> str:
    # All digits: another double would not be the counterexample.
    return "missing" if value is None else number_text(value, 17) if isinstance(value, float) else str(value)
