"""The result of a proof: the verdict, a row that shows a difference, and the status of every leaf."""

from __future__ import annotations

import html
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sightline.exceptions import UnsupportedModelError
from sightline.files import atomic_write
from sightline.judge._comparable import other_labels
from sightline.model import Ensemble, Graph, NodeModel, RuleSet, Status, Tree, finite_or_none, second_noun
from sightline.wording import number_text, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class DifferenceBounds(NamedTuple):
    """Bounds of a largest difference: some row differs by ``low``, none by more than ``high``."""

    low: float
    high: float

    @property
    def is_exact(self) -> bool:
        """Whether the largest difference is known."""
        return self.low == self.high

    def status(self, limit: float) -> Status:
        """Return whether no row differs by more than a limit."""
        return Status.REFUTED if self.low > limit else Status.PROVED if self.high <= limit else Status.OPEN


@dataclass(frozen=True, repr=False)
class Certificate:
    """The outcome of :func:`sightline.certify`.

    Attributes
    ----------
    model, ensemble : Tree, Graph, RuleSet or Ensemble
        The models that were compared.
    equivalent : bool or None
        True if proved for every covered row. False if ``witness`` shows a difference. None if
        the budget ran out first. Regressors are equivalent if no row differs by more than the tolerance
        (0 without one).
    witness : dict or None
        A row on which the labels differ, by feature name, with None for missing values.
        Both models have predicted it. For regressors, the row with the largest difference found.
    answers : tuple or None
        Labels or numbers that the model and the ensemble give the witness.
    proved_share : float or None
        Share of the rows of X that reach proved leaves. Without X, 1.0 if equivalent, else None.
    leaf_status : dict of int to Status
        Status of each leaf of the model; empty if the model has no leaves.
    mixed_status : Status or None
        Status of rows that missing values send to several leaves; None if there are none.
    witnesses : dict of int to dict
        Rows by the leaf that they refute; -1 if they reach no single leaf.
    n_rows, n_differing : int
        For classifiers, the number of given rows, and of those on which the labels differ.
    missing : tuple of str
        Features whose values may be missing in the covered rows.
    n_boxes : int
        Number of boxes that the search visited.
    seconds : float
        Duration of the search.
    tolerance : float or None
        For regressors, the requested tolerance.
    max_difference : float or None
        For regressors, the largest difference found; the witness shows it. If the search finished, no row
        differs by more. None for classifiers.
    max_difference_bound : float or None
        For regressors, a bound that no covered row exceeds. Equal to ``max_difference`` if that is known
        exactly.
    leaf_difference : dict of int to DifferenceBounds
        For regressors, the same two numbers (``low``, ``high``) for each leaf of the model.

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
    n_rows: int = 0
    n_differing: int = 0
    missing: tuple[str, ...] = ()
    n_boxes: int = 0
    seconds: float = 0.0
    tolerance: float | None = None
    max_difference: float | None = None
    max_difference_bound: float | None = None
    leaf_difference: dict[int, DifferenceBounds] = field(default_factory=dict)

    def to_text(self) -> str:
        """Return the result in a few lines.

        Returns
        -------
        str
            The text, ending with a newline.
        """
        answer, *about = self._sentences()
        difference = [] if self.witness is None else self._difference()
        return "\n".join([answer, *difference, *about]) + "\n"

    def _sentences(self) -> list[str]:
        """Return the result and what is known about the leaves, without the row that shows a difference."""
        lines = [self._answer()]
        if self._seeks_largest:
            return lines + self._leaf_bounds()
        if self.n_rows and self.equivalent is not True:
            lines.append(self._on_given_rows())
        if self.leaf_status:
            counts = Counter(self.leaf_status.values())
            parts = [f"{counts[status]:,} {status.name.lower()}" for status in Status]
            lines.append(f"Leaves: {', '.join(parts)}.")
        if self.mixed_status is not None:
            status = self.mixed_status.name.lower()
            lines.append(f"Rows that missing values send to several leaves: {status}.")
        if self.proved_share is not None and self.equivalent is not True:
            lines.append(f"{percent(self.proved_share, 1)} of the given rows reach proved leaves.")
        if self.equivalent is not True and (note := other_labels(self.model, self.ensemble)):
            lines.append(note)
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as plain data.

        Returns
        -------
        dict
            What :meth:`to_json` writes. Bounds that are not finite are None.
        """
        document: dict[str, Any] = {
            "equivalent": self.equivalent,
            "witness": self.witness,
            "proved_share": self.proved_share,
            "leaf_status": {str(leaf): status.name.lower() for leaf, status in self.leaf_status.items()},
            "n_rows": self.n_rows,
            "n_differing": self.n_differing,
            "mixed_status": None if self.mixed_status is None else self.mixed_status.name.lower(),
            "witnesses": {str(leaf): row for leaf, row in self.witnesses.items()},
            "missing": list(self.missing),
            "n_boxes": self.n_boxes,
        }
        if self.max_difference is not None:
            document |= {
                "tolerance": self.tolerance,
                "max_difference": finite_or_none(self.max_difference),
                "max_difference_bound": finite_or_none(self.max_difference_bound),
                "leaf_difference": {
                    str(leaf): [finite_or_none(end) for end in ends]
                    for leaf, ends in self.leaf_difference.items()
                },
            }
        return document

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
        text = json.dumps(self.to_dict(), allow_nan=False, ensure_ascii=False, indent=1) + "\n"
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

    @property
    def _seeks_largest(self) -> bool:
        """Whether the certificate is about the largest difference itself."""
        return self.max_difference is not None and self.tolerance is None

    def _answer(self) -> str:
        if self._seeks_largest:
            return self._largest()
        if self.equivalent is None:
            return f"Open: neither proved nor refuted after {self.n_boxes:,} boxes.{self._so_far()}"
        if self.tolerance is not None:
            limit = number_text(self.tolerance)
            if self.equivalent:
                return f"No prediction differs by more than {limit}: proved for {self._covered()}"
            return f"Predictions differ by more than {limit}: by {_number(self.max_difference)} in this row."
        if not self.equivalent:
            return "Not equivalent: the labels differ."
        return f"Equivalent: proved for {self._covered()}"

    def _covered(self) -> str:
        if len(self.missing) == self.model.schema.n_used:
            return "every row, missing values included."
        if not self.missing:
            return "every row without missing values."
        return f"every row. Only values of {', '.join(self.missing)} may be missing."

    def _largest(self) -> str:
        if self.equivalent:
            return f"Equivalent: proved for {self._covered()}"
        if self.max_difference == self.max_difference_bound:
            return f"The largest difference is {_number(self.max_difference)}: proved for {self._covered()}"
        return f"Open: the largest difference is not known after {self.n_boxes:,} boxes.{self._so_far()}"

    def _so_far(self) -> str:
        if self.max_difference is None:
            return ""
        low, high = _number(self.max_difference), _number(self.max_difference_bound)
        return f" It is at least {low} and at most {high}, for {self._covered()}"

    def _leaf_bounds(self) -> list[str]:
        if self.equivalent or not self.leaf_difference:
            return []
        n_exact = sum(ends.is_exact for ends in self.leaf_difference.values())
        return [f"Leaves: {n_exact:,} of {len(self.leaf_difference):,} have a known largest difference."]

    def _on_given_rows(self) -> str:
        if not self.n_differing:
            return f"The labels agree on all {self.n_rows:,} given rows."
        share = percent(self.n_differing / self.n_rows, 1)
        return f"The labels differ on {self.n_differing:,} of {self.n_rows:,} given rows ({share})."

    def _difference(self) -> list[str]:
        assert self.witness is not None
        assert self.answers is not None
        row = ", ".join(f"{name} = {_value(value)}" for name, value in self._shown_cells())
        one, other = self.answers
        if self.max_difference is not None:
            one, other = (number_text(answer, digits=17) for answer in self.answers)
        return [f"{self._row_head()}: {row}", f"The model predicts {one}, the {self._second} {other}."]

    def _row_head(self) -> str:
        """Say which row it is, unless the sentence before has said it."""
        if self.max_difference is None or (self.tolerance is not None and self.equivalent is False):
            return "Row"
        if self._seeks_largest and self.max_difference == self.max_difference_bound:
            return "Row with this difference"
        return f"Row with the largest difference found ({_number(self.max_difference)})"

    @property
    def _second(self) -> str:
        return second_noun(self.model, self.ensemble)

    def _shown_cells(self) -> list[tuple[str, Any]]:
        """Return the cells of the row that shows a difference, without columns that the models ignore."""
        assert self.witness is not None
        pairs = zip(self.witness.items(), self.model.schema.features, strict=True)
        return [cell for cell, feature in pairs if not feature.ignored]

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")

    def _repr_html_(self) -> str:
        """Return the sentences for notebooks, with the row that shows a difference as a table."""
        verdict, *others = self._sentences()
        rest = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in others)
        lead = f"<p><strong>{html.escape(verdict)}</strong></p>"
        return f'<div class="sightline">{lead}{self._row_html()}{rest}</div>'

    def _row_html(self) -> str:
        if self.witness is None or self.answers is None:
            return ""
        one, other = self.answers
        cells = [*self._shown_cells(), ("the model predicts", one), (f"the {self._second} predicts", other)]
        heads = "".join(f"<th>{html.escape(str(name))}</th>" for name, _ in cells)
        row = "".join(f"<td>{html.escape(_value(value))}</td>" for _, value in cells)
        title = "" if (head := self._row_head()) == "Row" else f"<caption>{html.escape(head)}</caption>"
        return f"<table>{title}<thead><tr>{heads}</tr></thead><tbody><tr>{row}</tr></tbody></table>"

    def __repr__(self) -> str:
        if self.max_difference is not None:
            return (
                f"Certificate(equivalent={self.equivalent}, "
                f"max_difference={_number(self.max_difference)}, "
                f"max_difference_bound={_number(self.max_difference_bound)}, {self.n_boxes} boxes)"
            )
        return (
            f"Certificate(equivalent={self.equivalent}, {len(self.leaf_status)} leaves, {self.n_boxes} boxes)"
        )

    def __bool__(self) -> bool:
        """Return whether equivalence is proved, so that ``assert certify(...)`` never passes by mistake."""
        return self.equivalent is True


def _number(value: float | None) -> str:
    return "unknown" if value is None else number_text(value)


def _value(value: Any) -> str:
    # All digits: another double would not be the counterexample.
    return "missing" if value is None else number_text(value, 17) if isinstance(value, float) else str(value)
