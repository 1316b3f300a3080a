"""Explanations by cases: sentences, a table of row and cases, a picture."""

from __future__ import annotations

import importlib
import math
from html import escape
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sightline.exceptions import ParameterError
from sightline.model import CaseBase, CaseExplanation, CaseMatch
from sightline.show._palette import class_color
from sightline.show._plot import drawable
from sightline.show._verbs import explain, plot, to_frame, to_html, to_text
from sightline.wording import FeatureWording, list_names, percent, pluralize, shortened

_MAX_DIFFERENCES = 3
_FEW_DIFFERENCES = 3
"""Of so few differences one says that there are only these."""
_MAX_NEAR = 2
_MAX_USED = 5
_MAX_CELL = 24
_MAX_PLOTTED = 40
_ROW_COLOUR = "#14171c"

_ORIGIN_TEXT = {
    "leave-one-out": "each left out of its own neighbours",
    "out-of-bag": "each described by trees that have not seen it",
    "cross-fitted": "each described by an ensemble fitted without it",
    "seen": "described by an ensemble that may have seen them, which makes this look too good",
}


class CaseWording:
    """How an explanation reads: values of the row beside those of the cases.

    Parameters
    ----------
    explanation : CaseExplanation
        The explanation.
    """

    def __init__(self, explanation: CaseExplanation) -> None:
        self.explanation = explanation
        self.base = explanation.base
        numbers: dict[int, list[float]] = {}
        for place, column in enumerate(self.base.cases.columns):
            if not column.feature.is_nominal:
                own = [float(column.values[match.case]) for match in explanation.matches]
                row = float(explanation.row.columns[place].values[0])
                numbers[place] = [value for value in (row, *own) if not math.isnan(value)]
        self.features = FeatureWording(*_names_of(self.base), values=numbers)

    def label(self, code: int) -> str:
        """Return a class as text."""
        return self.features.text(self.base.classes_[code])

    def value(self, feature: int, match: CaseMatch | None) -> str:
        """Return the value of a case, or of the row where there is no case."""
        columns = self.explanation.row.columns if match is None else self.base.cases.columns
        value = columns[feature].values[0 if match is None else match.case]
        is_nominal = columns[feature].feature.is_nominal
        if value < 0 if is_nominal else math.isnan(value):
            return "missing" if match is not None else self._missing(feature)
        if is_nominal:
            return self.features.value(feature, int(value))
        return self.features.number(feature, float(value))

    def _missing(self, feature: int) -> str:
        """Tell a value that is not there from one that no case has."""
        given = self.explanation.given
        names = given.names
        name = self.base.schema.names[feature]
        place = names.index(name) if name in names else feature
        cell = given.columns[place].to_list()[0]
        return "missing" if cell is None else f"{self.features.text(cell)}, which no case has"

    def difference(self, feature: int, match: CaseMatch) -> str:
        """Return how a case differs in a feature, as in ``chol (283, yours 256)``."""
        theirs, yours = self.value(feature, match), self.value(feature, None)
        return f"{self.features.name(feature)} ({theirs}, yours {yours})"

    def differences(self, match: CaseMatch) -> str:
        """Return where a case differs, the most different first."""
        differing = match.differing
        # To leave out a single one would save nothing.
        n_shown = len(differing) if len(differing) <= _MAX_DIFFERENCES + 1 else _MAX_DIFFERENCES
        return list_names([self.difference(feature, match) for feature in differing], n_shown)

    def rest(self, match: CaseMatch) -> str:
        """Return what is the same besides."""
        equal, near = match.equal, match.near
        parts = [f"the same in {pluralize(len(equal), 'feature')}"] if equal else []
        if near:
            named = [self.difference(feature, match) for feature in near]
            parts.append(f"nearly the same in {list_names(named, _MAX_NEAR)}")
        return ", ".join(parts)


@explain.register
def _(base: CaseBase, row: Any, *, n: int = 3) -> str:
    return base.explanation(row, n).to_text()


@to_text.register
def _(explanation: CaseExplanation, *, style: str = "sentences") -> str:
    if style == "table":
        return _text_table(explanation)
    if style != "sentences":
        raise ParameterError(f"The 'style' parameter must be 'sentences' or 'table'. Got {style!r} instead.")
    wording = CaseWording(explanation)
    lines = [_prediction(explanation, wording)]
    lines += [_support(match, wording) for match in explanation.supporting]
    if not explanation.supporting:
        lines.append(f"No case was {wording.label(explanation.code)}.")
    if explanation.contrast is not None:
        lines.append(_contrast(explanation.contrast, wording))
    return "\n".join([*lines, *case_notes(explanation.base, wording.features)])


def _prediction(explanation: CaseExplanation, wording: CaseWording) -> str:
    votes = f"{explanation.n_for:,} of {pluralize(explanation.n_members, 'member')}"
    label = wording.label(explanation.code)
    if explanation.base.predict_with == "ensemble":
        return f"Predicted {label} ({votes})."
    share = percent(explanation.probability)
    nearest = pluralize(explanation.base.k_meta, "case")
    return f"Predicted {label} ({share} of the votes of the nearest {nearest}; {votes})."


def _support(match: CaseMatch, wording: CaseWording) -> str:
    start = f"Case {match.case:,} was {wording.label(match.code)} too and"
    rest = wording.rest(match)
    if not match.differing:
        return f"{start} is {rest}."
    only = "only " if len(match.differing) <= _FEW_DIFFERENCES else ""
    ending = f"; it is {rest}" if rest else ""
    return f"{start} differs {only}in {wording.differences(match)}{ending}."


def _contrast(match: CaseMatch, wording: CaseWording) -> str:
    start = f"Against it: case {match.case:,}, the nearest of another class, was {wording.label(match.code)}"
    if not match.differing:
        return f"{start} and is {wording.rest(match)}."
    return f"{start} and differs in {wording.differences(match)}."


def case_notes(base: CaseBase, features: FeatureWording | None = None) -> list[str]:
    """Return what ends every explanation: what holds for all of them."""
    lines = [_use(base, features or FeatureWording(*_names_of(base))), *_fidelity(base)]
    return [*lines, "Cases are numbered by the rows that they were learnt from, the first is 0."]


def _use(base: CaseBase, features: FeatureWording) -> str:
    """Say which features all members ask for, and how many of the members ask for the others."""
    use = base.use
    order = np.argsort(-use, kind="stable").tolist()
    by_all = [features.name(place) for place in order if use[place] == 1]
    by_some = [
        f"{features.name(place)} ({percent(float(use[place]))})" for place in order if 0 < use[place] < 1
    ]
    never = len(use) - len(by_all) - len(by_some)
    if len(by_all) == len(use):
        return "All members use all features."
    told = f"All members use {list_names(by_all, _MAX_USED)}" if by_all else ""
    if by_some:
        told += "; fewer use " if by_all else "Features that the members use most: "
        told += list_names(by_some, _MAX_USED)
    unused = f"; {pluralize(never, 'feature')} by none" if never else ""
    return f"{told}{unused}."


def _fidelity(base: CaseBase) -> list[str]:
    if base.judgement is None:
        return []
    judgement = base.judgement
    return [
        f"The nearest {pluralize(base.k_meta, 'case')} give the ensemble's label for "
        f"{percent(judgement.fidelity)} of {pluralize(judgement.n_cases, 'case')}, "
        f"{_ORIGIN_TEXT[base.origin]}."
    ]


# ---------------------------------------------------------------- tables


def _cells(explanation: CaseExplanation) -> tuple[list[str], list[list[tuple[str, bool]]]]:
    """Return heads, and per line cells with a mark where a case differs from the row."""
    wording = CaseWording(explanation)
    matches = explanation.matches
    heads = ["", "yours"]
    for match in matches:
        against = "against: " if match is explanation.contrast else ""
        heads.append(f"{against}case {match.case:,}")
    outcome = [("outcome", False), (f"{wording.label(explanation.code)} (predicted)", False)]
    lines = [[*outcome, *((wording.label(match.code), match.code != explanation.code) for match in matches)]]
    for feature in range(len(explanation.base.schema)):
        line = [(wording.features.name(feature), False), (wording.value(feature, None), False)]
        line += [(wording.value(feature, match), feature in match.differing) for match in matches]
        lines.append(line)
    return heads, lines


def _text_table(explanation: CaseExplanation) -> str:
    heads, lines = _cells(explanation)
    texts = [heads] + [
        [f"{shortened(text, _MAX_CELL)}{' *' if differs else ''}" for text, differs in line] for line in lines
    ]
    widths = [max(len(line[place]) for line in texts) for place in range(len(heads))]
    table = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in texts
    ]
    return "\n".join([*table, "* differs from yours"]) + "\n"


@to_html.register
def _(explanation: CaseExplanation) -> str:
    heads, lines = _cells(explanation)
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    body = ""
    for line in lines:
        cells = (f"<b>{escape(text)}</b>" if differs else escape(text) for text, differs in line)
        body += "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    sentence = escape(_prediction(explanation, CaseWording(explanation)))
    return f"<div><p>{sentence} What differs is bold.</p><table><tr>{top}</tr>{body}</table></div>\n"


@to_text.register
def _(base: CaseBase) -> str:
    return "\n".join(_card(base)) + "\n"


def _card(base: CaseBase) -> list[str]:
    features = FeatureWording(*_names_of(base))
    classes = ", ".join(features.text(label) for label in base.classes_[:_MAX_USED])
    more = ", …" if len(base.classes_) > _MAX_USED else ""
    members = pluralize(len(base.members), "member")
    kept = "" if len(base.members) == _n_members(base) else f" (kept of {_n_members(base):,})"
    who = (
        "the ensemble" if base.predict_with == "ensemble" else f"the nearest {pluralize(base.k_meta, 'case')}"
    )
    lines = [
        f"{pluralize(base.cases.n_rows, 'case')} described by {members}{kept} of {_kind(base)}; "
        f"classes {classes}{more}",
        f"Labels are given by {who}.",
    ]
    if base.judgement is not None:
        error, meta = base.judgement.ensemble_error, base.judgement.meta_error
        lines.append(
            f"On {pluralize(base.judgement.n_cases, 'case')}, {_ORIGIN_TEXT[base.origin]}: the ensemble errs "
            f"on {percent(error)}, the nearest {base.k_meta} cases on {percent(meta)}; they agree "
            f"on {percent(base.judgement.fidelity)}."
        )
    return [*lines, _use(base, features)]


def _n_members(base: CaseBase) -> int:
    return int(getattr(base.ensemble, "n_members", 0) or getattr(base.ensemble, "n_trees", 0))


def _kind(base: CaseBase) -> str:
    return "nearest neighbours" if hasattr(base.ensemble, "masks") else "trees"


@to_html.register
def _(base: CaseBase) -> str:
    heading, *lines = _card(base)
    said = "<br>".join(escape(line) for line in lines)
    return f"<div><p><b>{escape(heading)}</b><br>{said}</p></div>\n"


@to_frame.register
def _(explanation: CaseExplanation, library: str = "pandas") -> Any:
    frame = explanation.to_table()
    cells: dict[str, list[Any]] = {"who": ["yours", *(f"case {match.case}" for match in explanation.matches)]}
    cells["outcome"] = [explanation.base.classes_[code] for code in frame.y.codes]  # type: ignore[union-attr]
    cells |= {column.name: column.to_list() for column in frame.columns}
    return importlib.import_module(library).DataFrame(cells)


# ---------------------------------------------------------------- pictures


@plot.register
def _(explanation: CaseExplanation, ax: Axes | None = None) -> Axes:
    wording = CaseWording(explanation)
    places = list(range(len(explanation.base.schema)))[:_MAX_PLOTTED]
    if ax is None:
        figure = Figure(figsize=(9.0, 1.9 + 0.42 * len(places)), layout="constrained")
        ax = figure.add_subplot()
    for line in range(len(places)):
        ax.plot([0, 1], [line, line], color="#e9ecf1", lw=14, solid_capstyle="round", zorder=0)
    for number, match in enumerate(explanation.matches):
        is_contrast = match is explanation.contrast
        xs = [_position(explanation, place, match) for place in places]
        word = "against it: " if is_contrast else ""
        # Beside each other, so that the same value does not hide who else has it.
        shift = 0.2 * ((number + 1) / (len(explanation.matches) + 1) - 0.5)
        ax.plot(
            xs,
            [line + shift for line in range(len(places))],
            marker="s" if is_contrast else "o",
            ms=6,
            lw=1.0,
            ls="--" if is_contrast else "-",
            alpha=1.0 if is_contrast else max(0.35, 1.0 - 0.3 * number),
            color=class_color(match.code),
            mfc="white" if is_contrast else class_color(match.code),
            zorder=2 + 1 / (1 + number),
            label=_plain(f"{word}case {match.case:,}, {wording.label(match.code)}"),
        )
    xs = [_position(explanation, place, None) for place in places]
    ax.plot(xs, range(len(places)), "D-", ms=6, lw=2.2, color=_ROW_COLOUR, zorder=1.5,
            label=_plain(f"yours, predicted {wording.label(explanation.code)}"))  # fmt: skip
    _decorate(ax, explanation, wording, places)
    return ax


def _position(explanation: CaseExplanation, feature: int, match: CaseMatch | None) -> float:
    """Return where a value lies between the ends of its feature, in the middle of its category."""
    column = explanation.base.cases.columns[feature]
    source = explanation.row.columns[feature] if match is None else column
    place = 0 if match is None else match.case
    if source.is_missing[place]:
        return math.nan
    value = float(source.values[place])
    if column.feature.is_nominal:
        return (value + 0.5) / column.feature.n_values
    low, high = _ends(explanation.base, feature)
    return min(max((value - low) / (high - low), -0.02), 1.02) if high > low else 0.5


def _ends(base: CaseBase, feature: int) -> tuple[float, float]:
    known = base.cases.columns[feature].values[~base.cases.columns[feature].is_missing]
    return (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)


def _decorate(ax: Axes, explanation: CaseExplanation, wording: CaseWording, places: list[int]) -> None:
    names = [_plain(shortened(wording.features.name(place), _MAX_CELL)) for place in places]
    ax.set_yticks(range(len(places)), names)
    ax.set_xlim(-0.2, 1.5)
    ax.set_ylim(len(places) - 0.3, -1.1)
    ax.set_xticks([])
    ax.spines[:].set_visible(False)
    ax.tick_params(axis="y", length=0)
    small: dict[str, Any] = {"fontsize": 8, "va": "center", "color": "#4a515c"}
    ax.text(1.24, -0.75, "yours", ha="left", fontweight="bold", **{**small, "color": _ROW_COLOUR})
    for line, place in enumerate(places):
        ends = _end_texts(explanation.base, place, wording)
        ax.text(-0.035, line, _plain(ends[0]), ha="right", **small)
        ax.text(1.035, line, _plain(ends[1]), ha="left", **small)
        yours = shortened(wording.value(place, None), _MAX_CELL)
        ax.text(1.24, line, _plain(yours), ha="left", **{**small, "color": _ROW_COLOUR})
    hidden = len(explanation.base.schema) - len(places)
    if hidden:
        ax.text(0, len(places) - 0.4, f"… and {pluralize(hidden, 'more feature')}", ha="left", **small)
    ax.legend(loc="upper center", bbox_to_anchor=(0.45, 0.0), ncols=2, frameon=False, fontsize=9)


def _end_texts(base: CaseBase, feature: int, wording: CaseWording) -> tuple[str, str]:
    column = base.cases.columns[feature]
    if column.feature.is_nominal:
        first = shortened(wording.features.value(feature, 0), 10)
        return first, shortened(wording.features.value(feature, column.feature.n_values - 1), 10)
    low, high = _ends(base, feature)
    return wording.features.number(feature, low), wording.features.number(feature, high)


def _plain(text: str) -> str:
    """Return a text that matplotlib draws as it is."""
    return drawable(text).replace("$", r"\$")


def _names_of(base: CaseBase) -> tuple[list[str], list[Any]]:
    return base.schema.names, [feature.categories for feature in base.schema.features]
