"""The result of a comparison: as a table, as a plot of size against accuracy, and as a page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sightline.files import atomic_write
from sightline.judge._methods import KINDS, TEACHER
from sightline.table import Labels, Table
from sightline.wording import percent, pluralize

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sightline.lab import Protocol

VERDICTS = {"win": "better", "draw": "may be chance", "loss": "worse", None: ""}


@dataclass(frozen=True)
class MethodResult:
    """Mean results of one method over the folds.

    Attributes
    ----------
    name, kind, description : str
        Its name, the kind of model that it gives, and what it is.
    accuracy : float
        Share of the held-out rows that it labels correctly.
    deviation : float
        Standard deviation of the accuracy over the folds.
    fidelity : float
        Share of the held-out rows to which it gives the same label as the ensemble.
    tests : float
        How much there is to read: tests of the trees, or conditions of the rules; NaN if unknown.
    seconds : float
        CPU time to train on one fold, without the ensemble that a summary imitates.
    against_baseline, against_teacher : {"win", "draw", "loss"} or None
        Whether it is significantly more accurate than the C4.5 tree and the ensemble.
    is_near_teacher : bool
        Whether its accuracy is at most one standard error of the difference below the ensemble's.
        This is stricter than "not significantly worse", which is always true for few rows.
    """

    name: str
    kind: str
    description: str
    accuracy: float
    deviation: float
    fidelity: float
    tests: float
    seconds: float
    against_baseline: str | None
    against_teacher: str | None
    is_near_teacher: bool


@dataclass(frozen=True, eq=False, repr=False)
class MethodComparison:
    """All methods on the same folds.

    Attributes
    ----------
    name : str
        Name of the data.
    X : Table
        The rows.
    y : Labels
        Their labels.
    protocol : Protocol
        Repeats and folds.
    level : float
        Significance level.
    results : tuple of MethodResult
        One per method.
    """

    name: str
    X: Table
    y: Labels
    protocol: Protocol
    level: float
    results: tuple[MethodResult, ...]

    def __getitem__(self, name: str) -> MethodResult:
        for result in self.results:
            if result.name == name:
                return result
        raise KeyError(f"There is no method {name!r} in this comparison.")

    @property
    def best(self) -> MethodResult:
        """The most accurate method; among equals, the one with the least to read."""
        return max(self.results, key=lambda result: (result.accuracy, -_finite(result.tests)))

    @property
    def simplest(self) -> MethodResult:
        """The method with the least to read that is about as accurate as the ensemble.

        The ensemble itself if there is no other.
        """
        candidates = [
            result for result in self.results if result.is_near_teacher and np.isfinite(result.tests)
        ]
        return min(candidates, key=lambda result: (result.tests, -result.accuracy), default=self[TEACHER])

    @property
    def guess(self) -> tuple[str, float]:
        """The most frequent label, and its share of the rows."""
        counts = np.bincount(self.y.codes, minlength=len(self.y.classes_))
        return str(self.y.classes_[counts.argmax()]), float(counts.max() / counts.sum())

    @property
    def teacher_noun(self) -> str:
        """What tables and sentences call the model that fidelity is measured against."""
        return "black box" if self[TEACHER].kind == "black box" else "ensemble"

    def front(self) -> list[MethodResult]:
        """Return the methods that no other method beats in both size and accuracy, smallest first."""
        sized = sorted(
            (result for result in self.results if np.isfinite(result.tests)),
            key=lambda result: (result.tests, -result.accuracy),
        )
        front: list[MethodResult] = []
        for result in sized:
            if not front or result.accuracy > front[-1].accuracy:
                front.append(result)
        return front

    def sentences(self) -> list[str]:
        """Return the main findings."""
        best, simplest, teacher = self.best, self.simplest, self[TEACHER]
        label, share = self.guess
        found = [
            f"The most accurate method is {best.name}: it labels {percent(best.accuracy, 1)} of unseen rows "
            f"correctly. Always predicting {label} would be right for {percent(share, 1)}."
        ]
        size = f", {_count(teacher.tests)} tests" if np.isfinite(teacher.tests) else ""
        whole = f"the {self.teacher_noun} ({percent(teacher.accuracy, 1)}{size})"
        if simplest is teacher:
            found.append(f"No smaller model is about as accurate as {whole}.")
        else:
            found.append(
                f"The simplest method that is about as accurate as {whole} is {simplest.name}: "
                f"{percent(simplest.accuracy, 1)} with {_count(simplest.tests)} tests to read."
            )
        return found

    def to_dict(self) -> list[dict[str, Any]]:
        """Return one dictionary per method, for frames and files; unknown numbers are None."""
        rows = [asdict(result) for result in self.results]
        return [{**row, "tests": row["tests"] if np.isfinite(row["tests"]) else None} for row in rows]

    def to_text(self) -> str:
        """Return the comparison as a text table."""
        heads = self._heads()
        lines = [heads, *(_cells(result) for result in self._ordered())]
        widths = [max(len(line[index]) for line in lines) for index in range(len(heads))]
        rows = [
            "  ".join(
                cell.ljust(width) if index == 0 else cell.rjust(width)
                for index, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        return "\n".join([self._title(), "", *rows, "", *self.sentences()]) + "\n"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot size against accuracy, with the Pareto front.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib Axes
            The axes with the drawing.
        """
        from sightline.judge._pareto import draw  # noqa: PLC0415 - matplotlib is slow to import

        return draw(self, ax)

    def to_html(self, path: str | Path | None = None) -> str:
        """Return a self-contained HTML page, and write it if a path is given."""
        from sightline.lab import page  # noqa: PLC0415

        text = page(f"Which model for {self.name}?", self._sections())
        if path is not None:
            atomic_write(path, text)
        return text

    def _sections(self) -> list[str]:
        from sightline.lab import FigureFile, figure, figure_of, paragraph  # noqa: PLC0415

        caption = (
            "Each point is a method: how much there is to read (simpler is left) against the share of "
            "unseen rows that it labels correctly. No method is both simpler and more accurate than those on "
            "the dashed line. The dotted line is the most frequent label. Methods without tests to read are "
            "left out."
        )
        drawing = FigureFile("pareto", caption, figure_of(self.plot()))
        return [
            paragraph(self._what_was_done()),
            *(paragraph(sentence) for sentence in self.sentences()),
            figure(drawing.to_svg(), caption),
            self._html_table(),
            self._how_to_read(),
            paragraph(self._title(), "soft"),
        ]

    def _what_was_done(self) -> str:
        n_times = self.protocol.n_folds * self.protocol.n_repeats
        return (
            f"Every method was trained on the same part of the {self.X.n_rows:,} rows and tested on the "
            f"rest, {n_times} times, so that every row was held out. One method is {self._teacher_text()}. "
            "Some of the other methods imitate it with less to read; the rest learn without it."
        )

    def _teacher_text(self) -> str:
        teacher = self[TEACHER]
        if teacher.kind == "black box":
            return f"a black box ({teacher.description}): a model that can be asked but not read"
        return (
            f"an ensemble ({teacher.description}): many models that vote, usually accurate but too much to "
            "read"
        )

    def _heads(self) -> tuple[str, ...]:
        return ("method", "accuracy", "vs C4.5", f"vs {self.teacher_noun}", "fidelity", "tests", "seconds")

    def _html_table(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self._heads())
        rows = []
        for result in self._ordered():
            name, *cells = _cells(result)
            chosen = ' class="chosen"' if result is self.simplest else ""
            first = f"<td>{escape(name)}<small>{escape(result.description)}</small></td>"
            rows.append(f"<tr{chosen}>{first}{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>")
        body = "\n".join(rows)
        return (
            f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'
        )

    def _how_to_read(self) -> str:
        noun = self.teacher_noun
        terms = {
            "accuracy": "share of unseen rows that a model labels correctly, with its standard deviation "
            "over the folds.",
            f"vs C4.5, vs {noun}": "whether the difference in accuracy is more than chance, by a corrected "
            f'resampled t-test at level {self.level:g}. With few rows, "may be chance" does not mean that '
            "there is no difference.",
            "about as accurate": "at most one standard error of the difference below the "
            f"{noun}. The shaded method is the simplest of these.",
            "fidelity": f"share of unseen rows to which a model gives the same label as the {noun} "
            f"({self[TEACHER].description}), right or wrong.",
            "tests": "how much there is to read: tests in trees, such as amount <= 1,500, or conditions in "
            "rules; ? if a model has none or they cannot be counted.",
            "seconds": "CPU time to train on the rows of one fold. For models that imitate the "
            f"{noun}, training that is not included.",
        }
        items = "".join(f"<li><b>{escape(term)}</b>: {escape(text)}</li>" for term, text in terms.items())
        return f"<section><h2>How to read this</h2><ul>{items}</ul></section>"

    def _ordered(self) -> list[MethodResult]:
        kinds = list(KINDS)
        return sorted(
            self.results, key=lambda result: (kinds.index(result.kind), _finite(result.tests), result.name)
        )

    def _title(self) -> str:
        protocol = self.protocol
        times = "" if protocol.n_repeats == 1 else f"{protocol.n_repeats} x "
        return (
            f"{self.name}: {pluralize(self.X.n_rows, 'row')}, {pluralize(len(self.X.columns), 'column')}, "
            f"{pluralize(len(np.unique(self.y.codes)), 'class', 'classes')}; "
            f"{times}{protocol.n_folds}-fold cross-validation"
        )

    def _repr_html_(self) -> str:
        return f'<div class="sightline">{self._html_table()}</div>'

    def __repr__(self) -> str:
        return self.to_text()


def _finite(tests: float) -> float:
    return tests if np.isfinite(tests) else np.inf


def _count(tests: float) -> str:
    if not np.isfinite(tests):
        return "?"
    return f"{tests:,.0f}" if tests >= 10 else f"{tests:.1f}"


def _cells(result: MethodResult) -> tuple[str, ...]:
    return (
        "the black box" if result.kind == "black box" else result.name,
        f"{100 * result.accuracy:.1f} ± {100 * result.deviation:.1f}%",
        VERDICTS[result.against_baseline],
        VERDICTS[result.against_teacher],
        percent(result.fidelity, 1),
        _count(result.tests),
        f"{result.seconds:.2f}" if result.seconds >= 0.005 else "< 0.01",
    )
