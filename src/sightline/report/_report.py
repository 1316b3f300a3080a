"""The report as an object, and the function that makes it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from sightline.budget import check_budget
from sightline.exceptions import DataWarning
from sightline.files import atomic_write, checked_path
from sightline.report._evidence import Evidence, gather
from sightline.report._lead import lead_sentences
from sightline.report._metrics import metrics
from sightline.report._naming import Naming
from sightline.report._notebook import framed
from sightline.report._page import render_page
from sightline.report._parts import Summary
from sightline.report._rows_in_parts import rows_of_page
from sightline.report._shown_rows import ShownRows
from sightline.table import Rows

_FRAME_HEIGHT = 900


@dataclass(frozen=True, repr=False)
class Report:
    """The findings of :func:`sightline.report` and their page.

    Attributes
    ----------
    evidence : Evidence
        The model, what it predicts for the rows, and what is proved.

    Examples
    --------
    >>> import sightline as sl
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ism = sl.ISMClassifier(max_leaves=3, random_state=0).fit(X[::2], y[::2])
    >>> from sightline.report import report
    >>> page = report(ism, X[1::2], y[1::2], sizes=())
    >>> print(page.to_text(), end="")
    This tree of 3 leaves gives the same label as the 25 trees on 9...% of 75 rows (...).
    ...
    >>> page.to_html().startswith("<!doctype html>")
    True
    """

    evidence: Evidence

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """The numbers for other programs: fidelity, accuracies with intervals, size, what is proved."""
        return metrics(self.evidence)

    def to_text(self) -> str:
        """Return the findings in a few sentences.

        Returns
        -------
        str
            One sentence per line.
        """
        return "\n".join(lead_sentences(self.evidence)) + "\n"

    def to_html(self) -> str:
        """Return the page.

        Returns
        -------
        str
            One self-contained HTML document. It loads nothing, escapes all names, and runs only our script.
        """
        return render_page(Summary(self.evidence))

    def save(self, path: str | Path) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : path-like
            The file. It is replaced only once everything is on disk.
        """
        atomic_write(path, self.to_html())

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415 - for notebooks only

        lead = "".join(f"<p>{escape(sentence)}</p>" for sentence in lead_sentences(self.evidence))
        return f"<div>{lead}{framed(self.to_html(), _FRAME_HEIGHT)}</div>"

    def __repr__(self) -> str:
        return f"Report({self.evidence.model!r}, {self.evidence.rows.n_rows} rows)"


def report(
    est: Any,
    X: Any,
    y: Any = None,
    path: str | Path | None = None,
    *,
    ensemble: Any = None,
    baseline: Any = None,
    sizes: Iterable[int] | None = None,
    title: str | None = None,
    notes: Mapping[str, Mapping[str, str]] | None = None,
    rows: Literal["sample", "ids"] | int | None = None,
    target: str | None = None,
    positive: Any = None,
    colors: Mapping[Any, str] | None = None,
    sample_weight: Any = None,
    max_seconds: float = 20.0,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Write a page that shows a model, how far it can be trusted, and where it is wrong.

    Parameters
    ----------
    est : fitted estimator, Tree, Graph or other model
        The model to show.
    X : Table, frame, array or Rows of shape (n_rows, n_features)
        Rows that were not used for fitting; otherwise the numbers are too optimistic. Of the rows in parts
        that the estimator was fitted to, 50,000 that did not choose the model are shown, and the model card
        has the measures on all others.
    y : array-like of shape (n_rows,), optional
        Their labels. Without them only the fidelity is measured.
    path : path-like, optional
        Where to write the page. The file is replaced only once everything is on disk.
    ensemble : fitted model, function or BlackBox, optional
        The ensemble that the model replaces; by default the one that the estimator learned from.
        A model without trees is queried as a black box: fidelity is measured, but nothing is proved.
    baseline : fitted model, optional
        An ordinary tree of the same size, for comparison. By default scikit-learn's, learned from the
        training rows if the estimator still has them.
    sizes : iterable of int, optional
        Sizes behind the slider, if the estimator can be resized: numbers of leaves (by default
        2 to 64, none for rows in parts) or of rules. Empty for none.
    title : str, optional
        Heading of the page.
    notes : mapping of str to mapping of str to str, optional
        Further lines of the model card, by heading.
    rows : {"sample", "ids"} or int, optional
        Rows of the data that the page carries. By default none: the page holds the model, counts and
        rounded quantiles. ``"sample"`` adds up to 200 rows, a number adds that many, first those on which
        model and ensemble differ; ``"ids"`` names only the numbers of those that differ. The page then
        says so at its top.
    target : str, optional
        Name of what is predicted, for title, sentences and what-if: ``default = yes``. By default the name of
        y, if it is a series with one.
    positive : label, optional
        The positive class. It has the same color in every report. By default that of the ensemble.
    colors : mapping of label to str, optional
        Colors of classes, as in ``{"yes": "#d55e00"}``.
    sample_weight : array-like of shape (n_rows,), optional
        Weight of each row, such as its exposure, as in :func:`sightline.measure`. The page names it by the
        name of the series. Numbers of rows stay numbers of rows.
    max_seconds : float, default=20.0
        Time limit for the search for proofs.
    progress : callable, optional
        Called with a few words when a longer step begins.

    Returns
    -------
    Report
        With ``metrics``, ``to_text``, ``to_html`` and ``save``.

    Raises
    ------
    DataError
        If rows or labels do not match the model.
    UnsupportedModelError
        If there is no report for this kind of model.

    Warns
    -----
    DataWarning
        As :func:`sightline.measure` does, if the rows do not match the model. The page says so, too.

    Examples
    --------
    >>> import tempfile
    >>> import sightline as sl
    >>> from sightline.report import report
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> tree = sl.DistilledTreeClassifier(max_leaves=4, random_state=0).fit(X[::2], y[::2])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = report(tree, X[1::2], y[1::2], f"{folder}/report.html")
    >>> page.metrics["fidelity"]["rows"]
    75
    """
    check_budget("report", max_seconds=max_seconds)
    if path is not None:
        checked_path(path)
    drawn_by = ""
    if isinstance(X, Rows):
        X, y, sample_weight, notes, drawn_by = rows_of_page(est, X, y, sample_weight, notes)
        # Every other size would be distilled from the whole sample again.
        sizes = () if sizes is None else sizes
    evidence = gather(
        est,
        X,
        y,
        ensemble=ensemble,
        baseline=baseline,
        sizes=sizes,
        max_seconds=max_seconds,
        title=title,
        notes={heading: dict(lines) for heading, lines in (notes or {}).items()},
        shown_rows=ShownRows.of(rows),
        naming=Naming.of(target, positive, colors),
        sample_weight=sample_weight,
        drawn_by=drawn_by,
        step=progress or (lambda _: None),
    )
    for note in evidence.row_notes:
        warnings.warn(note, DataWarning, stacklevel=3)
    made = Report(evidence)
    if path is not None:
        made.save(path)
    return made
