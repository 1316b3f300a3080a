"""What a comparison found: as a table, as a picture of size against accuracy, and as a page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sightline.files import atomic_write
from sightline.judge._methods import KINDS, TEACHER
from sightline.table import Labels, Table
from sightline.wording import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sightline.lab import Protocol

VERDICTS = {"win": "better", "draw": "may be chance", "loss": "worse", None: ""}
HEADS = ("method", "accuracy", "against C4.5", "against the ensemble", "fidelity", "tests", "seconds")


@dataclass(frozen=True)
class MethodResult:
    """Means over the folds of one method.

    Attributes
    ----------
    name, kind, description : str
        What it is called, which kind of model it gives, and what it is.
    accuracy : float
        Share of the held-out rows that it labels rightly.
    deviation : float
        Standard deviation of the accuracy over the folds.
    fidelity : float
        Share of the held-out rows to which it gives the ensemble's label.
    tests : float
        What there is to read: tests of the trees, or conditions of the rules; NaN where unknown.
    seconds : float
        Processor time to learn one fold, the ensemble of a summary not counted.
    against_baseline, against_teacher : {"win", "draw", "loss"} or None
        Whether it is significantly more accurate than the C4.5 tree and the ensemble.
    is_near_teacher : bool
        Whether its accuracy is at most one standard error of the difference below the ensemble's.
        That asks more of it than that nothing worse was proved, which few rows never do.
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
    """Every method side by side on the same folds.

    Attributes
    ----------
    name : str
        What the rows are about.
    X : Table
        The rows.
    y : Labels
        Their labels.
    protocol : Protocol
        Repeats and folds.
    level : float
        Level of significance.
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
        """The most accurate method; of equals, the one with the least to read."""
        return max(self.results, key=lambda result: (result.accuracy, -_finite(result.tests)))

    @property
    def simplest(self) -> MethodResult:
        """The method with the least to read among those about as accurate as the ensemble.

        Where there is none, it is the ensemble itself.
        """
        candidates = [
            result for result in self.results if result.is_near_teacher and np.isfinite(result.tests)
        ]
        return min(candidates, key=lambda result: (result.tests, -result.accuracy), default=self[TEACHER])

    @property
    def guess(self) -> tuple[str, float]:
        """The most frequent label, and the share of the rows for which it would be right."""
        counts = np.bincount(self.y.codes, minlength=len(self.y.classes_))
        return str(self.y.classes_[counts.argmax()]), float(counts.max() / counts.sum())

    def front(self) -> list[MethodResult]:
        """Return the methods that no other beats in both size and accuracy, smallest first."""
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
        """Return what one should know first."""
        best, simplest, teacher = self.best, self.simplest, self[TEACHER]
        label, share = self.guess
        found = [
            f"Most accurate is {best.name}, with {percent(best.accuracy, 1)} of unseen rows right; always "
            f"answering {label} would be right for {percent(share, 1)}."
        ]
        whole = f"{TEACHER} ({percent(teacher.accuracy, 1)}, {_count(teacher.tests)} tests)"
        if simplest is teacher:
            found.append(f"No model with less to read is about as accurate as {whole}.")
        else:
            found.append(
                f"The simplest model that is about as accurate as {whole} is {simplest.name}: "
                f"{percent(simplest.accuracy, 1)} with {_count(simplest.tests)} tests to read."
            )
        return found

    def to_dict(self) -> list[dict[str, Any]]:
        """Return one dictionary per method, for frames and files; what is unknown is None."""
        rows = [asdict(result) for result in self.results]
        return [{**row, "tests": row["tests"] if np.isfinite(row["tests"]) else None} for row in rows]

    def to_text(self) -> str:
        """Return the comparison as a table of text."""
        lines = [HEADS, *(_cells(result) for result in self._ordered())]
        widths = [max(len(line[place]) for line in lines) for place in range(len(HEADS))]
        rows = [
            "  ".join(
                cell.ljust(width) if place == 0 else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        return "\n".join([self._title(), "", *rows, "", *self.sentences()]) + "\n"

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw size against accuracy, with the line that no method is beyond.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib Axes
            The axes that hold the drawing.
        """
        from sightline.judge._pareto import draw  # noqa: PLC0415 - matplotlib is slow to import

        return draw(self, ax)

    def to_html(self, path: str | Path | None = None) -> str:
        """Return, and write where a path is given, a page that stands alone."""
        from sightline.lab import page  # noqa: PLC0415

        text = page(f"Which model for {self.name}?", self._sections())
        if path is not None:
            atomic_write(path, text)
        return text

    def _sections(self) -> list[str]:
        from sightline.lab import FigureFile, figure, figure_of, paragraph  # noqa: PLC0415

        caption = (
            "Each point is a method: how much there is to read (to the left is simpler) against the share of "
            "unseen rows that it labels rightly. No method is both simpler and more accurate than those on "
            "the dashed line. Dotted: always the most frequent label. Methods without tests to read are not "
            "drawn."
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
            f"rest, {n_times} times, so that every row was held out. One method is an ensemble "
            f"({self[TEACHER].description}): many models that vote, usually accurate but too much to read. "
            "Some of the other methods imitate it with less to read; the rest learn without it."
        )

    def _html_table(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in HEADS)
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
        terms = {
            "accuracy": "share of the rows that a model had not seen and labels rightly, with its standard "
            "deviation over the folds.",
            "against C4.5, against the ensemble": "whether the difference in accuracy is more than chance: "
            f"corrected resampled t-test at level {self.level:g}. Few rows prove little: that it may be "
            "chance does not mean that there is none.",
            "about as accurate": "at most one standard error of the difference less accurate than the "
            "ensemble. The shaded method is the simplest of these.",
            "fidelity": "share of these rows to which a model gives the same label as the ensemble "
            f"({self[TEACHER].description}), right or wrong: how well it speaks for it.",
            "tests": "what there is to read: questions such as whether an amount is below 1,500, in the "
            "trees, or as conditions of the rules; ? where there are none, or where they cannot be counted.",
            "seconds": "processor time to learn from the rows of one fold; for models that imitate the "
            "ensemble, without learning it.",
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
            f"{self.name}: {self.X.n_rows:,} rows, {len(self.X.columns)} columns, "
            f"{len(np.unique(self.y.codes))} classes; {times}{protocol.n_folds}-fold cross-validation"
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
        result.name,
        f"{100 * result.accuracy:.1f} ± {100 * result.deviation:.1f}%",
        VERDICTS[result.against_baseline],
        VERDICTS[result.against_teacher],
        percent(result.fidelity, 1),
        _count(result.tests),
        f"{result.seconds:.2f}" if result.seconds >= 0.005 else "< 0.01",
    )
