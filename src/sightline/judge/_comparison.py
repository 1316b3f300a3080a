"""The result of a comparison: as a table, as a plot of size against accuracy or R², and as a page."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sightline.files import atomic_write
from sightline.judge._comparison_words import UNKNOWN, ComparisonWords, words_for
from sightline.judge._methods import FORMER_NAMES, KINDS, TEACHER
from sightline.measure import RowWeights
from sightline.table import Labels, Numbers, Table
from sightline.wording import capitalize, pluralize

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sightline.lab import Protocol

CLASS_MEASURES = ("accuracy", "balanced_accuracy", "auc", "average_precision", "balanced_fidelity")
NUMBER_MEASURES = ("r2", "mae", "rmse")

VERDICTS = {"win": "better", "draw": "may be chance", "loss": "worse", None: ""}


@dataclass(frozen=True)
class MethodResult:
    """Mean results of one method over the folds.

    Attributes
    ----------
    name, kind, description : str
        Its name, the kind of model that it gives, and what it is.
    measure : {"accuracy", "balanced_accuracy", "r2"}
        What methods are compared by: the balanced accuracy if classes are imbalanced, R² of numbers.
    deviation : float
        Standard deviation of that measure over the folds.
    fidelity : float
        Share of the held-out rows to which it gives the same label as the ensemble; for numbers,
        R² to those of the ensemble.
    tests : float
        How much there is to read: tests of the trees, or conditions of the rules; NaN if unknown.
    seconds : float
        CPU time to train on one fold, without the ensemble that a summary imitates.
    against_baseline, against_teacher : {"win", "draw", "loss"} or None
        Whether it is significantly better, by ``measure``, than the ordinary tree and the ensemble.
    is_near_teacher : bool
        Whether it is at most one standard error of the difference below the ensemble, by ``measure``.
        This is stricter than "not significantly worse", which is always true for few rows.
    accuracy, balanced_accuracy : float or None
        Share of the held-out rows that it labels correctly, and mean recall of the classes; None for
        numbers.
    auc, average_precision : float or None
        Of the class in focus of two, or the mean over more classes; NaN for a model that gives labels only.
    balanced_fidelity : float or None
        Mean share over the labels of the ensemble; None for numbers.
    r2, mae, rmse : float or None
        For numbers: R², mean absolute error and root of the mean squared error on the held-out rows.
    """

    name: str
    kind: str
    description: str
    measure: str
    deviation: float
    fidelity: float
    tests: float
    seconds: float
    against_baseline: str | None
    against_teacher: str | None
    is_near_teacher: bool
    accuracy: float | None = None
    balanced_accuracy: float | None = None
    auc: float | None = None
    average_precision: float | None = None
    balanced_fidelity: float | None = None
    r2: float | None = None
    mae: float | None = None
    rmse: float | None = None

    @property
    def score(self) -> float:
        """What methods are compared by: accuracy, balanced accuracy, or R² of numbers."""
        return float(getattr(self, self.measure))


@dataclass(frozen=True, eq=False, repr=False)
class MethodComparison:
    """All methods on the same folds.

    Attributes
    ----------
    name : str
        Name of the data.
    X : Table
        The rows.
    y : Labels or Numbers
        Their labels or numbers.
    protocol : Protocol
        Repeats and folds.
    level : float
        Significance level.
    results : tuple of MethodResult
        One per method.
    row_weights : RowWeights, optional
        Weight of each row, in training and in every measure; None if all rows count the same.
    left_out : tuple of str
        Methods that were left out, because they cannot learn from weighted rows.
    """

    name: str
    X: Table
    y: Labels | Numbers
    protocol: Protocol
    level: float
    results: tuple[MethodResult, ...]
    row_weights: RowWeights | None = None
    left_out: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> MethodResult:
        for result in self.results:
            if result.name == FORMER_NAMES.get(name, name):
                return result
        raise KeyError(f"There is no method {name!r} in this comparison.")

    @property
    def best(self) -> MethodResult:
        """The most accurate method, or that of highest R²; among equals, the one with the least to read."""
        return max(self.results, key=lambda result: (result.score, -_finite(result.tests)))

    @property
    def simplest(self) -> MethodResult:
        """The method with the least to read that is about as accurate, or as good, as the ensemble.

        It has at most half as many tests as the ensemble. The ensemble itself if there is none.
        """
        teacher = self[TEACHER]
        most = teacher.tests / 2 if np.isfinite(teacher.tests) else np.finfo(float).max
        candidates = [result for result in self.results if result.is_near_teacher and result.tests <= most]
        return min(candidates, key=lambda result: (result.tests, -result.score), default=teacher)

    @cached_property
    def words(self) -> ComparisonWords:
        """The wording for classes or numbers."""
        return words_for(self.y, None if self.row_weights is None else self.row_weights.values)

    @property
    def guess(self) -> tuple[str, float]:
        """The most frequent label and its share of the rows; for numbers the mean, whose R² is 0."""
        return self.words.guess

    @property
    def teacher_noun(self) -> str:
        """The noun for the model that fidelity is measured against."""
        return "black box" if self[TEACHER].kind == "black box" else "ensemble"

    def front(self) -> list[MethodResult]:
        """Return the methods that no other method beats in both size and accuracy, or R², smallest first."""
        sized = sorted(
            (result for result in self.results if np.isfinite(result.tests)),
            key=lambda result: (result.tests, -result.score),
        )
        front: list[MethodResult] = []
        for result in sized:
            if not front or result.score > front[-1].score:
                front.append(result)
        return front

    @property
    def beats_guess(self) -> bool:
        """Whether some method is better than always predicting the most frequent label, or the mean."""
        return not self.words.is_guess(self.best.score)

    def sentences(self) -> list[str]:
        """Return the main findings."""
        best, simplest, teacher, words = self.best, self.simplest, self[TEACHER], self.words
        about = [*self._about_weights(), *words.reasons]
        if not self.beats_guess:
            return [
                *about,
                f"No method beats always predicting {words.guess[0]} in {words.measure}. The one that comes "
                f"closest is {best.name}: {words.achieved(best)}. {words.guess_sentence}",
            ]
        found = [
            *about,
            f"{capitalize(words.best)}: {best.name}. {capitalize(words.achieved(best))}. "
            f"{words.guess_sentence}",
        ]
        size = f", {_count(teacher.tests)} tests" if np.isfinite(teacher.tests) else ""
        whole = f"the {self.teacher_noun} ({words.score(teacher.score)}{size})"
        if simplest is teacher:
            smaller = "with at most half as many tests" if size else "with tests to read"
            found.append(f"No method {smaller} is {words.alike} {whole}.")
        else:
            found.append(
                f"The simplest method that is {words.alike} {whole}: {simplest.name}, "
                f"{words.score(simplest.score)} with {_count(simplest.tests)} tests to read. "
                f"Here, {words.alike.removesuffix(' as')} means at most one standard error of the difference "
                'below it, which is stricter than "may be chance" in the table.'
            )
        return found

    def _about_weights(self) -> list[str]:
        """Say how rows were weighted, and which methods could not take part."""
        if self.row_weights is None:
            return []
        names = "; ".join(self.left_out)
        return [
            f"Rows are {self.row_weights.text}, in training and in every measure.",
            *([f"Left out, because they cannot learn from weighted rows: {names}."] if names else []),
        ]

    def to_dict(self) -> list[dict[str, Any]]:
        """Return one dictionary per method, for frames and files; unknown numbers are None."""
        rows = [asdict(result) for result in self.results]
        unused = NUMBER_MEASURES if isinstance(self.y, Labels) else CLASS_MEASURES
        return [
            {
                name: None if isinstance(cell, float) and not np.isfinite(cell) else cell
                for name, cell in row.items()
                if name not in unused
            }
            for row in rows
        ]

    def to_text(self) -> str:
        """Return the comparison as a text table."""
        heads = self._heads()
        lines = [heads, *(self._cells(result) for result in self._ordered())]
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

        front = [result.name for result in self.front()]
        caption = (
            "Each point is a method: how much there is to read (simpler is left) against "
            f"{self.words.caption(front)} Methods without tests to read are left out."
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
            return f"a black box ({teacher.description}): a model that can be queried but not read"
        return (
            f"an ensemble ({teacher.description}): {self.words.kind_of_ensemble}, usually accurate but too "
            "much to read"
        )

    def _heads(self) -> tuple[str, ...]:
        against = (f"vs {self._baseline_noun}", f"vs {self.teacher_noun}")
        return ("method", *self.words.quality_heads, *against, self.words.fidelity_head, "tests", "seconds")

    @property
    def _baseline_noun(self) -> str:
        return "C4.5" if isinstance(self.y, Labels) else "tree"

    def _cells(self, result: MethodResult) -> tuple[str, ...]:
        return (
            "the black box" if result.kind == "black box" else result.name,
            *self.words.quality(result),
            VERDICTS[result.against_baseline],
            VERDICTS[result.against_teacher],
            self.words.fidelity(result),
            _count(result.tests),
            f"{result.seconds:.2f}" if result.seconds >= 0.005 else "< 0.01",
        )

    def _html_table(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self._heads())
        rows = []
        for result in self._ordered():
            name, *cells = self._cells(result)
            chosen = ' class="chosen"' if result is self.simplest and self.beats_guess else ""
            first = f"<td>{escape(name)}<small>{escape(result.description)}</small></td>"
            rows.append(f"<tr{chosen}>{first}{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>")
        body = "\n".join(rows)
        return (
            f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'
        )

    def _how_to_read(self) -> str:
        noun, words = self.teacher_noun, self.words
        near = f"at most one standard error of the difference below the {noun}."
        shaded = (
            f" The shaded method is the simplest of these with at most half as many tests, or the {noun}."
        )
        terms = {
            **words.quality_terms,
            f"vs {self._baseline_noun}, vs {noun}": f"whether the difference in {words.measure} is more than "
            f'chance, by a corrected resampled t-test at level {self.level:g}. With few rows, "may be '
            f'chance" '
            "does not mean that there is no difference.",
            **({words.alike.removesuffix(" as"): f"{near}{shaded}"} if self.beats_guess else {}),
            words.fidelity_head: words.fidelity_term.format(noun=noun, what=self[TEACHER].description),
            "tests": "how much there is to read: tests in trees, such as amount <= 1,500, or conditions in "
            f"rules; {UNKNOWN} if a model has none or they cannot be counted.",
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
            f"{self.words.target_text}; "
            f"{times}{protocol.n_folds}-fold cross-validation"
        )

    def _repr_html_(self) -> str:
        _, *findings, _, _ = self._sections()
        return f'<div class="sightline">{"".join(findings)}</div>'

    def __repr__(self) -> str:
        return self.to_text()


def _finite(tests: float) -> float:
    return tests if np.isfinite(tests) else np.inf


def _count(tests: float) -> str:
    if not np.isfinite(tests):
        return UNKNOWN
    return f"{tests:,.0f}" if tests >= 10 or tests == int(tests) else f"{tests:.1f}"
